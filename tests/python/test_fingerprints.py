"""Fingerprints stay what they are: manifests, golden files and caches of earlier versions have them."""

import base64
import struct

import pytest
import tessella
from tessella import AddedToken, Regex, Tokenizer, decoders, models, normalizers, processors
from tessella import pre_tokenizers as pre

#: Where each of them stands in a tokenizer.
PLACES = {
    normalizers.Normalizer: "normalizer",
    pre.PreTokenizer: "pre_tokenizer",
    processors.PostProcessor: "post_processor",
    decoders.Decoder: "decoder",
}
#: A map of characters that holds none: the size of its trie, the trie, no texts.
NO_CHARACTERS = struct.pack("<I256I", 1024, *[0] * 256)

#: Each with the first digits of its fingerprint; a new one is added, and none is changed.
KNOWN = [
    (normalizers.BertNormalizer(strip_accents=False), "f11d28a4867130d4"),
    (normalizers.ByteLevel(), "abcbc87e17ce6ec0"),
    (normalizers.Lowercase(), "8c184f37ad04f78d"),
    (normalizers.NFC(), "a9348e83719a50f5"),
    (normalizers.NFD(), "de23ff272e606059"),
    (normalizers.NFKC(), "aec6e1c869c4976f"),
    (normalizers.NFKD(), "b57fb96405b75954"),
    (normalizers.Nmt(), "d136d4dcaf442ea4"),
    (normalizers.Precompiled(NO_CHARACTERS), "e278c2ad6e2a56db"),
    (normalizers.Precompiled(NO_CHARACTERS, "longest_match"), "b1b81931d0aa0b3d"),
    (normalizers.Prepend("_"), "73946bb25d0fdb4f"),
    (normalizers.Replace(Regex("a+"), "b"), "7e8c1550893d12f2"),
    (
        normalizers.Sequence([normalizers.Sequence([normalizers.NFC()]), normalizers.Strip()]),
        "eb39a98df2b540c7",
    ),
    (normalizers.Strip(left=False), "98cb81cb507f1dbf"),
    (normalizers.StripAccents(), "a75f8fb3de985741"),
    (pre.BertPreTokenizer(), "4cf88de90f736a96"),
    (pre.ByteLevel(add_prefix_space=False, use_regex=False), "0af8f590c582e545"),
    (pre.CharDelimiterSplit("é"), "f1758662a78d3a6b"),
    (pre.Digits(True), "f3b678d1f9b8eca2"),
    (pre.FixedLength(7), "a833c3d527a5fb38"),
    (pre.Metaspace("_", "first", False), "375b0c1327a6cc09"),
    (pre.Punctuation("contiguous"), "619854871ddbfcff"),
    (pre.Sequence([pre.Whitespace(), pre.Digits()]), "e706399dc859b089"),
    (pre.Split("x", "merged_with_next", invert=True), "b828ec9c70b9c0e6"),
    (pre.UnicodeScripts(), "43a90ce58db55370"),
    (pre.WhitespaceSplit(), "b22e6cb99b26705e"),
    (processors.BertProcessing(("a", 0), ("a", 0)), "70aa4fdc76ad330f"),
    (processors.ByteLevel(trim_offsets=False), "8db5eb9de57ee178"),
    (processors.RobertaProcessing(("a", 0), ("a", 0), add_prefix_space=False), "4db89ec04c0a38c5"),
    (processors.Sequence([processors.ByteLevel()]), "305074ea23fca5c1"),
    (processors.TemplateProcessing("a $A:3", "a $A $B:1 a:1", [("a", 0)]), "f20e8baf814bfd99"),
    (decoders.BPEDecoder("_"), "e7dce8236ba8bd5c"),
    (decoders.ByteFallback(), "020d9e46de4d0fd0"),
    (decoders.ByteLevel(), "416013d8ae416ae6"),
    (decoders.CTC("_", "|", False), "6e9f9efd09c5cae9"),
    (decoders.Fuse(), "4c416562a65a0e50"),
    (decoders.Metaspace("_", "never"), "2545103c7c7ca8b5"),
    (decoders.Replace("a", "b"), "8cc05843f1af219d"),
    (decoders.Sequence([decoders.Fuse(), decoders.ByteFallback()]), "908e35d766c7fda5"),
    (decoders.Strip("_", 1, 2), "c8f6f877b83b0de6"),
    (decoders.WordPiece("_", False), "381e08736e3b3fb8"),
    (
        models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], unk_token="a", dropout=0.5, byte_fallback=True),
        "b436dacc8fab7eac",
    ),
    (
        models.BPE(
            {"a": 0},
            [],
            continuing_subword_prefix="#",
            end_of_word_suffix="_",
            fuse_unk=True,
            ignore_merges=True,
        ),
        "172717447a52d590",
    ),
    (models.Unigram([("<unk>", 0.0), ("a", -1.5)], 0, byte_fallback=True), "59358db457df56b2"),
    (models.WordLevel({"a": 0, "b": 7}, unk_token="a"), "73594d44ab9ed147"),
    (
        models.WordPiece({"a": 0}, unk_token="a", continuing_subword_prefix="_", max_input_chars_per_word=7),
        "a1fb8f49aab8dd15",
    ),
]


