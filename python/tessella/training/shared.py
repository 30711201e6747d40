"""The options that several trainers share, and what they allow."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from .._ordered import in_order
from .._tessella import Regex
from ..errors import ArgumentError, ModelError
from ..tokens import AddedToken, said_of_normalized
from .option import Flag, Option, Typed, choice, count, count_or_none, flag, text

if TYPE_CHECKING:
    from .._types import ProgressFormat
    from ..models import BPE
    from ..tokenizer import Tokenizer

Tokens = Iterable["str | AddedToken"]


def special(name: str, tokens: Tokens) -> list[AddedToken]:
    """Tokens as training wants them: special, and matched in the raw text unless they say otherwise."""
    made = []
    for token in in_order(name, tokens, "a List[Union[str, AddedToken]]"):
        if isinstance(token, str):
            made.append(AddedToken(token, normalized=False, special=True))
        elif hasattr(token, "content"):
            flags = (token.single_word, token.lstrip, token.rstrip)
            made.append(AddedToken(token.content, *flags, said_of_normalized(token), special=True))
        else:
            raise TypeError(f"{name} must be a List[Union[str, AddedToken]], found {token!r} in it")
    return made


def _alphabet(name: str, strings: Iterable[str]) -> list[str]:
    """The first character of each string, each once. One `str` is a list of its characters."""
    if isinstance(strings, (bytes, Mapping)) or not isinstance(strings, Iterable):
        kind = f"{type(strings).__name__} {reprlib.repr(strings)}"
        raise TypeError(f"`{name}` must be a list of str, not {kind}")
    letters: dict[str, None] = {}
    for string in strings:
        if not isinstance(string, str):
            raise TypeError(f"`{name}` must be a list of str, found {string!r:.60} in it")
        if string:
            letters[string[0]] = None
    return list(letters)


def _or_nothing(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: check(name, () if value is None else value)


#: How the ways of telling progress are called in a saved state.
_FORMATS = {"indicatif": "Indicatif", "json": "JsonLines", "silent": "Silent"}
_FORMATS_READ = {written: name for name, written in _FORMATS.items()}


def _forced(name: str, value: Any) -> list[str]:
    tokens: list[Any] = in_order(name, value, "a list of str")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"`{name}` must be a list of str, found {token!r} in it")
        if not token:
            raise ArgumentError(f"`{name}` holds an empty text, which cannot be a token")
    return tokens


def _filter(name: str, value: Any) -> Any:
    if not (value is None or callable(value) or isinstance(value, Regex)):
        raise TypeError(f"`{name}` must be a tessella.Regex or a function, not {type(value).__name__}")
    return value


def _initial(name: str, value: Any) -> tuple[list[str], list[tuple[str, str]]] | None:
    """A vocabulary to continue: its tokens in the order of their ids, and its merges."""
    from ..models import BPE

    if value is None:
        return None
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
            f"`{name}` must be a BPE model, or a vocabulary with merges, not {type(value).__name__}"
        ) from None
    if isinstance(vocab, Mapping):
        if sorted(vocab.values()) != list(range(len(vocab))):
            raise ModelError(
                f"the ids of `{name}` must be 0 to {len(vocab) - 1} without holes, "
                "so that new tokens can follow"
            )
        vocab = sorted(vocab, key=vocab.__getitem__)
    vocab = in_order(f"{name}[0]", vocab, "a list of tokens, or a dict of tokens and ids")
    merges = in_order(f"{name}[1]", merges, "a list of merges")
    pairs: list[tuple[str, str]] = []
    for index, merge in enumerate(merges):
        is_pair = isinstance(merge, (tuple, list)) and len(merge) == 2
        if not is_pair or not all(isinstance(part, str) for part in merge):
            raise ArgumentError(
                f"merge {index} of `{name}` must be a pair of str, found {reprlib.repr(merge)}"
            )
        pairs.append((merge[0], merge[1]))
    return vocab, pairs


SpecialTokens = Option[Tokens, list[AddedToken]]
Alphabet = Option[Iterable[str], list[str]]
Forced = Option[Iterable[str], list[str]]
_Merges = Iterable[tuple[str, str]]
Filter = Option[
    "Regex | Callable[[str, str, str, int], bool] | None",
    "Regex | Callable[[str, str, str, int], bool] | None",
]
if TYPE_CHECKING:
    Format = Option[ProgressFormat, ProgressFormat]
    Initial = Option[
        BPE | Tokenizer | tuple[Mapping[str, int] | Iterable[str], _Merges] | None,
        tuple[list[str], list[tuple[str, str]]] | None,
    ]
TieBreak = Option[Literal["smaller_ids", "first_seen"], Literal["smaller_ids", "first_seen"]]

vocab_size = count(30000, "entries of the vocabulary, special tokens and alphabet included")
min_frequency = count(0, "pairs rarer than this are not joined")
show_progress: Flag = flag(True, "show a progress bar on a terminal").but(typed=None)
progress_format: Format = Option(
    "indicatif",
    "``indicatif`` (a bar), ``json`` (lines) or ``silent``",
    lambda name, value: value if value in _FORMATS else "indicatif",
    save=_FORMATS.__getitem__,
    restore=lambda value: _FORMATS_READ.get(value, "indicatif"),
)
special_tokens: SpecialTokens = Option(
    (),
    "take the first ids, in this order",
    special,
    Typed(metavar="TOKEN", many=True, spelled=("-s", "--special-token")),
    save=lambda tokens: [token.__getstate__() for token in tokens],
    restore=lambda tokens: [AddedToken(**token) for token in tokens],
)
special_tokens_or_none: Option[Tokens | None, list[AddedToken]] = special_tokens.but(
    check=_or_nothing(special)
)
limit_alphabet = count_or_none("keep only this many of the most frequent characters")
initial_alphabet: Alphabet = Option(
    (),
    "characters that are in the vocabulary whether they occur or not; of longer strings the first character",
    _alphabet,
    Typed(metavar="TEXT", many=True, note="`byte-level` for all bytes"),
)
initial_alphabet_or_none: Option[Iterable[str] | None, list[str]] = initial_alphabet.but(
    check=_or_nothing(_alphabet)
)
continuing_subword_prefix = text(None, "put before every symbol that does not begin a piece")
end_of_word_suffix = text(None, "put after the last symbol of every piece")
max_token_length = count_or_none("tokens are shorter than this, in initial symbols")
tie_break: TieBreak = choice(
    "smaller_ids",
    "first_seen",
    help="which of equally frequent pairs is joined first: the one of the ``smaller_ids``, or the one that "
    "is ``first_seen`` in the corpus, as textbooks do it. Counts know the order of appearance if one thread "
    "counted them and they were not saved",
)
strict_budget = flag(
    True,
    "a ``vocab_size`` that special tokens and alphabet exceed is an error. Otherwise they are kept, and "
    "nothing is learned",
    further=True,
)
forced_tokens: Forced = Option(
    (),
    "are in the vocabulary in any case, and reachable by merges",
    _forced,
    Typed(metavar="TOKEN", many=True, spelled=("--forced-token",)),
    further=True,
)
initial_vocab: Initial = Option(
    None,
    "a BPE model (or a vocabulary with merges) that is continued: its ids stay",
    _initial,
    Typed(metavar="TOKENIZER"),
    further=True,
)
merge_filter: Filter = Option(
    None,
    "forbids merges. A ``Regex`` that every new token has to match as a whole, or a function of the two "
    "parts, the new token and the count that says whether it may be made",
    _filter,
    Typed(metavar="REGEX"),
    save=lambda value: {"Regex": value.pattern} if isinstance(value, Regex) else value,
    restore=lambda value: Regex(value["Regex"]) if isinstance(value, Mapping) else value,
    further=True,
)
