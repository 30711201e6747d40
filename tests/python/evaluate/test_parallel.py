"""The same text in several languages, words cut by hand, names and indents, prices."""

import json
import math
import random
import re

import numpy as np
import pytest
from tessella import Tokenizer, models
from tessella.errors import ArgumentError, FormatError
from tessella.evaluate import evaluate, schema, syntax
from tessella.evaluate.metrics.code import identifiers, indents
from tessella.evaluate.morphology import read_gold
from tessella.evaluate.parallel import _jackknifed, gini
from tessella.evaluate.sample import Sample
from tessella.reference import cuts, metrics

from .conftest import TEXTS, standing, texts

WORDS = {
    "lower": ["low", "er"],
    "lowest": ["low", "est"],
    "newer": ["new", "er"],
    "tiles": ["tile", "s"],
    "low": ["low"],
    "unhappily": ["un", "happi", "ly"],
    "größer": ["größ", "er"],
}


@pytest.fixture(scope="module")
def lines():
    rng = random.Random(1)
    words = " ".join(TEXTS).split()
    english = [" ".join(rng.choices(words[:12], k=rng.randint(3, 12))) for _ in range(80)]
    return {
        "de": [f"{line} und {line[:9]}" for line in english],
        "en": english,
        "ru": [
            line.translate({ord(a): b for a, b in zip("aeowrl", "аеошрл", strict=True)}) for line in english
        ],
    }


def test_premiums_and_inequality(tokenizers, lines, tmp_path):
    for language, own in lines.items():
        (tmp_path / language).write_text("".join(f"{line}\n" for line in own))
    files = {language: tmp_path / language for language in lines}
    report = evaluate(tokenizers, TEXTS, parallel=files, bootstrap=200)
    found = report.to_dict()["parallel"]
    assert (found["base"], found["lines"]) == ("en", 80)
    for name, tokenizer in tokenizers.items():
        lengths = {language: [len(tokenizer.encode(line)) for line in own] for language, own in lines.items()}
        rows = {row["language"]: row for row in found["premiums"] if row["tokenizer"] == name}
        for language, own in lengths.items():
            assert rows[language]["value"] == pytest.approx(metrics.premium(own, lengths["en"]))
            assert rows[language]["tokens"] == sum(own)
        assert rows["en"]["low"] is None
        assert rows["ru"]["low"] < rows["ru"]["value"] < rows["ru"]["high"]
        (summary,) = [row for row in found["summary"] if row["tokenizer"] == name]
        unequal = metrics.gini([sum(own) for own in lengths.values()])
        assert summary["gini"]["value"] == pytest.approx(unequal)
        assert summary["gini"]["low"] < unequal < summary["gini"]["high"]
        assert summary["worst"][0] == max(("de", "ru"), key=lambda one: rows[one]["value"])
    text = report.to_markdown()
    assert "## The same 80 lines in 3 languages" in text and "| Gini |" in text
    assert "What each language pays" in report.to_html()
    assert evaluate(tokenizers, TEXTS, parallel=lines, bootstrap=200).to_dict()["parallel"] == found


def test_parallel_texts_that_are_not(tokenizers, lines):
    with pytest.raises(ArgumentError, match="`en` ends after 3, others go on"):
        evaluate(tokenizers, TEXTS, parallel={"de": lines["de"], "en": lines["en"][:3]})
    with pytest.raises(ArgumentError, match="two languages or more"):
        evaluate(tokenizers, TEXTS, parallel={"de": lines["de"]})
    with pytest.raises(TypeError, match="`parallel` must be a dict"):
        evaluate(tokenizers, TEXTS, parallel=lines["de"])


def test_inequality_is_that_of_the_reference():
    rng = np.random.default_rng(2)
    for _ in range(20):
        costs = rng.integers(1, 50, rng.integers(1, 9)).astype(float)
        assert gini(costs) == pytest.approx(metrics.gini(costs.tolist()))


