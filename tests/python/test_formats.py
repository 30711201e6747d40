"""Names promise what files are; what a table of ranks lacks stands beside it."""

import json
import typing
import warnings
from pathlib import Path

import killed
import pytest
import tessella
from tessella import Tokenizer, _tessella, models, pre_tokenizers
from tessella._formats import WRITABLE
from tessella.cli.main import main
from tessella.errors import ArgumentError, FormatError, UnsupportedError
from tessella.tokenizer import SaveFormat


def test_the_type_of_the_option_is_the_table():
    assert sorted(typing.get_args(SaveFormat)) == sorted(WRITABLE)


def test_the_page_tells_every_format():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    headings = [line.lower() for line in page.splitlines() if line.startswith("## ")]
    for name, what, endings, _ in _tessella.formats():
        named = {name, what.split()[-1], *(f".{ending}" for ending in endings if ending != "json")}
        assert any(one.lower() in line for one in named for line in headings), f"docs/formats.md lacks {what}"


@pytest.mark.parametrize("name", ["x.onnx", "x.tokenizer", "x.json.tmp", "x.bin"])
def test_a_name_never_lies(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    tokenizer = killed.ranks(0)
    with pytest.raises(
        (ArgumentError, UnsupportedError), match=r"\.json .*\.tiktoken .*\.model .*\.txt .*folder"
    ):
        tokenizer.save(name)
    tokenizer.save("source.json")
    (tmp_path / "corpus.txt").write_text("a b c\n" * 10)
    for command in (
        ["convert", "source.json", name],
        ["train", "corpus.txt", "--recipe", "gpt2", "--vocab-size", "300", "-o", name],
    ):
        assert main(command) != 0
        assert ".tiktoken" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "source.json"]


@pytest.mark.parametrize("name", ["vocab.json", "Tokenizer_Config.json", "merges.txt"])
def test_names_of_other_files_are_no_tokenizers(tmp_path, name):
    with pytest.raises(ArgumentError, match=r"is the name of .*: choose another name"):
        killed.ranks(0).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_format_and_a_name_that_promises_another_are_refused(tmp_path):
    tokenizer = killed.tokenizer(0)
    for name in ("x.model", "x.tiktoken", "x.gguf", "vocab.txt"):
        with pytest.raises(ArgumentError, match="promises"):
            tokenizer.save(tmp_path / name, format="json")
    tokenizer.save(tmp_path / "x.tmp", format="json")
    tokenizer.save(tmp_path / "model-2024.05")
    tokenizer.save(f"{tmp_path}/folder/")
    for name in ("x.tmp", "model-2024.05", "folder"):
        assert tessella.load(tmp_path / name).get_vocab() == tokenizer.get_vocab()


def bert():
    from tessella import decoders, normalizers, pre_tokenizers, processors

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "tile", "##s"]
    made = Tokenizer(models.WordPiece({word: number for number, word in enumerate(words)}))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.decoder = decoders.WordPiece()
    made.add_special_tokens(words[:5])
    return made


