"""The command line: ``tessella COMMAND ...``, also as ``python -m tessella``.

- ``main.py``: what is typed, which command it means, how errors and interrupts end
- ``command.py``: what a command is, and how one is found
- ``inputs.py``: tokenizers, texts and files from what is typed
- ``targets.py``: outputs that are no inputs, and endings that are kept promises
- ``terminal.py``: colours, tables, numbers with units
- ``commands/``: one file for each command; putting a file there registers it

Example:
    >>> from tessella.cli import main
    >>> main(["--version"])  # doctest: +ELLIPSIS
    tessella ...
    0
"""

from __future__ import annotations

from .main import main

__all__ = ["main"]
