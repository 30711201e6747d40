"""GGUF files, written here byte by byte: tokens of every type, as llama.cpp takes them.

There, control and unknown tokens are cut out of a text when special tokens are read (``parse_special``), user-defined tokens always;
what follows one of them begins anew, with a blank in front.
"""

import struct

import pytest
import tessella

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(one):
    """The type of a value and its bytes."""
    if isinstance(one, bool):
        return 7, struct.pack("<?", one)
    if isinstance(one, int):
        return 4, struct.pack("<I", one)
    if isinstance(one, str):
        return 8, text(one)
    kind = 8 if isinstance(one[0], str) else 6 if isinstance(one[0], float) else 5
    items = b"".join(
        text(item) if kind == 8 else struct.pack("<f" if kind == 6 else "<i", item) for item in one
    )
    return 9, struct.pack("<IQ", kind, len(one)) + items


def gguf(path, **keys):
    """A file with these keys of the tokenizer and no tensors."""
    pairs = {"general.architecture": "llama"}
    for key, one in keys.items():
        pairs[key.replace("__", ".") if "__" in key else f"tokenizer.ggml.{key}"] = one
    content = b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs))
    for key, one in pairs.items():
        kind, raw = value(one)
        content += text(key) + struct.pack("<I", kind) + raw
    path.write_bytes(content)
    return path


