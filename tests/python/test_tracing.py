"""Training step by step, and the options of training that only this package has."""

import copy
import json
import math
import pickle
import random
from itertools import pairwise

import pytest
import tessella
from tessella import PieceCounts, Regex, Tokenizer, models, pre_tokenizers, trainers
from tessella.cli import main
from tessella.errors import (
    ArgumentError,
    CustomComponentError,
    ModelError,
    TessellaError,
    TrainError,
    UnsupportedError,
)
from tessella.reference import Lattice, Unigram, WordBpe, WordPiece, show_history
from tessella.reference.unigram_training import _estimate, _prune, _unknown, seed_entries
from tessella.tracing import EstimateStep, MergeStep, PruneStep, Trace
from textbook import CATS, COURSE, HUGS, LEARNED, LONGEST_MATCH

TOKENS = ["This", "Ġis", "Ġ", "n", "o", "t", "Ġa", "Ġtoken", "."]
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def traced(kind, counts, limits=None, **options):
    """A model and the trace of its training; ties go to the pair that is seen first."""
    if kind is not trainers.UnigramTrainer:
        options.setdefault("tie_break", "first_seen")
    trace = Trace(**(limits or {}))
    counts = counts if isinstance(counts, PieceCounts) else PieceCounts(counts)
    model = kind(show_progress=False, **options).train_from_counts(counts, trace=trace)
    return model, trace


def pairs(text):
    return [tuple(pair.split("+")) for pair in text.split()]


def vocab(model):
    texts = []
    while (text := model.id_to_token(len(texts))) is not None:
        texts.append(text)
    return texts


# The worked examples.


def test_4_2_words_about_cats():
    _, trace = traced(trainers.BpeTrainer, CATS, vocab_size=21)
    assert [step.pair for step in trace] == pairs("a+t e+at c+at i+n in+g")
    assert (("eat", "ing"), 3) in trace[-1].corpus
    assert trace[1].corpus[2] == (("eat",), 10)
    assert "eat ing  x3" in trace.table(corpus=True)
    with pytest.raises(TrainError, match=r"16 characters"):
        traced(trainers.BpeTrainer, CATS, vocab_size=15, strict_budget=True)
    _, trace = traced(trainers.BpeTrainer, CATS, vocab_size=1000)
    assert len(trace) < 1000 - 16 and trace.ended == "no candidate was left to learn"


def test_4_3_end_of_word():
    text = "There is an 80% chance of rainfall today. We are pretty sure it is going to rain."
    # One character stands for the mark, so that it is a symbol.
    counts = PieceCounts()
    for word in text.split(" "):
        counts.add(word + "\u2424")
    model, trace = traced(trainers.BpeTrainer, counts)
    learned = [tuple(part.replace("\u2424", "</w>") for part in step.pair) for step in trace.merges]
    first = "e+</w> r+e</w> i+n i+s is+</w> a+n r+a ra+in t+o .+</w> T+h Th+e The+re</w> an+</w> 8+0"
    assert (learned[:15], trace[0].count) == (pairs(first), 5)
    assert len(vocab(model)) - len(trace) == 24
    left = [step.symbols for step in trace.merges]
    assert (left[0], left[13], max(left), left[49], len(left)) == (25, 31, 31, 16, 50)
    assert trace[-1].total_symbols == 17 and trace[-1].runner_up is None


def test_4_4_hugs():
    model, trace = traced(trainers.BpeTrainer, HUGS, vocab_size=10)
    assert [step.pair for step in trace] == pairs("u+g u+n h+ug")
    assert [step.count for step in trace] == [20, 16, 15]
    second = trace[0].runner_up
    assert (second.left, second.right, second.count, second.score) == ("p", "u", 17, 17)
    # pun 2 x 12, bun 2 x 4, pug 2 x 5, hug 1 x 10, hugs 2 x 5
    assert trace[-1].total_symbols == 24 + 8 + 10 + 10 + 10
    model.unk_token = "[UNK]"
    assert [token.value for token in model.tokenize("bug")] == ["b", "ug"]


