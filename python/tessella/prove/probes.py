"""Texts that tell tokenizers apart, where no corpus does.

Known ones, and what the differences themselves suggest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .._telling import SCRIPTS
from .structure import Change

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


#: Blanks, cases, accents, scripts, digits, contractions, marks, broken and rare characters.
GENERAL = (
    *(
        "",
        " ",
        "  ",
        "a",
        " a",
        "a ",
        "  a  b  ",
        "\t",
        "a\tb",
        "a\nb",
        "a\n\nb",
        "\r\n",
        "\n \n",
        "a\u00a0b",
        "\u3000a",
    ),
    *(
        "Hello, world!",
        "HELLO Hello hello",
        "don't we'll I'M HE'S",
        "1234567890 12 3",
        "3.14 €",
        "x" * 120,
        "ab" * 60,
    ),
    *(
        "a" + " " * 30 + "b",
        "e\u0301 é ﬁ ① Ａ ｶﾞ",
        "naïve café",
        "İıſß",
        "ÀÉÎ",
        "\u00ad\u200b\u200d\ufeff",
        "\ufffd",
        "a\x00b\x01\x7f",
    ),
    *SCRIPTS,
    *(
        "▁",
        "▁▁ ▁a",
        "a▁b",
        "Ġ Ċ",
        "##a",
        "a</w>",
        "<0x41>",
        "<s> </s> <unk> <pad> <mask>",
        "[CLS] [SEP] [UNK] [PAD] [MASK]",
    ),
    *(
        "snake_case CamelCase x2y",
        "(a+b)*c == [d]{e}",
        "http://a.b/c?d=e",
        "a.b,c;d:e!f?g",
        "«a» “b” ‘c’ — –",
    ),
    *(
        "hello \u2581world",
        "The quick brown fox jumps over the lazy dog",
        "can not can't cannot . , ! ?",
        "n't 'm do n't",
    ),
)
#: Texts of tokens that are tried for each difference.
MOST = 60


def probes(before: Tokenizer, after: Tokenizer, found: list[Change]) -> Iterator[str]:
    """General texts, and those that the structural differences suggest."""
    yield from GENERAL
    for change in found:
        if change.part == "added_tokens":
            content = change.path.removeprefix("added_tokens.").rsplit(".", 1)
            for name in {change.path.removeprefix("added_tokens."), content[0]}:
                yield from (
                    name,
                    f"a{name}b",
                    f"a {name} b",
                    f"  {name}  ",
                    f"a{name}",
                    name.lower(),
                    name.upper(),
                    f"({name})",
                )
        for value in (change.before, change.after):
            for text in _texts(value):
                yield from (text, f" {text}", f"a{text}b", f"a {text} b", text * 3)
    for one, other in ((before, after), (after, before)):
        known = other.get_vocab()
        fresh = [id for token, id in one.get_vocab().items() if known.get(token) != id]
        for text in one.decode_batch([[id] for id in sorted(fresh)[:MOST]], skip_special_tokens=False):
            yield from (text, f" {text}", f"a {text}")
        longest = sorted(one.get_vocab().values(), reverse=True)[:MOST]
        yield from one.decode_batch([[id] for id in longest], skip_special_tokens=False)


def _texts(value: Any) -> Iterator[str]:
    """Texts in a changed value: tokens, patterns, marks, and the parts of merges joined."""
    if isinstance(value, str) and not value.startswith("("):
        yield value[:60]
        yield value.replace(" ", "")[:60]
        yield value.replace("Ġ", " ").replace("▁", " ").replace("##", "")[:60]
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(key)
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value[:8]:
            yield from _texts(one)