def test_a_list_of_words_is_written_where_it_says_all(tmp_path):
    made = bert()
    made.save(tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_text().splitlines()[5:] == ["tile", "##s"]
    assert tessella.load(tmp_path / "vocab.txt").fingerprint() == made.fingerprint()
    for change in ("normalizer", "post_processor", "decoder"):
        other = bert()
        setattr(other, change, None)
        with pytest.raises(UnsupportedError, match=r"vocab\.txt cannot express"):
            other.save(tmp_path / "other.txt")
    other = bert()
    other.add_tokens(["new"])
    with pytest.raises(UnsupportedError, match="added tokens"):
        other.save(tmp_path / "other.txt")
    with pytest.raises(UnsupportedError, match="WordPiece"):
        killed.tokenizer(0).save(tmp_path / "other.txt")
    assert not (tmp_path / "other.txt").exists()


def test_a_template_may_say_what_bert_does(tmp_path):
    from tessella import processors

    def spelled(pair="[CLS] $A [SEP] $B:1 [SEP]:1", cls=2):
        made = bert()
        made.post_processor = processors.TemplateProcessing(
            "[CLS] $A [SEP]", pair, [("[CLS]", cls), ("[SEP]", 3)]
        )
        return made

    made = spelled()
    made.save(tmp_path / "vocab.txt")
    again = tessella.load(tmp_path / "vocab.txt")
    for texts in (("tiles",), ("tile", "tiles s"), ("", "tile")):
        assert again.encode(*texts).ids == made.encode(*texts).ids
        assert again.encode(*texts).type_ids == made.encode(*texts).type_ids
    for other in (spelled(pair="[CLS] $A [SEP] $B [SEP]"), spelled(cls=4)):
        with pytest.raises(UnsupportedError, match="post-processor"):
            other.save(tmp_path / "other.txt")


def test_a_table_of_ranks_keeps_its_pattern_and_special_tokens(tmp_path):
    made = killed.ranks(0)
    path = tmp_path / "own.tiktoken"
    with pytest.warns(UserWarning, match=r"special token `<0>` are in own\.tiktoken\.json"):
        made.save(path)
    again = tessella.load(path)
    for text in ("ab cd 12", "<0>ab<0>", "ünï  cödé\n"):
        assert again.encode(text).ids == made.encode(text).ids
    assert again.get_added_tokens_decoder() == made.get_added_tokens_decoder()
    # What is said wins.
    assert tessella.load(path, r"\s+|\S+", {"<z>": 300}).token_to_id("<z>") == 300
    assert tessella.load(path, special_tokens={"<z>": 300}).encode("ab<z>").ids[-1] == 300
    # Another table under the same name is not read with the pattern of this one.
    table = path.read_bytes()
    path.write_bytes(table.replace(b" 256", b" 257"))
    with pytest.raises(FormatError, match="another table"):
        tessella.load(path)
    path.write_bytes(table)
    (tmp_path / "own.tiktoken.json").write_text('{"pattern": 3}')
    with pytest.raises(FormatError, match=r"own\.tiktoken\.json"):
        tessella.load(path)


def test_a_pattern_that_leaves_text_out_is_not_written(tmp_path):
    """The readers of such files encode the matches alone; the tokenizer keeps what lies between."""
    made = killed.ranks(0)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tessella.Regex(r"\p{N}"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    assert made.decode(made.encode("ab 1").ids) == "ab 1"
    with pytest.raises(UnsupportedError, match=r"text that the pattern `\\p\{N\}` does not match"):
        made.save(tmp_path / "x.tiktoken")
    assert not list(tmp_path.iterdir())


def test_a_known_name_needs_nothing_beside_it(tmp_path):
    path = tmp_path / "gpt2.tiktoken"
    with pytest.warns(UserWarning, match=r"gpt2\.tiktoken\.json"):
        killed.ranks(0).save(path)
    table = path.read_bytes()
    known = tmp_path / "table.tiktoken"
    known.write_bytes(table)
    gpt2 = tessella.load(known, "gpt2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gpt2.save(path)
    assert not (tmp_path / "gpt2.tiktoken.json").exists()
    assert tessella.load(path).fingerprint() == gpt2.fingerprint()


def test_convert_compares_tables_of_ranks_too(tmp_path, capsys):
    killed.ranks(0).save(tmp_path / "source.json")
    assert main(["convert", str(tmp_path / "source.json"), str(tmp_path / "out.tiktoken")]) == 0
    out, err = capsys.readouterr()
    assert "same ids on 4 texts" in out and "out.tiktoken.json" in err
    beside = json.loads((tmp_path / "out.tiktoken.json").read_text())
    assert beside["pattern"] == "[a-z]+|[^a-z]+" and beside["special_tokens"] == {"<0>": 257}


def test_settings_of_a_model_of_ranks_are_not_lost(tmp_path):
    """They can be set once a table is read, and its readers know nothing of them."""
    made = killed.ranks(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.save(tmp_path / "x.tiktoken")
    for name, value in (
        ("dropout", 0.5),
        ("ignore_merges", False),
        ("continuing_subword_prefix", "##"),
        ("end_of_word_suffix", "</w>"),
    ):
        read = tessella.load(tmp_path / "x.tiktoken")
        setattr(read.model, name, value)
        for format in ("tiktoken", "tekken"):
            with pytest.raises(UnsupportedError, match="a table of ranks cannot express"):
                read.save(tmp_path / "y", format=format)
        if name in ("dropout", "ignore_merges"):
            with pytest.raises(UnsupportedError, match=r"ranks with .* cannot be restated as merges"):
                read.to_str()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.tiktoken", "x.tiktoken.json"]


def test_a_special_token_of_letters_for_bytes_is_told(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        killed.ranks(0).save(tmp_path / "x.tiktoken")
    with pytest.warns(UserWarning, match="the special token `<é>` is decoded as the bytes"):
        read = tessella.load(tmp_path / "x.tiktoken", special_tokens={"<é>": 400, "<｜>": 401, "<>": 402})
    assert read.decode([400, 401, 402], skip_special_tokens=False) == "<\ufffd><｜><>"


def test_special_tokens_that_are_whole_pieces_do_not_become_text(tmp_path):
    """In the vocabulary, where a file must put them to keep their ids, text would find them as what it looks up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        killed.ranks(0).save(tmp_path / "x.tiktoken")
    pattern = r"\p{L}+|\P{L}"
    fine = tessella.load(tmp_path / "x.tiktoken", pattern, {"<end>": 400})
    again = tessella.Tokenizer.from_str(fine.to_str())
    for read in (fine, again):
        assert read.encode("<end>").ids == [400]
        read.encode_special_tokens = True
    assert again.encode("<end>").ids == fine.encode("<end>").ids != [400]
    with pytest.raises(UnsupportedError, match=r"`end` with the id 400: .* as a whole piece"):
        tessella.load(tmp_path / "x.tiktoken", pattern, {"end": 400}).to_str()
