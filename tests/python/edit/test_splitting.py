"""Which tokens are out of reach when texts are cut in another way, between splitters that spell bytes and others."""

import pytest
from tessella import Tokenizer, decoders, edit, models, pre_tokenizers, trainers

ALPHABET = pre_tokenizers.ByteLevel.alphabet()
#: Letters for bytes that no text in UTF-8 has.
NEVER = {"À", "Á", *"õö÷øùúûüýþÿ"}


def byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=ALPHABET)
    tokenizer.train_from_iterator(["low lower löwer newest 東京 low"] * 30, trainer)
    return tokenizer


@pytest.mark.parametrize("splitter", [None, pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit()])
def test_letters_for_bytes_are_letters_to_a_splitter_that_spells_none(splitter):
    edited = edit.change_splitter(byte_level(), splitter)
    tokenizer = edited.tokenizer
    for token in edited.unreachable:
        assert tokenizer.token_to_id(token) not in tokenizer.encode(token).ids
    assert not set(edited.unreachable) & set(ALPHABET)


@pytest.mark.parametrize("decoder", [None, decoders.ByteLevel()])
def test_back_to_bytes_what_no_text_has_is_out_of_reach(decoder):
    without = edit.change_splitter(byte_level(), None).tokenizer
    without.decoder = decoder
    edited = edit.change_splitter(without, pre_tokenizers.ByteLevel(add_prefix_space=False))
    assert set(edited.unreachable) == NEVER
