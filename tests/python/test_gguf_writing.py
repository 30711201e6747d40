"""GGUF files that are written: the way to cut texts is found by trying, and a model's tensors stay as they are."""

import json
import os
import struct
import warnings

import pytest
import tessella
from tessella import (
    Tokenizer,
    _gguf,
    _gguf_file,
    _gguf_proof,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    recipes,
)
from tessella.cli.main import main
from tessella.errors import ArgumentError, FormatError, UnsupportedError

TEXTS = ["low lower lowest 12345 it's", "naïve café, 東京 2024!\n\n  x = y + 1"] * 20


def quiet(tokenizer, path, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tokenizer.save(path, **options)
    return [str(one.message) for one in told]


def pre(path):
    """The way that a file names."""
    raw = _gguf_file.Model.read(str(path)).pairs["tokenizer.ggml.pre"]
    return raw[12:].decode()


@pytest.mark.parametrize(
    ("recipe", "way"),
    [("gpt2", "gpt-2"), ("llama3", "llama-bpe"), ("cl100k", "llama-bpe"), ("starcoder2", "starcoder")],
)
def test_the_way_to_cut_is_found_by_trying(tmp_path, recipe, way):
    tokenizer = recipes.get(recipe).train(TEXTS, vocab_size=1000)
    path = tmp_path / "x.gguf"
    quiet(tokenizer, path)
    again = tessella.load(path)
    for text in [*TEXTS[:2], "I'LL  go\t\n\n1 22 333 4444", "<|endoftext|>x"]:
        assert again.encode(text).ids == tokenizer.encode(text).ids
    assert pre(path) == way


@pytest.mark.parametrize("name", ["default", "qwen2", "qwen35", "falcon", "deepseek-v3", "tekken", "bloom"])
def test_every_way_is_found_again(tmp_path, name):
    """A file with a name is read, and written with the same name."""
    keys = {
        "general.architecture": "gpt2",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": name,
        "tokenizer.ggml.tokens": [*pre_tokenizers.ByteLevel.alphabet(), "ab"],
        "tokenizer.ggml.merges": ["a b"],
        "tokenizer.ggml.add_bos_token": False,
    }
    _gguf_file.write(str(tmp_path / "named.gguf"), keys)
    quiet(tessella.load(tmp_path / "named.gguf"), tmp_path / "again.gguf")
    assert pre(tmp_path / "again.gguf") == name


def test_another_cut_is_no_difference_where_no_token_crosses_it(tmp_path):
    """cl100k takes all blanks at the end of a text as one piece, and `llama-bpe` cuts them after a line break."""
    tokenizer = recipes.get("cl100k").train(TEXTS, vocab_size=500)
    assert not any("Ċ" in token and "Ġ" in token for token in tokenizer.get_vocab())
    quiet(tokenizer, tmp_path / "x.gguf")
    assert pre(tmp_path / "x.gguf") == "llama-bpe"
    crossing = recipes.get("cl100k").train(["a\n  "] * 50, vocab_size=300)
    assert any("ĊĠ" in token for token in crossing.get_vocab())
    with pytest.raises(UnsupportedError, match=r"the nearest, `llama-bpe`, cuts "):
        crossing.save(tmp_path / "y.gguf")


def test_blanks_in_front_of_digits_are_tried(tmp_path):
    """The nearest way takes a blank along with a digit, and no text of the proof had two of them there."""
    tokenizer = recipes.get("galactica").train(["a  1  2"] * 50, vocab_size=300)
    assert tokenizer.encode("a  4").tokens == ["a", "ĠĠ", "4"]
    with pytest.raises(UnsupportedError, match=r"the text \"  1\" would give"):
        tokenizer.save(tmp_path / "x.gguf")


def test_what_no_way_does_is_refused_with_a_text(tmp_path):
    tokenizer = recipes.get("gpt2").train(TEXTS, vocab_size=300)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Punctuation(), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    with pytest.raises(UnsupportedError, match=r"the nearest, `.+`, cuts \".+\" into"):
        tokenizer.save(tmp_path / "x.gguf")
    tokenizer = recipes.get("gpt2").train(TEXTS, vocab_size=300)
    tokenizer.normalizer = normalizers.NFC()
    with pytest.raises(UnsupportedError, match="normalizes no text"):
        tokenizer.save(tmp_path / "x.gguf")
    tokenizer.normalizer = None
    tokenizer.enable_truncation(8)
    with pytest.raises(UnsupportedError, match="switch that off"):
        tokenizer.save(tmp_path / "x.gguf")
    assert not os.listdir(tmp_path)


def test_a_normalizer_is_left_out_if_asked_for(tmp_path, capsys):
    tokenizer = recipes.get("gpt2").train(TEXTS, vocab_size=300)
    tokenizer.normalizer = normalizers.NFC()
    told = quiet(tokenizer, tmp_path / "x.gguf", drop_normalizer=True)
    assert any("left out, as asked: the text" in one and "would give" in one for one in told)
    again = tessella.load(tmp_path / "x.gguf")
    for text in TEXTS[:2]:
        assert again.encode(text).ids == tokenizer.encode(text).ids
    assert again.encode("e\u0301").ids != tokenizer.encode("e\u0301").ids
    assert tokenizer.normalizer is not None
    tokenizer.save(tmp_path / "t.json")
    command = ["convert", str(tmp_path / "t.json"), str(tmp_path / "y.gguf")]
    assert main(command) == 1
    assert "`drop_normalizer` writes it without; the text" in capsys.readouterr().err
    assert main([*command, "--drop-normalizer"]) == 0
    said = capsys.readouterr()
    assert "but for the normalizer" in said.out and "left out, as asked: the text" in said.err
    assert again.encode(TEXTS[1]).ids == tessella.load(tmp_path / "y.gguf").encode(TEXTS[1]).ids
    with pytest.raises(ArgumentError, match="is for GGUF files"):
        tokenizer.save(tmp_path / "y.json", drop_normalizer=True)
    assert main([*command[:2], str(tmp_path / "y.json"), "--drop-normalizer"]) == 1


def test_unigram_with_stages_of_its_own(tmp_path):
    """What SentencePiece's rules say too is written; what is only near to them is refused with a text."""
    pieces = [("<unk>", 0.0), ("</s>", 0.0), *((text, -1.0 - n / 7) for n, text in enumerate("▁abé"))]
    pieces += [("ab", -1.1), ("▁a", -1.2)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0))
    tokenizer.add_special_tokens(["<unk>", "</s>"])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    told = quiet(tokenizer, tmp_path / "x.gguf")
    again = tessella.load(tmp_path / "x.gguf")
    for text in ("ab aba", "  a ", "zab é</s>a", ""):
        assert again.encode(text).ids == tokenizer.encode(text).ids
    assert not told
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    with pytest.raises(UnsupportedError, match=r'the text ".+" would give \['):
        tokenizer.save(tmp_path / "y.gguf")
    tokenizer.model = models.Unigram(pieces, 0, byte_fallback=True)
    with pytest.raises(UnsupportedError, match="not for Unigram models"):
        tokenizer.save(tmp_path / "y.gguf")
    tokenizer.model = models.Unigram(pieces)
    with pytest.raises(UnsupportedError, match="needs a token for unknown text"):
        tokenizer.save(tmp_path / "y.gguf")
    assert not (tmp_path / "y.gguf").exists()


