"""Special tokens at the ends of texts, where ``add_bos_token`` and ``add_eos_token`` ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._ends import round_each
from .._notices import warn
from ..processors import TemplateProcessing
from .checks import a_flag

# The token of a role and its id; none for a role that is not set.
_Mark = tuple[str | None, int | None]


class Ends(NamedTuple):
    """Which ends are wanted."""

    bos: bool = False
    eos: bool = False

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Ends:
        """What settings say of them."""
        return cls(
            *(a_flag(name, settings.get(name) or False) for name in ("add_bos_token", "add_eos_token"))
        )

    def carried_out(self, bos: _Mark, eos: _Mark) -> tuple[Ends, TemplateProcessing]:
        """What puts these tokens there, and which ends remain wanted: not those that have no token."""
        remain, marks = self, []
        for role, wanted, (token, id) in (("bos", self.bos, bos), ("eos", self.eos, eos)):
            if wanted and token is None:
                remain = remain._replace(**{role: False})
                warn(
                    f"`add_{role}_token` is set, but there is no `{role}_token`, so nothing is added: "
                    f"set that first (tokenizer.{role}_token = ...)"
                )
            marks.append((token, id) if wanted and token is not None and id is not None else None)
        single, pair = round_each(*(mark and mark[0] for mark in marks))
        return remain, TemplateProcessing(single, pair, [mark for mark in marks if mark])
