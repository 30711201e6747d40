"""Differences are named, shown by a text that cannot be smaller, and put down to the stage that parts ways."""

import json

import pytest
import tessella
from tessella import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    prove,
)
from tessella.cli import main
from tessella.errors import ArgumentError
from tessella.prove.outcome import outcome, parting
from tessella.prove.reduce import smallest
from tessella.words import Rules

TEXTS = ["low lower lowest", "newer wider tiles", "naïve café", "Hello world 1984"] * 20


@pytest.fixture(scope="module")
def gpt2():
    return tessella.recipes.get("gpt2").train(TEXTS, vocab_size=285).to_str()


@pytest.fixture(scope="module")
def bert():
    return (
        tessella.recipes.get("bert-uncased").train([*TEXTS, *["stop . now ?"] * 20], vocab_size=80).to_str()
    )


def changed(saved, *path_and_value):
    """The tokenizer of a file in which one value is another."""
    *path, value = path_and_value
    said = json.loads(saved)
    place = said
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return Tokenizer.from_str(json.dumps(said))


#: One option each: of which file, where, what it becomes, the path that names it, the stage that parts ways.
CHANGES = [
    ("gpt2", ["pre_tokenizer", "add_prefix_space", True], "pre_tokenizer.add_prefix_space", "pre-tokenizer"),
    ("gpt2", ["pre_tokenizer", "use_regex", False], "pre_tokenizer.use_regex", "pre-tokenizer"),
    ("gpt2", ["normalizer", {"type": "NFC"}], "normalizer", "normalizer"),
    ("gpt2", ["normalizer", {"type": "Lowercase"}], "normalizer", "normalizer"),
    (
        "gpt2",
        ["normalizer", {"type": "Strip", "strip_left": True, "strip_right": False}],
        "normalizer",
        "normalizer",
    ),
    ("gpt2", ["pre_tokenizer", {"type": "Whitespace"}], "pre_tokenizer", "pre-tokenizer"),
    ("gpt2", ["decoder", None], "decoder", "decoder"),
    ("gpt2", ["decoder", {"type": "Fuse"}], "decoder", "decoder"),
    ("gpt2", ["added_tokens", 0, "lstrip", True], "added_tokens.<|endoftext|>.lstrip", "added tokens"),
    ("gpt2", ["added_tokens", 0, "rstrip", True], "added_tokens.<|endoftext|>.rstrip", "added tokens"),
    (
        "gpt2",
        ["added_tokens", 0, "single_word", True],
        "added_tokens.<|endoftext|>.single_word",
        "added tokens",
    ),
    ("gpt2", ["added_tokens", 0, "special", False], "added_tokens.<|endoftext|>.special", "decoder"),
    ("gpt2", ["added_tokens", []], "added_tokens.<|endoftext|>", "added tokens"),
    ("gpt2", ["model", "merges", []], "merges.removed", "model"),
    ("gpt2", ["post_processor", "trim_offsets", True], "post_processor.trim_offsets", "offsets"),
    (
        "gpt2",
        ["truncation", {"max_length": 3, "strategy": "LongestFirst", "stride": 0}],
        "truncation",
        "truncation and padding",
    ),
    ("bert", ["normalizer", "lowercase", False], "normalizer.lowercase", "normalizer"),
    ("bert", ["normalizer", "strip_accents", False], "normalizer.strip_accents", "normalizer"),
    ("bert", ["normalizer", "clean_text", False], "normalizer.clean_text", "normalizer"),
    ("bert", ["normalizer", "handle_chinese_chars", False], "normalizer.handle_chinese_chars", "normalizer"),
    ("bert", ["model", "max_input_chars_per_word", 3], "model.max_input_chars_per_word", "model"),
    ("bert", ["model", "continuing_subword_prefix", "@@"], "model.continuing_subword_prefix", "model"),
    ("bert", ["pre_tokenizer", {"type": "WhitespaceSplit"}], "pre_tokenizer", "pre-tokenizer"),
    ("bert", ["decoder", "cleanup", False], "decoder.cleanup", "decoder"),
    ("bert", ["decoder", "prefix", "@@"], "decoder.prefix", "decoder"),
    ("bert", ["post_processor", None], "post_processor", "post-processor"),
]