def test_words_of_bert(tmp_path, capsys, monkeypatch):
    """llama.cpp makes words by tables of its own, so that no BERT is the same there: written only if asked for."""
    monkeypatch.chdir(tmp_path)
    tokenizer = recipes.get("bert-uncased").train(TEXTS, vocab_size=200)
    with pytest.raises(UnsupportedError, match=r'the text ".{1,3}" would give \[.+\] in llama.cpp, not \['):
        tokenizer.save("x.gguf")
    assert not os.path.exists("x.gguf")
    told = quiet(tokenizer, "x.gguf", allow_differences=True)
    assert len(told) == 1 and "otherwise, as allowed: the text" in told[0]
    again = tessella.load("x.gguf")
    for text in [*TEXTS[:2], "lowerest unknownЖ [MASK] low"]:
        assert again.encode(text).ids == tokenizer.encode(text).ids
    tokenizer.save("t.json")
    assert main(["convert", "t.json", "y.gguf"]) == 1
    assert "write it with `allow_differences`" in capsys.readouterr().err
    assert main(["convert", "t.json", "y.gguf", "--allow-differences"]) == 0
    assert "same ids on 4 texts" in capsys.readouterr().out
    assert main(["edit", "pad", "t.json", "z.gguf", "--multiple", "64"]) == 1
    assert main(["edit", "pad", "t.json", "z.gguf", "--multiple", "64", "--allow-differences"]) == 0
    assert sorted(os.listdir()) == ["t.json", "x.gguf", "y.gguf", "z.gguf"]
    with pytest.raises(ArgumentError, match="is for GGUF files"):
        tokenizer.save("t2.json", allow_differences=True)
    assert main(["convert", "t.json", "t2.json", "--allow-differences"]) == 1
    # What was read from such a file is written as it was.
    assert not quiet(again, "again.gguf")
    assert again.encode("a▁b\x0bनि").ids == tessella.load("again.gguf").encode("a▁b\x0bनि").ids
    assert not quiet(tessella.load("x.gguf"), "there.json")
    assert tessella.load("there.json").encode("a▁b lower").ids == again.encode("a▁b lower").ids


