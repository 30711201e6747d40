"""Python functions described as JSON schemas, the form in which chat templates take tools."""

from __future__ import annotations

import enum
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from ..errors import ArgumentError

_NAMES: dict[Any, str] = {
    int: "integer",
    float: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
    list: "array",
    tuple: "array",
    dict: "object",
}
_SCALARS = (int, float, str, bool, type(None))


def _one_of(values: Sequence[Any], hint: Any) -> dict[str, Any]:
    """The schema of a choice between values."""
    if not values or any(type(value) not in _SCALARS for value in values):
        raise ArgumentError(
            f"{hint!r} has values that JSON has no words for: use str, int, float, bool or None"
        )
    kinds = list(dict.fromkeys(_NAMES[type(value)] for value in values))
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": list(values)}


def _of_hint(hint: Any) -> dict[str, Any]:
    """The schema of a type hint."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is None:
        if hint is Any:
            return {}
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return _one_of([member.value for member in hint], hint)
        if hint in _NAMES:
            return {"type": _NAMES[hint]}
    elif origin is Literal:
        return _one_of(inner, hint)
    elif origin is Union or origin is types.UnionType:
        return _of_union(inner)
    elif origin is list:
        return {"type": "array", "items": _of_hint(inner[0])} if inner else {"type": "array"}
    elif origin is tuple:
        if len(inner) > 1 and ... not in inner:
            return {"type": "array", "prefixItems": [_of_hint(one) for one in inner]}
        raise ArgumentError(f"{hint!r} is a list to JSON: write list[...] instead")
    elif origin is dict:
        values = {"additionalProperties": _of_hint(inner[1])} if len(inner) == 2 else {}
        return {"type": "object", **values}
    raise ArgumentError(
        f"the type hint {hint!r} has no JSON schema: use int, float, str, bool, list, dict, tuple, Literal, "
        "an Enum or unions of them, or write the schema yourself"
    )


def _of_union(hints: Sequence[Any]) -> dict[str, Any]:
    parts = [_of_hint(hint) for hint in hints if hint is not type(None)]
    if len(parts) == 1:
        schema = parts[0]
    elif all(part.keys() == {"type"} and isinstance(part["type"], str) for part in parts):
        kinds = sorted({part["type"] for part in parts})
        schema = {"type": kinds[0] if len(kinds) == 1 else kinds}
    else:
        schema = {"anyOf": parts}
    return {**schema, "nullable": True} if type(None) in hints else schema


# Where sections begin and end is what the transformers library says, so that models are shown the same words
# of every argument that has some: these three end a section wherever they stand, and other headings are text.
# Two further names of the first one are taken where it is missing.
_ENDS_HEAD = re.compile(r"Args:|Returns:|Raises:|\Z")
_ENDS_ARGUMENTS = re.compile(r"Returns:|Raises:|\Z")
_ENDS_RESULT = re.compile(r"Raises:|\Z")
_ARGUMENTS = (
    re.compile(r"^[ \t]*Args:[ \t]*\n", re.M),
    re.compile(r"^[ \t]*(?:Arguments|Parameters):[ \t]*\n", re.M),
)
_RESULT = re.compile(r"\n[ \t]*Returns:\n")
_ARGUMENT = re.compile(r"([ \t]*)(\w+)(?:[ \t]*\([^()\n]*\))?:(.*)")


def _until(end: re.Pattern[str], text: str) -> str:
    found = end.search(text)
    return text if found is None else text[: found.start()]


def _described(body: str) -> dict[str, str]:
    """The arguments of a section and what it says of each; lines that stand deeper go on."""
    described: dict[str, list[str]] = {}
    indent, name = "", None
    for line in body.split("\n"):
        if not line.strip():
            continue
        start = _ARGUMENT.match(line)
        deeper = line.startswith((f"{indent} ", f"{indent}\t"))
        if start and (name is None or not deeper):
            indent, name = start[1], start[2]
            described[name] = [start[3].strip()]
        elif name is not None:
            described[name].append(line.strip())
    return {name: " ".join(lines).strip() for name, lines in described.items()}


def _docstring(text: str) -> tuple[str, dict[str, str], str | None]:
    """The description, the arguments' descriptions and the result's, of a docstring in Google's style."""
    arguments = next((found for one in _ARGUMENTS if (found := one.search(text))), None)
    head = _until(_ENDS_HEAD, text if arguments is None else text[: arguments.start()])
    described = {} if arguments is None else _described(_until(_ENDS_ARGUMENTS, text[arguments.end() :]))
    result = _RESULT.search(text)
    returned = None if result is None else _until(_ENDS_RESULT, text[result.end() :]).strip()
    return head.strip(), described, returned


def function_schema(function: Callable[..., Any]) -> dict[str, Any]:
    """The schema of a function, from its type hints and its docstring in Google's style.

    Example:
        >>> from tessella.batch.schema import function_schema
        >>> def add(a: int, b: int = 0):
        ...     '''Adds.
        ...
        ...     Args:
        ...         a: the first number
        ...         b: the second number
        ...     '''
        >>> function_schema(add)["function"]["parameters"]["required"]
        ['a']
    """
    name = getattr(function, "__name__", repr(function))
    text = (inspect.getdoc(function) or "").strip()
    if not text:
        raise ArgumentError(f"the tool {name} has no docstring: models read what it does there")
    head, described, result = _docstring(text)
    hints = typing.get_type_hints(function)
    properties: dict[str, Any] = {}
    required = []
    for place, (argument, parameter) in enumerate(inspect.signature(function).parameters.items()):
        if place == 0 and argument in ("self", "cls") and argument not in hints:
            continue
        if argument not in hints:
            raise ArgumentError(f"the argument `{argument}` of the tool {name} has no type hint")
        if argument not in described:
            raise ArgumentError(
                f"the docstring of the tool {name} does not describe the argument `{argument}`"
            )
        schema, description = _of_hint(hints[argument]), described[argument]
        choices = re.search(r"\(choices:\s*(.*?)\)\s*$", description, re.IGNORECASE)
        if choices:
            found = json.loads(choices[1])
            schema["enum"] = [one.strip() if isinstance(one, str) else one for one in found]
            description = description[: choices.start()].strip()
        properties[argument] = {**schema, "description": description}
        if parameter.default is inspect.Parameter.empty:
            required.append(argument)
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    made: dict[str, Any] = {"name": name, "description": head, "parameters": parameters}
    if "return" in hints:
        try:
            returned = _of_hint(hints["return"])
        except ArgumentError:
            # A model is not to write results, so what they look like may stay unsaid.
            pass
        else:
            made["return"] = returned if result is None else {**returned, "description": result}
    return {"type": "function", "function": made}
