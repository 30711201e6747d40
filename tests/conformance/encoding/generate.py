"""Writes random cases for encodings, post-processors, decoders, WordPiece and WordLevel.

    python generate.py OUT_FOLDER COUNT SEED

needs the `tokenizers` package (0.23), whose answers are the expected ones. The committed fixtures were made with
COUNT 50 and SEED 1; short cases come several times as often. Where the reference library is known to err, the case says what is right instead:

- an abort of the library is an error;
- truncation to less than the special tokens is an error, not no truncation;
- windows of the overflow get the type ids of the template (and 0 under Roberta), computed here by processing
  each combination of windows on its own.
"""

import json
import random
import sys
from pathlib import Path

from tokenizers import Encoding, Tokenizer, decoders, models, processors

RECIPE = "tests/conformance/encoding/generate.py OUT_FOLDER 50 1, tokenizers 0.23"
TEXTS = ["a", "b", "Ġa", "ĠĠb", "Ġ", "xĠ", "é", "", " c", "Ġx Ġ", "日"]


def random_state(rng, length, type_id=0, tidy=True):
    """An encoding as plain data; tidy ones look like the output of a tokenizer."""
    offsets, words, position, word = [], [], 0, 0
    for _ in range(length):
        if tidy:
            position += rng.choice([0, 0, 1])
            end = position + rng.choice([1, 1, 2, 3, 0])
            word += rng.choice([0, 1, 1, 2])
            offsets.append([position, end])
            words.append(word)
            position = end
        else:
            start = rng.randrange(12)
            offsets.append([start, start + rng.randrange(4)])
            words.append(rng.choice([None, 0, 1, 2, 3, 3, 4]))
    special = [0 if tidy else rng.randrange(2) for _ in range(length)]
    return {
        "ids": [rng.randrange(8) for _ in range(length)],
        "type_ids": [type_id if tidy else rng.randrange(3) for _ in range(length)],
        "tokens": [rng.choice(TEXTS) for _ in range(length)],
        "words": words,
        "offsets": offsets,
        "special_tokens_mask": special,
        "attention_mask": [1 if tidy else rng.choice([1, 1, 0]) for _ in range(length)],
        "overflowing": [],
        "sequence_ranges": {},
    }


def build(state):
    encoding = Encoding()
    encoding.__setstate__(json.dumps(state).encode())
    return encoding


def read(encoding):
    """All columns; windows of the overflow without windows of their own, which only repeat others."""
    state = json.loads(encoding.__getstate__())
    for window in state["overflowing"]:
        window["overflowing"] = []
    return state


def overlap(encoding):
    ranges = [
        range(r["start"], r["end"]) for r in json.loads(encoding.__getstate__())["sequence_ranges"].values()
    ]
    return len(ranges) == 2 and bool(set(ranges[0]) & set(ranges[1]))


def look_ups(encoding):
    size = len(encoding)
    sequences = range(3)
    return {
        "sequence_ids": encoding.sequence_ids,
        "n_sequences": encoding.n_sequences,
        "token_to_chars": [encoding.token_to_chars(i) for i in range(size)],
        "token_to_word": [encoding.token_to_word(i) for i in range(size)],
        # Of ranges that overlap the library takes any, by the order of a hash table.
        "token_to_sequence": None
        if overlap(encoding)
        else [encoding.token_to_sequence(i) for i in range(size)],
        "char_to_token": [[encoding.char_to_token(c, s) for c in range(16)] for s in sequences],
        "char_to_word": [[encoding.char_to_word(c, s) for c in range(16)] for s in sequences],
        "word_to_tokens": [[encoding.word_to_tokens(w, s) for w in range(8)] for s in sequences],
        "word_to_chars": [[encoding.word_to_chars(w, s) for w in range(8)] for s in sequences],
    }


def attempt(function):
    try:
        return function()
    except (KeyboardInterrupt, SystemExit, AssertionError, AttributeError, LookupError, NameError, TypeError):
        raise  # A mistake of ours, not an answer of the library.
    except BaseException:
        return None