@pytest.mark.parametrize(
    ("pipeline", "why"),
    [
        (["--recipe", "bert-uncased"], "the text "),
        (["--recipe", "roberta"], "the text "),
        (["--recipe", "clip"], "end_of_word_suffix"),
        (["--model", "wordlevel", "--pre-tokenizer", "whitespace"], "no WordLevel model"),
    ],
)
def test_what_cannot_be_is_told_before_training(tmp_path, capsys, monkeypatch, pipeline, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.txt").write_text("\n".join(TEXTS))
    read = []
    monkeypatch.setattr("tessella.cli.commands.train._counted", lambda *given: read.append(given))
    assert main(["train", "corpus.txt", *pipeline, "-o", "x.gguf"]) == 1
    assert why in capsys.readouterr().err
    assert not read and not (tmp_path / "x.gguf").exists()


def test_a_trained_tokenizer_is_written(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.txt").write_text("\n".join(TEXTS))
    base = ["train", "corpus.txt", "--vocab-size", "300", "-q"]
    assert main([*base, "--recipe", "gpt2", "-o", "x.gguf"]) == 0
    assert tessella.load("x.gguf").encode("lower").ids
    # One like another is not changed by the trial.
    tessella.load("x.gguf").save("gpt2.json")
    assert main([*base, "--like", "gpt2.json", "-o", "y.gguf"]) == 0
    assert main([*base, "--recipe", "bert-uncased", "-o", "z.gguf", "--allow-differences"]) == 0
    assert "otherwise, as allowed" in capsys.readouterr().err


def test_pieces(tmp_path):
    from tessella.compat import sentencepiece

    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(TEXTS * 5))
    for kind, more in (
        ("unigram", {}),
        ("bpe", {"byte_fallback": True, "normalization_rule_name": "identity"}),
    ):
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus),
            model_prefix=str(tmp_path / kind),
            vocab_size=320 if more else 38,
            hard_vocab_limit=False,
            model_type=kind,
            remove_extra_whitespaces=not more,
            user_defined_symbols=["[x]"] if not more else [],
            minloglevel=2,
            **more,
        )
        tokenizer = tessella.load(tmp_path / f"{kind}.model")
        quiet(tokenizer, tmp_path / f"{kind}.gguf")
        again = tessella.load(tmp_path / f"{kind}.gguf")
        for text in [*TEXTS[:2], "lower [x]low", "  two  blanks "]:
            assert again.encode(text).ids == tokenizer.encode(text).ids