@pytest.mark.parametrize("source", ["texts", "files", "counts"])
def test_4_5_four_sentences(source, tmp_path):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=50, special_tokens=["<|endoftext|>"], tie_break="first_seen", show_progress=False
    )
    trace = Trace()
    if source == "texts":
        tokenizer.train_from_iterator(COURSE, trainer, trace=trace)
    elif source == "files":
        for number, line in enumerate(COURSE):
            (tmp_path / str(number)).write_text(line, encoding="utf-8")
        tokenizer.train([tmp_path / str(number) for number in range(4)], trainer, trace=trace)
    else:
        counts = tessella.count_pieces(COURSE, tokenizer, num_threads=1)
        tokenizer.train_from_counts(counts, trainer, trace=trace)
    merges = "Ġ+t i+s e+r Ġ+a Ġt+o e+n T+h Th+is o+u s+e Ġto+k Ġtok+en n+d Ġ+is Ġt+h Ġth+e i+n Ġa+b Ġtoken+i"
    assert ([step.pair for step in trace], len(trace), trace[0].count) == (pairs(merges), 19, 7)
    assert (trace[-1].vocab_size, trace.ended) == (50, "the vocabulary reached its target size")
    assert tokenizer.encode("This is not a token.").tokens == TOKENS


def test_4_5_another_first_sentence():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trace = Trace()
    trainer = trainers.BpeTrainer(tie_break="first_seen", show_progress=False)
    texts = [COURSE[0] + " This is for you", *COURSE[1:]]
    tokenizer.train_from_iterator(texts, trainer, trace=trace)
    assert (trace[0].pair, trace[0].count) == (("i", "s"), 7)


def test_5_by_likelihood():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=70,
        special_tokens=SPECIALS,
        score="likelihood",
        tie_break="first_seen",
        show_progress=False,
    )
    trace = Trace()
    tokenizer.train_from_iterator(COURSE, trainer, trace=trace)
    assert [step.made for step in trace] == LEARNED.split() == vocab(tokenizer.model)[45:]
    assert (trace[0].score, trace[0].count) == (2 / (5 * 2), 2)
    for text, tokens in LONGEST_MATCH:
        assert tokenizer.encode(text).tokens == tokens.split()


def test_6_what_goes_first():
    _, trace = traced(trainers.UnigramTrainer, HUGS, vocab_size=8, shrinking_factor=0.9)
    assert [type(step) for step in trace] == [
        EstimateStep,
        EstimateStep,
        PruneStep,
        EstimateStep,
        EstimateStep,
    ]
    (round,) = trace.prunings
    # By then every `ug` is read as a part of `hug`: nothing is lost without it, as in the example without `pu`.
    scores = seed_entries(HUGS)
    total = sum(scores.values())
    scores = {token: math.log(count / total) for token, count in scores.items()}
    for _ in range(2):
        scores = _estimate(HUGS, scores, 16)
    model = Unigram(scores)
    assert model.without("ug").loss(HUGS) == model.loss(HUGS) < model.without("hug").loss(HUGS)
    assert (round.dropped, round.dropped_count, round.vocab_size) == ((("ug", 0.0),), 1, 8)


# Against the plain algorithms.


def corpora(seed, number, alphabet="abcdé"):
    draw = random.Random(seed)
    for _ in range(number):
        words = {}
        for _ in range(draw.randint(1, 12)):
            words["".join(draw.choices(alphabet, k=draw.randint(1, 7)))] = draw.randint(1, 9)
        yield words


def agree(trace, history):
    assert [(s.pair, s.made, s.count, s.symbols, s.corpus) for s in trace] == [
        (s.pair, s.made, s.count, s.symbols, s.corpus) for s in history
    ]
    assert [step.score for step in trace] == pytest.approx([step.score for step in history], rel=1e-15)


@pytest.mark.parametrize("rule", ["score", "frequency"])
@pytest.mark.parametrize("ties", ["first seen", "smaller ids"])
def test_wordpiece_is_the_plain_algorithm(rule, ties):
    for words in corpora(f"{rule} {ties}", 150):
        if ties == "smaller ids":
            words = dict(sorted(words.items(), key=lambda item: item[0].encode()))
        plain = WordPiece.train(words, vocab_size=1000, rule=rule, ties=ties)
        size = len(plain.vocab) - random.Random(repr(words)).randint(0, len(plain.history))
        plain = WordPiece.train(words, vocab_size=size, rule=rule, ties=ties)
        if rule == "frequency":
            # The production rule keeps the letters as they are without the prefix in its alphabet, too.
            extra = {letter for word in words for letter in word} - set(plain.vocab)
            size += len(extra)
        model, trace = traced(
            trainers.WordPieceTrainer,
            words,
            vocab_size=size,
            score="likelihood" if rule == "score" else "frequency",
            tie_break=ties.replace(" ", "_"),
        )
        if rule == "score":
            assert vocab(model) == plain.vocab
            agree(trace.merges, plain.history)
        elif ties == "first seen":
            agree(trace.merges, plain.history)


