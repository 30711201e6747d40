"""The studio: pages on this machine that show what tokenizers do, step by step.

- ``session``: the tokenizers that are looked at, and what was looked up about them
- ``tokens``: a text as tokens; ``steps``: how a model came to them; ``training``: how a model was learned;
  ``vocabulary``: what a tokenizer knows
- ``app``: the application: these as requests, and the files of the pages
- ``static/``: the pages: plain modules of JavaScript and one sheet of styles, used as they are

Whoever opens the pages must know a token, which is a part of their address.
"""

from __future__ import annotations

__all__: list[str] = []
