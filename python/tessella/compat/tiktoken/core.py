"""``Encoding``: text to ids by ranks of bytes, with special tokens as the caller allows them."""

from __future__ import annotations

import codecs
import re
from base64 import b64encode
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ... import _tessella
from ...errors import OutOfRangeError
from ...tokenizer import Tokenizer
from .merging import merge

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Encoding"]

_Allowed = Literal["all"] | AbstractSet[str]
_Disallowed = Literal["all"] | Collection[str]
_SETS = (frozenset, set)
# The highest id that the engine knows.
_MOST = (1 << 32) - 1


def _engine(pattern: str, ranks: dict[bytes, int]) -> Tokenizer:
    """The tokenizer of a table of ranks, without special tokens."""
    # A pattern of letters alone would be taken for the name of one.
    written = pattern if not pattern.isidentifier() else f"(?:{pattern})"
    description = _tessella.Description.from_rank_dict(ranks, written)
    if description is None:
        # Numbers of other kinds, or what is no table: its lines tell what is wrong.
        table = b"".join(b"%s %d\n" % (b64encode(token), rank) for token, rank in ranks.items() if token)
        description = _tessella.Description.from_ranks(table, written)
    return Tokenizer._from_description(description)


def _ranked(engine: Tokenizer, special: dict[str, int], ranks: dict[bytes, int]) -> _tessella.Ranked:
    """What answers plain calls at once. Of names whose ids are none of its kind it knows only the text."""
    empty = [ranks[b""]] if b"" in ranks else []
    return _tessella.Ranked(
        engine,
        [(name, id if _is_id(id) else None) for name, id in special.items()],
        [id for id in empty if _is_id(id)],
    )


def _is_id(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST


@lru_cache(maxsize=128)
def _finder(tokens: frozenset[str]) -> re.Pattern[str]:
    """An expression for any of these tokens, the longest first."""
    ordered = sorted((token for token in tokens if token), key=lambda token: (-len(token), token))
    return re.compile(f"({'|'.join(map(re.escape, ordered))})" if ordered else r"(?!)")


def _refuse(token: str) -> NoReturn:
    raise ValueError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        f"To encode it as a special token, pass it in `allowed_special`: "
        f"allowed_special={{{token!r}, ...}}.\n"
        "To encode it as ordinary text, leave it out of `disallowed_special`: "
        f"disallowed_special=(enc.special_tokens_set - {{{token!r}}}).\n"
        "To encode all special tokens as ordinary text, pass disallowed_special=().\n"
    )


def _check_sequence(tokens: object) -> None:
    """Ids have an order and are there to be read again; arrays are sequences that do not say so."""
    if isinstance(tokens, str) or not (isinstance(tokens, Sequence) or hasattr(tokens, "dtype")):
        raise TypeError(f"`tokens` must be a sequence of ids, not {type(tokens).__name__}")


