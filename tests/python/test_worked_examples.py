"""The textbook examples through the public names, chapter by chapter as in `docs/tour`.

Each test is a row or a table: an input, a component, and the numbers that follow from the definition.
Chapter 7 reads real files from the folder that TESSELLA_MODELS names.
"""

import inspect
import math
import random
from itertools import pairwise

import numpy as np
import pytest
import tessella
from tessella import (
    NormalizedString,
    Regex,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    recipes,
    trainers,
)
from tessella.errors import ArgumentError
from tessella.reference import (
    ByteBpe,
    Unigram,
    WordBpe,
    WordPiece,
    count_substrings,
    gage_compress,
    gage_expand,
    number_words,
    show_history,
)
from tessella.words import Affixes, Characters, Punctuation, Rules, Treebank, Whitespace, WordVocabulary
from textbook import CATS, COURSE, HUGS, LEARNED, LONGEST_MATCH

from tests.conformance import texts


def split(pre_tokenizer, *sentences):
    return [piece for text in sentences for piece, _ in pre_tokenizer.pre_tokenize_str(text)]


def listed(written):
    return written.split(" ")


def pairs(written):
    return [tuple(pair.split("+")) for pair in written.split()]


# Chapter 1: words, characters, rules.

SENTENCE = "This sentence is a great, interesting sentence!"


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        (Whitespace(), listed("This sentence is a great, interesting sentence!")),
        (Punctuation(), listed("This sentence is a great , interesting sentence !")),
        (Characters(), list(SENTENCE)),
    ],
)
def test_1_words_and_characters(words, tokens):
    assert words.tokenize(SENTENCE) == tokens
    assert len(tokens) == {"Whitespace": 7, "Punctuation": 9, "Characters": 47}[type(words).__name__]
    assert all(SENTENCE[word.start : word.end] == word.text for word in words.words(SENTENCE))


def test_1_a_rule():
    text = "Hello, this is an example text to demonstrate rule-based tokenization! Isn't it great?"
    wanted = listed(
        "Hello , this is an example text to demonstrate rule - based tokenization ! Isn't it great ?"
    )
    expression = r"\w+(?:'\w+)?|[^\w\s]"
    assert Rules(expression).tokenize(text) == wanted
    stage = pre_tokenizers.Split(Regex(expression), "removed", invert=True)
    assert split(stage, text) == wanted


TREEBANK = [
    ("I don't know.", "I do n't know ."),
    ("The book's cover, isn't it?", "The book 's cover , is n't it ?"),
    ('He said "no".', "He said `` no '' ."),
    ("Mr. Ng paid $3.88 in New York.", "Mr. Ng paid $ 3.88 in New York ."),
]


@pytest.mark.parametrize(("text", "tokens"), TREEBANK)
def test_1_penn_treebank(text, tokens):
    assert Treebank().tokenize(text) == tokens.split()


@pytest.mark.parametrize(("text", "tokens"), TREEBANK)
def test_1_penn_treebank_as_the_oracle_says(text, tokens):
    oracle = pytest.importorskip("nltk.tokenize").TreebankWordTokenizer()
    assert oracle.tokenize(text) == tokens.split()


