"""What the studio's pages are told: the library's own tokens, steps and trainings."""

import json
import math
import re
import shutil
import subprocess
from importlib.resources import files

import pytest
import tessella
from tessella import Tokenizer, decoders, models
from tessella.evaluate import evaluate
from tessella.web.studio.app import ASKED, application, static
from tessella.web.studio.links import state_of
from tessella.web.studio.report import CLOSELY
from tessella.web.studio.session import TRAINED, Session
from tessella.web.studio.steps import shares
from tessella.web.work import Deadline

from .conftest import TOUR, Running, tour_links
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


def test_unknown_texts_have_the_name_of_their_id():
    """An encoding calls each of them by its own text."""
    unigram = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), (" ", -1.0)], unk_id=0))
    assert unigram.encode("\u2603 a \u2604").tokens == ["\u2603", " ", "a", " ", "\u2604"]
    told = ASKED["tokens"][1](
        Session({"u": unigram}), {"tokenizer": "u", "text": "\u2603 a \u2604", "special": True}, None
    )
    assert told["names"] == {0: "<unk>", 1: "a", 2: " "}


def test_a_token_is_made_by_the_merge_that_has_its_turn():
    """Of two merges that make it the first is not the one: nothing is left for it to join."""
    vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
    merges = [("a", "b"), ("b", "c"), ("a", "bc"), ("ab", "c")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    (step,) = tokenizer.explain("abc").sequences[0].pieces
    assert [merge.chosen.result for merge in step.derivation.merges] == ["ab", "abc"]
    session = Session({"t": tokenizer})
    told = ASKED["token"][1](session, {"tokenizer": "t", "id": 5}, None)
    assert told["rank"] == 3
    assert told["tree"] == [[0, "abc", 3], [1, "ab", 0], [2, "a", None], [2, "b", None], [1, "c", None]]


def test_alike_texts_that_are_cut_otherwise_are_told_apart():
    """What the page of differences counts, by its own script: `ab` twice in two ways, and once again."""
    if (node := shutil.which("node")) is None:
        pytest.skip("no node to run the page's script with")
    script = """
    import { differences } from "%s";
    const columns = (spans) => ({ ids: spans.map(() => 0), starts: new Uint32Array(spans.map((one) => one[0])),
                                  ends: new Uint32Array(spans.map((one) => one[1])) });
    const one = columns([[0, 2], [2, 3], [3, 5], [5, 6], [6, 8]]);
    const other = columns([[0, 1], [1, 2], [2, 3], [3, 4], [3, 4], [4, 5], [5, 6], [6, 7], [7, 8]]);
    console.log(JSON.stringify(differences("ab ab ab", one, other)));
    """
    source = str(files("tessella.web.studio").joinpath("static", "cuts.js"))
    made = subprocess.run(
        [node, "--input-type=module", "--eval", script % source], capture_output=True, text=True, check=True
    )
    told = json.loads(made.stdout)
    assert (told["different"], told["kinds"]) == (3, 2)
    assert [(row["times"], row["cuts"]) for row in told["rows"]] == [
        (2, [[2], [1, 2]]),
        (1, [[2], [1, 1, 2]]),
    ]


def test_all_reserved_entries_are_flagged():
    """More than an audit names."""
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "?": 1}, "?"))
    tokenizer.add_special_tokens([f"<|reserved_{number}|>" for number in range(300)])
    told = ASKED["audit"][1](Session({"t": tokenizer}), {"tokenizer": "t"}, None)
    assert [row["count"] for row in told if row["flag"] == "reserved"] == [300]


def test_parts_of_characters_are_those_of_bytes():
    """An entry may be U+FFFD itself, which is no part of a character."""
    entries = {"\u00ef\u00bf\u00bd": 0, "\u00c3": 1, "a": 2}
    tokenizer = Tokenizer(models.BPE(entries, []))
    tokenizer.decoder = decoders.ByteLevel()
    defaults = {"query": "", "by": "text", "order": "id", "script": "", "least": 0, "most": 9, "first": 0}
    told = ASKED["vocabulary"][1](
        Session({"t": tokenizer}), {**defaults, "tokenizer": "t", "only": "partial", "count": 9}, Deadline(9)
    )
    assert [row["id"] for row in told["rows"]] == [1]


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


