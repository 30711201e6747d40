"""Addresses that open a view of the studio, to stand in texts."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


#: Where the studio is, so that links can lead to it.
PORT = 7475
_DOOR = f"http://127.0.0.1:{PORT}/"


def link(page: str, *tokenizers: Tokenizer, **state: str | Sequence[str]) -> str:
    """The address of a view, which brings small tokenizers along.

    It works while `tessella studio` runs, in a browser that has opened it. In another one the part from ``#``
    on goes behind the address of the studio there.

    Args:
        page: the page.
        tokenizers: what it looks at, if that is not there anyway.
        state: what else is chosen on the page, by the names that stand in its address.

    Example:
        >>> link("steps", k="gpt2", text="low lower")
        'http://127.0.0.1:7475/#steps?k=gpt2&text=low%20lower'
    """
    pairs: list[tuple[str, str]] = []
    for one in tokenizers:
        packer = zlib.compressobj(9, wbits=-15)
        packed = packer.compress(one.to_str().encode()) + packer.flush()
        pairs.append(("own~", base64.urlsafe_b64encode(packed).decode().rstrip("=")))
    for name, value in state.items():
        pairs += [(name, one) for one in ([value] if isinstance(value, str) else value)]
    query = urlencode(pairs, quote_via=quote, safe="~")
    return f"{_DOOR}#{page}" + (f"?{query}" if query else "")


def state_of(address: str) -> tuple[str, list[tuple[str, str]]]:
    """The page of an address, and what is chosen on it.

    Example:
        >>> state_of(link("steps", k="gpt2", text="low lower"))
        ('steps', [('k', 'gpt2'), ('text', 'low lower')])
    """
    from urllib.parse import parse_qsl

    page, _, query = address.partition("#")[2].partition("?")
    found = []
    for name, value in parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)):
        if name.endswith("~"):
            raw = base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
            name, value = name.removesuffix("~"), zlib.decompress(raw, wbits=-15).decode()
        found.append((name, value))
    return page, found