def test_1_a_vocabulary_with_a_limit():
    corpus = ["foot ball football", "foot ball", "foot ball"]
    vocabulary = WordVocabulary.build(corpus, limit=2)
    assert vocabulary.encode("foot ball football").tokens == ["foot", "ball", "<unk>"]
    assert (
        vocabulary.tokenizer().encode("foot ball football").ids == vocabulary.encode("foot ball football").ids
    )

    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(vocab_size=3, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(corpus, trainer)
    assert tokenizer.encode("foot ball football").tokens == ["foot", "ball", "[UNK]"]


def test_1_affixes_from_a_table():
    table = Affixes(prefixes=["un"], suffixes=["ily", "s", "ing", "ify"])
    assert table.tokenize("unhappily") == ["un##", "happ", "##ily"]
    assert table.join(["un##", "happ", "##ily"]) == "unhappily"


def test_1_numbers_for_words():
    text = "The weather is sunny today. We should go out and get some sun to relax."
    words = text.split(" ")
    assert number_words(words) == {word: place for place, word in enumerate(words)}
    assert (number_words(words)["The"], number_words(words)["relax."], len(words)) == (0, 14, 15)
    assert number_words(listed("a rose is a rose")) == {"a": 3, "rose": 4, "is": 2}


# Chapter 2: normalizers.

MESSY = "ThÍs is  áN ExaMPlé     sÉnteNCE"
SPACES = normalizers.Replace(Regex(" {2,}"), " ")
BARE = [normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]


@pytest.mark.parametrize(
    ("normalizer", "output"),
    [
        (normalizers.NFC(), MESSY),
        (normalizers.Lowercase(), "thís is  án examplé     séntence"),
        (normalizers.BertNormalizer(), "this is  an example     sentence"),
        (SPACES, "ThÍs is áN ExaMPlé sÉnteNCE"),
        (recipes.get("fnet").tokenizer().normalizer, "ThÍs is áN ExaMPlé sÉnteNCE"),
        (normalizers.Sequence(BARE), "this is  an example     sentence"),
        (normalizers.Sequence([*BARE, SPACES, normalizers.Strip()]), "this is an example sentence"),
    ],
)
def test_2_normalizers(normalizer, output):
    assert normalizer.normalize_str(MESSY) == output
    changed = NormalizedString(MESSY)
    normalizer.normalize(changed)
    assert (changed.normalized, changed.original) == (output, MESSY)


def test_2_trimming():
    everything = normalizers.Sequence([*BARE, SPACES, normalizers.Strip()])
    assert everything.normalize_str(f"  {MESSY} ") == "this is an example sentence"


def test_2_uncased_bert():
    normalizer = recipes.get("bert-uncased").tokenizer().normalizer
    assert normalizer.normalize_str("Héllò hôw are ü?") == "hello how are u?"


# Chapter 3: pre-tokenizers.

CONTENT = "this sentence's content includes: characters, spaces, and punctuation."


def test_3_white_space():
    assert split(pre_tokenizers.WhitespaceSplit(), CONTENT) == CONTENT.split(" ")


def test_3_bert():
    assert pre_tokenizers.BertPreTokenizer().pre_tokenize_str(CONTENT) == [
        ("this", (0, 4)),
        ("sentence", (5, 13)),
        ("'", (13, 14)),
        ("s", (14, 15)),
        ("content", (16, 23)),
        ("includes", (24, 32)),
        (":", (32, 33)),
        ("characters", (34, 44)),
        (",", (44, 45)),
        ("spaces", (46, 52)),
        (",", (52, 53)),
        ("and", (54, 57)),
        ("punctuation", (58, 69)),
        (".", (69, 70)),
    ]


def test_3_gpt2():
    wanted = listed("this Ġsentence 's Ġcontent Ġincludes : Ġcharacters , Ġspaces , Ġand Ġpunctuation .")
    assert split(pre_tokenizers.ByteLevel(add_prefix_space=False), CONTENT) == wanted
    assert split(recipes.get("gpt2").tokenizer().pre_tokenizer, CONTENT) == wanted


@pytest.mark.parametrize("name", ["albert", "t5"])
def test_3_albert_and_t5(name):
    wanted = ["▁" + word for word in CONTENT.split(" ")]
    assert split(recipes.get(name).tokenizer().pre_tokenizer, CONTENT) == wanted
    assert split(pre_tokenizers.Metaspace(), CONTENT) == wanted


def test_3_two_spaces():
    text = "Hello, how are  you?"
    assert pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)[-2:] == [
        ("you", (16, 19)),
        ("?", (19, 20)),
    ]
    assert recipes.get("t5").tokenizer().pre_tokenizer.pre_tokenize_str(text) == [
        ("▁Hello,", (0, 6)),
        ("▁how", (7, 10)),
        ("▁are", (11, 14)),
        ("▁you?", (16, 20)),
    ]


