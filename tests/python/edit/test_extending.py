"""More tokens: continued joining as a plain program does it, mixtures, words."""

import json
import random
from itertools import pairwise
from math import exp, log

import pytest
import tessella
from tessella import Tokenizer, edit, load, models, pre_tokenizers
from tessella.errors import ArgumentError

from .random_tokenizers import KINDS, bpe, sentencepiece_model, texts
from .test_removing import SEEDS, encoded

BYTES = {f"<0x{byte:02X}>" for byte in range(256)}


def state(tokenizer):
    return json.loads(tokenizer.model.__getstate__())


def continued_by_hand(tokenizer, corpus, size, least):
    """New letters, then the most frequent pair of neighbours, again and again; all of it counted anew each time."""
    said = state(tokenizer)
    mark = said.get("continuing_subword_prefix") or ""
    suffix = said.get("end_of_word_suffix") or ""
    vocab = dict(said["vocab"])
    taken = set(tokenizer.get_vocab())
    top = max(tokenizer.get_vocab().values()) + 1
    budget = size - len(taken)
    words = tessella.count_pieces(corpus, tokenizer).items()

    counts = {}
    for word, count in words:
        for place, letter in enumerate(word):
            form = (mark if place else "") + letter + (suffix if place == len(word) - 1 else "")
            if form not in vocab and form not in taken:
                counts[form] = counts.get(form, 0) + count
    letters = sorted(
        (form for form in counts if counts[form] >= least), key=lambda form: (-counts[form], form)
    )
    new = []
    for form in letters[:budget]:
        vocab[form] = top + len(new)
        new.append(form)
    if new:
        said["vocab"] = vocab
        model = type(tokenizer.model).__new__(type(tokenizer.model))
        model.__setstate__(json.dumps(said))
    else:
        model = tokenizer.model
    taken |= set(vocab)
    barred = (BYTES if said.get("byte_fallback") else set()) | {said.get("unk_token")}
    rows = []
    for word, count in words:
        row = []
        for token in model.tokenize(word):
            if token.value in barred or token.value not in vocab:
                rows.append((row, count))
                row = []
            else:
                row.append(token.value)
        rows.append((row, count))

    merges, refused = [], set()
    while len(new) < budget:
        pairs = {}
        for row, count in rows:
            for pair in pairwise(row):
                pairs[pair] = pairs.get(pair, 0) + count
        pairs = {pair: n for pair, n in pairs.items() if pair not in refused and n >= max(least, 1)}
        if not pairs:
            break
        left, right = min(pairs, key=lambda pair: (-pairs[pair], vocab[pair[0]], vocab[pair[1]]))
        made = left + right.removeprefix(mark)
        if made in taken:
            refused.add((left, right))
            continue
        merges.append([left, right])
        taken.add(made)
        vocab[made] = top + len(new)
        new.append(made)
        for row, _ in rows:
            place = 0
            while place < len(row) - 1:
                if (row[place], row[place + 1]) == (left, right):
                    row[place : place + 2] = [made]
                place += 1
    return new, merges, rows


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
def test_continued_joining_is_what_a_plain_program_does(kind, seed):
    old = KINDS[kind](seed)
    corpus = texts(seed + 50) * 2
    size = old.get_vocab_size() + random.Random(seed).randint(1, 40)
    edited = edit.extend(old, corpus, size, min_frequency=3)
    new, merges, _ = continued_by_hand(old, corpus, size, 3)
    made = edited.tokenizer
    assert [made.id_to_token(id) for id in edited.id_map.new_ids] == new
    inner = state(old)["vocab"]
    assert {token: made.token_to_id(token) for token in inner} == inner
    if kind == "bpe" and not old.model.ignore_merges:
        assert {token: made.token_to_id(token) for token in old.get_vocab()} == old.get_vocab()
    for token, id in old.get_vocab().items():
        assert made.id_to_token(edited.id_map[id]) == token
    assert made.encode("<s>").ids[1:-1] == [made.token_to_id("<s>")]
    assert Tokenizer.from_str(made.to_str()).get_vocab() == made.get_vocab()
    if kind == "bpe":
        assert [list(merge) for merge in state(made)["merges"][len(state(old)["merges"]) :]] == merges


@pytest.mark.parametrize("seed", SEEDS)
def test_encoding_the_corpus_anew_gives_what_was_joined(seed):
    old = bpe(seed)
    if old.model.ignore_merges:
        pytest.skip("whole pieces go before merges there")
    corpus = texts(seed + 50) * 2
    size = old.get_vocab_size() + 30
    made = edit.extend(old, corpus, size, min_frequency=3).tokenizer
    _, _, rows = continued_by_hand(old, corpus, size, 3)
    wanted = sum(len(row) * count for row, count in rows)
    barred = {old.model.unk_token, *BYTES}
    counts = tessella.count_pieces(corpus, old).items()
    found = sum(
        sum(token.value not in barred for token in made.model.tokenize(word)) * count
        for word, count in counts
    )
    assert found == wanted
    # Fewer tokens, and the same text.
    for text in corpus[:40]:
        if all(old.token_to_id(letter) is not None for letter in text + text.lower() if letter != " "):
            assert len(encoded(made, text)) <= len(encoded(old, text))


