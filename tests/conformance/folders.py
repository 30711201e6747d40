"""Folders with a SentencePiece model, drawn at random, beside `transformers.AutoTokenizer`.

    python -m tests.conformance.folders [--count 500] [--seed 0] [--only PreTrainedTokenizerFast]

SentencePiece trains the models, with options drawn of all that change its texts; classes, settings and the files of older
releases are drawn beside them, and texts are put together of what such models trip over. Compared are the stages as JSON,
ids, offsets, and texts decoded from these ids and from random ones. The rules are those of transformers 5.24.

Nothing is drawn that `docs/differences.md` lists, but for row 1, where offsets are compared with those that the stages of
transformers' own tokenizer give here.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WORDS = (
    "the low lower newest wider 東京 タワー です 2024 éx привет мир ﬁne ① don't ``quoted'' Hello A b x<usr>y (p) ▁a ａｂ "
    "3,14 e\u0301a"
)
#: What users define: whole words, parts of words, marks, blanks, what a pattern must not read as its own.
_USERS = [
    *["<usr>", "(", ")", ".", "\t", "\n", "\n\n", " ", "  ", "▁▁", "▁▁▁", "▁the", "low", "lo", "e", "é"],
    *["wer", "a b", "東京", "a.b*c", "^$", "|", "\\", "-", "[", "#", "ﬁ", "<eop>"],
]
_CONTROL = ["<ctl>", "[CLS]", "[SEP]", "<cls>", "<sep>", "<eod>", "<c1>"]
_PARTS = [
    *[" ", "  ", "   ", " " * 20, "\t", "\n", "\r\n", "\x00", "\x7f", "\u00a0", "\u3000", "\u2028"],
    *["\u200b", "\u00ad", "▁", "▁▁", "a", "b", "x", "the", "low", "newest", "lower", "Hello", "NEW", "2024"],
    *["3,14", "東京", "タワー", "éx", "ﬁ", "①", "Ａ", "e\u0301", "\u0301", "İ", "ß", "😀", "👨\u200d👩"],
    *["``", "''", ".", "(", "^$", "\\", "[", "-", "|", "<s>", "</s>", "<unk>", "<pad>", "<mask>", "<usr>"],
    *["<ctl>", "[CLS]", "<0x41>", "<e1>", "plain", "<eop>"],
]
#: The ids of the unknown piece, of beginning and end and of padding.
_PLACES: list[dict[str, Any]] = [
    {},
    {},
    {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    {"pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1},
    {"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3},
    {"pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3, "eos_piece": "<eos>", "bos_piece": "<bos>"},
    {"pad_id": 3},
]
#: Classes without rules of their own.
PLAIN = [
    *["PreTrainedTokenizerFast", "TokenizersBackend", "SomebodysTokenizer", "PreTrainedTokenizer"],
    "FNetTokenizer",
]
#: Classes with rules of their own: the name of their file, and whether they are made of Unigram models alone.
_BPE = "sentencepiece.bpe.model"
RULED = {
    **dict.fromkeys(["LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer"], ("tokenizer.model", False)),
    "Tipsv2Tokenizer": ("tokenizer.model", False),
    "NllbTokenizer": (_BPE, False),
    "ReformerTokenizer": ("spiece.model", False),
    **dict.fromkeys(["T5Tokenizer", "XLNetTokenizer", "BigBirdTokenizer"], ("spiece.model", True)),
    **dict.fromkeys(["CamembertTokenizer", "XLMRobertaTokenizer"], (_BPE, True)),
    **dict.fromkeys(["BarthezTokenizer", "MBartTokenizer"], (_BPE, True)),
    "DebertaV2Tokenizer": ("spm.model", True),
    "XGLMTokenizer": ("tokenizer.model", True),
    "RemBertTokenizer": ("sentencepiece.model", True),
}
#: Kinds of models whose tokenizer is of no class, and one that transformers does not know.
_KINDS = ["mistral", "llama", "umt5", "phi3", "internlm2", "omniasr", "somebodys"]


@dataclass(frozen=True)
class Model:
    """A model's file, what it was trained with, and its pieces."""

    data: bytes
    options: dict[str, Any]
    pieces: list[str]

    @property
    def is_unigram(self) -> bool:
        return self.options["model_type"] == "unigram"


