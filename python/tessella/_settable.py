"""What can be set on a tokenizer, and what is a slip."""

from __future__ import annotations

from ._near import nearest

#: What can be set on a tokenizer; a name that is nearly one of these is a slip.
SETTABLE = ("decoder", "encode_special_tokens", "model", "normalizer", "post_processor", "pre_tokenizer")


def refused(cls: type, own: bool, name: str) -> str | None:
    """Why a name cannot be set on a tokenizer of this class; ``None`` where it can.

    On a tokenizer itself only what has a meaning can be set. Subclasses may have attributes of their own, so
    there only names that are nearly those of a property are refused, as slips.

    Args:
        cls: the class.
        own: whether it is a subclass.
        name: what is set.
    """
    if hasattr(cls, name) or any(name in getattr(base, "__annotations__", {}) for base in cls.__mro__):
        return None
    if own and (name.startswith("_") or name.removesuffix("s") in SETTABLE):
        return None
    text = f"'{cls.__name__}' object has no attribute '{name}'"
    settable = SETTABLE if own else (*SETTABLE, "chat_template", "config")
    near = nearest(name, settable, 0.9 if own else 0.75)
    if near is not None:
        return f"{text}. Did you mean: '{near}'?"
    if own:
        return None
    if name.endswith("_token"):
        return f"{text}; tokens with roles are those of a tessella.batch.PretrainedTokenizer(tokenizer, ...)"
    for start, method in (("pad", "enable_padding"), ("trunc", "enable_truncation")):
        if name.startswith(start):
            return f"{text}; call `{method}`"
    return f"{text}; what can be set is {', '.join(settable)}, and anything in a subclass of your own"
