"""Joining neighbours from where a tokenizer stands now.

Every piece of the corpus is encoded. Its tokens are given to the engine's trainer as if each were a
character, one code point for each id, so that the trainer's first symbols are the tokens, and its ties go by
their ids. What it joins is read back as texts. A pair whose text is a token already is left alone: it would
take a place for nothing. Tokens for bytes and for unknown text are joined with nothing, since no decoder
could spell the result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._vocabulary import BYTE_TOKENS
from ..counting import PieceCounts
from ..errors import ArgumentError
from ..models import BPE, Model, WordPiece
from ..trainers import BpeTrainer
from .bpe import BpeVocabulary
from .piece_file import BYTE, PieceFile
from .pipeline import Pipeline
from .vocabulary import BYTES, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable


Letter = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Learned:
    """New tokens."""

    #: Single characters, with the old ids that spelled them.
    letters: list[Letter]
    #: Pairs of tokens, and what they make, in the order in which they were joined.
    joins: list[tuple[str, str, str]]


def forms(vocabulary: Vocabulary, word: str) -> list[str]:
    """The characters of a word as first symbols, with the marks of their places."""
    if isinstance(vocabulary, PieceFile):
        return list(word)
    prefix = str(getattr(vocabulary, "prefix", ""))
    suffix = vocabulary.suffix if isinstance(vocabulary, BpeVocabulary) else ""
    last = len(word) - 1
    return [
        (prefix if place else "") + character + (suffix if place == last else "")
        for place, character in enumerate(word)
    ]


def missing_letters(pipeline: Pipeline, words: Mapping[str, int], least: int) -> list[Letter]:
    """Characters of the corpus that are no tokens, the most frequent first; ties by code point."""
    vocabulary = pipeline.vocabulary
    known = {token: id for id, token in vocabulary.tokens().items()}
    counts: dict[str, int] = {}
    for word, count in words.items():
        for form in forms(vocabulary, word):
            if form not in known:
                counts[form] = counts.get(form, 0) + count
    taken = set(pipeline.tokens().values())
    found = sorted((-count, form) for form, count in counts.items() if count >= least and form not in taken)
    unknown = vocabulary.unknown()

    def spelled(form: str) -> tuple[int, ...]:
        bytes = [BYTE_TOKENS[byte] for byte in vocabulary.bare(form).encode("utf-8")]
        if _falls_back(vocabulary):
            return tuple(known[one] for one in bytes)
        return () if unknown is None else (unknown,)

    return [(form, spelled(form)) for _, form in found]


def _falls_back(vocabulary: Vocabulary) -> bool:
    if isinstance(vocabulary, PieceFile):
        return sum(piece.kind == BYTE for piece in vocabulary.entries.values()) == 256
    return isinstance(vocabulary, BpeVocabulary) and vocabulary.falls_back


def continue_joining(
    pipeline: Pipeline,
    words: Mapping[str, int],
    letters: Sequence[Letter],
    budget: int,
    least: int,
    longest: int | None,
) -> Learned:
    """New letters, and then joins, as many as the budget has room for."""
    vocabulary = pipeline.vocabulary
    known = {token: id for id, token in vocabulary.tokens().items()}
    for form, _ in letters:
        known[form] = len(known) + pipeline.size
    by_id = sorted(known, key=known.__getitem__)
    if len(by_id) > 1_000_000:
        raise ArgumentError(f"{len(by_id):,} tokens are more than can be joined; a million can")
    signs = {token: _sign(place) for place, token in enumerate(by_id)}
    tokens = {sign: token for token, sign in signs.items()}
    rows = PieceCounts()
    alphabet: set[str] = set()
    for row, count in _rows(pipeline, words, letters, signs):
        rows.add(row, count)
        alphabet.update(row)
    room = budget - len(letters)
    if not alphabet or room < 1:
        return Learned(list(letters), [])

    taken = set(pipeline.tokens().values()) | set(known)
    text = _text(vocabulary, tokens)

    def allows(left: str, right: str, merged: str, count: int) -> bool:
        made = text(merged)
        if made in taken or (longest is not None and len(vocabulary.bare(made)) > longest):
            return False
        taken.add(made)
        return True

    trainer = BpeTrainer(
        vocab_size=len(alphabet) + room, min_frequency=least, merge_filter=allows, show_progress=False
    )
    state = json.loads(trainer.train_from_counts(rows).__getstate__())
    joins = []
    for merge in state["merges"]:
        left, right = merge.split(" ", 1) if isinstance(merge, str) else merge
        joins.append((text(left), text(right), text(left + right)))
    return Learned(list(letters), joins)


def _sign(place: int) -> str:
    """A code point for a number, in the same order, without surrogates and blanks of ASCII."""
    code = place + 0x100
    return chr(code if code < 0xD800 else code + 0x800)


def _text(vocabulary: Vocabulary, tokens: Mapping[str, str]) -> Callable[[str], str]:
    """What a row of signs spells as one token: marks of continuation inside are dropped."""
    prefix = "" if isinstance(vocabulary, PieceFile) else str(getattr(vocabulary, "prefix", ""))

    def text(signs: str) -> str:
        first, *rest = (tokens[sign] for sign in signs)
        return first + "".join(one[len(prefix) :] if one.startswith(prefix) else one for one in rest)

    return text


def _rows(
    pipeline: Pipeline, words: Mapping[str, int], letters: Sequence[Letter], signs: Mapping[str, str]
) -> list[tuple[str, int]]:
    """The words as rows of signs, cut at what must not be joined."""
    vocabulary = pipeline.vocabulary
    unknown = vocabulary.unknown()
    barred = set(BYTES) if _falls_back(vocabulary) else set()
    if unknown is not None:
        barred.add(vocabulary.tokens()[unknown])
    model = _with_letters(pipeline, letters)
    new_letters = {form for form, _ in letters} if isinstance(vocabulary, PieceFile) else set()
    rows: list[tuple[str, int]] = []
    for word, count in words.items():
        row = ""
        for token in (*_spelled(model, word, new_letters), None):
            if token is not None and token not in barred and token in signs:
                row += signs[token]
                continue
            if len(row) > 1:
                rows.append((row, count))
            row = ""
    return rows


def _spelled(model: Model, word: str, new_letters: set[str]) -> list[str | None]:
    """The tokens of a word; new letters that the model does not have yet stand between."""
    if not new_letters.intersection(word):
        return [token.value for token in model.tokenize(word)]
    found: list[str | None] = []
    run = ""
    for character in word:
        if character not in new_letters:
            run += character
            continue
        found += [token.value for token in model.tokenize(run)] if run else []
        found.append(character)
        run = ""
    return found + ([token.value for token in model.tokenize(run)] if run else [])


def _with_letters(pipeline: Pipeline, letters: Sequence[Letter]) -> Model:
    """The model with new letters in it, and without chance."""
    vocabulary = pipeline.vocabulary
    if isinstance(vocabulary, PieceFile):
        return pipeline.source.model
    state = {**vocabulary.told(), "dropout": None} if vocabulary.kind == "BPE" else vocabulary.told()
    top = pipeline.size
    state["vocab"] = {**state["vocab"], **{form: top + place for place, (form, _) in enumerate(letters)}}
    kind = BPE if vocabulary.kind == "BPE" else WordPiece
    model: Model = kind.__new__(kind)
    model.__setstate__(json.dumps(state))
    return model
