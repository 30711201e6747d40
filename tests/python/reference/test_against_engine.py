"""The plain algorithms and the engine give the same, where the rules are the same."""

import random

import pytest
from tessella import PieceCounts, Tokenizer, decoders, models, pre_tokenizers, trainers
from tessella.reference import ByteBpe, Unigram, WordBpe, WordLevel, WordPiece, train_unigram
from tessella.reference.pairs import count_pairs, count_symbols

LETTERS = ["ab", "abc", "abcdefg", "aeiouéß漢🙂"]


def random_words(seed, letters=None):
    rng = random.Random(seed)
    letters = letters or rng.choice(LETTERS)
    return {
        "".join(rng.choices(letters, k=rng.randint(1, 9))): rng.randint(1, 40)
        for _ in range(rng.randint(1, 25))
    }


def up_to_first(history, surprising):
    """Steps before the first one that the rules do not decide alike."""
    for place, step in enumerate(history):
        if surprising(place, step):
            return history[:place]
    return history


def made_again(history):
    """The step makes a symbol that is there: the engine then counts as the reference trainer does."""
    return lambda place, step: step.made in {earlier.made for earlier in history[:place]}


def tied(history, start, score):
    """The best pair is not the only best one: then ids decide, and forms with a prefix have other ids here."""

    def look(place, step):
        corpus = history[place - 1].corpus if place else start
        scores = score(corpus)
        return list(scores.values()).count(max(scores.values())) > 1

    return look


def names(model):
    vocab = {}
    id = 0
    while (token := model.id_to_token(id)) is not None:
        vocab[token] = id
        id += 1
    return list(vocab)


@pytest.mark.parametrize("seed", range(60))
def test_bpe_training(seed):
    words = random_words(seed)
    ours = WordBpe.train(words, merges=30, ties="smaller ids")
    history = up_to_first(ours.history, made_again(ours.history))
    size = len(ours.alphabet) + len(history)
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    engine = trainer.train_from_counts(PieceCounts(words))
    assert names(engine) == ours.vocab[:size]
    merges = [step.pair for step in history]
    cut = WordBpe(merges, ours.alphabet)
    rng = random.Random(seed)
    for _ in range(20):
        word = "".join(rng.choices(ours.alphabet, k=rng.randint(1, 20)))
        assert [token.value for token in engine.tokenize(word)] == cut.encode(word)


@pytest.mark.parametrize("seed", range(30))
def test_bpe_encoding_with_marks_and_unknowns(seed):
    words = random_words(seed)
    for is_symbol in (False, True):
        ours = WordBpe.train(words, merges=25, end_of_word="</w>", end_is_symbol=is_symbol)
        vocab = {token: id for id, token in enumerate([*ours.vocab, "[UNK]"])}
        suffix = None if is_symbol else "</w>"
        engine = models.BPE(vocab, ours.merges, unk_token="[UNK]", end_of_word_suffix=suffix)
        rng = random.Random(seed)
        for _ in range(20):
            word = "".join(rng.choices(sorted(set("".join(words)) | {"x", "漢"}), k=rng.randint(1, 20)))
            if is_symbol:
                # The engine knows marks that are part of a character only.
                assert "".join(ours.encode(word)).endswith("</w>")
            else:
                assert [token.value for token in engine.tokenize(word)] == ours.encode(word)


@pytest.mark.parametrize("seed", range(30))
def test_byte_bpe(seed):
    rng = random.Random(seed)
    texts = [
        "".join(rng.choices("the cat sat é漢🙂\n", k=rng.randint(1, 60))) for _ in range(rng.randint(1, 12))
    ]
    ours = ByteBpe.train(texts, merges=40)
    shown = pre_tokenizers.ByteLevel.alphabet()
    spelled = {id: "".join(shown[byte] for byte in bytes) for id, bytes in ours.vocab.items()}
    vocab = {}
    for id, text in spelled.items():
        vocab.setdefault(text, id)
    merges = [(spelled[left], spelled[right]) for left, right in ours.merges]
    if len(vocab) < len(spelled):
        pytest.skip("two merges make the same bytes: the engine gives them one id")
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    for text in [*texts, "unseen: Ωx\x00", ""]:
        assert tokenizer.encode(text).ids == ours.encode(text)
        assert ours.decode(ours.encode(text)) == text
    ids = [rng.randrange(len(vocab)) for _ in range(20)]
    assert tokenizer.decode(ids) == ours.decode(ids)


