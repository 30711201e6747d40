"""Finalizers run wherever the interpreter makes a list: what they ask must not wait for whoever made it.

Each case runs in a process of its own, which would wait for itself for ever.
"""

import subprocess
import sys

import pytest

START = """
import gc
from tessella import Tokenizer, models
from tessella.compat.sentencepiece import SentencePieceNormalizer

tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "<unk>": 2}, unk_token="<unk>"))
tokenizer.add_tokens(["x", "y"])
encoding = tokenizer.encode("xyx")
normalizer = SentencePieceNormalizer(rule_name="nfkc")
texts = ["a b", "c"]

class Finalized:
    def __init__(self, work):
        self.work, self.itself = work, self

    def __del__(self):
        self.work()
        ran.append(self)

gc.collect()
gc.disable()
gc.set_threshold(1, 1, 1)

def while_made(make, work):
    '''`work` is done by a finalizer at the first list or tuple that `make` makes.'''
    global ran
    ran = []
    Finalized(work)
    gc.enable()
    make()
    gc.disable()
    gc.collect()
    assert ran
"""

CASES = {
    "encoding": """
for column in (
    "tokens", "ids", "type_ids", "word_ids", "offsets", "attention_mask", "special_tokens_mask",
    "sequence_ids", "overflowing", "ids_array", "offsets_array", "word_ids_array",
):
    while_made(lambda: getattr(encoding, column), lambda: encoding.pad(9))
while_made(lambda: encoding.__getstate__(), lambda: encoding.truncate(1))
assert len(encoding) == 1
""",
    "tokenizer": """
added = iter(range(99))
for make in (
    lambda: tokenizer.encode("xyx"),
    lambda: tokenizer.encode_batch(texts),
    lambda: tokenizer.get_vocab(),
    lambda: tokenizer.get_added_tokens_decoder(),
    lambda: tokenizer.id_to_token(1),
    lambda: tokenizer.decode([0, 1, 3]),
):
    while_made(make, lambda: tokenizer.add_tokens([f"new{next(added)}"]) and tokenizer.encode("x y"))
""",
    "component": """
from tessella import normalizers, processors

processor = processors.BertProcessing(("[SEP]", 4), ("[CLS]", 3))
handle = processor._handle
while_made(lambda: handle.get("sep"), lambda: handle.set("sep", ("[X]", 5)))
assert processor.sep == ("[X]", 5)

class Custom:
    def normalize(self, text):
        text.lowercase()

    def __del__(self):
        gone.append(sequence.normalize_str("A B"))
        sequence[1] = normalizers.Strip()

for is_built in (False, True):
    for is_used in (False, True):
        gone = []
        sequence = normalizers.Sequence([normalizers.Normalizer.custom(Custom()), normalizers.NFC()])
        if is_used:
            tokenizer.normalizer = sequence
        if is_built:
            assert sequence.normalize_str("A B") == "a b"
        sequence[0] = normalizers.Lowercase()
        assert sequence.normalize_str("A B") == "a b"
        tokenizer.encode("A B")
        gc.collect()
        assert gone == ["a b"]
""",
    "normalizer": """
plain = normalizer._handle.plain_normalize
for make in (lambda: plain(texts, True), lambda: plain("a b", True), lambda: normalizer.normalize(texts)):
    while_made(make, lambda: normalizer.normalize("a") and normalizer._handle.set("add_dummy_prefix", False))
""",
}


@pytest.mark.parametrize("case", list(CASES))
def test_nobody_waits_for_itself(case):
    subprocess.run([sys.executable, "-c", START + CASES[case]], check=True, timeout=120)