def test_bpe_is_the_plain_algorithm():
    for words in corpora("bpe", 300):
        plain = WordBpe.train(words, merges=1000)
        model, trace = traced(trainers.BpeTrainer, words)
        assert vocab(model) == plain.vocab
        agree(trace.merges, plain.history)
        for step, state in zip(trace.merges[1:], plain.history, strict=False):
            counts = {}
            for symbols, times in state.corpus:
                for pair in pairwise(symbols):
                    counts[pair] = counts.get(pair, 0) + times
            ranked = sorted(counts, key=lambda pair: -counts[pair])
            second = step.runner_up
            assert step.pair == ranked[0]
            assert (second and ((second.left, second.right), second.count)) == (
                (ranked[1], counts[ranked[1]]) if len(ranked) > 1 else None
            )


def test_unigram_rounds_are_those_of_the_plain_algorithm():
    estimates = prunings = 0
    for words in corpora("unigram", 100, "abcdefg"):
        size = len({letter for word in words for letter in word}) + 2
        _, trace = traced(trainers.UnigramTrainer, words, vocab_size=size)
        counts = dict(sorted(words.items()))
        seeds = seed_entries(counts, 16)
        scores = {token: math.log(count / sum(seeds.values())) for token, count in seeds.items()}
        for step in trace:
            if isinstance(step, EstimateStep):
                unlikely = -sum(
                    n * Lattice(w, scores, _unknown(scores), 16).expected_counts()[1]
                    for w, n in counts.items()
                )
                assert step.loss == pytest.approx(unlikely / sum(counts.values()), rel=1e-6)
                scores = _estimate(counts, scores, 16)
                estimates += 1
            else:
                room = max(size * 11 // 10, int((len(scores) + 1) * 0.75)) - 1
                kept = _prune(counts, scores, 16, room)
                assert {token for token, _ in step.dropped} == set(scores) - set(kept)
                assert [loss for _, loss in step.dropped] == sorted(
                    (x for _, x in step.dropped), reverse=True
                )
                scores = kept
                prunings += 1
            assert step.vocab_size == len(scores)
    assert estimates > 200 and prunings > 20


# What a trace is.


def test_tracing_changes_nothing():
    draw = random.Random(3)
    texts = ["".join(draw.choices("abcdef ", k=60)) for _ in range(200)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    counts = tessella.count_pieces(texts, tokenizer)
    for trainer in (
        trainers.BpeTrainer(vocab_size=300, show_progress=False),
        trainers.WordPieceTrainer(vocab_size=300, show_progress=False, score="likelihood"),
        trainers.UnigramTrainer(vocab_size=60, show_progress=False),
    ):
        trace = Trace(corpus_up_to=3, dropped_up_to=2)
        with_trace = trainer.train_from_counts(counts, trace=trace)
        assert with_trace.__getstate__() == trainer.train_from_counts(counts).__getstate__()
        assert len(trace) > 3 and trace.ended
        assert all(step.corpus is None for step in trace.merges)
        assert all(len(step.dropped) == min(2, step.dropped_count) for step in trace.prunings)
        assert [step.number for step in trace] == list(range(1, len(trace) + 1))
        before = trace[:]
        trainer.train_from_counts(counts, trace=trace)
        assert trace[:] == before


def test_the_table_of_each_kind():
    _, trace = traced(trainers.BpeTrainer, HUGS, vocab_size=10)
    plain = show_history(WordBpe.train(HUGS, merges=3).history, corpus=True).splitlines()
    lines = trace.table(corpus=True).splitlines()
    assert lines[-1] == trace.ended
    assert all(line.startswith(old) for line, old in zip(lines, plain, strict=False))
    assert str(trace).count("\n") == 4 and repr(trace) == f"<Trace of 3 steps, ended={trace.ended!r}>"
    _, trace = traced(trainers.UnigramTrainer, HUGS, vocab_size=8, shrinking_factor=0.9)
    assert "loss per piece" in str(trace) and "dropped" in str(trace)
    assert {type(step) for step in trace} == {EstimateStep, PruneStep}
    assert str(Trace()) == "" and repr(Trace()) == "<Trace of 0 steps>"


def test_a_function_hears_of_each_step(tmp_path):
    heard = []
    _, trace = traced(trainers.BpeTrainer, HUGS, {"on_step": heard.append, "keep": False}, vocab_size=10)
    assert [step.made for step in heard] == ["ug", "un", "hug"] and not trace
    assert isinstance(heard[0], MergeStep)
    with pytest.raises(AttributeError):
        heard[0].count = 3

    def stop(step):
        if step.number == 2:
            raise RuntimeError("enough")

    trace = Trace(on_step=stop)
    with pytest.raises(CustomComponentError, match="enough") as raised:
        trainers.BpeTrainer(show_progress=False).train_from_counts(PieceCounts(HUGS), trace=trace)
    assert isinstance(raised.value.__cause__, RuntimeError)
    assert len(trace) == 2 and trace.ended == ""


def test_errors_name_the_function_that_raised():
    def divide(*given):
        return 1 / 0

    counts = PieceCounts(HUGS)
    with pytest.raises(CustomComponentError, match=r"^`on_step` of the trace raised ZeroDivisionError: div"):
        trainers.BpeTrainer(show_progress=False).train_from_counts(counts, trace=Trace(on_step=divide))
    with pytest.raises(
        CustomComponentError, match=r"^`merge_filter` raised ZeroDivisionError: div"
    ) as raised:
        trainers.BpeTrainer(show_progress=False, merge_filter=divide).train_from_counts(counts)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with pytest.raises(TypeError, match=r"`trace` must be a tessella\.tracing\.Trace, not int"):
        trainers.BpeTrainer(show_progress=False).train_from_counts(counts, trace=5)


def test_a_trace_is_saved_whole_or_not_at_all(tmp_path):
    _, trace = traced(trainers.BpeTrainer, HUGS, vocab_size=10)
    path = tmp_path / "steps.jsonl"
    trace.save(path)
    before = path.read_bytes()
    assert [json.loads(line)["step"] for line in before.splitlines()] == ["merge"] * 3 + ["end"]
    trace._steps.append(None)
    with pytest.raises(KeyError):
        trace.save(path)
    assert path.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["steps.jsonl"]


def test_lines_of_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.txt").write_text(
        "\n".join(" ".join([w] * n) for w, n in HUGS.items()), encoding="utf-8"
    )
    common = ["train", "corpus.txt", "--pre-tokenizer", "whitespace", "-q", "--hold-out", "0", "--model"]
    assert main([*common, "bpe", "--tie-break", "first_seen", "--vocab-size", "10", "--trace", "steps",
                 "-o", "a.json"]) == 0  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "steps").read_text(encoding="utf-8").splitlines()]
    assert [row.get("made") for row in rows] == ["ug", "un", "hug", None]
    assert rows[0]["runner_up"] == {"left": "p", "right": "u", "count": 17, "score": 17}
    assert rows[-1] == {"step": "end", "ended": "the vocabulary reached its target size"}
    _, trace = traced(trainers.BpeTrainer, HUGS, vocab_size=10)
    trace.save(tmp_path / "again")
    assert (tmp_path / "again").read_text(encoding="utf-8") == (tmp_path / "steps").read_text(
        encoding="utf-8"
    )

    assert main([*common, "bpe", "--forced-token", "sgu", "--merge-filter", "u.*|.*u", "--initial-vocab",
                 "a.json", "-o", "b.json"]) == 0  # fmt: skip
    learned = tessella.load("b.json").get_vocab()
    assert list(learned)[:10] == list(tessella.load("a.json").get_vocab())[:10] or "sgu" in learned
    assert "sgu" in learned and "hugs" not in learned
    assert main([*common, "unigram", "--vocab-size", "8", "--trace", "steps", "-o", "c.json"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "steps").read_text(encoding="utf-8").splitlines()]
    assert {row["step"] for row in rows} == {"estimate", "prune", "end"}
    assert main([*common, "wordlevel", "--trace", "steps", "-o", "d.json"]) == 1
    assert main([*common, "bpe", "--score", "likelihood", "-o", "d.json"]) == 1
    assert "--score is an option of WordPiece" in capsys.readouterr().err


