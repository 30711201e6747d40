"""The report of tokenizers over corpora: measured when it is asked for, drawn by the report's own code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..answers import Refused
from ..work import Deadline
from .session import Session

if TYPE_CHECKING:
    from ...evaluate import Report


#: Characters of a corpus that are read, and of the sample that is looked at closely.
READ, CLOSELY = 32 << 20, 1 << 18


class _Read:
    """The texts of a corpus up to a bound, while there is time."""

    def __init__(self, source: Any, deadline: Deadline) -> None:
        self._source, self._deadline = source, deadline
        self.is_part = False

    def __iter__(self) -> Iterator[str]:
        from ..._corpus import Texts
        from ..._texts import Reading

        left = READ
        is_list = isinstance(self._source, list)
        # As `evaluate` reads a file: lines without their ends, other texts as they are.
        texts = self._source if is_list else Texts(self._source, Reading(cut="bare lines")).each()
        for text in texts:
            if left < len(text):
                self.is_part = True
                return
            left -= len(text)
            self._deadline.check()
            yield text


def reported(session: Session, asked: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    """Measures, and gives the name of the page at which the report is."""
    names = list(dict.fromkeys(asked["tokenizers"]))
    tokenizers = {name: session.known(name).tokenizer for name in names}
    sources: dict[str, Any] = {name: session.corpus(name) for name in asked["corpora"]}
    if asked["text"].strip():
        name = "the text above"
        while name in sources:
            name += "'"
        sources[name] = [line for line in asked["text"].splitlines() if line]
    if not tokenizers or not sources:
        raise Refused(422, "choose a tokenizer, and a corpus or a text")
    prints = [tokenizers[name].fingerprint() for name in names]
    spelled = json.dumps([names, prints, asked["corpora"], asked["text"], asked["baseline"]])
    key = hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    if session.reports.get(key) is None:
        session.reports.put(key, _measured(tokenizers, sources, asked["baseline"], deadline).to_html())
    return {"report": key}


def _measured(tokenizers: Any, sources: dict[str, Any], baseline: str | None, deadline: Deadline) -> Report:
    from ...evaluate import Report, evaluate

    read = {name: _Read(source, deadline) for name, source in sources.items()}
    found = evaluate(tokenizers, read, baseline=baseline, detail=CLOSELY).to_dict()
    for name, one in read.items():
        if one.is_part:
            found["warnings"].append(f"Of {name} the first {READ >> 20} million characters were read.")
    return Report(found)
