"""Only the type checker reads this: a call with a model's settings, and the names of other libraries."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tessella import Encoding, Tokenizer
from tessella.batch import AutoTokenizer, BatchEncoding, PretrainedTokenizer
from tessella.compat import sentencepiece, tiktoken, transformers
from tessella.embeddings import load_vectors
from tessella.explain import explain
from tessella.tools import Annotation, EncodingVisualizer
from typing_extensions import assert_type


def calls(tokenizer: PretrainedTokenizer, words: list[str], rows: list[list[str]]) -> None:
    assert_type(tokenizer("a", "b", padding="max_length", truncation="only_second"), BatchEncoding[list[int]])
    tokenizer(words, text_pair=words, return_tensors="np", padding_side="left")
    tokenizer(rows, is_split_into_words=True, return_offsets_mapping=True)
    tokenizer([("a", "b"), ("c", "d")])
    tokenizer(text_target=words)
    batch = tokenizer(words, padding=True)
    assert_type(batch[0], Encoding)
    assert_type(batch, BatchEncoding[list[list[int]]])
    assert_type(batch["input_ids"], list[list[int]])
    assert_type(batch.attention_mask, list[list[int]])
    assert_type(batch["offset_mapping"], Any)
    assert_type(tokenizer("a")["input_ids"], list[int])
    assert_type(tokenizer([("a", "b")])["token_type_ids"], list[list[int]])
    assert_type(tokenizer(words, return_tensors="np")["input_ids"], npt.NDArray[np.int64])
    assert_type(tokenizer(words, return_tensors="pt")["input_ids"], Any)
    assert_type(tokenizer(words, is_split_into_words=True)["input_ids"], Any)
    assert_type(tokenizer("a", return_overflowing_tokens=True)["input_ids"], Any)
    tokenizer("a")["input_ids"].sum()  # type: ignore[attr-defined]
    assert_type(tokenizer.encode("a", "b"), list[int])
    tokenizer.pad([{"input_ids": [1, 2]}, {"input_ids": [1]}], return_tensors="pt")
    assert_type(tokenizer.tokenize("a", stride=2), list[str])
    assert_type(tokenizer.decode([1, 2]), str)
    assert_type(tokenizer.decode([[1], [2]]), list[str])
    assert_type(tokenizer.batch_decode(np.array([[1]])), list[str])
    assert_type(tokenizer.convert_tokens_to_ids("a"), int | None)
    assert_type(tokenizer.convert_tokens_to_ids(words), list[int | None])
    assert_type(tokenizer.convert_ids_to_tokens(1), str | None)
    assert_type(tokenizer.convert_ids_to_tokens([1, 2]), list[str | None])
    assert_type(tokenizer.save_pretrained(Path("folder"), push_to_hub=True, repo_id="a/b"), tuple[str, ...])
    assert_type(tokenizer.train_new_from_iterator(words, 300, min_frequency=2), PretrainedTokenizer)
    tokenizer.add_special_tokens({"pad_token": "[PAD]", "extra_special_tokens": ["<a>", "<b>"]})
    tokenizer.apply_chat_template([{"role": "user", "content": "hi"}], tools=[calls], bos="<s>")
    tokenizer(1)  # type: ignore[call-overload]
    tokenizer("a", padding="longets")  # type: ignore[call-overload]
    tokenizer("a", return_tensors="numpy")  # type: ignore[call-overload]
    tokenizer("a", maxlength=5)  # type: ignore[call-overload]
    tokenizer.encode("a", maxlength=5)  # type: ignore[call-overload]
    tokenizer.tokenize("a", truncation="all")  # type: ignore[arg-type]
    tokenizer.padding_side = "up"  # type: ignore[assignment]
    tokenizer.add_tokens(1)  # type: ignore[arg-type]
    PretrainedTokenizer("tokenizer.json")  # type: ignore[arg-type]


def of_a_tokenizer(tokenizer: Tokenizer) -> None:
    assert_type(tokenizer("a", padding=True, max_length=5), BatchEncoding[list[int]])
    tokenizer("a", maxlength=5)  # type: ignore[call-overload]
    tokenizer("a", truncation="all")  # type: ignore[call-overload]
    loaded = AutoTokenizer.from_pretrained("folder", revision="main", padding_side="left")
    assert_type(loaded, PretrainedTokenizer)
    AutoTokenizer.from_pretrained(1)  # type: ignore[arg-type]


def looking_inside(tokenizer: Tokenizer) -> None:
    assert_type(explain(tokenizer, "a").sequences[0].text, str)
    assert_type(EncodingVisualizer(tokenizer)("a", [Annotation(0, 1, "A")]), str | None)
    load_vectors("v.bin", format="word2vec")  # type: ignore[arg-type]


def other_names() -> None:
    encoding = tiktoken.get_encoding("cl100k_base")
    assert_type(encoding.encode("a"), list[int])
    assert_type(encoding.decode([1]), str)
    assert_type(encoding.encode_to_numpy("a"), npt.NDArray[np.uint32])
    tiktoken.get_encoding(1)  # type: ignore[arg-type]

    processor = sentencepiece.SentencePieceProcessor(model_file="a.model", out_type=str)
    assert_type(processor.piece_to_id("a"), int)
    assert_type(processor.piece_to_id(["a", "b"]), list[int])
    assert_type(processor.id_to_piece(1), str)
    assert_type(processor.piece_size(), int)
    processor.encode(["a", "b"], out_type=int, add_bos=True, num_threads=2)
    processor.encode_as_ids("a", reverse=True)
    processor.decode([[1, 2], [3]])
    processor.encode("a", out_type="ids")  # type: ignore[arg-type]
    processor.encode_as_ids("a", add_bo=True)  # type: ignore[call-arg]
    processor.encode(1)  # type: ignore[arg-type]

    fast = transformers.PreTrainedTokenizerFast(tokenizer_file="tokenizer.json")
    assert_type(fast("a"), transformers.BatchEncoding[list[int]])
