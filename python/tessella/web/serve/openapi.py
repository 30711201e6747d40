"""The OpenAPI description of a service, read off its operations."""

from __future__ import annotations

from typing import Any

from ... import __version__
from ..schema import TEXT, Schema, array, fields
from .operation import Operation, described
from .service import Service

ARROW = "application/vnd.apache.arrow.stream"
LINES = "application/x-ndjson"

_PATH = described(TEXT, "Where in the request, as a JSON path.")
_ERROR = fields({"error": fields({"type": TEXT, "message": TEXT, "path": _PATH}, "type", "message")}, "error")
_REFUSALS = {
    "400": "The body is no JSON.",
    "401": "The token is missing or another one.",
    "404": "There is no such tokenizer.",
    "408": "The body did not come in time.",
    "409": "Fields that are right each by itself contradict each other or the tokenizer.",
    "413": "The body is too large.",
    "415": "The body is not JSON by its `Content-Type`.",
    "422": "The request cannot be carried out; `path` tells what is wrong with it.",
    "429": "There is no room now: come back after `Retry-After` seconds.",
    "503": "The work took too long, or the server is about to stop.",
}


def _refusals() -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {status: {"description": words, "content": content} for status, words in _REFUSALS.items()}


def _operation(service: Service, one: Operation) -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {"schema": one.response}}
    if one.streams:
        content[LINES] = {"schema": described(TEXT, "A JSON value on each line.")}
    if one.arrow:
        content[ARROW] = {"schema": described(TEXT, "Arrow's IPC stream.", format="binary")}
    return {
        "post": {
            "operationId": one.name,
            "summary": one.summary,
            "description": one.description,
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": one.request(service), "example": one.example}},
            },
            "responses": {"200": {"description": "The answer.", "content": content}, **_refusals()},
        }
    }


def _get(name: str, summary: str, media: str, schema: Schema, **more: dict[str, Any]) -> dict[str, Any]:
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "responses": {"200": {"description": summary, "content": {media: {"schema": schema}}}, **more},
        }
    }


def _status(word: str) -> Schema:
    return fields({"status": {**TEXT, "enum": [word]}}, "status")


def description(service: Service, operations: list[Operation], with_token: bool) -> dict[str, Any]:
    """The description of all operations, as OpenAPI 3.1."""
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    unauthorized = {"401": {"description": _REFUSALS["401"], "content": error}} if with_token else {}
    tokenizer = {
        "name": TEXT,
        "model": TEXT,
        "vocab_size": {"type": "integer"},
        "fingerprint": TEXT,
        "max_length": {"type": ["integer", "null"]},
        "chat": {"type": "boolean"},
    }
    known = fields({"tokenizers": array(fields(tokenizer))})
    stopping = {"503": {"description": "The server is about to stop.", "content": error}}
    made: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Tessella",
            "version": __version__,
            "description": "Tokenizers over HTTP. Answers are those of the library.",
        },
        "paths": {
            **{one.path: _operation(service, one) for one in operations},
            "/v1/tokenizers": _get("tokenizers", "What is served", "application/json", known, **unauthorized),
            "/health": _get("health", "Whether the process is alive", "application/json", _status("ok")),
            "/ready": _get(
                "ready", "Whether requests are taken", "application/json", _status("ready"), **stopping
            ),
            "/metrics": _get("metrics", "Numbers for Prometheus", "text/plain", TEXT, **unauthorized),
        },
        "components": {"schemas": {"Error": _ERROR}},
    }
    if with_token:
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
        for path in ("/health", "/ready"):
            made["paths"][path]["get"]["security"] = []
    return made
