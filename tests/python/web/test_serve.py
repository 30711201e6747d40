"""The service: its answers are the library's, whatever is asked."""

import io
import itertools
import json
import random

import pytest
import tessella
from tessella import Tokenizer, models
from tessella.web.bounds import Bounds
from tessella.web.schema import check
from tessella.web.serve.app import OPERATIONS, application
from tessella.web.serve.chunking import chunks
from tessella.web.serve.rows import SLICE, Row, json_parts
from tessella.web.serve.service import Service

from .conftest import Running

HOSTILE = [
    "",
    " ",
    "\x00",
    "a\r\nb\u2028c",
    "e\u0301\u0301\u0301",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "\u202eabc\u202c مرحبا",
    "<|endoftext|> [CLS] [SEP] </s>",
    "<img src=x onerror=alert(1)>",
    "x" * 5000,
    "\ufffd\ufeff\U0010ffff",
]


def texts():
    """Hostile ones and random ones, of all planes."""
    draw = random.Random(7)
    alphabet = "ab \n\té東😀\u0301\u200d\U000e0041"
    return HOSTILE + ["".join(draw.choices(alphabet, k=draw.randrange(60))) for _ in range(150)]


@pytest.fixture(scope="module")
def client(tokenizers):
    with Running(application(Service(tokenizers))) as client:
        yield client


@pytest.mark.parametrize("name", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("special", [True, False])
def test_encode_count_and_decode_are_the_library(client, tokenizers, name, special):
    tokenizer, given = tokenizers[name], texts()
    asked = {"tokenizer": name, "text": given, "add_special_tokens": special}
    expected = [tokenizer.encode(text, add_special_tokens=special) for text in given]
    ids = client.post("/v1/encode", asked).json
    assert ids == {"tokenizer": name, "results": [{"ids": one.ids} for one in expected]}
    fields = ["ids", "tokens", "offsets", "type_ids", "word_ids", "sequence_ids", "special_tokens_mask"]
    told = client.post("/v1/encode", {**asked, "fields": fields}).json["results"]
    for one, row in zip(expected, told, strict=True):
        assert row == json.loads(json.dumps({field: getattr(one, field) for field in fields}))
    assert client.post("/v1/count", asked).json["results"] == [len(one) for one in expected]
    lists = [one.ids for one in expected]
    for skip in (True, False):
        back = client.post("/v1/decode", {"tokenizer": name, "ids": lists, "skip_special_tokens": skip}).json
        assert back["results"] == tokenizer.decode_batch(lists, skip)


def test_one_text_is_answered_as_a_list_of_one(client, tokenizers):
    assert client.post("/v1/encode", {"text": "low"}).json["results"] == [
        {"ids": tokenizers["bpe"].encode("low").ids}
    ]
    assert client.post("/v1/decode", {"ids": []}).json["results"] == [""]
    assert client.post("/v1/count", {"text": []}).json["results"] == []


def test_pairs_lengths_and_offset_units(client, tokenizers):
    tokenizer = tokenizers["wordpiece"]
    asked = {
        "tokenizer": "wordpiece",
        "text": [["naïve 😀 low", "😀 tiles"]],
        "fields": ["ids", "offsets"],
    }
    expected = tokenizer.encode("naïve 😀 low", "😀 tiles", truncation={"max_length": 8})
    for unit, size in (
        ("byte", lambda text: len(text.encode())),
        ("utf16", lambda text: len(text.encode("utf-16-le")) // 2),
    ):
        row = client.post("/v1/encode", {**asked, "max_length": 8, "offset_unit": unit}).json["results"][0]
        assert row["ids"] == expected.ids
        for (start, end), (a, b), sequence in zip(
            row["offsets"], expected.offsets, expected.sequence_ids, strict=True
        ):
            if sequence is not None:
                text = ("naïve 😀 low", "😀 tiles")[sequence]
                assert (start, end) == (size(text[:a]), size(text[:b]))


def test_settings_of_the_file_do_not_truncate(tokenizers):
    tokenizer = tessella.Tokenizer.from_str(tokenizers["bpe"].to_str())
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=50)
    with Running(application(Service({"one": tokenizer}))) as client:
        rows = client.post("/v1/encode", {"text": "low lower lowest", "fields": ["ids", "tokens"]}).json[
            "results"
        ]
        assert rows[0]["ids"] == tokenizers["bpe"].encode("low lower lowest").ids


def test_streams_of_lines(client, tokenizers):
    tokenizer, given = tokenizers["bpe"], [text for text in texts() if text]
    lines = client.post("/v1/encode", {"text": given, "stream": True})
    assert lines.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in lines.body.splitlines()]
    assert rows == [{"ids": tokenizer.encode(text).ids} for text in given]
    for text in given[:20]:
        ids = tokenizer.encode(text).ids
        parts = client.post("/v1/decode", {"ids": ids, "stream": True}).body.decode().split("\n")[:-1]
        assert "".join(map(json.loads, parts)) == tokenizer.decode(ids)


