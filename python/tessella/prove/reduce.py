"""A text made as small as it can be while something about it stays true."""

from __future__ import annotations

from collections.abc import Callable

#: Texts that are tried at most.
TRIES = 4000


def smallest(text: str, holds: Callable[[str], bool], tries: int = TRIES) -> str:
    """The text without all that can be left out, longest parts first, so that ``holds`` is still true.

    What is left is minimal: no single character can go. Then characters are replaced with plainer ones.

    Args:
        text: for which ``holds`` is true.
        holds: what has to stay true.
        tries: how many texts are tried at most.

    Example:
        >>> smallest("the quick brown fox", lambda text: "o" in text and "x" in text)
        'ox'
        >>> smallest("zebra", lambda text: len(text) > 1)
        'aa'
    """
    left = tries

    def good(candidate: str) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and holds(candidate)

    size = max(1, len(text) // 2)
    while True:
        shrunk = False
        start = 0
        while start < len(text) and left > 0:
            candidate = text[:start] + text[start + size :]
            if candidate != text and good(candidate):
                text, shrunk = candidate, True
            else:
                start += size
        if size > 1:
            size //= 2
        elif not shrunk or left <= 0:
            break
    for place in range(len(text)):
        for plainer in "a ":
            candidate = text[:place] + plainer + text[place + 1 :]
            if text[place] not in "a " and good(candidate):
                text = candidate
                break
    return text
