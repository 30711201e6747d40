"""What a run is asked for, checked before anything is read, and plain data for the manifest."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .._texts import Reading
from ..counting import memory_size
from ..errors import ArgumentError, UnsupportedError
from ._fingerprint import backend_of
from .layouts import Layout, Shape, layout
from .plan import SHARD_SIZE

if TYPE_CHECKING:
    from .._types import AnyTokenizer
    from ..tokenizer import Tokenizer


Format = Literal[
    "megatron", "nanogpt", "llm.c", "mds", "datatrove", "dolma", "litdata", "parquet", "arrow", "numpy"
]
#: What a token that ends a document is called in well-known vocabularies.
ENDS = ("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>", "<|eos|>", "[EOS]")
#: Settings that are told only where they are not this.
UNTOLD = {"on_error": "raise", "across": False, "dedup": None}
PACKINGS = (None, "concat", "best-fit")
#: Tokens of a row at most: files and attention tell places in one by 32 bits with a sign.
LONGEST_ROW = (1 << 31) - 1


@dataclass(frozen=True)
class Settings:
    """All that decides which bytes come out, besides the tokenizer and the inputs."""

    format: str
    dtype: str
    vocab_size: int
    bos: int | None
    eos: int | None
    #: The id that rows are filled up with.
    pad: int | None
    special: bool
    field: str
    form: str
    separator: str | None
    errors: str
    shard_size: int
    pack: str | None = None
    length: int | None = None
    shuffle: int | None = None
    mask: str | None = None
    #: What is done about a document that cannot be read or encoded: ``"raise"`` or ``"skip"``.
    on_error: str = "raise"
    #: What is taken for a repeated document and left out: ``"exact"``, or nothing.
    dedup: str | None = None
    #: Whether the order is drawn over the documents of all shards.
    across: bool = False
    #: ``"texts"``, or ``"tokens"`` where the inputs are token files.
    source: str = "texts"

    @property
    def layout(self) -> Layout:
        """How files are written."""
        return layout(self.format)

    @property
    def reading(self) -> Reading:
        """How texts are read."""
        return Reading(self.field, self.errors, self.form, self.separator, "never")

    @property
    def has_lines(self) -> bool:
        """Whether plain text is cut at its line ends."""
        return self.form == "jsonl" or self.separator == "\n"

    def shape(self, fingerprint: str) -> Shape:
        """What the layout must know."""
        return Shape(
            self.dtype, self.vocab_size, fingerprint, self.bos, self.eos, self.mask is not None, self.length
        )

    def told(self) -> dict[str, Any]:
        """Plain data for the manifest."""
        told = dataclasses.asdict(self)
        # So that manifests of runs that do not ask for it are those of versions that did not know of it.
        return {name: value for name, value in told.items() if UNTOLD.get(name, ...) != value}

    @classmethod
    def from_told(cls, told: dict[str, Any]) -> Settings:
        """Settings of a manifest."""
        return cls(**told)


def settle(tokenizer: AnyTokenizer, format: str, **asked: Any) -> Settings:
    """Settings of what is asked for, all choices made.

    Args:
        tokenizer: the tokenizer.
        format: the name of a layout.
        asked: the arguments of ``tokenize_corpus``.
    """
    backend = backend_of(tokenizer)
    made = layout(format)
    vocab_size = max(backend.get_vocab().values(), default=-1) + 1
    dtype = _dtype(made, asked["dtype"], vocab_size)
    bos = _token(backend, "bos", asked["bos"])
    is_chat = asked["mask"] is not None
    eos = None if is_chat and asked["eos"] == "auto" else _token(backend, "eos", asked["eos"])
    field = ("messages" if is_chat else "text") if asked["field"] is None else asked["field"]
    length = _row_length(made, asked)
    _check_filling(asked)
    pad = _token(backend, "pad", asked["pad"])
    if asked["pack"] is not None and pad is None:
        pad = eos if eos is not None else 0
    shard_size = SHARD_SIZE if asked["shard_size"] is None else memory_size(asked["shard_size"], "shard_size")
    if shard_size < 1:
        raise ArgumentError(f"`shard_size` must be 1 byte or more, found {asked['shard_size']!r}")
    settings = Settings(
        format=format,
        dtype=dtype,
        vocab_size=vocab_size,
        bos=bos,
        eos=eos,
        pad=pad if asked["pack"] is not None else None,
        special=bool(asked["add_special_tokens"]),
        field=field,
        form=asked["input_format"],
        separator=asked["separator"],
        errors=asked["errors"],
        shard_size=shard_size,
        pack=asked["pack"],
        length=length,
        shuffle=_seed(asked["shuffle"]),
        mask=asked["mask"],
        on_error=asked["on_error"],
        dedup=asked["dedup"],
    )
    # Checks what it is made of.
    _ = settings.reading
    if settings.on_error not in ("raise", "skip"):
        raise ArgumentError(f"`on_error` must be 'raise' or 'skip', found {settings.on_error!r}")
    if settings.dedup not in (None, "exact"):
        raise ArgumentError(f"`dedup` must be 'exact' or None, found {settings.dedup!r}")
    if settings.mask not in (None, "assistant"):
        raise ArgumentError(f"`mask` must be 'assistant' or None, found {settings.mask!r}")
    return settings


def resettle(before: Settings, format: str, **asked: Any) -> Settings:
    """Settings for writing again what was encoded with others.

    Args:
        before: the settings of the source.
        format: the name of a layout.
        asked: the arguments of ``pack_corpus``.
    """
    made = layout(format)
    length = _row_length(made, asked)
    if asked["across"] and asked["shuffle"] is None:
        raise ArgumentError("`across` says over what an order is drawn: name its seed, shuffle=0")
    _check_filling(asked)
    pad = asked["pad"]
    if asked["pack"] is not None:
        if pad is None:
            pad = before.eos if before.eos is not None else 0
        pad = _number(pad)
        if pad is None or not 0 <= pad < before.vocab_size:
            raise ArgumentError(f"`pad` must be an id below {before.vocab_size}, found {asked['pad']!r}")
    return dataclasses.replace(
        before,
        format=format,
        dtype=_dtype(made, asked["dtype"], before.vocab_size),
        pad=pad,
        pack=asked["pack"],
        length=length,
        shuffle=_seed(asked["shuffle"]),
        across=asked["across"],
        source="tokens",
        on_error="raise",
        dedup=None,
    )


def _check_filling(asked: dict[str, Any]) -> None:
    if asked["pad"] is not None and asked["pack"] is None:
        raise ArgumentError(
            "`pad` fills up rows, and documents stay as they are: name `pack` and `length`, or leave it out"
        )


def _dtype(made: Layout, asked: str, vocab_size: int) -> str:
    import numpy as np

    if asked == "auto":
        for name in made.dtypes:
            if vocab_size - 1 <= np.iinfo(name).max:
                return name
        raise UnsupportedError(
            f"no type of numbers of the format {made.name} ({', '.join(made.dtypes)}) holds the id "
            f"{vocab_size - 1}"
        )
    if asked not in made.dtypes:
        raise ArgumentError(
            f"`dtype` must be 'auto' or one that {made.name} files know ({', '.join(made.dtypes)}), "
            f"found {asked!r}"
        )
    if vocab_size - 1 > np.iinfo(asked).max:
        raise ArgumentError(
            f"the vocabulary has the id {vocab_size - 1}, which does not fit into {asked}: use dtype='auto'"
        )
    return asked


def _token(backend: Tokenizer, role: str, asked: str | int | None) -> int | None:
    """The id of a token that was named, or guessed where that is safe."""
    if asked is None:
        return None
    if asked == "auto":
        found = [name for name in ENDS if backend.token_to_id(name) is not None]
        if len(found) == 1:
            return backend.token_to_id(found[0])
        which = f"it has {' and '.join(found)}" if found else f"it has none of {', '.join(ENDS)}"
        raise ArgumentError(
            f"say which token ends a document: eos='...' (--eos), or eos=None (--no-eos) for none; the "
            f"tokenizer does not tell, {which}"
        )
    if isinstance(asked, str):
        id = backend.token_to_id(asked)
        if id is None:
            from .._near import meant

            raise ArgumentError(
                f"`{role}` is {asked!r}, which is no token of the tokenizer{meant(asked, _specials(backend))}"
            )
        return id
    id = _number(asked)
    if id is None:
        raise TypeError(f"`{role}` must be a token, its id or None, not {type(asked).__name__}")
    if id < 0 or backend.id_to_token(id) is None:
        raise ArgumentError(f"`{role}` is {asked}, which is no id of the tokenizer")
    return id


def _specials(backend: Tokenizer) -> list[str]:
    return [token.content for token in backend.get_added_tokens_decoder().values()]


# `Any`: what is no number is told by who asked.
def _number(value: Any) -> int | None:
    """A whole number of any type, those of NumPy too, as a plain one; manifests hold no others."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    return int(value.__index__())


