"""Recipes: the pipelines of well-known tokenizers, untrained, each with a trainer that fits.

A recipe cuts text as its model does and puts the same special tokens around it; what it lacks is a
vocabulary, which comes from your own texts.

- ``recipe.py``: what a recipe is
- ``wordpiece.py``: BERT
- ``byte_level.py``: GPT-2, RoBERTa, CLIP, Llama 3, cl100k, o200k, StarCoder 2, Galactica
- ``metaspace.py``: T5, ALBERT, XLNet, FNet, CamemBERT, Llama 2
- ``words.py``: Transformer-XL

Example:
    >>> from tessella import recipes
    >>> tokenizer = recipes.get("bert-cased").train(["Low, lower, lowest!"] * 10, vocab_size=60)
    >>> tokenizer.encode("lowest!").tokens
    ['[CLS]', 'lowest', '!', '[SEP]']
    >>> recipes.names()[:3]
    ('albert', 'bert-cased', 'bert-uncased')
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..errors import ArgumentError
from . import byte_level, metaspace, wordpiece, words
from .byte_level import mark_sequences
from .recipe import Recipe

__all__ = ["Recipe", "get", "mark_sequences", "names"]

_RECIPES: dict[str, Callable[..., Recipe]] = {
    **wordpiece.RECIPES,
    **byte_level.RECIPES,
    **metaspace.RECIPES,
    **words.RECIPES,
}


def names() -> tuple[str, ...]:
    """The names that ``get`` knows.

    Example:
        >>> from tessella import recipes
        >>> "gpt2" in recipes.names()
        True
    """
    return tuple(sorted(_RECIPES))


def get(name: str, *, charsmap: bytes | None = None) -> Recipe:
    """The recipe of a name.

    Args:
        name: one of ``names()``.
        charsmap: the compiled normalization rules of a SentencePiece model, for recipes that follow one (T5,
            ALBERT, XLNet, FNet, CamemBERT). Without it they use the rules' two parts, ``Nmt`` and ``NFKC``.

    Example:
        >>> from tessella import recipes
        >>> recipes.get("gpt2").vocab_size
        50257
    """
    if name not in _RECIPES:
        from .._near import meant

        known = ", ".join(names())
        raise ArgumentError(f"there is no recipe {name!r}, known are {known}{meant(str(name), names())}")
    make = _RECIPES[name]
    if charsmap is None:
        recipe = make()
    elif make in metaspace.WITH_CHARSMAP:
        recipe = make(charsmap)
    else:
        raise ArgumentError(f"the recipe {name!r} has no use for a `charsmap`")
    object.__setattr__(recipe, "again", partial(get, name, charsmap=charsmap))
    return recipe
