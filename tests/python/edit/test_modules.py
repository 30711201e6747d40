"""Modules in memory follow their tokenizer as folders do: parts that share a table, biases, settings."""

import numpy as np
import pytest
from tessella.edit import IdMap, resize_embeddings
from tessella.edit.model_config import remapped
from tessella.errors import ArgumentError, UnsupportedError

from .test_weights import MAP, ROWS, WIDTH, arrays


@pytest.mark.parametrize("named", [{"out": "elsewhere"}, {"tables": ["wte.weight"]}])
def test_what_is_for_folders_is_refused_for_a_module(named):
    class Module:
        def get_input_embeddings(self):
            raise AssertionError("nothing was to be changed")

    with pytest.raises(ArgumentError, match="`out` and `tables` are for folders"):
        resize_embeddings(Module(), MAP, **named)


@pytest.mark.parametrize("tied", [False, True])
def test_modules(tied, tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=ROWS,
        hidden_size=8,
        intermediate_size=12,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        tie_word_embeddings=tied,
        bos_token_id=1,
        eos_token_id=3,
        pad_token_id=0,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    model.save_pretrained(tmp_path / "old")
    old_ids = [0, 3, 8, 5, 1]
    with torch.no_grad():
        before = model(torch.tensor([old_ids])).logits[0].numpy()
    resize_embeddings(model, MAP)
    resize_embeddings(tmp_path / "old", MAP, out=tmp_path / "new")
    again = transformers.LlamaForCausalLM.from_pretrained(tmp_path / "new").eval()
    kept = [old for old in range(9) if MAP[old] is not None]
    for one in (model, again):
        with torch.no_grad():
            after = one(torch.tensor([MAP.apply(old_ids)])).logits[0].numpy()
        np.testing.assert_allclose(
            after[:, [MAP[old] for old in kept]], before[:, kept], rtol=1e-5, atol=1e-6
        )
        assert (one.config.vocab_size, one.config.eos_token_id) == (10, 2)
        assert (one.lm_head.weight is one.model.embed_tokens.weight) == tied
    for name, value in model.state_dict().items():
        assert torch.equal(value, again.state_dict()[name]), name


class Settings:
    """As a configuration of the transformers library: what it says are its attributes."""

    def __init__(self, **said):
        vars(self).update(said)

    def to_dict(self):
        return vars(self)


class Parameter:
    """As much of PyTorch's as is asked for, round an array."""

    device = "cpu"

    def __init__(self, array, requires_grad=True):
        self.array, self.shape, self.requires_grad = np.asarray(array), np.shape(array), requires_grad

    def detach(self):
        return self

    cpu = float = detach

    def reshape(self, *shape):
        return Parameter(self.array.reshape(*shape))

    def element_size(self):
        return self.array.itemsize

    def numpy(self):
        return self.array

    def new_tensor(self, array):
        return Parameter(array)

    def to(self, device):
        return self.array


class Part:
    """As a module of PyTorch: parameters and buffers by name, kept or not when it is saved."""

    def __init__(self, parameters, buffers=None, unsaved=(), **said):
        vars(self).update(_parameters=parameters, _buffers=buffers or {}, **said)
        self._non_persistent_buffers_set = set(unsaved)

    def __getattr__(self, name):
        for held in (vars(self).get("_parameters", {}), vars(self).get("_buffers", {})):
            if name in held:
                return held[name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        for held in (vars(self).get("_parameters", {}), vars(self).get("_buffers", {})):
            if name in held:
                held[name] = value
                return
        vars(self)[name] = value


def test_tables_that_several_parts_hold_and_biases_that_nobody_learns():
    """As in T5 and BART: the encoder's and the decoder's embeddings share one parameter with a third."""
    shared = Parameter(arrays(1))
    parts = [Part({"weight": shared}, num_embeddings=ROWS, padding_idx=place) for place in (None, 3, 0)]
    bias = Parameter(np.arange(ROWS, dtype=np.float32).reshape(1, ROWS))
    positions = Parameter(np.arange(ROWS, dtype=np.float32))
    whole = Part({}, {"final_logits_bias": bias, "places": positions}, ["places"])
    head = Part({"weight": shared, "bias": None}, out_features=ROWS)

    class Module:
        def get_input_embeddings(self):
            return parts[0]

        def get_output_embeddings(self):
            return head

        def named_parameters(self):
            return [("shared.weight", shared)]

        def modules(self):
            return [whole, *parts, head]

    done = resize_embeddings(Module(), MAP)
    assert done.tables == ("input embedding", "tied output head", "final_logits_bias")
    assert all(part.weight is parts[0].weight for part in (*parts, head))
    assert parts[0].weight.shape == (10, WIDTH)
    assert [part.num_embeddings for part in parts] == [10] * 3
    assert ([part.padding_idx for part in parts], head.out_features) == ([None, 2, 0], 10)
    new = np.asarray(whole.final_logits_bias)
    assert new.shape == (1, 10)
    assert all(new[0, MAP[old]] == old for old in range(9) if MAP[old] is not None)
    assert whole.places is positions
    vars(whole)["_non_persistent_buffers_set"] = set()
    whole._buffers["places"] = Parameter(np.zeros(10, np.float32))
    with pytest.raises(ArgumentError, match=r"`places` of shape \[10\] may have a row for each of the 10"):
        resize_embeddings(Module(), IdMap.identity(10))


@pytest.mark.parametrize("kind", ["T5EncoderModel", "BartForConditionalGeneration", "BertForMaskedLM"])
def test_modules_that_share_tables(kind, tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    sizes = {
        "T5EncoderModel": dict(d_model=8, d_ff=8, d_kv=4, num_layers=1, num_heads=2, eos_token_id=3),
        "BartForConditionalGeneration": dict(
            d_model=8,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=8,
            decoder_ffn_dim=8,
            max_position_embeddings=20,
            pad_token_id=1,
            bos_token_id=0,
            eos_token_id=3,
            decoder_start_token_id=3,
            forced_eos_token_id=3,
        ),
        "BertForMaskedLM": dict(
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=8,
            max_position_embeddings=20,
        ),
    }[kind]
    made = getattr(transformers, kind)
    model = made(made.config_class(vocab_size=ROWS, **sizes)).eval()
    for _, value in [*model.named_parameters(), *model.named_buffers()]:
        if value.shape in ((ROWS,), (1, ROWS)):
            value.data.copy_(torch.arange(float(ROWS)).reshape(value.shape))
    kept = [old for old in range(9) if MAP[old] is not None]

    def answer(model, ids):
        with torch.no_grad():
            ids = torch.tensor([ids])
            found = model(input_ids=ids, **({"decoder_input_ids": ids} if "Bart" in kind else {}))
        return (found.last_hidden_state if "T5" in kind else found.logits)[0].numpy()

    old_ids = [0, 3, 8, 5, 1]
    before = answer(model, old_ids)
    resize_embeddings(model, MAP)
    model.save_pretrained(tmp_path)
    for one in (model, made.from_pretrained(tmp_path).eval()):
        after = answer(one, MAP.apply(old_ids))
        if "T5" not in kind:
            after, expected = after[:, [MAP[old] for old in kept]], before[:, kept]
        else:
            expected = before
        np.testing.assert_allclose(after, expected, rtol=1e-5, atol=1e-5)


def test_settings_of_parts_with_other_vocabularies():
    text = {"vocab_size": ROWS, "eos_token_id": 3, "pad_index": 8}
    others = {"vocab_size": 30522, "pad_token_id": 2, "sep_token_id": 30000}
    found = remapped({"qformer_config": others, "text_config": text}, MAP, ROWS, 10, "config.json")
    assert found == {
        "qformer_config": others,
        "text_config": {"vocab_size": 10, "eos_token_id": 2, "pad_index": 7},
    }
    with pytest.raises(UnsupportedError, match="a second table of 7 rows is read by the same ids"):
        remapped({"vocab_size_per_layer_input": 7}, MAP, ROWS, 10, "config.json")


def test_all_settings_of_a_module_that_name_ids():
    """Those of generating, and those of a part, in which a model looks for its end."""

    class Module:
        table = Settings(weight=Parameter(arrays(1)), num_embeddings=ROWS, padding_idx=0)
        config = Settings(
            id2label={0: "no"},
            text_config=Settings(vocab_size=ROWS, eos_token_id=3, _inner=[8]),
            vision_config=Settings(width=ROWS),
            image_token_id=5,
        )
        generation_config = Settings(eos_token_id=[3, 8], lang_to_id={"<|en|>": 8}, suppress_tokens=[2, 4])

        def get_input_embeddings(self):
            return self.table

        def named_parameters(self):
            return [("embed_tokens.weight", self.table.weight)]

    module = Module()
    resize_embeddings(module, MAP)
    assert module.table.weight.shape == (10, WIDTH)
    text, vision = module.config.text_config, module.config.vision_config
    generation = module.generation_config
    assert (text.vocab_size, text.eos_token_id, text._inner) == (10, 2, [8])
    assert (module.config.image_token_id, vision.width, module.config.id2label) == (4, ROWS, {0: "no"})
    assert (generation.eos_token_id, generation.suppress_tokens) == ([2, 7], [3])
    assert generation.lang_to_id == {"<|en|>": 7}
    wrong = Module()
    wrong.table = Settings(weight=Parameter(arrays(1)))
    wrong.config, wrong.generation_config = None, Settings(eos_token_id=2)
    with pytest.raises(ArgumentError, match=r"generation_config\.eos_token_id names the id 2, which was"):
        resize_embeddings(wrong, MAP)
    assert wrong.table.weight.shape == (ROWS, WIDTH)


def test_rows_that_are_not_in_memory_are_an_error():
    torch = pytest.importorskip("torch")

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(ROWS, 4, device="meta")

        def get_input_embeddings(self):
            return self.embedding

    with pytest.raises(ArgumentError, match="not in memory: they were offloaded"):
        resize_embeddings(Model(), MAP)
