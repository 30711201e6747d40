"""Tessella in a browser and over HTTP: two small applications on one set of parts.

- ``serve``: the service (``tessella serve``): encode, decode, count, chunk and chat over HTTP
- ``studio``: pages on this machine (``tessella studio``) that show what tokenizers do

Both are Starlette applications that uvicorn runs. These packages are imported when an application is made,
never by importing this room:

- ``bounds``: how much of everything an application allows
- ``schema``: what a request may hold, and the check of it, which is also what the description shows
- ``guard``: what stands before an application: bodies, time, concurrency, the token, the names of the host
- ``work``: threads that do the work of requests, with an end to waiting
- ``answers``: errors as JSON
- ``run``: the socket, the server, and an orderly end
"""

from __future__ import annotations

__all__: list[str] = []
