"""What the studio's pages are told: the library's own tokens, steps and trainings."""

import json
import math

import pytest
import tessella
from tessella import Tokenizer, models
from tessella.web.studio.app import ASKED, application, static
from tessella.web.studio.session import TRAINED, Session
from tessella.web.studio.steps import shares

from .conftest import Running
from .test_serve import texts

TOKEN = "abc-token"


@pytest.fixture(scope="module")
def ask(tokenizers):
    with Running(application(Session(tokenizers), TOKEN, ["localhost", "127.0.0.1"])) as client:

        def asked(name, status=200, **given):
            reply = client.post(f"/{TOKEN}/ask/{name}", given)
            assert reply.status == status, reply.body
            return reply.json if status == 200 else reply.json["error"]["message"]

        asked.client = client
        yield asked


def test_tokens_are_those_of_encode(ask, tokenizers):
    for name, tokenizer in tokenizers.items():
        for text in texts()[:60]:
            told = ask("tokens", tokenizer=name, text=text)
            encoding = tokenizer.encode(text)
            assert told["ids"] == encoding.ids
            assert told["special"] == [n for n, one in enumerate(encoding.sequence_ids) if one is None]
            units = text.encode("utf-16-le")
            for start, end, (first, last) in zip(told["starts"], told["ends"], encoding.offsets, strict=True):
                assert units[2 * start : 2 * end].decode("utf-16-le") == text[first:last]


def test_a_token_has_its_family(ask, tokenizers):
    tokenizer = tokenizers["bpe"]
    id = tokenizer.encode(" lower").ids[0]
    told = ask("token", tokenizer="bpe", id=id)
    assert told["token"] == "Ġlower" and told["bytes"] == b" lower".hex(" ") and told["whole"]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    left, right = merges[told["rank"]]
    assert left + right == "Ġlower"
    assert [one for depth, one, _ in told["tree"] if depth == 1] == [left, right]
    parts = [row[1] for row in told["tree"] if row[2] is None]
    assert "".join(parts) == "Ġlower"
    assert all("Ġlower" in (left, right) for _, left, right, _ in told["children"])
    assert ask("id", tokenizer="bpe", token="Ġlower")["id"] == id
    scored = ask("token", tokenizer="unigram", id=tokenizers["unigram"].encode("low").ids[0])
    assert scored["score"] < 0 and "tree" not in scored
    assert "no id 99999" in ask("token", 404, tokenizer="bpe", id=99999)


def test_steps_are_the_explanation(ask, tokenizers):
    for name, tokenizer in tokenizers.items():
        told = ask("steps", tokenizer=name, text="lower tiles", n_best=4)
        expected = json.loads(json.dumps(tokenizer.explain("lower tiles", n_best=4).to_dict()))
        for sequence in told["sequences"]:
            for piece in sequence["pieces"]:
                for edge in (piece["derivation"] or {}).get("edges", ()):
                    assert 0 <= edge.pop("share") <= 1
        assert told == expected


def test_shares_are_those_of_all_ways():
    """The share of an edge is that of the ways through it, told one by one."""
    edges = [(0, 1, -1.0), (0, 2, -2.5), (1, 2, -0.5), (1, 3, -1.5), (2, 3, -0.7), (0, 3, -3.0), (1, 2, -2.0)]

    def ways(place, taken, score):
        if place == 3:
            yield taken, score
        for number, (start, end, own) in enumerate(edges):
            if start == place:
                yield from ways(end, [*taken, number], score + own)

    found = list(ways(0, [], 0.0))
    total = sum(math.exp(score) for _, score in found)
    expected = [
        sum(math.exp(score) for taken, score in found if number in taken) / total
        for number in range(len(edges))
    ]
    assert shares(edges) == pytest.approx(expected)
    assert shares([]) == [] and shares([(0, 1, 0.0), (2, 3, 0.0)]) == [0.0, 0.0]


CATS = "cat 5\ncats 2\neat 10\neating 3\nrunning 2\njumping 1\nfood 6"


def test_words_about_cats(ask):
    told = ask("train", text=CATS, counted=True, vocab_size=21, first_seen=True)
    pairs = [(one["left"], one["right"]) for one in told["steps"]]
    assert pairs == [("a", "t"), ("e", "at"), ("c", "at"), ("i", "n"), ("in", "g")]
    assert told["steps"][2]["corpus"][0] == [["cat"], 5]
    assert told["words_count"] == 7 and told["occurrences"] == 29 and "target size" in told["ended"]
    assert told["name"] in [one["name"] for one in ask("tokenizers")]
    assert ask("tokens", tokenizer=told["name"], text="eating")["ids"]
    saved = tessella.Tokenizer.from_str(ask("save", tokenizer=told["name"])["json"])
    assert saved.encode("eating").tokens == ["eat", "ing"]


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("cut", ["blanks", "words", "bytes"])
def test_every_training_ends_with_a_tokenizer(ask, algorithm, cut):
    text = "low lower lowest newer wider tiles. " * 20
    told = ask("train", text=text, algorithm=algorithm, cut=cut, vocab_size=40, likelihood=True)
    kinds = {one["step"] for one in told["steps"]}
    assert kinds <= ({"merge"} if algorithm != "unigram" else {"estimate", "prune"}) and kinds
    assert ask("tokens", tokenizer=told["name"], text="lower")["ids"]