def _mended(text: str) -> str:
    """The text with surrogate pairs joined and lone ones replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Encoding:
    """A table of ranks with a pattern and special tokens.

    Args:
        name: what it is called; of two encodings that differ, the names should.
        pat_str: the expression that cuts the text into pieces.
        mergeable_ranks: tokens and their ranks, which are their ids; lower ranks are joined first. All 256
            bytes must be among them.
        special_tokens: texts that stand for one id each.
        explicit_n_vocab: how many ids there are, as a check.

    Example:
        >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257}
        >>> encoding = Encoding(
        ...     "mine", pat_str=r"\\w+|\\W+", mergeable_ranks=ranks, special_tokens={"<|end|>": 258}
        ... )
        >>> encoding.encode("low<|end|>", allowed_special="all"), encoding.decode([257])
        ([257, 258], 'low')
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        self.name = name
        self._pat_str = pat_str
        self._mergeable_ranks = mergeable_ranks
        self._special_tokens = special_tokens
        self.max_token_value: int = max(
            max(mergeable_ranks.values()), max(special_tokens.values(), default=0)
        )
        if explicit_n_vocab:
            count = len(mergeable_ranks) + len(special_tokens)
            assert count == explicit_n_vocab, f"{count} tokens, explicit_n_vocab is {explicit_n_vocab}"
            assert self.max_token_value == explicit_n_vocab - 1, f"the highest id is {self.max_token_value}"
        # What the engine is made of, whatever becomes of the tables that were given.
        self._ranks = ranks = dict(mergeable_ranks)
        self._specials = specials = dict(special_tokens)
        self._engine = _engine(pat_str, ranks)
        self._ranked = _ranked(self._engine, specials, ranks)
        self._special_ids = frozenset(specials.values())
        self._special_set = set(specials)

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    @cached_property
    def _bytes(self) -> dict[int, bytes]:
        """What each id stands for, for arguments that the engine does not take."""
        special = {id: token.encode("utf-8") for token, id in self._specials.items()}
        return special | {rank: token for token, rank in self._ranks.items()}

    # Encoding.

    def _checked(self, text: str, allowed: _Allowed, disallowed: _Disallowed) -> AbstractSet[str]:
        """The special tokens to find, once it is sure that none of the others is in the text."""
        if not isinstance(text, str):
            raise TypeError(f"`text` must be a str, not {type(text).__name__}")
        if isinstance(allowed, str) and allowed == "all":
            allowed = self._special_set
        if isinstance(disallowed, str) and disallowed == "all":
            disallowed = self._special_set - allowed
        if disallowed:
            names = frozenset(disallowed)
            # The empty token is in every text.
            if "" in names:
                _refuse("")
            if found := _finder(names).search(text):
                _refuse(found.group())
        if not isinstance(allowed, AbstractSet):
            raise TypeError(
                f"`allowed_special` must be a set of texts or 'all', not {type(allowed).__name__}"
            )
        return allowed

    def _cut(self, text: str, allowed: AbstractSet[str]) -> list[str]:
        """The text cut at special tokens: every second part is one."""
        wanted = self._special_set & set(allowed) if allowed else None
        return _finder(frozenset(wanted)).split(text) if wanted else [text]

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text in which nothing is special."""
        ids = self._ranked.ordinary(text)
        return self._ordinary(text).tolist() if ids is None else ids

    def _ordinary(self, text: str) -> npt.NDArray[np.uint32]:
        if not isinstance(text, str):
            raise TypeError(f"`text` must be a str, not {type(text).__name__}")
        try:
            return self._engine.encode_ids(text, False)
        except TypeError:
            return self._engine.encode_ids(_mended(text), False)

    def encode(
        self,
        text: str,
        *,
        allowed_special: _Allowed = frozenset(),
        disallowed_special: _Disallowed = "all",
    ) -> list[int]:
        """The ids of a text.

        Text from strangers may hold the names of special tokens and so tell a model what its author never
        meant. Therefore a special token that is not allowed raises ``ValueError``.

        Args:
            text: the text.
            allowed_special: special tokens that become their ids; ``"all"`` allows all of them.
            disallowed_special: special tokens that raise; ``"all"`` are all that are not allowed, and ``()``
                are none, which makes ordinary text of those that are not allowed.
        """
        # Where no special token is in the text, it is all the same which of them are allowed.
        if type(allowed_special) in _SETS or (type(allowed_special) is str and allowed_special == "all"):
            found = None
            if type(disallowed_special) is str and disallowed_special == "all":
                found = self._ranked.without_special(text)
            elif type(disallowed_special) is tuple and not disallowed_special:
                plain = self._ranked.without_special if allowed_special else self._ranked.ordinary
                found = plain(text)
            if found is not None:
                return found
        allowed = self._checked(text, allowed_special, disallowed_special)
        ids: list[int] = []
        for place, part in enumerate(self._cut(text, allowed)):
            if place % 2:
                ids.append(self._specials[part])
            elif part:
                ids += self.encode_ordinary(part)
        return ids

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: _Allowed = frozenset(),
        disallowed_special: _Disallowed = "all",
    ) -> npt.NDArray[np.uint32]:
        """As ``encode``, but an array."""
        import numpy as np

        allowed = self._checked(text, allowed_special, disallowed_special)
        # Lone surrogates are not mended here: the text is not what it seems.
        text.encode("utf-8")
        parts = self._cut(text, allowed)
        if len(parts) == 1:
            return self._engine.encode_ids(text, False)
        arrays = [
            np.array([self._specials[part]], np.uint32) if place % 2 else self._engine.encode_ids(part, False)
            for place, part in enumerate(parts)
        ]
        return np.concatenate(arrays)

    def encode_ordinary_batch(self, text: Sequence[str], *, num_threads: int = 8) -> list[list[int]]:
        """The ids of many texts in which nothing is special, on several threads."""
        texts = list(text)
        try:
            if set(map(type, texts)) <= {str}:
                return self._engine.encode_ids_batch(texts, False, num_threads).to_list()
        except TypeError:
            pass
        # A lone surrogate, or no text at all: one by one, as it is for one.
        return [self.encode_ordinary(one) for one in texts]

    def encode_batch(
        self,
        text: Sequence[str],
        *,
        num_threads: int = 8,
        allowed_special: _Allowed = frozenset(),
        disallowed_special: _Disallowed = "all",
    ) -> list[list[int]]:
        """The ids of many texts, on several threads; see ``encode``."""
        cut = []
        for one in text:
            allowed = self._checked(one, allowed_special, disallowed_special)
            cut.append(self._cut(one, allowed))
        ordinary = iter(
            self.encode_ordinary_batch(
                [part for parts in cut for part in parts[::2]], num_threads=num_threads
            )
        )
        rows = []
        for parts in cut:
            row: list[int] = []
            for place, part in enumerate(parts):
                row += [self._specials[part]] if place % 2 else next(ordinary)
            rows.append(row)
        return rows

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of a token, special ones too; ``KeyError`` if it is none."""
        if type(text_or_bytes) is bytes:
            id = self._ranks.get(text_or_bytes)
            if id is not None:
                return id
        token = text_or_bytes.encode("utf-8") if isinstance(text_or_bytes, str) else text_or_bytes
        if not isinstance(token, bytes):
            raise TypeError(f"a token is a str or bytes, not {type(token).__name__}")
        id = self._ranks.get(token)
        if id is None:
            id = self._specials.get(token.decode("utf-8", "surrogateescape"))
        if id is None:
            raise KeyError(token)
        return id

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: _Allowed = frozenset(),
        disallowed_special: _Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """The ids that more text cannot change, and the ways in which the rest may go on.

        The bytes of the text begin the bytes of the ids with any one of the ways behind them.
        """
        from .unstable import unstable_tail

        allowed = self._checked(text, allowed_special, disallowed_special)
        text.encode("utf-8")
        ids = self.encode(text, allowed_special=allowed, disallowed_special=())
        count = unstable_tail(self, ids, self._last_piece(self._cut(text, allowed)[-1]))
        if not count:
            return ids, []
        return ids[:-count], self._ranked.ways(self.decode_bytes(ids[-count:]))

    def _last_piece(self, text: str) -> int:
        """How many ids the last piece of a text becomes."""
        words = self._engine.encode(text).word_ids
        return sum(word == words[-1] for word in words) if words else 0

    # Decoding.

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes that the ids stand for."""
        joined = self._ranked.joined(tokens)
        if joined is not None:
            return joined
        if not isinstance(tokens, (list, tuple)):
            _check_sequence(tokens)
        table = self._bytes
        try:
            # 97.0 is no id, though a table finds it.
            return b"".join([table[id] for id in map(index, tokens)])
        except KeyError:
            for token in tokens:
                self._known(token, "Invalid token for decoding: {}")
            raise

    def _known(self, token: Any, message: str) -> bytes:
        """The bytes of an id, or the error that says what is wrong with it."""
        id = index(token)
        if not 0 <= id <= _MOST:
            raise OutOfRangeError(f"an id is a number from 0 to {_MOST}, not {id}")
        if id not in self._bytes:
            raise KeyError(message.format(id))
        return self._bytes[id]

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text that the ids stand for.

        Args:
            tokens: the ids.
            errors: what becomes of bytes that are no UTF-8, as in ``bytes.decode``.
        """
        if errors == "replace":
            text = self._ranked.text(tokens)
            if text is not None:
                return text
        return self.decode_bytes(tokens).decode("utf-8", errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one id, special ones too; ``KeyError`` if it is none."""
        found = self._ranked.bytes_of(token)
        return self._known(token, "{}") if found is None else found

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each id."""
        found = self._ranked.bytes_of_each(tokens)
        if found is not None:
            return found
        return [self._known(token, "{}") for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text, and for each id the character where it starts.

        An id that starts inside a character starts where that character does. Broken UTF-8 becomes U+FFFD.
        """
        found = self._ranked.text_with_starts(tokens)
        if found is not None:
            return found
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        parts: list[str] = []
        offsets: list[int] = []
        length = 0
        for token in self.decode_tokens_bytes(tokens):
            # A character that was begun, and that this token does not go on with, is broken: U+FFFD.
            broken = bool(decoder.getstate()[0]) and not 0x80 <= (token or b"\0")[0] < 0xC0
            offsets.append(length + broken)
            parts.append(decoder.decode(token))
            length += len(parts[-1])
        parts.append(decoder.decode(b"", True))
        return "".join(parts), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """The texts of many lists of ids."""
        del num_threads
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """The bytes of many lists of ids."""
        del num_threads
        return [self.decode_bytes(tokens) for tokens in batch]

    # The table.

    @cached_property
    def _sorted(self) -> list[bytes]:
        return sorted(self._ranks)

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, in order of the bytes."""
        return self._sorted.copy()

    @property
    def eot_token(self) -> int:
        """The id of ``<|endoftext|>``."""
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return self._special_set

    def is_special_token(self, token: int) -> bool:
        """Whether an id is one of a special token."""
        assert isinstance(token, int), f"an id is an int, not {type(token).__name__}"
        return token in self._special_ids

    @property
    def n_vocab(self) -> int:
        """One more than the highest id."""
        return self.max_token_value + 1

    # What other packages reach for although it is private.

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        piece = text_or_bytes.encode("utf-8") if isinstance(text_or_bytes, str) else text_or_bytes
        return self._merged(piece)

    def _merged(self, piece: bytes) -> list[int]:
        """The ids of bytes that nothing cuts."""
        ids = self._ranked.piece(piece)
        return merge(piece, self._ranks) if ids is None else ids

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        return self.encode_ordinary(text)

    def _encode_bytes(self, text: bytes) -> list[int]:
        try:
            return self.encode_ordinary(text.decode("utf-8"))
        except UnicodeDecodeError as error:
            from .unstable import unstable_tail

            whole = text[: error.start].decode("utf-8")
            ids = self.encode_ordinary(whole)
            count = unstable_tail(self, ids, self._last_piece(whole))
            tail = (self.decode_bytes(ids[-count:]) if count else b"") + text[error.start :]
            return ids[: len(ids) - count] + self._merged(tail)

    # Pickling.

    def __getstate__(self) -> object:
        from .registry import ENCODINGS

        if ENCODINGS.get(self.name) is self:
            return self.name
        return {
            "name": self.name,
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }

    def __setstate__(self, state: str | dict[str, Any]) -> None:
        if isinstance(state, str):
            from .registry import get_encoding

            self.__dict__ = get_encoding(state).__dict__
        else:
            self.__init__(**state)  # type: ignore[misc]
