"""Settings of the whole module, as functions."""

from __future__ import annotations

import random
import threading
from typing import NoReturn

from ...errors import UnsupportedError

_lock = threading.Lock()
_random = random.Random()


def next_seed() -> int:
    """A seed for one sampled segmentation."""
    with _lock:
        return _random.getrandbits(64)


def set_random_generator_seed(seed: int) -> None:
    """Makes sampling repeatable.

    Example:
        >>> set_random_generator_seed(7)
    """
    if not isinstance(seed, int):
        raise TypeError(f"the seed must be an int, found {type(seed).__name__}")
    with _lock:
        _random.seed(seed)


def set_min_log_level(level: int) -> None:
    """Does nothing: there are no log lines."""
    if not isinstance(level, int):
        raise TypeError(f"the level must be an int, found {type(level).__name__}")


def set_nbest_timeout(timeout: int) -> None:
    """Does nothing: n-best lists are bounded by their agenda, not by time."""
    if not isinstance(timeout, int):
        raise TypeError(f"the timeout must be an int, found {type(timeout).__name__}")


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