@pytest.mark.parametrize(("name", "change", "path", "stage"), CHANGES, ids=lambda one: str(one)[:60])
def test_one_changed_option_is_named_with_a_minimal_text(name, change, path, stage, gpt2, bert):
    saved = {"gpt2": gpt2, "bert": bert}[name]
    before, after = Tokenizer.from_str(saved), changed(saved, *change)
    found = prove.diff(before, after)
    assert [one.path for one in found.structure] == [path] or found.structure[0].path == path
    stages = [one.stage for one in found.examples]
    assert stage in stages, (stages, [one.text for one in found.examples])
    for one in found.examples:
        pair = one.text if one.is_pair else None
        assert outcome(before, one.text, pair) != outcome(after, one.text, pair)
        for place in range(len(one.text)):
            shorter = one.text[:place] + one.text[place + 1 :]
            assert parting(before, after, shorter, shorter if one.is_pair else None) != one.stage
    assert path in str(found)
    assert found.to_dict()["same"] is False
    json.dumps(found.to_dict())
    assert "<table>" in found.to_html()


def test_template_types_show_in_pairs():
    made = []
    for kind in (0, 1):
        tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
        tokenizer.post_processor = processors.TemplateProcessing("$A", f"$A $B:{kind}", [])
        made.append(tokenizer)
    found = prove.diff(*made)
    assert found.structure[0].part == "post_processor"
    assert (found.examples[0].stage, found.examples[0].is_pair) == ("post-processor", True)
    assert "as both texts of a pair" in str(found)


def test_nothing_differs(gpt2):
    one = Tokenizer.from_str(gpt2)
    found = prove.diff(one, Tokenizer.from_str(gpt2), TEXTS)
    assert not found
    assert str(found).startswith("no difference: same structure, same results for")
    assert found.to_dict()["same"] is True


def test_vocabulary_merges_and_templates():
    one = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "ba": 3}, [("a", "b"), ("b", "a")]))
    two = Tokenizer(models.BPE({"a": 0, "b": 1, "ba": 2, "bb": 3}, [("b", "a"), ("b", "b")]))
    two.chat_template, two.config = "{{ x }}", {"model_max_length": 9}
    paths = {change.path: change for change in prove.diff(one, two).structure}
    assert paths["vocabulary.removed"].before == {"number": 1, "such as": ["ab"]}
    assert paths["vocabulary.added"].after == {"number": 1, "such as": ["bb"]}
    assert paths["vocabulary.moved"].before == {"number": 1, "ba": 3}
    assert {"merges.removed", "merges.added", "chat_template", "config.model_max_length"} <= paths.keys()
    swapped = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "ba": 3}, [("b", "a"), ("a", "b")]))
    found = prove.diff(one, swapped)
    assert [change.path for change in found.structure] == ["merges.order"]
    assert found.examples[0].text in ("aba", "bab")
    scores = [Tokenizer(models.Unigram([("<unk>", 0), ("a", -1), ("aa", score)], 0)) for score in (-1.5, -3)]
    found = prove.diff(*scores)
    assert found.structure[0].path == "scores"
    assert found.examples[0].text == "aa"


def test_what_cannot_be_looked_into_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from tessella import edit
    from tessella.compat import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_prefix="m", vocab_size=40, hard_vocab_limit=False
    )
    one = tessella.load("m.model")
    other = edit.replace_special(one, {"<s>": "<b>"}).tokenizer
    other = edit.replace_special(other, {"<b>": "<s>"}).tokenizer
    assert not prove.diff(one, other).structure
    from tessella.edit.pipeline import Pipeline

    pipeline = Pipeline(one)
    from dataclasses import replace

    pipeline.vocabulary.entries[5] = replace(pipeline.vocabulary.entries[5], score=-1.0)
    assert [change.path for change in prove.diff(one, pipeline.build()).structure] == ["fingerprint"]