def test_what_has_no_trace():
    with pytest.raises(ArgumentError, match="no trace"):
        trainers.WordLevelTrainer(show_progress=False).train_from_counts(PieceCounts(HUGS), trace=Trace())
    for limit in ("corpus_up_to", "dropped_up_to"):
        with pytest.raises(OverflowError, match=limit):
            Trace(**{limit: -1})
        with pytest.raises(TypeError, match=limit):
            Trace(**{limit: "3"})


# The options.

FURTHER = {
    "BpeTrainer": {
        "tie_break": "first_seen",
        "strict_budget": False,
        "forced_tokens": ["ab"],
        "initial_vocab": (["a", "b"], []),
        "merge_filter": Regex("[a-z]+"),
    },
    "WordPieceTrainer": {"score": "likelihood", "tie_break": "first_seen", "strict_budget": False},
    "UnigramTrainer": {"strict_budget": False},
}


@pytest.mark.parametrize("kind", FURTHER)
def test_options_survive_and_defaults_leave_no_mark(kind):
    make = getattr(trainers, kind)
    plain = make()
    for name, value in FURTHER[kind].items():
        assert name not in plain.__getstate__().decode() and name not in repr(plain)
        trainer = make(**{name: value})
        for same in (pickle.loads(pickle.dumps(trainer)), copy.deepcopy(trainer), copy.copy(trainer)):
            assert same.__getstate__() == trainer.__getstate__() != plain.__getstate__()
            assert repr(same) == repr(trainer) and name in repr(trainer)
        trainer.__setstate__(plain.__getstate__())
        assert trainer.__getstate__() == plain.__getstate__()
    theirs = pytest.importorskip("tokenizers").trainers
    reference = getattr(theirs, kind)()
    assert json.loads(plain.__getstate__()) == json.loads(reference.__getstate__())
    assert repr(plain) == repr(reference)
    adopted = Tokenizer(getattr(models, plain._trains)())
    adopted.train_from_iterator(["a b"], reference)


