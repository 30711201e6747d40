"""Conversations to token ids, through the chat template of a model; a part of ``PretrainedTokenizer``."""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

from ..errors import ArgumentError, UnsupportedError
from .calling import PaddingKind, TruncationKind
from .encoding import BatchEncoding
from .special import SpecialTokens
from .tensors import Tensors

__all__ = ["ChatTemplates", "Tool"]

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


def _messages(conversation: Any) -> list[dict[str, Any]]:
    """The messages as plain data, without keys that say nothing."""
    from .templates import plain

    messages = []
    for place, message in enumerate(getattr(conversation, "messages", conversation)):
        made = plain(message)
        if not isinstance(made, dict):
            raise TypeError(
                f"message {place} of the conversation must be a dict such as "
                f"{{'role': 'user', 'content': '...'}}, "
                f"not {type(message).__name__}"
            )
        made = {key: value for key, value in made.items() if value is not None}
        reasoning = next((made[name] for name in _REASONING if name in made), None)
        if reasoning is not None:
            made = {"thinking": reasoning, **made, "reasoning_content": reasoning}
        messages.append(made)
    return messages


def _tools(tools: Sequence[Tool] | None) -> Any:
    from .schema import function_schema
    from .templates import plain

    if tools is None:
        return None
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
    from .templates import plain

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
    if isinstance(text, list):
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
        ends = {end + len(form) for end in ends for form in forms if unmarked.startswith(form, end)}
    if not ends:
        raise ArgumentError(
            "continue_final_message is set but the chat template changes the final message, or writes before "
            f"it what depends on its length; without it there is {unmarked[-200:]!r}"
        )
    return unmarked[: max(ends)]


