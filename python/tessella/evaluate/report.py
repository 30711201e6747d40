"""The report of an evaluation: numbers to ask for, and forms to keep.

A report is plain data. ``save`` writes it in the form that the name asks for: JSON, from which
``Report.load`` makes the report again, one HTML page, or Markdown.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from .._files import _read_file, _replacing
from .._near import meant
from .._optional import needed
from ..errors import ArgumentError, FormatError, OutOfRangeError
from ._schema import schema
from .intervals import Interval
from .markdown import markdown
from .record import SCHEMA

if TYPE_CHECKING:
    from .._types import Path


#: What a report can be saved as, by the end of the name.
FORMS = {".json": "json", ".html": "html", ".htm": "html", ".md": "md"}


def check_name(name: str) -> str:
    """The form that a name asks for.

    Example:
        >>> check_name("report.html")
        'html'
    """
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMS:
        raise ArgumentError(f"a report is saved as .json, .html or .md, found {name!r}")
    return FORMS[ending]


class Stored:
    """Plain data that is written in several forms."""

    kind: Literal["evaluation", "audit"]

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def to_dict(self) -> dict[str, Any]:
        """All of it, as plain data."""
        from copy import deepcopy

        return deepcopy(self._data)

    def to_json(self, indent: int | None = 1) -> str:
        """All of it as JSON; ``tessella.evaluate.schema()`` describes it."""
        return json.dumps(self._data, ensure_ascii=False, indent=indent, allow_nan=False)

    @classmethod
    def load(cls, path: Path) -> Any:
        """The report that was saved as JSON."""
        from ..web.schema import Invalid, check, parsed

        name = os.fspath(path)

        def refused(reason: str) -> FormatError:
            error = FormatError(f"{name} {reason}")
            error.filename = name
            return error

        try:
            data = parsed(_read_file(path))
            kind, form = data["kind"], data["schema"]
        except Invalid as error:
            raise refused(f"is no report that was saved as JSON: {error}") from error
        except (KeyError, TypeError) as error:
            raise refused("is no report that was saved as JSON: it has no `kind` and `schema`") from error
        if kind != cls.kind:
            raise refused(f"holds a report of the kind {kind!r}, expected {cls.kind!r}")
        if form != SCHEMA:
            raise refused(f"has the form {form!r}, this version reads form {SCHEMA}")
        described = schema(cls.kind)
        del described["$schema"]
        try:
            return cls(check(data, described))
        except Invalid as error:
            raise refused(f"is not what a report holds: {error}") from error

    def to_markdown(self) -> str:
        """Tables for a text or a comment."""
        return markdown(self._data)

    def to_html(self) -> str:
        """One page that needs nothing else: no script, no font, no address is asked for anything."""
        from .page import page

        return page(self._data)

    def save(self, path: Path) -> None:
        """Writes the report: ``.json``, ``.html`` or ``.md`` by the name. It appears when it is complete."""
        name = os.fsdecode(path)
        forms = {"json": self.to_json, "html": self.to_html, "md": self.to_markdown}
        with _replacing(name) as file:
            file.write((forms[check_name(name)]().rstrip("\n") + "\n").encode())

    def __str__(self) -> str:
        return self.to_markdown()


def _from_zero(name: str, given: float) -> None:
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise TypeError(f"`{name}` must be a number, not {type(given).__name__}")
    if not 0 <= given < math.inf:
        raise OutOfRangeError(f"`{name}` must be a number from 0 on, found {given}")


class Report(Stored):
    """What ``evaluate`` found.

    Example:
        >>> from tessella import Tokenizer, models
        >>> from tessella.evaluate import evaluate
        >>> report = evaluate(Tokenizer(models.BPE({"a": 0, "b": 1}, [])), ["ab", "b", "aab"] * 10)
        >>> report.value("tokenizer", "characters_per_token").value
        1.0
        >>> print(report.to_markdown().splitlines()[0])
        # Evaluation of 1 tokenizer
    """

    kind = "evaluation"

    @property
    def tokenizers(self) -> list[str]:
        """The names of the tokenizers."""
        return [one["name"] for one in self._data["tokenizers"]]

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(self._data["metrics"])

    @property
    def warnings(self) -> list[str]:
        """What makes the numbers less certain than they look."""
        return list(self._data["warnings"])

    def _find(self, table: str, **wanted: str) -> Interval:
        for row in self._data[table]:
            if all(row[key] == value for key, value in wanted.items()):
                value = float("nan") if row["value"] is None else row["value"]
                return Interval(value, row["low"], row["high"], row["note"], row.get("agreement"))
        raise ArgumentError(f"the report has no value for {wanted}")

    def _known(self, key: str, value: str, known: Iterable[str]) -> None:
        names = list(known)
        if value not in names:
            raise ArgumentError(
                f"the report has no {key} {value!r}{meant(value, names)}; it has {', '.join(names) or 'none'}"
            )

    def _scope(self, corpus: str | None, language: str | None) -> dict[str, str]:
        if corpus is not None and language is not None:
            raise ArgumentError("name a corpus or a language, not both")
        # One without text has no values of its own.
        found = [one for one in self._data["corpora"] if one["documents"]]
        for key, wanted, known in (("name", corpus, "corpus"), ("language", language, "language")):
            if wanted is not None:
                self._known(known, wanted, dict.fromkeys(one[key] for one in found if one[key]))
                # What a single corpus holds is told once.
                own = [one["name"] for one in found if one[key] == wanted]
                if len(found) == 1:
                    return {"scope": "all"}
                return (
                    {"scope": "corpus", "name": own[0]} if len(own) == 1 else {"scope": known, "name": wanted}
                )
        return {"scope": "all"}

    def value(
        self, tokenizer: str, metric: str, *, corpus: str | None = None, language: str | None = None
    ) -> Interval:
        """A value with its interval, over all text, a corpus, or a language."""
        self._known("tokenizer", tokenizer, self.tokenizers)
        self._known("metric", metric, self.metrics)
        return self._find("values", tokenizer=tokenizer, metric=metric, **self._scope(corpus, language))

    def difference(
        self, metric: str, first: str, second: str, *, corpus: str | None = None, language: str | None = None
    ) -> Interval:
        """The first tokenizer's value less the second's, with the share of draws that agree.

        Over all text there is one of every two; in a corpus or language, of the baseline and another.
        """
        scope = self._scope(corpus, language)
        self._known("metric", metric, self.metrics)
        for one in (first, second):
            self._known("tokenizer", one, self.tokenizers)
        if first == second:
            raise ArgumentError(f"`first` and `second` are both {first!r}: a difference is of two")
        rows = [row for row in self._data["differences"] if all(row[key] == scope[key] for key in scope)]
        if not self._data["differences"]:
            raise ArgumentError("the report was made without draws (`bootstrap`), so it has no differences")
        if metric not in {row["metric"] for row in self._data["differences"]}:
            raise ArgumentError(f"there are no differences of {metric!r}, which has no interval")
        pairs = {(row["first"], row["second"]) for row in rows}
        if (first, second) in pairs:
            return self._find("differences", metric=metric, first=first, second=second, **scope)
        if (second, first) not in pairs:
            raise ArgumentError(
                f"within a corpus or language there are differences with the baseline only, which is "
                f"{self._data['settings']['baseline']!r}"
            )
        found = self._find("differences", metric=metric, first=second, second=first, **scope)
        low = None if found.high is None else 0.0 - found.high
        high = None if found.low is None else 0.0 - found.low
        return Interval(0.0 - found.value, low, high, found.note, found.agreement)

    def cost(self, tokenizer: str, per_million: float, bytes: float | None = None) -> Interval:
        """What text costs at a price for a million tokens, if it is like the corpora.

        Args:
            tokenizer: the name of a tokenizer.
            per_million: the price.
            bytes: how much text; by default all of the corpora, whose cost is known.
        """
        _from_zero("per_million", per_million)
        if bytes is not None:
            _from_zero("bytes", bytes)
        size = float(sum(one["bytes"] for one in self._data["corpora"]))
        tokens = self.value(tokenizer, "tokens").value
        if bytes is None:
            return Interval(tokens * per_million / 1e6)
        found, scale = self.value(tokenizer, "bytes_per_token"), bytes * per_million / 1e6
        low = None if found.high is None else scale / found.high
        # Where few documents vary much, an interval may reach below 0: then no price is too high.
        high = None if found.low is None or found.low <= 0 else scale / found.low
        return Interval(scale * tokens / size, low, high, found.note)

    def fits(self, tokenizer: str, context: int) -> Interval:
        """Bytes of text that fit in a context of so many tokens on average, if it is like the corpora."""
        _from_zero("context", context)
        found = self.value(tokenizer, "bytes_per_token")
        low = None if found.low is None else found.low * context
        high = None if found.high is None else found.high * context
        return Interval(found.value * context, low, high, found.note)

    # `Any`: pyarrow's and pandas' types are not known where these are not installed.
    def to_arrow(self) -> Any:
        """The values as a ``pyarrow.Table``. Needs ``pyarrow``."""
        return needed("pyarrow", "arrow", "Report.to_arrow").Table.from_pylist(self._data["values"])

    def to_pandas(self) -> Any:
        """The values as a ``pandas.DataFrame``. Needs ``pandas``."""
        return needed("pandas", "evaluate", "Report.to_pandas").DataFrame(self._data["values"])

    def __repr__(self) -> str:
        documents = sum(one["documents"] for one in self._data["corpora"])
        return f"Report({', '.join(self.tokenizers)}; {documents:,} documents)"
