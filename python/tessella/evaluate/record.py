"""What is measured becomes plain data: values with intervals, differences, tables.

The result is the dict that a report is made of, and its JSON; ``schema`` describes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from .._chance import chance_of
from .growth import growth
from .intervals import FEWEST, Counted, Interval, Stratum, jackknife, of_difference, of_ratio, total_of
from .metric import Distribution, Metric, Ratio, Total
from .metrics import METRICS, stability

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import Tokenizer
    from .facts import Facts
    from .intervals import Group

    Whole = npt.NDArray[np.int64]


#: The number of the form of the data; it grows when readers must change.
SCHEMA = 1
#: Points of a curve.
POINTS = 60


@dataclass(frozen=True)
class Settings:
    """How it was measured."""

    baseline: str
    words: str
    bootstrap: int
    seed: int
    confidence: float
    #: Characters of the sample, ``None`` for all.
    detail: int | None


@dataclass
class Measured:
    """What was measured of a corpus."""

    name: str
    language: str
    documents: int
    #: Sums of blocks of all text, and of the sample, and where each column is: tokenizer (or none) and name.
    all: Whole
    all_columns: Mapping[tuple[str, str], int]
    sample: Whole
    sample_columns: Mapping[tuple[str, str], int]
    #: Documents of the sample, their bytes, and documents that it was drawn from.
    sampled: tuple[int, int, int]
    #: The share of the text that is in documents that were there before.
    repeated: float
    groups: Mapping[str, Sequence[Group]]
    scripts: Mapping[str, Mapping[str, tuple[int, int, int]]]
    digits: Mapping[str, list[dict[str, float | int]]]
    words: list[dict[str, Any]]
    costly: Mapping[str, list[tuple[float, int, str]]]


@dataclass(frozen=True)
class Scope:
    """What a value is about: all corpora, one of them, or those of a language."""

    kind: str
    name: str
    #: Numbers of the corpora.
    members: tuple[int, ...]


def _scopes(measured: Sequence[Measured]) -> list[Scope]:
    used = tuple(number for number, one in enumerate(measured) if one.documents)
    scopes = [Scope("all", "", used)]
    if len(used) > 1:
        scopes += [Scope("corpus", measured[number].name, (number,)) for number in used]
    for language in dict.fromkeys(measured[number].language for number in used):
        members = tuple(number for number in used if measured[number].language == language)
        # What a single corpus holds is told once.
        if language and len(members) > 1:
            scopes.append(Scope("language", language, members))
    return scopes


class _Measure:
    """Values and differences over scopes."""

    def __init__(
        self, tokenizers: Sequence[tuple[str, Facts]], measured: Sequence[Measured], settings: Settings
    ) -> None:
        self._facts = dict(tokenizers)
        self._measured, self._settings = measured, settings
        draws, seed = settings.bootstrap, settings.seed
        self._strata = {
            "all": [Stratum.of(one.all, draws, seed, 2 * number) for number, one in enumerate(measured)],
            "sample": [
                Stratum.of(one.sample * _weights(one), draws, seed, 2 * number + 1)
                for number, one in enumerate(measured)
            ],
        }
        self._found: dict[tuple[str, str, tuple[int, ...]], Counted] = {}
        self._totals: dict[tuple[str, tuple[int, ...]], npt.NDArray[np.int64]] = {}
        if draws:
            names = [name for name, _ in tokenizers]
            for on, strata in self._strata.items():
                ratios = [one for one in METRICS.values() if isinstance(one, Ratio) and one.on == on]
                wanted: list[Sequence[int]] = []
                wanted += [self._columns(metric, name) for metric in ratios for name in names]
                wanted += [
                    (*self._columns(metric, first), *self._columns(metric, second))
                    for metric in ratios
                    for number, first in enumerate(names)
                    for second in names[:number]
                ]
                for stratum in strata:
                    stratum.prepare(wanted)

    def _columns(self, metric: Ratio, tokenizer: str) -> tuple[int, int]:
        one = self._measured[0]
        columns = one.all_columns if metric.on == "all" else one.sample_columns
        bottom = self._settings.baseline if metric.by_baseline else tokenizer

        def find(name: str, owner: str) -> int:
            return columns[(owner, name)] if (owner, name) in columns else columns[("", name)]

        return find(metric.top, tokenizer), find(metric.bottom, bottom)

    def _counted(self, metric: Distribution, tokenizer: str, scope: Scope) -> Counted:
        key = metric.name, tokenizer, scope.members
        if key not in self._found:
            facts = self._facts[tokenizer]
            groups = [self._measured[number].groups[tokenizer] for number in scope.members]
            same = tokenizer, scope.members
            if same not in self._totals:
                self._totals[same] = total_of(groups, facts.size)
            total = self._totals[same]
            self._found[key] = Counted(
                groups, facts.size, lambda counts: metric.function(counts, facts), total
            )
        return self._found[key]

    def _sum(self, scope: Scope, on: str, column: int) -> float:
        return float(sum(self._strata[on][number].blocks[:, column].sum() for number in scope.members))

    def value(self, metric: Metric, tokenizer: str, scope: Scope) -> Interval:
        """A value, with an interval where one has a meaning."""
        if isinstance(metric, Total):
            column = self._measured[0].all_columns[(tokenizer, metric.column)]
            return Interval(self._sum(scope, "all", column))
        confidence = self._settings.confidence
        if isinstance(metric, Distribution):
            counted = self._counted(metric, tokenizer, scope)
            if metric.settles and self._settings.bootstrap:
                return _within(jackknife(counted, confidence=confidence), metric)
            return Interval(counted.value)
        assert isinstance(metric, Ratio)
        top, bottom = self._columns(metric, tokenizer)
        is_baseline = metric.by_baseline and tokenizer == self._settings.baseline
        if not self._settings.bootstrap or is_baseline:
            below = self._sum(scope, metric.on, bottom)
            return Interval(self._sum(scope, metric.on, top) / below if below else math.nan)
        strata = [self._strata[metric.on][number] for number in scope.members]
        return _within(of_ratio(strata, top, bottom, confidence), metric)

    def difference(self, metric: Metric, first: str, second: str, scope: Scope) -> Interval | None:
        """The first less the second, on the same documents."""
        confidence = self._settings.confidence
        if isinstance(metric, Distribution) and metric.settles:
            counted = [self._counted(metric, name, scope) for name in (first, second)]
            return jackknife(counted[0], counted[1], confidence)
        if not isinstance(metric, Ratio) or metric.by_baseline:
            return None
        strata = [self._strata[metric.on][number] for number in scope.members]
        columns = [self._columns(metric, name) for name in (first, second)]
        return of_difference(strata, columns[0], columns[1], confidence)


def _weight(one: Measured) -> float:
    """By what a corpus' sample is multiplied to stand for the whole corpus.

    Samples of a large and of a small corpus are of one size: added up as they are, they would be another mix
    than the text that all other numbers are of.
    """
    size = one.sampled[1]
    return int(one.all[:, one.all_columns[("", "bytes")]].sum()) / size if size else 1.0


def _weights(one: Measured) -> npt.NDArray[np.float64]:
    """The same for each column of the sample; of some there are more documents in it than were looked at."""
    documents = one.sampled[0]
    weights = np.full(len(one.sample_columns), _weight(one))
    changed = [place for (_, name), place in one.sample_columns.items() if name in stability.COLUMNS]
    weights[changed] *= documents / max(min(stability.TEXTS, documents), 1)
    return weights


def _within(found: Interval, metric: Metric) -> Interval:
    """The part of an interval that a metric can reach."""
    least, most = metric.range
    low, high = found.low, found.high
    if low is not None and least is not None:
        low = max(low, least)
    if high is not None and most is not None:
        high = min(high, most)
    return Interval(found.value, low, high, found.note, found.agreement)


def plain(found: Interval) -> dict[str, Any]:
    """An interval for JSON, which has no number that is none."""
    value = None if math.isnan(found.value) else found.value
    return {"value": value, "low": found.low, "high": found.high, "note": found.note}


def metric_facts(metric: Metric) -> dict[str, Any]:
    """What a report tells about a metric."""
    told = {key: getattr(metric, key) for key in ("title", "unit", "better", "definition", "fooled_by")}
    on = metric.on if isinstance(metric, Ratio) else "all"
    return {**told, "range": list(metric.range), "on": on}


def values_of(measure: _Measure, scopes: Sequence[Scope], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A row for each scope, tokenizer and metric."""
    for scope in scopes:
        for tokenizer in names:
            for metric in METRICS.values():
                found = measure.value(metric, tokenizer, scope)
                where = {
                    "scope": scope.kind,
                    "name": scope.name,
                    "tokenizer": tokenizer,
                    "metric": metric.name,
                }
                yield {**where, **plain(found)}