def test_a_mark_at_the_end_of_a_text(tmp_path):
    """SentencePiece takes it off, unless a rule has made a blank of it, and llama.cpp does not."""
    from tessella.compat import sentencepiece

    for rules, refused in (("nmt_nfkc", False), ("identity", True)):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS),
            model_prefix=str(tmp_path / "m"),
            vocab_size=60,
            hard_vocab_limit=False,
            normalization_rule_name=rules,
            minloglevel=2,
        )
        tokenizer = tessella.load(tmp_path / "m.model")
        if refused:
            with pytest.raises(UnsupportedError, match='the text "▁" would give'):
                tokenizer.save(tmp_path / "m.gguf")
        else:
            quiet(tokenizer, tmp_path / "m.gguf")


def model_file(path, rows, alignment=64):
    """A model with two tensors; the data is random, and aligned otherwise than by default."""
    names = [("token_embd.weight", (4, rows)), ("blk.0.x", (3,))]
    _gguf_file.write(
        str(path),
        {
            "general.architecture": "gpt2",
            "general.alignment": alignment,
            "general.name": "small",
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.mask_token_id": 3,
            "tokenizer.chat_template": "{{ old }}",
        },
    )
    head = bytearray(path.read_bytes())
    struct.pack_into("<Q", head, 8, len(names))
    at = 0
    for name, shape in names:
        head += struct.pack("<Q", len(name)) + name.encode()
        head += struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)
        at += alignment * 4
    head += bytes(-len(head) % alignment)
    data = os.urandom(at)
    path.write_bytes(bytes(head) + data)
    return data


