"""Other numbers for the same tokens: gaps closed, another order, a size that hardware likes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .._given import check_list
from ..errors import ArgumentError
from .edited import Edited, finished, renumbered
from .piece_file import CONTROL, Piece, PieceFile
from .pipeline import Pipeline
from .removing import named_ids
from .usage import frequencies

if TYPE_CHECKING:
    from .._types import Source
    from ..tokenizer import Tokenizer


def compact(tokenizer: Tokenizer) -> Edited:
    """Closes the gaps between ids; the order stays.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> old = Tokenizer(models.WordLevel({"<unk>": 0, "tile": 7}))
        >>> tokenizer, id_map = edit.compact(old)
        >>> tokenizer.get_vocab() == {"<unk>": 0, "tile": 1}, id_map[7]
        (True, 1)
    """
    pipeline = Pipeline(tokenizer)
    return finished(pipeline, renumbered(pipeline, True), is_exact=True)


def reorder(
    tokenizer: Tokenizer,
    first: Iterable[str | int] | None = None,
    *,
    key: Callable[[str, int], object] | None = None,
    corpus: Source | None = None,
) -> Edited:
    """Numbers the tokens in another order. Give one of the three; what they leave open stays as it was.

    Args:
        tokenizer: stays as it is.
        first: tokens or ids that come first, in this order.
        key: of a token and its id: what tokens are sorted by.
        corpus: the most frequent tokens in it come first.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> old = Tokenizer(models.WordLevel({"<unk>": 0, "low": 1, "tile": 2}))
        >>> edit.reorder(old, ["tile"]).tokenizer.token_to_id("tile")
        0
        >>> edit.reorder(old, corpus=["tile"]).id_map[2]
        0
    """
    if sum(one is not None for one in (first, key, corpus)) != 1:
        raise ArgumentError("say the order with one of `first`, `key` and `corpus`")
    check_list("first", first, "tokens or ids")
    pipeline = Pipeline(tokenizer)
    tokens = pipeline.tokens()
    if first is not None:
        listed = list(first)
        chosen = [next(iter(named_ids(pipeline, [one]))) for one in listed]
        if len(set(chosen)) != len(chosen):
            raise ArgumentError("`first` names a token twice")
        front = set(chosen)
        order = chosen + [id for id in sorted(tokens) if id not in front]
    elif key is not None:
        by: Any = key
        order = sorted(sorted(tokens), key=lambda id: by(tokens[id], id))
    else:
        assert corpus is not None
        used = frequencies(tokenizer, corpus)
        order = sorted(sorted(tokens), key=lambda id: -int(used[id]))
    new_ids = {old: new for new, old in enumerate(order)}
    pipeline.renumber(new_ids)
    return finished(pipeline, new_ids, is_exact=True)


def pad_to_multiple(tokenizer: Tokenizer, multiple: int, *, token: str = "<|reserved_{}|>") -> Edited:
    """Adds reserved special tokens until ids fill a multiple, as matrix hardware likes it.

    In a SentencePiece model they are control symbols, which match no text. Elsewhere they are added special
    tokens: a text that spells one has it.

    Args:
        tokenizer: stays as it is.
        multiple: of which the number of ids, gaps included, becomes a multiple.
        token: what they are called; ``{}`` is a number.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> old = Tokenizer(models.WordLevel({"<unk>": 0, "low": 1, "tile": 2}))
        >>> edited = edit.pad_to_multiple(old, 8)
        >>> edited.tokenizer.get_vocab_size(), edited.tokenizer.id_to_token(7), edited.id_map.new_ids
        (8, '<|reserved_4|>', (3, 4, 5, 6, 7))
    """
    if isinstance(multiple, bool) or not isinstance(multiple, int) or multiple < 1:
        raise ArgumentError(f"`multiple` must be a whole number from 1, found {multiple!r}")
    if "{}" not in token:
        raise ArgumentError(f"`token` must have a place {{}} for a number, found {token!r}")
    pipeline = Pipeline(tokenizer)
    known, size = set(pipeline.tokens().values()), pipeline.size
    kept = {id: id for id in pipeline.tokens()}
    new: dict[int, tuple[int, ...]] = {}
    number = 0
    in_pieces = isinstance(pipeline.vocabulary, PieceFile) and not pipeline.added
    while (size + len(new)) % multiple:
        content = token.format(number)
        number += 1
        if content in known:
            continue
        id = size + len(new)
        new[id] = ()
        if in_pieces:
            assert isinstance(pipeline.vocabulary, PieceFile)
            pipeline.vocabulary.entries[id] = Piece(content, 0.0, CONTROL)
        else:
            flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
            pipeline.added.append({"id": id, "content": content, **flags, "special": True})
    notes = () if in_pieces or not new else (f"texts that spell `{token.format('N')}` have the new tokens",)
    return finished(pipeline, kept, is_exact=in_pieces or not new, new=new, notes=notes)
