"""Two tokenizers as data, compared: every option, token, merge and setting that is not the same.

Each change has a path of names, such as ``normalizer.lowercase`` or ``vocabulary``, and says what was there
before and after. Vocabularies and merges are told in numbers, with examples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._fingerprint import fingerprint_of
from ..errors import UnsupportedError

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


#: Examples of tokens and merges that are told.
SHOWN = 5
_MISSING = "(nothing)"
_STAGES = ("normalizer", "pre_tokenizer", "decoder")


@dataclass(frozen=True)
class Change:
    """Something that is not the same."""

    #: Names from the outside in, with dots.
    path: str
    before: object
    after: object

    @property
    def part(self) -> str:
        """The stage, or other part of the pipeline."""
        return self.path.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.path}: {_short(self.before)} -> {_short(self.after)}"


def _short(value: Any) -> str:
    text = (
        value if isinstance(value, str) and value.startswith("(") else json.dumps(value, ensure_ascii=False)
    )
    return text if len(text) <= 120 else f"{text[:119]}…"


def changes(before: Tokenizer, after: Tokenizer) -> list[Change]:
    """All structural differences, in the order of the pipeline."""
    found: list[Change] = []
    found += _added(before, after)
    for stage in ("normalizer", "pre_tokenizer"):
        found += _walk(stage, _state(getattr(before, stage)), _state(getattr(after, stage)))
    found += _model(before, after)
    for stage in ("post_processor", "decoder"):
        found += _walk(stage, _state(getattr(before, stage)), _state(getattr(after, stage)))
    for name in ("truncation", "padding", "encode_special_tokens"):
        found += _walk(name, getattr(before, name), getattr(after, name))
    found += _walk("chat_template", before.chat_template, after.chat_template)
    templates = (dict(one._chat_templates) for one in (before, after))
    found += _walk("chat_templates", *templates)
    found += _walk("config", before.config or {}, after.config or {})
    return found or _fingerprints(before, after)


def _fingerprints(before: Tokenizer, after: Tokenizer) -> list[Change]:
    """What cannot be looked into (scores of a SentencePiece model, a pattern's dialect) is still told."""
    try:
        one, other = before.fingerprint(), after.fingerprint()
    except UnsupportedError:
        return []
    return [Change("fingerprint", one, other)] if one != other else []


def unseen(before: Tokenizer, after: Tokenizer) -> list[str]:
    """Stages with code in Python that cannot be written down: whether it is the same, nobody can tell."""
    if before is after or None not in map(fingerprint_of, (before, after)):
        return []
    return [
        stage
        for stage in _STAGES
        if any(_is_unseen(getattr(tokenizer, stage)) for tokenizer in (before, after))
    ]


def _is_unseen(part: Any) -> bool:
    return part is not None and "shown as" in _state(part)


def _state(part: Any) -> Any:
    """A component as data; where it cannot be written down, what it shows of itself."""
    if part is None:
        return None
    try:
        return json.loads(part.__getstate__())
    except UnsupportedError:
        return {"shown as": repr(part)}


def _walk(path: str, before: Any, after: Any) -> list[Change]:
    """Differences of two trees, at the deepest place that tells them."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        if before.get("type") != after.get("type"):
            return [Change(path, before.get("type", before), after.get("type", after))]
        found = []
        for key in (*before, *(key for key in after if key not in before)):
            found += _walk(f"{path}.{key}", before.get(key, _MISSING), after.get(key, _MISSING))
        return found
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            change
            for place, (one, other) in enumerate(zip(before, after, strict=True))
            for change in _walk(f"{path}[{place}]", one, other)
        ]
    if before == after and type(before) is type(after):
        return []
    return [Change(path, _named(before), _named(after))]


def _named(value: Any) -> Any:
    return value.get("type", value) if isinstance(value, Mapping) else value


def _added(before: Tokenizer, after: Tokenizer) -> list[Change]:
    """Added tokens, told by their texts."""
    one, other = (
        {
            token.content: {
                "id": id,
                **{
                    name: getattr(token, name)
                    for name in ("special", "normalized", "single_word", "lstrip", "rstrip")
                },
            }
            for id, token in tokenizer.get_added_tokens_decoder().items()
        }
        for tokenizer in (before, after)
    )
    found = []
    for content in (*one, *(content for content in other if content not in one)):
        found += _walk(f"added_tokens.{content}", one.get(content, _MISSING), other.get(content, _MISSING))
    return found


def _model(before: Tokenizer, after: Tokenizer) -> list[Change]:
    one, other = (_state(tokenizer.model) for tokenizer in (before, after))
    if one.get("type") != other.get("type"):
        return [Change("model", one.get("type"), other.get("type"))]
    found = _walk("model", {**_options(one), **_sampling(before)}, {**_options(other), **_sampling(after)})
    found += _vocabulary(_ids(before, one), _ids(after, other))
    found += _merges(one.get("merges"), other.get("merges"))
    return found + _scores(one.get("vocab"), other.get("vocab"))


def _options(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in ("vocab", "merges")}


def _sampling(tokenizer: Tokenizer) -> dict[str, Any]:
    """Options of Unigram that no file has."""
    found = {name: getattr(tokenizer.model, name, None) for name in ("alpha", "nbest_size")}
    return {name: value for name, value in found.items() if value is not None}


def _ids(tokenizer: Tokenizer, state: Mapping[str, Any]) -> dict[str, int]:
    vocab = state.get("vocab")
    if isinstance(vocab, Mapping):
        return dict(vocab)
    if isinstance(vocab, list):
        return {piece: id for id, (piece, _) in enumerate(vocab)}
    return tokenizer.get_vocab(with_added_tokens=False)


def _vocabulary(one: Mapping[str, int], other: Mapping[str, int]) -> list[Change]:
    found = []
    if gone := [token for token in one if token not in other]:
        found.append(Change("vocabulary.removed", _counted(gone), _MISSING))
    if new := [token for token in other if token not in one]:
        found.append(Change("vocabulary.added", _MISSING, _counted(new)))
    if moved := [token for token in one if token in other and one[token] != other[token]]:
        some = moved[:SHOWN]
        found.append(
            Change(
                "vocabulary.moved",
                {"number": len(moved), **{token: one[token] for token in some}},
                {"number": len(moved), **{token: other[token] for token in some}},
            )
        )
    return found


def _counted(tokens: list[Any]) -> dict[str, Any]:
    return {"number": len(tokens), "such as": tokens[:SHOWN]}


def _merges(one: list[Any] | None, other: list[Any] | None) -> list[Change]:
    if one is None or other is None:
        return []
    before, after = (
        [merge if isinstance(merge, str) else " ".join(merge) for merge in merges] for merges in (one, other)
    )
    if before == after:
        return []
    known, new = set(before), set(after)
    found = []
    if gone := [merge for merge in before if merge not in new]:
        found.append(Change("merges.removed", _counted(gone), _MISSING))
    if added := [merge for merge in after if merge not in known]:
        found.append(Change("merges.added", _MISSING, _counted(added)))
    left, right = (
        [merge for merge in merges if merge in known and merge in new] for merges in (before, after)
    )
    places = [place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b]
    if places:
        first, last = places[0], places[min(len(places), SHOWN) - 1] + 1
        found.append(Change("merges.order", left[first:last][:SHOWN], right[first:last][:SHOWN]))
    return found


def _scores(one: Any, other: Any) -> list[Change]:
    if not (isinstance(one, list) and isinstance(other, list)):
        return []
    before, after = dict(one), dict(other)
    changed = [piece for piece in before if piece in after and before[piece] != after[piece]]
    if not changed:
        return []
    some = changed[:SHOWN]
    return [
        Change(
            "scores",
            {"number": len(changed), **{piece: before[piece] for piece in some}},
            {"number": len(changed), **{piece: after[piece] for piece in some}},
        )
    ]
