"""Many tokens taken away by a rule, the leaves first.

A token of which others are made stays as long as they do. So a rule says what *may* go; what goes is what
may, and is a leaf when its turn comes. When a token goes, the two that it was made of take over its
occurrences.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import Regex
from .._given import whole
from ..errors import ArgumentError
from ..normalizers import Replace
from .edited import Edited
from .pipeline import Pipeline
from .removing import named_ids, shown, without
from .usage import frequencies, stepping_stones

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._types import Source
    from ..tokenizer import Tokenizer


By = Literal["frequency", "script", "length", "regex", "residue"]


def prune(
    tokenizer: Tokenizer,
    size: int | None = None,
    corpus: Source | None = None,
    by: By | Callable[[str, int], bool] = "frequency",
    *,
    least: int | None = None,
    scripts: str | Iterable[str] = (),
    longest: int | None = None,
    pattern: str | Regex | None = None,
    ratio: float | None = None,
    keep: Iterable[str | int] = (),
    keep_alphabet: bool = True,
    compact: bool = True,
) -> Edited:
    """Takes away many tokens by a rule, down to a size, so that texts without them are encoded as before.

    Args:
        tokenizer: stays as it is.
        size: how many tokens are left, added ones counted. Without it, all go that the rule lets go.
        corpus: where tokens are counted: the least frequent go first. Other rules do without it: the
            largest ids go first then.
        by: the rule that says which may go: ``"frequency"``, all down to ``size``, or those that occur less
            than ``least`` times; ``"script"``, those with a character of ``scripts``; ``"length"``, those of
            more than ``longest`` characters; ``"regex"``, those in which ``pattern`` is found;
            ``"residue"``, those of which at most ``ratio`` of all that are made are left in texts, see
            ``residues``; or a function of token and id.
        least: with ``"frequency"``: tokens that occur at least so often stay.
        scripts: with ``"script"``: names of Unicode scripts, ``["Han", "Hangul"]``.
        longest: with ``"length"``.
        pattern: with ``"regex"``, on the token's text.
        ratio: with ``"residue"``.
        keep: tokens or ids that stay in any case.
        keep_alphabet: single characters stay, so that nothing becomes unknown or falls apart into bytes.
        compact: close the gaps between ids.

    What the tokenizer needs (special and added tokens, tokens for bytes, user-defined symbols, what its
    settings name) always stays. Where the rule would let a token go of which others are made that stay, it
    stays, and a note counts such tokens.

    Example:
        >>> from tessella import edit, recipes
        >>> texts = ["low lower lowest newer wider"] * 9
        >>> old = recipes.get("gpt2").train(texts, vocab_size=280)
        >>> edited = edit.prune(old, 270, texts)
        >>> edited.tokenizer.get_vocab_size(), edited.dry_run(texts).altered
        (270, 0)
        >>> edit.prune(old, by="length", longest=3).tokenizer.encode("lower").tokens
        ['low', 'er']
    """
    size = None if size is None else whole("size", size, 0)
    if by == "frequency" and size is None and least is None:
        raise ArgumentError(
            "by='frequency' needs a `size`, or with `least` a number of occurrences: without them all tokens "
            "would go that are no letters"
        )
    pipeline = Pipeline(tokenizer)
    used = None if corpus is None else frequencies(tokenizer, corpus)
    rule = _rule(pipeline, by, used, least, scripts, longest, pattern, ratio)
    stays = set(pipeline.named()) | named_ids(pipeline, keep)
    stays |= {one["id"] for one in pipeline.added} | pipeline.vocabulary.reserved()
    if keep_alphabet:
        stays |= pipeline.vocabulary.letters()
    may_go = {id for id, token in pipeline.vocabulary.tokens().items() if id not in stays and rule(token, id)}
    total = len(pipeline.tokens())
    number = len(may_go) if size is None else total - size
    if size is not None and number < 0:
        raise ArgumentError(f"`size` is {size:,}, but there are only {total:,} tokens")
    gone = _leaves_first(pipeline, may_go, number, used)
    notes = []
    if size is not None and len(gone) < number:
        raise ArgumentError(
            f"`size` is {size:,}, but only {len(gone):,} of {total:,} tokens may go: {total - len(gone):,} "
            "stay"
        )
    if size is None and (left := may_go - gone):
        notes.append(
            f"{len(left):,} tokens stay though the rule would let them go, since others are made of them: "
            f"{shown(pipeline, left)}"
        )
    return without(pipeline, gone, compact, notes)


def _leaves_first(
    pipeline: Pipeline, may_go: Collection[int], number: int, used: npt.NDArray[Any] | None
) -> set[int]:
    """The least frequent leaves, one after the other."""
    users = {id: set(found) for id, found in pipeline.vocabulary.users().items()}
    parts = pipeline.vocabulary.parts()
    counts = [0] * pipeline.size if used is None else used.tolist()
    makers: dict[int, set[int]] = {}
    for part, made in users.items():
        for one in made:
            makers.setdefault(one, set()).add(part)
    queue = [(counts[id], -id) for id in may_go if not users.get(id)]
    heapq.heapify(queue)
    gone: set[int] = set()
    while queue and len(gone) < number:
        count, negative = heapq.heappop(queue)
        id = -negative
        if id in gone or count != counts[id]:
            continue
        gone.add(id)
        if used is not None:
            # Its text is now spelled by its parts, and they are the more frequent.
            for part in parts.get(id, ()):
                counts[part] += count
                if part in may_go and not users.get(part):
                    heapq.heappush(queue, (counts[part], -part))
        for part in makers.get(id, ()):
            users[part].discard(id)
            if not users[part] and part in may_go:
                heapq.heappush(queue, (counts[part], -part))
    return gone


def _rule(
    pipeline: Pipeline,
    by: object,
    used: npt.NDArray[Any] | None,
    least: int | None,
    scripts: str | Iterable[str],
    longest: int | None,
    pattern: str | Regex | None,
    ratio: float | None,
) -> Callable[[str, int], bool]:
    """The function that says which tokens may go."""
    names = [scripts] if isinstance(scripts, str) else list(scripts)
    given = {"least": least, "scripts": names or None, "longest": longest, "pattern": pattern, "ratio": ratio}
    needs = {"script": "scripts", "length": "longest", "regex": "pattern", "residue": "ratio"}
    for name, value in given.items():
        rules = [rule for rule, option in needs.items() if option == name] or ["frequency"]
        if value is not None and by not in rules:
            raise ArgumentError(f"`{name}` belongs to by='{rules[0]}'")
    for name, number, lowest in (("longest", longest, 1), ("least", least, 0)):
        if number is not None and not number >= lowest:
            raise ArgumentError(f"`{name}` must be {lowest} or more, found {number}")
    _check_ratio(ratio)
    if callable(by):
        return lambda token, id: bool(by(token, id))
    if by not in ("frequency", *needs):
        raise ArgumentError(f"`by` must be a function or one of frequency, {', '.join(needs)}, found {by!r}")
    if by in needs and given[needs[str(by)]] is None:
        raise ArgumentError(f"by='{by}' needs `{needs[str(by)]}`")
    if by in ("frequency", "residue") and used is None:
        raise ArgumentError(f"by='{by}' needs a `corpus` to count tokens in")
    surface = Surfaces(pipeline)
    if by == "script":
        return _finder(surface, Regex("[" + "".join(rf"\p{{{name}}}" for name in names) + "]"))
    if by == "regex":
        return _finder(surface, pattern if isinstance(pattern, Regex) else Regex(str(pattern)))
    if by == "length":
        most = longest or 0
        return lambda token, id: len(surface(token, id)) > most
    assert used is not None
    if by == "frequency":
        if least is None:
            return lambda token, id: True
        return lambda token, id: bool(used[id] < least)
    shares = _shares(pipeline, used)
    return lambda token, id: bool(shares[id] <= (ratio or 0.0))


class Surfaces:
    """The texts that tokens stand for, marks left out; broken characters are U+FFFD."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._vocabulary = pipeline.vocabulary
        decoder = pipeline.source.decoder
        self._decode = pipeline.source.decode
        self._spells_bytes = decoder is not None and decoder._handle.spells_bytes()

    def __call__(self, token: str, id: int) -> str:
        return self._decode([id], False) if self._spells_bytes else self._vocabulary.bare(token)


