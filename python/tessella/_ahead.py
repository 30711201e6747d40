"""Texts of files to ids while the next ones are read.

With several threads one reads, and each of the others encodes a portion of what was read, so that neither
waits for the other; what comes out has the order of the files, errors included, whatever is ready first. A
few portions are under way at a time, so memory stays bounded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _tessella
from .ragged import RaggedIds

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from .tokenizer import Tokenizer


#: Threads that encode if the caller names no number: one thread reads, and it cannot feed more.
FED = 8

#: Text is encoded in portions of about this many bytes, so that memory stays bounded.
PORTION = 1 << 22


class Encoding:
    """How texts become ids.

    Args:
        tokenizer: the tokenizer.
        special: whether the post-processor adds its special tokens.
        threads: how many threads encode; ``None`` lets the engine choose.
        as_text: whether special tokens in texts are encoded as text; ``None`` is the tokenizer's own choice.
    """

    def __init__(
        self, tokenizer: Tokenizer, special: bool, threads: int | None, as_text: bool | None = None
    ) -> None:
        self._tokenizer, self._special, self._threads, self._as_text = tokenizer, special, threads, as_text

    def of(self, texts: _tessella.TextFiles, is_small: bool = False) -> Iterator[RaggedIds]:
        """The ids of the texts of files, portion by portion.

        Args:
            texts: the files.
            is_small: whether little is read, from a stream of Python's: a thread for it would cost more.
        """
        threads = _tessella.worker_threads(self._threads)
        if threads > 1 and not is_small:
            yield from self._ahead(texts, threads if self._threads is not None else min(threads, FED))
            return
        while (portion := texts.take(PORTION, is_small)) is not None:
            yield self._encoded(portion, self._threads)

    def _encoded(self, portion: _tessella.Portion, threads: int | None) -> RaggedIds:
        return RaggedIds(*portion.encode(self._tokenizer, self._special, threads, self._as_text))

    def _read(self, read: Future[_tessella.Portion | None]) -> RaggedIds | None:
        portion = read.result()
        return None if portion is None else self._encoded(portion, 1)

    def _ahead(self, texts: _tessella.TextFiles, threads: int) -> Iterator[RaggedIds]:
        from concurrent.futures import ThreadPoolExecutor

        reader, encoders = ThreadPoolExecutor(1), ThreadPoolExecutor(threads)
        try:
            yield from self._in_order(texts, threads, reader, encoders)
        finally:
            # Who wants no more, or was interrupted, waits for no portion.
            texts.stop()
            reader.shutdown(cancel_futures=True)
            encoders.shutdown(cancel_futures=True)

    def _in_order(
        self,
        texts: _tessella.TextFiles,
        threads: int,
        reader: ThreadPoolExecutor,
        encoders: ThreadPoolExecutor,
    ) -> Iterator[RaggedIds]:
        # Small ones first: until there is a second one, nobody encodes.
        reads = [reader.submit(texts.take, PORTION // 8) for _ in range(2)]
        if reads[1].exception() is None and reads[1].result() is None:
            # All is in one portion: its texts are shared out.
            first = reads[0].result()
            if first is not None:
                yield self._encoded(first, self._threads)
            return
        waiting = deque(encoders.submit(self._read, read) for read in reads)
        while True:
            while len(waiting) <= threads:
                waiting.append(encoders.submit(self._read, reader.submit(texts.take, PORTION)))
            found = waiting.popleft().result()
            if found is None:
                return
            yield found
