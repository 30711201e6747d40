"""Corpora to the files that training frameworks read, and back.

``tokenize_corpus`` turns files of text into token files with a manifest, exactly once: a run that was stopped
goes on where it was, and what comes out does not depend on how many workers there were. ``open`` reads such
files for training. ``docs/data.md`` shows both.
"""

from __future__ import annotations

from ._fingerprint import fingerprint
from .check import Verified, verify
from .corpus import merge, pack_corpus, tokenize_corpus
from .mapping import Encoder, encode_arrow, encoder
from .reading import Corpus, Documents, Windows, open
from .result import Result
from .shuffling import drawn
from .summary import inspect
from .training import Permutation, Stream, TorchRows, TorchStream

__all__ = [
    "Corpus",
    "Documents",
    "Encoder",
    "Permutation",
    "Result",
    "Stream",
    "TorchRows",
    "TorchStream",
    "Verified",
    "Windows",
    "drawn",
    "encode_arrow",
    "encoder",
    "fingerprint",
    "inspect",
    "merge",
    "open",
    "pack_corpus",
    "tokenize_corpus",
    "verify",
]
