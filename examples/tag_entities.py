"""Trains a small tagger and prints the entities that it finds, with their characters and its F1.

    python examples/tag_entities.py

Sentences are made from templates, with names in the test half that the training half never shows. A
WordPiece vocabulary is trained on the training half; a softmax regression in NumPy learns to tag tokens from
the tokens around them; ``TokenClassifier`` makes entities of its scores. Needs ``seqeval``.
"""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
from tessella import Encoding, Tokenizer, models, pre_tokenizers, trainers
from tessella.tasks import (
    TokenClassifier,
    ids_of_labels,
    labels_of_spans,
    score_entities,
    softmax,
    tags_of_spans,
)

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
FEATURES = 1 << 13
TEMPLATES = [
    "{PER} lives in {LOC} .",
    "Yesterday {PER} flew from {LOC} to {LOC} .",
    "The mayor of {LOC} , {PER} , met {PER} there .",
    "In {LOC} it rained while {PER} slept .",
    "Nobody had seen {PER} since March .",
    "We like the bread of {LOC} more than its weather .",
    "{PER} and {PER} wrote about {LOC} together .",
    "It was a quiet Sunday and nothing happened .",
    "Everybody talks about {PER} .",
    "Everybody talks about {LOC} .",
]

Span = tuple[str, int, int]


def name(rng: random.Random, kind: str) -> str:
    """A name that nobody has: syllables, with endings that hint at what it is."""
    middle = "".join(rng.choice("bdfgklmnrstv") + rng.choice("aeiou") for _ in range(rng.randint(1, 2)))
    own = ["ville", "burg", "ton", "stad"] if kind == "LOC" else ["na", "ric", "lia", "mund"]
    # Every third name could be either.
    ending = rng.choice(own if rng.random() < 0.67 else ["a", "or", "is"])
    first = (middle + ending).capitalize()
    if kind == "PER" and rng.random() < 0.5:
        first += " " + (middle[::-1] + rng.choice(["son", "sen", "ez"])).capitalize()
    return first


def sentence(rng: random.Random) -> tuple[str, list[Span]]:
    """A text and its entities, as label, start and end."""
    text, spans = "", []
    for word in rng.choice(TEMPLATES).split(" "):
        text += " " if text else ""
        if word.startswith("{"):
            kind = word.strip("{}")
            made = name(rng, kind)
            spans.append((kind, len(text), len(text) + len(made)))
            word = made
        text += word
    return text, spans


def features(encoding: Encoding) -> list[list[int]]:
    """What is known of every token, as places of a long row: it, its neighbours, and how they are written."""
    tokens = ["<", "<", *encoding.tokens, ">", ">"]
    rows = []
    for at in range(2, len(tokens) - 2):
        found = [f"{shift}={tokens[at + shift]}" for shift in (-2, -1, 0, 1, 2)]
        found.append(f"upper={tokens[at][:1].isupper()} before={tokens[at - 1][:1].isupper()}")
        found.append(f"inside={tokens[at].startswith('##')} {tokens[at - 1]}")
        # The rest of the word, which says what kind of name it is.
        end = at + 1
        while tokens[end].startswith("##"):
            end += 1
        found.append(f"end={tokens[end - 1]}")
        rows.append([hash_of(one) for one in found] + [0])
    return rows


def hash_of(text: str) -> int:
    """A place for a feature, the same in every run; place 0 is always on."""
    value = 2166136261
    for byte in text.encode("utf-8"):
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return 1 + value % (FEATURES - 1)


class Tagger:
    """Softmax regression on sparse features."""

    def __init__(self) -> None:
        self.weights = np.zeros((FEATURES, len(LABELS)), dtype=np.float32)

    def scores(self, encoding: Encoding) -> npt.NDArray[np.float32]:
        """Tokens by labels."""
        rows = features(encoding)
        if not rows:
            return np.zeros((0, len(LABELS)), dtype=np.float32)
        found: npt.NDArray[np.float32] = self.weights[np.array(rows)].sum(axis=1)
        return found

    def learn(self, examples: list[tuple[Encoding, list[int]]], rng: random.Random, rounds: int = 6) -> None:
        """Gradient descent with a step for each sentence."""
        prepared = [(np.array(features(encoding)), np.array(labels)) for encoding, labels in examples]
        for number in range(rounds):
            rng.shuffle(prepared)
            for rows, labels in prepared:
                wrong = softmax(self.weights[rows].sum(axis=1))
                wrong[np.arange(len(labels)), labels] -= 1.0
                step = 0.3 / (1 + number)
                np.subtract.at(self.weights, rows, (step * wrong)[:, None, :])


def main() -> float:
    """Trains, shows and scores; gives the F1."""
    rng = random.Random(7)
    training = [sentence(rng) for _ in range(600)]
    seen = {text[start:end] for text, spans in training for _, start, end in spans}
    test: list[tuple[str, list[Span]]] = []
    while len(test) < 150:
        text, spans = sentence(rng)
        if not any(text[start:end] in seen for _, start, end in spans):
            test.append((text, spans))

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=250, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator([text for text, _ in training], trainer)

    examples = []
    for text, spans in training:
        encoding = tokenizer.encode(text)
        labelled = labels_of_spans(encoding, spans)
        assert not labelled.cut
        examples.append((encoding, ids_of_labels(labelled.labels, LABELS)))
    tagger = Tagger()
    tagger.learn(examples, rng)

    classifier = TokenClassifier(
        lambda encodings: [tagger.scores(encoding) for encoding in encodings],
        tokenizer,
        LABELS,
        strategy="average",
    )
    true, predicted = [], []
    for number, (text, spans) in enumerate(test):
        entities = classifier(text)
        if number < 3:
            print(text)
            for entity in entities:
                print(
                    f"  {entity.start:>3}-{entity.end:<3} {entity.label}  {entity.score:.2f}  {entity.text}"
                )
        # Entities of both sides as tags of characters, so that the scores do not depend on tokens.
        true.append(tags_of_spans(spans, len(text)))
        found = [(entity.label, entity.start, entity.end) for entity in entities]
        predicted.append(tags_of_spans(found, len(text)))
    scores = score_entities(true, predicted)
    print()
    print(scores)
    print(f"\nF1 {scores.f1:.3f} on {len(test)} sentences with names that training never showed")
    return scores.f1


if __name__ == "__main__":
    main()
