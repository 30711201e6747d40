"""Another way of cutting texts for the same tokens, and which of them no text can have then."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._chance import settled
from .._fingerprint import fingerprint_of
from ..pre_tokenizers import PreTokenizer
from .byte_texts import byte_texts
from .edited import Edited, finished
from .id_map import IdMap
from .pipeline import Pipeline

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


#: What is put before and after a token's text to see whether it comes out: nothing, a letter, a space, a
#: digit, a dot, a line end.
AROUND = ("", " ", "a", "1", ".", "\n")


def texts_of(tokenizer: Tokenizer, ids: list[int]) -> dict[int, list[str]]:
    """Texts that may hold tokens: what each decodes to, the entry itself, what its letters spell as bytes.

    For a splitter that spells no bytes, an entry is its own text; and no decoder tells what bytes are meant
    when the splitter alone was changed.
    """
    decoded = tokenizer.decode_batch([[id] for id in ids], skip_special_tokens=False)
    found: dict[int, list[str]] = {}
    for id, text in zip(ids, decoded, strict=True):
        entry = tokenizer.id_to_token(id) or ""
        found[id] = list(dict.fromkeys([text, entry, *byte_texts(entry)]))
    return found


@dataclass(frozen=True)
class Resplit(Edited):
    """An ``Edited``, and the tokens that are out of reach."""

    #: Tokens that some text had with the old splitter, and that no text was found to have with the new one.
    unreachable: tuple[str, ...] = ()


def reachable(tokenizer: Tokenizer, ids: list[int] | None = None) -> set[int]:
    """Ids that the texts of their tokens, alone and between others, are encoded to.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, " ": 1, "a ": 2}, [("a", " ")]))
        >>> reachable(tokenizer)
        {0, 1, 2}
        >>> tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        >>> reachable(tokenizer)
        {0}
    """
    tokenizer = settled(tokenizer)
    left = sorted(tokenizer.get_vocab().values()) if ids is None else ids
    found: set[int] = set()
    texts = texts_of(tokenizer, left)
    for turn in range(max(map(len, texts.values()), default=0)):
        left = [id for id in left if len(texts[id]) > turn]
        for before in AROUND:
            for after in AROUND:
                if not left:
                    break
                rows = tokenizer.encode_ids_batch(
                    [before + texts[id][turn] + after for id in left], add_special_tokens=False
                )
                hits = np.zeros(len(rows.ids) + 1, np.int64)
                np.cumsum(rows.ids == np.repeat(np.array(left), rows.lengths()), out=hits[1:])
                has_own = (hits[rows.offsets[1:]] > hits[rows.offsets[:-1]]).tolist()
                found.update(itertools.compress(left, has_own))
                left = [id for id, has in zip(left, has_own, strict=True) if not has]
    return found


def change_splitter(tokenizer: Tokenizer, splitter: PreTokenizer | None) -> Resplit:
    """Cuts texts in another way before the model sees them. Tokens and ids stay.

    Tokens that go across a cut are out of reach: no text has them any more. They are looked for by encoding
    the text of every token, alone and between other characters, before and after. ``prune`` can take them
    away.

    Args:
        tokenizer: stays as it is.
        splitter: the new pre-tokenizer; ``None`` cuts nothing.

    Example:
        >>> from tessella import Tokenizer, edit, models, pre_tokenizers
        >>> old = Tokenizer(models.BPE({"1": 0, "9": 1, "19": 2}, [("1", "9")]))
        >>> edited = edit.change_splitter(old, pre_tokenizers.Digits(individual_digits=True))
        >>> edited.unreachable, edited.tokenizer.encode("19").ids
        (('19',), [0, 1])
    """
    if splitter is not None and not isinstance(splitter, PreTokenizer):
        raise TypeError(f"`splitter` must be a pre-tokenizer, not {type(splitter).__name__}")
    pipeline = Pipeline(tokenizer)
    edited = finished(pipeline, {id: id for id in pipeline.before}, is_exact=False)
    made = edited.tokenizer
    made.pre_tokenizer = splitter
    before = reachable(tokenizer)
    lost = sorted(before - reachable(made, sorted(before)))
    tokens = tuple(pipeline.before[id] for id in lost)
    notes = [f"{len(tokens):,} tokens are out of reach now"] if tokens else []

    id_map = IdMap(
        edited.id_map.table, new_size=pipeline.size, before=edited.id_map.before, after=fingerprint_of(made)
    )
    return Resplit(made, id_map, tokenizer, tuple(notes), tokens)