@pytest.mark.parametrize("seed", range(12))
def test_constituents_are_what_the_old_tokenizer_gives(seed):
    old = bpe(seed)
    edited = edit.extend(old, texts(seed + 50) * 2, old.get_vocab_size() + 20, min_frequency=3)
    for id in edited.id_map.new_ids:
        parts = [old.id_to_token(part) for part in edited.id_map.constituents(id)]
        token = edited.tokenizer.id_to_token(id)
        if not any(part in BYTES or part == "<unk>" for part in parts) and parts:
            prefix = old.model.continuing_subword_prefix or ""
            assert parts[0] + "".join(part.removeprefix(prefix) for part in parts[1:]) in (token, *parts)


def test_what_decoders_cannot_spell_is_not_joined():
    vocab = {"<unk>": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}, "a": 300}
    old = Tokenizer(models.BPE(vocab, [], unk_token="<unk>", byte_fallback=True))
    edited = edit.extend(old, ["a東東"] * 9, 400, new_letters=0)
    assert edited.id_map.new_ids == ()
    edited = edit.extend(old, ["a東東"] * 9, 400)
    assert [edited.tokenizer.id_to_token(id) for id in edited.id_map.new_ids] == ["東", "a東", "a東東"]
    assert edited.id_map.constituents(301) == tuple(byte + 1 for byte in "東".encode())
    assert "3 tokens were added and not" in edited.notes[0]


def test_words_are_cut_before_marks_unless_a_splitter_is_given():
    old = Tokenizer(models.BPE({"▁": 0, "a": 1, "b": 2}, []))
    tokens = edit.extend(old, ["▁ab▁ab"] * 5, 9).tokenizer.get_vocab()
    assert {"▁a", "▁ab"} <= set(tokens)
    assert not any("▁" in token[1:] for token in tokens)
    splitter = pre_tokenizers.Split("a", "isolated")
    assert "b▁" in edit.extend(old, ["▁ab▁ab"] * 5, 9, splitter=splitter).tokenizer.get_vocab()
    assert "▁ab▁ab" not in tokens


def test_unigram_is_a_mixture():
    corpus = ["abcabc xyzzy", "xyzzy abc", "xyz"] * 20
    old = KINDS["unigram"](4)
    edited = edit.extend(old, corpus, old.get_vocab_size() + 4, weight=0.3)
    before, after = dict(state(old)["vocab"]), dict(state(edited.tokenizer)["vocab"])
    new = [edited.tokenizer.id_to_token(id) for id in edited.id_map.new_ids]
    assert len(new) == 4
    assert list(after)[: len(before)] == list(before)
    total = sum(exp(score) for piece, score in before.items() if piece != "<unk>")
    mixture = sum(exp(score) for piece, score in after.items() if piece != "<unk>")
    assert mixture == pytest.approx(total)
    shares = [after[piece] - before[piece] for piece in before if piece != "<unk>"]
    assert min(shares) == pytest.approx(log(0.7)) or min(shares) > log(0.7)
    assert "<unk>" not in edited.tokenizer.encode("xyz").tokens


def test_special_pieces_are_no_part_of_the_mixture():
    """They have a score of 0 in a `tokenizer.json`, which is the logarithm of 1, and each would count as much as all the
    others together."""
    corpus = ["abcabc xyzzy", "xyzzy abc", "xyz"] * 20
    special = [("<s>", 0.0), ("</s>", 0.0), ("[x]", 0.0)]
    letters = [("<unk>", 0.0), *((letter, log(0.25)) for letter in "abcx")]
    plain, round_it = (Tokenizer(models.Unigram(vocab, 0)) for vocab in (letters, letters + special))
    round_it.add_special_tokens(["<s>", "</s>"])
    one, other = (
        edit.extend(each, corpus, each.get_vocab_size() + 4, weight=0.3) for each in (plain, round_it)
    )
    assert other.tokenizer.get_vocab().keys() == one.tokenizer.get_vocab().keys() | dict(special).keys()
    wanted = dict(state(one.tokenizer)["vocab"])
    assert dict(state(other.tokenizer)["vocab"]) == pytest.approx({**wanted, **dict(special)})
    merged = edit.merge(round_it, plain, weight=0.3)
    assert dict(state(merged.tokenizer)["vocab"]) == pytest.approx(dict(letters + special))
    # What is special in one of them only.
    merged = edit.merge(plain, round_it, weight=0.3)
    assert dict(state(merged.tokenizer)["vocab"])["[x]"] == 0
    usual = Tokenizer(models.Unigram([*letters, ("[x]", log(0.5))], 0))
    assert dict(state(edit.merge(round_it, usual).tokenizer)["vocab"])["[x]"] == 0