def holding(component):
    """The smallest tokenizer with it."""
    if isinstance(component, models.Model):
        return Tokenizer(component)
    tokenizer = Tokenizer(models.WordLevel({"a": 0}))
    place = next(name for kind, name in PLACES.items() if isinstance(component, kind))
    setattr(tokenizer, place, component)
    return tokenizer


@pytest.mark.parametrize(("component", "known"), KNOWN, ids=lambda one: type(one).__name__)
def test_fingerprints_of_components_stay(component, known):
    assert holding(component).fingerprint()[:16] == known


def test_fingerprints_of_added_tokens_and_settings_stay():
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.add_tokens(
        [AddedToken("word", single_word=True, lstrip=True), AddedToken("É", normalized=False)]
    )
    assert tokenizer.fingerprint()[:16] == "126748d916bdbb38"
    tokenizer.enable_truncation(9, stride=2, strategy="only_first", direction="left")
    tokenizer.enable_padding(direction="left", pad_id=3, pad_type_id=1, pad_token="<s>", pad_to_multiple_of=8)
    assert tokenizer.fingerprint()[:16] == "4cf1804e8c5f5276"


def test_fingerprints_of_ranks_stay(tmp_path):
    """A table of ranks, whose merges nobody has written down."""
    path = tmp_path / "ranks.tiktoken"
    lines = [*(bytes([byte]) for byte in range(256)), b"lo", b"low"]
    path.write_bytes(b"".join(b"%s %d\n" % (base64.b64encode(one), rank) for rank, one in enumerate(lines)))
    tokenizer = tessella.load(path, pattern=r"\w+|\W+")
    assert tokenizer.fingerprint()[:16] == "436aeb9450bc0ccf"


def part(number, content):
    """A part of a message, as protocol buffers write it: shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def test_fingerprints_of_sentencepiece_models_stay(tmp_path):
    """With a piece that texts are searched for first."""
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("\u2581", -1.0, 1), ("a", -2.5, 1), ("<tool>", 0.0, 4)]
    model = b"".join(
        part(1, part(1, text.encode()) + b"\x15" + struct.pack("<f", score) + bytes([0x18, kind]))
        for text, score, kind in pieces
    )
    for number, kind in enumerate((1, 2)):
        path = tmp_path / f"{kind}.model"
        path.write_bytes(model + part(2, bytes([0x18, kind])) + part(3, part(1, b"identity")))
        found = tessella.load(path)
        assert found.encode("a<tool>a").tokens == ["\u2581", "a", "<tool>", "a"]
        assert found.fingerprint()[:16] == ("90a2739b34161cc5", "cea3277bff26e8be")[number]
