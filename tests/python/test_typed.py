"""What type checkers and completion read is what runs. The programs in ``tests/typing`` are for the checkers alone."""

import inspect
import re

import pytest
from tessella import Tokenizer, count_pieces, models
from tessella._types import (
    BpeOptions,
    CountOptions,
    Padding,
    PaddingOptions,
    Truncation,
    TruncationOptions,
    WordPieceOptions,
)
from tessella.batch import PretrainedTokenizer
from tessella.batch.calling import CallOptions, EncodeOptions, PlainOptions, TokenizeOptions
from tessella.batch.files import HubOptions
from tessella.compat.sentencepiece import SentencePieceProcessor
from tessella.compat.sentencepiece import _options as sentencepiece

from tests.python.test_site import public_members, rooms


def names(options):
    return set(options.__annotations__) | {
        name for base in options.__mro__ for name in getattr(base, "__annotations__", {})
    }


def taken(function, *but):
    return {name for name in inspect.signature(function).parameters if name not in ("self", "kwargs", *but)}


# Options that one function passes on to another, and those that the other takes.
PASSED = [
    (BpeOptions, taken(models.BPE, "vocab", "merges")),
    (WordPieceOptions, taken(models.WordPiece, "vocab")),
    (CountOptions, taken(count_pieces, "source", "tokenizer")),
    (CallOptions, taken(PretrainedTokenizer.__call__, "text", "text_pair")),
    (
        PlainOptions,
        taken(
            PretrainedTokenizer.__call__,
            *("text", "text_pair", "is_split_into_words", "return_overflowing_tokens"),
            *("return_tensors", "tokenizer_kwargs"),
        ),
    ),
    (TokenizeOptions, taken(PretrainedTokenizer.__call__, "text", "text_pair", "add_special_tokens")),
    (EncodeOptions, taken(PretrainedTokenizer.__call__, *taken(PretrainedTokenizer.encode, "options"))),
    (HubOptions, taken(PretrainedTokenizer.push_to_hub, "repo_id")),
    (TruncationOptions, taken(Tokenizer.enable_truncation)),
    (Truncation, taken(Tokenizer.enable_truncation)),
    (PaddingOptions, taken(Tokenizer.enable_padding)),
    (Padding, taken(Tokenizer.enable_padding)),
    (
        sentencepiece.EncodeOptions,
        taken(SentencePieceProcessor.encode, "input", "return_type", "out_type"),
    ),
    (
        sentencepiece.ParallelOptions,
        taken(SentencePieceProcessor.parallel_encode, "input", "return_type", "out_type"),
    ),
    (
        sentencepiece.DecodeOptions,
        taken(SentencePieceProcessor.decode, "input", "return_type", "out_type"),
    ),
    (sentencepiece.ProcessorOptions, taken(SentencePieceProcessor, "model_file", "model_proto")),
]


@pytest.mark.parametrize(("options", "expected"), PASSED, ids=lambda one: getattr(one, "__name__", ""))
def test_options_are_those_of_the_function_that_gets_them(options, expected):
    assert names(options) == expected


def test_settings_have_the_keys_that_their_types_name():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.enable_padding()
    tokenizer.enable_truncation(5)
    assert set(tokenizer.padding) == names(Padding)
    assert set(tokenizer.truncation) == names(Truncation)


def test_the_class_shows_and_takes_a_model_and_nothing_else():
    assert list(inspect.signature(Tokenizer).parameters) == ["model"]
    for wrong in ({}, {"model": models.BPE(), "decoder": None}):
        with pytest.raises(TypeError):
            Tokenizer(**wrong)
    with pytest.raises(TypeError):
        Tokenizer(models.BPE(), models.BPE())


@pytest.mark.parametrize("given", [(), ("model",)])
def test_subclasses_may_take_more(given):
    class Named(Tokenizer):
        def __init__(self, model, name):
            super().__init__(*(model for _ in given))
            self.name = name

    assert Named(models.BPE(), name="mine").name == "mine"


# Where `Any` stays in a public signature, and why; the reason also stands in the code.
ANY = {
    "settings": "any JSON, as a settings file has it",
    "kwargs": "what the class takes besides, or the many options of the SentencePiece trainer",
    "options": "those of a recipe's trainer, which differ",
    "trainer_options": "which ones there are depends on the model",
    "conversation": "messages of other libraries' classes",
    "token_ids": "arrays of several libraries",
    "sequences": "arrays of several libraries",
    "annotations": "whatever the caller's converter takes",
    "annotation_converter": "whatever the caller's annotations are",
    "texts": "columns of several libraries",
    "batch": "columns of several libraries",
    "ids": "arrays of several libraries",
    "labels": "whatever the caller's labels are",
    "inside": "whatever the caller's labels are",
    "model": "a folder, or a module of torch, which is no dependency",
    "manifest": "any JSON, as the file has it",
    "data": "any JSON, as the file has it",
    "mended": "any JSON: the contents of files",
    "state": "any JSON, which the caller keeps and gives back",
}
RESULTS = {
    "PretrainedTokenizer.encode": "a list or an array, as the options say",
    "PretrainedTokenizer.decode": "one text, or one for each row",
    "PretrainedTokenizer.apply_chat_template": "a text, ids or columns, as the options say",
    "SentencePieceNormalizer.normalize": "a text, with or without offsets",
    "Explanation.to_dict": "plain data",
    "Audit.witnesses": "plain data, as in the report",
    "Result.skipped": "plain data, as in the manifest",
    "RaggedIds.to_arrow": "a type of pyarrow, which has no types of its own",
    "Report.to_arrow": "a type of pyarrow, which has no types of its own",
    "encode_arrow": "a type of pyarrow, which has no types of its own",
    "Report.to_pandas": "a type of pandas, which is no dependency",
    "Stored.load": "the report that was saved: of an evaluation or of an audit",
    "IdMap.apply": "of the type that was given",
    "IdMap.apply_along": "labels as they were given",
    "IdMap.apply_labels": "labels as they were given",
    "Encoder.__call__": "columns, as the batch has them",
    "Corpus.read": "an array whose type of numbers the file says",
    "Documents.row": "arrays whose type of numbers the file says",
    "inspect": "plain data",
    "schema": "plain data",
    "Stream.state_dict": "plain data",
    "TorchStream.state_dict": "plain data",
    "Effect.to_dict": "plain data",
    "Audit.not_found": "plain data",
    "Audit.unreachable": "plain data",
    "Stored.to_dict": "plain data",
    "Difference.to_dict": "plain data",
    "Example.to_dict": "plain data",
    "Diagnosis.to_dict": "plain data",
    "Verification.to_dict": "plain data",
}


def public_functions(thing):
    """A function, or all of a class that it or a base of this package defines."""
    if inspect.isfunction(thing):
        yield thing
    if inspect.isclass(thing):
        for base in thing.__mro__:
            if base.__module__.startswith("tessella."):
                found = [member for _, member in public_members(base)]
                for member in (
                    *found,
                    *(vars(base)[name] for name in ("__init__", "__call__") if name in vars(base)),
                ):
                    member = getattr(member, "fget", None) or getattr(member, "__func__", member)
                    yield inspect.unwrap(member)


def test_any_is_in_signatures_with_a_reason_only():
    unexplained = {
        f"{function.__qualname__}: {part}"
        for room in rooms()
        for name in room.__all__
        for function in public_functions(getattr(room, name))
        for part, hint in getattr(function, "__annotations__", {}).items()
        if re.search(r"\bAny\b", str(hint))
        and not (function.__qualname__ in RESULTS if part == "return" else part in ANY)
    }
    assert unexplained == set()