def test_words_of_a_list():
    old = Tokenizer(models.WordLevel({"<unk>": 0, "low": 1}, "<unk>"))
    old.pre_tokenizer = pre_tokenizers.Whitespace()
    edited = edit.extend(old, ["low tile tile mosaic mosaic mosaic grout"], 4)
    assert edited.tokenizer.get_vocab() == {"<unk>": 0, "low": 1, "mosaic": 2, "tile": 3}
    assert edited.id_map.constituents(2) == (0,)


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_sentencepiece_models(kind, tmp_path):
    old = load(sentencepiece_model(kind, tmp_path))
    corpus = ["abc fgh fgh fghi", "gh gh fgh ab"] * 30
    edited = edit.extend(old, corpus, old.get_vocab_size() + 10)
    made = edited.tokenizer
    made.save(tmp_path / "more.model")
    reference = pytest.importorskip("sentencepiece").SentencePieceProcessor(str(tmp_path / "more.model"))
    assert reference.vocab_size() == old.get_vocab_size() + len(edited.id_map.new_ids)
    assert len(edited.id_map.new_ids) == 10 or "tokens were added and not 10" in edited.notes[0]
    if kind == "bpe":
        # What was learned later is merged later.
        scores = [reference.get_score(id) for id in range(reference.vocab_size())]
        old_ones, new = scores[: old.get_vocab_size()], scores[old.get_vocab_size() :]
        assert new == sorted(set(new), reverse=True) and new[0] < min(old_ones)
    for text in [*corpus[:4], "ab cd", "<tool> fg", *texts(2)]:
        assert reference.encode(text) == encoded(made, text)
    assert len(encoded(made, "fgh fgh")) < len(encoded(old, "fgh fgh")) or kind == "unigram"
    assert made.decode(encoded(made, "fgh abc")) == "fgh abc"


def test_what_cannot_be():
    old = bpe(0)
    with pytest.raises(ArgumentError, match=r"there are .* tokens already"):
        edit.extend(old, ["a"], old.get_vocab_size())
    for weight in (0, 1):
        with pytest.raises(ArgumentError, match="between 0 and 1"):
            edit.extend(old, ["a"], old.get_vocab_size() + 1, weight=weight)


# Two as one.


@pytest.mark.parametrize("seed", range(15))
def test_a_merged_tokenizer_keeps_both_orders(seed):
    draw = random.Random(seed)
    full = [(a, b) for a in "abcd" for b in "abcd"]
    draw.shuffle(full)
    halves = [[merge for merge in full if draw.random() < 0.5] for _ in range(2)]
    made = []
    for half in halves:
        tokens = [*"abcd", *(left + right for left, right in half)]
        made.append(Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, half)))
    merged = edit.merge(*made)
    merges = [tuple(merge) for merge in state(merged.tokenizer)["merges"]]
    assert sorted(merges) == sorted(set(halves[0]) | set(halves[1]))
    for half in halves:
        assert [merge for merge in merges if merge in half] == half
    for tokenizer, id_map in zip(made, (merged.id_map, merged.other_map), strict=True):
        for token, id in tokenizer.get_vocab().items():
            assert id_map[id] == merged.tokenizer.token_to_id(token)
    assert {id: id for id in made[0].get_vocab().values()} == {
        id: merged.id_map[id] for id in made[0].get_vocab().values()
    }


def test_orders_that_contradict_are_named():
    one = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "ba": 3}, [("a", "b"), ("b", "a")]))
    two = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "ba": 3}, [("b", "a"), ("a", "b")]))
    with pytest.raises(
        ArgumentError, match="1 merges stand in opposite orders, such as `a` \\+ `b` before `b` \\+ `a`"
    ):
        edit.merge(one, two)
    merged = edit.merge(one, two, when_conflicting="first")
    assert state(merged.tokenizer)["merges"] == state(one)["merges"]
    assert len(merged.conflicts) == 1