class ChatTemplates(SpecialTokens):
    """Chat templates and their use; a part of ``PretrainedTokenizer``."""

    #: The template, or templates by name, or ``None``.
    chat_template: str | dict[str, str] | None

    def _set_chat_templates(self, given: Any, named: Sequence[tuple[str, str]]) -> None:
        if isinstance(given, (list, tuple)):
            given = {entry["name"]: entry["template"] for entry in given}
        if named and not isinstance(given, dict):
            given = {**({} if given is None else {"default": given}), **dict(named)}
        self.chat_template = given

    def _templates_to_save(self) -> tuple[str | None, tuple[tuple[str, str], ...]]:
        found = self.chat_template
        if not isinstance(found, dict):
            return found, ()
        return found.get("default"), tuple((name, one) for name, one in found.items() if name != "default")

    def get_chat_template(self, chat_template: str | None = None, tools: Sequence[Tool] | None = None) -> str:
        """The template that a conversation goes through.

        Args:
            chat_template: a template, or the name of one of the tokenizer's.
            tools: with tools, the template named ``tool_use`` is taken if there is one.
        """
        own = self.chat_template
        for given in (chat_template, *(own.values() if isinstance(own, dict) else (own,))):
            if given is not None and not isinstance(given, str):
                raise TypeError(
                    f"`chat_template` must be a str, or a dict of them by name, not {type(given).__name__}"
                )
        if isinstance(own, dict):
            if chat_template is not None:
                return own.get(chat_template, chat_template)
            if tools is not None and "tool_use" in own:
                return own["tool_use"]
            if "default" in own:
                return own["default"]
            raise ArgumentError(
                f"none of the chat templates {', '.join(sorted(own))} is the default: pass the name of one "
                "as `chat_template`"
            )
        if chat_template is not None:
            return chat_template
        if own is None:
            raise ArgumentError(
                "this tokenizer has no chat template: set tokenizer.chat_template, or pass `chat_template`"
            )
        return own

    def apply_chat_template(
        self,
        conversation: Any,  # messages of other libraries' classes too
        tools: Sequence[Tool] | None = None,
        documents: Sequence[Mapping[str, str]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: bool = True,
        sanitize_control_tokens: bool = False,
        padding: PaddingKind = False,
        truncation: TruncationKind | None = False,
        max_length: int | None = None,
        return_tensors: Tensors | None = None,
        return_dict: bool = True,
        return_assistant_tokens_mask: bool = False,
        tokenizer_kwargs: Mapping[str, object] | None = None,
        **variables: object,
    ) -> Any:  # a text, ids or a BatchEncoding, as the options say; of several conversations, of each
        """Writes a conversation as the model expects it, and encodes that.

        Needs ``jinja2`` (``pip install 'jinja2>=3.1.6'``).

        Args:
            conversation: a list of messages, dicts with ``role`` and ``content``; a list of such lists is a
                batch.
            tools: JSON schemas, or functions with type hints and docstrings.
            documents: dicts for the template, with ``title`` and ``text``.
            chat_template: a template, or the name of one of the tokenizer's.
            add_generation_prompt: end with what begins the assistant's answer.
            continue_final_message: end right after the text of the last message; a str names the field with
                it.
            tokenize: ``False`` gives the text.
            sanitize_control_tokens: only ``False``.
            padding, truncation, max_length, return_tensors: as in a call.
            return_dict: ``False`` gives the ids alone.
            return_assistant_tokens_mask: also return ``assistant_masks``: 1 for the tokens of the template's
                ``{% generation %}`` blocks. A conversation whose mask would be empty raises.
            tokenizer_kwargs: further arguments of the call.
            variables: further variables of the template.

        Example:
            >>> from tessella import Tokenizer, models, pre_tokenizers
            >>> from tessella.batch import PretrainedTokenizer
            >>> backend = Tokenizer(models.WordLevel({"hi": 0, "user": 1, ":": 2, "?": 3}, "?"))
            >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
            >>> tokenizer = PretrainedTokenizer(
            ...     backend, chat_template="{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}"
            ... )
            >>> chat = [{"role": "user", "content": "hi"}]
            >>> tokenizer.apply_chat_template(chat, tokenize=False)
            'user: hi'
            >>> tokenizer.apply_chat_template(chat)["input_ids"]
            [1, 2, 0]
        """
        from .templates import plain, render, render_with_spans

        if sanitize_control_tokens:
            raise UnsupportedError(
                "sanitize_control_tokens is not supported: encode what users wrote with "
                "split_special_tokens=True"
            )
        masked = return_assistant_tokens_mask
        if masked and not (tokenize and return_dict):
            raise ArgumentError(
                "`return_assistant_tokens_mask=True` requires `return_dict=True` and `tokenize=True`"
            )
        if continue_final_message and (add_generation_prompt or masked):
            other = "add_generation_prompt" if add_generation_prompt else "return_assistant_tokens_mask"
            raise ArgumentError(f"continue_final_message and {other} are not compatible: use one of them")
        batched = _is_batch(conversation)
        template = self.get_chat_template(chat_template, tools)
        shared = {
            **self.special_tokens_map,
            **plain(variables),
            "tools": _tools(tools),
            "documents": _documents(documents),
            "add_generation_prompt": add_generation_prompt,
        }
        texts: list[str] = []
        spans: list[list[tuple[int, int]]] = []
        for one in conversation if batched else [conversation]:
            messages = _messages(one)
            values = {**shared, "messages": messages}
            if continue_final_message:
                field = continue_final_message if isinstance(continue_final_message, str) else "content"
                texts.append(_continued(template, values, field))
            elif masked:
                text, found = render_with_spans(template, values)
                texts.append(text)
                spans.append(found)
            else:
                texts.append(render(template, values))
        rendered = texts if batched else texts[0]
        if not tokenize:
            return rendered
        options: dict[str, Any] = {
            "padding": padding,
            "truncation": truncation,
            "max_length": max_length,
            "return_tensors": return_tensors,
            "add_special_tokens": False,
            **(tokenizer_kwargs or {}),
        }
        tokenizer: Any = self
        made: BatchEncoding = tokenizer(rendered, **options)
        if masked:
            masks: Any = _masks(made, spans)
            one_row = not batched and options["return_tensors"] is None
            if one_row and "overflow_to_sample_mapping" not in made:
                masks = masks[0]
            made["assistant_masks"] = masks
            made.convert_to_tensors(options["return_tensors"])
        return made if return_dict else made["input_ids"]


def _continued(template: str, values: Mapping[str, Any], field: str) -> str:
    """What the template writes up to the end of the last message's field."""
    from .templates import render

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
    masks = []
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
        masks.append(mask)
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
    return masks
