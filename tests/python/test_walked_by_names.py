"""Collections that are walked by names: what is like a dict by its keys, a table by its columns.

Where texts are expected these would be the names of columns, in rows and in vocabularies, without a word.
"""

import types
from collections import ChainMap, Counter, UserDict
from collections.abc import Callable
from typing import Any

import pytest
import tessella
from tessella import models, pre_tokenizers, trainers
from tessella.trainers import BpeTrainer

TEXTS = ["low tile", "the tile"]


class Frame:
    """What a frame of pandas is to who walks it."""

    columns = ("text", "label")
    __dataframe__ = None

    def __iter__(self) -> Any:
        return iter(self.columns)


class Wide:
    """A corpus of somebody's own, which knows of columns and is no table."""

    columns = 80

    def __iter__(self) -> Any:
        return iter(TEXTS)


def table(kind: str) -> Any:
    """A table of Arrow, pandas or Polars with two columns, or one that stands for such a table."""
    content = {"text": TEXTS, "label": ["a", "b"]}
    if kind == "stand-in":
        return Frame()
    if kind in ("Table", "RecordBatch"):
        pyarrow = pytest.importorskip("pyarrow")
        return (pyarrow.table if kind == "Table" else pyarrow.record_batch)(content)
    library, _, name = kind.partition(".")
    return getattr(pytest.importorskip(library), name)(content)


TABLES = ["stand-in", "Table", "RecordBatch", "pandas.DataFrame", "polars.DataFrame", "polars.LazyFrame"]
MAPPINGS: list[Callable[[Any], Any]] = [dict, UserDict, ChainMap, types.MappingProxyType]


def tokenizer() -> tessella.Tokenizer:
    made = tessella.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


def train(texts: Any) -> dict[str, int]:
    made = tokenizer()
    trainer: BpeTrainer = trainers.BpeTrainer(vocab_size=20, show_progress=False)
    made.train_from_iterator(texts, trainer)
    return made.get_vocab()


trained = tokenizer()
trained.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=20, show_progress=False))
IN_BATCHES: list[Callable[[Any], Any]] = [
    trained.encode_batch,
    trained.encode_batch_fast,
    trained.encode_ids_batch,
    trained.count_batch,
    trained.decode_batch,
    trained.decode,
]


@pytest.mark.parametrize("call", IN_BATCHES, ids=lambda call: call.__name__)
@pytest.mark.parametrize("mapping", MAPPINGS, ids=lambda kind: kind.__name__)
def test_what_is_like_a_dict_is_no_batch(call: Callable[[Any], Any], mapping: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="a dict is walked by its keys"):
        call(mapping({"text": TEXTS}))


@pytest.mark.parametrize("call", IN_BATCHES, ids=lambda call: call.__name__)
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_no_batch(call: Callable[[Any], Any], kind: str) -> None:
    with pytest.raises(TypeError, match=r"a table is walked by its columns: .*\[\"text\"\]"):
        call(table(kind))


def test_what_a_call_gave_is_no_batch() -> None:
    with pytest.raises(TypeError, match="a dict is walked by its keys"):
        trained.encode_batch(trained(TEXTS))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", TABLES)
def test_nothing_is_learned_from_the_names_of_columns(kind: str) -> None:
    with pytest.raises(TypeError, match="a table is walked by its columns"):
        train(table(kind))
    with pytest.raises(TypeError, match=r"`iterator\[1\]`; a table is walked by its columns"):
        # As `pandas.read_csv(..., chunksize=...)` gives them.
        train(iter([TEXTS, table(kind)]))


@pytest.mark.parametrize("kind", ["stand-in", "pandas.DataFrame", "polars.DataFrame"])
def test_names_of_columns_are_not_counted(kind: str) -> None:
    with pytest.raises(TypeError, match="a table is walked by its columns"):
        tessella.count_pieces(table(kind), tokenizer())


@pytest.mark.parametrize("mapping", [*MAPPINGS, Counter], ids=lambda kind: kind.__name__)
def test_nothing_is_learned_from_keys(mapping: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="a dict is walked by its keys"):
        train(mapping({"text": 5}))


def test_rows_are_dicts() -> None:
    assert train([{"text": text} for text in TEXTS]) == train(TEXTS)
    with pytest.raises(TypeError, match=r"`iterator\[0\]`; a dict is walked by its keys"):
        train([UserDict(text="low")])


def test_texts_once_and_in_their_order_are_learned_from() -> None:
    assert train(dict.fromkeys(TEXTS)) == train(TEXTS)
    assert train(dict.fromkeys(TEXTS).keys()) == train(TEXTS)


def test_a_corpus_of_ones_own_may_have_columns() -> None:
    assert train(Wide()) == train(TEXTS)
    assert [one.tokens for one in trained.encode_batch(Wide())] == [  # type: ignore[arg-type]
        one.tokens for one in trained.encode_batch(TEXTS)
    ]
