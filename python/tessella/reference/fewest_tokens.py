"""Unigram with as few tokens as possible: the vocabulary of BPE, thinned out by how its entries are used.

1. *Seeds*: the symbols of a BPE training that learns a tenth more than is asked for.
2. *Readings*: a word is read with the fewest tokens; of readings with equally many, the more probable one
   wins. An entry's share of all tokens becomes its probability, and the words are read again.
3. *Cut*: characters and the most used entries stay.

A reading's score is ``delta`` times the sum of the logarithms, less the number of its tokens. Given to each
entry by itself, that is the score of an ordinary Unigram model, whose best reading is this one: so the engine
reads with it as it is. (MinGram, arXiv:2606.27019.)

Example:
    >>> from tessella.reference import train_fewest_tokens
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> model = train_fewest_tokens(words, vocab_size=9)
    >>> model.encode("hugs"), model.encode("bug")
    (['hug', 's'], ['b', 'u', 'g'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, log

from ..errors import ArgumentError
from .pairs import count_words
from .unigram import Unigram
from .word_bpe import WordBpe


def _model(used: Mapping[str, int], delta: float, unknown: str | None) -> Unigram:
    """Entries by how often they are used; one that never is counts as half a time."""
    total = sum(used.values())
    scores = {token: delta * log(max(count, 0.5) / total) - 1.0 for token, count in used.items()}
    return Unigram(scores, unknown)


def train_fewest_tokens(
    words: Iterable[str] | Mapping[str, int],
    *,
    vocab_size: int,
    overshoot: float = 1.1,
    rounds: int = 2,
    delta: float = 1e-5,
    unknown: str | None = "[UNK]",
) -> Unigram:
    """A model that reads words with the fewest tokens.

    Args:
        words: the corpus, or words with their counts.
        vocab_size: entries, characters included.
        overshoot: how many times as many entries there are to begin with.
        rounds: how often the words are read anew with the shares of the reading before.
        delta: what a probability weighs beside a token: so little that it only decides between equals.
        unknown: the token for characters that are no entry; ``None`` makes them an error.

    Example:
        >>> model = train_fewest_tokens(["abab", "ab", "b"], vocab_size=3)
        >>> sorted(model.scores), model.encode("abab")
        (['a', 'ab', 'b'], ['ab', 'ab'])
    """
    if overshoot < 1 or rounds < 1 or not delta > 0:
        raise ArgumentError(
            f"`overshoot` is {overshoot} and `rounds` is {rounds}, which must be 1 or more; `delta` is "
            f"{delta}, which must be above 0"
        )
    counted = count_words(words)
    seeds = WordBpe.train(counted, vocab_size=max(vocab_size, ceil(overshoot * vocab_size)))
    # What BPE makes of the words is the first reading.
    used = dict.fromkeys(seeds.vocab, 0)
    read = seeds.encode
    for _ in range(rounds + 1):
        used = dict.fromkeys(used, 0)
        for word, times in counted.items():
            for token in read(word):
                used[token] += times
        read = _model(used, delta, unknown).encode
    characters = [token for token in used if len(token) == 1]
    if len(characters) > vocab_size:
        raise ArgumentError(
            f"a vocabulary of {vocab_size} cannot hold {len(characters)} different characters: ask for more"
        )
    # The sort keeps the order of equals, in which they were learned.
    others = sorted((token for token in used if len(token) > 1), key=lambda token: -used[token])
    kept = [*characters, *others[: vocab_size - len(characters)]]
    return _model({token: used[token] for token in kept}, delta, unknown)