def encoding_case(rng):
    states, operations = [], []
    for _ in range(rng.choice([1, 1, 2, 3])):
        states.append(random_state(rng, rng.randrange(9), rng.randrange(2), rng.random() < 0.6))
        steps = []
        for _ in range(rng.randrange(3)):
            steps.append(random_step(rng))
        operations.append(steps)
    growing = rng.random() < 0.5
    last = [random_step(rng) for _ in range(rng.randrange(2))]

    def run():
        parts = [build(state) for state in states]
        for part, steps in zip(parts, operations, strict=True):
            for step in steps:
                perform(part, step)
        joined = Encoding.merge(parts, growing) if len(parts) > 1 else parts[0]
        for step in last:
            perform(joined, step)
        return {"state": read(joined), **look_ups(joined)}

    return {"states": states, "steps": operations, "growing": growing, "last": last, "expected": attempt(run)}


def random_step(rng):
    kind = rng.choice(["truncate", "truncate", "pad", "sequence"])
    if kind == "truncate":
        return [kind, rng.randrange(7), rng.choice([0, 0, 1, 2, 4]), rng.choice(["left", "right"])]
    if kind == "pad":
        return [
            kind,
            rng.randrange(12),
            rng.randrange(9),
            rng.randrange(3),
            "[PAD]",
            rng.choice(["left", "right"]),
        ]
    return [kind, rng.randrange(2)]


def perform(encoding, step):
    if step[0] == "truncate":
        encoding.truncate(step[1], step[2], step[3])
    elif step[0] == "pad":
        encoding.pad(step[1], direction=step[5], pad_id=step[2], pad_type_id=step[3], pad_token=step[4])
    else:
        encoding.set_sequence_id(step[1])


def random_processor(rng, depth=0):
    kind = rng.choice(["bert", "roberta", "byte_level", "template", "template", "none", "sequence"])
    cls, sep = ["[CLS]", 101], ["[SEP]", 102]
    flags = rng.random() < 0.5, rng.random() < 0.5
    if kind == "bert":
        return {"type": kind, "cls": cls, "sep": sep}
    if kind == "roberta":
        return {"type": kind, "cls": cls, "sep": sep, "trim_offsets": flags[0], "add_prefix_space": flags[1]}
    if kind == "byte_level":
        return {"type": kind, "trim_offsets": flags[0], "add_prefix_space": flags[1]}
    if kind == "template":
        single = rng.choice(["[CLS] $A [SEP]", "$0", "$A:5 [X]:3", "[CLS] [CLS] $ [SEP]:1", "$a $A:2", "$B"])
        pair = rng.choice(
            [
                "[CLS] $A [SEP] $B:1 [SEP]:1",
                "$A:0 $B:1",
                "$b:2 [X] $A:3",
                "[CLS]:7 $A $B:4 $A:9",
                "$A $B [X]:1",
            ]
        )
        return {"type": kind, "single": single, "pair": pair}
    if kind == "sequence" and depth == 0:
        inner = [random_processor(rng, 1) for _ in range(rng.randrange(3))]
        return {
            "type": kind,
            "processors": [part for part in inner if part["type"] not in ("none", "sequence")],
        }
    return {"type": "none"}


def build_processor(data):
    kind = data["type"]
    if kind == "bert":
        return processors.BertProcessing(tuple(data["sep"]), tuple(data["cls"]))
    if kind == "roberta":
        return processors.RobertaProcessing(
            tuple(data["sep"]),
            tuple(data["cls"]),
            trim_offsets=data["trim_offsets"],
            add_prefix_space=data["add_prefix_space"],
        )
    if kind == "byte_level":
        return processors.ByteLevel(
            trim_offsets=data["trim_offsets"], add_prefix_space=data["add_prefix_space"]
        )
    if kind == "template":
        return processors.TemplateProcessing(
            single=data["single"],
            pair=data["pair"],
            special_tokens=[
                ("[CLS]", 101),
                (102, "[SEP]"),
                {"id": "[X]", "ids": [7, 8], "tokens": ["X1", "X2"]},
            ],
        )
    if kind == "sequence":
        return processors.Sequence([build_processor(part) for part in data["processors"]])
    return None


