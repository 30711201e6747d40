"""Learning a model from text.

A trainer holds the settings; ``Tokenizer.train`` and ``Tokenizer.train_from_iterator`` run it. Results do not
depend on the number of threads, on the order of the texts, or on the run.

Example:
    >>> from tessella import Tokenizer, models, pre_tokenizers, trainers
    >>> tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> trainer = trainers.BpeTrainer(vocab_size=20, special_tokens=["[UNK]"], show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest"] * 10, trainer)
    >>> tokenizer.encode("low").tokens
    ['low']
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ._tessella import Regex
from ._trainer import Trainer
from ._trainer import _blank as _blank  # pickles look for it here
from ._trainer_options import Tokens
from .tokens import AddedToken

if TYPE_CHECKING:
    from ._tessella import PieceCounts
    from ._types import ProgressFormat, Texts
    from .models import BPE, Model
    from .tokenizer import Tokenizer
    from .tracing import Trace

__all__ = [
    "BpeTrainer",
    "ParityBpeTrainer",
    "Trainer",
    "UnigramTrainer",
    "WordLevelTrainer",
    "WordPieceTrainer",
]

_Merges = Iterable["tuple[str, str]"]


class BpeTrainer(Trainer):
    """Learns byte-pair merges: joins the most frequent neighbours, again and again.

    Args:
        vocab_size: entries of the vocabulary, special tokens and alphabet included.
        min_frequency: pairs rarer than this are not joined.
        show_progress: show a progress bar on a terminal.
        progress_format: ``indicatif`` (a bar), ``json`` (lines) or ``silent``.
        special_tokens: take the first ids, in this order.
        limit_alphabet: keep only this many of the most frequent characters.
        initial_alphabet: characters that are in the alphabet whether they occur or not; of longer strings
            the first character.
        continuing_subword_prefix: put before every symbol that does not begin a piece.
        end_of_word_suffix: put after the last symbol of every piece.
        max_token_length: tokens are shorter than this, in initial symbols.
        tie_break: which of equally frequent pairs is joined first: the one of the ``smaller_ids``, or the one
            that is ``first_seen`` in the corpus, as textbooks do it. Counts know the order of appearance if
            one thread counted them and they were not saved.
        strict_budget: a ``vocab_size`` that special tokens and alphabet exceed is an error. Otherwise they
            are kept, and nothing is learned.
        forced_tokens: are in the vocabulary in any case, and reachable by merges.
        initial_vocab: a BPE model (or a vocabulary with merges) that is continued: its ids stay.
        merge_filter: forbids merges. A ``Regex`` that every new token has to match as a whole, or a function
            of the two parts, the new token and the count that says whether it may be made.

    Example:
        >>> from tessella import PieceCounts, Regex
        >>> from tessella.trainers import BpeTrainer
        >>> BpeTrainer(vocab_size=1000).vocab_size
        1000
        >>> counts = PieceCounts({"1984": 9, "year": 3})
        >>> letters = BpeTrainer(merge_filter=Regex("[a-z]+"), show_progress=False)
        >>> [token.value for token in letters.train_from_counts(counts).tokenize("year1984")]
        ['year', '1', '9', '8', '4']
    """

    _trains = "BPE"
    _options = (
        "min_frequency",
        "vocab_size",
        "show_progress",
        "progress_format",
        "special_tokens",
        "limit_alphabet",
        "initial_alphabet",
        "continuing_subword_prefix",
        "end_of_word_suffix",
        "max_token_length",
    )
    _further: ClassVar[Mapping[str, Any]] = {
        "tie_break": "smaller_ids",
        "strict_budget": True,
        "forced_tokens": [],
        "initial_vocab": None,
        "merge_filter": None,
    }
    _words: int = 0

    min_frequency: int
    progress_format: ProgressFormat
    special_tokens: list[AddedToken]
    limit_alphabet: int | None
    initial_alphabet: list[str]
    continuing_subword_prefix: str | None
    end_of_word_suffix: str | None
    max_token_length: int | None
    tie_break: Literal["smaller_ids", "first_seen"]
    strict_budget: bool
    forced_tokens: list[str]
    initial_vocab: tuple[list[str], list[tuple[str, str]]] | None
    merge_filter: Regex | Callable[[str, str, str, int], bool] | None

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        progress_format: ProgressFormat = "indicatif",
        special_tokens: Tokens = (),
        limit_alphabet: int | None = None,
        initial_alphabet: Iterable[str] = (),
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
        tie_break: Literal["smaller_ids", "first_seen"] = "smaller_ids",
        strict_budget: bool = True,
        forced_tokens: Iterable[str] = (),
        initial_vocab: BPE | Tokenizer | tuple[Mapping[str, int] | Iterable[str], _Merges] | None = None,
        merge_filter: Regex | Callable[[str, str, str, int], bool] | None = None,
    ) -> None:
        self.vocab_size = vocab_size
        self.min_frequency = min_frequency
        self.show_progress = show_progress
        self.progress_format = progress_format
        self.special_tokens = special_tokens  # type: ignore[assignment]
        self.limit_alphabet = limit_alphabet
        self.initial_alphabet = initial_alphabet  # type: ignore[assignment]
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.max_token_length = max_token_length
        self.tie_break = tie_break
        self.strict_budget = strict_budget
        self.forced_tokens = forced_tokens  # type: ignore[assignment]
        self.initial_vocab = initial_vocab  # type: ignore[assignment]
        self.merge_filter = merge_filter

    def _chosen(self) -> dict[str, Any]:
        chosen = super()._chosen()
        if isinstance(self.merge_filter, Regex):
            chosen["merge_filter"] = {"Regex": self.merge_filter.pattern}
        return chosen

    def __getstate__(self) -> bytes:
        if not (self.merge_filter is None or isinstance(self.merge_filter, Regex)):
            from .errors import UnsupportedError

            raise UnsupportedError(
                "a state is JSON, which cannot hold the function that is the `merge_filter`; use a Regex"
            )
        return super().__getstate__()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.merge_filter is None or isinstance(self.merge_filter, Regex):
            return super().__reduce__()
        # Functions are pickled by their import path.
        plain = object.__new__(type(self))
        for name in (*self._options, *self._further):
            setattr(plain, name, None if name == "merge_filter" else getattr(self, name))
        return (_with_filter, (plain, self.merge_filter))

    def get_word_count(self) -> int:
        """The number of different pieces that the last training learned from."""
        return self._words


def _with_filter(trainer: BpeTrainer, merge_filter: Callable[[str, str, str, int], bool]) -> BpeTrainer:
    trainer.merge_filter = merge_filter
    return trainer


class ParityBpeTrainer(Trainer):
    """Learns one BPE vocabulary for several languages, none of which is left behind.

    Each step chooses the language that is served worst so far and merges *its* most frequent pair, in all
    languages. How well a language is served is told by a development text (best the same sentences in every
    language): the more tokens, the worse. Without one, ``ratio`` tells how many times shorter each language
    should become in relation to the others. With neither, the language with the most training text counts as
    served worst, and the result is close to plain BPE. What comes out is an ordinary BPE model.

    Args:
        num_merges: merges to learn.
        variant: ``base``, or ``window``: a language that was chosen too often of late has to wait.
        min_frequency: a language whose best pair is rarer than this has nothing more to learn.
        ratio: one number for each language, of which only the relations matter. Lengths are counted in the
            units of the pre-tokenizer, bytes under ``ByteLevel``; scripts differ in bytes for the same text.
        global_merges: merges at the beginning that count all languages together.
        window_size, alpha: of the last ``window_size`` choices a language has at most ``alpha / languages``.
        total_symbols: take the entries before the first merge (special tokens, alphabet) off ``num_merges``.
        special_tokens, show_progress, limit_alphabet, initial_alphabet, continuing_subword_prefix,
        end_of_word_suffix, max_token_length: as for ``BpeTrainer``.

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
    _options = (
        "num_merges",
        "variant",
        "min_frequency",
        "global_merges",
        "window_size",
        "alpha",
        "total_symbols",
        "show_progress",
        "ratio",
        "special_tokens",
        "limit_alphabet",
        "initial_alphabet",
        "continuing_subword_prefix",
        "end_of_word_suffix",
        "max_token_length",
    )

    num_merges: int
    variant: Literal["base", "window"]
    min_frequency: int
    ratio: list[float] | None
    global_merges: int
    window_size: int
    alpha: float
    total_symbols: bool
    special_tokens: list[AddedToken]
    limit_alphabet: int | None
    initial_alphabet: list[str]
    continuing_subword_prefix: str | None
    end_of_word_suffix: str | None
    max_token_length: int | None

    def __init__(
        self,
        num_merges: int = 32000,
        variant: Literal["base", "window"] = "base",
        min_frequency: int = 0,
        ratio: Iterable[float] | None = None,
        global_merges: int = 0,
        window_size: int = 100,
        alpha: float = 2.0,
        total_symbols: bool = False,
        special_tokens: Tokens | None = None,
        show_progress: bool = True,
        limit_alphabet: int | None = None,
        initial_alphabet: Iterable[str] | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
    ) -> None:
        self.num_merges = num_merges
        self.variant = variant
        self.min_frequency = min_frequency
        self.ratio = ratio  # type: ignore[assignment]
        self.global_merges = global_merges
        self.window_size = window_size
        self.alpha = alpha
        self.total_symbols = total_symbols
        self.special_tokens = special_tokens or ()  # type: ignore[assignment]
        self.show_progress = show_progress
        self.limit_alphabet = limit_alphabet
        self.initial_alphabet = initial_alphabet or ()  # type: ignore[assignment]
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.max_token_length = max_token_length

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
        from ._training import train_parity

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
        return {**self._fields(), "special_tokens": [token.content for token in self.special_tokens]}

    def __setstate__(self, state: Mapping[str, Any]) -> None:  # type: ignore[override]
        for name in self._options:
            setattr(self, name, state[name])

    def _render(self, limit: int | None) -> str:
        shown = [f'variant="{self.variant}"', f"min_frequency={self.min_frequency}"]
        shown += [f"global_merges={self.global_merges}", f"window_size={self.window_size}"]
        alpha = int(self.alpha) if self.alpha.is_integer() else self.alpha
        shown += [f"alpha={alpha}", f"total_symbols={str(self.total_symbols).lower()}"]
        return f"ParityBpeTrainer(num_merges={self.num_merges}, {', '.join(shown)})"


