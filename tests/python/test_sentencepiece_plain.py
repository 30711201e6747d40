"""Calls with plain arguments, which the engine answers alone, beside the same calls that are asked in full."""

import copy
import pickle
import random
import sys
import threading

import numpy
import pytest
from sentencepiece_cases import outcome, sentences, train
from tessella.compat import sentencepiece as spm
from tessella.compat.sentencepiece import _texts

MODELS = {
    "unigram": {"model_type": "unigram", "hard_vocab_limit": False, "user_defined_symbols": ["sym", "<c>"]},
    "bytes": {"model_type": "bpe", "vocab_size": 400, "byte_fallback": True, "pad_id": 3},
    "spaces stay": {
        "model_type": "bpe",
        "vocab_size": 420,
        "byte_fallback": True,
        "remove_extra_whitespaces": False,
        "user_defined_symbols": ["▁▁", "q"],
        "unk_surface": "▁u ",
    },
    "no prefix": {"model_type": "char", "vocab_size": 90, "add_dummy_prefix": False, "bos_id": -1},
}
HOSTILE = ["", " ", "▁", "\0", "  a  b ", "\ud800", "\ufdd0x", "😀🜁", "e\u0301 ﬁ ①", "東京 " * 400]


@pytest.fixture(scope="module", params=list(MODELS))
def processor(request):
    return spm.SentencePieceProcessor(model_proto=train(spm, sentences(3), **MODELS[request.param]))


class Text(str):
    """No plain text to some, and a text to all."""


def lists(processor, seed, count):
    """Lists of ids: words of texts, and any."""
    draw = random.Random(seed)
    for text in sentences(seed, count):
        ids = processor.encode(text)
        yield ids
        draw.shuffle(ids)
        yield ids[: draw.randrange(12)]
        yield [draw.randrange(draw.choice([5, 40, len(processor)])) for _ in range(draw.randrange(9))]


@pytest.mark.parametrize(
    "extras", [{}, {"add_eos": True, "reverse": True}, {"emit_unk_piece": True}], ids=str
)
def test_encoding(processor, extras):
    texts = [*sentences(5), *HOSTILE]
    for text in texts:
        # A message and offsets tell what no plain call tells.
        told = outcome(processor.encode, text, out_type="offset_mapping")
        if told[0] == "gives" and not extras:
            assert processor.encode(text) == told[1]["ids"]
            assert processor.encode(text, out_type=str) == told[1]["pieces"]
        for out_type in (int, str, bytes):
            one = outcome(processor.encode, text, out_type=out_type, **extras)
            # Whether to draw is said here, which no plain call does.
            assert one == outcome(processor.encode, text, out_type=out_type, enable_sampling=False, **extras)
            if one[0] == "gives":
                assert outcome(processor.encode, [text, text], out_type=out_type, **extras)[1] == [one[1]] * 2
            else:
                assert outcome(processor.encode, ["a", text], out_type=out_type, **extras) == one
    fine = [text for text in texts if text.isprintable()]
    for out_type in (int, str):
        several = processor.encode(fine, out_type=out_type, num_threads=2, **extras)
        assert several == [processor.encode(text, out_type=out_type, **extras) for text in fine]
        assert several == processor.encode(fine, out_type=out_type, thread_pool=spm.ThreadPool(1), **extras)


def test_decoding(processor):
    for ids in lists(processor, 7, 200):
        text = processor.decode(ids)
        # Parts are told one by one.
        assert text == processor.decode(ids, out_type="offset_mapping")["text"]
        assert text == processor.decode(tuple(ids)) == processor.decode(ids, out_type=str)
        assert (
            text
            == processor.decode(numpy.array(ids, dtype=numpy.int32))
            == processor.decode(ids, out_type=bytes).decode()
        )
        assert processor.decode([ids, [], ids]) == [text, "", text]
        pieces = [*processor.id_to_piece(ids), "zz", "▁"]
        text = processor.decode(pieces, out_type="offset_mapping")["text"]
        assert (
            text
            == processor.decode(pieces)
            == processor.decode([piece.encode() for piece in pieces]).decode()
        )
        assert processor.decode([[], pieces]) == ["", text]


def test_what_is_not_plain_is_refused_as_before(processor):
    size = len(processor)
    for value in (
        [1, -1],
        [size],
        [1, "a"],
        ["a", 1],
        [[1], ["a"]],
        [["a"], [1]],
        [None],
        [1.5],
        [2**40],
        "\ud800",
        ["\ud800"],
    ):
        for call in (processor.decode, processor.id_to_piece, processor.get_score, processor.is_byte):
            assert outcome(call, value)[0] == "raises", (call, value)
    for options in (
        {"add_bos": 1},
        {"reverse": "x"},
        {"num_threads": "x"},
        {"out_type": int, "return_type": int},
    ):
        assert outcome(processor.encode, "a", **options) == outcome(processor.encode, Text("a"), **options)
    assert processor.encode(Text("the low")) == processor.encode("the low")