@pytest.mark.parametrize("kind", FURTHER)
def test_a_vocabulary_below_its_alphabet(kind):
    """An error that tells the budget, unless the trainer is the reference library's."""
    counts = PieceCounts(HUGS)
    with pytest.raises(TrainError, match=r": 2 special tokens \+ \d+ characters.* = \d+, before any"):
        getattr(trainers, kind)(vocab_size=8, special_tokens=["<a>", "<b>"]).train_from_counts(counts)
    if kind != "UnigramTrainer":
        theirs = pytest.importorskip("tokenizers")
        texts = [word for word, count in HUGS.items() for _ in range(count)]
        sizes = []
        for library in (tessella, theirs):
            tokenizer = library.Tokenizer(
                getattr(library.models, kind.removesuffix("Trainer").replace("Bpe", "BPE"))()
            )
            trainer = getattr(theirs.trainers, kind)(
                vocab_size=8, special_tokens=["<a>", "<b>"], show_progress=False
            )
            tokenizer.train_from_iterator(texts, trainer)
            sizes.append(tokenizer.get_vocab_size())
        assert sizes[0] == sizes[1] > 8


def allow_all(left, right, merged, count):
    return True


def test_a_function_as_filter():
    asked = []

    def short(left, right, merged, count):
        asked.append((left, right, merged, count))
        return len(merged) < 3

    trainer = trainers.BpeTrainer(merge_filter=short, show_progress=False)
    model = trainer.train_from_counts(PieceCounts(HUGS))
    assert max(map(len, vocab(model))) == 2
    assert asked[0] == ("u", "g", "ug", 20) and ("h", "ug", "hug", 15) in asked
    with pytest.raises(UnsupportedError, match="Regex"):
        trainer.__getstate__()
    again = pickle.loads(pickle.dumps(trainers.BpeTrainer(merge_filter=allow_all, vocab_size=77)))
    assert again.merge_filter is allow_all and again.vocab_size == 77

    def broken(*_):
        raise KeyError("x")

    trainer.merge_filter = broken
    with pytest.raises(CustomComponentError) as raised:
        trainer.train_from_counts(PieceCounts(HUGS))
    assert isinstance(raised.value.__cause__, KeyError)


