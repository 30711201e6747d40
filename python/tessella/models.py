"""Stage 3: pieces to ids.

A model turns one piece of text into tokens of its vocabulary. Models can be made from a vocabulary, read from
files, or trained with the classes in ``tessella.trainers``.

Example:
    >>> from tessella.models import BPE
    >>> model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    >>> [token.value for token in model.tokenize("abb")]
    ['ab', 'b']
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from . import _tessella
from ._component import Component, Field, ReadOnly
from ._given import flag, token_text, whole
from ._ordered import in_order
from ._prefix import check_prefix
from ._repr import Limit
from .errors import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import BpeOptions, WordPieceOptions
    from .trainers import Trainer

__all__ = ["BPE", "Model", "SentencePiece", "Unigram", "WordLevel", "WordPiece"]

_Handle = _tessella.ModelHandle
_Path = str | os.PathLike[str]


def _read(path: _Path) -> bytes:
    from ._files import _read_file

    return _read_file(path)


def _read_vocab_json(path: _Path) -> dict[str, int]:
    from ._json import read_object

    return read_object(path, "an object of tokens and ids")


def _deprecated(name: str) -> None:
    warnings.warn(
        f"{name}.__init__ will not create from files anymore, try `{name}.from_file` instead",
        DeprecationWarning,
        stacklevel=3,
    )


def _pairs(merges: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Merges as pairs. A `str` of two characters must not pass for one."""
    # Tens of thousands of them, nearly always in tuples of two: seen at once.
    if type(merges) is list and {tuple}.issuperset(map(type, merges)) and {2}.issuperset(map(len, merges)):
        return merges
    pairs = []
    for merge in in_order("merges", merges, "a list of pairs"):
        if isinstance(merge, (str, bytes)) or not hasattr(merge, "__len__") or len(merge) != 2:
            raise TypeError(f"`merges` must hold pairs like ('a', 'b'), found {merge!r}")
        pairs.append((merge[0], merge[1]))
    return pairs


