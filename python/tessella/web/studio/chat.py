"""A conversation as a tokenizer's chat template writes it, with what a training would count in its loss."""

from __future__ import annotations

from typing import Any

from ..answers import Refused
from ..serve.chat import rendered
from .session import Session
from .tokens import tokens


def chat(session: Session, asked: dict[str, Any]) -> dict[str, Any]:
    """The text, its tokens in the columns that the pages draw, and for each 1 where the loss counts it.

    A template without ``generation`` blocks says nothing about the loss: then there is no mask, and ``note``
    tells why.
    """
    name = asked["tokenizer"]
    shared: dict[str, Any] = {key: asked[key] for key in ("template", "add_generation_prompt")}
    text = rendered(session, name, asked["messages"], tokenize=False, **shared)
    told = {**tokens(session.known(name), text, False), "text": text, "mask": None, "note": None}
    try:
        made = rendered(session, name, asked["messages"], return_assistant_tokens_mask=True, **shared)
    except Refused as error:
        return {**told, "note": str(error)}
    if list(made["input_ids"]) != told["ids"]:
        # A template that tells the time writes another text the second time.
        return {**told, "note": "the template writes another text each time"}
    return {**told, "mask": list(made["assistant_masks"])}