# Chapter 4: byte-pair encoding.

RAIN = "There is an 80% chance of rainfall today. We are pretty sure it is going to rain."


def engine(bpe):
    """The engine's model with the merges of a textbook training."""
    vocab = {symbol: id for id, symbol in enumerate(["[UNK]", *bpe.vocab])}
    return Tokenizer(models.BPE(vocab, bpe.merges, unk_token="[UNK]"))


def test_4_1_compression():
    packed = gage_compress("aaabdaaabac")
    assert packed.states == (b"aaabdaaabac", b"ZabdZabac", b"ZYdZYac", b"XdXac")
    assert packed.table == {"Z": b"aa", "Y": b"ab", "X": b"ZY"}
    assert gage_expand(packed) == b"aaabdaaabac"


def test_4_2_words_about_cats():
    bpe = WordBpe.train(CATS, vocab_size=21)
    assert (len(bpe.alphabet), len(bpe.vocab)) == (16, 21)
    assert bpe.merges == pairs("a+t e+at c+at i+n in+g")
    assert ("eat", "ing") in dict(bpe.history[-1].corpus)
    assert "eat ing  x3" in show_history(bpe.history, corpus=True)


def test_4_2_limits():
    with pytest.raises(ArgumentError, match="16 different characters"):
        WordBpe.train(CATS, vocab_size=15)
    more = WordBpe.train(CATS, merges=1000)
    assert more.ended == f"no pair is left after {len(more.merges)} merges"


def test_4_2_the_engine_stops_early_too():
    trainer = trainers.BpeTrainer(vocab_size=1000, show_progress=False)
    model = trainer.train_from_counts(tessella.PieceCounts(CATS))
    tokenizer = Tokenizer(model)
    assert tokenizer.get_vocab_size() < 1000
    assert [tokenizer.encode(word).tokens for word in CATS] == [[word] for word in CATS]


def test_4_3_end_of_word():
    words = RAIN.split(" ")
    bpe = WordBpe.train(words, merges=1000, end_of_word="</w>")
    symbols = [symbol for word in words for symbol in bpe.spell(word)]
    assert (len(bpe.alphabet), len(words)) == (24, 17)
    assert [symbols.count(symbol) for symbol in ("</w>", "a", "e")] == [17, 7, 7]
    first = "e+</w> r+e</w> i+n i+s is+</w> a+n r+a ra+in t+o .+</w> T+h Th+e The+re</w> an+</w> 8+0"
    assert (bpe.merges[:15], bpe.history[0].count) == (pairs(first), 5)
    left = [step.symbols for step in bpe.history]
    assert (left[0], left[13], max(left), left[49], len(left)) == (25, 31, 31, 16, 50)
    assert bpe.ended == "no pair is left after 50 merges"


def test_4_4_hugs():
    bpe = WordBpe.train(HUGS, merges=3)
    assert bpe.merges == pairs("u+g u+n h+ug")
    for word, tokens in (("bug", "b ug"), ("mug", "[UNK] ug"), ("thug", "[UNK] hug")):
        assert bpe.encode(word) == tokens.split()
        assert engine(bpe).encode(word).tokens == tokens.split()


def test_4_4_bytes_are_never_unknown():
    tokenizer = recipes.get("gpt2").train([" ".join(HUGS)] * 9, vocab_size=262)
    hostile = "mug thug \N{SNOWMAN}\u0301\x00 漢字 👩‍👩‍👧"
    assert tokenizer.decode(tokenizer.encode(hostile).ids) == hostile


