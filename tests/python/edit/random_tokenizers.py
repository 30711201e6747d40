"""Tokenizers by chance, of every kind and with every option that edits must heed, and texts for them."""

import random

from tessella import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tessella.compat import sentencepiece

LETTERS = "abcdé"


def bpe(seed):
    """Merges of random pairs; some make the same token in two ways."""
    draw = random.Random(seed)
    prefix = draw.choice(["", "", "##"])
    suffix = draw.choice(["", "", "</w>"]) if not prefix else ""
    unknown = draw.choice([None, "<unk>"])
    falls_back = draw.random() < 0.3
    letters = LETTERS if unknown is None or draw.random() < 0.5 else LETTERS[:-1]
    tokens = ["<unk>"] if unknown else []
    tokens += [f"<0x{byte:02X}>" for byte in range(256)] if falls_back else []
    symbols = list(letters)
    symbols += [prefix + one for one in letters] if prefix else []
    symbols += [one + suffix for one in letters] if suffix else []
    tokens += symbols
    merges = []
    for _ in range(draw.randint(5, 40)):
        left, right = draw.choice(symbols), draw.choice(symbols)
        if (suffix and left.endswith(suffix)) or (prefix and not right.startswith(prefix)):
            continue
        made = left + right[len(prefix) :]
        if len(made) > 10 or (left, right) in merges:
            continue
        merges.append((left, right))
        if made not in tokens:
            tokens.append(made)
            symbols.append(made)
    ignore = draw.random() < 0.2
    if ignore:
        tokens.append("abcdabc")
    model = models.BPE(
        {token: id for id, token in enumerate(dict.fromkeys(tokens))},
        merges,
        unk_token=unknown,
        byte_fallback=falls_back,
        fuse_unk=draw.random() < 0.5,
        continuing_subword_prefix=prefix or None,
        end_of_word_suffix=suffix or None,
        ignore_merges=ignore,
    )
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    marked = decoders.WordPiece(prefix, cleanup=False) if prefix else decoders.Fuse()
    if falls_back and not prefix:
        marked = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.decoder = decoders.BPEDecoder(suffix) if suffix else marked
    return around(tokenizer, draw)


def wordpiece(seed):
    draw = random.Random(seed)
    tokens = ["[UNK]", *LETTERS, *(f"##{one}" for one in LETTERS[: draw.randint(3, 5)])]
    for _ in range(draw.randint(5, 30)):
        word = "".join(draw.choices(LETTERS, k=draw.randint(2, 4)))
        tokens.append(draw.choice(["", "##"]) + word)
    tokenizer = Tokenizer(models.WordPiece({token: id for id, token in enumerate(dict.fromkeys(tokens))}))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.WordPiece()
    return around(tokenizer, draw)


def unigram(seed):
    draw = random.Random(seed)
    pieces = {"<unk>": 0.0}
    for letter in LETTERS[: draw.randint(4, 5)]:
        pieces[letter] = -draw.uniform(4, 6)
    for _ in range(draw.randint(5, 30)):
        pieces["".join(draw.choices(LETTERS, k=draw.randint(2, 4)))] = -draw.choice([2, 3, 4, 5, 6.5])
    tokenizer = Tokenizer(models.Unigram(list(pieces.items()), 0))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.Fuse()
    return around(tokenizer, draw)


def word_level(seed):
    draw = random.Random(seed)
    words = {"".join(draw.choices(LETTERS, k=draw.randint(1, 2))) for _ in range(20)}
    tokens = ["<unk>", *sorted(words)]
    tokenizer = Tokenizer(models.WordLevel({token: id for id, token in enumerate(tokens)}, "<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return around(tokenizer, draw)


def around(tokenizer, draw):
    """Added tokens, and ids that stand outside of the model."""
    tokenizer.add_special_tokens(["<s>", "</s>"])
    if draw.random() < 0.5:
        tokenizer.add_tokens(["cab", "<tool>"])
    if draw.random() < 0.5:
        tokenizer.normalizer = normalizers.Lowercase()
    end = tokenizer.token_to_id("</s>")
    if draw.random() < 0.5:
        tokenizer.post_processor = processors.TemplateProcessing(
            "<s> $A </s>", "<s> $A </s> $B </s>", [("<s>", tokenizer.token_to_id("<s>")), ("</s>", end)]
        )
    else:
        tokenizer.post_processor = processors.BertProcessing(
            ("</s>", end), ("<s>", tokenizer.token_to_id("<s>"))
        )
    tokenizer.enable_padding(pad_id=end, pad_token="</s>")
    return tokenizer


def sentencepiece_model(kind, tmp_path):
    """A model by the trainer of that library's rules."""
    draw = random.Random(5)
    lines = [
        " ".join("".join(draw.choices("abcde", k=draw.randint(1, 5))) for _ in range(6)) for _ in range(300)
    ]
    prefix = str(tmp_path / kind)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=prefix,
        model_type=kind,
        vocab_size=60,
        user_defined_symbols=["<tool>"],
        control_symbols=["<ctl>"],
    )
    return f"{prefix}.model"


KINDS = {"bpe": bpe, "wordpiece": wordpiece, "unigram": unigram, "word_level": word_level}


def texts(seed, number=120):
    draw = random.Random(seed)
    alphabet = LETTERS * 6 + "  xA東"
    some = ["".join(draw.choices(alphabet, k=draw.randint(1, 14))) for _ in range(number)]
    return [*some, "<s>", "a <tool> cab", "abcdabc", "aaaa", ""]