def test_into_a_copy_of_a_model(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tokenizer = recipes.get("gpt2").train(TEXTS, vocab_size=300)
    data = model_file(tmp_path / "old.gguf", tokenizer.get_vocab_size())
    before = (tmp_path / "old.gguf").read_bytes()
    quiet(tokenizer, "new.gguf", into="old.gguf")
    new = _gguf_file.Model.read("new.gguf")
    old = _gguf_file.Model.read("old.gguf")
    assert (tmp_path / "new.gguf").read_bytes()[new.data_start :] == data
    assert new.data_start % 64 == 0 and (new.tensors, new.alignment) == (old.tensors, 64)
    assert new.pairs["general.name"] == old.pairs["general.name"]
    assert new.pairs["tokenizer.chat_template"] == old.pairs["tokenizer.chat_template"]
    assert "tokenizer.ggml.mask_token_id" not in new.pairs
    assert tessella.load("new.gguf").encode(TEXTS[1]).ids == tokenizer.encode(TEXTS[1]).ids
    assert (tmp_path / "old.gguf").read_bytes() == before
    tokenizer.save("t.json")
    assert main(["convert", "t.json", "cli.gguf", "--into", "old.gguf"]) == 0
    # The recipe's tokenizer knows roles that a tokenizer.json does not tell.
    quiet(tessella.load("t.json"), "again.gguf", into="old.gguf")
    assert (tmp_path / "cli.gguf").read_bytes() == (tmp_path / "again.gguf").read_bytes()
    assert main(["convert", "t.json", "cli.json", "--into", "old.gguf"]) != 0
    assert "--into is for GGUF files" in capsys.readouterr().err


def test_a_model_that_does_not_fit(tmp_path):
    tokenizer = recipes.get("gpt2").train(TEXTS, vocab_size=300)
    model_file(tmp_path / "old.gguf", 299)
    with pytest.raises(ArgumentError, match="has 299 rows"):
        quiet(tokenizer, tmp_path / "new.gguf", into=tmp_path / "old.gguf")
    with pytest.raises(ArgumentError, match="is the model's file itself"):
        quiet(tokenizer, tmp_path / "old.gguf", into=tmp_path / "old.gguf")
    with pytest.raises(ArgumentError, match="`into` is the file of a model"):
        tokenizer.save(tmp_path / "new.json", into=tmp_path / "old.gguf")
    whole = (tmp_path / "old.gguf").read_bytes()
    for end in range(0, 300, 7):
        (tmp_path / "cut.gguf").write_bytes(whole[:end])
        with pytest.raises(FormatError):
            quiet(tokenizer, tmp_path / "new.gguf", into=tmp_path / "cut.gguf")
    assert not (tmp_path / "new.gguf").exists()


def test_tekken_there_and_back(tmp_path):
    tokenizer = recipes.get("llama3").train(TEXTS, vocab_size=700)
    with pytest.raises(UnsupportedError, match=r"a tekken\.json cannot express"):
        tokenizer.save(tmp_path / "tekken.json")
    ranks = [{"rank": n, "token_bytes": "", "token_str": None} for n in range(257)]
    import base64

    for n, one in enumerate(ranks):
        one["token_bytes"] = base64.b64encode(bytes([n]) if n < 256 else b"ab").decode()
    config = {"pattern": r"\p{L}+|\s|.", "default_vocab_size": 259, "default_num_special_tokens": 2}
    specials = [{"rank": n, "token_str": text, "is_control": True} for n, text in enumerate(["<s>", "</s>"])]
    said = {"config": config, "vocab": ranks, "special_tokens": specials}
    (tmp_path / "in.json").write_text(json.dumps(said))
    tokenizer = tessella.load(tmp_path / "in.json")
    tokenizer.save(tmp_path / "tekken.json")
    again = tessella.load(tmp_path / "tekken.json")
    assert again.encode("<s>abc ab é</s>").ids == tokenizer.encode("<s>abc ab é</s>").ids
    assert again.encode("ab").ids == [258]
    # Mistral's own library takes no other order of the bytes.
    said["vocab"][:2] = [{**one, "rank": n} for n, one in enumerate((ranks[1], ranks[0]))]
    (tmp_path / "turned.json").write_text(json.dumps(said))
    with pytest.raises(UnsupportedError, match="bytes in another order: there, the first 256 ranks"):
        tessella.load(tmp_path / "turned.json").save(tmp_path / "tekken.json")
    tokenizer.save(tmp_path / "other.json", format="tekken")
    assert (tmp_path / "other.json").read_bytes() == (tmp_path / "tekken.json").read_bytes()


def test_candidates_are_told_apart_by_the_proof(tmp_path):
    """A file that says the wrong way is not what the proof accepts."""
    tokenizer = recipes.get("gpt2").train(TEXTS, vocab_size=300)
    keys = _gguf._pairs(tokenizer, json.loads(tokenizer.model.__getstate__()))
    wrong = _gguf_proof.read(keys | {"tokenizer.ggml.pre": "falcon"})
    found = _gguf_proof.differences(tokenizer, wrong, _gguf_proof.texts(tokenizer))
    least = _gguf_proof.smallest(tokenizer, wrong, found[-1])
    assert len(least.text) <= len(found[0].text) and "would give" in str(least)
    assert wrong.encode(least.text).ids == least.got != least.expected


def test_every_token_is_tried_alone(tmp_path):
    """One that no merges make is found whole here (`ignore_merges`), and by few ways of llama.cpp."""
    letters = pre_tokenizers.ByteLevel.alphabet()
    for number, far in ((0, 300), (6000, 0)):
        vocab = {letter: id for id, letter in enumerate(letters)}
        merges = []
        for first in letters[: number and 100]:
            for second in letters[:60]:
                vocab[first + second] = len(vocab)
                merges.append((first, second))
        # Above the number of tokens, where ids have a hole; or one of many.
        vocab["bab"] = len(vocab) + far
        tokenizer = Tokenizer(models.BPE(vocab, merges, ignore_merges=True))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        # Without merges, too: an empty list is one of texts.
        with pytest.raises(UnsupportedError, match=f'the text "bab" would give .*, not .{vocab["bab"]}'):
            tokenizer.save(tmp_path / "x.gguf")
