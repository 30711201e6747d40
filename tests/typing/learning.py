"""Only the type checker reads this: counting, trainers, recipes and tracing."""

from collections.abc import Iterator
from pathlib import Path

import tessella
from tessella import AddedToken, PieceCounts, Regex, Tokenizer, models, recipes, trainers
from tessella.counting import memory_size, read_texts
from tessella.implementations import BertWordPieceTokenizer, ByteLevelBPETokenizer
from tessella.tracing import MergeStep, Step, Trace
from typing_extensions import assert_type


def counting(tokenizer: Tokenizer, rows: Iterator[dict[str, str]]) -> None:
    assert_type(tessella.count_pieces("corpus.txt", tokenizer, memory="2GB"), PieceCounts)
    tessella.count_pieces(Path("corpus.txt"))
    tessella.count_pieces([Path("a.txt"), Path("b.jsonl")], weights=[1, "1/3"], languages=["de", "en"])
    tessella.count_pieces({"a": Path("a.txt"), "b": ["one", "two"]}, weights={"a": 0.5, "b": 1})
    tessella.count_pieces(["one", "two"], progress="json")
    tessella.count_pieces([["one"], ["two"]])
    tessella.count_pieces(rows, field="text")
    assert_type(read_texts("corpus.txt"), Iterator[str])
    assert_type(memory_size("2GB"), int)
    counts = PieceCounts({"low": 2})
    assert_type(counts.get("low"), int | None)
    assert_type(counts.top(3), list[tuple[str, int]])
    assert_type(PieceCounts.load("corpus.counts"), PieceCounts)
    tessella.count_pieces(1)  # type: ignore[arg-type]
    tessella.count_pieces(["one"], errors="ignore")  # type: ignore[arg-type]
    tessella.count_pieces(["one"], progress="bar")  # type: ignore[arg-type]
    tessella.count_pieces(["one"], fields="text")  # type: ignore[call-arg]


def all_trainers(tokenizer: Tokenizer, counts: PieceCounts) -> None:
    every: list[trainers.Trainer] = [
        trainers.BpeTrainer(
            vocab_size=1000,
            special_tokens=["[PAD]", AddedToken("[UNK]")],
            initial_alphabet="abc",
            tie_break="first_seen",
            initial_vocab=models.BPE(),
            merge_filter=Regex("[a-z]+"),
            progress_format="json",
        ),
        trainers.BpeTrainer(merge_filter=lambda left, right, made, count: count > 2),
        trainers.WordPieceTrainer(vocab_size=1000, score="likelihood", continuing_subword_prefix=None),
        trainers.WordLevelTrainer(min_frequency=2),
        trainers.UnigramTrainer(shrinking_factor=0.75, unk_token="<unk>"),
        trainers.ParityBpeTrainer(num_merges=100, variant="window"),
    ]
    assert_type(every[0].train_from_counts(counts, "state.bin"), models.Model)
    assert_type(every[0].estimate_memory(counts), int)
    tokenizer.train(["a.txt", Path("b.txt")], every[0])
    tokenizer.train_from_iterator(["one", "two"], every[0], length=2)
    tokenizer.train_from_iterator([["one"], ["two"]])
    tokenizer.train_from_iterator(line for line in ("one", "two"))
    trainers.ParityBpeTrainer().train_from_iterator(tokenizer, [["one"], ["eins"]], ratio=[1, 2])
    tokenizer.train_from_iterator([1, 2])  # type: ignore[list-item]
    tokenizer.train("a.txt", models.BPE())  # type: ignore[arg-type]
    trainers.BpeTrainer(1000)  # type: ignore[call-arg]
    trainers.BpeTrainer(tie_break="last")  # type: ignore[arg-type]
    trainers.BpeTrainer(special_tokens=[1])  # type: ignore[list-item]
    trainers.WordPieceTrainer(score="loss")  # type: ignore[arg-type]
    trainers.ParityBpeTrainer(variant="hybrid")  # type: ignore[arg-type]
    every[0].train_from_counts({"low": 2})  # type: ignore[arg-type]


def tracing(tokenizer: Tokenizer) -> None:
    def told(step: Step) -> None:
        if isinstance(step, MergeStep):
            print(step.left, step.count + 1)

    trace = Trace(on_step=told)
    tokenizer.train_from_iterator(["one"], trace=trace)
    assert_type(trace.ended, str)
    Trace(on_step=1)  # type: ignore[arg-type]


def ready(tokenizer: Tokenizer) -> None:
    recipe = recipes.get("gpt2")
    assert_type(recipe.train(["one"], vocab_size=300, memory="1GB"), Tokenizer)
    assert_type(recipe.count(Path("a.txt"), num_threads=2, errors="replace"), PieceCounts)
    assert_type(recipe.trainer(300, tie_break="first_seen"), trainers.Trainer)
    assert_type(BertWordPieceTokenizer({"[UNK]": 0}).encode("a").ids, list[int])
    ByteLevelBPETokenizer().train_from_iterator(["one"], vocab_size=300, special_tokens=["<s>"])
    recipe.count("a.txt", threads=2)  # type: ignore[call-arg]
    recipe.train(1)  # type: ignore[arg-type]
    BertWordPieceTokenizer(lower_case=True)  # type: ignore[call-arg]