def test_4_5_four_sentences():
    pieces = split(pre_tokenizers.ByteLevel(False), *COURSE)
    # A target of 50 with `<|endoftext|>` is 49 symbols beside it.
    bpe = WordBpe.train(pieces, vocab_size=49)
    merges = "Ġ+t i+s e+r Ġ+a Ġt+o e+n T+h Th+is o+u s+e Ġto+k Ġtok+en n+d Ġ+is Ġt+h Ġth+e i+n Ġa+b Ġtoken+i"
    assert (bpe.merges, len(bpe.merges), bpe.history[0].count) == (pairs(merges), 19, 7)
    wanted = listed("This Ġis Ġ n o t Ġa Ġtoken .")
    read = split(pre_tokenizers.ByteLevel(False), "This is not a token.")
    assert [token for piece in read for token in bpe.encode(piece)] == wanted
    tokenizer = engine(bpe)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert tokenizer.encode("This is not a token.").tokens == wanted


def test_4_5_another_first_sentence():
    longer = [COURSE[0] + " This is for you", *COURSE[1:]]
    (step,) = WordBpe.train(split(pre_tokenizers.ByteLevel(False), *longer), merges=1).history
    assert (step.pair, step.count) == (("i", "s"), 7)


def test_4_6_raw_bytes():
    text = "this is an example. I am an engineer. this is test"
    bpe = ByteBpe.train(text, merges=1)
    assert (len(text.encode()), len(bpe.encode(text))) == (50, 46)
    assert (bpe.merges, bpe.history[0].count) == ({(105, 115): 256}, 4)
    assert bpe.encode("a") == [97]
    assert bpe.decode([0xFF, 116, 104, 256]) == "\ufffdthis"
    assert bpe.compression_ratio(text) == 50 / 46


def test_4_6_lowest_rank_first():
    bpe = ByteBpe({(98, 99): 256, (97, 98): 257, (97, 256): 258})
    assert bpe.encode("abcab") == [258, 257]


# Chapter 5: WordPiece.

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def wordpiece():
    words = split(recipes.get("bert-cased").tokenizer().pre_tokenizer, *COURSE)
    return WordPiece.train(words, vocab_size=70, special_tokens=SPECIALS)


def test_5_entries_by_score():
    model = wordpiece()
    assert len(model.vocab) == 70 and len(model.vocab) - len(model.history) - len(SPECIALS) == 40
    assert [step.made for step in model.history] == LEARNED.split()
    first = model.history[0]
    assert first.score == pytest.approx(2 / (5 * 2)) and first.count == 2


@pytest.mark.parametrize(("text", "tokens"), LONGEST_MATCH)
def test_5_longest_match(text, tokens):
    model = wordpiece()
    words = split(pre_tokenizers.BertPreTokenizer(), text)
    assert [token for word in words for token in model.encode(word)] == tokens.split()
    tokenizer = Tokenizer(models.WordPiece({token: id for id, token in enumerate(model.vocab)}))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    assert tokenizer.encode(text).tokens == tokens.split()


def test_5_two_rules():
    by_score = WordPiece.train(HUGS, vocab_size=10)
    by_count = WordPiece.train(HUGS, vocab_size=10, rule="frequency")
    assert [step.made for step in by_score.history] == ["##gs", "hu", "hugs"]
    assert [step.made for step in by_count.history] == ["##ug", "##un", "hug"]
    # By default the trainer goes by frequency; it also keeps the letters as they are without `##`.
    letters = set("".join(HUGS))
    size = len(letters | set(by_count.vocab))
    trainer = trainers.WordPieceTrainer(vocab_size=size, show_progress=False)
    model = trainer.train_from_counts(tessella.PieceCounts(HUGS))
    assert {model.id_to_token(id) for id in range(size)} == letters | set(by_count.vocab)
    assert [token.value for token in model.tokenize("hugs")] == by_count.encode("hugs") == ["hug", "##s"]


