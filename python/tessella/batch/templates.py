"""Running chat templates: Jinja, in a sandbox, with the names that templates of models expect.

Templates come from strangers. They run in Jinja's immutable sandbox and see plain data only: dicts, lists,
texts and numbers. ``{% generation %}`` blocks are found by marks round them, which are taken out of the text
again; so they are found wherever they stand, in macros and captured blocks too.
"""

from __future__ import annotations

import dataclasses
import json
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np

from .._optional import how_to_install
from ..errors import ArgumentError, MissingDependencyError

# What the functions below need of one rendering. With a blank in it no template can write the name.
_MARKS = "generation marks"
_NOW = "the moment"


def plain(value: Any) -> Any:
    """A value as plain data, so that a template gets hold of no methods of anything else.

    What is no data, an image for example, becomes the name of its type.
    """
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        # A template that writes it as it is shows which of the two it was.
        return tuple(plain(one) for one in value)
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return plain(dump())
    if isinstance(value, np.floating):
        # The item of one that is wider than Python's is itself.
        return float(value)
    if isinstance(value, np.generic) and not isinstance(value, np.complexfloating):
        return plain(value.item())
    return f"<{type(value).__name__}>"


_INSTALL = how_to_install("'jinja2>=3.1.6'", "chat")


def _jinja() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise MissingDependencyError(f"chat templates need jinja2: {_INSTALL}") from error
    version = tuple(int(part) for part in re.findall(r"\d+", jinja2.__version__)[:3])
    if version < (3, 1, 6):
        raise MissingDependencyError(
            "chat templates need jinja2 3.1.6 or later, whose sandbox holds; "
            f"found {jinja2.__version__}: {_INSTALL}"
        )
    return jinja2


@lru_cache(maxsize=1)
def _environment() -> Any:
    """The sandbox. Templates compiled in it are shared by all threads; nothing of a rendering stays in it."""
    jinja2 = _jinja()
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from jinja2.utils import Namespace

    class Generation(Extension):
        """``{% generation %}``: what the assistant says."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            call = self.call_method("marked", [jinja2.nodes.ContextReference()])
            return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

        def marked(self, context: Any, caller: Callable[[], str]) -> str:
            marks = context.get(_MARKS)
            return caller() if marks is None else f"{marks[0]}{caller()}{marks[1]}"

    class Names(Namespace):
        """A namespace without names that begin with an underscore, which reach into Python."""

        def __init__(*args: Any, **kwargs: Any) -> None:
            names = dict(*args[1:], **kwargs)
            for name in names:
                _allowed(name)
            Namespace.__init__(args[0], names)

        def __setitem__(self, name: str, value: Any) -> None:
            _allowed(name)
            super().__setitem__(name, value)

    def _allowed(name: Any) -> None:
        if str(name).startswith("_"):
            raise jinja2.exceptions.SecurityError(f"a namespace of a chat template cannot hold {name!r}")

    def to_json(
        value: Any,
        ensure_ascii: bool = False,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    def fail(message: str) -> None:
        raise jinja2.exceptions.TemplateError(message)

    def now(context: Any, form: str) -> str:
        moment: datetime = context.get(_NOW)
        return moment.strftime(form)

    def make_dict(*args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = to_json
    environment.globals.pop("lipsum", None)
    environment.globals.update(
        raise_exception=fail, strftime_now=jinja2.pass_context(now), dict=make_dict, namespace=Names
    )
    return environment


@lru_cache(maxsize=64)
def _compiled(template: str) -> Any:
    # First of all: it says what is missing, which a bare import does not.
    _jinja()
    from jinja2.exceptions import TemplateSyntaxError

    try:
        made = _environment().from_string(template)
        # A chain of two dicts, which every rendering walks through; nothing is put into either.
        made.globals = dict(made.globals)
        return made
    except TemplateSyntaxError as error:
        lines = template.splitlines() or [""]
        line = lines[min(error.lineno, len(lines)) - 1].strip()
        message = f"line {error.lineno} of the chat template, `{line[:80]}`: {error.message}"
        raise TemplateSyntaxError(message, error.lineno) from None


def render(template: str, variables: Mapping[str, Any], now: datetime | None = None) -> str:
    """The text that a template makes of the variables, which must be plain data."""
    moment = datetime.now() if now is None else now
    text: str = _compiled(template).render({**variables, _NOW: moment, _MARKS: None})
    return text


def render_with_spans(template: str, variables: Mapping[str, Any]) -> tuple[str, list[tuple[int, int]]]:
    """The text, and the characters that stand in generation blocks, in order."""
    moment = datetime.now()
    # No text of a conversation can hold marks that nobody knows beforehand.
    key = secrets.token_hex(8)
    marks = (f"\ue000{key}+\ue001", f"\ue000{key}-\ue001")
    marked = _compiled(template).render({**variables, _NOW: moment, _MARKS: marks})
    parts, spans, opened, length = [], [], [], 0
    for part in re.split(f"(\ue000{key}[+-]\ue001)", marked):
        if part == marks[0]:
            opened.append(length)
        elif part == marks[1] and opened:
            spans.append((opened.pop(), length))
        else:
            parts.append(part)
            length += len(part)
    text = "".join(parts)
    if text != render(template, variables, moment):
        raise ArgumentError(
            "the chat template changes the text of its {% generation %} blocks after they end (by a filter "
            "such as trim, for example), so where they are is not known: move the filter into the blocks"
        )
    return text, sorted(span for span in spans if span[0] < span[1])
