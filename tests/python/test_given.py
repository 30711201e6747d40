"""What is not meant, and what Python would take all the same: one text for a list of them, and numbers that are none."""

import json

import numpy as np
import pytest
from tessella import (
    Tokenizer,
    count_pieces,
    data,
    decoders,
    edit,
    embeddings,
    evaluate,
    models,
    pre_tokenizers,
    prove,
    tasks,
    words,
)
from tessella.batch import PretrainedTokenizer
from tessella.errors import ArgumentError, TessellaError

EXAMPLES = [{"input_ids": [1, 2]}, {"input_ids": [3]}]


@pytest.fixture(scope="module")
def tokenizer():
    made = Tokenizer(models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


@pytest.fixture(scope="module")
def vectors():
    return embeddings.Vectors(["a", "b", "c", "d"], [[0, 1], [1, 0], [1, 1], [0, 2]])


def model(encodings):
    return [np.zeros((len(one.ids), 2)) for one in encodings]


def pairs(encodings):
    return [(np.zeros(len(one.ids)),) * 2 for one in encodings]


def asked(tokenizer, **options):
    return tasks.QuestionAnswerer(pairs, tokenizer, **options)


ONE_TEXT = {
    "decode": lambda t, v: decoders.ByteLevel().decode("low"),
    "decode_chain": lambda t, v: decoders.WordPiece().decode_chain("low"),
    "treebank_join": lambda t, v: words.treebank_join("low"),
    "join": lambda t, v: words.Affixes(["un"]).join("low"),
    "words": lambda t, v: words.WordVocabulary("low"),
    "special_tokens": lambda t, v: words.WordVocabulary.build(["low"], 3, special_tokens="<pad>"),
    "unknown_share": lambda t, v: words.WordVocabulary(["low"]).unknown_share("low"),
    "ignore": lambda t, v: tasks.TokenClassifier(model, t, ["O", "PER"], ignore="PER"),
    "labels": lambda t, v: tasks.TokenClassifier(model, t, "OP"),
    "classifier.words": lambda t, v: tasks.TokenClassifier(model, t, ["O", "PER"]).words("low"),
    "aggregate": lambda t, v: tasks.aggregate(
        t.encode("low"), np.zeros((1, 2)), "low", ["O", "PER"], ignore="PER"
    ),
    "score_entities": lambda t, v: tasks.score_entities(["B-PER"], ["B-PER"]),
    "reorder": lambda t, v: edit.reorder(t, "lo"),
    "unlike": lambda t, v: v.most_similar("a", unlike="bc"),
}


@pytest.mark.parametrize("name", ONE_TEXT)
def test_one_text_is_no_list_of_its_letters(tokenizer, vectors, name):
    with pytest.raises(
        TypeError, match=r"must be a list of .*(not one str|call the classifier itself)|not one: "
    ):
        ONE_TEXT[name](tokenizer, vectors)


NO_NUMBERS = {
    # A token that the tokenizer does not have is None.
    "mask_id": lambda t, v: tasks.MaskedCollator(0, t.token_to_id("[MASK]"), 9),
    "pad_id": lambda t, v: tasks.CausalCollator(t.token_to_id("[PAD]")),
    "pad_id nan": lambda t, v: tasks.pad_batch(EXAMPLES, float("nan")),
    "pad_id text": lambda t, v: tasks.pad_batch(EXAMPLES, "3"),
    "label_fill": lambda t, v: tasks.TokenLabelCollator(0, label_fill=1.5),
    "length": lambda t, v: tasks.pad_batch(EXAMPLES, 0, length=2.0),
    "special_ids": lambda t, v: tasks.MaskedCollator(0, 1, 9, special_ids=[1.5]),
    "examples": lambda t, v: tasks.pad_batch([[1, 2], [3]], 0),
    "columns": lambda t, v: tasks.pad_batch({"input_ids": [[1, 2], [3]]}, 0),
    "new_ids": lambda t, v: edit.IdMap([0, 0.5]),
    "new_ids array": lambda t, v: edit.IdMap(np.array([0.0, 0.5])),
    "size": lambda t, v: edit.prune(t, float("nan")),
    "max_question_tokens": lambda t, v: asked(t, max_question_tokens=1.5),
    "n": lambda t, v: v.most_similar("a", n=1.5),
}


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_what_is_no_number_is_told_by_its_name(tokenizer, vectors, name):
    named = {"examples": "example 0", "columns": "examples"}.get(name, name.partition(" ")[0])
    with pytest.raises(TypeError, match=rf"`?{named}`? .*must (be|hold)|`{named}` must"):
        NO_NUMBERS[name](tokenizer, vectors)


OUT_OF_RANGE = {
    "mask_id": lambda t, v: tasks.MaskedCollator(0, -1, 9),
    "length": lambda t, v: tasks.pad_batch(EXAMPLES, 0, length=-1),
    "seed": lambda t, v: tasks.MaskedCollator(0, 1, 9, seed=-1),
    "max_question_tokens": lambda t, v: asked(t, max_question_tokens=-1),
    "max_answer_tokens": lambda t, v: asked(t, max_answer_tokens=0),
    "n": lambda t, v: asked(t)("low", "low", -1),
    "n of vectors": lambda t, v: v.most_similar("a", n=-2),
    "sequence": lambda t, v: tasks.labels_of_words(t.encode("low"), ["O"], sequence=2),
    "sequence of spans": lambda t, v: tasks.labels_of_spans(t.encode("low"), [("A", 0, 3)], sequence=-1),
    "sequence of scores": lambda t, v: tasks.aggregate(
        t.encode("low"), np.zeros((1, 2)), "low", ["O", "A"], sequence=2
    ),
    "limit": lambda t, v: words.WordVocabulary.build(["low"], -1),
    "min_count": lambda t, v: words.WordVocabulary.build(["low"], 3, min_count=-1),
    "at_most": lambda t, v: words.Affixes(["un"], at_most=-1),
    "corpus_weight": lambda t, v: words.Morphs({"un": 1}, corpus_weight=0),
    "word_count": lambda t, v: words.Morphs({"un": 1}, word_count=-1),
    "least_gain": lambda t, v: words.Morphs.train(["undo", "un"], least_gain=-1),
    "max_rounds": lambda t, v: words.Morphs.train(["undo", "un"], max_rounds=0),
    "negatives": lambda t, v: embeddings.train_vectors([["a", "b"]], negatives=-1),
    "learning_rate": lambda t, v: embeddings.train_vectors([["a", "b"]], learning_rate=float("nan")),
    "subsampling": lambda t, v: embeddings.train_vectors([["a", "b"]], subsampling=-1),
    # The last letter would be left out, and nothing be learned.
    "new_letters": lambda t, v: edit.extend(t, ["xyz"] * 9, 9, new_letters=-1),
    "longest": lambda t, v: edit.extend(t, ["lowlow"] * 9, 9, longest=0),
}


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_numbers_that_would_do_something_else(tokenizer, vectors, name):
    with pytest.raises(ArgumentError, match=f"`{name.partition(' ')[0]}` is "):
        OUT_OF_RANGE[name](tokenizer, vectors)


def test_numbers_of_numpy_are_numbers(tokenizer, vectors):
    collate = tasks.MaskedCollator(
        np.int64(0), np.uint16(1), np.int32(9), seed=np.int64(3), length=np.int8(4)
    )
    again = tasks.MaskedCollator(0, 1, 9, seed=3, length=4)
    assert collate(EXAMPLES)["input_ids"].tolist() == again(EXAMPLES)["input_ids"].tolist()
    assert vectors.most_similar("a", n=np.int64(2)) == vectors.most_similar("a", n=2)
    assert edit.IdMap(np.array([], float)).old_size == 0
    assert edit.IdMap([np.int64(0), None]).new_ids == edit.IdMap([0, None]).new_ids
    trained = words.Morphs.train(["undo", "redo", "un"], seed=np.int64(2))
    assert trained.morphs == words.Morphs.train(["undo", "redo", "un"], seed=2).morphs
    assert issubclass(ArgumentError, TessellaError)


def test_numbers_of_numpy_in_token_files(tmp_path):
    """They are written to manifests and states, which are JSON, and the keys of an order fill 64 bits."""
    texts = ["low lower", "newer", "wide low"] * 9
    tokenizer = Tokenizer(models.WordLevel({"low": 0, "lower": 1, "newer": 2, "wide": 3}))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))

    def made(out, kind):
        one, two = kind(1), kind(2)
        options = {"eos": one, "shuffle": two, "length": kind(8), "pack": "best-fit", "format": "numpy"}
        data.tokenize_corpus(path, tokenizer, tmp_path / out, workers=1, **options)
        data.tokenize_corpus(path, tokenizer, tmp_path / f"{out}-2", workers=1, eos=one, task=(kind(0), two))
        data.tokenize_corpus(path, tokenizer, tmp_path / f"{out}-4", workers=1, eos=one)
        packed = data.pack_corpus(
            tmp_path / f"{out}-4", tmp_path / f"{out}-3", length=kind(4), shuffle=two, pad=one
        )
        assert data.verify(tmp_path / out, tokenizer, sample=one, seed=two).problems == []
        stream = data.Stream(texts, seed=two, rank=one, world=two, epochs=one)
        drawn = [next(stream), json.dumps(stream.state_dict()), *stream]
        order = data.Permutation(kind(9), two, one)
        return (
            packed.manifest["files"],
            drawn,
            [order[kind(place)] for place in range(9)],
            data.drawn(9, two, one),
        )

    assert made("a", np.int64) == made("b", int)


