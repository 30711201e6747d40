"""The options of trainers: what is allowed, and the form in which it is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

from ._tessella import Regex
from .errors import ArgumentError, OutOfRangeError
from .tokens import AddedToken

Tokens = Iterable["str | AddedToken"]


def special(tokens: Tokens) -> list[AddedToken]:
    """Tokens as training wants them: special, and matched in the raw text."""
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
        raise TypeError(f"special_tokens must be a List[Union[str, AddedToken]], not {type(tokens).__name__}")
    made = []
    for token in tokens:
        if isinstance(token, str):
            made.append(AddedToken(token, normalized=False, special=True))
        elif hasattr(token, "content"):
            flags = (token.single_word, token.lstrip, token.rstrip)
            made.append(AddedToken(token.content, *flags, normalized=False, special=True))
        else:
            raise TypeError(f"special_tokens must be a List[Union[str, AddedToken]], found {token!r} in it")
    return made


def alphabet(strings: Iterable[str]) -> list[str]:
    """The first character of each string, each once. One `str` is a list of its characters."""
    return list(dict.fromkeys(string[0] for string in strings if string))


_COUNTS = {"vocab_size", "min_frequency", "limit_alphabet", "max_token_length", "n_sub_iterations"}
_COUNTS |= {"max_piece_length", "seed_size", "num_merges", "global_merges", "window_size"}
_MAY_BE_NONE = {"limit_alphabet", "max_token_length"}
_VARIANTS = ("base", "window")


def checked(name: str, value: Any) -> Any:
    """Counts are whole numbers, not negative."""
    if name in _COUNTS and not (value is None and name in _MAY_BE_NONE):
        if isinstance(value, bool) or not isinstance(value, SupportsIndex):
            raise TypeError(f"`{name}` must be an int, not {type(value).__name__}")
        value = value.__index__()
        if value < 0:
            raise OutOfRangeError(f"`{name}` must not be negative, found {value}")
        if value >= 1 << 63:
            raise OutOfRangeError(f"`{name}` must be less than 2 to the power of 63, found {value}")
    if name == "variant" and value not in _VARIANTS:
        raise ArgumentError(f"unknown variant {value!r}: use 'base' or 'window'")
    if name == "alpha":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"`alpha` must be a float, not {type(value).__name__}")
        value = float(value)
    if name == "ratio" and value is not None:
        value = [float(one) for one in value]
    if name == "shrinking_factor":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"`shrinking_factor` must be a float, not {type(value).__name__}")
        if not 0 < value < 1:
            raise ArgumentError(f"`shrinking_factor` must be between 0 and 1, both excluded, found {value}")
    return value


_CHOICES = {"tie_break": ("smaller_ids", "first_seen"), "score": ("frequency", "likelihood")}


def checked_further(name: str, value: Any) -> Any:
    """An option beside those of the reference library, in the form in which it is kept."""
    if name in _CHOICES and value not in _CHOICES[name]:
        allowed = " or ".join(map(repr, _CHOICES[name]))
        raise ArgumentError(f"`{name}` must be {allowed}, found {value!r}")
    if name == "strict_budget" and not isinstance(value, bool):
        raise TypeError(f"`strict_budget` must be a bool, not {type(value).__name__}")
    if name == "forced_tokens":
        given: Any = value
        if isinstance(value, (str, bytes)):
            raise TypeError(f"`forced_tokens` must be a list of str, not one {type(value).__name__}")
        value = list(given)
        for token in value:
            if not isinstance(token, str):
                raise TypeError(f"`forced_tokens` must be a list of str, found {token!r} in it")
            if not token:
                raise ArgumentError("`forced_tokens` holds an empty text, which cannot be a token")
    if name == "merge_filter" and isinstance(value, Mapping):
        # What a saved state has in the place of a ``Regex``.
        value = Regex(value["Regex"])
    if name == "merge_filter" and not (value is None or callable(value) or isinstance(value, Regex)):
        raise TypeError(f"`merge_filter` must be a tessella.Regex or a function, not {type(value).__name__}")
    if name == "initial_vocab" and value is not None:
        value = _initial(value)
    return value


def _initial(value: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """A vocabulary to continue: its tokens in the order of their ids, and its merges."""
    from .errors import ModelError
    from .models import BPE

    value = getattr(value, "model", value)
    if isinstance(value, BPE):
        state = value._state()
        merges = state["merges"]
        value = (
            state["vocab"],
            [merge.split(" ", 1) if isinstance(merge, str) else merge for merge in merges],
        )
    try:
        vocab, merges = value
    except (TypeError, ValueError):
        raise TypeError(
            f"`initial_vocab` must be a BPE model, or a vocabulary with merges, not {type(value).__name__}"
        ) from None
    if isinstance(vocab, Mapping):
        if sorted(vocab.values()) != list(range(len(vocab))):
            raise ModelError(
                f"the ids of `initial_vocab` must be 0 to {len(vocab) - 1} without holes, "
                "so that new tokens can follow"
            )
        vocab = sorted(vocab, key=vocab.__getitem__)
    return list(vocab), [(left, right) for left, right in merges]