def test_cuts_against_morphemes(tokenizers, tmp_path):
    (tmp_path / "gold.tsv").write_text(
        "".join(f"{word}\t{' '.join(parts)}\n" for word, parts in WORDS.items())
    )
    report = evaluate(tokenizers, TEXTS, gold=tmp_path / "gold.tsv", bootstrap=0)
    found = report.to_dict()["morphology"]
    assert found["words"] == len(WORDS)
    for name, tokenizer in tokenizers.items():
        own, gold = [], []
        for word, parts in WORDS.items():
            spans = tokenizer.encode(f" {word}").offsets
            own.append({place - 1 for a, b in spans if a < b for place in (a, b) if 1 < place <= len(word)})
            gold.append({sum(map(len, parts[:number])) for number in range(1, len(parts))})
        wanted = dict(
            zip(
                ("boundary_precision", "boundary_recall", "boundary_f1"),
                cuts.boundary_f1(own, gold),
                strict=True,
            )
        )
        wanted["morph_score"] = cuts.morph_score(own, gold)
        values = {row["metric"]: row["value"] for row in found["values"] if row["tokenizer"] == name}
        assert values == pytest.approx(wanted), name
    assert "## Cuts against morphemes, of 7 words" in report.to_markdown()
    assert "morph_score" in report.to_html()
    assert evaluate(tokenizers, TEXTS, gold=WORDS, bootstrap=0).to_dict()["morphology"] == found


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("lower low er\n", "line 1: expected a word, a tab, morphemes"),
        ("low\tlow\nlower\tlow err\n", r"line 2: the morphemes low \+ err are not 'lower'"),
        ("\n", r"gold\.tsv holds no words"),
    ],
)
def test_gold_that_cannot_be_read(tmp_path, content, match):
    (tmp_path / "gold.tsv").write_text(content)
    with pytest.raises((FormatError, ArgumentError), match=match):
        read_gold(tmp_path / "gold.tsv")


def test_names_and_indents(tokenizers):
    given = [
        "def readLine(some_text, x):", "    return some_text", "\tHTTPServer __init__ a_", "   ", " x", "  yy",
        "CamelCase plain _private snake_",
    ]  # fmt: skip
    sample = Sample(given)
    shown = [sample.joined[start:end] for start, end in identifiers(sample)]
    assert shown == ["readLine", "some_text", "some_text", "CamelCase"]
    assert [sample.joined[start:end] for start, end in indents(sample)] == ["    ", "\t", "  "]
    tokenizer = tokenizers["bytes"]
    report = evaluate(tokenizer, given, bootstrap=0)
    names = re.compile("readLine|some_text|CamelCase")
    touched = sum(
        len(metrics.touching(tokenizer.encode(text).offsets, *one.span()))
        for text in given
        for one in names.finditer(text)
    )
    assert report.value("tokenizer", "identifier_tokens").value == pytest.approx(touched / 4)
    blanks = [(text, len(text) - len(text.lstrip())) for text in (given[1], given[2], given[5])]
    touched = sum(len(metrics.touching(tokenizer.encode(text).offsets, 0, size)) for text, size in blanks)
    assert report.value("tokenizer", "indent_tokens").value == pytest.approx(touched / 3)


def test_prices_and_contexts(tokenizers):
    given = texts(9)
    report = evaluate(tokenizers["bytes"], given, bootstrap=100)
    tokens = sum(len(tokenizers["bytes"].encode(text)) for text in given)
    size = sum(len(text.encode()) for text in given)
    assert report.cost("tokenizer", 2.0).value == pytest.approx(tokens * 2e-6)
    more = report.cost("tokenizer", 2.0, bytes=10 * size)
    assert more.value == pytest.approx(tokens * 2e-5)
    assert more.low < more.value < more.high
    fits = report.fits("tokenizer", 4096)
    assert fits.value == pytest.approx(4096 * size / tokens)
    assert fits.low < fits.value < fits.high


