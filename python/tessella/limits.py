"""What one text may cost: limits against hostile descriptions, and mistaken ones.

The description of a tokenizer can ask for more than anybody wants: a pattern that tries every way to cut a
line, a row of replacements that each double the text. Such work ends in an error that names the limit. The
limits hold for the process, so they also protect from a tokenizer that somebody else loads, and what honest
tokenizers ask for is far below them.

Memory is the system's to limit. Where it is (``ulimit -v``, systems that promise no more than they have), a
call with much text asks first for about what it will take: 4 bytes for each byte of a text whose ids are
wanted, 6 of many texts, 9 where all columns are, 16 for each id of a list that is decoded. Where there is
not so much, it is a ``MemoryError`` with nothing begun. This is asked for at 32 MB and more, and it is no
promise: a call that takes more than that, as the encoding of one Unigram text of many megabytes does, or
whose memory others take meanwhile, ends the process, since the engine's tables know no other way. Who works
within a tight limit cuts texts first, or encodes files with ``encode_files``, which reads them in portions.

How long a text may be has no setting: 2,147,483,647 bytes once it is normalized, since places within a piece
of it have 32 bits. A longer one is an ``ArgumentError`` of every call, which tells how long it is; cut it
into documents. Only where nothing is written anew before the model reads it is there no such end: with a BPE
model whose normalizer puts a mark in the place of each blank (``tokenizer.json`` of Llama 2). What comes out
has 64 bits: places in the text that was given, places in a batch, counts. The texts of a batch or of a file
together may have any size. A text that is read from a file may have as many bytes as any other, and 64 MiB
where the file is packed and no ``memory`` says how much there is.

Example:
    >>> import tessella
    >>> from tessella import errors, normalizers
    >>> grows = normalizers.Sequence([normalizers.Replace("a", "aa")] * 40)
    >>> try:
    ...     grows.normalize_str("a" * 100)
    ... except errors.ArgumentError as error:
    ...     print(str(error).partition(";")[0])
    a replacement would make 6553600 bytes or more out of a text of 100 bytes
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

from . import _tessella

__all__ = ["Limits", "get_limits", "set_limits"]


@dataclass(frozen=True)
class Limits:
    """The limits of the process. Each is for one text: of a batch, a corpus or a call."""

    #: How many times its own length a text may get by what normalizers, pre-tokenizers, templates and
    #: decoders make of it. Tokens count as bytes do.
    text_growth: int = 100
    #: Up to so many bytes it may grow whatever its length was: 4 MiB.
    text_growth_free: int = 4 << 20
    #: Seconds of processor time that patterns may work on a text: those that run on a backtracking engine,
    #: which ``explain_plan`` tells. A fifth of them may go into one try to match at one place.
    pattern_seconds: float = 2.0
    #: Seconds more for every million bytes of the text.
    pattern_seconds_per_megabyte: float = 10.0


def get_limits() -> Limits:
    """The limits that hold now.

    Example:
        >>> import tessella
        >>> tessella.get_limits().pattern_seconds
        2.0
    """
    return Limits(*_tessella.limits_now())


def set_limits(
    *,
    text_growth: int | None = None,
    text_growth_free: int | None = None,
    pattern_seconds: float | None = None,
    pattern_seconds_per_megabyte: float | None = None,
) -> Limits:
    """Changes limits of the process, for texts that come in from now on.

    Args:
        text_growth: how many times its own length a text may get.
        text_growth_free: up to so many bytes it may grow in any case.
        pattern_seconds: seconds of processor time that patterns may work on a text, a fifth of them in one
            try to match at one place; ``math.inf`` for no limit.
        pattern_seconds_per_megabyte: seconds more for every million bytes of it.

    What is not given stays as it is.

    Returns:
        The limits before, so that they can be put back: ``set_limits(**dataclasses.asdict(before))``.

    Example:
        >>> import dataclasses, tessella
        >>> before = tessella.set_limits(pattern_seconds=0.5)
        >>> tessella.get_limits().pattern_seconds
        0.5
        >>> _ = tessella.set_limits(**dataclasses.asdict(before))
    """
    before = get_limits()
    given = {
        "text_growth": text_growth,
        "text_growth_free": text_growth_free,
        "pattern_seconds": pattern_seconds,
        "pattern_seconds_per_megabyte": pattern_seconds_per_megabyte,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    _tessella.set_limits(*astuple(replace(before, **changes)))  # type: ignore[arg-type]
    return before
