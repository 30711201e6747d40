"""Errors as JSON, one shape for all: ``{"error": {"type", "message", "path"}}``.

Statuses: 400 for a body that is no JSON, 401 without the token, 404 for what is not there, 408 for a slow
sender, 413 for a body over the bound, 415 for one that is not JSON by its header, 421 for a host of another
name, 422 for a request that cannot be carried out, 429 where there is no room now, 503 where the work took
too long or the server is about to stop.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

_TYPES = {
    400: "malformed",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "too_slow",
    409: "contradiction",
    413: "too_large",
    415: "unsupported_media_type",
    421: "misdirected",
    422: "invalid_request",
    429: "busy",
    500: "internal",
    503: "unavailable",
}


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(
        self, status: int, message: str, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.path = path
        self.headers = dict(headers or {})


def too_deep() -> Refused:
    """For what a parser can just read, and those who look into it cannot follow."""
    return Refused(400, "$ is nested too deeply", "$")


def error_body(status: int, message: str, path: str | None = None) -> bytes:
    """The body of an error's answer.

    Example:
        >>> error_body(404, "there is no such page")
        b'{"error": {"type": "not_found", "message": "there is no such page"}}'
    """
    told = {"type": _TYPES.get(status, "error"), "message": message}
    if path is not None:
        told["path"] = path
    return json.dumps({"error": told}).encode()
