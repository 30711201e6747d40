"""Columns of Arrow where texts are walked one by one."""

import pytest
import tessella


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_columns_of_arrow_to_learn_from(kind):
    """Training, counting and measuring walk a column by its cells, which hold texts."""
    pyarrow = pytest.importorskip("pyarrow")
    texts = ["low lower lowest", "newer wider", "", "low tiles"] * 20
    column = pyarrow.array(texts, getattr(pyarrow, kind)())
    halves = pyarrow.chunked_array([column[:30], column[30:]])
    wanted = tessella.count_pieces(texts)
    for given in (column, halves, pyarrow.array([texts[:50], texts[50:]])):
        assert dict(tessella.count_pieces(given).items()) == dict(wanted.items())
        trained = [tessella.Tokenizer(tessella.models.BPE()) for _ in range(2)]
        for tokenizer, source in zip(trained, (given, texts), strict=True):
            trainer = tessella.trainers.BpeTrainer(vocab_size=40, show_progress=False)
            tokenizer.train_from_iterator(source, trainer)
        assert trained[0].to_str() == trained[1].to_str()
    rows = pyarrow.array([{"text": text} for text in texts])
    assert dict(tessella.count_pieces(rows).items()) == dict(wanted.items())
    with pytest.raises(TypeError, match=r"found None for `iterator\[1\]`"):
        tessella.count_pieces(pyarrow.array(["low", None]))