def test_the_vocabulary(processor):
    ids = list(range(len(processor)))
    for name in ("id_to_piece", "get_score", "is_unknown", "is_control", "is_unused", "is_byte"):
        call = getattr(processor, name)
        assert (
            call(ids) == [call(id) for id in ids] == [call(numpy.int32(id)) for id in ids] == call(tuple(ids))
        )
    pieces = [*processor.id_to_piece(ids), "no such", ""]
    found = processor.piece_to_id(pieces)
    assert (
        found
        == [processor.piece_to_id(piece) for piece in pieces]
        == [processor[piece.encode()] for piece in pieces]
    )


def test_normalizing(processor):
    normalizer = spm.SentencePieceNormalizer(rule_name="nmt_nfkc_cf")
    for text in [*sentences(9), *HOSTILE]:
        for face in (processor, normalizer):
            given = outcome(face.normalize, text)
            assert given == outcome(lambda face, text: face.normalize([text])[0], face, text)
            if given[0] == "gives":
                found, origins = face._handle.normalize(text)
                assert given[1] == found
                assert face.normalize(text.encode()) == found.encode()
                assert face.normalize(text, with_offsets=True) == _texts.with_offsets(text, found, origins)
                assert face.normalize(text.encode(), with_offsets=True) == (found.encode(), origins)


def test_drawing_and_listing(processor):
    for text in ["the low tower", "東京 low 😀", ""]:
        for name in ("sample_encode_as", "nbest_encode_as"):
            called = []
            for kind in ("ids", "pieces", "numpy", "proto"):
                spm.set_random_generator_seed(4)
                options = {"nbest_size": -1, "alpha": 0.3} if name.startswith("sample") else {"nbest_size": 3}
                called.append(outcome(getattr(processor, f"{name}_{kind}"), text, **options))
            if called[0][0] == "raises":
                assert called == called[:1] * 4
                continue
            ids, pieces, arrays, messages = (call[1] for call in called)
            if name.startswith("sample"):
                ids, pieces, arrays, messages = [ids], [pieces], [arrays], [messages]
            else:
                messages = messages.nbests
            assert [one[1] for one in arrays] == ids
            assert [[piece.id for piece in one.pieces] for one in messages] == ids
            assert [[piece.piece for piece in one.pieces] for one in messages] == pieces


def test_messages_are_read_when_they_are_asked(processor):
    message = processor.encode("the low 😀", out_type="proto")
    again = spm.SentencePieceText.FromString(processor.encode("the low 😀", out_type="serialized_proto"))
    assert message == again == copy.deepcopy(message) == pickle.loads(pickle.dumps(message))
    assert (
        repr(message) == repr(again)
        and message.text == again.text
        and len(message.pieces) == len(again.pieces)
    )
    message.pieces[0].surface = "x"
    assert message != again
    with pytest.raises(AttributeError, match="has no field 'nothing'"):
        message.nothing  # noqa: B018


def test_a_message_that_becomes_another_is_written_as_that(processor):
    other = processor.encode("the low", out_type="proto")
    for change in (
        lambda one: one.CopyFrom(other),
        lambda one: one.ParseFromString(other.SerializeToString()),
    ):
        message = processor.encode("a word", out_type="proto")
        change(message)
        assert message == other
        assert message.text == other.text
        assert pickle.loads(pickle.dumps(message)) == other


def test_threads_that_look_at_one_message_see_the_same(processor):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(100):
            message = processor.encode("the low " * 20, out_type="proto")
            start, seen = threading.Barrier(4), []

            def look(message=message, start=start, seen=seen):
                start.wait()
                seen.append((message.pieces, message.text, len(message.SerializeToString())))

            threads = [threading.Thread(target=look) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(seen) == 4
            assert all(pieces is message.pieces for pieces, *_ in seen)
            assert len(set(map(repr, seen))) == 1
    finally:
        sys.setswitchinterval(interval)


def test_threads_that_are_first_together(processor):
    fresh = pickle.loads(pickle.dumps(processor))
    expected = processor.encode("the low tower"), processor.encode("the low tower", out_type=str)
    found = []

    def work():
        for _ in range(200):
            ids = fresh.encode("the low tower")
            assert fresh.decode(ids)
            found.append((ids, fresh.encode("the low tower", out_type=str)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 800
