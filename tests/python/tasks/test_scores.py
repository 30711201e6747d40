"""Scores as models give them: with a gradient, on another device, in numbers that NumPy does not know."""

from typing import Any

import numpy as np
import pytest
from tessella.tasks import QuestionAnswerer, TokenClassifier, aggregate, best_spans, softmax
from tessella.tasks._scores import numbers

from .conftest import LABELS, random_scores

TEXT = "Angela flew to London"


class Tensor:
    """A tensor of torch, as far as scores go."""

    def __init__(self, values: np.ndarray, device: str = "cuda:0", narrow: bool = False, grad: bool = True):
        self.values, self.device, self.narrow, self.grad = values, device, narrow, grad

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad")
        if self.device != "cpu":
            raise TypeError(f"can't convert {self.device} device type tensor to numpy")
        if self.narrow:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.asarray(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> "Tensor":
        return Tensor(self.values[place], self.device, self.narrow, self.grad)

    def detach(self) -> "Tensor":
        return Tensor(self.values, self.device, self.narrow, False)

    def cpu(self) -> "Tensor":
        return Tensor(self.values, "cpu", self.narrow, self.grad)

    def float(self) -> "Tensor":
        return Tensor(self.values.astype(np.float32), self.device, False, self.grad)


class Elsewhere:
    """An array of CuPy."""

    device = 0

    def __init__(self, values: np.ndarray):
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __getitem__(self, place: Any) -> "Elsewhere":
        return Elsewhere(self.values[place])

    def get(self) -> np.ndarray:
        return np.asarray(self.values)


FORMS = [Tensor, lambda values: Tensor(values, narrow=True), lambda values: list(Tensor(values)), Elsewhere]


@pytest.mark.parametrize("form", FORMS)
def test_scores_are_the_same_wherever_they_lie(pieces, form):
    encoding = pieces.encode(TEXT)
    scores = random_scores(3, len(encoding.ids)).astype(np.float32)
    assert np.array_equal(numbers(form(scores)), scores)
    assert np.array_equal(softmax(form(scores)), softmax(scores))
    assert aggregate(encoding, form(scores), TEXT, LABELS) == aggregate(encoding, scores, TEXT, LABELS)
    found = [
        TokenClassifier(lambda encodings, made=made: [made(scores)] * len(encodings), pieces, LABELS)(TEXT)
        for made in (form, np.asarray)
    ]
    assert found[0] == found[1] != []


@pytest.mark.parametrize("form", FORMS)
def test_answers_are_the_same_wherever_scores_lie(pieces, form):
    starts, ends = random_scores(5, 9, 2).T.astype(np.float32)
    allowed = [0, *[1] * 8]
    assert best_spans(form(starts), form(ends), allowed, 5) == best_spans(starts, ends, allowed, 5)

    def model(made):
        rows = random_scores(5, 64, 2).T.astype(np.float32)
        return lambda encodings: [tuple(made(row[: len(one.ids)]) for row in rows) for one in encodings]

    answers = [QuestionAnswerer(model(made), pieces)("x", TEXT) for made in (form, np.asarray)]
    assert answers[0] == answers[1]


def test_scores_of_torch():
    torch = pytest.importorskip("torch")
    values = torch.arange(6.0).reshape(2, 3).requires_grad_()
    assert numbers(values).tolist() == numbers(values.to(torch.bfloat16)).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert numbers([values[0], values[1]]).tolist() == [[0, 1, 2], [3, 4, 5]]