def test_languages_are_counted_apart(gpt2):
    before = Tokenizer.from_str(gpt2)
    after = changed(gpt2, "normalizer", {"type": "StripAccents"})
    after.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    found = prove.diff(before, after, {"en": ["low lower", "tiles"], "fr": ["café", "naïve", "bon"]})
    assert [(one.name, one.differing, one.texts) for one in found.corpora] == [("en", 0, 2), ("fr", 2, 3)]
    assert found.examples[0].source == "fr"
    assert len(found.examples[0].text) == 1


def test_decoding_alone_is_counted():
    one = Tokenizer(models.WordLevel({"a": 0, "b": 1, "<unk>": 2}, "<unk>"))
    one.pre_tokenizer = pre_tokenizers.Whitespace()
    two = Tokenizer.from_str(one.to_str())
    two.decoder = decoders.Fuse()
    found = prove.diff(one, two, ["a b", "a"])
    assert (found.corpora[0].ids, found.corpora[0].decoded) == (0, 1)
    assert (found.examples[0].stage, found.examples[0].text) == ("decoder", "a a")


def test_offsets_windows_and_errors_are_counted(gpt2):
    """A corpus of which nothing but the ids was compared would be told to be the same."""
    texts = ["low lower", "low", "wider tiles"]
    gpt2, other = Tokenizer.from_str(gpt2), Tokenizer.from_str(gpt2)
    gpt2.post_processor = processors.ByteLevel(trim_offsets=True)
    other.post_processor = processors.ByteLevel(trim_offsets=False)
    (found,) = prove.diff(gpt2, other, texts).corpora
    assert (found.texts, found.differing, found.others, found.ids) == (3, 2, 2, 0)
    other = Tokenizer.from_str(gpt2.to_str())
    other.enable_truncation(len(gpt2.encode("low").ids))
    told = prove.diff(gpt2, other, texts, examples=0)
    (found,) = told.corpora
    assert (found.differing, found.ids, found.tokens) == (2, 2, 2) and not told.is_same_behaviour
    assert "0 in offsets, words or types only" in str(told) and "otherwise" in told.to_html()
    words = [
        Tokenizer(models.WordLevel({"a": 0, "b": 1})),
        Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2})),
    ]
    (found,) = prove.diff(*words, ["a", "c", "zz", "b"]).corpora
    assert (found.texts, found.differing, found.ids, found.tokens) == (4, 1, 1, 1)


class Cut:
    def __init__(self, size):
        self.size = size

    def pre_tokenize(self, pretokenized):
        pretokenized.split(lambda _, text: [text[: self.size], text[self.size :]])


def test_words_of_custom_stages_are_counted():
    """Code of others has no fingerprint: what looks the same may do something else."""
    made = []
    for size in (1, 2):
        tokenizer = Tokenizer(models.BPE({"a": 0}, []))
        tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Cut(size))
        made.append(tokenizer)
    found = prove.diff(*made, ["aaa", "a"])
    assert not found.structure and (found.corpora[0].others, found.corpora[0].differing) == (1, 1)


def test_errors_are_outcomes():
    one = Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}, "<unk>"))
    two = Tokenizer(models.WordLevel({"a": 0}, "<unk>"))
    found = prove.diff(one, two, ["a"])
    assert any(example.after.error for example in found.examples)


def test_added_tokens_by_their_options():
    one, two = (Tokenizer(models.BPE({"a": 0, "b": 1}, [])) for _ in range(2))
    one.add_tokens([AddedToken("ab", normalized=False)])
    two.add_tokens([AddedToken("ab", normalized=False, single_word=True)])
    found = prove.diff(one, two)
    assert [change.path for change in found.structure] == ["added_tokens.ab.single_word"]
    assert found.examples[0].stage == "added tokens"
    assert len(found.examples[0].text) == 3