def test_arrow(client, tokenizers):
    arrow = pytest.importorskip("pyarrow")
    tokenizer, given = tokenizers["bpe"], texts()
    media = "application/vnd.apache.arrow.stream"

    def table(path, asked):
        reply = client.post(path, asked, Accept=media)
        assert reply.headers["content-type"] == media, reply.body
        return arrow.ipc.open_stream(io.BytesIO(reply.body)).read_all()

    encoded = table("/v1/encode", {"text": given})
    assert encoded.schema.metadata == {b"tokenizer": b"bpe"}
    lists = [tokenizer.encode(text).ids for text in given]
    assert encoded.column("ids").to_pylist() == lists
    more = table("/v1/encode", {"text": given, "fields": ["tokens", "offsets", "word_ids"]})
    assert more.column("tokens").to_pylist() == [tokenizer.encode(text).tokens for text in given]
    assert table("/v1/count", {"text": given}).column("count").to_pylist() == list(map(len, lists))
    assert table("/v1/decode", {"ids": lists}).column("text").to_pylist() == tokenizer.decode_batch(lists)
    assert table("/v1/count", {"text": []}).num_rows == 0
    parts = table("/v1/chunk", {"text": "low lower", "max_tokens": 3}).column("chunks").to_pylist()[0]
    assert "".join(part["text"] for part in parts) == "low lower"


@pytest.mark.parametrize("name", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("boundary", ["token", "word", "line"])
def test_chunks_fit_and_join(tokenizers, name, boundary):
    tokenizer = tokenizers[name]
    text = "\n".join(text for text in texts() if "x" not in text)
    for special in (False, True):
        parts = list(chunks(tokenizer, text, 50, 0, boundary, special))
        assert [start for start, _, _ in parts] == [0, *(end for _, end, _ in parts[:-1])]
        assert parts[-1][1] == len(text)
        for start, end, tokens in parts:
            assert tokens == tokenizer.count(text[start:end], special) <= 50
    overlapping = list(chunks(tokenizer, text, 50, 10, boundary))
    assert any(later[0] < earlier[1] for earlier, later in itertools.pairwise(overlapping))
    covered = set()
    for start, end, tokens in overlapping:
        covered |= set(range(start, end))
        assert tokens == tokenizer.count(text[start:end], False) <= 50
    assert len(covered) == len(text)


@pytest.mark.parametrize("most, overlap", [(3, 1), (3, 2), (10, 5), (50, 49)])
@pytest.mark.parametrize("boundary", ["token", "word", "line"])
def test_each_part_goes_on_behind_the_one_before(tokenizers, boundary, most, overlap):
    """Where the overlap left no room to come to a boundary, a part was the end of the one before and nothing else."""
    text = "low lower\nlowest newer wider tiles, tile by tile\n" * 5
    parts = list(chunks(tokenizers["bpe"], text, most, overlap, boundary))
    assert parts[0][0] == 0 and parts[-1][1] == len(text)
    for earlier, later in itertools.pairwise(parts):
        assert earlier[0] < later[0] <= earlier[1] < later[1]


def test_a_part_that_cannot_fit_is_told(client):
    reply = client.post("/v1/chunk", {"text": "a😀", "max_tokens": 1})
    assert reply.status == 409 and "cannot be cut into parts of 1" in reply.json["error"]["message"]
    assert client.post("/v1/chunk", {"text": "", "max_tokens": 1}).json["results"] == [[]]
    assert client.post("/v1/chunk", {"text": "a", "max_tokens": 3, "overlap": 3}).status == 409


TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
    "{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt and not quiet %}<assistant>{% endif %}"
)