def _differences(
    measure: _Measure, scopes: Sequence[Scope], names: Sequence[str], baseline: str
) -> Iterator[dict[str, Any]]:
    """All pairs over all text, and pairs with the baseline elsewhere."""
    for scope in scopes:
        for second_number, second in enumerate(names):
            for first in names[second_number + 1 :]:
                pair = (second, first) if first == baseline else (first, second)
                if scope.kind != "all" and baseline not in pair:
                    continue
                for metric in METRICS.values():
                    found = measure.difference(metric, *pair, scope)
                    if found is not None:
                        where = {"scope": scope.kind, "name": scope.name, "metric": metric.name}
                        names_of = {"first": pair[0], "second": pair[1]}
                        yield {**where, **names_of, **plain(found), "agreement": found.agreement}


def record(
    tokenizers: Sequence[tuple[str, Tokenizer, Facts]], measured: Sequence[Measured], settings: Settings
) -> dict[str, Any]:
    """All that a report tells."""
    names = [name for name, _, _ in tokenizers]
    measure = _Measure([(name, facts) for name, _, facts in tokenizers], measured, settings)
    scopes = _scopes(measured)
    pairs = settings.bootstrap and len(names) > 1
    return {
        "kind": "evaluation",
        "schema": SCHEMA,
        "tessella": __version__,
        "settings": asdict(settings),
        "tokenizers": [
            {
                "name": name,
                "model": type(tokenizer.model).__name__,
                "vocabulary": facts.vocabulary,
                "fingerprint": tokenizer.fingerprint(),
            }
            for name, tokenizer, facts in tokenizers
        ],
        "corpora": [_corpus(one) for one in measured],
        "metrics": {name: metric_facts(metric) for name, metric in METRICS.items()},
        "values": list(values_of(measure, scopes, names)),
        "differences": list(_differences(measure, scopes, names, settings.baseline)) if pairs else [],
        "scripts": _scripts(measured, names),
        "numbers": [
            {"corpus": one.name, "tokenizer": name, **row}
            for one in measured
            for name in names
            for row in one.digits[name]
        ],
        "costly_words": [{"corpus": one.name, **word} for one in measured for word in one.words],
        "costly_documents": [
            {"corpus": one.name, "tokenizer": name, "tokens_per_byte": price, "tokens": tokens, "text": text}
            for one in measured
            for name in names
            for price, tokens, text in one.costly[name]
        ],
        "zipf": {name: _zipf(measured, name, facts.size) for name, _, facts in tokenizers},
        "growth": {name: _growth(tokenizer, measured, name, facts) for name, tokenizer, facts in tokenizers},
        "warnings": [*_chances(tokenizers), *_warnings(measured, settings)],
    }


