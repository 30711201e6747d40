"""Conversations as chat templates write them: which template, its text, and what in it the assistant says."""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ArgumentError, UnsupportedError
from .encoding import BatchEncoding
from .templates import plain, render, render_with_spans

if TYPE_CHECKING:
    from .tensors import Tensors

#: A template, or templates by name, or ``None``.
Templates = str | dict[str, str] | None
#: A function with type hints and a docstring, or a JSON schema.
Tool = Callable[..., object] | Mapping[str, object]

# A message's reasoning goes by several names; the first one is what templates read.
_REASONING = ("reasoning_content", "thinking", "reasoning")


def _is_batch(conversation: Any) -> bool:
    if not isinstance(conversation, (list, tuple)):
        return False
    if not conversation:
        raise ArgumentError(
            "Cannot apply chat template to an empty conversation. Provide at least one message."
        )
    return isinstance(conversation[0], (list, tuple)) or hasattr(conversation[0], "messages")


_TEXTS = frozenset((str,))


def _is_usual(message: dict[Any, Any]) -> bool:
    """Whether the keys are texts and none of them one of the names for reasoning."""
    return _TEXTS.issuperset(map(type, message)) and message.keys().isdisjoint(_REASONING)


def _messages(conversation: Any) -> list[dict[str, Any]]:
    """The messages as plain data, without keys that say nothing."""
    messages = []
    listed = getattr(conversation, "messages", conversation)
    if not isinstance(listed, Iterable):
        raise TypeError(
            f"a conversation must be a list of messages, not {type(listed).__name__} {listed!r:.60}"
        )
    for place, message in enumerate(listed):
        if type(message) is dict and _TEXTS.issuperset(map(type, message.values())) and _is_usual(message):
            # Nothing but texts: all of it is plain.
            messages.append(message.copy())
            continue
        made = plain(message)
        if not isinstance(made, dict):
            raise TypeError(
                f"message {place} of the conversation must be a dict such as {{'role': 'user', 'content': "
                f"'...'}}, not {type(message).__name__}"
            )
        made = {key: value for key, value in made.items() if value is not None}
        reasoning = next((made[name] for name in _REASONING if name in made), None)
        if reasoning is not None:
            made = {"thinking": reasoning, **made, "reasoning_content": reasoning}
        messages.append(made)
    return messages


def _tools(tools: Sequence[Tool] | None) -> Any:
    if tools is None:
        return None
    from .schema import function_schema

    made = []
    for tool in tools:
        if isinstance(tool, Mapping):
            made.append(tool)
        elif inspect.isfunction(tool) or inspect.ismethod(tool):
            made.append(function_schema(tool))
        else:
            raise ArgumentError(f"a tool must be a JSON schema or a function with type hints, not {tool!r}")
    return plain(made)


def _documents(documents: Any) -> Any:
    if documents is None:
        return None
    if isinstance(documents, (str, bytes, Mapping)):
        raise TypeError(f"`documents` must be a list of dicts, not {type(documents).__name__}")
    for place, document in enumerate(documents):
        if not isinstance(document, Mapping):
            raise TypeError(
                "`documents` must be a list of dicts with 'title' and 'text'; document "
                f"{place} is of type {type(document).__name__}"
            )
    return plain(documents)


def _with_end_mark(messages: list[dict[str, Any]], field: str, mark: str, template: str) -> str:
    """Puts a mark behind the last message's text, which the template must name, and gives that text."""
    text = messages[-1].get(field)
    if text is None:
        raise ArgumentError(
            f'continue_final_message is set but the final message has no "{field}" to continue'
        )
    fields = (
        [name for name in _REASONING if messages[-1].get(name) == text] if field in _REASONING else [field]
    )
    if not any(name in template for name in fields):
        raise ArgumentError(
            f'continue_final_message is set, but the chat template has no "{field}" in it to continue'
        )
    if isinstance(text, (list, tuple)):
        for block in reversed(text):
            if isinstance(block, dict) and "text" in block:
                text = block["text"]
                block["text"] = f"{text}{mark}"
                return str(text)
        raise ArgumentError("continue_final_message is set but the final message holds no text to continue")
    for name in fields:
        messages[-1][name] = f"{text}{mark}"
    return str(text)