def test_5_one_vocabulary_read_twice():
    merges = pairs("h+u g+s hu+g")
    bpe = Tokenizer(models.BPE({t: i for i, t in enumerate(listed("h u g s hu gs hug"))}, merges))
    assert bpe.encode("hugs").tokens == ["hu", "gs"]
    entries = listed("[UNK] h hu hug ##g ##s ##gs")
    longest = Tokenizer(models.WordPiece({token: id for id, token in enumerate(entries)}))
    assert longest.encode("hugs").tokens == ["hug", "##s"]


# Chapter 6: Unigram.

COUNTS = dict(h=15, u=36, g=20, hu=15, ug=20, p=17, pu=17, n=16, un=16, b=4, bu=4, s=5, hug=15, gs=5, ugs=5)


def test_6_counts():
    counts = count_substrings(HUGS)
    # Whole words stay out, but for `hug`, which is a part of `hugs`.
    assert {part: n for part, n in counts.items() if part not in HUGS or part == "hug"} == COUNTS
    assert sum(COUNTS.values()) == 210


@pytest.mark.parametrize(
    ("word", "probability"),
    [
        ("hug", 0.0714286),
        ("pug", 0.0077098),
        ("pun", 0.0061678),
        # 4/210 * 16/210 is 0.00145125 to six digits and 0.0014512 to five, not 0.0014513.
        ("bun", 0.0014512),
        ("hugs", 0.0017007),
        ("unhug", 0.0054422),
    ],
)
def test_6_best_readings(word, probability):
    model = Unigram.from_counts(COUNTS)
    assert round(model.probability(word), 7) == probability
    entries = [("<unk>", -99.0), *model.scores.items()]
    lattice = Tokenizer(models.Unigram(entries, unk_id=0)).explain(word).sequences[0].pieces[0].derivation
    assert math.exp(lattice.paths[0].score) == pytest.approx(probability, abs=6e-8)


def test_6_readings():
    model = Unigram.from_counts(COUNTS)
    assert model.encode("unhug") == ["un", "hug"]
    tied = {tuple(tokens) for tokens, _ in model.n_best("hugs", 3)}
    # `hu gs` has the same probability: 15/210 * 5/210, three times.
    assert tied == {("hug", "s"), ("h", "ugs"), ("hu", "gs")}
    assert tuple(model.encode("hugs")) in tied


def test_6_loss():
    model = Unigram.from_counts(COUNTS)
    assert round(model.loss(HUGS), 3) == 169.803
    assert round(model.without("hug").loss(HUGS), 3) == 193.317
    assert round(model.without("pu").loss(HUGS), 3) == 169.803
    rises = dict(model.least_needed(HUGS, len(COUNTS)))
    assert round(rises["hug"], 1) == 23.5 == round(max(rises.values()), 1)
    # Nothing is lost without `pu`, and neither without six others: which of them goes first is a matter of order.
    assert sorted(token for token, rise in rises.items() if rise == 0) == listed("bu gs hu pu ug ugs un")


def test_6_n_best_and_samples():
    model = Unigram.from_counts(COUNTS)
    entries = [("<unk>", -99.0), *model.scores.items()]
    every = {tuple(tokens): score for tokens, score in model.n_best("hugs", 100)}
    told = Tokenizer(models.Unigram(entries, unk_id=0)).explain("hugs", n_best=100)
    paths = {path.tokens: path.score for path in told.sequences[0].pieces[0].derivation.paths}
    assert paths == pytest.approx(every) and len(every) == 7

    sampler = Tokenizer(models.Unigram(entries, unk_id=0, alpha=1.0))
    sampler.seed(5)
    runs = 2000
    drawn = [tuple(sampler.encode("hugs").tokens) for _ in range(runs)]
    total = sum(map(math.exp, every.values()))
    for tokens, score in every.items():
        share = math.exp(score) / total
        assert abs(drawn.count(tokens) / runs - share) <= 5 * math.sqrt(share * (1 - share) / runs)
    rng = random.Random(5)
    assert {tuple(model.sample("hugs", 1.0, rng)) for _ in range(500)} <= set(every)


