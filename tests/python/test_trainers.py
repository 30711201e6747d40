"""Training, from texts, files and counts."""

import copy
import json
import pickle

import pytest
import tessella
from tessella import AddedToken, PieceCounts, Tokenizer, models, normalizers, pre_tokenizers, trainers
from tessella.errors import ArgumentError, TrainError

TEXTS = ["low lower lowest newer newest wide wider widest"] * 5


def make(model):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def test_bpe_learns_and_replaces():
    tokenizer = make(models.BPE(unk_token="[UNK]", fuse_unk=True))
    tokenizer.add_tokens(["zzz"])
    trainer = trainers.BpeTrainer(vocab_size=30, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    assert tokenizer.encode("lowest").tokens == ["lowest"]
    assert tokenizer.model.unk_token == "[UNK]" and tokenizer.model.fuse_unk
    assert trainer.get_word_count() == 8
    vocab = tokenizer.get_vocab()
    assert len(set(vocab.values())) == len(vocab)
    assert vocab["[UNK]"] == 0 and vocab["zzz"] == len(vocab) - 1
    assert tokenizer.get_added_tokens_decoder()[0] == AddedToken("[UNK]", special=True)


def test_texts_files_lists_and_counts_agree(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    options = dict(vocab_size=28, show_progress=False)
    results = []
    for source in ("texts", "lists", "files"):
        tokenizer = make(models.BPE())
        trainer = trainers.BpeTrainer(**options)
        if source == "texts":
            tokenizer.train_from_iterator(iter(TEXTS), trainer, length=5)
        elif source == "lists":
            tokenizer.train_from_iterator([TEXTS[:2], TEXTS[2:]], trainer)
        else:
            tokenizer.train([path], trainer)
        results.append(tokenizer.to_str())
    counts = tessella.count_pieces(TEXTS, make(models.BPE()))
    learned = trainers.BpeTrainer(**options).train_from_counts(counts)
    tokenizer = make(models.BPE())
    tokenizer.model = learned
    results.append(tokenizer.to_str())
    assert len(set(results)) == 1


def test_counts_are_artefacts(tmp_path):
    counts = PieceCounts({"a": 2, "b": 1})
    counts.add("b", 4)
    other = PieceCounts([("a", 1), ("c", 2**40)])
    counts.merge(other, weight=2)
    assert counts.items() == [("a", 4), ("b", 5), ("c", 2**41)]
    counts.save(tmp_path / "counts")
    again = PieceCounts.load(tmp_path / "counts")
    assert again.items() == counts.items()
    assert (again.total, len(again), again.get("b"), again.get("x")) == (9 + 2**41, 3, 5, None)
    assert again.top(1) == [("c", 2**41)]
    for _ in range(22):
        counts.merge(counts)
    assert counts.items() == [("a", 4 << 22), ("b", 5 << 22), ("c", 2**63)]
    with pytest.raises(ValueError, match="`c` exceeds"):
        counts.merge(counts)


@pytest.mark.parametrize(
    ("model", "trainer"),
    [
        (models.WordPiece(unk_token="[UNK]"), trainers.WordPieceTrainer),
        (models.WordLevel(unk_token="[UNK]"), trainers.WordLevelTrainer),
        (models.Unigram(), trainers.UnigramTrainer),
        (models.BPE(), trainers.BpeTrainer),
    ],
    ids=["wordpiece", "wordlevel", "unigram", "bpe"],
)
def test_every_kind(model, trainer):
    tokenizer = make(model)
    options = {"special_tokens": ["[UNK]"], "vocab_size": 60, "show_progress": False}
    if trainer is trainers.UnigramTrainer:
        options["unk_token"] = "[UNK]"
    tokenizer.train_from_iterator(TEXTS, trainer(**options))
    assert tokenizer.token_to_id("[UNK]") == 0
    assert 0 < tokenizer.get_vocab_size() <= 60
    assert "".join(token.removeprefix("##") for token in tokenizer.encode("widest").tokens) == "widest"
    assert type(tokenizer.model.get_trainer()) is trainer


def test_a_trainer_trains_its_own_model():
    with pytest.raises(TrainError, match="UnigramTrainer can only train a Unigram"):
        make(models.BPE()).train([], trainers.UnigramTrainer())
    with pytest.raises(TypeError, match="'int' object is not an instance of 'Trainer'"):
        make(models.BPE()).train([], 1)


def test_exceptions_of_the_iterator_come_through():
    class Mine(Exception):
        pass

    def texts():
        yield "a"
        raise Mine

    with pytest.raises(Mine):
        make(models.BPE()).train_from_iterator(texts())
    with pytest.raises(TypeError, match="str or lists of str"):
        make(models.BPE()).train_from_iterator([1])


def test_files_must_exist_and_be_text(tmp_path):
    with pytest.raises(FileNotFoundError):
        make(models.BPE()).train([tmp_path / "none"])
    (tmp_path / "bad").write_bytes(b"ok\n\xff\n")
    with pytest.raises(ValueError, match="line 2"):
        make(models.BPE()).train([tmp_path / "bad"])


@pytest.mark.parametrize("kind", ["BpeTrainer", "WordPieceTrainer", "WordLevelTrainer", "UnigramTrainer"])
def test_an_empty_corpus_is_an_error(kind, tmp_path):
    trainer = getattr(trainers, kind)(special_tokens=["[UNK]"], show_progress=False)
    model = getattr(models, trainer._trains)
    (tmp_path / "empty").write_text("")
    (tmp_path / "blank").write_text("\n \n")
    ways = [
        lambda tokenizer: tokenizer.train([], trainer),
        lambda tokenizer: tokenizer.train([tmp_path / "empty"], trainer),
        lambda tokenizer: tokenizer.train_from_iterator([], trainer),
        lambda tokenizer: tokenizer.train_from_counts(PieceCounts(), trainer),
        lambda tokenizer: trainer.train_from_counts(PieceCounts()),
    ]
    for way in ways:
        with pytest.raises(TrainError, match="the corpus holds no pieces: 0 texts were read"):
            way(make(model()))
    with pytest.raises(TrainError, match="2 texts were read"):
        make(model()).train([tmp_path / "blank"], trainer)
    if kind != "WordLevelTrainer":
        # What makes a vocabulary that can encode does not need a corpus.
        trainer.initial_alphabet = ["a", "b"]
        tokenizer = make(model())
        tokenizer.train_from_iterator([], trainer)
        assert {"[UNK]", "a", "b"} == set(tokenizer.get_vocab())


def test_why_learning_ended_is_told(capfd):
    counts = PieceCounts({"low": 5, "lower": 2})
    for options, why in (
        ({"vocab_size": 60}, "no candidate was left to learn"),
        ({"vocab_size": 60, "min_frequency": 9}, "every candidate left is rarer than min_frequency"),
        ({"vocab_size": 6}, "the vocabulary reached its target size"),
    ):
        model = trainers.BpeTrainer(progress_format="json", **options).train_from_counts(counts)
        told = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
        ended = {
            "ended": why,
            "vocab_size": Tokenizer(model).get_vocab_size(),
            "target": options["vocab_size"],
        }
        assert told[-1] == ended
        assert all(line["total"] in (0, 2, options["vocab_size"]) for line in told if "total" in line)
    # Where there is no terminal, a job of less than ten seconds says nothing.
    trainers.BpeTrainer().train_from_counts(counts)
    assert capfd.readouterr().err == ""


def test_a_vocabulary_to_continue_has_pairs_of_texts():
    for merges in ([("a", "b", "c")], ["ab"], [("a", 5)], [None]):
        with pytest.raises(ArgumentError, match="merge 0 of `initial_vocab` must be a pair of str"):
            trainers.BpeTrainer(initial_vocab=(["a", "b"], merges))


def test_custom_components_take_part():
    class Dashes:
        def pre_tokenize(self, text):
            text.split(lambda index, piece: piece.split("-", "removed"))

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Dashes())
    tokenizer.train_from_iterator(["AB-CD"] * 500, trainers.BpeTrainer(show_progress=False))
    assert tokenizer.encode("ab-cd").tokens == ["ab", "cd"]


@pytest.mark.parametrize("kind", ["BpeTrainer", "WordPieceTrainer", "WordLevelTrainer", "UnigramTrainer"])
def test_options_are_attributes_and_state(kind):
    trainer = getattr(trainers, kind)(special_tokens=["a", AddedToken("b", lstrip=True)], vocab_size=7)
    assert trainer.special_tokens == [
        AddedToken("a", special=True),
        AddedToken("b", lstrip=True, special=True),
    ]
    for same in (pickle.loads(pickle.dumps(trainer)), copy.deepcopy(trainer)):
        assert type(same) is type(trainer)
        assert same.__getstate__() == trainer.__getstate__()
        assert repr(same) == repr(trainer)
    trainer.vocab_size = 9
    assert trainer.vocab_size == 9
    with pytest.raises(TypeError):
        trainer.vocab_size = "x"
    with pytest.raises(AttributeError, match="no option `vocabsize`"):
        trainer.vocabsize = 9
    with pytest.raises(TypeError):
        getattr(trainers, kind)(vocabsize=9)


@pytest.mark.parametrize("number", [1 << 63, 1 << 64, 10**30])
def test_numbers_beyond_all_machines_are_named(number):
    with pytest.raises(tessella.errors.OutOfRangeError, match="`vocab_size`"):
        tessella.trainers.BpeTrainer(vocab_size=number)
    for budget in (number, f"{number}B", f"{number}TB"):
        with pytest.raises(tessella.errors.OutOfRangeError, match="`memory`"):
            tessella.count_pieces(iter(["a"]), tessella.Tokenizer(tessella.models.BPE()), memory=budget)


def test_pickles_name_the_public_module():
    stored = pickle.dumps(trainers.BpeTrainer(vocab_size=300), protocol=0)
    assert b"tessella.trainers" in stored and b"tessella._" not in stored
    assert trainers.Trainer.__module__ == "tessella.trainers"


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 9])
def test_one_seed_is_taken_in_any_case(size):
    reference = pytest.importorskip("tokenizers")
    found = []
    for library in (tessella, reference):
        tokenizer = library.Tokenizer(library.models.Unigram())
        options = {"vocab_size": 40, "seed_size": size, "unk_token": "<unk>", "show_progress": False}
        texts = ["abab", "abac", "acab", "caba"] * 3
        tokenizer.train_from_iterator(texts, library.trainers.UnigramTrainer(**options))
        found.append(set(tokenizer.get_vocab()))
    assert found[0] == found[1]
    assert len(found[0]) > 4