def _cut(rendered: str, unmarked: str, text: str, mark: str) -> str:
    """What a template made of a conversation, up to the last mark that it shows.

    A template may show the text several times. What it makes without marks tells what stands between them.
    """
    *parts, rest = rendered.split(mark.strip())
    if not parts or text.strip() not in rendered:
        raise ArgumentError(
            "continue_final_message is set but the chat template does not show the final message as it is; "
            f"found {rendered[-200:]!r}"
        )
    ends = {0}
    for place, (part, behind) in enumerate(zip(parts, [*parts[1:], rest], strict=True)):
        # The blank of the mark before is none of the text.
        forms = {part, part.removeprefix(" ")} if place else {part}
        stripped = {form.rstrip() for form in forms}
        if not behind.startswith(" "):
            # A template that strips the blank behind the mark would have stripped those behind the text.
            forms = stripped
        elif place < len(parts) - 1:
            forms |= stripped
        # The blank behind a mark may be the template's own, behind a text that it stripped.
        ends = _ends(unmarked, ends, forms) or _ends(unmarked, ends, stripped)
    if not ends:
        raise ArgumentError(
            "continue_final_message is set but the chat template changes the final message, or writes before "
            f"it what depends on its length; without it there is {unmarked[-200:]!r}"
        )
    return unmarked[: max(ends)]


def _ends(text: str, starts: set[int], forms: set[str]) -> set[int]:
    """Where one of the forms that stand at the starts may end."""
    return {start + len(form) for start in starts for form in forms if text.startswith(form, start)}


def named_templates(given: Any, beside: Sequence[tuple[str, str]]) -> Templates:
    """The templates of a tokenizer.

    Args:
        given: what the settings say: one, or all of them, in a dict or as a list of names and templates.
        beside: templates with names, from files of their own.
    """
    if isinstance(given, (list, tuple)):
        given = {entry["name"]: entry["template"] for entry in given}
    if beside and not isinstance(given, dict):
        given = {**({} if given is None else {"default": given}), **dict(beside)}
    return given  # type: ignore[no-any-return]


def chosen_template(own: Templates, given: str | None, tools: object) -> str:
    """The template that a conversation goes through.

    Args:
        own: the tokenizer's.
        given: a template, or the name of one of the tokenizer's.
        tools: with tools, the template named ``tool_use`` is taken if there is one.
    """
    for one in (given, *(own.values() if isinstance(own, dict) else (own,))):
        if one is not None and not isinstance(one, str):
            raise TypeError(
                f"`chat_template` must be a str, or a dict of them by name, not {type(one).__name__}"
            )
    if isinstance(own, dict):
        if given is not None:
            return own.get(given, given)
        if tools is not None and "tool_use" in own:
            return own["tool_use"]
        if "default" in own:
            return own["default"]
        raise ArgumentError(
            f"none of the chat templates {', '.join(sorted(own))} is the default: pass the name of one "
            "as `chat_template`"
        )
    if given is not None:
        return given
    if own is None:
        raise ArgumentError(
            "this tokenizer has no chat template: set tokenizer.chat_template, or pass `chat_template`"
        )
    return own


def check_together(
    masked: bool, encoded: bool, continued: bool | str, prompted: bool, sanitized: bool
) -> None:
    """Refuses options of ``apply_chat_template`` that are not supported or do not go together.

    Args:
        masked: a mask of what the assistant says is wanted.
        encoded: the conversation becomes a ``BatchEncoding``.
        continued: it ends right after the text of its last message.
        prompted: it ends with what begins an answer.
        sanitized: control tokens in it are made harmless.
    """
    if sanitized:
        raise UnsupportedError(
            "sanitize_control_tokens is not supported: encode what users wrote with split_special_tokens=True"
        )
    if masked and not encoded:
        raise ArgumentError(
            "`return_assistant_tokens_mask=True` requires `return_dict=True` and `tokenize=True`"
        )
    if continued and (prompted or masked):
        other = "add_generation_prompt" if prompted else "return_assistant_tokens_mask"
        raise ArgumentError(f"continue_final_message and {other} are not compatible: use one of them")


