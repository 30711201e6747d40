"""Tables of ranks in files: ``tiktoken.load``'s names, without its downloads."""

from __future__ import annotations

import hashlib
import os
from base64 import b64decode, b64encode

from ..._files import _read_file, _replacing
from ...errors import FormatError

__all__ = ["dump_tiktoken_bpe", "load_tiktoken_bpe"]

_Path = str | os.PathLike[str]


def load_tiktoken_bpe(tiktoken_bpe_file: _Path, expected_hash: str | None = None) -> dict[bytes, int]:
    """The tokens and ranks of a ``.tiktoken`` file.

    Args:
        tiktoken_bpe_file: the file.
        expected_hash: the SHA-256 that its content must have, in hexadecimal.
    """
    content = _read_file(tiktoken_bpe_file)
    if expected_hash is not None and (found := hashlib.sha256(content).hexdigest()) != expected_hash:
        raise FormatError(
            f"{os.fspath(tiktoken_bpe_file)} is not the file that was asked for: its SHA-256 is {found}, "
            f"expected {expected_hash}; get it again"
        )
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if not line:
            continue
        try:
            token, rank = line.split()
            ranks[b64decode(token, validate=True)] = int(rank)
        except ValueError as error:
            raise FormatError(
                f"line {number} of {os.fspath(tiktoken_bpe_file)} is {line[:60]!r}, expected a token in "
                "base64, a space, and its rank"
            ) from error
    return ranks


def dump_tiktoken_bpe(bpe_ranks: dict[bytes, int], tiktoken_bpe_file: _Path) -> None:
    """Writes tokens and ranks to a ``.tiktoken`` file, in order of the ranks."""
    ordered = sorted(bpe_ranks.items(), key=lambda entry: entry[1])
    with _replacing(os.fsdecode(tiktoken_bpe_file)) as file:
        file.writelines(b"%s %d\n" % (b64encode(token), rank) for token, rank in ordered)
