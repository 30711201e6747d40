"""Texts that an entry written in letters for bytes may come from.

A splitter that spells bytes gives each of them a letter (``Ġ`` is a space). An entry may end in the middle of
a character: it is looked for in characters that begin or end with its bytes.
"""

from __future__ import annotations

from ..pre_tokenizers import ByteLevel

_BYTES = {letter: byte for byte, letter in enumerate(ByteLevel.alphabet())}

# What may complete a character. Entries may hold a part together with one neighbour, so there are several.
_BEFORE = [b"", b"\xc3", b"\xc5", b"\xe4", b"\xe4\xb8", b"\xe2\x80", b"\xf0", b"\xf0\x9f", b"\xf0\x9f\x98"]
_AFTER = [b"", b"\x80", b"\x91", b"\xa0", *(first + b"\x80" for first in (b"\x80", b"\x91", b"\xa0"))]
_AFTER += [b"\x80\x80\x80", b"\x91\x80\x80"]


def byte_texts(entry: str) -> list[str]:
    """Texts with the bytes of an entry, none for an entry that has other letters.

    Example:
        >>> byte_texts("Ġlow")
        [' low']
        >>> byte_texts("Ã")
        ['À', 'Ñ', 'à']
    """
    if not entry or any(letter not in _BYTES for letter in entry):
        return []
    own = bytes(_BYTES[letter] for letter in entry)
    texts: list[str] = []
    for data in (before + own + after for before in _BEFORE for after in _AFTER):
        try:
            texts.append(data.decode())
        except UnicodeDecodeError:
            continue
        if texts[0] == own.decode(errors="ignore"):
            break
    return texts