@pytest.mark.parametrize(
    ("algorithm", "cut", "size"),
    [("bpe", "blanks", 28), ("bpe", "bytes", 28), ("wordpiece", "blanks", 34), ("wordpiece", "bytes", 38)],
)
def test_marks_of_words_do_not_stay_in_decoded_text(ask, algorithm, cut, size):
    """The end of words of BPE stays in the page's state where another algorithm is chosen."""
    given = {"algorithm": algorithm, "cut": cut, "vocab_size": size, "end_of_word": "</w>"}
    told = ask("train", text="low lower lowest newer wider tiles " * 20, **given)
    trained = tessella.Tokenizer.from_str(ask("save", tokenizer=told["name"])["json"])
    encoding = trained.encode("lowest newer tiles")
    assert len(encoding.tokens) > 3
    assert trained.decode(encoding.ids) == "lowest newer tiles"


def test_trainings_are_told_what_is_wrong_with_them(ask):
    assert "no pieces" in ask("train", 422, text="", algorithm="bpe")
    assert "$.vocab_size must be 5000 or less" in ask("train", 422, text="a", vocab_size=6000)
    assert "at most 200000 characters" in ask("train", 422, text="a" * 200_001)
    # Only digits that are numbers, and no longer than a number is, are counts.
    given = ask("train", text=f"low²\nx ²\nlow ٣\ny {'9' * 5000}", counted=True, vocab_size=40)
    assert ["low", 3] in given["words"] and ["x ²", 1] in given["words"]


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
    # The door is open, and leads nowhere by itself.
    door = client.get("/")
    assert door.status == 200 and TOKEN.encode() not in door.body
    for path in ("/welcome/style.css", "/welcome/welcome.js"):
        assert TOKEN.encode() not in client.get(path).body
    for path in (
        "/welcome/main.js",
        "/welcome/..%2fmain.js",
        "/ask/tokenizers",
        "/report/x",
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
    for depth in range(600, 1001, 25):
        body = b"[" * depth + b"]" * depth
        reply = client.post(f"/{TOKEN}/ask/tokenizers", body, Content_Type="application/json")
        assert reply.status in (400, 422), reply.json
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
        required = {
            "tokenizer": "bpe", "text": "a", "id": 1, "token": "a", "json": "{}", "tokenizers": ["bpe"],
            "messages": [{"role": "user"}],
        }  # fmt: skip
        schema = ASKED[name][0]
        given = {field: required[field] for field in schema["required"]}
        assert 'no field "x"' in ask(name, 422, **given, x=1)
        for field in given:
            assert f"needs `{field}`" in ask(name, 422, **{key: given[key] for key in given if key != field})
    assert "there is no tokenizer 'other'" in ask("tokens", 404, tokenizer="other", text="a")


CHAT = (
    "{% for one in messages %}{{ one.role }}: "
    "{% if one.role == 'assistant' %}{% generation %}{{ one.content }}{% endgeneration %}"
    "{% else %}{{ one.content }}{% endif %} / {% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
)
SAID = [{"role": "user", "content": "lower?"}, {"role": "assistant", "content": "lowest tiles"}]


def test_conversations_have_their_loss(tokenizers):
    able = Tokenizer.from_str(tokenizers["bpe"].to_str())
    able.chat_template = CHAT
    plain = Tokenizer.from_str(tokenizers["bpe"].to_str())
    plain.chat_template = "{% for one in messages %}{{ one.content }}|{% endfor %}"
    session = Session({"able": able, "plain": plain, "none": tokenizers["bpe"]})
    with Running(application(session, TOKEN, ["127.0.0.1"])) as client:

        def chat(name, status=200, **given):
            reply = client.post(f"/{TOKEN}/ask/chat", {"tokenizer": name, "messages": SAID, **given})
            assert reply.status == status, reply.body
            return reply.json

        told = chat("able")
        assert told["text"] == "user: lower? / assistant: lowest tiles / "
        assert told["ids"] == able.encode(told["text"], add_special_tokens=False).ids
        counted = [place for place, one in enumerate(told["mask"]) if one]
        start, end = told["starts"][counted[0]], told["ends"][counted[-1]]
        assert told["text"][start:end].strip() == "lowest tiles"
        assert counted == list(range(counted[0], counted[-1] + 1))
        assert chat("able", add_generation_prompt=True)["text"].endswith("assistant: ")
        told = chat("plain")
        assert (
            told["mask"] is None and "generation" in told["note"] and told["text"] == "lower?|lowest tiles|"
        )
        assert "no chat template" in chat("none", 404)["error"]["message"]
        assert "has no chat template 'x'" in chat("able", 404, template="x")["error"]["message"]
        known = {one["name"]: one["chat"] for one in client.post(f"/{TOKEN}/ask/tokenizers", {}).json}
        assert known == {"able": ["default"], "plain": ["default"], "none": []}


def test_the_audit_flags_entries():
    vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "b"), ("b", "c")]))
    tokenizer.add_special_tokens(["<x>"])
    with Running(application(Session({"one": tokenizer}), TOKEN, ["127.0.0.1"])) as client:

        def told(name, **given):
            return client.post(f"/{TOKEN}/ask/{name}", {"tokenizer": "one", **given}).json

        # Before somebody asks for the audit, searches do not wait for it.
        assert all(row["flags"] == [] for row in told("vocabulary")["rows"])
        counts = {row["flag"]: row["count"] for row in told("audit")}
        assert counts == {"unreachable": 1, "open": 0, "forgeable": 1, "double": 0, "reserved": 0}
        flagged = {row["token"]: row["flags"] for row in told("vocabulary")["rows"] if row["flags"]}
        assert flagged == {"abc": ["unreachable"], "<x>": ["forgeable"]}
        assert [row["token"] for row in told("vocabulary", only="unreachable")["rows"]] == ["abc"]
        [[flag, words]] = told("token", id=5)["flags"]
        assert flag == "unreachable" and "'ab' + 'c'" in words


