"""Conversations, as a model's chat template writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..answers import Refused
from ..schema import TEXT, Schema, array, fields, whole
from ..work import Deadline
from .operation import Operation, described, flag, request, tokenizer_field
from .service import Service

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


MESSAGES = array(fields({"role": TEXT}, "role"), minItems=1, maxItems=10_000)
_OBJECTS = {"type": ["array", "null"], "items": {"type": "object"}, "maxItems": 1000, "default": None}
#: What a template reads besides, such as whether a model shall think.
VARIABLES = {"type": ["object", "null"], "default": None}


def _request(service: Service) -> Schema:
    return request(
        {
            "messages": described(
                MESSAGES, "Objects with `role` and `content`, and what else the template reads."
            ),
            "tokenizer": tokenizer_field(service),
            "template": {
                "type": ["string", "null"],
                "default": None,
                "description": "The name of one of the tokenizer's templates. Templates themselves are not "
                "taken.",
            },
            "tools": described(_OBJECTS, "JSON schemas of tools, for the template."),
            "documents": described(_OBJECTS, "Objects with `title` and `text`, for the template."),
            "variables": described(VARIABLES, "Further names that the template reads, with their values."),
            "add_generation_prompt": flag("End with what begins the assistant's answer.", False),
            "continue_final_message": flag("End right behind the text of the last message.", False),
            "tokenize": flag("Also tell the ids of the text.", True),
            "assistant_mask": flag(
                "Also tell which tokens are the assistant's: 1 inside the template's `generation` blocks.",
                False,
            ),
        },
        "messages",
    )


class Named(Protocol):
    """What knows tokenizers by name."""

    def tokenizer(self, name: str | None) -> tuple[str, Tokenizer]: ...


def rendered(
    service: Named,
    name: str | None,
    messages: list[Any],
    variables: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """What ``apply_chat_template`` gives, its complaints as answers."""
    from inspect import signature

    from ...batch import PretrainedTokenizer
    from ...errors import MissingDependencyError, TessellaError

    chosen, tokenizer = service.tokenizer(name)
    template = options.pop("template", None)
    known = PretrainedTokenizer.over(tokenizer)
    own = known.chat_template
    if own is None:
        raise Refused(404, f"the tokenizer {chosen!r} has no chat template")
    if template is not None and not (isinstance(own, dict) and template in own):
        names = ", ".join(own) if isinstance(own, dict) else "none with a name"
        raise Refused(
            404, f"the tokenizer {chosen!r} has no chat template {template!r}: it has {names}", "$.template"
        )
    variables = variables or {}
    # An argument by way of a variable could be a template, which nobody may send.
    if taken := [one for one in variables if one in signature(known.apply_chat_template).parameters]:
        raise Refused(409, f"{taken[0]!r} is no variable of a template: it has another meaning here")
    try:
        return known.apply_chat_template(messages, chat_template=template, **options, **variables)
    except MissingDependencyError:
        raise
    except (TessellaError, TypeError, ValueError, KeyError) as error:
        raise Refused(409, f"the chat template of {chosen!r} cannot write these messages: {error}") from error
    except Exception as error:
        # A template calls for an error of Jinja's own where a conversation is not to its taste.
        if type(error).__module__.partition(".")[0] == "jinja2":
            raise Refused(409, f"the chat template of {chosen!r} refuses: {error}", "$.messages") from error
        raise


def _chat(service: Service, asked: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    name = asked["tokenizer"]
    shared = {
        key: asked[key]
        for key in (
            "template",
            "tools",
            "documents",
            "variables",
            "add_generation_prompt",
            "continue_final_message",
        )
    }
    text = rendered(service, name, asked["messages"], tokenize=False, **shared)
    told: dict[str, Any] = {"tokenizer": service.tokenizer(name)[0], "text": text}
    deadline.check()
    if asked["assistant_mask"]:
        made = rendered(service, name, asked["messages"], return_assistant_tokens_mask=True, **shared)
        return {**told, "ids": list(made["input_ids"]), "assistant_mask": list(made["assistant_masks"])}
    if asked["tokenize"]:
        # The ids of the text that was told, also where a template tells the time.
        ids = service.tokenizer(name)[1].encode_ids(text, False)
        return {**told, "ids": ids.tolist()}
    return told


CHAT = Operation(
    "/v1/chat",
    "Conversations to text and ids",
    "A conversation as the tokenizer's chat template writes it, and its ids. Needs jinja2 on the server, and "
    "a tokenizer that was loaded from a folder with a template.",
    _request,
    fields(
        {"tokenizer": TEXT, "text": TEXT, "ids": array(whole()), "assistant_mask": array(whole())},
        "tokenizer",
        "text",
    ),
    _chat,
    {"messages": [{"role": "user", "content": "low lower lowest"}], "add_generation_prompt": True},
)
