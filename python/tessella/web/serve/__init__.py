"""The service: what tokenizers do, over HTTP.

- ``service``: the tokenizers that are served, by name
- ``operation``: what an operation is: its path, what it takes and gives, and the function that does it
- ``encoding``, ``decoding``, ``chunking``, ``chat``: the operations; ``likeness`` those of other servers
- ``app``: the application, its pages for machines (health, metrics) and for people
- ``openapi``, ``page``: the description of all this, read off the operations

Answers are those of the library's own methods, which the tests compare on hostile texts.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.web.serve.service import Service
    >>> service = Service({"tiny": Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}))})
    >>> service.tokenizer(None)[0]
    'tiny'
"""

from __future__ import annotations

__all__: list[str] = []
