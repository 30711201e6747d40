"""How good trained Unigram vocabularies are, beside the reference trainer and SentencePiece.

    TESSELLA_CORPORA=… python -m benchmarks.unigram_quality [--bytes N] [--sizes 8000,32000]

Each trainer learns from the first part of a corpus; what follows is held out. Of it, bytes per token, and the loss: minus
the sum of the scores of the best segmentation, per byte. All vocabularies cut the text the same way (words with a mark for
the blank in front, no normalisation), and are run here by one engine each: the two of `tokenizer.json` files, the two of
SentencePiece models.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conformance import texts

Measured = tuple[float, float]


def lines_of(data: bytes) -> list[str]:
    return [line for line in data.decode("utf-8", "ignore").splitlines() if line.strip()]


def by_json(vocab: list[tuple[str, float]], unk: int, held_out: list[str]) -> Measured:
    from tessella import Tokenizer, models, pre_tokenizers

    tok = Tokenizer(models.Unigram(vocab, unk_id=unk))
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    return measure(
        [ids.tolist() for ids in tok.encode_ids_batch(held_out)], [score for _, score in vocab], unk, held_out
    )


def by_model(path: Path, held_out: list[str]) -> Measured:
    import sentencepiece
    import tessella

    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    scores = [processor.get_score(piece) for piece in range(processor.get_piece_size())]
    ids = [ids.tolist() for ids in tessella.load(path).encode_ids_batch(held_out, add_special_tokens=False)]
    return measure(ids, scores, processor.unk_id(), held_out)


def measure(rows: list[list[int]], scores: list[float], unk: int, held_out: list[str]) -> Measured:
    """Bytes per token, loss per byte; an unknown token costs ten more than the rarest."""
    worst = min(scores) - 10
    size = sum(len(line.encode()) for line in held_out)
    loss = -sum(worst if token == unk else scores[token] for row in rows for token in row)
    return size / sum(map(len, rows)), loss / size


def reference(lines: list[str], size: int, held_out: list[str], folder: Path) -> Measured:
    import tokenizers

    return json_file(tokenizers, lines, size, held_out)


def tessella_json(lines: list[str], size: int, held_out: list[str], folder: Path) -> Measured:
    import tessella

    return json_file(tessella, lines, size, held_out)


def json_file(library: Any, lines: list[str], size: int, held_out: list[str]) -> Measured:
    """The two libraries have the same names."""
    tok = library.Tokenizer(library.models.Unigram())
    tok.pre_tokenizer = library.pre_tokenizers.Metaspace()
    tok.train_from_iterator(
        lines,
        library.trainers.UnigramTrainer(
            vocab_size=size, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        ),
    )
    model = json.loads(tok.to_str())["model"]
    return by_json([(text, score) for text, score in model["vocab"]], model["unk_id"], held_out)


def sentencepiece_model(lines: list[str], size: int, held_out: list[str], folder: Path) -> Measured:
    from sentencepiece import SentencePieceTrainer

    return model_file(SentencePieceTrainer.train, lines, size, held_out, folder / "theirs")


def tessella_model(lines: list[str], size: int, held_out: list[str], folder: Path) -> Measured:
    from tessella.compat.sentencepiece import SentencePieceTrainer

    return model_file(SentencePieceTrainer.train, lines, size, held_out, folder / "ours")


def model_file(
    train: Callable[..., None], lines: list[str], size: int, held_out: list[str], prefix: Path
) -> Measured:
    train(
        sentence_iterator=iter(lines),
        model_prefix=str(prefix),
        vocab_size=size,
        model_type="unigram",
        normalization_rule_name="identity",
        character_coverage=1.0,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return by_model(Path(f"{prefix}.model"), held_out)


TRAINERS = {
    "tokenizers": reference,
    "tessella UnigramTrainer": tessella_json,
    "sentencepiece": sentencepiece_model,
    "tessella SentencePieceTrainer": tessella_model,
}


def corpora(source: Path, size: int) -> dict[str, tuple[list[str], list[str]]]:
    found = {}
    for name in ("english", "multilingual"):
        path = next(path for path in sorted(source.iterdir()) if path.name.startswith(f"{name}.txt"))
        data = texts.read(path)
        found[name] = (lines_of(data[:size]), lines_of(data[size : size + size // 4]))
    with zipfile.ZipFile(source / "multilingual_by_lang.zip") as languages:
        japanese = b"".join(languages.read(name) for name in languages.namelist() if name.endswith("/ja.txt"))
    cut = min(size, len(japanese) * 4 // 5)
    found["Japanese"] = (lines_of(japanese[:cut]), lines_of(japanese[cut : cut + size // 4]))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bytes", type=int, default=3_000_000)
    parser.add_argument("--sizes", default="8000,32000")
    arguments = parser.parse_args()
    source = texts.needed("TESSELLA_CORPORA")
    print(
        "| corpus | size | trainer | bytes per token | loss per byte | seconds |\n|---|---:|---|---:|---:|---:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for corpus, (lines, held_out) in corpora(source, arguments.bytes).items():
            for size in map(int, arguments.sizes.split(",")):
                for name, trainer in TRAINERS.items():
                    started = time.perf_counter()
                    bytes_per_token, loss = trainer(lines, size, held_out, Path(folder))
                    seconds = time.perf_counter() - started
                    print(
                        f"| {corpus} | {size} | {name} | {bytes_per_token:.4f} | {loss:.5f} | {seconds:.0f} |",
                        flush=True,
                    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
