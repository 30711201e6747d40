"""Only the type checker reads this: the types that users of the package see."""

import numpy as np
import numpy.typing as npt
import tessella
from tessella import AddedToken, Encoding, RaggedIds, Tokenizer, models, normalizers
from tessella import pre_tokenizers as pre
from tessella.batch import CharSpan, PretrainedTokenizer
from tessella.explain import Explanation
from tessella.trainers import BpeTrainer
from typing_extensions import assert_type


class Mine(Tokenizer):
    pass


def face(path: str) -> None:
    tokenizer = Tokenizer(models.BPE(dropout=0.1))
    assert_type(tessella.load(path), Tokenizer)
    assert_type(Mine.from_file(path), Mine)
    assert_type(tokenizer.encode("a", "b", truncation=5, padding={"length": 3}), Encoding)
    assert_type(tokenizer.encode_batch(["a", ("a", "b")], num_threads=2), list[Encoding])
    assert_type(tokenizer.encode_ids("a"), npt.NDArray[np.uint32])
    assert_type(tokenizer.encode_ids_batch(["a"]), RaggedIds)
    assert_type(tokenizer.encode_ids_batch(["a"])[0], npt.NDArray[np.uint32])
    assert_type(tokenizer.encode_ids_batch(["a"])[1:], RaggedIds)
    assert_type(tokenizer.decode([1]), str)
    assert_type(tokenizer.decode(tokenizer.encode_ids("a")), str)
    assert_type(tokenizer.decode_stream().step(1), str | None)
    assert_type(list(tokenizer.decode_iter([1, [2, 3]])), list[str])
    assert_type(tokenizer.count("a"), int)
    assert_type(tokenizer("a", padding=True), tessella.BatchEncoding[list[int]])
    assert_type(tokenizer("a").token_to_chars(0), CharSpan | None)
    assert_type(tessella.AutoTokenizer.from_pretrained(path), PretrainedTokenizer)
    assert_type(PretrainedTokenizer(tokenizer).pad_token_id, int | None)
    assert_type(tokenizer.explain("a"), Explanation)
    assert_type(tokenizer.explain("a").ids, list[int])
    assert_type(tokenizer.get_added_tokens_decoder(), dict[int, AddedToken])
    assert_type(normalizers.BertNormalizer().strip_accents, bool | None)
    assert_type(pre.Metaspace().replacement, str)
    assert_type(pre.Whitespace().pre_tokenize_str("a"), list[tuple[str, tuple[int, int]]])
    assert_type(BpeTrainer().vocab_size, int)

    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Strip()])
    tokenizer.encode(1, padding="x")  # type: ignore[arg-type]
    normalizers.BertNormalizer().lowercase = "yes"  # type: ignore[assignment]
    BpeTrainer(vocabsize=1)  # type: ignore[call-arg]