@pytest.mark.parametrize("kind", ["Bpe", "WordPiece", "WordLevel", "Unigram"])
def test_special_tokens_are_matched_as_they_say(kind):
    reference = pytest.importorskip("tokenizers")
    found = []
    for library in (tessella, reference):
        token = library.AddedToken
        special = [
            *["<p>", token("<s>"), token("<t>", normalized=True), token("<u>", special=True, lstrip=True)],
            *[token("<v>", normalized=True, special=True), token("<w>", normalized=False, rstrip=True)],
        ]
        options = {"vocab_size": 60, "special_tokens": special, "show_progress": False}
        options |= {"unk_token": "<p>"} if kind == "Unigram" else {}
        trainer = getattr(library.trainers, f"{kind}Trainer")(**options)
        model = getattr(library.models, kind.replace("Bpe", "BPE"))
        tokenizer = library.Tokenizer(model() if kind == "Unigram" else model(unk_token="<p>"))
        tokenizer.normalizer = library.normalizers.Lowercase()
        tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
        tokenizer.train_from_iterator(["ab ac", "ab"], trainer)
        text = "<T> ab <t><S>a <V> <w>  b"
        flags = [repr(token) for token in tokenizer.get_added_tokens_decoder().values()]
        found.append((list(map(repr, trainer.special_tokens)), flags, tokenizer.encode(text).tokens))
    assert found[0] == found[1]
    assert "<t>" in found[0][2] and "<T>" not in found[0][2]


def test_special_tokens_have_one_place_in_a_unigram_vocabulary():
    """Also those that are a character or a piece of the corpus; they keep the score that was learned for it."""
    texts = ["low lower lowest l<s>", "lo <s>w"] * 9

    def vocab(special_tokens, unk_token):
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=30, special_tokens=special_tokens, unk_token=unk_token, show_progress=False
        )
        tokenizer.train_from_iterator(texts, trainer)
        found = json.loads(tokenizer.model.__getstate__())["vocab"]
        pieces = [piece for piece, _ in found]
        assert len(set(pieces)) == len(pieces)
        for place, token in enumerate(special_tokens):
            assert tokenizer.token_to_id(token) == place == pieces.index(token)
        return dict(map(tuple, found))

    plain = vocab(["<unk>"], "<unk>")
    for special in ("▁", "l", "▁lowe", "<s>"):
        assert vocab(["<unk>", special], "<unk>") == pytest.approx(plain)
    assert vocab(["<unk>", "é"], "<unk>") == pytest.approx({**plain, "é": 0})
    # The unknown token comes first where no special token is it.
    pieces = vocab([], "l")
    assert next(iter(pieces)) == "l"
