"""Settings of the whole module, as functions."""

from __future__ import annotations

import os
import random
import threading
from typing import NoReturn

from ...errors import UnsupportedError

_lock = threading.Lock()
_random = random.Random()
_is_seeded = False
_nbest_timeout = 30_000


def _checked(value: object, what: str, least: int, most: int) -> int:
    if not isinstance(value, int) or not least <= value <= most:
        found = value if isinstance(value, int) else type(value).__name__
        raise TypeError(f"the {what} must be an int from {least} to {most}, found {found}")
    return value


def _after_fork() -> None:
    """A process that was forked draws something else than its parent and siblings, unless a seed was set."""
    global _lock
    # Whoever held it is no thread of this process.
    _lock = threading.Lock()
    if not _is_seeded:
        _random.seed()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def next_seed() -> int:
    """A seed for one sampled segmentation."""
    with _lock:
        return _random.getrandbits(64)


def nbest_timeout() -> int:
    """The milliseconds that one search for n-best segmentations may take; 0 or less means any."""
    return _nbest_timeout


def set_random_generator_seed(seed: int) -> None:
    """Makes sampling repeatable.

    Example:
        >>> set_random_generator_seed(7)
    """
    global _is_seeded
    seed = _checked(seed, "seed", 0, 2**32 - 1)
    with _lock:
        _random.seed(seed)
        _is_seeded = True


def set_min_log_level(level: int) -> None:
    """Does nothing: there are no log lines."""
    _checked(level, "level", -(2**31), 2**31 - 1)


def set_nbest_timeout(timeout: int) -> None:
    """How many milliseconds one search for n-best segmentations may take; 30,000 unless this is called.

    A search that is not done by then gives the best segmentation alone, in n-best lists and in sampling
    among them. 0 or a negative number lets every search come to its end.

    Example:
        >>> set_nbest_timeout(30_000)
    """
    global _nbest_timeout
    _nbest_timeout = _checked(timeout, "timeout", -(2**31), 2**31 - 1)


def set_data_dir(path: str) -> None:
    """Does nothing: normalization rules are computed, not read from a folder."""
    if not isinstance(path, (str, bytes)):
        raise TypeError(f"the path must be str, found {type(path).__name__}")


def convert_to_flatbuffer(*args: object, **kwargs: object) -> NoReturn:
    """Not offered: models stay in SentencePiece's own format."""
    raise UnsupportedError("models cannot be converted to flatbuffers here: keep the .model file")


#: Another name of ``convert_to_flatbuffer``.
ConvertToFlatbuffer = convert_to_flatbuffer
#: Another name of ``set_random_generator_seed``.
SetRandomGeneratorSeed = set_random_generator_seed
#: Another name of ``set_min_log_level``.
SetMinLogLevel = set_min_log_level
#: Another name of ``set_nbest_timeout``.
SetNBestTimeout = set_nbest_timeout
#: Another name of ``set_data_dir``.
SetDataDir = set_data_dir
