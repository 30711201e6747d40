"""What a request may hold, as JSON Schema, and the check of it.

A schema here is at once the check and the description that users read, so the two cannot differ. The checker
knows the words that our schemas use, and refuses others when a schema is looked at.

Example:
    >>> schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "default": 3}}}
    >>> check({}, schema)
    {'n': 3}
    >>> check({"n": 0}, schema)
    Traceback (most recent call last):
        ...
    tessella.web.schema.Invalid: $.n must be 1 or more, found 0
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._near import nearest
from ..errors import ArgumentError

#: JSON Schema, which is JSON: its values are of many types.
Schema = Mapping[str, Any]


#: Any text.
TEXT: Schema = {"type": "string"}


def whole(least: int = 0, most: int | None = None, **words: Any) -> Schema:
    """Whole numbers; ``words`` are further ones of JSON Schema."""
    return {"type": "integer", "minimum": least, **({} if most is None else {"maximum": most}), **words}


def array(items: Schema, **words: Any) -> Schema:
    """Lists of something."""
    return {"type": "array", "items": items, **words}


def fields(properties: Mapping[str, Schema], *required: str, **words: Any) -> Schema:
    """Objects with these fields, of which some are required."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed, **words}


_KNOWN = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "enum",
    "const",
    "anyOf",
    "default",
    "description",
}
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_NAMES = {"object": "an object", "array": "an array", "integer": "an integer", "null": "null"}


class Invalid(ArgumentError):
    """A request that is not what the description says; ``path`` is where, as a JSON path."""

    def __init__(self, path: str, reason: str, is_kind: bool = False) -> None:
        super().__init__(f"{path} {reason}")
        self.path = path
        #: Of where choices are told apart: further down is nearer, and a wrong kind is the furthest off.
        self.nearness = (len(path), not is_kind)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def parsed(body: bytes) -> Any:
    """The JSON of a request's body.

    Example:
        >>> parsed(b'{"text": ')
        Traceback (most recent call last):
            ...
        tessella.web.schema.Invalid: $ is no JSON: Expecting value: line 1 column 10 (char 9)
    """
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Invalid("$", f"is not UTF-8: byte {error.start} of the body") from None
    except RecursionError:
        raise Invalid("$", "is nested too deeply") from None
    except ValueError as error:
        raise Invalid("$", f"is no JSON: {error}") from None


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check(value: Any, schema: Schema, path: str = "$") -> Any:
    """The value with defaults filled in, if it is what the schema says; else ``Invalid``."""
    unknown = schema.keys() - _KNOWN
    if unknown:
        raise NotImplementedError(f"the checker does not know {', '.join(sorted(unknown))}")
    if "anyOf" in schema:
        return _any_of(value, schema, path)
    kinds = schema.get("type")
    if kinds is not None:
        value = _of_type(value, [kinds] if isinstance(kinds, str) else kinds, path)
    if "enum" in schema and value not in schema["enum"]:
        raise Invalid(path, f"must be one of {', '.join(map(_shown, schema['enum']))}, found {_shown(value)}")
    if "const" in schema and value != schema["const"]:
        raise Invalid(path, f"must be {_shown(schema['const'])}, found {_shown(value)}")
    if isinstance(value, dict):
        return _object(value, schema, path)
    if isinstance(value, list):
        return _array(value, schema, path)
    if isinstance(value, str):
        return _string(value, schema, path)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _within(value, schema.get("minimum"), schema.get("maximum"), path)
    return value


def _of_type(value: Any, kinds: list[str], path: str) -> Any:
    for kind in kinds:
        if isinstance(value, bool) and kind != "boolean":
            continue
        if isinstance(value, _TYPES[kind]):
            return value
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            # In JSON Schema 1.0 is an integer.
            return int(value)
    wanted = " or ".join(_NAMES.get(kind, f"a {kind}") for kind in kinds)
    raise Invalid(path, f"must be {wanted}, found {_shown(value)}", is_kind=True)


def _any_of(value: Any, schema: Schema, path: str) -> Any:
    raised: list[tuple[int, tuple[int, bool], Invalid]] = []
    for one in schema["anyOf"]:
        try:
            return check(value, one, path)
        except Invalid as error:
            # What it has that a choice must have says which one was meant.
            meant = sum(name in value for name in one.get("required", ())) if isinstance(value, dict) else 0
            raised.append((meant, error.nearness, error))
    # The one that got furthest says what is wrong.
    raise max(raised, key=lambda one: one[:2])[2]


def _string(value: str, schema: Schema, path: str) -> str:
    if len(value) < schema.get("minLength", 0):
        raise Invalid(path, f"must have {schema['minLength']} characters or more, found {len(value)}")
    if len(value) > schema.get("maxLength", len(value)):
        raise Invalid(path, f"must have at most {schema['maxLength']} characters, found {len(value)}")
    return value


def _within(value: float, least: float | None, most: float | None, path: str) -> None:
    if least is not None and value < least:
        raise Invalid(path, f"must be {least} or more, found {_shown(value)}")
    if most is not None and value > most:
        raise Invalid(path, f"must be {most} or less, found {_shown(value)}")


def _object(value: dict[str, Any], schema: Schema, path: str) -> dict[str, Any]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            slips = [other for other in value if other not in properties and nearest(other, [name])]
            told = f"; {_shown(slips[0])} is no field: is it meant?" if slips else ""
            raise Invalid(path, f"needs `{name}`{told}")
    others = schema.get("additionalProperties", True)
    made = dict(value)
    for name in value if others is not True else ():
        if name in properties:
            continue
        if others is False:
            raise Invalid(path, f"has no field {_shown(name)}: known are {', '.join(properties)}")
        made[name] = check(value[name], others, f"{path}[{_shown(name)}]")
    for name, one in properties.items():
        if name in value:
            made[name] = check(value[name], one, f"{path}.{name}")
        elif "default" in one:
            made[name] = one["default"]
    return made


def _array(value: list[Any], schema: Schema, path: str) -> list[Any]:
    if len(value) < schema.get("minItems", 0):
        raise Invalid(path, f"must have {schema['minItems']} items or more, found {len(value)}")
    if len(value) > schema.get("maxItems", len(value)):
        raise Invalid(path, f"must have at most {schema['maxItems']} items, found {len(value)}")
    items = schema.get("items")
    if items is None or not value:
        return value
    kind = items.get("type")
    # Long lists of strings and of ids are the rule, and looked at without a call for each.
    if (
        kind == "string"
        and items.keys() <= {"type", "description"}
        and all(type(one) is str for one in value)
    ):
        return value
    bounds = items.keys() <= {"type", "description", "minimum", "maximum"}
    if kind == "integer" and bounds and all(type(one) is int for one in value):
        least, most = items.get("minimum"), items.get("maximum")
        if (least is None or min(value) >= least) and (most is None or max(value) <= most):
            return value
    return [check(one, items, f"{path}[{place}]") for place, one in enumerate(value)]