def test_a_regex_as_filter_matches_whole_tokens():
    for words in corpora("filter", 40):
        model, trace = traced(trainers.BpeTrainer, words, merge_filter=Regex("[abc]+|d"))
        assert all(set(step.made) <= set("abc") for step in trace)
        asking, _ = traced(trainers.BpeTrainer, words, merge_filter=lambda a, b, m, n: set(m) <= set("abc"))
        assert asking.__getstate__() == model.__getstate__()


def test_forced_tokens_are_reachable():
    for words in corpora("forced", 40):
        draw = random.Random(repr(words))
        letters = sorted({letter for word in words for letter in word})
        forced = ["".join(draw.choices(letters, k=draw.randint(1, 6))) for _ in range(3)]
        model, _ = traced(trainers.BpeTrainer, words, forced_tokens=forced, vocab_size=0, strict_budget=False)
        for token in forced:
            assert [found.value for found in model.tokenize(token)] == [token]
    with pytest.raises(TrainError, match="initial_alphabet"):
        traced(trainers.BpeTrainer, HUGS, forced_tokens=["xyz"])


def test_a_vocabulary_is_continued():
    for words in corpora("continued", 40):
        half, _ = traced(trainers.BpeTrainer, words, vocab_size=8)
        whole, _ = traced(trainers.BpeTrainer, words, vocab_size=12)
        for given in (half, Tokenizer(half)):
            model, _ = traced(trainers.BpeTrainer, words, vocab_size=12, initial_vocab=given)
            assert model.__getstate__() == whole.__getstate__()
    model, _ = traced(trainers.BpeTrainer, {"xy": 3}, initial_vocab=half)
    assert vocab(model)[: len(vocab(half))] == vocab(half) and "xy" in vocab(model)
    with pytest.raises(ModelError, match="without holes"):
        trainers.BpeTrainer(initial_vocab=({"a": 1}, []))


@pytest.mark.parametrize(
    ("kind", "option", "value", "error"),
    [
        ("BpeTrainer", "tie_break", "first seen", ArgumentError),
        ("BpeTrainer", "strict_budget", 1, TypeError),
        ("BpeTrainer", "forced_tokens", "ab", TypeError),
        ("BpeTrainer", "forced_tokens", [1], TypeError),
        ("BpeTrainer", "forced_tokens", [""], ArgumentError),
        ("BpeTrainer", "merge_filter", "a", TypeError),
        ("BpeTrainer", "initial_vocab", 3, TypeError),
        ("BpeTrainer", "initial_vocab", models.WordPiece(), TypeError),
        ("WordPieceTrainer", "score", "score", ArgumentError),
        ("UnigramTrainer", "strict_budget", None, TypeError),
    ],
)
def test_wrong_options(kind, option, value, error):
    with pytest.raises(error, match=option):
        getattr(trainers, kind)(**{option: value})


def test_first_seen_is_the_same_however_it_is_counted():
    draw = random.Random(8)
    texts = ["".join(draw.choices("abcdef ", k=80)) for _ in range(3000)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=200, tie_break="first_seen", show_progress=False)
    learned = set()
    for _ in range(3):
        tokenizer.train_from_iterator(texts, trainer)
        learned.add(tokenizer.to_str())
    assert len(learned) == 1
    by_bytes = {
        trainer.train_from_counts(tessella.count_pieces(texts, tokenizer, num_threads=n)).__getstate__()
        for n in (2, 3, 4)
    }
    assert len(by_bytes) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: models.Unigram([("a", 0.0)], nbest_size=-1),
        lambda: models.Unigram([("a", 0.0)], unk_id=-1),
        lambda: setattr(models.Unigram([("a", 0.0)]), "nbest_size", -1),
        lambda: models.WordPiece(max_input_chars_per_word=-1),
        lambda: setattr(models.WordPiece(), "max_input_chars_per_word", 1 << 70),
        lambda: models.WordLevel({"a": -1}, "a"),
    ],
)
def test_numbers_out_of_range_are_named(make):
    with pytest.raises(OverflowError, match="must be from 0 to") as raised:
        make()
    assert isinstance(raised.value, (TessellaError, ValueError))
