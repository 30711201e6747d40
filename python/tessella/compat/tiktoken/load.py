"""Tables of ranks in files, on disk or published: ``tiktoken.load``'s names.

What is fetched is kept where tiktoken keeps it, under the name that it has there, so that either finds what
the other has fetched: in the folder that ``TIKTOKEN_CACHE_DIR`` or ``DATA_GYM_CACHE_DIR`` names, else in
``data-gym-cache`` of the system's folder for temporary files. A variable that is set to nothing switches
keeping off.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from base64 import b64decode, b64encode

from ... import _tessella
from ..._files import _read_file, _replacing
from ...errors import FormatError, HubError, MissingDependencyError

__all__ = ["check_hash", "dump_tiktoken_bpe", "load_tiktoken_bpe", "read_file", "read_file_cached"]

_Path = str | os.PathLike[str]
#: Seconds without a byte after which a connection is given up.
_PATIENCE = 60


def cache_folder() -> tuple[str, bool]:
    """The folder for what was fetched, empty for none, and whether it was chosen by a variable."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable], True
    return os.path.join(tempfile.gettempdir(), "data-gym-cache"), False


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether this is the SHA-256 of the data.

    Example:
        >>> check_hash(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        True
    """
    return hashlib.sha256(data).hexdigest() == expected_hash


def read_file(blobpath: _Path) -> bytes:
    """A file, or what is published at an address."""
    name = os.fspath(blobpath)
    if "://" not in name:
        return _read_file(name)
    if not name.startswith(("http://", "https://")):
        try:
            import blobfile  # type: ignore
        except ImportError as error:
            raise MissingDependencyError(
                f"addresses like {name} need the package blobfile: pip install blobfile"
            ) from error
        content: bytes = blobfile.read_bytes(name)
        return content
    from http.client import HTTPException
    from urllib.request import urlopen

    try:
        with urlopen(name, timeout=_PATIENCE) as answer:
            fetched: bytes = answer.read()
    except (OSError, HTTPException) as error:
        raise HubError(f"{name} cannot be fetched ({error or type(error).__name__})") from error
    return fetched


def read_file_cached(blobpath: _Path, expected_hash: str | None = None) -> bytes:
    """As :func:`read_file`; what comes from an address is kept, and found again by its address.

    A kept file of another hash is thrown away and fetched anew.

    Args:
        blobpath: a path or an address.
        expected_hash: the SHA-256 that the content must have, in hexadecimal.
    """
    name = os.fspath(blobpath)
    folder, chosen = cache_folder()
    is_kept = "://" in name and folder != ""
    kept = os.path.join(folder, hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest())
    if is_kept and os.path.exists(kept):
        content = read_file(kept)
        if expected_hash is None or check_hash(content, expected_hash):
            return content
        with contextlib.suppress(OSError):
            os.remove(kept)
    content = read_file(name)
    if expected_hash is not None and not check_hash(content, expected_hash):
        raise FormatError(
            f"{name} is not the file that was asked for: its SHA-256 is "
            f"{hashlib.sha256(content).hexdigest()}, expected {expected_hash}; get it again"
        )
    if is_kept:
        try:
            _keep(content, folder, kept)
        except OSError:
            # A folder that nobody asked for need not be there.
            if chosen:
                raise
    return content


def _keep(content: bytes, folder: str, kept: str) -> None:
    os.makedirs(folder, exist_ok=True)
    with _replacing(kept) as file:
        file.write(content)


def load_tiktoken_bpe(tiktoken_bpe_file: _Path, expected_hash: str | None = None) -> dict[bytes, int]:
    """The tokens and ranks of a ``.tiktoken`` file.

    Args:
        tiktoken_bpe_file: the file, or the address where it is published.
        expected_hash: the SHA-256 that its content must have, in hexadecimal.
    """
    content = read_file_cached(tiktoken_bpe_file, expected_hash)
    plain = _tessella.read_ranks(content) if isinstance(content, bytes) else None
    if plain is not None:
        return plain
    # A line is not plain: these are what other libraries take too, and tell what is wrong with the others.
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
