"""The tokens that a post-processor puts in, which it knows by ids that training may change.

Example:
    >>> from tessella.processors import BertProcessing
    >>> put_in(BertProcessing(("[SEP]", 2), ("[CLS]", 1)))
    {'[CLS]': 1, '[SEP]': 2}
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .._notices import warn

if TYPE_CHECKING:
    from ..processors import PostProcessor
    from ..tokenizer import Tokenizer


def put_in(processor: PostProcessor | None, used: bool = False) -> dict[str, int]:
    """The tokens, in the order of their ids, and these.

    Args:
        processor: the post-processor.
        used: leave out what a template knows and puts nowhere.
    """
    found = {} if processor is None else dict(_named(json.loads(processor.__getstate__()), used))
    return dict(sorted(found.items(), key=lambda entry: entry[1]))


# `Any`: what a post-processor says of itself.
def _named(said: Any, used: bool) -> list[tuple[str, int]]:
    if said["type"] == "Sequence":
        return [one for part in said["processors"] for one in _named(part, used)]
    if said["type"] == "TemplateProcessing":
        placed = [
            part["SpecialToken"]["id"] for part in said["single"] + said["pair"] if "SpecialToken" in part
        ]
        return [
            one
            for name, token in said["special_tokens"].items()
            for one in zip(token["tokens"], token["ids"], strict=True)
            if name in placed or not used
        ]
    return [(said[role][0], said[role][1]) for role in ("cls", "sep") if role in said]


def tell_stale(tokenizer: Tokenizer) -> None:
    """Warns of a post-processor whose ids are those of the vocabulary before."""
    for token, id in put_in(tokenizer.post_processor, used=True).items():
        now = tokenizer.token_to_id(token)
        if now != id:
            which = "the vocabulary does not have it now" if now is None else f"its id is {now} now"
            warn(
                f"the post-processor still puts in {token!r} as {id}, and {which}: set `post_processor` anew "
                "after training"
            )
            return
