"""Programs that only the type checker runs: what the optional rooms promise."""

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt
from tessella import Encoding, Tokenizer
from tessella.embeddings import Vectors, load_vectors, train_vectors
from tessella.pre_tokenizers import PreTokenizer
from tessella.reference import ByteBpe, Unigram, WordBpe, show_history, train_unigram
from tessella.tasks import (
    Answer,
    Entity,
    QuestionAnswerer,
    TokenClassifier,
    TokenLabelCollator,
    labels_of_words,
    score_entities,
)
from tessella.words import Affixes, Morphs, Treebank, Word, WordTokenizer, WordVocabulary


def algorithms() -> None:
    bpe: WordBpe = WordBpe.train({"a": 1}, merges=1, ties="smaller ids")
    text: str = show_history(bpe.history)
    ids: list[int] = ByteBpe.train([b"bytes", "text"], vocab_size=300).encode(text)
    model, rounds = train_unigram(["a"], vocab_size=2)
    best: list[tuple[list[str], float]] = Unigram(model.scores).n_best("a", 2)
    print(ids, rounds[0].upper(), best)
    WordBpe.train(["a"], merges=1, ties="random")  # type: ignore[arg-type]


def words(tokenizer: Tokenizer) -> None:
    cutters: list[WordTokenizer] = [Treebank(), Affixes(["un"]), Morphs.train(["a"])]
    found: list[Word] = cutters[0].words("a b")
    stage: PreTokenizer = cutters[0].pre_tokenizer()
    tokenizer.pre_tokenizer = stage
    made: Tokenizer = WordVocabulary.build(["a"], 5).tokenizer()
    print(found[0].start + 1, made)


def tasks(tokenizer: Tokenizer) -> None:
    def scores(encodings: list[Encoding]) -> list[npt.NDArray[np.float64]]:
        return [np.zeros((len(one.ids), 2)) for one in encodings]

    def answers(encodings: list[Encoding]) -> list[tuple[list[float], list[float]]]:
        return [([0.0] * len(one.ids), [0.0] * len(one.ids)) for one in encodings]

    entities: list[Entity] = TokenClassifier(scores, tokenizer, ["O", "B-X"], strategy="max")("text")
    best: list[Answer] = QuestionAnswerer(answers, tokenizer)("question", "text", n=2)
    labels: list[str | int] = labels_of_words([None, 0], ["O"])
    batch: dict[str, npt.NDArray[np.int64]] = TokenLabelCollator(0)([{"input_ids": [1]}])
    f1: float = score_entities([["O"]], [["O"]]).f1
    print(entities, best, labels, batch, f1)
    TokenClassifier(scores, tokenizer, ["O"], strategy="best")  # type: ignore[arg-type]


def vectors(tokenizer: Tokenizer) -> None:
    learned: Vectors = train_vectors([[1, 2], [("a", "b"), "c"]])
    near: list[tuple[Hashable, float]] = learned.most_similar("c")
    matrix: npt.NDArray[np.float32] = load_vectors("v.vec").matrix(tokenizer)
    print(near, matrix)
