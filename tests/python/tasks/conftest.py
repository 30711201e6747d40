"""A small WordPiece tokenizer, and random texts and scores for it."""

import random

import numpy as np
import pytest
from tessella import Tokenizer, models, pre_tokenizers, processors

WORDS = ["Angela", "London", "flew", "to", "Ulm", "unfathomable", "Zürich", ",", ".", "x"]
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "MISC"]


@pytest.fixture(scope="session")
def pieces():
    letters = sorted(set("".join(WORDS)) - {"x"})
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "Lon", "##don", "fl", "##ew", "Ang", "##ela", "un", "##able"]
    vocab += [letter for letter in letters if letter not in vocab]
    vocab += [f"##{letter}" for letter in letters]
    tokenizer = Tokenizer(models.WordPiece({token: id for id, token in enumerate(dict.fromkeys(vocab))}))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    return tokenizer


def random_text(rng: random.Random, most: int = 14) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(1, most)))


def random_scores(seed: int, tokens: int, labels: int = len(LABELS)) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(size=(tokens, labels)) * 2
    # Runs of one label, so that there is something to join.
    scores[:, seed % labels] += 1.5
    return scores.astype(np.float32 if seed % 2 else np.float64)