# Chapter 7: real tokenizers.

LONG = [
    "This sentence is not too long but we are going to split it anyway.",
    "This sentence is shorter but will still get split.",
]


def real(name):
    folder = texts.folder("TESSELLA_MODELS")
    if folder is None or not (folder / name).exists():
        pytest.skip(f"needs {name} in the folder that TESSELLA_MODELS names")
    return folder / name


def test_7_bert_and_its_words():
    encoding = tessella.load(real("bert-base-cased.json")).encode(
        "My name is Sylvain and I work at Hugging Face in Brooklyn."
    )
    wanted = listed("[CLS] My name is S ##yl ##va ##in and I work at Hu ##gging Face in Brooklyn . [SEP]")
    assert encoding.tokens == wanted
    assert encoding.word_ids == [None, 0, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, None]


def test_7_a_list_of_words():
    words = listed("EU rejects German call to boycott British lamb .")
    encoding = tessella.load(real("bert-uncased.json")).encode(words, is_pretokenized=True)
    assert encoding.ids == [101, 7327, 19164, 2446, 2655, 2000, 17757, 2329, 12559, 1012, 102]


def test_7_llama_one_id_at_a_time():
    tokenizer = tessella.load(real("llama2.json"))
    text = "Write a message to stafin asking for help in a subject."
    ids = tokenizer.encode(text).ids
    alone = [tokenizer.decode([id]) for id in ids]
    assert alone == ["", *listed("Write a message to st af in asking for help in a subject .")]
    stream = tokenizer.decode_stream()
    assert "".join(filter(None, [*map(stream.step, ids), stream.flush()])) == text


def test_7_windows():
    tokenizer = tessella.AutoTokenizer.from_pretrained(real("bert-base-cased.json"))
    batch = tokenizer(LONG, truncation=True, max_length=6, stride=2, return_overflowing_tokens=True)
    assert batch["overflow_to_sample_mapping"] == [0] * 7 + [1] * 4
    rows = [" ".join(batch.tokens(row)) for row in (0, 1, 6)]
    assert rows == [
        "[CLS] This sentence is not [SEP]",
        "[CLS] is not too long [SEP]",
        "[CLS] it anyway . [SEP]",
    ]
    engine = tessella.load(real("bert-base-cased.json"))
    engine.enable_truncation(6, stride=2)
    assert [1 + len(one.overflowing) for one in engine.encode_batch(LONG)] == [7, 4]


def test_7_pairs():
    tokenizer = tessella.load(real("bert-base-cased.json"))
    encoding = tokenizer.encode("Let's test this tokenizer...", "on a pair of sentences.")
    first = encoding.tokens.index("[SEP]") + 1
    assert encoding.type_ids == [0] * first + [1] * (len(encoding) - first)
    assert encoding.tokens.count("[SEP]") == 2 and encoding.tokens[-1] == "[SEP]"


def words_tokenizer(words):
    """Whole words and BERT's template, without a file."""
    vocab = {word: id for id, word in enumerate(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]))}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    return tokenizer


def test_7_windows_and_pairs_without_a_file():
    tokenizer = words_tokenizer(split(pre_tokenizers.BertPreTokenizer(), *LONG))
    batch = tokenizer(LONG, truncation=True, max_length=6, stride=2, return_overflowing_tokens=True)
    assert batch["overflow_to_sample_mapping"] == [0] * 7 + [1] * 4
    assert batch.tokens(6) == ["[CLS]", "it", "anyway", ".", "[SEP]"]
    pair = tokenizer.encode(*LONG)
    first = pair.tokens.index("[SEP]") + 1
    assert pair.type_ids == [0] * first + [1] * (len(pair) - first)


