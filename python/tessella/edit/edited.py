"""What an edit gives: the new tokenizer, the map of ids, and what can be told about both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._chance import chance_of, settled
from .._corpus import in_lists
from .._fingerprint import fingerprint_of
from ..counting import read_texts
from ..errors import ArgumentError, UnsupportedError
from .id_map import IdMap
from .piece_file import PieceFile
from .pipeline import Pipeline

if TYPE_CHECKING:
    from .._types import Source
    from ..ragged import RaggedIds
    from ..tokenizer import Tokenizer


#: Tokens that are named in a note.
SHOWN = 5


@dataclass(frozen=True)
class Change:
    """A text whose tokens differ after an edit."""

    text: str
    before: list[str]
    after: list[str]


@dataclass
class Effect:
    """What an edit does to a corpus: ``print`` shows it."""

    texts: int = 0
    bytes: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    #: Texts whose tokens are others now, renumbering aside.
    changed: int = 0
    #: Of these, texts that decode to something else than before.
    altered: int = 0
    #: The first of them; those that decode to something else come before others.
    examples: list[Change] = field(default_factory=list)

    @property
    def tokens_per_byte_before(self) -> float:
        """Less is better."""
        return self.tokens_before / max(self.bytes, 1)

    @property
    def tokens_per_byte_after(self) -> float:
        """Less is better."""
        return self.tokens_after / max(self.bytes, 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        named = {name: value for name, value in vars(self).items() if name != "examples"}
        rates = {name: getattr(self, name) for name in ("tokens_per_byte_before", "tokens_per_byte_after")}
        return {**named, **rates, "examples": [dict(vars(one)) for one in self.examples]}

    def __str__(self) -> str:
        from .._shown import quoted, visible

        ratio = self.tokens_after / max(self.tokens_before, 1) - 1
        lines = [
            f"{self.texts:,} texts, {self.bytes:,} bytes",
            f"tokens           {self.tokens_before:,} -> {self.tokens_after:,} ({ratio:+.1%})",
            f"tokens per byte  {self.tokens_per_byte_before:.4f} -> {self.tokens_per_byte_after:.4f}",
            f"texts changed    {self.changed:,}",
            f"decoded changed  {self.altered:,}",
        ]
        for one in self.examples:
            shown = one.text if len(one.text) <= 60 else f"{one.text[:60]}…"
            lines.append(f"  {quoted(shown)}")
            for name, tokens in (("before", one.before), ("after ", one.after)):
                row = "│".join(visible(token) for token in tokens[:12])
                lines.append(f"    {name} {row}{'…' if len(tokens) > 12 else ''}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Edited:
    """A tokenizer made from another, and what became of the ids. It unpacks as ``tokenizer, id_map``.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
        >>> tokenizer, id_map = edit.remove(old, ["ab"])
        >>> tokenizer.encode("ab").ids, id_map.decomposition(2)
        ([0, 1], (0, 1))
    """

    tokenizer: Tokenizer
    id_map: IdMap
    #: What it was made from.
    source: Tokenizer
    #: What should be known besides, in sentences.
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.tokenizer, self.id_map))

    def dry_run(self, corpus: Source, *, examples: int = 5) -> Effect:
        """What the edit does to a corpus, before anything is saved or any model is changed.

        Args:
            corpus: a path or several, texts, or whatever ``count_pieces`` takes.
            examples: how many texts to show whose tokens change.

        Example:
            >>> from tessella import Tokenizer, edit, models
            >>> old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
            >>> effect = edit.remove(old, ["ab"]).dry_run(["ab", "a"])
            >>> effect.tokens_before, effect.tokens_after, effect.changed
            (2, 3, 1)
        """
        effect = Effect()
        # By chance the same text would have other tokens too.
        both = settled(self.source), settled(self.tokenizer)
        for texts in in_lists(read_texts(corpus)):
            _look(*both, self.id_map, texts, effect, examples)
        if not effect.texts:
            raise ArgumentError("the corpus holds no text to try the edit on")
        return effect


def _look(
    source: Tokenizer, made: Tokenizer, id_map: IdMap, texts: list[str], effect: Effect, examples: int
) -> None:
    before = source.encode_ids_batch(texts)
    after = made.encode_ids_batch(texts)
    effect.texts += len(texts)
    effect.bytes += sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    effect.tokens_before += len(before.ids)
    effect.tokens_after += len(after.ids)
    for place in _differing(id_map, before, after):
        text = texts[place]
        effect.changed += 1
        is_altered = source.decode(before[place]) != made.decode(after[place])
        effect.altered += is_altered
        if len(effect.examples) < examples or (is_altered and effect.altered <= examples):
            both = (source, made)
            one = Change(text, *(each.encode(text, truncation=False, padding=False).tokens for each in both))
            effect.examples.insert(effect.altered - 1 if is_altered else len(effect.examples), one)
            del effect.examples[examples:]


def _differing(id_map: IdMap, before: RaggedIds, after: RaggedIds) -> list[int]:
    """Rows that are not just renumbered."""
    table = id_map.table
    known = before.ids.astype(np.int64)
    mapped = np.where(known < len(table), table[np.minimum(known, len(table) - 1)], -1)
    same_length = np.diff(before.offsets) == np.diff(after.offsets)
    differing = []
    for place in range(len(before)):
        if same_length[place]:
            row = mapped[before.offsets[place] : before.offsets[place + 1]]
            if np.array_equal(row, after[place]):
                continue
        differing.append(place)
    return differing


def renumbered(pipeline: Pipeline, compact: bool) -> dict[int, int]:
    """Closes the gaps between ids, if asked to; gives what became of the ids that are left."""
    left = sorted(pipeline.tokens())
    if not compact:
        return {id: id for id in left}
    new_ids = {old: new for new, old in enumerate(left)}
    pipeline.renumber(new_ids)
    return new_ids


def finished(
    pipeline: Pipeline,
    new_ids: dict[int, int],
    *,
    is_exact: bool,
    notes: Iterable[str] = (),
    new: dict[int, tuple[int, ...]] | None = None,
) -> Edited:
    """Puts a changed pipeline together and makes the map.

    Args:
        pipeline: what was changed.
        new_ids: the new ids of old tokens that are left.
        is_exact: see ``IdMap``.
        notes: what should be known.
        new: the constituents of new tokens, in old ids.
    """
    old = pipeline.before
    pipeline.keep_free((new or {}).keys() - old.keys())
    made = pipeline.build()
    gone = [id for id in old if id not in new_ids]
    removed: dict[int, tuple[int, ...]] = {}
    if gone:
        plain = settled(made)
        spelled = pipeline.vocabulary.speller(plain.model)
        for id in gone:
            if id not in pipeline.added_before:
                removed[id] = spelled(old[id])
            else:
                # What a text of that length would be cut to, or filled up with, is no part of it.
                parts = plain.encode(old[id], add_special_tokens=False, truncation=False, padding=False)
                removed[id] = tuple(parts.ids)
    table = np.full(max(old, default=-1) + 1, -1, np.int64)
    table[list(new_ids)] = list(new_ids.values())
    vocabulary = pipeline.vocabulary
    unknown = vocabulary.unknown() if vocabulary.may_fail and gone else None
    unsure = () if unknown is None else [one for one, now in new_ids.items() if now == unknown]
    id_map = IdMap(
        table,
        removed=removed,
        new=new or {},
        new_size=pipeline.size,
        # What is drawn by chance is encoded in other ways each time.
        is_exact=is_exact and chance_of(pipeline.source.model) is None,
        unsure=unsure,
        before=fingerprint_of(pipeline.source),
        after=fingerprint_of(made),
    )
    return Edited(made, id_map, pipeline.source, (*notes, *_unspelled(pipeline, removed, made)))


def with_new(pipeline: Pipeline, new: dict[int, tuple[int, ...]], notes: Iterable[str] = ()) -> Edited:
    """Finishes an edit that added tokens after all others.

    Where a file's added tokens have to follow the tokens of the model, they move behind the new ones.
    """
    kept = {id: id for id in pipeline.before}
    try:
        return finished(pipeline, kept, is_exact=False, notes=notes, new=new)
    except UnsupportedError:
        inner = pipeline.vocabulary.tokens()
        outer = [id for id in sorted(one["id"] for one in pipeline.added) if id not in inner]
        if not pipeline.added_before.intersection(outer):
            raise
    order = sorted(id for id in pipeline.tokens() if id not in outer) + outer
    start = 0 if pipeline.vocabulary.is_dense else None
    ids: dict[int, int] = {}
    for id in order:
        last = next(reversed(ids.values()), -1)
        is_old = id in pipeline.before and id not in outer and start is None
        ids[id] = id if is_old else last + 1
    pipeline.renumber(ids)
    moved = {ids[id]: parts for id, parts in new.items()}
    number = len(pipeline.added_before.intersection(outer))
    said = f"{number:,} added tokens moved behind the new ones, as the file asks for"
    known = {id: ids[id] for id in kept}
    return finished(pipeline, known, is_exact=False, notes=[*notes, said], new=moved)


def _unspelled(pipeline: Pipeline, removed: dict[int, tuple[int, ...]], made: Tokenizer) -> list[str]:
    """Notes, where texts with removed tokens do not come back from their ids."""
    unknown = pipeline.vocabulary.unknown()
    lost = {id for id, parts in removed.items() if not parts or unknown in parts}
    notes = []
    if lost:
        notes.append(
            f"{len(lost):,} of the removed tokens cannot be spelled by others, so that texts with them are "
            f"unknown now: {_shown(pipeline, lost)}"
        )
    if isinstance(pipeline.vocabulary, PieceFile):
        # The bytes of the mark for a blank are the mark itself.
        other = {
            id
            for id, parts in removed.items()
            if id not in lost and made.decode(parts, False) != pipeline.source.decode([id], False)
        }
        if other:
            notes.append(
                f"{len(other):,} of the removed tokens are spelled by tokens with another text, which is "
                f"what texts with them decode to: {_shown(pipeline, other)}"
            )
    return notes


def _shown(pipeline: Pipeline, ids: Collection[int]) -> str:
    """Some tokens as they were before an edit, for a message."""
    some = ", ".join(f"`{pipeline.before[id]}`" for id in sorted(ids)[:SHOWN])
    return f"{some} ..." if len(ids) > SHOWN else some