def test_reports_are_those_of_evaluate(tokenizers, tmp_path):
    corpus = tmp_path / "lines.txt"
    corpus.write_text("".join(f"low lower lowest {number}\n" for number in range(60)), encoding="utf-8")
    session = Session(tokenizers, {"lines.txt": corpus, "own": ["naïve café"] * 40})
    with Running(application(session, TOKEN, ["127.0.0.1"])) as client:

        def report(status=200, **given):
            reply = client.post(f"/{TOKEN}/ask/report", given)
            assert reply.status == status, reply.body
            return reply.json

        assert client.post(f"/{TOKEN}/ask/corpora", {}).json == ["lines.txt", "own"]
        asked = {"tokenizers": ["bpe", "unigram"], "corpora": ["lines.txt", "own"], "text": "a\n<b>\n"}
        key = report(**asked)["report"]
        assert report(**asked)["report"] == key
        page = client.get(f"/{TOKEN}/report/{key}")
        assert "default-src 'none'; style-src 'unsafe-inline'" in page.headers["content-security-policy"]
        given = {"lines.txt": corpus, "own": ["naïve café"] * 40, "the text above": ["a", "<b>"]}
        chosen = {name: tokenizers[name] for name in asked["tokenizers"]}
        assert page.body.decode() == evaluate(chosen, given, detail=CLOSELY).to_html()
        assert client.get(f"/{TOKEN}/report/other").status == 404
        assert "choose a tokenizer" in report(422, tokenizers=["bpe"])["error"]["message"]
        assert "no corpus 'x'" in report(404, tokenizers=["bpe"], corpora=["x"])["error"]["message"]
        assert "baseline" in report(422, tokenizers=["bpe"], text="a", baseline="x")["error"]["message"]


