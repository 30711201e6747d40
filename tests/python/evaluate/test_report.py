"""Reports say the same in every form, whatever the texts and names hold."""

import json
import math
import random
import re

import pytest
from tessella import Tokenizer, models
from tessella.cli.main import main
from tessella.errors import ArgumentError, FormatError
from tessella.evaluate import METRICS, Audit, Report, audit, evaluate, schema

from .conftest import TEXTS

HOSTILE = [
    '<img src=x onerror="alert(1)"></script><script>alert(2)</script>',
    "a|b\n| c *d* _e_ `f` [g](javascript:h) &amp; \\",
    "\x00\x1b[2J\u202e\u0301مرحبا 👩‍👩‍👧",
]


@pytest.fixture(scope="module")
def report(tokenizers):
    both = {"bytes": tokenizers["bytes"], HOSTILE[0]: tokenizers["pieces"]}
    rng = random.Random(1)
    many = [" ".join([*rng.choices(HOSTILE, k=3), str(number)]) for number in range(40)]
    corpora = {"one": many, HOSTILE[1]: many[:20], "two": ["low lower"] * 30}
    return evaluate(both, corpora, languages={"one": "en", "two": "en"}, bootstrap=100)


def test_values(report):
    found = report.value("bytes", "bytes_per_token")
    assert found.low < found.value < found.high
    assert report.value("bytes", "bytes_per_token", corpus="two").note == "the same in every document"
    assert report.value("bytes", "tokens").low is None
    assert math.isnan(report.value("bytes", "digit_grouping", corpus="two").value)
    assert report.metrics == list(METRICS)
    with pytest.raises(ArgumentError, match="no tokenizer 'byte'; did you mean 'bytes'"):
        report.value("byte", "tokens")
    with pytest.raises(ArgumentError, match="no metric 'fertilty'; did you mean 'fertility'"):
        report.value("bytes", "fertilty")
    with pytest.raises(ArgumentError, match="a corpus or a language, not both"):
        report.value("bytes", "tokens", corpus="one", language="en")


def test_differences_go_both_ways(report):
    one = report.difference("bytes_per_token", "bytes", HOSTILE[0])
    other = report.difference("bytes_per_token", HOSTILE[0], "bytes")
    assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
    assert one.agreement == other.agreement == 1.0
    values = [report.value(name, "bytes_per_token").value for name in ("bytes", HOSTILE[0])]
    assert one.value == pytest.approx(values[0] - values[1])
    # Entropies too, by the jackknife.
    assert report.difference("shannon_efficiency", "bytes", HOSTILE[0], corpus="one").low is not None


def test_repeated_documents_are_told(report):
    assert any("two is in repeated documents" in warning for warning in report.warnings)
    assert not any("one is in repeated documents" in warning for warning in report.warnings)


def test_json_comes_back(report, tmp_path):
    report.save(tmp_path / "report.json")
    again = Report.load(tmp_path / "report.json")
    assert again.to_dict() == report.to_dict() == json.loads(report.to_json())
    assert again.to_markdown() == report.to_markdown()
    with pytest.raises(ArgumentError, match=r"saved as \.json"):
        report.save(tmp_path / "report.txt")
    for content, match in [
        ("{}", "no report"),
        ("[1]", "no report"),
        ('{"kind": "x", "schema": 1}', "of the kind 'x'"),
        ('{"kind": "evaluation", "schema": 99}', "has the form 99"),
    ]:
        (tmp_path / "bad.json").write_text(content)
        with pytest.raises(FormatError, match=match):
            Report.load(tmp_path / "bad.json")


def test_markdown_keeps_strangers_in_their_cells(report):
    text = report.to_markdown()
    # Nothing that is obeyed, no tag, and in every row of a table as many cells as in its head.
    assert not any(ord(one) < 32 and one != "\n" for one in text)
    for line in text.splitlines():
        unescaped = line.replace("\\\\", "").replace("\\<", "").replace("\\`", "")
        assert "<" not in unescaped.replace("> **Mind**", "")
    heads = 0
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("|---"):
            heads += 1
            columns, at = line.count("|"), number + 1
            while lines[at].startswith("|"):
                assert lines[at].replace("\\\\", "").replace("\\|", "").count("|") == columns, lines[at]
                at += 1
    assert heads >= 5


def test_tables_for_data_frames(report):
    pytest.importorskip("pyarrow")
    table = report.to_arrow()
    rows = report.to_dict()["values"]
    assert table.num_rows == len(rows)
    assert table.column("value").to_pylist() == [row["value"] for row in rows]
    pandas = pytest.importorskip("pandas")
    frame = report.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["metric"]) == [row["metric"] for row in rows]


