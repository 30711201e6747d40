"""Learning a Unigram vocabulary: begin with far too many entries, estimate, drop what is needed least,
repeat.

1. *Seeds*: all characters, and the substrings that occur in at least two different continuations.
2. *Expectation*: how often is each entry used, on average over all readings of all words?
   *Maximisation*: these averages become the new probabilities; entries used less than half a time go.
3. *Pruning*: an entry's loss is what its words would cost if they were read without it. The least costly go.
4. Steps 2 and 3 are repeated until the vocabulary is a tenth larger than asked for; then the best are taken.

These are the rules of the engine's trainer, without its care for speed and memory.

Example:
    >>> from tessella.reference import train_unigram
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> model, rounds = train_unigram(words, vocab_size=9)
    >>> rounds[:2]
    ['7 characters and 3 substrings to begin with', '10 entries after an estimate, loss per word 4.0268']
    >>> model.encode("hugs")
    ['hug', 's']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, log

from ..errors import TrainError
from .lattice import Lattice
from .pairs import count_words
from .unigram import Unigram


def digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function: a logarithm that punishes small numbers."""
    below = 0.0
    while x < 7.0:
        below -= 1.0 / x
        x += 1.0
    y = x - 0.5
    z = 1.0 / (y * y)
    return below + log(y) + z * (1 / 24 - z * (7 / 960 - z * (31 / 8064 - z * (127 / 30720))))


def seed_entries(words: Mapping[str, int], longest: int = 16) -> dict[str, float]:
    """Characters with their counts, then substrings with occurrences times length, both best first.

    Occurrences are counted in the different words, whatever their counts. A substring must be followed by two
    different things in them, where the end of a word is one.
    """
    single: dict[str, float] = {}
    followers: dict[str, set[str]] = {}
    places: dict[str, int] = {}
    for word, times in words.items():
        for character in word:
            single[character] = single.get(character, 0) + times
        for start in range(len(word)):
            for end in range(start + 2, min(len(word), start + longest) + 1):
                text = word[start:end]
                places[text] = places.get(text, 0) + 1
                # The end of a word is the empty text, and every word ends alike.
                followers.setdefault(text, set()).add(word[end : end + 1])
    scores = {text: n * len(text) for text, n in places.items() if len(followers[text]) > 1}
    seeds = sorted(single.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return dict(seeds + sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True))


def _estimate(words: Mapping[str, int], scores: dict[str, float], longest: int) -> dict[str, float]:
    """One round of expectation and maximisation."""
    expected = dict.fromkeys(scores, 0.0)
    for word, times in words.items():
        counts, _ = Lattice(word, scores, _unknown(scores), longest).expected_counts()
        for token, count in counts.items():
            if token in expected:
                expected[token] += times * count
    kept = {token: count for token, count in expected.items() if count >= 0.5}
    total = digamma(sum(kept.values())) if kept else 0.0
    return {token: digamma(count) - total for token, count in kept.items()}


def _unknown(scores: Mapping[str, float]) -> float:
    return min(0.0, *scores.values()) - 10.0 if scores else -10.0


def _prune(words: Mapping[str, int], scores: dict[str, float], longest: int, size: int) -> dict[str, float]:
    """Keeps entries that are needed, and of the others the most costly to lose, up to ``size``."""
    unknown = _unknown(scores)
    used = dict.fromkeys(scores, 0)
    total = 0
    for word, times in words.items():
        for token in Lattice(word, scores, unknown, longest).best()[0]:
            total += times
            if token in used:
                used[token] += times
    needed: list[str] = []
    costs: dict[str, float] = {}
    for token, score in scores.items():
        others = {other: s for other, s in scores.items() if other != token and other in token}
        parts, other_score = Lattice(token, others, unknown, longest).best()
        if len(token) == 1 or other_score == -inf or (used[token] and other_score > score):
            needed.append(token)
        elif used[token]:
            # Every entry counts in the new total, not only the parts; the libraries do so as well.
            after = log(total + used[token] * len(scores))
            alternative = sum(log(used.get(part, 0) + used[token]) - after for part in parts)
            costs[token] = used[token] * (log(used[token]) - log(total) - alternative)
    costly = sorted(costs, key=lambda token: -costs[token])
    return {token: scores[token] for token in [*needed, *costly[: max(0, size - len(needed))]]}


def train_unigram(
    words: Iterable[str] | Mapping[str, int],
    *,
    vocab_size: int,
    longest: int = 16,
    shrinking_factor: float = 0.75,
    sub_iterations: int = 2,
    unknown: str | None = None,
) -> tuple[Unigram, list[str]]:
    """A model, and what happened in each round.

    Args:
        words: the corpus, or words with their counts.
        vocab_size: entries at most; every character of the corpus is one.
        longest: characters of an entry at most.
        shrinking_factor: the share of the entries that a pruning keeps.
        sub_iterations: rounds of estimation between two prunings.
        unknown: the token for unknown characters. It is not counted in ``vocab_size``.
    """
    counts = {word: times for word, times in count_words(words).items() if word}
    seeds = seed_entries(counts, longest)
    characters = sorted({character for word in counts for character in word})
    if len(characters) > vocab_size:
        raise TrainError(
            f"a vocabulary of {vocab_size} cannot hold the {len(characters)} characters of the corpus: "
            f"ask for {len(characters)} or more"
        )
    total = sum(seeds.values())
    scores = {token: log(count / total) for token, count in seeds.items()}
    rounds = [f"{len(characters)} characters and {len(seeds) - len(characters)} substrings to begin with"]
    # One more than the entries themselves: the engine counts its unknown entry along.
    enough, last = vocab_size * 11 // 10, len(scores) + 2
    while counts:
        for _ in range(sub_iterations):
            scores = _estimate(counts, scores, longest)
            loss = Unigram(scores).loss(counts) / sum(counts.values())
            rounds.append(f"{len(scores)} entries after an estimate, loss per word {loss:.4f}")
        if len(scores) + 1 <= enough or len(scores) + 1 >= last:
            break
        last = len(scores) + 1
        size = max(enough, int((len(scores) + 1) * shrinking_factor))
        scores = _prune(counts, scores, longest, size - 1)
        rounds.append(f"{len(scores)} entries after pruning")
    lowest = min(0.0, *scores.values()) if scores else 0.0
    missing = iter(range(len(characters)))
    final = {c: scores[c] if c in scores else lowest + 0.0001 * next(missing) for c in characters}
    longer = [token for token in scores if token not in final]
    final.update({token: scores[token] for token in longer[: vocab_size - len(final)]})
    return Unigram(dict(sorted(final.items(), key=lambda item: -item[1])), unknown), rounds
