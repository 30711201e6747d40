"""Where in a decoded text each id's part starts, and the bytes behind a text, whatever the ids spell."""

import io
import random

import pytest
import tessella
from tessella import decoders, models

BYTES = {f"<0x{byte:02X}>": byte for byte in range(256)}
WORDS = {"▁the": 256, "cat": 257, "é": 258, "\ufffd": 259}


@pytest.fixture(scope="module")
def fallback():
    tokenizer = tessella.Tokenizer(models.BPE({**BYTES, **WORDS}, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


@pytest.fixture(scope="module")
def alphabet():
    return tessella.recipes.get("gpt2").train(["the cat sat"] * 9, vocab_size=260)


@pytest.fixture(scope="module")
def sentencepiece(tmp_path_factory):
    import tessella.compat.sentencepiece as spm

    model = io.BytesIO()
    lines = iter(["the cat sat", "a cat"] * 9)
    spm.SentencePieceTrainer.train(
        sentence_iterator=lines, model_writer=model, model_type="bpe", vocab_size=275, byte_fallback=True
    )
    path = tmp_path_factory.mktemp("pieces") / "bytes.model"
    path.write_bytes(model.getvalue())
    return tessella.load(path)


def test_broken_bytes_shift_nothing_behind_them(fallback):
    def told(*names):
        return fallback.decode_with_offsets([fallback.token_to_id(name) for name in names])

    assert told("<0xE4>", "<0xBD>", "▁the", "cat") == ("\ufffd\ufffd thecat", [0, 1, 2, 6])
    assert told("cat", "<0xE4>", "<0xBD>", "<0xA0>", "▁the") == ("cat你 the", [0, 3, 3, 3, 4])
    # What the first byte alone comes to is not what it comes to here.
    assert told("<0x16>", "<0xA0>", "cat") == ("\ufffd\ufffdcat", [0, 1, 2])
    assert told("▁the", "<0x0A>", "<0xF0>", "<0x9F>", "cat")[1] == [0, 3, 4, 5, 6]


def test_bytes_that_continue_nothing(alphabet):
    ids = [alphabet.token_to_id(token) for token in ("t", "¢", "Ġ", "h", "Ã", "¢", "e")]
    assert alphabet.decode_with_offsets(ids) == ("t\ufffd h\xe2e", [0, 1, 2, 3, 4, 4, 5])


def letter(tokenizer, id):
    return tokenizer.id_to_token(id).strip("▁Ġ")


@pytest.mark.parametrize("name", ["fallback", "alphabet", "sentencepiece"])
def test_every_token_of_letters_stands_where_it_is_said_to(name, request):
    tokenizer = request.getfixturevalue(name)
    draw = random.Random(77)
    size = tokenizer.get_vocab_size()
    letters = [
        id for id in range(size) if letter(tokenizer, id).isalpha() and letter(tokenizer, id).isascii()
    ]
    for _ in range(400):
        ids = [
            draw.choice(letters) if draw.random() < 0.4 else draw.randrange(size)
            for _ in range(draw.randint(1, 9))
        ]
        text, starts = tokenizer.decode_with_offsets(ids)
        assert text == tokenizer.decode(ids) and starts == sorted(starts) and len(starts) == len(ids)
        for id, start, end in zip(ids, starts, [*starts[1:], len(text)], strict=True):
            if id in letters:
                told = letter(tokenizer, id)
                assert text[start:end].strip(" ") == told, (ids, text, starts)


@pytest.mark.parametrize("name", ["fallback", "sentencepiece"])
def test_bytes_are_those_of_the_tokens(name, request):
    tokenizer = request.getfixturevalue(name)
    for broken in (b"\xe4\xbd", b"\xff", b"a\xf0\x9f", "é\n".encode() + b"\xc3"):
        ids = [tokenizer.token_to_id(f"<0x{byte:02X}>") for byte in broken]
        assert tokenizer.decode_bytes(ids) == broken
        assert b"".join(tokenizer.decode_bytes([id]) for id in ids) == broken
    # A broken byte at the start of other text, once much was decoded.
    tokenizer.decode(list(range(200)))
    cat = next(id for id in range(tokenizer.get_vocab_size()) if letter(tokenizer, id) == "cat")
    first = tokenizer.token_to_id("<0xC3>")
    for ids, told in [([first, cat, cat], b"\xc3catcat"), ([cat, cat, first], b"catcat\xc3")]:
        assert tokenizer.decode_bytes(ids).replace(b" ", b"") == told


def test_a_stream_that_ends_inside_a_character(fallback):
    """A model that stops there may have begun a line before: what is out stays, and the end is no error."""
    for start, broken, told in [
        ("cat\n", b"\xf0\x9f", "cat\n\ufffd\ufffd"),
        ("\n", b"\xe4", "\n\ufffd"),
        ("é\n", b"\xff", "é\n\ufffd"),
    ]:
        ids = [fallback.token_to_id(f"<0x{byte:02X}>") for byte in start.encode() + broken]
        stream = fallback.decode_stream()
        out = "".join(stream.step(id) or "" for id in ids)
        assert out == start and out + stream.flush() == told
        assert stream.flush() is None
        assert "".join(fallback.decode_iter(iter(ids))) == told