class WordPieceTrainer(Trainer):
    """Learns a WordPiece vocabulary: joins pairs as ``BpeTrainer`` does, and forgets the merges.

    Args:
        vocab_size, min_frequency, show_progress, special_tokens, limit_alphabet, initial_alphabet,
        continuing_subword_prefix, end_of_word_suffix, tie_break, strict_budget: as for ``BpeTrainer``.
        score: which pair is joined next: the one with the highest ``frequency``, as the reference library's
            trainer does it, or by ``likelihood`` the one with the highest count(ab) / (count(a) * count(b)).

    Example:
        >>> from tessella import PieceCounts
        >>> from tessella.trainers import WordPieceTrainer
        >>> counts = PieceCounts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
        >>> trainer = WordPieceTrainer(vocab_size=10, score="likelihood", tie_break="first_seen")
        >>> trainer.show_progress = False
        >>> model = trainer.train_from_counts(counts)
        >>> [model.id_to_token(id) for id in (7, 8, 9)]
        ['##gs', 'hu', 'hugs']
    """

    _trains = "WordPiece"
    _options = (
        "min_frequency",
        "vocab_size",
        "show_progress",
        "special_tokens",
        "limit_alphabet",
        "initial_alphabet",
        "continuing_subword_prefix",
        "end_of_word_suffix",
    )
    _further: ClassVar[Mapping[str, Any]] = {
        "score": "frequency",
        "tie_break": "smaller_ids",
        "strict_budget": True,
    }

    min_frequency: int
    special_tokens: list[AddedToken]
    limit_alphabet: int | None
    initial_alphabet: list[str]
    continuing_subword_prefix: str | None
    end_of_word_suffix: str | None
    score: Literal["frequency", "likelihood"]
    tie_break: Literal["smaller_ids", "first_seen"]
    strict_budget: bool

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: Tokens = (),
        limit_alphabet: int | None = None,
        initial_alphabet: Iterable[str] = (),
        continuing_subword_prefix: str | None = "##",
        end_of_word_suffix: str | None = None,
        score: Literal["frequency", "likelihood"] = "frequency",
        tie_break: Literal["smaller_ids", "first_seen"] = "smaller_ids",
        strict_budget: bool = True,
    ) -> None:
        self.vocab_size = vocab_size
        self.min_frequency = min_frequency
        self.show_progress = show_progress
        self.special_tokens = special_tokens  # type: ignore[assignment]
        self.limit_alphabet = limit_alphabet
        self.initial_alphabet = initial_alphabet  # type: ignore[assignment]
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.score = score
        self.tie_break = tie_break
        self.strict_budget = strict_budget

    def _state(self) -> dict[str, Any]:
        fields = self._fields()
        ordered: dict[str, Any] = {}
        for name in BpeTrainer._options:
            if name == "progress_format":
                ordered[name] = "Indicatif"
            elif name == "max_token_length":
                ordered[name] = None
            else:
                ordered[name] = fields[name]
        return {"bpe_trainer": {**ordered, "words": {}}, **self._chosen()}

    def _restore(self, fields: Mapping[str, Any]) -> None:
        super()._restore({**fields["bpe_trainer"], **fields})


