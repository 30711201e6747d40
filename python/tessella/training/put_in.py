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


def put_in(processor: PostProcessor | None) -> dict[str, int]:
    """The tokens, in the order of their ids, and these."""
    found = {} if processor is None else dict(_named(json.loads(processor.__getstate__())))
    return dict(sorted(found.items(), key=lambda entry: entry[1]))


# `Any`: what a post-processor says of itself.
def _named(said: Any) -> list[tuple[str, int]]:
    if said["type"] == "Sequence":
        return [one for part in said["processors"] for one in _named(part)]
    if said["type"] == "TemplateProcessing":
        return [
            one
            for token in said["special_tokens"].values()
            for one in zip(token["tokens"], token["ids"], strict=True)
        ]
    return [(said[role][0], said[role][1]) for role in ("cls", "sep") if role in said]


def tell_stale(tokenizer: Tokenizer) -> None:
    """Warns of a post-processor whose ids are those of the vocabulary before."""
    for token, id in put_in(tokenizer.post_processor).items():
        now = tokenizer.token_to_id(token)
        if now != id:
            which = "the vocabulary does not have it now" if now is None else f"its id is {now} now"
            warn(
                f"the post-processor still puts in {token!r} as {id}, and {which}: set `post_processor` anew "
                "after training"
            )
            return