def windows_of(encoding):
    return [encoding, *encoding.overflowing]


def combinations(first, second):
    """The windows in the order of the overflow, the main one left out."""
    if second is None:
        return [(window, None) for window in first.overflowing]
    pairs = [(a, b) for a in first.overflowing for b in windows_of(second)]
    return pairs + [(first, b) for b in second.overflowing]


def alone(encoding):
    state = json.loads(encoding.__getstate__())
    state["overflowing"] = []
    return build(state)


def postprocess_case(rng):
    processor = random_processor(rng)
    first = random_state(rng, rng.randrange(9), 0)
    second = random_state(rng, rng.randrange(9), 1) if rng.random() < 0.6 else None
    add_special = rng.random() < 0.8
    truncation = padding = None
    if rng.random() < 0.7:
        truncation = {
            "max_length": rng.randrange(12),
            "stride": rng.choice([0, 0, 0, 1, 2]),
            "strategy": rng.choice(["longest_first", "longest_first", "only_first", "only_second"]),
            "direction": rng.choice(["left", "right"]),
        }
    if rng.random() < 0.5:
        padding = {
            "direction": rng.choice(["left", "right"]),
            "pad_id": 9,
            "pad_type_id": rng.randrange(3),
            "pad_token": "[PAD]",
            "length": rng.choice([None, 6, 14]),
            "pad_to_multiple_of": rng.choice([None, None, 0, 4, 8]),
        }
    case = {
        "processor": processor,
        "first": first,
        "second": second,
        "add_special": add_special,
        "truncation": truncation,
        "padding": padding,
    }

    def run():
        tokenizer = Tokenizer(models.WordLevel({"x": 0}, unk_token="x"))
        built = build_processor(processor)
        if built is not None:
            tokenizer.post_processor = built
        reserved = tokenizer.num_special_tokens_to_add(second is not None) if add_special else 0
        case["added"] = [
            tokenizer.num_special_tokens_to_add(False),
            tokenizer.num_special_tokens_to_add(True),
        ]
        a = build(first)
        b = build(second) if second is not None else None
        if truncation and truncation["max_length"] < reserved:
            return None
        if truncation:
            # Checked when it is set, against a single sequence only: go round that.
            spec = json.loads(tokenizer.to_str())
            spec["truncation"] = {
                "max_length": truncation["max_length"],
                "stride": truncation["stride"],
                "strategy": {
                    "longest_first": "LongestFirst",
                    "only_first": "OnlyFirst",
                    "only_second": "OnlySecond",
                }[truncation["strategy"]],
                "direction": truncation["direction"].capitalize(),
            }
            tokenizer = Tokenizer.from_str(json.dumps(spec))
            if built is not None:
                tokenizer.post_processor = built
        if padding:
            tokenizer.enable_padding(**padding)
        result = tokenizer.post_process(a, b, add_special)
        state = read(result)
        correct_windows(state, tokenizer, a, b, built, case)
        return state

    case["expected"] = attempt(run)
    return case


def correct_windows(state, tokenizer, a, b, built, case):
    """Windows get what each combination of windows gets when it is processed on its own."""
    processor = case["processor"]
    case["skip_window_types"] = False
    case["skip_window_ranges"] = built is None and b is not None
    if not state["overflowing"] or built is None:
        return
    text = json.dumps(processor)
    if processor["type"] == "sequence" or "$A:2" in text or "$A:9" in text:
        case["skip_window_types"] = True
        return
    reserved = tokenizer.num_special_tokens_to_add(b is not None) if case["add_special"] else 0
    cut = case["truncation"]
    lengths = cut_lengths(
        len(a), len(b) if b is not None else None, cut["max_length"] - reserved, cut["strategy"]
    )
    a, b = alone(a), alone(b) if b is not None else None
    a.truncate(lengths[0], cut["stride"], cut["direction"])
    if b is not None:
        b.truncate(lengths[1], cut["stride"], cut["direction"])
    pairs = combinations(a, b)
    if b is not None and processor.get("pair", "").startswith("$b"):
        pairs = [(left, right) for right, left in combinations(b, a)]
    assert len(pairs) == len(state["overflowing"])
    for (left, right), window in zip(pairs, state["overflowing"], strict=True):
        single = built.process(alone(left), alone(right) if right is not None else None, case["add_special"])
        if case["padding"]:
            padding = dict(case["padding"])
            single.pad(
                len(window["ids"]),
                direction=padding["direction"],
                pad_id=padding["pad_id"],
                pad_type_id=padding["pad_type_id"],
                pad_token=padding["pad_token"],
            )
        assert single.ids == window["ids"], (single.ids, window["ids"])
        window["type_ids"] = single.type_ids


