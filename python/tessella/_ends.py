"""What stands round one text and round two: the ways that models have, each told once.

Templates are lists of pieces, as ``TemplateProcessing`` takes them. Recipes, model classes and settings that
ask for marks at the ends make theirs of these.
"""

from __future__ import annotations

#: A template for one text, and one for two.
Pieces = tuple[list[str], list[str]]


def marked(way: str, first: str, last: str) -> Pieces:
    """The templates of a way, with its two marks.

    Example:
        >>> from tessella._ends import marked
        >>> marked("behind", "<cls>", "<sep>")[0]
        ['$A', '<sep>', '<cls>:2']
    """
    return {
        "bert": ([first, "$A", last], [first, "$A", last, "$B:1", f"{last}:1"]),
        "two": ([first, "$A", last], [first, "$A", last, last, "$B", last]),
        "behind": (["$A", last, f"{first}:2"], ["$A", last, "$B:1", f"{last}:1", f"{first}:2"]),
        "last": (["$A", last], ["$A", last, "$B", last]),
    }[way]


def round_each(first: str | None, last: str | None) -> Pieces:
    """The same marks round each text, where they are wanted; types tell the texts of a pair apart.

    Example:
        >>> from tessella._ends import round_each
        >>> round_each("<s>", None)[1]
        ['<s>:0', '$A:0', '<s>:1', '$B:1']
    """
    one, two = (
        [f"{piece}:{kind}" for piece in (first, text, last) if piece is not None]
        for kind, text in enumerate(("$A", "$B"))
    )
    return one, one + two