def _corpus(one: Measured) -> dict[str, Any]:
    columns = one.all_columns
    return {
        "name": one.name,
        "language": one.language,
        "documents": one.documents,
        "bytes": int(one.all[:, columns[("", "bytes")]].sum()),
        "characters": int(one.all[:, columns[("", "characters")]].sum()),
        "sample": {"documents": one.sampled[0], "bytes": one.sampled[1]},
    }


def _scripts(measured: Sequence[Measured], names: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for name in names:
        found: dict[str, list[int]] = {}
        for one in measured:
            for script, numbers in one.scripts[name].items():
                before = found.setdefault(script, [0, 0, 0])
                for place, number in enumerate(numbers):
                    before[place] += round(number * _weight(one))
        for script, (characters, unknown, fallback) in sorted(
            found.items(), key=lambda one: (-one[1][0], one[0])
        ):
            counted = {"characters": characters, "unknown": unknown, "byte_fallback": fallback}
            rows.append({"tokenizer": name, "script": script, **counted})
    return rows


def _zipf(measured: Sequence[Measured], name: str, size: int) -> list[list[int]]:
    """Ranks and counts, spread evenly over the logarithm of the rank."""
    total = total_of([one.groups[name] for one in measured], size)
    ordered = np.sort(total[total > 0])[::-1]
    if not len(ordered):
        return []
    ranks = np.unique(np.geomspace(1, len(ordered), POINTS).round().astype(np.int64))
    return [[int(rank), int(ordered[rank - 1])] for rank in ranks]


def _growth(
    tokenizer: Tokenizer, measured: Sequence[Measured], name: str, facts: Facts
) -> dict[str, Any] | None:
    column = measured[0].all_columns[("", "bytes")]
    size = sum(int(one.all[:, column].sum()) for one in measured)
    return growth(tokenizer, total_of([one.groups[name] for one in measured], facts.size), size)


def _chances(tokenizers: Sequence[tuple[str, Tokenizer, Facts]]) -> Iterator[str]:
    """Tokenizers that do otherwise than they are measured."""
    for name, tokenizer, _ in tokenizers:
        if (chance := chance_of(tokenizer.model)) is not None:
            yield f"{name} draws its tokens by chance ({chance}): it is measured without"


def _warnings(measured: Sequence[Measured], settings: Settings) -> Iterator[str]:
    """What would make the numbers wrong without a word."""
    for one in measured:
        if not int(one.all[:, one.all_columns[("", "bytes")]].sum()):
            yield f"{one.name} holds no text"
        elif one.documents < FEWEST:
            documents = "1 document" if one.documents == 1 else f"{one.documents} documents"
            yield (
                f"{one.name} has {documents}, too few for intervals: give it as lines, JSON lines or with a "
                "separator"
            )
        if one.repeated > 0.1:
            share = f"{one.repeated:.0%} of the text of {one.name}"
            yield f"{share} is in repeated documents: intervals are too narrow"
    if settings.bootstrap and any(len(groups) < 2 for one in measured for groups in one.groups.values()):
        yield "entropies have no interval: few documents, or many corpora and large vocabularies"
