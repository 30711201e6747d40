"""Training a ``.model`` file, by the options of the original."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator
from typing import Any

from ... import _tessella
from ...errors import ArgumentError, CustomComponentError, TessellaError
from ._errors import SentencePieceError, as_runtime_errors


def _as_text(value: object) -> str:
    """An option's value as a command line has it: lists are comma-separated."""
    if not isinstance(value, list):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([str(one) for one in value])
    return line.getvalue()


# The options that a normalizer has itself.
_OF_NORMALIZERS = (
    "normalization_rule_name",
    "normalization_rule_tsv",
    "add_dummy_prefix",
    "escape_whitespaces",
    "remove_extra_whitespaces",
    "name",
    "precompiled_charsmap",
)


class SentencePieceTrainer:
    """Training of models; see :meth:`train`."""

    @staticmethod
    def train(
        arg: str | None = None,
        logstream: object = None,
        **kwargs: Any,  # all options of the trainer, which the engine checks
    ) -> bool | None:
        """Trains a model.

        Args:
            arg: all options in one line, ``"--input=a.txt --vocab_size=8000"``; the others are ignored then.
            logstream: accepted; there are no log lines.
            sentence_iterator: an iterator of sentences instead of ``input`` files. ``sentence_reader`` is the
                same.
            model_writer: anything with ``write``, which gets the model's bytes instead of the files that
                ``model_prefix`` names.
            normalizer: a :class:`SentencePieceNormalizer` to train with.
            pretokenizer: a function that cuts a sentence into parts that no piece may reach beyond.
            **kwargs: options by name: all fields of a model's ``TrainerSpec`` and ``NormalizerSpec``
                (``vocab_size``, ``model_type``, ``character_coverage``, ``add_dummy_prefix``, ...), and
                ``random_seed``. The error for an unknown name lists them.

        Raises:
            ValueError: an option's value cannot be read.
            RuntimeError: options that do not fit together or to the text, and files that cannot be used.

        Example:
            >>> model = io.BytesIO()
            >>> SentencePieceTrainer.train(
            ...     sentence_iterator=iter(["abra", "cadabra"]), model_writer=model,
            ...     model_type="char", vocab_size=12,
            ... )
        """
        del logstream
        if isinstance(arg, str):
            with as_runtime_errors(keep_argument_errors=True):
                _tessella.train_sentencepiece(arg, [], None, None, None, True)
            return True
        sentences = kwargs.pop("sentence_iterator", None)
        sentences = kwargs.pop("sentence_reader", sentences)
        writer = kwargs.pop("model_writer", None)
        normalizer = kwargs.pop("normalizer", None)
        pretokenizer = kwargs.pop("pretokenizer", None)
        strict = not kwargs.pop("allow_inconsistent_pretokenization", False)
        if sentences is not None and not isinstance(sentences, Iterator):
            raise TypeError(
                f"sentence_iterator must be an iterator, found {type(sentences).__name__}: use iter(…)"
            )
        if sentences is not None:
            # What goes wrong at once comes out as it is, what goes wrong later as a training that failed.
            sentences = itertools.chain(list(itertools.islice(sentences, 1)), sentences)
        if normalizer and (given := next((name for name in _OF_NORMALIZERS if name in kwargs), None)):
            raise ArgumentError(
                f"both `normalizer` and `{given}` are given: leave one of them out; a normalizer has its own "
                "settings, which are given when it is made"
            )
        spec = normalizer.serialized_normalizer_spec() if normalizer else None
        split = None if pretokenizer is None else _checked(pretokenizer, strict)
        options = [(name, _as_text(value)) for name, value in kwargs.items()]
        with as_runtime_errors(keep_argument_errors=True):
            try:
                model = _tessella.train_sentencepiece(None, options, sentences, spec, split, writer is None)
            except CustomComponentError as error:
                if isinstance(error.__cause__, TessellaError):
                    raise error.__cause__ from None
                raise SentencePieceError(str(error)) from error.__cause__
        if writer is not None and model is not None:
            writer.write(model)
        return None

    Train = train


def _checked(pretokenizer: Any, strict: bool) -> Any:
    def split(text: str) -> list[str]:
        try:
            parts = [str(part) for part in pretokenizer(text)]
        except Exception as error:
            raise SentencePieceError(f"the pretokenizer failed on {text!r}: {error}") from error
        if strict and "".join(parts) != text:
            raise ArgumentError(
                f"the pretokenizer's parts of {text!r} are not that text: {parts!r}. If that is meant to be, "
                "set allow_inconsistent_pretokenization"
            )
        return parts

    return split