def _finder(surface: Surfaces, pattern: Regex) -> Callable[[str, int], bool]:
    # What is found becomes a character that no token has, so that the text differs.
    finder = Replace(pattern, "\U0010ffff")
    return lambda token, id: finder.normalize_str(text := surface(token, id)) != text


def _shares(pipeline: Pipeline, used: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Of all times that a token is made: the share that is left in texts.

    Tokens that are never made have 0.
    """
    steps = stepping_stones(pipeline.vocabulary, used)
    made = used + steps
    return np.where(made > 0, used / np.maximum(made, 1), 0.0)


@dataclass(frozen=True)
class Residue:
    """A token that is made much more often than it is left in texts."""

    token: str
    id: int
    #: How often it stands in the corpus.
    used: int
    #: How often it was only a step on the way to another token.
    steps: int

    @property
    def ratio(self) -> float:
        """The share of all times that it was made and left."""
        return self.used / max(self.used + self.steps, 1)


def _check_ratio(ratio: float | None) -> None:
    if ratio is not None and not 0 <= ratio <= 1:
        raise ArgumentError(f"`ratio` must be from 0 to 1, found {ratio}")


def residues(tokenizer: Tokenizer, corpus: Source, ratio: float = 0.02) -> list[Residue]:
    """Tokens that are hardly ever left in texts, because they are steps to others: the lowest ratio first.

    Such tokens take rows of the embedding that are hardly trained. A leaf among them can be pruned at no
    cost; a step can only go with what is made of it.

    Args:
        tokenizer: a tokenizer with a BPE model.
        corpus: where tokens are counted.
        ratio: the most of all times that a token was made and left.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> merges = [("a", "b"), ("ab", "c")]
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, merges))
        >>> [one.token for one in edit.residues(tokenizer, ["abc", "abc", "abc", "a", "b", "c"])]
        ['ab']
    """
    _check_ratio(ratio)
    pipeline = Pipeline(tokenizer)
    used = frequencies(tokenizer, corpus)
    steps = stepping_stones(pipeline.vocabulary, used)
    letters = pipeline.vocabulary.letters() | set(pipeline.named())
    found = [
        Residue(token, id, int(used[id]), int(steps[id]))
        for id, token in pipeline.vocabulary.tokens().items()
        if id not in letters and used[id] <= ratio * (used[id] + steps[id])
    ]
    return sorted(found, key=lambda one: (one.ratio, -one.steps, one.id))