@dataclass(frozen=True)
class Drawn:
    """A folder."""

    kind: str | None
    model: Model
    name: str
    settings: dict[str, Any]
    files: dict[str, Any]

    def write(self, folder: Path) -> None:
        (folder / self.name).write_bytes(self.model.data)
        named = {} if self.kind is None else {"tokenizer_class": self.kind}
        for name, content in {"tokenizer_config.json": {**self.settings, **named}, **self.files}.items():
            (folder / name).write_text(json.dumps(content), encoding="utf-8")

    def __str__(self) -> str:
        said = (self.kind, self.settings, self.files, self.model.options)
        return " ".join(json.dumps(one, ensure_ascii=False) for one in said)


def train(draw: random.Random) -> Model:
    """A model of made-up lines, by SentencePiece."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    def some(share: float) -> bool:
        return draw.random() < share

    options: dict[str, Any] = {
        "model_type": draw.choice(["unigram", "unigram", "bpe", "bpe", "word", "char"]),
        "vocab_size": draw.choice([120, 150, 200, 300]),
        "normalization_rule_name": draw.choice(["nmt_nfkc", "identity", "nfkc", "nmt_nfkc_cf"]),
        **draw.choice(_PLACES),
    }
    options |= {name: False for name in ("add_dummy_prefix", "remove_extra_whitespaces") if some(0.5)}
    options |= {"split_by_whitespace": False} if some(0.15) else {}
    for name in ("treat_whitespace_as_suffix", "allow_whitespace_only_pieces", "split_digits"):
        options |= {name: True} if some(0.15) else {}
    options |= {"byte_fallback": True, "vocab_size": draw.choice([400, 450, 500])} if some(0.4) else {}
    options |= {"user_defined_symbols": draw.sample(_USERS, draw.randint(1, 5))} if some(0.5) else {}
    options |= {"control_symbols": draw.sample(_CONTROL, draw.randint(1, 4))} if some(0.5) else {}
    words = _WORDS.split()
    lines = [
        " ".join(draw.choice(words) + draw.choice(["", ".", ",", "s"]) for _ in range(8)) for _ in range(200)
    ]
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=writer, hard_vocab_limit=False, minloglevel=9, **options
    )
    proto = sentencepiece_model_pb2.ModelProto.FromString(writer.getvalue())
    if some(0.15):
        proto.normalizer_spec.escape_whitespaces = False
    if some(0.15):
        for piece in proto.pieces:
            if piece.type == piece.NORMAL:
                piece.type = piece.UNUSED if some(0.05) else piece.NORMAL
                piece.score = draw.choice([0.0, -1.0, piece.score]) if some(0.2) else piece.score
    return Model(proto.SerializeToString(), options, [piece.piece for piece in proto.pieces])


def _token(draw: random.Random, text: str) -> dict[str, Any]:
    """A token with flags. One of blanks takes no others with it, and special ones are looked for in raw text."""
    is_special, blank = draw.random() < 0.6, not text.strip("▁ \t")
    flags = {name: not blank and draw.random() < 0.3 for name in ("lstrip", "rstrip")}
    normalized = not is_special and not blank and draw.random() < 0.5
    return {"content": text, **flags, "normalized": normalized, "single_word": False, "special": is_special}


def _settings(draw: random.Random, model: Model) -> dict[str, Any]:
    flags = [
        "add_prefix_space",
        "add_bos_token",
        "add_eos_token",
        "split_special_tokens",
        "clean_up_tokenization_spaces",
    ]
    settings: dict[str, Any] = {name: draw.random() < 0.5 for name in flags if draw.random() < 0.2}
    if draw.random() < 0.3:
        settings["legacy"] = draw.choice([True, False, None])
    for role in ("pad", "cls", "mask"):
        if draw.random() < 0.15:
            text = draw.choice([f"<{role}>", f"[{role.upper()}]"])
            special = {"__type": "AddedToken", **_token(draw, text), "special": True, "normalized": False}
            settings[f"{role}_token"] = draw.choice([text, special])
    if draw.random() < 0.3:
        size = len(model.pieces)
        texts = ["<e0>", "<e1>", "plain", "<usr>", "▁▁", "the"]
        # Without the unknown piece texts are refused, and row 3 tells what is made of an alphabet that lacks bytes.
        free = [id for id, piece in enumerate(model.pieces) if not piece.startswith(("<0x", "<unk"))]
        listed = dict(zip(draw.sample([*free, size, size + 1], 3), draw.sample(texts, 3), strict=True))
        settings["added_tokens_decoder"] = {str(id): _token(draw, text) for id, text in listed.items()}
    if draw.random() < 0.2:
        name = draw.choice(["additional_special_tokens", "extra_special_tokens"])
        settings[name] = draw.choice([[], ["<e1>"], ["<usr>", "<q>"], ["<e1>", "<e0>"]])
    return settings


def _files(draw: random.Random, kind: str | None, size: int) -> dict[str, Any]:
    files: dict[str, Any] = {} if kind is not None else {"config.json": {"model_type": draw.choice(_KINDS)}}
    if draw.random() < 0.15:
        files["added_tokens.json"] = draw.choice([{"<e1>": size, "plain": size + 1}, {"<usr>": size}])
    if draw.random() < 0.15:
        files["special_tokens_map.json"] = {
            "pad_token": draw.choice(["<pad>", "[PAD]"]),
            "additional_special_tokens": ["<q>"],
        }
    return files


def draw_folder(draw: random.Random, models: list[Model], only: str | None = None) -> Drawn:
    """A folder round one of the models, two of three of a class without rules of its own."""
    kind = only or draw.choice([*PLAIN, None] if draw.random() < 0.67 else list(RULED))
    name, needs_unigram = RULED.get(str(kind), ("tokenizer.model", False))
    if kind == "FNetTokenizer":
        name = "spiece.model"
    model = draw.choice([one for one in models if one.is_unigram or not needs_unigram])
    settings = _settings(draw, model)
    if kind in RULED:
        # Users' pieces are added tokens there, which a special token that is plain text would hide: row 7.
        settings.pop("split_special_tokens", None)
    return Drawn(kind, model, name, settings, _files(draw, kind, len(model.pieces)))


def draw_text(draw: random.Random, pieces: list[str]) -> str:
    parts = [
        draw.choice(_PARTS) if draw.random() < 0.6 else draw.choice(pieces) for _ in range(draw.randint(0, 9))
    ]
    return "".join(part.replace("▁", " ") if draw.random() < 0.5 else part for part in parts)


def _stages(tokenizer: Any) -> dict[str, Any]:
    """What is in the file, without what a call sets; tokens of a template that stand nowhere in it say nothing."""
    said: dict[str, Any] = json.loads(tokenizer.backend_tokenizer.to_str())
    for name in ("version", "truncation", "padding"):
        said.pop(name)
    ends = said["post_processor"]
    if ends and "special_tokens" in ends:
        used = {
            one["SpecialToken"]["id"] for one in [*ends["single"], *ends["pair"]] if "SpecialToken" in one
        }
        ends["special_tokens"] = {name: one for name, one in ends["special_tokens"].items() if name in used}
    if isinstance(said["model"]["vocab"], list):
        # Copying a tokenizer moves the last digit of a score there: row 48 of the differences.
        said["model"]["vocab"] = [[text, float(f"{score:.12g}")] for text, score in said["model"]["vocab"]]
    return said


def _unlike(theirs: Any, ours: Any, where: str = "") -> Iterator[str]:
    """Where two trees differ."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in sorted({*theirs, *ours}):
            yield from _unlike(theirs.get(name), ours.get(name), f"{where}.{name}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for place, (one, other) in enumerate(zip(theirs, ours, strict=True)):
            yield from _unlike(one, other, f"{where}[{place}]")
    elif theirs != ours:
        yield f"{where}: {str(theirs)[:200]}, here {str(ours)[:200]}"


def differences(drawn: Drawn, draw: random.Random, texts: int, counted: Counter[str]) -> Iterator[str]:
    """Everything that differs between the two, as lines; the first of each kind."""
    import tessella
    import transformers

    with tempfile.TemporaryDirectory() as path:
        drawn.write(Path(path))
        theirs = transformers.AutoTokenizer.from_pretrained(path)
        ours = tessella.AutoTokenizer.from_pretrained(path)
    counted["folders"] += 1
    yield from list(_unlike(_stages(theirs), _stages(ours)))[:3]
    for name in ("special_tokens_map", "padding_side", "added_tokens_encoder", "all_special_ids"):
        yield from _unlike(getattr(theirs, name), getattr(ours, name), name)
    again = tessella.Tokenizer.from_str(theirs.backend_tokenizer.to_str())
    again.encode_special_tokens = bool(theirs.split_special_tokens)
    for _ in range(texts):
        text = draw_text(draw, drawn.model.pieces)
        for ends in (True, False):
            counted["texts"] += 1
            options = {"add_special_tokens": ends, "return_offsets_mapping": True}
            one, other = theirs(text, **options), ours(text, **options)
            if one["input_ids"] != other["input_ids"]:
                yield f"ids of {text!r}: {one['input_ids']}, here {other['input_ids']}"
                return
            counted["tokens"] += len(one["input_ids"])
            offsets = [tuple(pair) for pair in other["offset_mapping"]]
            if [tuple(pair) for pair in one["offset_mapping"]] != offsets:
                counted["texts with other offsets, by row 1"] += 1
                if again.encode(text, add_special_tokens=ends).offsets != offsets:
                    yield f"offsets of {text!r}: {one['offset_mapping']}, here {offsets}"
                    return
            random_ids = [draw.randrange(len(theirs)) for _ in range(draw.randint(0, 8))]
            for ids in (one["input_ids"], random_ids):
                for skip in (True, False):
                    counted["decoded"] += 1
                    back, here = (each.decode(ids, skip_special_tokens=skip) for each in (theirs, ours))
                    if back != here:
                        yield f"text of {ids} ({skip=}): {back!r}, here {here!r}"
                        return


def compared(
    seed: int, count: int, texts: int = 30, only: str | None = None
) -> tuple[list[str], Counter[str]]:
    """Draws so many folders round a tenth as many models; what differs, and how much was compared."""
    draw = random.Random(f"models {seed}")
    models = [train(draw) for _ in range(max(12, count // 10))]
    found: list[str] = []
    counted: Counter[str] = Counter()
    for number in range(count):
        draw = random.Random(f"{seed} {only} {number}")
        drawn = draw_folder(draw, models, only)
        lines = list(differences(drawn, draw, texts, counted))
        found += [f"{seed}/{number} {drawn}: {line}" for line in lines]
    return found, counted


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=500, help="folders")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--texts", type=int, default=30, help="texts of each folder")
    parser.add_argument("--only", help="one class")
    arguments = parser.parse_args()
    start = time.perf_counter()
    found, counted = compared(arguments.seed, arguments.count, arguments.texts, arguments.only)
    for line in found:
        print(line)
    said = ", ".join(f"{number} {what}" for what, number in counted.items())
    print(f"{said}: {len(found)} differences in {time.perf_counter() - start:.0f} s")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