# Chapter 8: token classification and question answering.

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def tagged():
    """`Ada  Lovelace` in pieces, with probabilities for every token."""
    entries = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "Ada", "Love", "##la", "##ce", "in", "Lon", "##don"]
    tokenizer = Tokenizer(models.WordPiece({token: id for id, token in enumerate(entries)}))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    text = "Ada  Lovelace in London"
    scores = np.full((len(tokenizer.encode(text)), len(NAMES)), 0.02)
    best = {1: (1, 0.92), 2: (2, 0.7), 3: (0, 0.8), 4: (2, 0.6), 6: (3, 0.9), 7: (0, 0.5)}
    for token in range(len(scores)):
        label, score = best.get(token, (0, 0.92))
        scores[token, label] = score
    return tokenizer, text, scores


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    [
        (
            "none",
            [("B-PER", 0.92, 0, 3), ("I-PER", 0.7, 5, 9), ("I-PER", 0.6, 11, 13), ("B-LOC", 0.9, 17, 20)],
        ),
        # The mean of the scores of the tokens; `la` is O and ends the group, `ce` begins another.
        ("simple", [("PER", 0.81, 0, 9), ("PER", 0.6, 11, 13), ("LOC", 0.9, 17, 20)]),
        # The first token's label for the word.
        ("first", [("PER", (0.92 + 0.7) / 2, 0, 13), ("LOC", 0.9, 17, 23)]),
        # The surest token of Lovelace says O, of London B-LOC.
        ("max", [("PER", 0.92, 0, 3), ("LOC", 0.9, 17, 23)]),
        # Means over the tokens of a word: of I-PER (0.7 + 0.02 + 0.6) / 3, of B-LOC (0.9 + 0.02) / 2.
        ("average", [("PER", (0.92 + 0.44) / 2, 0, 13), ("LOC", 0.46, 17, 23)]),
    ],
)
def test_8_strategies(strategy, wanted):
    from tessella.tasks import aggregate

    tokenizer, text, scores = tagged()
    found = aggregate(tokenizer.encode(text), scores, text, NAMES, strategy, probabilities=True)
    assert [(one.label, one.start, one.end) for one in found] == [(w[0], w[2], w[3]) for w in wanted]
    assert [one.score for one in found] == pytest.approx([w[1] for w in wanted])
    # Cut from the original, two spaces and all; joined tokens would have one.
    assert [one.text for one in found] == [text[one.start : one.end] for one in found]


def test_8_groups():
    from tessella.tasks import aggregate

    tokenizer, _, _ = tagged()
    encoding = tokenizer.encode("Ada Ada Ada Ada")
    for tags, wanted in (
        ("B-PER I-PER B-PER I-PER", ["PER 0 7", "PER 8 15"]),
        ("I-PER I-PER I-LOC I-LOC", ["PER 0 7", "LOC 8 15"]),
        ("B-PER O I-PER O", ["PER 0 3", "PER 8 11"]),
    ):
        scores = np.zeros((6, len(NAMES)))
        for token, tag in enumerate(["O", *tags.split(), "O"]):
            scores[token, NAMES.index(tag)] = 1.0
        found = aggregate(encoding, scores, "Ada Ada Ada Ada", NAMES, "simple", probabilities=True)
        assert [f"{one.label} {one.start} {one.end}" for one in found] == wanted


def test_8_labels():
    from tessella.tasks import ids_of_labels, labels_of_words, words_of_labels

    tokenizer, text, _ = tagged()
    encoding, words = tokenizer.encode(text), ["B-PER", "I-PER", "O", "B-LOC"]
    first = [-100, "B-PER", "I-PER", -100, -100, "O", "B-LOC", -100, -100]
    every = [-100, "B-PER", "I-PER", "I-PER", "I-PER", "O", "B-LOC", "I-LOC", -100]
    assert labels_of_words(encoding, words) == first
    assert labels_of_words(encoding, words, pieces="all") == every
    assert words_of_labels(encoding, first) == words_of_labels(encoding, every) == words
    assert ids_of_labels(every, NAMES) == [-100, 1, 2, 2, 2, 0, 3, 4, -100]