def test_chat(tokenizers):
    pytest.importorskip("jinja2")
    talker = tessella.Tokenizer.from_str(tokenizers["bpe"].to_str())
    talker.chat_template = TEMPLATE
    talker._chat_templates = (("short", "{{ messages[0].content }}"),)
    messages = [{"role": "user", "content": "low"}, {"role": "assistant", "content": "tiles"}]
    with Running(application(Service({"talker": talker, "mute": tokenizers["bpe"]}))) as client:
        told = client.post("/v1/chat", {"messages": messages, "add_generation_prompt": True}).json
        assert told["text"] == "<user>low<assistant>tiles<assistant>"
        assert told["ids"] == talker.encode(told["text"], add_special_tokens=False).ids
        masked = client.post("/v1/chat", {"messages": messages, "assistant_mask": True}).json
        chosen = [id for id, mask in zip(masked["ids"], masked["assistant_mask"], strict=True) if mask]
        assert talker.decode(chosen) == "tiles"
        assert client.post("/v1/chat", {"messages": messages, "template": "short"}).json["text"] == "low"
        # A template of the sender's would run on the server.
        refused = client.post("/v1/chat", {"messages": messages, "template": "{{ messages }}"})
        assert refused.status == 404 and "no chat template" in refused.json["error"]["message"]
        assert client.post("/v1/chat", {"messages": messages, "tokenizer": "mute"}).status == 404
        like = client.post("/tokenize", {"messages": messages}).json
        assert like["tokens"] == talker.encode("<user>low<assistant>tiles<assistant>").ids
        for path, field in (("/tokenize", "chat_template_kwargs"), ("/v1/chat", "variables")):
            asked = {"messages": messages, "add_generation_prompt": True, field: {"quiet": True, "name": 1}}
            quiet = client.post(path, asked).json
            assert quiet.get("tokens", quiet.get("ids")) == talker.encode("<user>low<assistant>tiles").ids
            for taken in ("chat_template", "conversation", "tokenize"):
                refused = client.post(path, {**asked, field: {taken: "{{ 1 }}"}})
                assert refused.status == 409 and taken in refused.json["error"]["message"]


def test_shapes_of_other_servers(client, tokenizers):
    tokenizer = tokenizers["wordpiece"]
    with Running(application(Service({"wordpiece": tokenizer}))) as one:
        vllm = one.post(
            "/tokenize", {"model": "wordpiece", "prompt": "low tiles", "return_token_strs": True}
        ).json
        encoding = tokenizer.encode("low tiles")
        assert vllm == {
            "count": len(encoding),
            "max_model_len": None,
            "tokens": encoding.ids,
            "token_strs": encoding.tokens,
        }
        llama = one.post("/tokenize", {"content": "[CLS] low"}).json
        assert llama == {"tokens": tokenizer.encode("[CLS] low", add_special_tokens=False).ids}
        plain = one.post("/tokenize", {"content": "[CLS] low", "parse_special": False}).json
        assert (
            plain["tokens"]
            == tokenizer.encode("[CLS] low", add_special_tokens=False, encode_special_tokens=True).ids
        )
        assert plain != llama
        back = one.post("/detokenize", {"tokens": encoding.ids}).json
        text = tokenizer.decode(encoding.ids, skip_special_tokens=False)
        assert back == {"prompt": text, "content": text} and "[CLS]" in text
        assert one.post("/tokenize", {"model": "other", "prompt": "a"}).status == 404
    pieces = client.post("/tokenize", {"content": "a😀", "with_pieces": True}).json["tokens"]
    assert [one["id"] for one in pieces] == tokenizers["bpe"].encode("a😀").ids
    raw = b"".join(
        one["piece"].encode() if isinstance(one["piece"], str) else bytes(one["piece"]) for one in pieces
    )
    assert raw == "a😀".encode() and any(isinstance(one["piece"], list) for one in pieces[1:]) == (
        len(pieces) > 2
    )


def test_pieces_join_to_the_text(tokenizers):
    """Decoded by itself, a token may lack the blank in front of it."""
    text = " low lower  naïve\n"
    for name in ("bpe", "unigram"):
        with Running(application(Service({"other": tokenizers["wordpiece"], name: tokenizers[name]}))) as one:
            asked = {"content": text, "with_pieces": True, "model": name}
            pieces = one.post("/tokenize", asked).json["tokens"]
            assert [row["id"] for row in pieces] == tokenizers[name].encode(
                text, add_special_tokens=False
            ).ids
            joined = "".join(row["piece"] for row in pieces)
            tokens = tokenizers[name].encode(text, add_special_tokens=False).tokens
            wanted = "".join(tokens).replace("▁", " ") if name == "unigram" else text
            assert joined == wanted and " low" in joined
            [end] = one.post("/tokenize", {**asked, "content": "</s>"}).json["tokens"][-1:]
            assert name != "unigram" or end["piece"] == "</s>"


