"""Where memory is limited, much text is a `MemoryError`, not the end of the process."""

import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="only some systems limit the memory of a process")

PROGRAM = """
import resource, sys
import tessella
from tessella import models, pre_tokenizers

tokenizer = tessella.Tokenizer(models.BPE({chr(place): place for place in range(97, 123)}, []))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
plain = "lower than low " * 2_000_000
wide = "l\\u014dwer than low " * 2_000_000
few = [plain[start : start + 3_000_000] for start in range(0, len(plain), 3_000_000)]
ids = [97, 98, 99] * 4_000_000
tokenizer.encode("low"), tokenizer.encode_ids_batch(["low"] * 9), tokenizer.decode(ids[:9])
calls = {
    "ids": lambda: tokenizer.encode_ids(plain),
    "wide ids": lambda: tokenizer.encode_ids(wide),
    "count": lambda: tokenizer.count(wide),
    "encoding": lambda: tokenizer.encode(plain),
    "pair": lambda: tokenizer.encode(plain, plain),
    "encodings": lambda: tokenizer.encode_batch(few),
    "many ids": lambda: tokenizer.encode_ids_batch(few),
    "text": lambda: tokenizer.decode(ids),
}
with open("/proc/self/statm") as told:
    pages = int(told.read().split()[0])
limit = pages * resource.getpagesize() + (20 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for name, call in calls.items():
    try:
        call()
    except MemoryError as error:
        print(name)
print(tokenizer.encode("low").ids)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
def test_much_text_is_refused_and_the_process_goes_on():
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    names = ["ids", "wide ids", "count", "encoding", "pair", "encodings", "many ids", "text"]
    assert ended.stdout.splitlines() == [*names, "[108, 111, 119]"]


LONG_TOKENS = """
import resource
import tessella
from tessella import decoders, models
from tessella.compat import tiktoken

def tokenizer(decoder):
    made = tessella.Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    made.decoder = decoder
    made.add_tokens(["x" * 1_000_000])
    made.decode([2, 0]), made.decode_bytes([2, 0]), made.decode_with_offsets([2, 0])
    return made

kinds = {"none": None, "bytes": decoders.ByteLevel(), "mark": decoders.Metaspace(), "ctc": decoders.CTC()}
made = {name: tokenizer(decoder) for name, decoder in kinds.items()}
ids = [2, 0] * 150
ranks, special = {bytes([byte]): byte for byte in range(256)}, {"x" * 1_000_000: 256}
encoding = tiktoken.Encoding("x", pat_str=r"\\w+|\\W", mergeable_ranks=ranks, special_tokens=special)
of_bytes = (encoding.decode, encoding.decode_bytes, encoding.decode_tokens_bytes)
for call in of_bytes:
    call([256, 97])
with open("/proc/self/statm") as told:
    pages = int(told.read().split()[0])
limit = pages * resource.getpagesize() + (100 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for name, one in made.items():
    for call in (one.decode, one.decode_bytes, one.decode_with_offsets, lambda ids: one.decode_batch([ids])):
        try:
            call(ids)
            print("done", name, call)
        except MemoryError:
            pass
    print(name, one.decode([0, 1]).replace(" ", ""))
for call in of_bytes:
    try:
        call([256, 97] * 150)
        print("done", call)
    except MemoryError:
        pass
print("ranks", encoding.decode([97, 98]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
def test_few_ids_of_a_long_token_are_refused_and_the_process_goes_on():
    """How much text they come to is not told by their number."""
    ended = subprocess.run([sys.executable, "-c", LONG_TOKENS], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [f"{name} ab" for name in ("none", "bytes", "mark", "ctc", "ranks")]