def test_tasks_and_orders_that_are_none(tmp_path, tokenizer):
    (tmp_path / "a.txt").write_text("low")
    for task in (3, "01", (0,), (2, 2), (0.0, 1)):
        with pytest.raises(ArgumentError, match="`task` must be a pair"):
            data.tokenize_corpus(tmp_path / "a.txt", tokenizer, tmp_path / "out", eos=None, task=task)
    data.tokenize_corpus(tmp_path / "a.txt", tokenizer, tmp_path / "out", eos=None, workers=1)
    for seed in (-1, 1.5, "3", True):
        with pytest.raises(ArgumentError, match="`shuffle` must be a seed"):
            data.pack_corpus(tmp_path / "out", tmp_path / "packed", pack=None, shuffle=seed)
    assert not (tmp_path / "packed").exists()
    with pytest.raises(ArgumentError, match="`size` is -1"):
        data.Permutation(-1, 3)


TOKENIZER = {
    "answers": lambda t: asked(t),
    "classifier": lambda t: tasks.TokenClassifier(model, t, ["O", "PER"]),
    "windows": lambda t: tasks.windows(t, "low", max_length=2),
    "count_pieces": lambda t: count_pieces(["low"], tokenizer=t),
    "compact": lambda t: edit.compact(t),
    "audit": lambda t: evaluate.audit(t),
    "diff": lambda t: prove.diff(t, t),
}


@pytest.mark.parametrize("name", TOKENIZER)
def test_what_is_no_tokenizer_is_told_and_what_holds_one(tokenizer, name):
    call = TOKENIZER[name]
    call(tokenizer)
    with pytest.raises(
        TypeError, match=r"` must be a tessella.Tokenizer, not PretrainedTokenizer: pass its `backend"
    ):
        call(PretrainedTokenizer(tokenizer))
    # As where model and tokenizer stand the other way round.
    with pytest.raises(TypeError, match=r"` must be a tessella.Tokenizer, not function$"):
        call(model)
