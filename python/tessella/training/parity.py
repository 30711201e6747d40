"""The trainer of one BPE vocabulary for several languages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from .._repr import Limit
from ..errors import ArgumentError
from ..tokens import AddedToken
from . import shared
from .bpe import BpeTrainer
from .option import Count, CountOrNone, Flag, Number, Option, Text, count, flag, number
from .trainer import Trainer

if TYPE_CHECKING:
    from .._tessella import PieceCounts
    from .._types import Texts
    from ..models import Model
    from ..tokenizer import Tokenizer
    from ..tracing import Trace

Variant = Option[Literal["base", "window"], Literal["base", "window"]]
Ratio = Option["Iterable[float] | None", "list[float] | None"]


def _variant(name: str, value: Any) -> Any:
    if value not in ("base", "window"):
        raise ArgumentError(f"unknown {name} {value!r}: use 'base' or 'window'")
    return value


def _ratio(name: str, value: Any) -> list[float] | None:
    return None if value is None else [float(one) for one in value]


class ParityBpeTrainer(Trainer, kw_only=False):
    """Learns one BPE vocabulary for several languages, none of which is left behind.

    Each step chooses the language that is served worst so far and merges *its* most frequent pair, in all
    languages. How well a language is served is told by a development text (best the same sentences in every
    language): the more tokens, the worse. Without one, ``ratio`` tells how many times shorter each language
    should become in relation to the others. With neither, the language with the most training text counts as
    served worst, and the result is close to plain BPE. What comes out is an ordinary BPE model.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> from tessella.trainers import ParityBpeTrainer
        >>> tokenizer = Tokenizer(models.BPE())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> trainer = ParityBpeTrainer(num_merges=4, show_progress=False)
        >>> languages = [["the cat the dog"] * 100, ["die katze"] * 3]
        >>> trainer.train_from_iterator(tokenizer, languages, ratio=[1, 1])
        >>> tokenizer.encode("the katze").tokens
        ['the', 'k', 'a', 'tze']
    """

    _trains = "parity"

    num_merges: Count = count(32000, "merges to learn")
    variant: Variant = Option(
        "base", "``base``, or ``window``: a language that was chosen too often of late has to wait", _variant
    )
    min_frequency: Count = shared.min_frequency.but(
        help="a language whose best pair is rarer than this has nothing more to learn"
    )
    ratio: Ratio = Option(
        None,
        "one number for each language, of which only the relations matter. Lengths are counted in the units "
        "of the pre-tokenizer, bytes under ``ByteLevel``; scripts differ in bytes for the same text",
        _ratio,
    )
    global_merges: Count = count(0, "merges at the beginning that count all languages together")
    window_size: Count = count(100, "how many of the last choices the ``window`` looks at")
    alpha: Number = number(
        2.0, "of the last ``window_size`` choices a language has at most ``alpha / languages``"
    )
    total_symbols: Flag = flag(
        False, "take the entries before the first merge (special tokens, alphabet) off ``num_merges``"
    )
    special_tokens: Option[shared.Tokens | None, list[AddedToken]] = shared.special_tokens_or_none
    show_progress: Flag = shared.show_progress
    limit_alphabet: CountOrNone = shared.limit_alphabet
    initial_alphabet: Option[Iterable[str] | None, list[str]] = shared.initial_alphabet_or_none
    continuing_subword_prefix: Text = shared.continuing_subword_prefix
    end_of_word_suffix: Text = shared.end_of_word_suffix
    max_token_length: CountOrNone = shared.max_token_length

    def train_from_iterator(
        self,
        tokenizer: Tokenizer,
        train_iterators: Iterable[Texts],
        dev_iterators: Iterable[Texts] | None = None,
        ratio: Iterable[float] | None = None,
    ) -> None:
        """Trains the BPE model of a tokenizer on texts of several languages.

        Args:
            tokenizer: cuts the texts, and gets the model.
            train_iterators: for each language an iterable of texts, or of lists of texts.
            dev_iterators: for each language other texts, which tell how well it is served.
            ratio: instead of the trainer's own ``ratio``; not used where there are ``dev_iterators``.
        """
        from .run import train_parity

        train_parity(self, tokenizer, train_iterators, dev_iterators, ratio)

    def train_from_counts(
        self,
        counts: PieceCounts,
        checkpoint: str | os.PathLike[str] | None = None,
        *,
        trace: Trace | None = None,
    ) -> Model:
        """Not possible: one corpus has no languages to choose from. Use ``train_from_iterator``."""
        raise TypeError("ParityBpeTrainer learns from several corpora: use train_from_iterator")

    def estimate_memory(self, counts: PieceCounts) -> int:
        """About how many bytes learning from one language takes; those of all languages add up."""
        return BpeTrainer(vocab_size=self.num_merges).estimate_memory(counts)

    # The reference library's state is a plain dict with the texts of the special tokens.
    def __getstate__(self) -> dict[str, Any]:  # type: ignore[override]
        return {**self._saved(False), "special_tokens": [token.content for token in self.special_tokens]}

    def __setstate__(self, state: Mapping[str, Any]) -> None:  # type: ignore[override]
        for name in self._options:
            setattr(self, name, state[name])

    def _render(self, limit: Limit) -> str:
        shown = [f'variant="{self.variant}"', f"min_frequency={self.min_frequency}"]
        shown += [f"global_merges={self.global_merges}", f"window_size={self.window_size}"]
        alpha = int(self.alpha) if self.alpha.is_integer() else self.alpha
        shown += [f"alpha={alpha}", f"total_symbols={str(self.total_symbols).lower()}"]
        return f"ParityBpeTrainer(num_merges={self.num_merges}, {', '.join(shown)})"