def test_trainings_are_told_what_is_wrong_with_them(ask):
    assert "no pieces" in ask("train", 422, text="", algorithm="bpe")
    assert "$.vocab_size must be 5000 or less" in ask("train", 422, text="a", vocab_size=6000)
    assert "at most 200000 characters" in ask("train", 422, text="a" * 200_001)


def test_searches(ask, tokenizers):
    def found(**given):
        return {row["token"] for row in ask("vocabulary", tokenizer="bpe", count=500, **given)["rows"]}

    vocab = tokenizers["bpe"].get_vocab()
    assert found() == set(vocab)
    assert found(query="LOW") == {token for token in vocab if "low" in token.lower()}
    assert found(query="c3", by="bytes") >= {"Ã"}
    assert found(query="^ ?l.*r$", by="regex") == {
        token for token in vocab if token.removeprefix("Ġ").startswith("l") and token.endswith("r")
    }
    assert found(query="6c 6f", by="bytes") == {token for token in vocab if "lo" in token}
    assert found(only="added") == {"<|endoftext|>"}
    assert all(len(token) >= 4 for token in found(least=4))
    longest = ask("vocabulary", tokenizer="bpe", order="length", count=3)["rows"]
    lengths = [len(row["text"]) for row in longest]
    assert lengths == sorted(lengths, reverse=True) and longest[0]["text"] == "<|endoftext|>"
    assert ask("vocabulary", tokenizer="bpe", script="LATIN", query="low")["count"] > 0
    assert "two hexadecimal digits" in ask("vocabulary", 422, tokenizer="bpe", query="x", by="bytes")
    assert "(" in ask("vocabulary", 422, tokenizer="bpe", query="(", by="regex")
    pages = [ask("vocabulary", tokenizer="bpe", first=first, count=100)["rows"] for first in (0, 100, 200)]
    assert len({row["id"] for page in pages for row in page}) == 300


def test_the_token_of_the_address_is_needed(ask):
    client = ask.client
    assert client.get(f"/{TOKEN}/").status == 200
    for path in (
        "/",
        "/other-token/",
        "/other-token/static/main.js",
        f"/{TOKEN}/static/..%2f..%2fapp.py",
        f"/{TOKEN}/static/app.py",
    ):
        assert client.get(path).status == 404
    assert client.post("/other-token/ask/tokenizers", {}).status == 404
    assert client.post(f"/{TOKEN}/ask/nothing", {}).status == 404
    # Another site's form can send no JSON, and no name of its own for this machine.
    assert client.post(f"/{TOKEN}/ask/tokenizers", b"{}", Content_Type="text/plain").status == 415
    assert client.get(f"/{TOKEN}/", Host="evil.example").status == 421


def test_pages_ask_nobody_else(ask):
    reply = ask.client.get(f"/{TOKEN}/")
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert reply.headers["referrer-policy"] == "no-referrer"
    for name, body in static().items():
        text = body.decode()
        addresses = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in addresses and "https://" not in addresses, name
        # Text becomes elements nowhere.
        for way in (
            "innerHTML",
            "outerHTML =",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
        ):
            assert way not in text, (name, way)
        assert ask.client.get(f"/{TOKEN}/static/{name}").body == body


def test_every_request_is_refused_where_it_is_wrong(ask):
    for name in ASKED:
        required = {"tokenizer": "bpe", "text": "a", "id": 1, "token": "a"}
        schema = ASKED[name][0]
        given = {field: required[field] for field in schema["required"]}
        assert 'no field "x"' in ask(name, 422, **given, x=1)
        for field in given:
            assert f"needs `{field}`" in ask(name, 422, **{key: given[key] for key in given if key != field})
    assert "there is no tokenizer 'other'" in ask("tokens", 404, tokenizer="other", text="a")


def test_a_session_keeps_some_trained_ones():
    session = Session({"own": Tokenizer(models.BPE())})
    names = [session.add("made", Tokenizer(models.BPE())) for _ in range(TRAINED + 3)]
    left = [one["name"] for one in session.described()]
    assert left == ["own", *names[3:]]