class Written(NamedTuple):
    """What a template wrote."""

    texts: list[str]
    #: Where in each text the assistant speaks, if that was asked for.
    spans: list[list[tuple[int, int]]]
    #: Whether there were several conversations.
    batched: bool


def written(
    template: str,
    conversation: Any,
    variables: Mapping[str, object],
    tools: Sequence[Tool] | None,
    documents: Sequence[Mapping[str, str]] | None,
    continued: bool | str,
    spans: bool,
) -> Written:
    """A conversation, or a batch of them, as a template writes it.

    Args:
        template: the template.
        conversation: messages, or a list of lists of them.
        variables: what it may use besides messages, tools and documents.
        tools: JSON schemas or functions.
        documents: dicts for the template.
        continued: end right after the text of the last message; a str names the field with it.
        spans: tell where the assistant speaks.
    """
    batched = _is_batch(conversation)
    shared = {**variables, "tools": _tools(tools), "documents": _documents(documents)}
    texts, found = [], []
    for one in conversation if batched else [conversation]:
        values = {**shared, "messages": _messages(one)}
        if continued:
            texts.append(_continued(template, values, continued if isinstance(continued, str) else "content"))
        elif spans:
            text, own = render_with_spans(template, values)
            texts.append(text)
            found.append(own)
        else:
            texts.append(render(template, values))
    return Written(texts, found, batched)


def _continued(template: str, values: Mapping[str, Any], field: str) -> str:
    """What the template writes up to the end of the last message's field."""
    messages = values["messages"]
    if not messages:
        raise ArgumentError("continue_final_message is set but the conversation is empty")
    # Letters and digits, which stay as they are where a template writes a list as `repr` does.
    mark = f"CONTINUE{secrets.token_hex(16).upper()} "
    moment, shown = datetime.now(), deepcopy(messages)
    text = _with_end_mark(messages, field, mark, template)
    marked = render(template, values, moment)
    unmarked = render(template, {**values, "messages": shown}, moment)
    return _cut(marked, unmarked, text, mark)


def _masks(batch: BatchEncoding, spans: list[list[tuple[int, int]]]) -> list[list[int]]:
    """Of each row a mask of the tokens that stand for characters of these spans."""
    rows = batch.encodings or []
    samples = batch.get("overflow_to_sample_mapping", range(len(rows)))
    made = []
    reached: set[int] = set()
    for row, sample in zip(rows, map(int, samples), strict=True):
        mask = [0] * len(row)
        own = iter(spans[sample])
        span = next(own, None)
        for place, (start, end) in enumerate(row.offsets):
            while span is not None and span[1] <= start:
                span = next(own, None)
            if span is None:
                break
            if start < end and end > span[0]:
                mask[place] = 1
        if any(mask):
            reached.add(sample)
        made.append(mask)
    for sample, found in enumerate(spans):
        if not found:
            raise ArgumentError(
                f"the assistant mask of conversation {sample} is empty: the chat template wrote nothing in "
                "{% generation %} blocks; put what the assistant says in such blocks"
            )
        if sample not in reached:
            raise ArgumentError(
                f"the assistant mask of conversation {sample} is empty: none of its tokens is left of what "
                f"the assistant says (characters {found[0][0]} to {found[-1][1]}); it was truncated, use a "
                "larger `max_length`"
            )
    return made


def add_masks(
    batch: BatchEncoding, spans: list[list[tuple[int, int]]], batched: bool, tensors: Tensors | None
) -> None:
    """Adds the column ``assistant_masks``: a row, or a list of rows, as the other columns are."""
    rows: Any = _masks(batch, spans)
    if not batched and tensors is None and "overflow_to_sample_mapping" not in batch:
        rows = rows[0]
    batch["assistant_masks"] = rows
    batch.convert_to_tensors(tensors)
