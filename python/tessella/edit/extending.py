"""More tokens for a corpus that a tokenizer serves badly; every old id stays.

BPE is *continued*: the corpus is encoded as it is now, and neighbours are joined from there, the most
frequent first. The new merges come after all old ones, so that they are what encoding does next. WordPiece
gets the entries that the same joining finds, WordLevel the most frequent unknown words, and Unigram the
pieces that a model of the corpus alone finds best, with the scores of a mixture of both models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .._given import whole
from ..counting import count_pieces
from ..errors import ArgumentError, UnsupportedError
from .continued import Learned, continue_joining, missing_letters
from .edited import Edited, with_new
from .mixing import mixed_in
from .piece_file import NORMAL, Piece, PieceFile
from .pipeline import Pipeline
from .unigram import UnigramVocabulary
from .words import WordLevelVocabulary, WordPieceVocabulary

if TYPE_CHECKING:
    from .._types import Source
    from ..pre_tokenizers import PreTokenizer
    from ..tokenizer import Tokenizer


#: What stands for a space, and begins a word.
_MARK = "▁"


def extend(
    tokenizer: Tokenizer,
    corpus: Source,
    size: int,
    *,
    min_frequency: int = 2,
    new_letters: int | None = None,
    longest: int | None = None,
    splitter: PreTokenizer | None = None,
    weight: float = 0.5,
) -> Edited:
    """Adds tokens that a corpus needs, up to a size. Old ids stay; new ones follow the largest.

    Only added tokens may move behind the new ones, where the file of the model asks for it; a note says so.

    Args:
        tokenizer: stays as it is.
        corpus: what is learned from: a path or several, texts, or whatever ``count_pieces`` takes.
        size: how many tokens there are afterwards, added ones counted.
        min_frequency: what occurs more rarely gets no token.
        new_letters: how many characters that are unknown now (or spelled by bytes) may get tokens, the most
            frequent first; ``None`` for all.
        longest: characters of a new token at most.
        splitter: cuts the pieces further while it is learned. Where nothing cuts texts into words, as in
            models that mark words by ``▁``, they are cut before the marks unless this is given.
        weight: for Unigram: the share of the corpus's model in the mixture.

    Texts are encoded by the new tokens where these are better: ids of old encodings stay valid, but are not
    what encoding gives now, so the map is not exact.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> old = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2, "ab": 3}, [("a", "b")]))
        >>> edited = edit.extend(old, ["abc", "abc", "ab"], 5)
        >>> edited.tokenizer.encode("abc").ids, edited.id_map.constituents(4)
        ([4], (3, 2))
    """
    size = whole("size", size)
    new_letters = None if new_letters is None else whole("new_letters", new_letters, 0)
    longest = None if longest is None else whole("longest", longest, 1)
    pipeline = Pipeline(tokenizer)
    budget = size - len(pipeline.tokens())
    if budget < 1:
        raise ArgumentError(f"`size` is {size:,}, but there are {len(pipeline.tokens()):,} tokens already")
    if not 0 < weight < 1:
        raise ArgumentError(f"`weight` must be between 0 and 1, both excluded, found {weight}")
    words = _words(pipeline, corpus, splitter)
    vocabulary = pipeline.vocabulary
    few = "" if longest is None else f" and has no more than {longest} characters"
    why = f"nothing else in the corpus occurs {min_frequency} times{few}"
    if isinstance(vocabulary, UnigramVocabulary) or (
        isinstance(vocabulary, PieceFile) and vocabulary.is_unigram
    ):
        why = "a model of the corpus has no other pieces"
        new = mixed_in(pipeline, words, budget, weight, min_frequency, longest)
    elif type(vocabulary) is WordLevelVocabulary:
        new = _unknown_words(pipeline, vocabulary, words, budget, min_frequency)
    elif isinstance(vocabulary, PieceFile) and not vocabulary.is_bpe:
        raise UnsupportedError("a SentencePiece model of words or characters cannot be extended")
    else:
        letters = missing_letters(pipeline, words, min_frequency)[
            : new_letters if new_letters is not None else budget
        ]
        learned = continue_joining(pipeline, words, letters[:budget], budget, min_frequency, longest)
        new = _take(pipeline, learned)
    short = len(new) < budget
    notes = [f"{len(new):,} tokens were added and not {budget:,}: {why}"] if short else []
    return with_new(pipeline, new, notes)


def _words(pipeline: Pipeline, corpus: Source, splitter: PreTokenizer | None) -> dict[str, int]:
    """Pieces of the corpus and how often each occurs, by their bytes."""
    source = pipeline.source
    counted = count_pieces(corpus, source).items()
    if splitter is None and not (
        source.pre_tokenizer is None
        and any(_MARK in token for token in pipeline.vocabulary.tokens().values())
    ):
        return dict(counted)
    words: dict[str, int] = {}
    for piece, count in counted:
        parts: Iterable[str]
        if splitter is not None:
            parts = (part for part, _ in splitter.pre_tokenize_str(piece))
        else:
            first, *rest = piece.split(_MARK)
            parts = [first, *(_MARK + part for part in rest)]
        for part in parts:
            if part:
                words[part] = words.get(part, 0) + count
    return dict(sorted(words.items()))


def _take(pipeline: Pipeline, learned: Learned) -> dict[int, tuple[int, ...]]:
    """Puts what was learned into the vocabulary; gives constituents."""
    vocabulary = pipeline.vocabulary
    first = pipeline.size
    added = [*(letter for letter, _ in learned.letters), *(made for _, _, made in learned.joins)]
    ids = {token: first + place for place, token in enumerate(added)}
    if isinstance(vocabulary, PieceFile):
        least = min((piece.score for piece in vocabulary.entries.values()), default=0.0)
        for place, token in enumerate(added, 1):
            vocabulary.entries[ids[token]] = Piece(token, float(int(least) - place), NORMAL)
    elif isinstance(vocabulary, WordPieceVocabulary):
        vocabulary.vocab.update(ids)
    else:
        from .bpe import BpeVocabulary

        assert isinstance(vocabulary, BpeVocabulary)
        vocabulary.vocab.update(ids)
        vocabulary.merges += [(left, right) for left, right, _ in learned.joins]
    old = {token: id for id, token in pipeline.before.items()}
    made_of: dict[str, tuple[int, ...]] = dict(learned.letters)
    for left, right, made in learned.joins:
        sides = (made_of[side] if side in made_of else (old[side],) for side in (left, right))
        made_of[made] = tuple(id for side in sides for id in side)
    return {ids[token]: made_of[token] for token in added}


def _unknown_words(
    pipeline: Pipeline, vocabulary: WordLevelVocabulary, words: Mapping[str, int], budget: int, least: int
) -> dict[int, tuple[int, ...]]:
    taken = set(pipeline.tokens().values())
    found = sorted((-count, word) for word, count in words.items() if count >= least and word not in taken)
    first, unknown = pipeline.size, vocabulary.unknown()
    ids = {word: first + place for place, (_, word) in enumerate(found[:budget])}
    vocabulary.vocab.update(ids)
    return {id: () if unknown is None else (unknown,) for id in ids.values()}
