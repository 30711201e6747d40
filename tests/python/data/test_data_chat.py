"""Conversations and their loss masks."""

import gzip
import json

import pytest
import tessella.data
from tessella.batch import PretrainedTokenizer
from tessella.errors import ArgumentError, FormatError

pytest.importorskip("jinja2", reason="needs jinja2")
TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}"
    "{% else %}{{ m.content }} {% endif %}{% endfor %}"
)


def test_the_assistant_is_marked(tmp_path, tokenizer):
    chat = PretrainedTokenizer(tokenizer_object=tokenizer)
    chat.chat_template = TEMPLATE
    row = {
        "messages": [{"role": "user", "content": "low new"}, {"role": "assistant", "content": "tile wide"}]
    }
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(row) + "\n").encode() * 300))
    for format in ("megatron", "datatrove", "numpy"):
        out = tmp_path / format
        made = tessella.data.tokenize_corpus(path, chat, out, format=format, mask="assistant", workers=1)
        corpus = tessella.data.open(out)
        assert (made.documents, made.manifest["settings"]["eos"]) == (300, None)
        assert corpus.documents[299].tolist() == [0, 3, 5, 7]
        assert corpus.documents.mask(299).tolist() == [0, 0, 1, 1]
    (tmp_path / "b.jsonl").write_text(json.dumps(row) + "\n{broken\n")
    with pytest.raises(FormatError, match=r"b\.jsonl: line 2 is not JSON"):
        tessella.data.tokenize_corpus(tmp_path / "b.jsonl", chat, tmp_path / "x", mask="assistant", workers=1)
    for messages, message in [
        ("null", r"b\.jsonl: line 2 has null under `messages`, expected a list of messages"),
        ("[]", "line 2 has an empty list under `messages`"),
        ('[{"role": "user", "content": "low"}]', r"b\.jsonl: line 2: .* no turn of the assistant.*'user'"),
    ]:
        (tmp_path / "b.jsonl").write_text(json.dumps(row) + f'\n{{"messages": {messages}}}\n')
        with pytest.raises(FormatError, match=message):
            tessella.data.tokenize_corpus(
                tmp_path / "b.jsonl", chat, tmp_path / "x", mask="assistant", workers=1, resume=False
            )
    with pytest.raises(ArgumentError, match="needs a tokenizer with a chat template"):
        tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "y", mask="assistant", workers=1)


def test_a_beginning_is_given_and_an_end_is_learned(tmp_path, tokenizer):
    chat = PretrainedTokenizer(tokenizer_object=tokenizer, chat_template=TEMPLATE)
    turns = [{"role": "user", "content": "low new"}, {"role": "assistant", "content": "tile wide"}]
    path = tmp_path / "a.jsonl"
    path.write_text((json.dumps({"messages": turns}) + "\n") * 3)
    own, marks = [0, 3, 5, 7], [0, 0, 1, 1]
    for place, (bos, eos) in enumerate([(11, 12), (11, None), (None, 12)]):
        out = tmp_path / str(place)
        tessella.data.tokenize_corpus(path, chat, out, mask="assistant", bos=bos, eos=eos, workers=1)
        documents = tessella.data.open(out).documents
        begin, end = [bos] * (bos is not None), [eos] * (eos is not None)
        for number in range(3):
            assert documents[number].tolist() == begin + own + end
            assert documents.mask(number).tolist() == [0] * len(begin) + marks + [1] * len(end)


def test_packed_conversations_that_are_damaged_are_told_by_name(tmp_path, tokenizer):
    """As those of texts and tables are; a bare OSError named no file."""
    pytest.importorskip("pyarrow")
    chat = PretrainedTokenizer(tokenizer_object=tokenizer, chat_template=TEMPLATE)
    turns = [{"role": "user", "content": "low new"}, {"role": "assistant", "content": "tile wide"}]
    path, whole = (
        tmp_path / "a.jsonl.gz",
        gzip.compress((json.dumps({"messages": turns}) + "\n").encode() * 900),
    )
    for content in (whole[:-20], whole[:60] + b"xxxx" + whole[64:]):
        path.write_bytes(content)
        for how in ("raise", "skip"):
            with pytest.raises(FormatError, match=r"a\.jsonl\.gz is damaged or cut off \(gzip: "):
                tessella.data.tokenize_corpus(
                    path, chat, tmp_path / how, mask="assistant", on_error=how, workers=1, resume=False
                )


def test_poisoned_conversations_are_skipped_with_their_masks(tmp_path, tokenizer):
    """What is left out takes its mask with it: every other conversation keeps its own."""
    chat = PretrainedTokenizer(tokenizer_object=tokenizer)
    chat.chat_template = TEMPLATE
    words = ["low", "lower", "new", "tile", "wide"]

    def good(number):
        asked, said = [words[number % 5]] * (number % 3 + 1), [words[number % 4]] * (number % 7 + 1)
        return [
            {"role": "user", "content": " ".join(asked)},
            {"role": "assistant", "content": " ".join(said)},
        ]

    # Not JSON, JSON that is nested without end, no object, no messages, none at all, messages that the template cannot write, no assistant to mark.
    poison = [
        "{broken",
        "[" * 100_000,
        "7",
        json.dumps(["messages"]),
        json.dumps({"text": "low"}),
        json.dumps({"messages": []}),
        json.dumps({"messages": ["low"]}),
        json.dumps({"messages": [{"role": "user", "content": "low"}]}),
    ]
    lines, kept, places, byte = [], [], [], 0
    for number in range(700):
        if number % 61 == 13:
            line = poison[number // 61 % len(poison)]
            places.append({"line": number + 1, "byte": byte})
        else:
            line = json.dumps({"messages": good(number)})
            kept.append(good(number))
        lines.append(line + "\n")
        byte += len(lines[-1])
    (tmp_path / "a.jsonl").write_text("".join(lines))
    options = {"mask": "assistant", "format": "numpy", "on_error": "skip"}
    wants = []
    for asked, said in kept:
        ids = [chat(one["content"], add_special_tokens=False)["input_ids"] for one in (asked, said)]
        wants.append((ids[0] + ids[1], [0] * len(ids[0]) + [1] * len(ids[1])))
    for name, more in (("whole", {}), ("parts", {"shard_size": 5000, "workers": 2})):
        out = tmp_path / name
        made = tessella.data.tokenize_corpus(
            tmp_path / "a.jsonl", chat, out, **{"workers": 1, **options, **more}
        )
        assert [{"line": one["line"], "byte": one["byte"]} for one in made.skipped] == places
        documents = tessella.data.open(out).documents
        assert len(documents) == made.documents == len(kept)
        found = [(documents[at].tolist(), documents.mask(at).tolist()) for at in range(len(kept))]
        assert found == wants
        assert tessella.data.verify(out, chat, sample=2)
