"""What a report holds, as a JSON Schema: for those who read reports in other languages.

Example:
    >>> from tessella.evaluate import schema
    >>> schema("audit")["properties"]["kind"]
    {'const': 'audit'}
"""

from __future__ import annotations

from typing import Any, Literal

from ..errors import ArgumentError
from .record import SCHEMA

_TEXT: dict[str, Any] = {"type": "string"}
_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}
_NUMBER: dict[str, Any] = {"type": "number"}
_MAYBE: dict[str, Any] = {"type": ["number", "null"]}
_SCOPE: dict[str, Any] = {"enum": ["all", "corpus", "language"]}


def _object(described: str = "", /, **properties: Any) -> dict[str, Any]:
    """An object with exactly these properties."""
    told = {"description": described} if described else {}
    return {
        **told,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(of: dict[str, Any], described: str = "") -> dict[str, Any]:
    return {**({"description": described} if described else {}), "type": "array", "items": of}


def _by_name(of: dict[str, Any], described: str = "") -> dict[str, Any]:
    return {"description": described, "type": "object", "additionalProperties": of}


def _or_null(of: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [of, {"type": "null"}]}


#: A value, where it lies, and why that is not known. JSON has no number that is none, so that is null.
_VALUE: dict[str, Any] = {"value": _MAYBE, "low": _MAYBE, "high": _MAYBE, "note": _TEXT}
_TOKENIZER = _object(name=_TEXT, model=_TEXT, vocabulary=_WHOLE, fingerprint=_TEXT)
_REASON = _object(id=_WHOLE, token=_TEXT, cause=_TEXT, proof=_TEXT)
_ENTRY: dict[str, Any] = {"id": _WHOLE, "token": _TEXT, "bytes": _TEXT}
_COUNTS = _by_name(_WHOLE)


def _evaluation() -> dict[str, Any]:
    settings = _object(
        baseline=_TEXT,
        words=_TEXT,
        bootstrap=_WHOLE,
        seed=_WHOLE,
        confidence=_NUMBER,
        detail={"type": ["integer", "null"], "description": "characters of the sample, null for all"},
    )
    metric = _object(
        title=_TEXT,
        unit=_TEXT,
        better={"enum": ["more", "less", "neither"]},
        definition=_TEXT,
        fooled_by=_TEXT,
        range=_list(_MAYBE),
        on={"enum": ["all", "sample"], "description": "all text, or a sample of the documents"},
    )
    sample = _object(documents=_WHOLE, bytes=_WHOLE)
    corpus = _object(
        name=_TEXT, language=_TEXT, documents=_WHOLE, bytes=_WHOLE, characters=_WHOLE, sample=sample
    )
    row = _object("of a scope", scope=_SCOPE, name=_TEXT, tokenizer=_TEXT, metric=_TEXT, **_VALUE)
    pair = _object(
        "the first less the second",
        scope=_SCOPE,
        name=_TEXT,
        metric=_TEXT,
        first=_TEXT,
        second=_TEXT,
        **_VALUE,
        agreement={**_MAYBE, "description": "share of draws with the same sign"},
    )
    languages = _object(
        base=_TEXT,
        languages=_list(_TEXT),
        lines=_WHOLE,
        premiums=_list(_object(tokenizer=_TEXT, language=_TEXT, tokens=_WHOLE, **_VALUE)),
        summary=_list(_object(tokenizer=_TEXT, mean=_MAYBE, worst=_list(_TEXT), gini=_object(**_VALUE))),
    )
    gold = _object(
        words=_WHOLE,
        definitions=_by_name(_TEXT),
        values=_list(_object(tokenizer=_TEXT, metric=_TEXT, **_VALUE)),
    )
    counted: dict[str, Any] = {"characters": _WHOLE, "unknown": _WHOLE, "byte_fallback": _WHOLE}
    number: dict[str, Any] = {"digits": _WHOLE, "numbers": _WHOLE, "tokens": _NUMBER, "entropy": _NUMBER}
    word: dict[str, Any] = {
        "word": _TEXT,
        "count": _WHOLE,
        "tokens": _by_name(_WHOLE),
        "cuts": _by_name(_list(_TEXT)),
    }
    document: dict[str, Any] = {"tokens_per_byte": _NUMBER, "tokens": _WHOLE, "text": _TEXT}
    curve = _object(points=_list(_list(_NUMBER)), knee={"type": ["integer", "null"]})
    return {
        "settings": settings,
        "tokenizers": _list(_TOKENIZER),
        "corpora": _list(corpus),
        "metrics": _by_name(metric),
        "values": _list(row),
        "differences": _list(pair),
        "scripts": _list(
            _object(tokenizer=_TEXT, script=_TEXT, **counted),
            "characters of all text, as many as the samples let expect",
        ),
        "numbers": _list(
            _object(corpus=_TEXT, tokenizer=_TEXT, **number), "by their length, 12 for 12 and more"
        ),
        "costly_words": _list(_object(corpus=_TEXT, **word)),
        "costly_documents": _list(_object(corpus=_TEXT, tokenizer=_TEXT, **document)),
        "zipf": _by_name(_list(_list(_WHOLE)), "ranks and counts"),
        "growth": _by_name(_or_null(curve), "entries and bytes per token, had the vocabulary been smaller"),
        "warnings": _list(_TEXT),
        "parallel": _or_null(languages),
        "morphology": _or_null(gold),
    }


def _audit() -> dict[str, Any]:
    parts = _object(entries=_WHOLE, begin=_WHOLE, end=_WHOLE, crossing=_WHOLE, some=_list(_object(**_ENTRY)))
    reserved = _object(
        without_entry=_WHOLE,
        gaps=_list(_list(_WHOLE), "first and last id"),
        entries=_WHOLE,
        some=_list(_object(**_ENTRY, kind=_TEXT)),
    )
    step = _object(id=_WHOLE, token=_TEXT, emitted=_WHOLE, steps=_WHOLE, share=_NUMBER)
    residues = _object(
        bytes=_WHOLE, tokens=_WHOLE, judged=_WHOLE, entries=_WHOLE, never_emitted=_WHOLE, some=_list(step)
    )
    candidate = _object(id=_WHOLE, token=_TEXT, cosine=_NUMBER, norm=_NUMBER)
    undertrained = _object(
        rows=_WHOLE,
        columns=_WHOLE,
        references=_WHOLE,
        by={"enum": ["cosine", "norm"]},
        reference_cosine=_MAYBE,
        median_norm=_MAYBE,
        candidates=_list(candidate),
    )
    double = _object(bytes=_TEXT, ids=_list(_WHOLE), tokens=_list(_TEXT))
    special = _object(id=_WHOLE, token=_TEXT, kept_out_by_option={"type": "boolean"})
    return {
        "tokenizer": _TOKENIZER,
        "judged": _WHOLE,
        "reachable": _WHOLE,
        "witnesses": _list(_object(id=_WHOLE, token=_TEXT, text=_TEXT)),
        "unreachable": _list(_REASON, "proven never to come out"),
        "not_found": _list(_REASON, "neither a text nor a proof"),
        "doubles": _list(double),
        "parts_of_characters": parts,
        "reserved": reserved,
        "forgeable": _list(special),
        "composition": _object(
            kinds=_COUNTS, scripts=_COUNTS, characters=_COUNTS, bytes=_COUNTS, forms=_COUNTS
        ),
        "residues": _or_null(residues),
        "undertrained": _or_null(undertrained),
    }


def schema(kind: Literal["evaluation", "audit"] = "evaluation") -> dict[str, Any]:
    """The JSON Schema of a report."""
    kinds = {"evaluation": _evaluation, "audit": _audit}
    if kind not in kinds:
        raise ArgumentError(f"`kind` must be 'evaluation' or 'audit', found {kind!r}")
    own = _object(kind={"const": kind}, schema={"const": SCHEMA}, tessella=_TEXT, **kinds[kind]())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **own}