def test_the_shape_that_was_meant_is_told(client):
    for body, words in (
        ({"content": "a", "pieces": True}, 'no field "pieces": known are model, content'),
        (
            {"messages": [{"role": "user"}], "prompt_text": "a"},
            'no field "prompt_text": known are model, messages',
        ),
        ({"messages": []}, "$.messages must have 1 items"),
        ({"prompt": 3}, "$.prompt must be a string"),
    ):
        assert words in client.post("/tokenize", body).json["error"]["message"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "no JSON"),
        (b"{", 400, "no JSON"),
        (b"\xff", 400, "not UTF-8"),
        (b'{"text": NaN}', 400, "NaN is not JSON"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b'{"text": "a", "n": ' + b"9" * 5000 + b"}", 400, "no JSON"),
        (b"[]", 422, "$ must be an object, found []"),
        (b"{}", 422, "needs `text`"),
        (b'{"texts": ["a"]}', 422, 'needs `text`; "texts" is no field: is it meant?'),
        (b'{"text": 3}', 422, "$.text must be a string, found 3"),
        (b'{"text": ["a", null]}', 422, "$.text[1] must be a string, found null"),
        (b'{"text": "a", "texts": 1}', 422, 'no field "texts"'),
        (b'{"text": "a", "tokenizer": "nope"}', 422, "$.tokenizer must be one of"),
        (b'{"text": "a", "fields": ["logits"]}', 422, "$.fields[0] must be one of"),
        (b'{"text": "a", "max_length": 0}', 422, "$.max_length must be 1 or more, found 0"),
        (b'{"text": "a", "add_special_tokens": 1}', 422, "must be a boolean"),
        (b'{"text": ["a", "\\ud800"]}', 422, "lone surrogates"),
        (b'{"text": [["a", "b", "c"]]}', 422, "$.text[0] must have at most 2 items, found 3"),
    ],
)
def test_mistakes_are_told(client, body, status, words):
    reply = client.post("/v1/encode", body, Content_Type="application/json")
    assert reply.status == status
    assert words in reply.json["error"]["message"]


@pytest.mark.parametrize("path", [one.path for one in OPERATIONS])
def test_what_the_parser_just_reads_is_nested_too_deeply(client, path):
    for depth in range(600, 1001, 25):
        lists, objects = b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth
        variables = b'{"messages": [{"role": "user", "content": "a"}], "variables": %b}' % objects
        for body in (lists, objects, b'{"text": %b}' % lists, variables):
            reply = client.post(path, body, Content_Type="application/json")
            assert reply.status in (400, 404, 422), reply.json


def test_other_mistakes(client):
    assert client.post("/v1/decode", {"ids": [-1]}).status == 422
    assert client.post("/v1/decode", {"ids": [1, "a"]}).status == 422
    assert (
        client.post("/v1/encode", b"text=a", Content_Type="application/x-www-form-urlencoded").status == 415
    )
    assert client.post("/v1/encode", {"text": "a"}, Accept="image/png").status == 406
    wrong = client.get("/v1/encode")
    assert wrong.status == 405 and wrong.headers["allow"] == "POST"
    missing = client.get("/nowhere")
    assert missing.status == 404 and "see /docs" in missing.json["error"]["message"]


def test_pages(client):
    assert client.get("/health").json == {"status": "ok"}
    assert client.get("/ready").json == {"status": "ready"}
    known = client.get("/v1/tokenizers").json["tokenizers"]
    assert [(one["name"], one["model"]) for one in known] == [
        ("bpe", "BPE"),
        ("wordpiece", "WordPiece"),
        ("unigram", "Unigram"),
    ]
    client.post("/v1/count", {"text": ["a", "b"]})
    numbers = client.get("/metrics").body.decode()
    assert 'tessella_results_total{path="/v1/count",tokenizer="bpe"}' in numbers
    page = client.get("/docs")
    assert page.status == 200 and "default-src 'none'" in page.headers["content-security-policy"]
    for one in OPERATIONS:
        assert one.path.encode() in page.body
    for remote in (b"<script", b"https://", b"src=", b"@import"):
        assert remote not in page.body


def test_the_description_fits_what_is_answered(client, tokenizers):
    """Examples are accepted, and answers are what the description says."""
    described = client.get("/openapi.json").json
    for one in OPERATIONS:
        schema = described["paths"][one.path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        check(one.example, schema)
        reply = client.post(one.path, one.example)
        if one.name != "chat":
            assert reply.status == 200, reply.body
            check(reply.json, one.response)


def test_a_name_is_needed_once():
    with pytest.raises(tessella.errors.ArgumentError, match="no tokenizer to serve"):
        Service({})
    with pytest.raises(tessella.errors.OutOfRangeError, match="`batch` must be 1 or more"):
        Bounds(batch=0)
    assert Service({"a": Tokenizer(models.BPE())}).tokenizer(None)[0] == "a"


def test_long_answers_are_written_in_slices():
    many = list(range(3 * SLICE + 1))
    row = Row(["ids", "tokens"], {"ids": many, "tokens": ["é\ud800"] * (SLICE + 1)}.__getitem__)
    for value in (many, {"ids": many, "none": []}, many[:SLICE], many[: SLICE + 1], [], "é", None, row):
        parts = list(json_parts(value))
        whole = {name: value[name] for name in value.names} if isinstance(value, Row) else value
        assert json.loads(b"".join(parts).decode("utf-8", "surrogatepass")) == whole
        assert max(map(len, parts)) < 12 * SLICE