def cut_lengths(n1, n2, budget, strategy):
    total = n1 + (n2 or 0)
    if total <= budget:
        return n1, n2
    surplus = total - budget
    if budget == 0:
        return 0, 0
    if strategy == "only_first":
        return n1 - surplus, n2
    if strategy == "only_second":
        return n1, n2 - surplus
    if n2 is None:
        return budget, None
    half = budget // 2
    small = min(n1, n2)
    low, high = (small, budget - small) if small <= half else (half, budget - half)
    return (low, high) if n1 <= n2 else (high, low)


PIECES = [
    "a",
    "b",
    "##c",
    "##",
    "</w>",
    "a</w>b",
    " ",
    "  ",
    ".",
    "?",
    "!",
    ",",
    "'",
    " ' ",
    "n't",
    "'m",
    "do",
    "not",
    "do not",
    "'s",
    "'ve",
    "'re",
    "▁",
    "▁a",
    "a▁",
    "▁▁",
    "<pad>",
    "x<pad>",
    "|",
    "a|b",
    "<0x41>",
    "<0xE2>",
    "<0x82>",
    "<0xac>",
    "<0xFF>",
    "<0x+F>",
    "<0xé>",
    "<0xZZ>",
    "Ġ",
    "Ġa",
    "Ã",
    "©",
    "â",
    "Ĥ",
    "¬",
    "é",
    "日本",
    "",
    "H",
    "HH",
    "aĠ日",
    " .",
    "a .b",
    "x n't",
    "\ufffd",
    "\n",
]


def random_decoder(rng, depth=0):
    kind = rng.choice(
        ["bpe", "byte_level", "word_piece", "metaspace", "ctc", "replace", "fuse", "strip", "byte_fallback"]
        + ["sequence"] * (3 if depth == 0 else 0)
    )
    if kind == "bpe":
        return {"type": kind, "suffix": rng.choice(["</w>", "", "a"])}
    if kind == "word_piece":
        return {"type": kind, "prefix": rng.choice(["##", "", "a"]), "cleanup": rng.random() < 0.7}
    if kind == "metaspace":
        return {"type": kind, "prepend": rng.choice(["always", "first", "never"])}
    if kind == "ctc":
        return {
            "type": kind,
            "pad_token": rng.choice(["<pad>", "", "a"]),
            "word_delimiter_token": rng.choice(["|", "", "a"]),
            "cleanup": rng.random() < 0.7,
        }
    if kind == "replace":
        return {
            "type": kind,
            "pattern": rng.choice(["▁", "a", "n't", "日"]),
            "content": rng.choice([" ", "", "aa"]),
        }
    if kind == "strip":
        return {
            "type": kind,
            "content": rng.choice(" Ha"),
            "start": rng.randrange(3),
            "stop": rng.randrange(3),
        }
    if kind == "sequence":
        return {"type": kind, "decoders": [random_decoder(rng, 1) for _ in range(rng.randrange(5))]}
    return {"type": kind}


def build_decoder(data):
    kind = data["type"]
    if kind == "bpe":
        return decoders.BPEDecoder(suffix=data["suffix"])
    if kind == "byte_level":
        return decoders.ByteLevel()
    if kind == "word_piece":
        return decoders.WordPiece(prefix=data["prefix"], cleanup=data["cleanup"])
    if kind == "metaspace":
        return decoders.Metaspace(prepend_scheme=data["prepend"])
    if kind == "ctc":
        return decoders.CTC(data["pad_token"], data["word_delimiter_token"], data["cleanup"])
    if kind == "replace":
        return decoders.Replace(data["pattern"], data["content"])
    if kind == "fuse":
        return decoders.Fuse()
    if kind == "strip":
        return decoders.Strip(data["content"], data["start"], data["stop"])
    if kind == "byte_fallback":
        return decoders.ByteFallback()
    return decoders.Sequence([build_decoder(part) for part in data["decoders"]])


