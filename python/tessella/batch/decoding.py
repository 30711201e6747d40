"""Ids to tokens and texts; a part of ``PretrainedTokenizer``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from .._notices import warn
from .._ordered import in_order
from ..errors import ArgumentError
from .special import SpecialTokens
from .unknown import warning_of_options

if TYPE_CHECKING:
    from .._types import Ids

__all__ = ["Decoding", "clean_up"]

# Blanks that joining tokens with spaces leaves before punctuation and English endings.
_BLANKS = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def clean_up(text: str) -> str:
    """The text without blanks before punctuation and English endings.

    Example:
        >>> from tessella.batch.decoding import clean_up
        >>> clean_up("It is n't so , is it ?")
        "It isn't so, is it?"
    """
    for found, wanted in _BLANKS:
        text = text.replace(found, wanted)
    return text


def _plain(ids: Any) -> Any:
    """Ids as ints and lists, whatever array they come in."""
    if isinstance(ids, Mapping):
        if "input_ids" not in ids:
            raise ArgumentError(f"a dict to decode must hold `input_ids`; this one holds {list(ids)}")
        ids = ids["input_ids"]
    if isinstance(ids, (bool, bytes, bytearray, memoryview, set, frozenset)):
        raise TypeError(f"ids must be an int or lists of them, found {type(ids).__name__} {ids!r:.60}")
    if hasattr(ids, "tolist"):
        return ids.tolist()
    return (
        [_plain(one) if hasattr(one, "tolist") else one for one in ids]
        if isinstance(ids, (list, tuple))
        else ids
    )


class Decoding(SpecialTokens):
    """The way back; a part of ``PretrainedTokenizer``."""

    clean_up_tokenization_spaces: bool
    _word_end: str | None = None

    @overload
    def convert_tokens_to_ids(self, tokens: str) -> int | None: ...

    @overload
    def convert_tokens_to_ids(self, tokens: list[str] | tuple[str, ...]) -> list[int | None]: ...

    def convert_tokens_to_ids(
        self, tokens: str | list[str] | tuple[str, ...]
    ) -> int | list[int | None] | None:
        """The id of a token, or the ids of several; of an unknown one that of ``unk_token``, or ``None``."""
        if isinstance(tokens, str):
            return self._id(tokens)
        return [self._id(token) for token in in_order("tokens", tokens, "a str or a list of str")]

    @overload
    def convert_ids_to_tokens(self, ids: int, skip_special_tokens: bool = False) -> str | None: ...

    @overload
    def convert_ids_to_tokens(self, ids: Ids, skip_special_tokens: bool = False) -> list[str | None]: ...

    def convert_ids_to_tokens(
        self, ids: int | Ids, skip_special_tokens: bool = False
    ) -> str | list[str | None] | None:
        """The token of an id, or the tokens of several; ``None`` for an id that is not there."""
        given = _plain(ids)
        token = self.backend_tokenizer.id_to_token
        if not isinstance(given, (list, tuple)):
            return token(given)
        skipped = set(self.all_special_ids) if skip_special_tokens else ()
        return [token(id) for id in given if id not in skipped]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Tokens to text."""
        if isinstance(tokens, str):
            raise TypeError(f"`tokens` must be a list of tokens, not a str: [{tokens!r}]")
        decoder = self.backend_tokenizer.decoder
        text: str = " ".join(tokens) if decoder is None else decoder.decode(tokens)
        return text

    @overload
    def decode(
        self,
        token_ids: int | Sequence[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
    ) -> str: ...

    @overload
    def decode(
        self,
        token_ids: Sequence[Ids],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
    ) -> list[str]: ...

    # `Any`: an array's type does not tell whether it has rows, nor what kind of library it is from.
    @overload
    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
    ) -> Any: ...

    @warning_of_options
    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        *,
        spaces_between_special_tokens: bool | None = None,
    ) -> Any:
        """Ids to text; of several rows, a list of texts.

        Args:
            token_ids: an id, ids or rows of ids, in lists or arrays.
            skip_special_tokens: leave special tokens out.
            clean_up_tokenization_spaces: remove blanks before punctuation and English endings; by default as
                the tokenizer's settings say. It does nothing to byte-pair tokenizers, whose blanks are the
                text's.
            spaces_between_special_tokens: of no effect: blanks are those that the decoder makes.
        """
        del spaces_between_special_tokens
        ids = _plain(token_ids)
        if isinstance(ids, (list, tuple)) and ids and isinstance(ids[0], (list, tuple)):
            texts = self.backend_tokenizer.decode_batch(ids, skip_special_tokens)
            return [self._cleaned(text, clean_up_tokenization_spaces) for text in texts]
        text = self.backend_tokenizer.decode([ids] if isinstance(ids, int) else ids, skip_special_tokens)
        return self._cleaned(text, clean_up_tokenization_spaces)

    @warning_of_options
    def batch_decode(
        self,
        sequences: Any,  # rows in lists, or an array of some library
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        *,
        spaces_between_special_tokens: bool | None = None,
    ) -> list[str]:
        """Rows of ids to a list of texts; see ``decode``."""
        del spaces_between_special_tokens
        texts = self.decode(sequences, skip_special_tokens, clean_up_tokenization_spaces)
        return [texts] if isinstance(texts, str) else texts

    def _cleaned(self, text: str, wanted: bool | None) -> str:
        if self._word_end:
            # Tokenizers of CLIP models mark where words end, and their decoder leaves the marks.
            text = text.replace(self._word_end, " ").strip()
        if not (self.clean_up_tokenization_spaces if wanted is None else wanted):
            return text
        if type(self.backend_tokenizer.model).__name__ == "BPE":
            if wanted:
                warn(
                    "clean_up_tokenization_spaces=True does nothing to a byte-pair tokenizer: the "
                    "blanks that it decodes are those of the text"
                )
            return text
        return clean_up(text)
