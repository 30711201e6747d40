"""How texts are shown to people: what cannot be seen is spelled out, and colours come where they are wanted.

Texts, tokens, files and their names come from strangers, and a terminal obeys what it is sent: a token may
hold the characters that clear the screen or write into the clipboard. Whatever shows them does it with these.

- `visible`: for a token or a piece, of which every character counts
- `harmless`: for a message or a text that is to be read
- `quoted`: `visible`, between quotation marks
- `written`: for a file's name that goes into a file itself
"""

from __future__ import annotations

import os
import sys
from typing import TextIO


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def visible(text: str, keep: str = "") -> str:
    r"""The text with escapes for what cannot be seen: control and format characters, blanks but the space.

    Example:
        >>> visible("a b\n\x1b[2J\u200bé")
        'a b\\n\\x1b[2J\\u200bé'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else _escaped(c) for c in text)


def harmless(text: str) -> str:
    r"""The text with escapes for what a terminal obeys and for halves of characters, which cannot be written.

    What it obeys are control characters; line ends and tabs stay.

    Example:
        >>> harmless("a\n\x1b[2J\u200d")
        'a\n\\x1b[2J\u200d'
    """
    if text.isprintable():
        return text
    return "".join(_escaped(c) if _obeyed(c) else c for c in text)


def _obeyed(character: str) -> bool:
    return character not in "\n\t" and (
        character < " " or "\x7f" <= character < "\xa0" or "\ud800" <= character < "\ue000"
    )


def quoted(text: str) -> str:
    r"""The text in quotation marks, with what cannot be seen spelled out.

    Example:
        >>> print(quoted('say "a\tb"'))
        "say \"a\tb\""
    """
    return '"' + visible(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def written(name: str) -> str:
    r"""The name of a file as text that can be written. Bytes of it that are no UTF-8 are lone surrogates in
    Python, which no file can hold.

    Example:
        >>> written(b"caf\xe9.txt".decode("utf-8", "surrogateescape"))
        'caf\\udce9.txt'
    """
    if name.isprintable():
        return name
    return "".join(_escaped(c) if "\ud800" <= c <= "\udfff" else c for c in name)


def colours(stream: TextIO | None = None) -> bool:
    """Whether a stream wants colours: ``NO_COLOR`` and plain outputs switch them off, ``FORCE_COLOR`` on."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    stream = sys.stdout if stream is None else stream
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