def _scored(vocab: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Pieces with their scores, as pairs."""
    # Hundreds of thousands of them, nearly always a text and a number in a tuple: seen at once.
    if type(vocab) is list and {tuple}.issuperset(map(type, vocab)) and {2}.issuperset(map(len, vocab)):
        kinds = [set(map(type, column)) for column in zip(*vocab, strict=True)]
        if not kinds or (kinds[0] == {str} and {float, int}.issuperset(kinds[1])):
            return vocab
    pieces: list[tuple[str, float]] = []
    for entry in in_order("vocab", vocab, "a list of pieces and scores"):
        # `Any`: whatever stands there.
        walks = isinstance(entry, Iterable) and not isinstance(entry, (str, bytes))
        pair: tuple[Any, ...] = tuple(entry) if walks else ()
        if len(pair) != 2 or not isinstance(pair[0], str) or not hasattr(pair[1], "__float__"):
            raise TypeError(
                f"`vocab` must hold pieces and scores like ('a', -1.5), found {entry!r:.80} "
                f"for `vocab[{len(pieces)}]`"
            )
        pieces.append((pair[0], pair[1]))
    return pieces


def _bpe_of_files(vocab: bytes, merges: bytes, options: BpeOptions) -> _Handle | None:
    """The model of two files and these settings, without a Python object for each token.

    ``None`` where there is more to tell: an error that names the file, or a key that comes twice.
    """
    from .errors import TessellaError

    fields = {name: value for name, value in options.items() if name != "cache_capacity"}
    if "fuse_unk" in fields:
        fields["fuse_unk"] = flag("fuse_unk", fields["fuse_unk"])
    try:
        return _Handle.bpe_of_files(vocab, merges, **fields)
    except (TessellaError, TypeError):
        return None


class Model(Component):
    """What all models have in common. ``Model()`` is an empty BPE model.

    Example:
        >>> from tessella.models import WordLevel
        >>> model = WordLevel({"hello": 0, "<unk>": 1})
        >>> model.token_to_id("hello"), model.id_to_token(1), model.tokenize("there")[0].id
        (0, '<unk>', 1)
        >>> type(model.get_trainer()).__name__
        'WordLevelTrainer'
    """

    __slots__ = ()

    _handles = _Handle
    _title = "Model"
    _kinds: ClassVar[dict[str, type[Any]]] = {}

    def __init__(self) -> None:
        self._handle = _Handle.bpe({}, [])

    def tokenize(self, sequence: str) -> list[_tessella.Token]:
        """The tokens of one piece. Their offsets count bytes of the piece."""
        return self._handle.tokenize(sequence)  # type: ignore[no-any-return]

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, ``None`` if there is no such token."""
        return self._handle.token_to_id(token)  # type: ignore[no-any-return]

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, ``None`` if there is no such id."""
        return self._handle.id_to_token(id)  # type: ignore[no-any-return]

    def get_trainer(self) -> Trainer:
        """A trainer for this kind of model, with default settings."""
        from . import training

        made: Trainer = training.trainer_of(self._handle.kind())()
        return made

    def save(self, folder: _Path, prefix: str | None = None, name: str | None = None) -> list[str]:
        """Writes the model's own files, and tells their paths.

        Args:
            folder: where to write.
            prefix: put in front of the file names, with a dash.
            name: what ``prefix`` was called once.
        """
        from ._files import _write_together

        if name is not None:
            warnings.warn("`name` of Model.save is called `prefix` now", DeprecationWarning, stacklevel=2)
        start = check_prefix(name if prefix is None else prefix)
        return _write_together(folder, {start + name: text.encode() for name, text in self._handle.files()})


class BPE(Model, kind="BPE"):
    """Byte-pair encoding.

    Args:
        vocab: tokens and their ids.
        merges: the pairs to join; an earlier pair is joined first. Needed whenever ``vocab`` is given.
        cache_capacity: kept for programs that pass it. The cache belongs to the tokenizer; see
            ``Tokenizer.set_cache_size``.
        dropout: probability of skipping a merge, for regularisation; ``None`` for never.
        unk_token: the token for characters that are not in the vocabulary. Without it they are dropped.
        continuing_subword_prefix: put before every symbol that does not begin a piece.
        end_of_word_suffix: put after the last symbol of every piece.
        fuse_unk: make a run of unknown characters one token.
        byte_fallback: spell unknown characters with tokens like ``<0x61>``.
        ignore_merges: a piece that is in the vocabulary is one token, whatever the merges say.

    Example:
        >>> from tessella.models import BPE
        >>> BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).tokenize("ab")[0].as_tuple()
        (2, 'ab', (0, 2))
    """

    __slots__ = ()

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Iterable[tuple[str, str]] | str | None = None,
        *,
        cache_capacity: int | None = None,
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool | None = None,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
    ) -> None:
        if cache_capacity is not None:
            whole("cache_capacity", cache_capacity, least=0)
        if (vocab is None) != (merges is None):
            raise ArgumentError("`vocab` and `merges` must be both specified")
        if isinstance(vocab, (str, os.PathLike)) and isinstance(merges, (str, os.PathLike)):
            _deprecated("BPE")
            vocab, merges = self.read_file(vocab, merges)
        elif isinstance(vocab, (str, os.PathLike)) or isinstance(merges, (str, os.PathLike)):
            raise ArgumentError("`vocab` and `merges` must be both be from memory or both filenames")
        self._handle = _Handle.bpe(
            dict(vocab or {}),
            _pairs(merges or ()),
            dropout=dropout,
            unk_token=unk_token,
            continuing_subword_prefix=continuing_subword_prefix,
            end_of_word_suffix=end_of_word_suffix,
            fuse_unk=flag("fuse_unk", fuse_unk),
            byte_fallback=byte_fallback,
            ignore_merges=ignore_merges,
        )

    @staticmethod
    def read_file(vocab: _Path, merges: _Path) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Reads ``vocab.json`` and ``merges.txt``."""
        return _read_vocab_json(vocab), _tessella.read_merges(_read(merges))

    @classmethod
    def from_file(cls, vocab: _Path, merges: _Path, **kwargs: Unpack[BpeOptions]) -> BPE:
        """A model from ``vocab.json`` and ``merges.txt``; other arguments as for the class.

        Example:
            >>> import tempfile
            >>> from tessella.models import BPE
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     vocab, merges = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).save(folder)
            ...     BPE.from_file(vocab, merges, unk_token="a").tokenize("ab")[0].value
            'ab'
        """
        if cls is BPE and (handle := _bpe_of_files(_read(vocab), _read(merges), kwargs)):
            return cls._wrap(handle)
        return cls(*cls.read_file(vocab, merges), **kwargs)

    def _clear_cache(self) -> None:
        """Kept for programs that call it; the cache belongs to the tokenizer."""

    def _resize_cache(self, capacity: int) -> None:
        """Kept for programs that call it; the cache belongs to the tokenizer."""

    dropout: Field[float | None] = Field("Probability of skipping a merge.")
    unk_token: Field[str | None] = Field("The token for characters that are not in the vocabulary.")
    continuing_subword_prefix: Field[str | None] = Field("Put before symbols that do not begin a piece.")
    end_of_word_suffix: Field[str | None] = Field("Put after the last symbol of every piece.")
    fuse_unk: Field[bool] = Field("Make a run of unknown characters one token.")
    byte_fallback: Field[bool] = Field("Spell unknown characters with tokens like `<0x61>`.")
    ignore_merges: Field[bool] = Field("A piece that is in the vocabulary is one token.")

    # Where merges go by rank: a list of them would have to be worked out.
    _shown = ("by_rank", "vocab_size")

    def _render(self, limit: Limit) -> str:
        return self._short() if self._handle.get("by_rank") else super()._render(limit)


