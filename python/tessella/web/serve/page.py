"""The description of a service as a page for people: one file, without scripts and without requests."""

from __future__ import annotations

import json
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881 } body { font: 16px/1.5 system-ui, sans-serif;
max-width: 60rem; margin: 0 auto; padding: 1rem } pre, code { font-family: ui-monospace, monospace; font-size:
.9em } pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem;
overflow-x: auto } table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align:
top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) } section { border-top: 2px solid var(--line);
margin-top: 2rem } h2 code { font-size: 1em } .wide { overflow-x: auto }
"""


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(json.dumps(one, ensure_ascii=False) for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    kinds = schema.get("type", "any")
    if kinds == "array" and "items" in schema:
        return f"list of {_kind(schema['items'])}"
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)


def _fields(schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return "".join(_fields(one) for one in schema.get("anyOf", ()))
    rows = []
    for name, one in schema["properties"].items():
        if name in schema.get("required", ()):
            default = "required"
        else:
            default = (
                f"<code>{escape(json.dumps(one['default'], ensure_ascii=False))}</code>"
                if "default" in one
                else ""
            )
        rows.append(
            f"<tr><td><code>{escape(name)}</code></td><td>{escape(_kind(one))}</td><td>{default}</td>"
            f"<td>{escape(one.get('description', ''))}</td></tr>"
        )
    head = "<tr><th>field</th><th>kind</th><th>default</th><th></th></tr>"
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'


def _section(path: str, method: str, one: dict[str, Any], base: str, with_token: bool) -> str:
    heading = f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(one.get('summary', ''))}</p>"
    parts = [heading, f"<p>{escape(one['description'])}</p>" if "description" in one else ""]
    header = " -H 'Authorization: Bearer TOKEN'" if with_token and one.get("security") != [] else ""
    if "requestBody" in one:
        body = one["requestBody"]["content"]["application/json"]
        # In single quotes for a shell.
        example = json.dumps(body["example"], ensure_ascii=False).replace("'", "'\\''")
        line = f"curl {base}{path}{header} -H 'Content-Type: application/json' \\\n  -d '{example}'"
        parts += [f"<pre>{escape(line)}</pre>", _fields(body["schema"])]
        media = ", ".join(f"<code>{escape(name)}</code>" for name in one["responses"]["200"]["content"])
        parts.append(f"<p>Answers: {media}</p>")
    else:
        parts.append(f"<pre>{escape(f'curl {base}{path}{header}')}</pre>")
    return f'<section id="{escape(one["operationId"])}">{"".join(parts)}</section>'


def page(described: dict[str, Any], base: str) -> str:
    """The page of an OpenAPI description.

    Args:
        described: the description.
        base: the address of the service, for the examples.
    """
    with_token = "security" in described
    info = described["info"]
    sections = [
        _section(path, method, one, base, with_token)
        for path, methods in described["paths"].items()
        for method, one in methods.items()
    ]
    contents = "".join(
        f'<li><a href="#{escape(one["operationId"])}"><code>{escape(path)}</code></a> '
        f"{escape(one['summary'])}</li>"
        for path, methods in described["paths"].items()
        for one in methods.values()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['description'])} "
        'The same for machines: <a href="openapi.json">openapi.json</a>.</p>'
        f"<ul>{contents}</ul>{''.join(sections)}</main></body></html>"
    )