def test_merging_what_does_not_belong_together():
    one, two = bpe(1), KINDS["wordpiece"](1)
    with pytest.raises(ValueError, match="no common vocabulary"):
        edit.merge(one, two)
    left, right = (Tokenizer(models.WordLevel({"<unk>": 0, word: 1}, "<unk>")) for word in ("a", "b"))
    right.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(ArgumentError, match="differ in their pre_tokenizer"):
        edit.merge(left, right)
    right.pre_tokenizer = None
    right.add_special_tokens(["<s>"])
    left.add_special_tokens(["<e>"])
    assert edit.merge(left, right).tokenizer.get_vocab() == {"<unk>": 0, "a": 1, "b": 2, "<e>": 3, "<s>": 4}
    merged = edit.merge(right, Tokenizer(models.WordLevel({"<unk>": 0, "b": 1}, "<unk>")))
    assert merged.tokenizer.get_vocab() == right.get_vocab()


def test_unigram_models_merge_to_a_mixture():
    one = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", log(0.5)), ("b", log(0.5))], 0))
    two = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", log(0.25)), ("ab", log(0.75))], 0))
    merged = edit.merge(one, two, weight=0.5)
    scores = {piece: round(exp(score), 6) for piece, score in state(merged.tokenizer)["vocab"][1:]}
    assert scores == {"a": 0.375, "b": 0.25, "ab": 0.375}
    assert merged.id_map.constituents(3) == (1, 2)


def test_another_splitter_puts_tokens_out_of_reach():
    corpus = ["in 1984 and 1985 it was 1986"] * 20
    old = tessella.recipes.get("gpt2").train(corpus, vocab_size=300)
    digits = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    edited = edit.change_splitter(old, digits)
    assert set(edited.unreachable) >= {"198"} & set(old.get_vocab())
    assert all(any(one.isdigit() for one in token) for token in edited.unreachable)
    assert edited.id_map.table.tolist() == list(range(old.get_vocab_size()))
    for text in corpus:
        assert not set(edited.unreachable) & set(edited.tokenizer.encode(text).tokens)
    without = edit.remove(edited.tokenizer, edited.unreachable, dependents="remove")
    assert encoded(without.tokenizer, corpus[0]) == without.id_map.apply(encoded(edited.tokenizer, corpus[0]))


def test_scores_that_are_no_probabilities():
    """Far below what a number holds, far above it, or none at all: the mixture is what the rule says of logarithms."""
    from tessella.edit.mixing import mixed

    for low in (-5000.0, 0.0, 5000.0):
        found = mixed({"a": low + log(0.5), "b": low + log(0.5)}, {"a": log(0.2), "c": log(0.8)}, 0.5)
        wanted = {"a": 0.35, "b": 0.25, "c": 0.4}
        assert found == pytest.approx({one: low + log(share) for one, share in wanted.items()})
    assert mixed({}, {"a": -1.0}, 0.5) == pytest.approx({"a": -1.0 + log(0.5)})
    nothing = Tokenizer(models.Unigram([("<unk>", 0.0)], 0))
    assert len(edit.extend(nothing, ["ab abc"] * 20, 6).tokenizer.get_vocab()) > 1
    assert edit.merge(nothing, nothing).tokenizer.get_vocab() == {"<unk>": 0}


def test_added_tokens_that_merging_does_not_take_over_are_told():
    def made(*added):
        one = Tokenizer(models.WordLevel({"<unk>": 0, "a": 1, "<s>": 2}, "<unk>"))
        one.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        one.add_tokens(list(added))
        return one

    special = tessella.AddedToken("<s>", special=True)
    plain, other, wide = made(), made(special), made(tessella.AddedToken("<s>", special=True, lstrip=True))
    assert edit.merge(other, plain).notes == edit.merge(other, made(special)).notes == ()
    for first, second in ((plain, other), (other, wide)):
        merged = edit.merge(first, second)
        (note,) = merged.notes
        assert note.startswith(
            "1 added tokens of the second tokenizer are ordinary ones, or have other flags"
        )
        assert note.endswith(": `<s>`")
        # The flags of the first stay.
        for text in ("a<s>a", "a <s>"):
            assert encoded(merged.tokenizer, text) == encoded(first, text)


def test_what_merges_make_may_be_an_added_token_of_the_other():
    """The model gets it too, with the id that it has."""
    one = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2, "ab": 3}, [("a", "b")]))
    one.add_tokens(["bc", "abc"])
    two = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "bcbc": 4}, [("b", "c"), ("bc", "bc")]))
    two.add_tokens([tessella.AddedToken("bcbc", single_word=True)])
    merged = edit.merge(one, two)
    made = merged.tokenizer
    assert encoded(made, "abcbcbc") == [made.token_to_id(token) for token in ("abc", "bc", "bc")]
    for tokenizer, id_map in ((one, merged.id_map), (two, merged.other_map)):
        for token, id in tokenizer.get_vocab().items():
            assert id_map[id] == made.token_to_id(token)
    again = Tokenizer.from_str(made.to_str())
    assert again.get_vocab() == made.get_vocab()
    assert encoded(again, "aabcbcbbca") == encoded(made, "aabcbcbbca")