def test_a_report_over_what_is_gone_or_is_no_text(tokenizers, tmp_path):
    """A corpus is read when a report is asked for, and may have gone since the studio opened."""
    (tmp_path / "wrong.txt").write_bytes(b"a\xff\n")
    (tmp_path / "rows.jsonl").write_text('{"text": "low\\n"}\n' * 40)
    corpora = {name: tmp_path / name for name in ("gone.txt", "wrong.txt", "rows.jsonl")}
    with Running(application(Session(tokenizers, corpora), TOKEN, ["127.0.0.1"])) as client:
        for name, words in (("gone.txt", "No such file"), ("wrong.txt", "not UTF-8")):
            reply = client.post(f"/{TOKEN}/ask/report", {"tokenizers": ["bpe"], "corpora": [name]})
            assert reply.status == 422 and words in reply.json["error"]["message"]
        reply = client.post(f"/{TOKEN}/ask/report", {"tokenizers": ["bpe"], "corpora": ["rows.jsonl"]})
        page = client.get(f"/{TOKEN}/report/{reply.json['report']}").body.decode()
        measured = evaluate(tokenizers["bpe"], corpora["rows.jsonl"], bootstrap=0)
        # The line ends of the texts themselves are text.
        assert measured.to_dict()["corpora"][0]["bytes"] == 160
        assert "<td class=n>160</td>" in page


def test_a_tokenizer_of_a_link_is_taken_in_once(ask):
    json = Tokenizer(models.BPE({"a": 0}, [])).to_str()
    name = ask("load", json=json)["name"]
    assert ask("load", json=json)["name"] == name
    assert ask("tokens", tokenizer=name, text="aa")["ids"] == [0, 0]
    assert ask("load", 422, json='{"model": 1}')


def test_links_of_the_tour_open(ask):
    """What each page asks for when such a view opens is answered."""
    links = tour_links()
    assert len(links) >= 35
    pages = set()
    for address in links:
        page, state = state_of(address)
        pages.add(page)
        one = dict(state)
        own = [ask("load", json=json)["name"] for name, json in state if name == "own"]
        assert own or page == "train", address
        if page == "train":
            flags = {"counted": "counted", "first": "first_seen", "likelihood": "likelihood"}
            given = {flags[name]: value == "yes" for name, value in state if name in flags}
            names = {"text": "text", "algorithm": "algorithm", "cut": "cut", "end": "end_of_word"}
            given |= {names[name]: value for name, value in state if name in names}
            assert ask("train", vocab_size=int(one["size"]), **given)["steps"], address
            assert set(one) <= {*flags, *names, "size"}, address
        elif page == "vocabulary":
            assert ask("vocabulary", tokenizer=own[0], order=one["order"])["rows"]
        elif page == "steps":
            told = ask("steps", tokenizer=own[0], text=one["text"], n_best=int(one.get("best", 5)))
            assert told["sequences"][0]["pieces"], address
        else:
            for name in own:
                assert ask("tokens", tokenizer=name, text=one["text"])["ids"], address
    assert pages == {"train", "steps", "vocabulary", "playground", "diff"}


def test_a_session_keeps_some_trained_ones():
    session = Session({"own": Tokenizer(models.BPE())})
    names = [session.add("made", Tokenizer(models.BPE())) for _ in range(TRAINED + 3)]
    left = [one["name"] for one in session.described()]
    assert left == ["own", *names[3:]]


def test_each_section_of_the_tour_has_a_link_or_says_why_not():
    for path in sorted(TOUR.glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        for section in text.split("\n## ")[1:]:
            assert "[studio](../studio.md)" in section, f"{path.name}: {section.splitlines()[0]}"
        labels = set(re.findall(r"\[studio-\d+\](?!:)", text))
        assert labels == set(re.findall(r"^(\[studio-\d+\]):", text, re.MULTILINE)) and labels, path.name