class WordPiece(Model, kind="WordPiece"):
    """The longest token that fits, again and again from left to right, as BERT does.

    Args:
        vocab: tokens and their ids.
        unk_token: the token for pieces that cannot be spelled.
        max_input_chars_per_word: longer pieces are unknown.
        continuing_subword_prefix: marks the tokens that do not begin a piece.

    Example:
        >>> from tessella.models import WordPiece
        >>> model = WordPiece({"[UNK]": 0, "un": 1, "##do": 2})
        >>> [token.value for token in model.tokenize("undo")]
        ['un', '##do']
    """

    __slots__ = ()

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        *,
        unk_token: str = "[UNK]",
        max_input_chars_per_word: int = 100,
        continuing_subword_prefix: str = "##",
    ) -> None:
        if isinstance(vocab, (str, os.PathLike)):
            _deprecated("WordPiece")
            vocab = self.read_file(vocab)
        self._handle = _Handle.with_vocab(
            "WordPiece",
            dict(vocab or {}),
            unk_token=token_text("unk_token", unk_token),
            max_input_chars_per_word=max_input_chars_per_word,
            continuing_subword_prefix=continuing_subword_prefix,
        )

    @staticmethod
    def read_file(vocab: _Path) -> dict[str, int]:
        """Reads ``vocab.txt``: one token in each line."""
        return _tessella.read_vocab_txt(_read(vocab))

    @classmethod
    def from_file(cls, vocab: _Path, **kwargs: Unpack[WordPieceOptions]) -> WordPiece:
        """A model from ``vocab.txt``; other arguments as for the class.

        Example:
            >>> import tempfile
            >>> from tessella.models import WordPiece
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     (vocab,) = WordPiece({"[UNK]": 0, "un": 1}).save(folder)
            ...     WordPiece.from_file(vocab).id_to_token(1)
            'un'
        """
        return cls(cls.read_file(vocab), **kwargs)

    unk_token: Field[str] = Field("The token for pieces that cannot be spelled.")
    max_input_chars_per_word: Field[int] = Field("Longer pieces are unknown.")
    continuing_subword_prefix: Field[str] = Field("Marks the tokens that do not begin a piece.")


