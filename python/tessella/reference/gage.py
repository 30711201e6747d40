"""The origin of byte-pair encoding: Gage's compression.

The pair of bytes that occurs most often is replaced by a byte that does not occur in the data, and the pair
is written down, until no pair occurs twice or every byte is in use. Undoing the replacements in reverse
gives the data back. Of equally frequent pairs the one of older symbols goes first: original bytes by value,
then replacements by age.

Example:
    >>> from tessella.reference import gage_compress, gage_expand
    >>> packed = gage_compress("aaabdaaabac")
    >>> packed.data, packed.table
    (b'XdXac', {'Z': b'aa', 'Y': b'ab', 'X': b'ZY'})
    >>> print(packed.show())
    aaabdaaabac
    ZabdZabac    Z=aa
    ZYdZYac      Y=ab
    XdXac        X=ZY
    >>> gage_expand(packed)
    b'aaabdaaabac'
"""

from __future__ import annotations

from dataclasses import dataclass

# Bytes to stand for pairs, readable ones first.
_STAND_INS = [*range(ord("Z"), ord("A") - 1, -1), *(b for b in range(255, -1, -1) if not 65 <= b <= 90)]


@dataclass(frozen=True)
class Gage:
    """Compressed data: what is left, the replaced pairs in order, and the data after each replacement."""

    data: bytes
    pairs: tuple[tuple[int, bytes], ...]
    states: tuple[bytes, ...]

    @property
    def table(self) -> dict[str, bytes]:
        """Each stand-in with the pair that it replaces."""
        return {chr(byte): pair for byte, pair in self.pairs}

    def show(self) -> str:
        """The data after each replacement, with what was replaced."""
        wide = max(map(len, self.states))
        notes = ["", *(f"{chr(byte)}={pair.decode('latin-1')}" for byte, pair in self.pairs)]
        shown = (state.decode("latin-1") for state in self.states)
        return "\n".join(f"{s:<{wide}}  {n}".rstrip() for s, n in zip(shown, notes, strict=True))


def gage_compress(data: bytes | str) -> Gage:
    """Replaces pairs until none occurs twice."""
    now = data.encode("utf-8") if isinstance(data, str) else bytes(data)
    # How old a symbol is: original bytes by value, stand-ins behind them.
    age = {byte: byte for byte in range(256)}
    pairs: list[tuple[int, bytes]] = []
    states = [now]
    used = set(now)
    free = [byte for byte in _STAND_INS if byte not in used]
    while free:
        # `bytes.count` counts without overlap: "aaa" holds "aa" once.
        found = {now[i : i + 2] for i in range(len(now) - 1)}
        repeated = {pair: times for pair in found if (times := now.count(pair)) > 1}
        if not repeated:
            break
        pair = min(repeated, key=lambda pair: (-repeated[pair], age[pair[0]], age[pair[1]]))
        stand_in = free.pop(0)
        age[stand_in] = 256 + len(pairs)
        pairs.append((stand_in, pair))
        now = now.replace(pair, bytes([stand_in]))
        states.append(now)
    return Gage(now, tuple(pairs), tuple(states))


def gage_expand(packed: Gage) -> bytes:
    """The data that was compressed."""
    data = packed.data
    for stand_in, pair in reversed(packed.pairs):
        data = data.replace(bytes([stand_in]), pair)
    return data
