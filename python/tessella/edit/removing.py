"""Tokens taken away: those that are named, or the least needed ones.

A text in which none of them stands is encoded as before. For BPE this holds because a token goes together
with all that is made of it, or not at all; see ``bpe.py``. For WordPiece there is one exception, words that
were unknown, and for Unigram one, the piece of the lowest score; both are told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Literal

from .._given import flag
from .._near import meant
from ..errors import ArgumentError
from .edited import Edited, finished, renumbered
from .pipeline import Pipeline

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


#: Tokens that are named in a message.
SHOWN = 5


def named_ids(pipeline: Pipeline, tokens: Iterable[str | int]) -> set[int]:
    """The ids of tokens, given as texts of the vocabulary or as ids."""
    if isinstance(tokens, (str, bytes)):
        raise TypeError(f"`tokens` must be a list of tokens or ids, not one {type(tokens).__name__}")
    by_id = pipeline.tokens()
    by_text = {token: id for id, token in by_id.items()}
    found: set[int] = set()
    for token in tokens:
        if isinstance(token, str):
            if token not in by_text:
                raise ArgumentError(f"there is no token `{token}`{meant(token, by_text)}")
            found.add(by_text[token])
        elif isinstance(token, bool) or not hasattr(token, "__index__"):
            raise TypeError(f"`tokens` must hold tokens or ids, found {token!r}")
        elif int(token) not in by_id:
            raise ArgumentError(f"there is no token of the id {int(token)}")
        else:
            found.add(int(token))
    return found


def shown(pipeline: Pipeline, ids: Collection[int]) -> str:
    """Some tokens, for a message."""
    tokens = pipeline.before
    some = ", ".join(f"`{tokens[id]}`" for id in sorted(ids)[:SHOWN])
    return f"{some} and {len(ids) - SHOWN} more" if len(ids) > SHOWN else some


def remove(
    tokenizer: Tokenizer,
    tokens: Iterable[str | int],
    *,
    dependents: Literal["refuse", "remove"] = "refuse",
    compact: bool = True,
) -> Edited:
    """Takes tokens away.

    Texts without them are encoded as before, and every text is decoded as before. In a BPE model a token of
    which others are made can only go with these: texts that pass through it on the way to them would change.

    Args:
        tokenizer: stays as it is.
        tokens: tokens as the vocabulary spells them (``"Ġthe"``, ``"##ing"``), or ids.
        dependents: what is done where others are made of a token: it is an error that names them, or they go
            too.
        compact: close the gaps between ids. Otherwise all other ids stay; not every model can have gaps.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> merges = [("a", "b"), ("ab", "c")]
        >>> old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "c": 3, "abc": 4}, merges))
        >>> try:
        ...     edit.remove(old, ["ab"])
        ... except ValueError as error:
        ...     print(str(error)[:56])
        1 token is made of `ab` and would have to go too: `abc`;
        >>> edited = edit.remove(old, ["ab"], dependents="remove")
        >>> edited.tokenizer.get_vocab() == {"a": 0, "b": 1, "c": 2}
        True
    """
    if dependents not in ("refuse", "remove"):
        raise ArgumentError(f"`dependents` must be 'refuse' or 'remove', found {dependents!r}")
    flag("compact", compact)
    pipeline = Pipeline(tokenizer)
    named = named_ids(pipeline, tokens)
    every = pipeline.vocabulary.with_users(named)
    others = every - named
    if others and dependents == "refuse":
        number = "1 token is" if len(others) == 1 else f"{len(others):,} tokens are"
        raise ArgumentError(
            f"{number} made of {shown(pipeline, named)} and would have to go too: "
            f"{shown(pipeline, others)}; name them too, or have them go: dependents='remove', --dependents"
        )
    return without(pipeline, every, compact)


def without(pipeline: Pipeline, ids: Collection[int], compact: bool, notes: Iterable[str] = ()) -> Edited:
    """The tokenizer without these ids, of which nothing that stays is made."""
    alone = {one["id"] for one in pipeline.added if one["single_word"]}
    said = [*notes, *pipeline.drop(ids)]
    if pipeline.vocabulary.may_fail and ids:
        said.append(
            "a word that was unknown because its longest beginning led nowhere may be known without that "
            "beginning; only texts with unknown tokens can change so"
        )
    from .unigram import LOWEST

    new_ids = renumbered(pipeline, compact)
    is_exact = LOWEST not in said and not alone.intersection(ids)
    return finished(pipeline, new_ids, is_exact=is_exact, notes=said)