def decode_case(rng):
    decoder = random_decoder(rng)
    tokens = [rng.choice(PIECES) for _ in range(rng.randrange(10))]
    return {
        "decoder": decoder,
        "tokens": tokens,
        "expected": attempt(lambda: build_decoder(decoder).decode(tokens)),
    }


def stream_case(rng):
    decoder = random_decoder(rng)
    while "replace" in json.dumps(decoder):
        decoder = random_decoder(rng)
    vocabulary = rng.sample(PIECES, 12)
    tokenizer = Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(vocabulary)}, unk_token="a"))
    tokenizer.decoder = build_decoder(decoder)
    initial = [rng.randrange(12) for _ in range(rng.choice([0, 0, 2]))]
    stream = (
        decoders.DecodeStream(initial, False) if initial else decoders.DecodeStream(skip_special_tokens=False)
    )
    steps, expected = [], []
    for _ in range(rng.randrange(1, 9)):
        ids = [rng.randrange(12) for _ in range(rng.choice([1, 1, 1, 2]))]
        steps.append(ids)
        try:
            expected.append({"text": stream.step(tokenizer, ids if len(ids) > 1 else ids[0])})
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            expected.append({"error": str(error) if "Invalid prefix" in str(error) else "abort"})
            break
    return {
        "decoder": decoder,
        "vocabulary": vocabulary,
        "initial": initial,
        "steps": steps,
        "expected": expected,
    }


def word_case(rng):
    letters = rng.choice(["ab", "abé", "a日#", "aé\u0301"])
    prefix = rng.choice(["##", "##", "", "a", "é"])

    def text(longest):
        return "".join(rng.choice(letters) for _ in range(rng.randrange(longest)))

    vocabulary = {}
    for _ in range(rng.randrange(1, 14)):
        vocabulary[(prefix if rng.random() < 0.6 else "") + text(5)] = len(vocabulary)
    if rng.random() < 0.5:
        # Every word can be cut, so that only its length may make it unknown.
        for letter in letters:
            vocabulary[letter] = vocabulary[prefix + letter] = 0
    if rng.random() < 0.8:
        vocabulary["[UNK]"] = len(vocabulary)
    # Insertion may have replaced an entry: number again.
    vocabulary = {piece: i for i, piece in enumerate(vocabulary)}
    longest = rng.choice([100, 100, 3, 0])
    word_piece = models.WordPiece(
        vocabulary, unk_token="[UNK]", max_input_chars_per_word=longest, continuing_subword_prefix=prefix
    )
    word_level = models.WordLevel(vocabulary, unk_token="[UNK]")
    words = [text(9) for _ in range(6)] + ["##" + text(3), ""]

    def run(model, word):
        try:
            return [[token.id, *token.offsets] for token in model.tokenize(word)]
        except Exception as error:
            return str(error)

    return {
        "vocabulary": list(vocabulary),
        "prefix": prefix,
        "max_chars": longest,
        "words": words,
        "word_piece": [run(word_piece, word) for word in words],
        "word_level": [run(word_level, word) for word in words],
    }


def main():
    folder, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    kinds = {
        "encoding/operations": (encoding_case, 1),
        "postprocess/pipeline": (postprocess_case, 2),
        "decode/chains": (decode_case, 10),
        "decode/streams": (stream_case, 4),
        "model/words": (word_case, 2),
    }
    for name, (make, times) in kinds.items():
        rng = random.Random(f"{name} {seed}")
        path = folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as out:
            out.write(json.dumps({"recipe": RECIPE}) + "\n")
            for _ in range(count * times):
                out.write(
                    json.dumps(make(rng), ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
                )


main()