def test_patterns(gpt2):
    before = Tokenizer.from_str(gpt2)
    after = Tokenizer.from_str(gpt2)
    split = pre_tokenizers.Split(Regex(r"\p{N}"), "isolated")
    after.pre_tokenizer = pre_tokenizers.Sequence([split, before.pre_tokenizer])
    found = prove.diff(before, after)
    assert found.examples[0].stage == "pre-tokenizer"
    assert any(letter.isdigit() for letter in found.examples[0].text)


def test_reducing_stops_at_its_limit():
    tried = []

    def holds(text):
        tried.append(text)
        return "x" in text

    assert "x" in smallest("a" * 500 + "x" + "b" * 500, holds, 20)
    assert len(tried) <= 20


def test_command(gpt2, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Tokenizer.from_str(gpt2).save("a.json")
    changed(gpt2, "normalizer", {"type": "Lowercase"}).save("b.json")
    (tmp_path / "en.txt").write_text("Hello\nlow\n")
    assert main(["diff", "a.json", "a.json", "--corpus", "en.txt"]) == 0
    assert "no difference" in capsys.readouterr().out
    assert main(["diff", "a.json", "b.json", "--corpus", "en.txt"]) == 1
    out = capsys.readouterr().out
    assert 'normalizer: null -> "Lowercase"' in out
    assert "en.txt: 1 of 2 texts differ" in out
    assert main(["diff", "a.json", "b.json", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["structure"][0]["path"] == "normalizer"
    assert main(["diff", "a.json", "b.json", "--page", "page.html"]) == 1
    assert "<h1>" in (tmp_path / "page.html").read_text()
    assert main(["diff", "a.json", "b.json", "--exit-zero"]) == 0


def test_code_that_cannot_be_looked_into_is_not_called_the_same():
    """Rules that no text of the probes tells apart: nobody knows whether the structure is the same."""
    one, other = (Tokenizer(models.BPE({"a": 0, "b": 1}, [])) for _ in range(2))
    one.pre_tokenizer = Rules(r"\w+|qqq\d|\S").pre_tokenizer()
    other.pre_tokenizer = Rules(r"\w+|zzz\d{9}|\S").pre_tokenizer()
    found = prove.diff(one, other)
    assert not found and found.unseen == found.to_dict()["unseen"] == ["pre_tokenizer"]
    told = "same structure but for code in Python (pre_tokenizer), which cannot be compared, same results"
    assert told in str(found) and told in found.to_html()
    assert "but for code" in str(prove.diff(one, other, ["qqq1 zzz123456789"]))
    assert str(prove.diff(one, one)).startswith("no difference: same structure, same results")


@pytest.mark.parametrize("kind", ["dropout", "sampling"])
def test_what_is_drawn_by_chance_is_no_difference(kind):
    def made(chance):
        if kind == "dropout":
            vocabulary = {token: id for id, token in enumerate(["a", "b", "ab", "abab"])}
            return Tokenizer(models.BPE(vocabulary, [("a", "b"), ("ab", "ab")], dropout=chance))
        pieces = [("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)]
        return Tokenizer(models.Unigram(pieces, unk_id=0, alpha=chance))

    one, other = made(0.5), made(0.5)
    found = prove.diff(one, other, ["abab" * 9] * 20)
    assert not found and found.is_same_behaviour, str(found)
    drawn = {tuple(one.encode("abab" * 9).ids) for _ in range(20)}
    assert len(drawn) > 1
    with pytest.raises(ArgumentError, match=f"by chance .{kind}."):
        prove.record(one, ["ab"])
    # Against one that does not draw, it is one.
    (change,) = prove.diff(one, made(None)).structure
    assert change.path == ("model.dropout" if kind == "dropout" else "model.alpha")