def test_8_windows_of_questions():
    from tessella.tasks import QuestionAnswerer

    words = [f"w{n}" for n in range(1000)]
    tokenizer = words_tokenizer(["who", *words])
    ask = QuestionAnswerer(lambda encodings: [], tokenizer)
    assert (ask.max_length, ask.stride) == (384, 128)
    context = " ".join(words)
    windows = ask.windows("who who", context)
    assert all(window.tokens[:4] == ["[CLS]", "who", "who", "[SEP]"] for window in windows)
    held = [window.tokens[4:-1] for window in windows]
    assert [len(window) for window in windows[:-1]] == [384] * (len(windows) - 1)
    assert all(one[-128:] == other[:128] for one, other in pairwise(held))
    assert [held[0][0], *(word for one in held for word in one[128:])][-1] == "w999"
    assert all(context[a:b] == word for word, (a, b) in zip(held[-1], windows[-1].offsets[4:-1], strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_8_the_best_span_of_all_windows(seed):
    from tessella.tasks import QuestionAnswerer, softmax

    rng = np.random.default_rng(seed)
    tokenizer = words_tokenizer(["who", *"abcdefgh"])
    context = " ".join(rng.choice(list("abcdefgh"), size=40))
    scores = {}

    def model(encodings):
        for one in encodings:
            key = one.offsets[3][0]
            scores[key] = (one, rng.normal(size=len(one.ids)) * 3, rng.normal(size=len(one.ids)) * 3)
            yield scores[key][1:]

    ask = QuestionAnswerer(model, tokenizer, max_length=16, stride=4, max_answer_tokens=5)
    (answer,) = ask("who", context)
    best = (0.0, 0, 0)
    for one, starts, ends in scores.values():
        seen = np.array([number == 1 for number in one.sequence_ids])
        # The first token takes part as "no answer"; all else outside the context is masked.
        seen[0] = True
        begin, finish = (softmax(np.where(seen, row, -np.inf)) for row in (starts, ends))
        product = np.triu(np.outer(begin, finish)) - np.triu(np.outer(begin, finish), k=5)
        product[0] = 0
        start, end = np.unravel_index(product.argmax(), product.shape)
        best = max(best, (product[start, end], one.offsets[start][0], one.offsets[end][1]))
    assert (answer.start, answer.end) == best[1:]
    assert answer.score == pytest.approx(best[0])
    assert answer.text == context[answer.start : answer.end]


# Chapter 9: embeddings.


def test_9_defaults():
    from tessella.embeddings import train_vectors

    options = inspect.signature(train_vectors).parameters
    wanted = {"dimensions": 32, "window": 10, "negatives": 50, "min_count": 1}
    assert {name: options[name].default for name in wanted} == wanted


def test_9_songs_in_playlists():
    pytest.importorskip("gensim")
    from tessella.embeddings import train_vectors

    rng = random.Random(3)
    # Ids of songs; those of one kind leave the same remainder.
    playlists = [rng.sample(range(rng.randrange(3), 30, 3), 6) for _ in range(600)]
    songs = train_vectors(playlists, subsampling=0)
    assert (songs.dimensions, sorted(songs)) == (32, list(range(30)))
    for song in range(30):
        assert {other % 3 for other, _ in songs.most_similar(song, n=9)} == {song % 3}
    near = songs.most_similar(7, n=9)
    one, score = near[0]
    cosine = songs[7] @ songs[one] / np.linalg.norm(songs[7]) / np.linalg.norm(songs[one])
    assert score == pytest.approx(float(cosine), abs=1e-6)
    assert [s for _, s in near] == sorted((s for _, s in near), reverse=True)