def llama(path, extra=(), **keys):
    """A Llama-type file: three special pieces, the bytes, a few letters, and more."""
    pieces = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    pieces += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    pieces += [
        ("▁", -9.0, NORMAL),
        ("h", -8.0, NORMAL),
        ("i", -7.0, NORMAL),
        ("hi", -2.0, NORMAL),
        ("▁hi", -1.0, NORMAL),
    ]
    pieces += extra
    tokens, scores, kinds = map(list, zip(*pieces, strict=True))
    ids = {"bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0}
    return gguf(path, model="llama", tokens=tokens, scores=scores, token_type=kinds, **(ids | keys))


def test_control_tokens_of_a_llama_type_file_are_found(tmp_path):
    tokenizer = tessella.load(llama(tmp_path / "l2.gguf", [("[INST]", 0.0, USER_DEFINED)]))
    hi = tokenizer.token_to_id("▁hi")
    decoder = tokenizer.get_added_tokens_decoder()
    assert {id: (str(token), token.special) for id, token in decoder.items()} == {
        0: ("<unk>", True),
        1: ("<s>", True),
        2: ("</s>", True),
        hi + 1: ("[INST]", False),
    }
    assert tokenizer.encode("<s>hi</s>", add_special_tokens=False).ids == [1, hi, 2]
    assert tokenizer.encode("hi</s>hi").ids == [1, hi, 2, hi]
    assert tokenizer.encode("[INST]hi", add_special_tokens=False).ids == [hi + 1, hi]
    assert tokenizer.decode([1, hi, 2]) == "hi"
    # As llama.cpp writes them when it is asked for special tokens.
    assert tokenizer.decode([1, hi, 0, 2, hi + 1], skip_special_tokens=False) == "<s> hi<unk></s>[INST]"
    as_text = tessella.load(tmp_path / "l2.gguf")
    as_text.encode_special_tokens = True
    ids = as_text.encode("[INST]</s>", add_special_tokens=False).ids
    assert ids[0] == hi + 1 and 2 not in ids


def test_padding_of_kind_unknown_is_no_second_unknown_token(tmp_path):
    extra = [(f"[PAD{number}]", -1000.0, UNKNOWN) for number in (264, 265)]
    tokenizer = tessella.load(llama(tmp_path / "phi.gguf", extra))
    assert tokenizer.encode("hi", add_special_tokens=False).tokens == ["▁hi"]
    assert tokenizer.encode("[PAD265]", add_special_tokens=False).ids == [tokenizer.token_to_id("[PAD265]")]
    # Without the key, the first of the kind is the unknown token.
    without = tessella.load(llama(tmp_path / "other.gguf", extra, unknown_token_id=0xFFFFFFFF))
    assert without.encode("<unk>", add_special_tokens=False).ids == [0]


@pytest.mark.parametrize(("name", "takes"), [("Phi-3 Mini", True), ("Phi3", True), ("LLaMA v2", False)])
def test_special_tokens_of_phi_3_take_the_blanks_after_them(tmp_path, name, takes):
    path = llama(tmp_path / "x.gguf", [("<|end|>", 0.0, CONTROL)], general__name=name)
    tokenizer = tessella.load(path)
    end, blank, hi = (tokenizer.token_to_id(token) for token in ("<|end|>", "▁", "▁hi"))
    ids = tokenizer.encode("<|end|>  hi<s> hi", add_special_tokens=False).ids
    assert ids == [end, *([] if takes else [blank, blank]), hi, 1, blank, hi]


def bert(path, extra=(), **keys):
    """A BERT-type file: five special tokens and a few words, which have the mark, and pieces of words."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = ["▁a", "b", "▁b", "▁hi", "s", "▁,", "▁न", "▁ᄒ", "▁ᄀ", "▁東", "▁é", "▁e", *extra]
    kinds = [CONTROL, UNKNOWN, CONTROL, CONTROL, CONTROL] + [NORMAL] * len(words)
    ids = {"bos_token_id": 2, "cls_token_id": 2, "seperator_token_id": 3, "unknown_token_id": 1}
    return gguf(path, model="bert", tokens=specials + words, token_type=kinds, **(ids | keys))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hi hib", "▁hi ▁hi b"),
        ("a,a", "▁a ▁, ▁a"),
        ("his", "▁hi s"),
        ("ax", "[UNK]"),
        # Blanks of all kinds part words, and control characters vanish.
        ("a\x0ba\x85a\u2028a", "▁a ▁a ▁a ▁a"),
        ("a\x1cb\u200bs\ue000b", "▁a b s b"),
        # All marks go, and of a syllable all but its first letter.
        ("é e\u0301 नि", "▁e ▁e ▁न"),
        ("한 \uac00\u11a8", "▁ᄒ [UNK]"),
        ("東東", "▁東 ▁東"),
        # The mark of a word is a letter.
        ("a▁b▁a", "▁a ▁b ▁a"),
        ("▁a", "[UNK]"),
        ("a ▁", "▁a [UNK]"),
        ("a▁", "[UNK]"),
        ("b" * 150, "▁b " + " ".join("b" * 149)),
        ("a[MASK]s", "▁a [MASK] [UNK]"),
    ],
)
def test_words_of_a_bert_type_file_are_those_of_llama_cpp(tmp_path, text, tokens):
    tokenizer = tessella.load(bert(tmp_path / "x.gguf"))
    assert tokenizer.encode(text).tokens == ["[CLS]", *tokens.split(), "[SEP]"]


def test_a_bert_type_file_with_accents_and_capitals(tmp_path):
    keys = {"normalizer.lowercase": False, "normalizer.strip_accents": False}
    cased = tessella.load(bert(tmp_path / "x.gguf", ["▁A", "▁▁", "▁▁a"], **keys))
    assert cased.encode("A é a", add_special_tokens=False).tokens == ["▁A", "▁é", "▁a"]
    assert cased.encode("▁ ▁a", add_special_tokens=False).tokens == ["▁▁", "▁▁a"]
    assert cased.decode(cased.encode("A hib, a").ids) == "A hib, a"


def test_unigram_files_add_as_llama_cpp_does(tmp_path):
    """Sums of 64 bits, `▁` that stays at the ends, no spelling in bytes, and unused tokens that are used."""
    pieces = [("<unk>", 0.0, UNKNOWN), ("</s>", 0.0, CONTROL), ("<0x41>", 0.0, BYTE), ("▁", -2.0, NORMAL)]
    # Ways that are equally good, or nearly, by how wide the sums are.
    pieces += [("a", -3.1, NORMAL), ("aa", -6.2, NORMAL), ("b", -4.0, UNUSED)]
    tokens, scores, kinds = map(list, zip(*pieces, strict=True))
    keys = {"unknown_token_id": 0, "eos_token_id": 1, "remove_extra_whitespaces": True}
    path = gguf(tmp_path / "x.gguf", model="t5", tokens=tokens, scores=scores, token_type=kinds, **keys)
    tokenizer = tessella.load(path)

    def narrow(score):
        """As it stands in the file."""
        return struct.unpack("<f", struct.pack("<f", score))[0]

    def ids(text):
        return tokenizer.encode(text, add_special_tokens=False).ids

    assert ids("  b  b ") == [3, 6, 3, 6]
    assert ids("▁") == [3, 3] and ids("b▁") == [3, 6, 3]
    assert ids("bA") == [3, 6, 0]
    for count in range(1, 30):
        best = tessella.models.Unigram([(text, narrow(score)) for text, score, _ in pieces], 0)
        expected = [token.id for token in best.tokenize("▁" + "a" * count)]
        assert ids("a" * count) == expected
    import pickle

    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.encode("b▁ aaaa").ids == tokenizer.encode("b▁ aaaa").ids
    assert again.fingerprint() == tokenizer.fingerprint()
    with pytest.raises(tessella.errors.UnsupportedError, match="SentencePiece model file cannot express"):
        tokenizer.save(tmp_path / "x.model")
    tokenizer.save(tmp_path / "y.gguf")
    assert tessella.load(tmp_path / "y.gguf").encode("b▁ aaaa").ids == tokenizer.encode("b▁ aaaa").ids


def test_a_byte_without_a_token_parts_what_stands_round_it(tmp_path):
    alphabet = [one for one in tessella.pre_tokenizers.ByteLevel.alphabet() if one != "ċ"]
    keys = {"tokens": [*alphabet, "ĠĠ"], "merges": ["Ġ Ġ"], "pre": "gpt-2"}
    path = gguf(tmp_path / "x.gguf", model="gpt2", **keys)
    tokenizer = tessella.load(path)
    assert tokenizer.encode(" \x0b ").tokens == ["Ġ", "Ġ"]
    assert tokenizer.encode("a   b").tokens == ["a", "ĠĠ", "Ġ", "b"]
    # In a tokenizer.json the neighbours are joined.
    joined = tessella.Tokenizer(tokenizer.model)
    joined.pre_tokenizer = tessella.pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert joined.encode(" \x0b ").tokens == ["ĠĠ"]
    with pytest.raises(tessella.errors.UnsupportedError, match=r'the text " \\x0b " would give'):
        joined.save(tmp_path / "y.gguf")