def test_leaves_of_syntax_trees(tokenizers):
    """Against the definitions, on what stands in for a grammar: marks and names."""

    def leaves(text):
        return [one.span() for one in re.finditer(r"\w+|[^\w\s]", text)]

    given = [*texts(5), "f(x)(); -- é\u0301", "return (a[0])"]
    for tokenizer in tokenizers.values():
        report = evaluate(tokenizer, given, leaves=leaves, bootstrap=0)
        spans = [standing(text, tokenizer.encode(text, add_special_tokens=False)) for text in given]
        own = [leaves(text) for text in given]
        for name in ("leaf_tokens", "crossed_leaves"):
            expected = getattr(metrics, name)(own, spans)
            assert report.value("tokenizer", name).value == pytest.approx(expected), name
    # Where nobody says what leaves are, there is no number.
    assert math.isnan(evaluate(tokenizer, given, bootstrap=0).value("tokenizer", "leaf_tokens").value)
    with pytest.raises(TypeError, match="`leaves` must be a function"):
        evaluate(tokenizer, given, leaves="python")


def test_leaves_by_tree_sitter():
    pytest.importorskip("tree_sitter", reason="needs tree-sitter")
    pytest.importorskip("tree_sitter_python", reason="needs the grammar tree-sitter-python")
    leaves = syntax("python")

    def shown(text):
        return [text[start:end] for start, end in leaves(text)]

    assert shown("def naïve(東京):\n    return 東京 + 1  # é\n") == [
        "def", "naïve", "(", "東京", ")", ":", "return", "東京", "+", "1", "# é",
    ]  # fmt: skip
    assert shown("") == [] and "".join(shown("a b ( ] 😀")).replace(" ", "") == "ab(]😀"
    nested = "(" * 3000 + "x" + ")" * 3000
    assert len(shown(nested)) == 6001
    with pytest.raises(ArgumentError, match="pip install tree-sitter-no-such"):
        syntax("no_such")
    with pytest.raises(ArgumentError, match="the name of a grammar"):
        syntax("../x")


@pytest.mark.parametrize("bootstrap", [0, 100])
def test_parallel_lines_without_tokens(tokenizers, bootstrap):
    """JSON has no number that is none."""
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    for english, german in (([""] * 40, ["a b"] * 40), ([""] * 40, [""] * 40), (["a"] + [""] * 39,) * 2):
        report = evaluate(tokenizers, TEXTS, parallel={"en": english, "de": german}, bootstrap=bootstrap)
        validator(schema()).validate(json.loads(report.to_json()))
        assert report.to_html() and report.to_markdown()
    [row, *_] = report.to_dict()["parallel"]["summary"]
    assert row["mean"] == 1 and row["gini"]["value"] == 0
    with pytest.raises(ArgumentError, match="`parallel` must hold two languages or more, found 0"):
        evaluate(tokenizers, TEXTS, parallel={})


def test_gold_that_is_none(tmp_path):
    file = tmp_path / "gold.txt"
    file.write_bytes(b"\xef\xbb\xbflower\tlow er\r\nlowest\tlow est\n")
    assert read_gold(file) == [("lower", ("low", "er")), ("lowest", ("low", "est"))]
    file.write_bytes(b"lower\tlow er\nlow\xff\tlow\n")
    with pytest.raises(FormatError, match=r"line 2, byte 3: .*UTF-8"):
        read_gold(file)
    for wrong in ({"lower": "lower"}, {"lower": [1]}, {3: ["3"]}, 5):
        with pytest.raises(TypeError, match="gold"):
            read_gold(wrong)
    with pytest.raises(ArgumentError, match="`gold` has an empty morpheme in 'lower'"):
        read_gold({"lower": ["low", "", "er"]})


def test_a_price_whose_tokens_may_be_without_end_has_no_upper_bound():
    report = evaluate(Tokenizer(models.BPE({"a": 0, "b": 1}, [])), ["ab", "b", "aab"] * 20)
    data = report.to_dict()
    for row in data["values"]:
        if row["metric"] == "bytes_per_token":
            row.update(low=-0.5, high=2.5)
    cost = type(report)(data).cost("tokenizer", 2.0, bytes=1e6)
    assert cost.high is None
    assert 0 < cost.low <= cost.value


def test_inequality_has_an_interval_where_lines_have_tokens():
    assert _jackknifed(np.zeros((40, 2)), 0.95).note == "there are no tokens"
    alone = np.zeros((40, 2))
    alone[7] = 3, 1
    found = _jackknifed(alone, 0.95)
    assert (found.value, found.low, found.note) == (
        gini(np.array([3.0, 1.0])),
        None,
        "one line holds all tokens",
    )