class WordLevel(Model, kind="WordLevel"):
    """Every piece is one token.

    Args:
        vocab: tokens and their ids.
        unk_token: the token for all other pieces, ``<unk>`` by default.

    Example:
        >>> from tessella.models import WordLevel
        >>> WordLevel({"hello": 0, "<unk>": 1}).tokenize("there")[0].id
        1
    """

    __slots__ = ()

    def __init__(self, vocab: Mapping[str, int] | str | None = None, unk_token: str | None = None) -> None:
        if isinstance(vocab, (str, os.PathLike)):
            _deprecated("WordLevel")
            vocab = self.read_file(vocab)
        unk_token = "<unk>" if unk_token is None else token_text("unk_token", unk_token)
        self._handle = _Handle.with_vocab("WordLevel", dict(vocab or {}), unk_token=unk_token)

    @staticmethod
    def read_file(vocab: _Path) -> dict[str, int]:
        """Reads ``vocab.json``."""
        return _read_vocab_json(vocab)

    @classmethod
    def from_file(cls, vocab: _Path, unk_token: str | None = None) -> WordLevel:
        """A model from ``vocab.json``."""
        return cls(cls.read_file(vocab), unk_token)

    unk_token: Field[str] = Field("The token for pieces that are not in the vocabulary.")


class Unigram(Model, kind="Unigram"):
    """The most probable segmentation under a unigram language model, as SentencePiece does.

    Args:
        vocab: pieces with their log-probabilities, in id order; without it, one unknown piece.
        unk_id: the id of the unknown piece. Without it, unknown text is an error.
        byte_fallback: spell unknown text with tokens like ``<0x61>``.
        alpha: sample segmentations with this temperature instead of taking the best; ``None`` for the best.
        nbest_size: sample from this many best segmentations; ``None`` for all.

    Example:
        >>> from tessella.models import Unigram
        >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("ab", -1.5), ("b", -1.0)], 0)
        >>> [token.value for token in model.tokenize("ab")]
        ['ab']
    """

    __slots__ = ()

    def __init__(
        self,
        vocab: Iterable[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
    ) -> None:
        if vocab is None:
            if unk_id is not None:
                raise ArgumentError("`vocab` and `unk_id` must be both specified")
            vocab, unk_id = [("<unk>", 0.0)], 0
        pieces = _scored(vocab)
        # What is no number is not even equal to itself: no reading would be better than another.
        lost = next((piece for piece, score in pieces if score != score), None)
        if lost is not None:
            raise ArgumentError(f"the score of `{lost}` is NaN: a score must be a number")
        self._handle = _Handle.unigram(
            pieces,
            unk_id=unk_id,
            byte_fallback=flag("byte_fallback", byte_fallback),
            alpha=alpha,
            nbest_size=nbest_size,
        )

    def _clear_cache(self) -> None:
        """Kept for programs that call it; the cache belongs to the tokenizer."""

    def _resize_cache(self, capacity: int) -> None:
        """Kept for programs that call it; the cache belongs to the tokenizer."""

    unk_id: ReadOnly[int | None] = ReadOnly("The id of the unknown piece.")
    byte_fallback: Field[bool] = Field("Spell unknown text with tokens like `<0x61>`.")
    alpha: Field[float | None] = Field("Temperature of sampling; `None` takes the best.")
    nbest_size: Field[int | None] = Field("Sample from this many best segmentations.")


class SentencePiece(Model, kind="SentencePiece"):
    """A SentencePiece model, run by SentencePiece's own rules. Loading a ``.model`` file gives one."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("a SentencePiece model is loaded from its file: use `tessella.load`")

    _shown = ("kind", "vocab_size", "byte_fallback")

    kind: ReadOnly[str] = ReadOnly("`unigram`, `bpe`, `word` or `char`.")
    vocab_size: ReadOnly[int] = ReadOnly("The number of pieces.")
    byte_fallback: ReadOnly[bool] = ReadOnly("Spell unknown text with tokens like `<0x61>`.")
