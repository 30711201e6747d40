"""One tokenizer looked through: what its entries are, which never come out, and which are never needed."""

from __future__ import annotations

from .run import Audit, audit

__all__ = ["Audit", "audit"]