def _seed(shuffle: Any) -> int | None:
    seed = _number(shuffle)
    if shuffle is not None and (seed is None or seed < 0):
        raise ArgumentError(f"`shuffle` must be a seed, a whole number from 0, or None, found {shuffle!r}")
    return seed


def _row_length(made: Layout, asked: dict[str, Any]) -> int | None:
    """The length of rows, once it is sure that they can be made."""
    pack, length = asked["pack"], asked["length"]
    if pack not in PACKINGS:
        raise ArgumentError(f"`pack` must be 'concat', 'best-fit' or None, found {pack!r}")
    if (pack is None) != (length is None):
        raise ArgumentError(
            "`pack` and `length` go together: how documents are packed, and into rows of what length; "
            "without both, documents stay as they are (pack=None)"
        )
    if pack is None:
        return None
    number = _number(length)
    if number is None or not 2 <= number <= LONGEST_ROW:
        raise ArgumentError(f"`length` must be a number of tokens from 2 to {LONGEST_ROW}, found {length!r}")
    if not made.holds_rows:
        from .layouts import LAYOUTS

        able = ", ".join(name for name, one in LAYOUTS.items() if one.holds_rows)
        raise UnsupportedError(
            f"{made.name} files hold documents and no rows: their reader cuts windows itself. "
            f"Leave `pack` out, or use one of the formats {able}"
        )
    return number