class WordLevelTrainer(Trainer):
    """Learns the most frequent pieces, whole.

    Args:
        vocab_size: entries of the vocabulary, special tokens included.
        min_frequency: rarer pieces are left out.
        show_progress: show a progress bar on a terminal.
        special_tokens: take the first ids, in this order.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> from tessella.trainers import WordLevelTrainer
        >>> tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> trainer = WordLevelTrainer(special_tokens=["[UNK]"], min_frequency=2, show_progress=False)
        >>> tokenizer.train_from_iterator(["low low lower"], trainer)
        >>> tokenizer.get_vocab()
        {'[UNK]': 0, 'low': 1}
    """

    _trains = "WordLevel"
    _options = ("min_frequency", "vocab_size", "show_progress", "special_tokens")

    min_frequency: int
    special_tokens: list[AddedToken]

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: Tokens = (),
    ) -> None:
        self.vocab_size = vocab_size
        self.min_frequency = min_frequency
        self.show_progress = show_progress
        self.special_tokens = special_tokens  # type: ignore[assignment]


class UnigramTrainer(Trainer):
    """Learns a Unigram model: starts with many pieces, estimates, drops the least useful, again and again.

    Args:
        vocab_size: entries of the vocabulary, special tokens included.
        show_progress: show a progress bar on a terminal.
        special_tokens: take the first ids, in this order.
        initial_alphabet: characters that are in the vocabulary whether they occur or not.
        shrinking_factor: the share of pieces that each round keeps.
        unk_token: the token for unknown text. Without it, encoding unknown text is an error.
        max_piece_length: characters of a piece at most.
        n_sub_iterations: estimates between two rounds of dropping.
        seed_size: pieces at the start.
        strict_budget: a ``vocab_size`` that special tokens and characters exceed is an error.

    Example:
        >>> from tessella import PieceCounts
        >>> from tessella.trainers import UnigramTrainer
        >>> trainer = UnigramTrainer(vocab_size=12, special_tokens=["<unk>"], show_progress=False)
        >>> trainer.unk_token = "<unk>"
        >>> model = trainer.train_from_counts(PieceCounts({"low": 9, "lower": 5, "lowest": 2}))
        >>> [token.value for token in model.tokenize("lower")]
        ['lowe', 'r']
    """

    _trains = "Unigram"
    _options = (
        "show_progress",
        "vocab_size",
        "n_sub_iterations",
        "shrinking_factor",
        "special_tokens",
        "initial_alphabet",
        "unk_token",
        "max_piece_length",
        "seed_size",
    )
    _further: ClassVar[Mapping[str, Any]] = {"strict_budget": True}

    n_sub_iterations: int
    shrinking_factor: float
    special_tokens: list[AddedToken]
    initial_alphabet: list[str]
    unk_token: str | None
    max_piece_length: int
    seed_size: int
    strict_budget: bool

    def __init__(
        self,
        *,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Tokens | None = (),
        initial_alphabet: Iterable[str] | None = (),
        shrinking_factor: float = 0.75,
        unk_token: str | None = None,
        max_piece_length: int = 16,
        n_sub_iterations: int = 2,
        seed_size: int = 1_000_000,
        strict_budget: bool = True,
    ) -> None:
        self.vocab_size = vocab_size
        self.show_progress = show_progress
        self.special_tokens = special_tokens or ()  # type: ignore[assignment]
        self.initial_alphabet = initial_alphabet or ()  # type: ignore[assignment]
        self.shrinking_factor = shrinking_factor
        self.unk_token = unk_token
        self.max_piece_length = max_piece_length
        self.n_sub_iterations = n_sub_iterations
        self.seed_size = seed_size
        self.strict_budget = strict_budget
