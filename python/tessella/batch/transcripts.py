"""Transcripts: what the tokenizer of a speech model (Whisper) leaves out of decoded text.

Its tokens hold marks of time (``<|0.50|>``), which are ordinary tokens and no part of what was said, and
in front of a transcript there may be the end of the one before, as a prompt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..tokenizer import Tokenizer
from .decoding import plain_ids
from .unknown import warning_of_options

_MARK = re.compile(r"<\|\d+\.\d+\|>")
#: Seconds from one mark to the next, and of the stretch of sound that the marks of one window are for.
_STEP, _WINDOW = 0.02, 30.0


class Transcripts:
    """Decoding of transcripts; a part of the class that has them."""

    backend_tokenizer: Tokenizer

    if TYPE_CHECKING:
        all_special_ids: list[int]

    @warning_of_options
    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        *,
        spaces_between_special_tokens: bool | None = None,
        decode_with_timestamps: bool = False,
    ) -> Any:
        """Ids to text, without marks of time; of several rows, a list of texts.

        Args:
            token_ids, clean_up_tokenization_spaces, spaces_between_special_tokens: as for every tokenizer.
            skip_special_tokens: leave special tokens out, and the prompt in front of the transcript.
            decode_with_timestamps: keep the marks, counted on from window to window.

        Example:
            >>> from tessella import Tokenizer, models
            >>> from tessella.compat.transformers import WhisperTokenizer
            >>> words = {"<|endoftext|>": 0, "hi": 1, "<|0.00|>": 2, "<|0.02|>": 3}
            >>> tokenizer = WhisperTokenizer(tokenizer_object=Tokenizer(models.WordLevel(words)))
            >>> tokenizer.decode([2, 1]), tokenizer.decode([2, 1, 3], decode_with_timestamps=True)
            (' hi', '<|0.00|>hi<|0.02|>')
        """
        del spaces_between_special_tokens
        ids = plain_ids(token_ids)
        if isinstance(ids, (list, tuple)) and ids and isinstance(ids[0], (list, tuple)):
            return [
                self._transcript(
                    row, skip_special_tokens, clean_up_tokenization_spaces, decode_with_timestamps
                )
                for row in ids
            ]
        row = [ids] if isinstance(ids, int) else ids
        return self._transcript(
            row, skip_special_tokens, clean_up_tokenization_spaces, decode_with_timestamps
        )

    @warning_of_options
    def batch_decode(
        self,
        sequences: Any,  # rows in lists, or an array of some library
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        *,
        spaces_between_special_tokens: bool | None = None,
        decode_with_timestamps: bool = False,
    ) -> list[str]:
        """Rows of ids to a list of texts; see ``decode``."""
        del spaces_between_special_tokens
        texts = self.decode(
            sequences,
            skip_special_tokens,
            clean_up_tokenization_spaces,
            decode_with_timestamps=decode_with_timestamps,
        )
        return [texts] if isinstance(texts, str) else texts

    def _transcript(self, ids: Any, skip_special: bool, clean_up: bool | None, with_marks: bool) -> str:
        plain: Any = super()
        if skip_special and not isinstance(ids, str):
            ids = self._without_prompt(list(ids))
        if not with_marks:
            return _MARK.sub("", plain.decode(ids, skip_special, clean_up))
        parts = self._marked(ids)
        return "".join(part if isinstance(part, str) else plain.decode(part, skip_special) for part in parts)

    def _without_prompt(self, ids: list[int]) -> list[int]:
        """The ids without the text before, which stands between two special tokens of its own."""
        prompt, start = map(self.backend_tokenizer.token_to_id, ("<|startofprev|>", "<|startoftranscript|>"))
        if not ids or prompt is None or ids[0] != prompt:
            return ids
        return ids[ids.index(start) :] if start in ids else []

    def _marked(self, ids: Any) -> list[Any]:
        """The ids between marks of time, and the marks as text.

        Each window begins with 0 again. One that ended in a single mark was heard to its end; after two marks
        the next one begins where the last one stood.
        """
        first = self.backend_tokenizer.token_to_id("<|0.00|>")
        if first is None:
            first = max(self.all_special_ids, default=-1) + 1
        parts: list[Any] = [[]]
        before = last = second_last = 0.0
        for place, id in enumerate(ids):
            if id < first:
                parts[-1].append(id)
                continue
            time = (id - first) * _STEP
            if time < last:
                if place >= 2 and not (ids[place - 1] >= first and ids[place - 2] >= first):
                    before += _WINDOW
                else:
                    last = second_last
                    before += second_last
                    parts = parts[:-2]
            second_last, last = last, time
            parts += [f"<|{time + before:.2f}|>", []]
        return [part for part in parts if part]
