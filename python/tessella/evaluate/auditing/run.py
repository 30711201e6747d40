"""``audit``: everything about the vocabulary of one tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ... import Tokenizer, __version__
from ..._corpus import Texts
from ..._given import check_tokenizer, whole
from ..._progress import Meter, form
from ..._vocabulary import Entries, entries
from ...errors import ArgumentError, OutOfRangeError
from ..corpora import Reading, check_names
from ..record import SCHEMA
from ..report import Stored
from . import entries as of_entries
from .proof import Prover
from .residues import emitted, residues
from .weights import open_matrix, undertrained
from .witness import texts_of, unknown_characters

if TYPE_CHECKING:
    from ..._types import Path, ProgressFormat, Source


class Audit(Stored):
    """What ``audit`` found.

    Example:
        >>> from tessella import Tokenizer, models
        >>> from tessella.evaluate import audit
        >>> merges = [("a", "b"), ("b", "c")]
        >>> vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
        >>> found = audit(Tokenizer(models.BPE(vocabulary, merges)))
        >>> [(row["token"], row["cause"], row["proof"]) for row in found.unreachable]
        [('abc', 'merge order', "its own letters become 'ab' + 'c'")]
    """

    kind = "audit"

    @property
    def unreachable(self) -> list[dict[str, Any]]:
        """Entries that are proven never to come out."""
        return [dict(row) for row in self._data["unreachable"]]

    @property
    def not_found(self) -> list[dict[str, Any]]:
        """Entries for which no text was found, without a proof that there is none."""
        return [dict(row) for row in self._data["not_found"]]

    @property
    def witnesses(self) -> list[dict[str, Any]]:
        """Entries that come out, spread evenly over those that do, each with a ``text`` that gives it."""
        return [dict(row) for row in self._data["witnesses"]]

    def __repr__(self) -> str:
        own = self._data["tokenizer"]
        number = len(self._data["unreachable"])
        return f"Audit({own['name']}; {own['vocabulary']:,} entries, {number:,} unreachable)"


def audit(
    tokenizer: Tokenizer,
    corpus: Source | None = None,
    *,
    name: str = "tokenizer",
    embeddings: Path | None = None,
    tensor: str | None = None,
    witnesses: int = 1000,
    num_threads: int | None = None,
    errors: Literal["strict", "replace"] = "strict",
    field: str = "text",
    format: Literal["auto", "text", "jsonl"] = "auto",
    separator: str | None = None,
    progress: bool | ProgressFormat = False,
) -> Audit:
    """Looks through the vocabulary of a tokenizer.

    Every learned entry is either given by a text, which was tried, or proven never to come out, or neither:
    then it is told apart, with the likeliest cause and the number of texts that were tried.

    Args:
        tokenizer: the tokenizer.
        corpus: texts, read as ``count_pieces`` reads them: with them, entries are told that are only steps on
            the way to others (merge residues).
        name: what reports call the tokenizer.
        embeddings: a ``.npy`` or safetensors file with the embedding matrix of a model: with it, entries are
            told that the model may hardly have been trained on.
        tensor: the name of the matrix in a safetensors file.
        witnesses: of how many entries that come out the text is told that gives them.
        num_threads: how many threads work; ``None`` lets the engine choose.
        errors: as for ``count_pieces``.
        field: as for ``count_pieces``.
        format: as for ``count_pieces``.
        separator: as for ``count_pieces``.
        progress: show a bar on a terminal and a line every ten seconds elsewhere.
    """
    check_tokenizer("tokenizer", tokenizer)
    check_names([name], "`name`")
    if tensor is not None and embeddings is None:
        raise ArgumentError("`tensor` names a matrix of a file: pass `embeddings` as well")
    witnesses = whole("witnesses", witnesses)
    if witnesses < 0:
        raise OutOfRangeError(f"`witnesses` must be 0 or more, found {witnesses}")
    # Opened first: a mistyped name does not end a long job.
    matrix = None if embeddings is None else open_matrix(embeddings, tensor)
    texts = None
    if corpus is not None:
        texts = Texts(corpus, Reading(field, errors, format, separator, "bare lines"))
    meter = Meter("audit", form(progress))
    try:
        found = entries(tokenizer)
        reach = _reach(tokenizer, found, witnesses)
        data: dict[str, Any] = {
            "kind": "audit",
            "schema": SCHEMA,
            "tessella": __version__,
            "tokenizer": {
                "name": name,
                "model": type(tokenizer.model).__name__,
                "vocabulary": sum(token is not None for token in found.tokens),
                "fingerprint": tokenizer.fingerprint(),
            },
            **reach,
            "doubles": of_entries.doubles(tokenizer, found),
            "parts_of_characters": of_entries.partial(found),
            "reserved": of_entries.reserved(found),
            "forgeable": of_entries.forgeable(tokenizer, found),
            "composition": of_entries.composition(found),
            "residues": None,
            "undertrained": None,
        }
        if texts is not None:
            counts, read = emitted(tokenizer, texts, len(found), num_threads)
            data["residues"] = residues(tokenizer, found, counts, read)
        if matrix is not None:
            unused = [row["id"] for row in reach["unreachable"]]
            unused += [id for id, kind in enumerate(found.kinds) if kind in (None, "unused")]
            data["undertrained"] = undertrained(matrix, found, unused)
    finally:
        meter.end()
    return Audit(data)


def _reach(tokenizer: Tokenizer, found: Entries, told: int) -> dict[str, Any]:
    """Witnesses, proofs, and what has neither."""
    wanted = [id for id, kind in enumerate(found.kinds) if kind in ("text", "byte")]
    empty = [id for id in wanted if not found.bytes[id]]
    wanted = [id for id in wanted if found.bytes[id]]
    others = unknown_characters(found) if "byte" in found.kinds else {}
    texts, tried = texts_of(tokenizer, found, wanted, others)
    prover = Prover(tokenizer, found, others)
    unreachable: list[dict[str, Any]] = []
    not_found: list[dict[str, Any]] = []
    for id in wanted:
        if id in texts:
            continue
        reason = prover.reason(id, tried[id])
        row = {"id": id, "token": found.tokens[id], "cause": reason.cause, "proof": reason.proof}
        (unreachable if reason.is_proven else not_found).append(row)
    not_found += [
        {"id": id, "token": found.tokens[id], "cause": "no text", "proof": "it stands for nothing"}
        for id in empty
    ]
    shown, all = min(told, len(texts)), sorted(texts)
    chosen = [all[number * len(all) // shown] for number in range(shown)]
    return {
        "judged": len(wanted) + len(empty),
        "reachable": len(texts),
        "witnesses": [{"id": id, "token": found.tokens[id], "text": texts[id]} for id in chosen],
        "unreachable": unreachable,
        "not_found": not_found,
    }