@pytest.mark.parametrize("seed", range(60))
def test_wordpiece_training_and_encoding(seed):
    words = random_words(seed)
    ours = WordPiece.train(words, vocab_size=40, rule="frequency", ties="smaller ids")
    start = [((w[0], *("##" + c for c in w[1:])), n) for w, n in words.items()]
    history = up_to_first(ours.history, made_again(ours.history))
    history = up_to_first(history, tied(history, start, count_pairs))
    forms = sorted(count_symbols(start))
    plain = {character for word in words for character in word}
    size = len(plain | set(forms)) + len(history)
    trainer = trainers.WordPieceTrainer(vocab_size=size, show_progress=False)
    engine = trainer.train_from_counts(PieceCounts(words))
    assert set(names(engine)) == plain | set(forms) | {step.made for step in history}

    vocab = {token: id for id, token in enumerate(["[UNK]", *ours.vocab])}
    engine = models.WordPiece(vocab)
    rng = random.Random(seed)
    for _ in range(20):
        word = "".join(rng.choices(sorted(plain | {"y"}), k=rng.randint(1, 12)))
        assert [token.value for token in engine.tokenize(word)] == ours.encode(word)
    assert ours.encode("a" * 101) == [token.value for token in engine.tokenize("a" * 101)] == ["[UNK]"]


@pytest.mark.parametrize("seed", range(60))
def test_unigram_training(seed):
    words = random_words(seed)
    characters = len(set("".join(words)))
    size = characters + random.Random(seed).randint(0, 12)
    ours, _ = train_unigram(words, vocab_size=size)
    trainer = trainers.UnigramTrainer(vocab_size=size, show_progress=False)
    engine = trainer.train_from_counts(PieceCounts(words))
    theirs = dict(__import__("json").loads(engine.__getstate__())["vocab"])
    assert set(theirs) == set(ours.scores)
    assert [theirs[token] for token in ours.scores] == pytest.approx(
        list(ours.scores.values()), rel=1e-9, abs=1e-6
    )


@pytest.mark.parametrize("seed", range(30))
def test_unigram_encoding(seed):
    rng = random.Random(seed)
    words = random_words(seed)
    tokens = {w[i:j] for w in words for i in range(len(w)) for j in range(i + 1, min(len(w), i + 4) + 1)}
    # Eighths: sums are exact, so equal readings are equal in any order of adding.
    scores = {token: -rng.randint(1, 80) / 8 for token in sorted(tokens)}
    ours = Unigram(scores, unknown="<unk>")
    # The unknown token is an entry for the engine; as the best-scored one it leaves the lowest score alone.
    engine = models.Unigram([("<unk>", 0.0), *scores.items()], 0)
    for _ in range(30):
        word = "".join(rng.choices(sorted(set("".join(words)) | {"y", "z"}), k=rng.randint(1, 14)))
        ids = [token.id for token in engine.tokenize(word)]
        assert ["<unk>" if not id else engine.id_to_token(id) for id in ids] == ours.encode(word)


@pytest.mark.parametrize("seed", range(20))
def test_word_level(seed):
    words = random_words(seed)
    ours = WordLevel.train(words, vocab_size=8)
    trainer = trainers.WordLevelTrainer(vocab_size=8, special_tokens=["[UNK]"], show_progress=False)
    assert names(trainer.train_from_counts(PieceCounts(words))) == ours.vocab
