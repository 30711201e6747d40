"""Special tokens at the ends of a sequence; a part of ``PretrainedTokenizer``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._ends import round_each
from .._notices import warn
from ..processors import TemplateProcessing
from .checks import a_flag
from .special import SpecialTokens

__all__ = ["SequenceEnds"]


class SequenceEnds(SpecialTokens):
    """Special tokens, and which of them stand at the ends of a sequence."""

    _add_bos: bool
    _add_eos: bool

    def _set_ends(self, settings: Mapping[str, Any]) -> None:
        self._add_bos = a_flag("add_bos_token", settings.get("add_bos_token") or False)
        self._add_eos = a_flag("add_eos_token", settings.get("add_eos_token") or False)

    @property
    def add_bos_token(self) -> bool:
        """Whether sequences begin with ``bos_token``; setting it replaces the post-processor."""
        return self._add_bos

    @add_bos_token.setter
    def add_bos_token(self, value: bool) -> None:
        self._add_bos = a_flag("add_bos_token", value)
        self.update_post_processor()

    @property
    def add_eos_token(self) -> bool:
        """Whether sequences end with ``eos_token``; setting it replaces the post-processor."""
        return self._add_eos

    @add_eos_token.setter
    def add_eos_token(self, value: bool) -> None:
        self._add_eos = a_flag("add_eos_token", value)
        self.update_post_processor()

    def update_post_processor(self) -> None:
        """Makes a post-processor that puts ``bos_token`` and ``eos_token`` where they are wanted."""
        special: list[tuple[str, int]] = []
        ends: list[str | None] = []
        for role in ("bos", "eos"):
            token, id = getattr(self, f"{role}_token"), getattr(self, f"{role}_token_id")
            wanted = getattr(self, f"_add_{role}")
            if wanted and token is None:
                setattr(self, f"_add_{role}", False)
                warn(
                    f"`add_{role}_token` is set, but there is no `{role}_token`, so nothing is added: "
                    f"set that first (tokenizer.{role}_token = ...)"
                )
            if not wanted or token is None or id is None:
                ends.append(None)
            else:
                special.append((token, id))
                ends.append(token)

        single, pair = round_each(*ends)
        self.backend_tokenizer.post_processor = TemplateProcessing(single, pair, special)