def conforms(value, schema, place="report"):
    """Whether a value is as a schema says: the few words of JSON Schema that ours uses."""
    if "anyOf" in schema:
        options = [one for one in schema["anyOf"] if (one.get("type") == "null") == (value is None)]
        return conforms(value, options[0], place)
    if "const" in schema:
        assert value == schema["const"], place
    if "enum" in schema:
        assert value in schema["enum"], place
    kinds = {
        "string": str, "integer": int, "number": (int, float), "null": type(None), "boolean": bool,
        "array": list, "object": dict,
    }  # fmt: skip
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    assert not wanted or any(isinstance(value, kinds[one]) for one in wanted), (place, value)
    if "minimum" in schema:
        assert value >= schema["minimum"], place
    if isinstance(value, list) and "items" in schema:
        for number, one in enumerate(value):
            conforms(one, schema["items"], f"{place}[{number}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        assert set(schema.get("required", [])) <= set(value), place
        for key, one in value.items():
            if key in known:
                conforms(one, known[key], f"{place}.{key}")
            else:
                assert rest, f"{place} has {key}"
                conforms(one, rest, f"{place}.{key}")


def test_the_schema_describes_reports(tokenizers, report):
    both = {"en": ["a b"] * 40, "de": ["a  b c"] * 40}
    whole = evaluate(tokenizers, TEXTS * 5, parallel=both, gold={"lower": ["low", "er"]}, bootstrap=20)
    for one in (report, whole, evaluate(tokenizers["bytes"], ["a"], bootstrap=0)):
        conforms(one.to_dict(), schema())
    audits = [audit(one, TEXTS) for one in tokenizers.values()]
    for one in audits:
        conforms(one.to_dict(), schema("audit"))
    with pytest.raises(AssertionError):
        conforms({**audits[0].to_dict(), "x": 1}, schema("audit"))
    with pytest.raises(ArgumentError, match="`kind` must be"):
        schema("x")
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    for kind, one in (("evaluation", whole), ("audit", audits[0])):
        validator.check_schema(schema(kind))
        validator(schema(kind)).validate(one.to_dict())


def test_costly_words_and_documents(tokenizers):
    given = ["low lower 1234567"] * 5 + ["xyzzyplugh " * 4 + "low " * 30] * 3 + ["low " * 40] * 9
    data = evaluate(tokenizers, given, bootstrap=0).to_dict()
    words = data["costly_words"]
    assert {words[0]["word"], words[1]["word"]} == {"xyzzyplugh", "1234567"}
    worst = words[[word["word"] for word in words].index("xyzzyplugh")]
    assert worst["count"] == 12
    assert all("".join(cut) == "xyzzyplugh" for name, cut in worst["cuts"].items() if name != "pieces")
    documents = [one for one in data["costly_documents"] if one["tokenizer"] == "bytes"]
    assert [one["text"][:4] for one in documents] == ["xyzz", "low "]
    assert documents[0]["tokens_per_byte"] > documents[1]["tokens_per_byte"]


def test_what_costs_most_is_told_of_all_corpora(tokenizers):
    """The first corpus alone has more words and documents than there is room for."""
    given = {
        "first": [f"tiles{n} lower " * 4 for n in range(40)],
        "second": ["\u03a9\u2248\u00e7\u221a" * 9 + f"{n}" for n in range(40)],
    }
    report = evaluate(tokenizers["bytes"], given, bootstrap=0)
    for page in (report.to_html(), report.to_markdown()):
        assert "\u03a9\u2248" in page
    rows = re.findall("<tr>(.*?)</tr>", report.to_html())
    dearest = [row for row in rows if "\u03a9\u2248" in row]
    assert len(dearest) > 35 and all("second" in row and "first" not in row for row in dearest)
    one = evaluate(tokenizers["bytes"], given["second"], bootstrap=0)
    assert "<th>corpus</th><th" not in one.to_html().partition("What costs most")[2]


def test_rows_that_a_report_leaves_out_are_counted():
    """Of merge residues it has the first two hundred."""
    letters = [chr(0x3B1 + n) for n in range(25)]
    words = [one + other + third for one in letters for other in letters[:12] for third in "x"]
    vocabulary = {letter: id for id, letter in enumerate([*letters, "x"])}
    merges = []
    for word in words:
        for left, right in ((word[0], word[1]), (word[:2], word[2])):
            if left + right not in vocabulary:
                vocabulary[left + right] = len(vocabulary)
                merges.append((left, right))
    found = audit(Tokenizer(models.BPE(vocabulary, merges)), words * 30)
    residues = found.to_dict()["residues"]
    assert len(residues["some"]) == 200 < residues["entries"]
    assert f"and {residues['entries'] - 20} more" in found.to_markdown()


def test_copies_of_the_dearest_document_leave_room_for_others(tokenizers, monkeypatch):
    """Also where all come in one portion."""
    dear = ["\u03a9" * 30] * 50
    others = [f"the tiles {chr(0x3B1 + n)}" + "\u03a9" * 30 + " low lower" for n in range(24)]
    told = []
    for documents in (1 << 15, 7, 1):
        monkeypatch.setattr("tessella.evaluate.corpora.DOCUMENTS", documents)
        told.append(evaluate(tokenizers["bytes"], dear + others, bootstrap=0).to_dict()["costly_documents"])
    assert told[0] == told[1] == told[2]
    assert len({row["text"] for row in told[0]}) == len(told[0]) == 20


def test_what_a_report_does_not_have(tokenizers):
    given = {"one": TEXTS * 4, "two": TEXTS * 4}
    report = evaluate(tokenizers, given, languages={"one": "en", "two": "de"}, bootstrap=50)
    for ask, message in (
        (lambda: report.value("it", "tokens"), "no tokenizer 'it'.*it has bytes, pieces, unigram"),
        (lambda: report.value("bytes", "token"), "no metric 'token'; did you mean 'tokens'"),
        (lambda: report.value("bytes", "tokens", language="fr"), "no language 'fr'; it has en, de"),
        (lambda: report.value("bytes", "tokens", corpus="on"), "no corpus 'on'; did you mean 'one'"),
        (lambda: report.difference("fertility", "bytes", "bytes"), "a difference is of two"),
        (lambda: report.difference("tokens", "bytes", "pieces"), "no differences of 'tokens'"),
        (lambda: report.difference("fertility", "pieces", "unigram", corpus="one"), "baseline.*'bytes'"),
        (lambda: report.cost("bytes", -1), "`per_million`"),
        (lambda: report.cost("bytes", 1, float("nan")), "`bytes`"),
        (lambda: report.fits("bytes", -1), "`context`"),
    ):
        with pytest.raises(ArgumentError, match=message):
            ask()
    single = evaluate(tokenizers, TEXTS, bootstrap=0)
    with pytest.raises(ArgumentError, match="no language 'en'; it has none"):
        single.value("bytes", "tokens", language="en")
    with pytest.raises(ArgumentError, match="bootstrap"):
        single.difference("fertility", "bytes", "pieces")


def test_files_that_are_no_reports(report, tmp_path, tokenizers):
    path = tmp_path / "report.json"
    for kind, found in ((Report, report), (Audit, audit(tokenizers["bytes"]))):
        found.save(path)
        assert kind.load(path).to_dict() == found.to_dict()
    whole = report.to_dict()
    for text, message in (
        ("low", "no report that was saved as JSON"),
        ("[]", "no `kind`"),
        (json.dumps({"kind": "evaluation", "schema": 1}), r"\$ needs `tessella`"),
        (json.dumps({**whole, "values": 3}), r"\$.values must be an array, found 3"),
        (json.dumps({**whole, "zipf": {"bytes": ["x"]}}), r'\$.zipf\["bytes"\]\[0\] must be an array'),
        (json.dumps({**whole, "schema": 99}), "has the form 99"),
        (json.dumps({**whole, "kind": "audit"}), "the kind 'audit'"),
        (report.to_json().replace('"seed": 0', '"seed": NaN'), "NaN is not JSON"),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=message) as caught:
            Report.load(path)
        assert caught.value.filename == str(path)
        assert main(["report", str(path)]) == 1


def test_what_is_drawn_by_chance_is_measured_without():
    """The same arguments give the same report, and it says that the tokenizer does otherwise."""
    vocabulary = {token: id for id, token in enumerate(["a", "b", "ab"])}
    plain, drawn = (Tokenizer(models.BPE(vocabulary, [("a", "b")], dropout=rate)) for rate in (None, 0.5))
    texts = ["ab" * size for size in range(1, 60)]
    found, again = (evaluate({"drawn": drawn}, texts).to_dict() for _ in range(2))
    assert found == again
    assert found["values"] == evaluate({"drawn": plain}, texts).to_dict()["values"]
    assert found["tokenizers"][0]["fingerprint"] == drawn.fingerprint() and drawn.model.dropout == 0.5
    assert found["warnings"] == ["drawn draws its tokens by chance (dropout): it is measured without"]


def test_values_are_plain_numbers():
    """`yaml.safe_dump` takes no number of NumPy's, which JSON would hide."""
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    values = evaluate(tokenizer, ["ab a b"] * 40).to_dict()["values"]
    assert {type(row["value"]) for row in values} <= {float, type(None)}
