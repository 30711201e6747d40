"""Ready-made tokenizers and the tools beside them."""

import re
import time

import pytest
import tessella
from tessella import implementations
from tessella.tools import Annotation, EncodingVisualizer

TEXTS = ["A first sentence", "Another sentence", "And a last one"]


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("BertWordPieceTokenizer", ["a", "sentence"]),
        ("ByteLevelBPETokenizer", ["A", "Ġsentence"]),
        ("CharBPETokenizer", ["A</w>", "sentence</w>"]),
        ("SentencePieceBPETokenizer", ["▁A", "▁sentence"]),
    ],
)
def test_recipes(name, tokens, tmp_path):
    cls = getattr(implementations, name)
    assert getattr(tessella, name) is cls
    tokenizer = cls()
    assert isinstance(tokenizer, implementations.BaseTokenizer)
    tokenizer.train_from_iterator(TEXTS, show_progress=False)
    assert tokenizer.encode("A sentence").tokens == tokens
    again = cls.from_file(*tokenizer.save_model(str(tmp_path)))
    assert again.encode("A sentence", add_special_tokens=False).tokens == tokens
    assert repr(again).startswith(f"Tokenizer(vocabulary_size={again.get_vocab_size()}, model=")
    path = tmp_path / "text"
    path.write_text("\n".join(TEXTS))
    other = cls()
    other.train(str(path), show_progress=False)
    assert other.get_vocab_size() > 0


def test_bert_needs_its_tokens():
    with pytest.raises(TypeError, match="sep_token not found"):
        implementations.BertWordPieceTokenizer({"a": 0})


def test_pages(words):
    page = EncodingVisualizer(words, default_to_notebook=False)(
        "the <quick> fox", [Annotation(0, 3, "article & more")]
    )
    assert "&lt;" in page and "<quick>" not in page
    assert page.count('class="special"') == 2
    assert 'data-label="article &amp; more"' in page


def test_overlapping_annotations_are_drawn_in_the_order_in_which_they_were_given(words):
    page = EncodingVisualizer(words, default_to_notebook=False)(
        "the quick fox", [Annotation(4, 9, "second"), Annotation(0, 6, "first"), Annotation(2, 99, "third")]
    )
    drawn = re.findall(r'data-label="(\w+)">(?:<span [^>]*>)?([^<]*)', page)
    assert drawn == [
        ("first", "th"),
        ("first", "e"),
        ("first", " "),
        ("second", "qu"),
        ("second", "ick"),
        ("third", " "),
        ("third", "fox"),
    ]


def test_a_page_of_a_long_text_takes_time_that_grows_with_it(words):
    labels = [Annotation(place, place + 3, "article") for place in range(0, 40_000, 4)]
    began = time.process_time()
    page = EncodingVisualizer(words, default_to_notebook=False)("the " * 10_000, labels)
    assert page.count('data-label="article"') == 10_000
    # It took over half a minute when each token asked for the places of all of them.
    assert time.process_time() - began < 5
