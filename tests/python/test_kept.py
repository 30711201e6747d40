"""What a call of a plain tokenizer keeps of its settings: never longer than they hold."""

import copy
import pickle
import weakref

import pytest
from tessella import Tokenizer, models, normalizers, pre_tokenizers, processors
from tessella.batch import PretrainedTokenizer
from tessella.errors import ArgumentError, FormatError

ROWS = ["The fox", "the [PAD] <mask> fox jumps"]
VOCAB = {"[UNK]": 0, "the": 1, "fox": 2, "jumps": 3, "The": 4}


@pytest.fixture
def tokenizer():
    made = Tokenizer(models.WordLevel(dict(VOCAB), "[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.add_special_tokens(["[PAD]", "<mask>"])
    return made


def _lower(one):
    one.normalizer = normalizers.BertNormalizer(lowercase=True)


def _no_longer_lower(one):
    one.normalizer.lowercase = False


def _around(one):
    one.post_processor = processors.TemplateProcessing("<mask> $A", None, [("<mask>", 6)])


def _model(one):
    one.model = models.WordLevel({**VOCAB, "The": 40, "fox": 50}, "[UNK]")


# Each changes what a call gives, or would if its setting were forgotten.
CHANGES = {
    "a normalizer": _lower,
    "a component's attribute": _no_longer_lower,
    "a post-processor": _around,
    "a model": _model,
    "a further token": lambda one: one.add_tokens(["jumps over"]),
    "a special token with a role": lambda one: one.add_special_tokens(["<pad>"]),
    "padding": lambda one: one.enable_padding(pad_id=2, pad_token="fox"),
    "padding on the left": lambda one: one.enable_padding(direction="left", pad_id=1, pad_token="the"),
    "no padding": lambda one: one.no_padding(),
    "truncation": lambda one: one.enable_truncation(1),
    "special tokens as text": lambda one: setattr(one, "encode_special_tokens", True),
    "settings": lambda one: setattr(one, "config", {"pad_token": "<mask>", "extra_special_tokens": []}),
    "a setting": lambda one: one.config.update(padding_side="left", truncation_side="left"),
    "a setting inside of a setting": lambda one: one.config["extra_special_tokens"].append("fox"),
    "a length": lambda one: one.config.update(model_max_length=2),
    "columns": lambda one: one.config.update(model_input_names=["input_ids", "token_type_ids"]),
    "a setting that goes": lambda one: one.config.pop("padding_side"),
    "no settings": lambda one: setattr(one, "config", None),
    "a file beside the settings": lambda one: setattr(one, "_special_tokens_map", '{"pad_token": "the"}'),
}


def same_as_anew(tokenizer):
    for options in ({}, {"truncation": True, "max_length": 3}, {"truncation": True, "verbose": False}):
        kept = tokenizer(ROWS, padding=True, **options)
        assert dict(kept) == dict(PretrainedTokenizer.over(tokenizer)(ROWS, padding=True, **options))
    return dict(tokenizer(ROWS, padding=True, return_special_tokens_mask=True))


def test_every_change_is_seen(tokenizer):
    before = same_as_anew(tokenizer)
    seen = 0
    for name, change in CHANGES.items():
        change(tokenizer)
        after = same_as_anew(tokenizer)
        seen += after != before
        before = after
        assert before == same_as_anew(tokenizer), name
    assert seen >= 9


def test_settings_are_read_once(tokenizer, monkeypatch):
    read = []
    over = PretrainedTokenizer.over.__func__
    monkeypatch.setattr(
        PretrainedTokenizer, "over", classmethod(lambda cls, one: read.append(one) or over(cls, one))
    )
    for _ in range(3):
        tokenizer(ROWS, padding=True)
    assert len(read) == 1
    tokenizer.add_tokens(["more"])
    tokenizer(ROWS)
    assert len(read) == 2


def test_settings_that_are_wrong_are_told_every_time(tokenizer):
    tokenizer(ROWS)
    tokenizer.config = {"padding_side": "up"}
    for _ in range(2):
        with pytest.raises(ArgumentError, match="padding_side"):
            tokenizer(ROWS)
    for wrong in ([1], 5):
        tokenizer.config = wrong
        with pytest.raises(FormatError, match="must hold a JSON object"):
            tokenizer(ROWS)
    tokenizer.config = {"padding_side": "left"}
    assert same_as_anew(tokenizer)["input_ids"][0][0] == 5


def test_copies_and_pickles_have_settings_of_their_own(tokenizer):
    tokenizer.config = {"pad_token": "the"}
    tokenizer(ROWS, padding=True)
    state = dict(vars(tokenizer))
    assert state == {"config": {"pad_token": "the"}}
    for made in (copy.copy(tokenizer), copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        made.config = {"pad_token": "fox"}
        assert same_as_anew(made)["input_ids"][0][-1] == 2
        assert same_as_anew(tokenizer)["input_ids"][0][-1] == 1


def test_a_tokenizer_that_was_called_goes_at_once(tokenizer):
    alive = Tokenizer.from_str(tokenizer.to_str())
    alive(ROWS, padding=True)
    gone = weakref.ref(alive)
    del alive
    assert gone() is None
