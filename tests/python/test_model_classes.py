"""The class that a folder names: what `AutoTokenizer` gives, its attributes, and what other libraries see in it."""

import copy
import json
import pickle

import pytest
import tessella
from tessella._formats import ROLES
from tessella.batch.model_classes import class_named
from tessella.compat import transformers as names

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "Hello", "caf", "##é", "##e", "日", "本"]
TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}"


@pytest.fixture
def bert(tmp_path):
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def test_the_class_of_the_settings(bert, tmp_path):
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)
    assert type(tokenizer) is names.BertTokenizer is names.BertTokenizerFast
    assert isinstance(tokenizer, names.PreTrainedTokenizerFast)
    assert not isinstance(tokenizer, names.GPT2Tokenizer)
    assert repr(tokenizer).startswith("BertTokenizer(")
    tokenizer.save_pretrained(tmp_path / "saved")
    assert type(tessella.AutoTokenizer.from_pretrained(tmp_path / "saved")) is names.BertTokenizer
    for copied in (copy.copy(tokenizer), copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert type(copied) is names.BertTokenizer
        assert copied("hello")["input_ids"] == [2, 5, 3]


def test_what_is_set_on_a_copy_is_not_the_originals(bert, tmp_path):
    """Else the original is saved as what its copy was made to be, and loaded again with other ids."""
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)
    tokenizer.chat_template = {"default": TEMPLATE}
    made = copy.copy(tokenizer)
    made.do_lower_case = False
    made.model_input_names.append("special_tokens_mask")
    made.chat_template["tool_use"] = "x"
    made.deprecation_warnings["x"] = True
    tokenizer.save_pretrained(tmp_path / "saved")
    again = tessella.AutoTokenizer.from_pretrained(tmp_path / "saved")
    assert (again.do_lower_case, again.tokenize("Hello")) == (True, ["hello"])
    assert tokenizer.model_input_names == again.model_input_names
    assert "special_tokens_mask" not in again.model_input_names
    assert tokenizer.chat_template == {"default": TEMPLATE} and tokenizer.deprecation_warnings == {}


def test_the_languages_of_a_copy_are_not_the_originals():
    words = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "en_XX": 4, "ro_RO": 5, "a": 6}
    backend = tessella.Tokenizer(tessella.models.WordLevel(words, "<unk>"))
    tokenizer = names.MBartTokenizer(backend, src_lang="en_XX")
    made = copy.copy(tokenizer)
    made.src_lang = "ro_RO"
    assert (tokenizer.src_lang, tokenizer("a")["input_ids"]) == ("en_XX", [6, 2, 4])
    assert (made.src_lang, made("a")["input_ids"]) == ("ro_RO", [6, 2, 5])


def test_a_class_adds_no_tokens_that_the_folder_lacks(tmp_path):
    backend = tessella.Tokenizer(tessella.models.WordPiece({"[UNK]": 0, "hello": 1}, unk_token="[UNK]"))
    backend.config = {"tokenizer_class": "BertTokenizer"}
    backend.save_folder(tmp_path)
    tokenizer = tessella.AutoTokenizer.from_pretrained(tmp_path)
    assert (type(tokenizer), len(tokenizer)) == (names.BertTokenizer, 2)
    assert (tokenizer.unk_token, tokenizer.mask_token) == ("[UNK]", None)


def test_arguments_of_the_class_are_attributes(bert):
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert, tokenize_chinese_chars=False)
    assert tokenizer.do_lower_case is True
    assert tokenizer.strip_accents is None
    assert tokenizer.tokenize_chinese_chars is False
    assert not hasattr(tokenizer, "keep_accents")
    assert tokenizer.tokenize("Hello café 日本") == ["hello", "caf", "##e", "[UNK]"]
    tokenizer.do_lower_case = False
    tokenizer.tokenize_chinese_chars = True
    assert tokenizer.tokenize("Hello café 日本") == ["Hello", "caf", "##é", "日", "本"]
    assert (tokenizer.do_lower_case, tokenizer._config()["do_lower_case"]) == (False, False)
    plain = tessella.Tokenizer(tessella.models.WordLevel({"a": 0}, "a"))
    assert not hasattr(tessella.batch.PretrainedTokenizer.over(plain), "do_lower_case")


def test_the_trainer_of_transformers_pads(bert):
    transformers = pytest.importorskip("transformers")
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)
    # What the trainer asks before it chooses the collator that pads.
    assert isinstance(tokenizer, transformers.PreTrainedTokenizerBase)
    assert isinstance(tokenizer, tessella.batch.PretrainedTokenizer)
    assert (tokenizer.__class__.__name__, type(tokenizer)) == ("BertTokenizer", names.BertTokenizer)
    rows = [tokenizer("hello hello"), tokenizer("hello")]
    batch = transformers.DataCollatorWithPadding(tokenizer, return_tensors="np")(rows)
    assert batch["input_ids"].tolist() == [[2, 5, 5, 3], [2, 5, 3, 0]]
    assert tokenizer.deprecation_warnings == {"Asking-to-pad-a-fast-tokenizer": False} or not any(
        tokenizer.deprecation_warnings.values()
    )
    for made in (pickle.loads(pickle.dumps(tokenizer)), tokenizer.__class__.from_pretrained(bert)):
        assert type(made) is names.BertTokenizer
    assert type(tokenizer.__class__(tokenizer.backend_tokenizer)) is names.BertTokenizer


def test_templates_without_files(bert, tmp_path):
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)
    for template in (TEMPLATE, {"default": TEMPLATE, "other": "x"}):
        tokenizer.chat_template = template
        tokenizer.save_pretrained(tmp_path / "saved", save_jinja_files=False)
        assert not list((tmp_path / "saved").rglob("*.jinja"))
        assert tessella.AutoTokenizer.from_pretrained(tmp_path / "saved").chat_template == template
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(tmp_path / "saved")
    assert (tmp_path / "saved" / "chat_template.jinja").read_text(encoding="utf-8") == TEMPLATE
    assert tessella.AutoTokenizer.from_pretrained(tmp_path / "saved").chat_template == TEMPLATE


def test_names_that_clients_need(bert):
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)
    tokenizer.deprecation_warnings["x"] = True
    assert tokenizer.deprecation_warnings == {"x": True}
    tokenizer.deprecation_warnings = {}
    assert tokenizer.deprecation_warnings == {}
    assert [tokenizer._convert_id_to_token(id) for id in (5, 10**6)] == ["hello", None]
    assert [tokenizer._convert_token_to_id_with_added_voc(token) for token in ("hello", "?")] == [5, 1]


def test_processors_save_their_tokenizer(bert, tmp_path):
    """Those of images, sounds and videos: the name of their class stands in the tokenizer's settings."""
    transformers = pytest.importorskip("transformers")
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)

    class Reader(transformers.ProcessorMixin):
        def __init__(self, tokenizer, chat_template=None):
            super().__init__(tokenizer, chat_template=chat_template)

    processor = Reader(tokenizer)
    processor.save_pretrained(tmp_path / "saved")
    config = json.loads((tmp_path / "saved" / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert (config["processor_class"], config["tokenizer_class"]) == ("Reader", "BertTokenizer")
    assert Reader.from_pretrained(tmp_path / "saved").tokenizer("hello")["input_ids"] == [2, 5, 3]


def test_no_token_to_begin_with(bert):
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)
    with pytest.warns(UserWarning, match="`add_bos_token` is set, but there is no `bos_token`"):
        tokenizer.add_bos_token = True
    assert tokenizer.add_bos_token is False
    tokenizer.bos_token = "[CLS]"
    tokenizer.add_bos_token = True
    assert tokenizer.add_bos_token is True
    assert tokenizer("hello")["input_ids"] == [2, 5]


def _of_transformers():
    """The classes of transformers that run on its fast library, and their special tokens by role."""
    import importlib
    import inspect
    import pkgutil

    from transformers import models as theirs
    from transformers.tokenization_utils_tokenizers import TokenizersBackend

    for package in pkgutil.iter_modules(theirs.__path__):
        try:
            module = importlib.import_module(f"{theirs.__name__}.{package.name}.tokenization_{package.name}")
        except Exception:  # of what is missing, in words of their own
            continue
        for name, found in vars(module).items():
            own = inspect.isclass(found) and found.__module__ == module.__name__
            if own and issubclass(found, TokenizersBackend):
                parameters = inspect.signature(found.__init__).parameters
                given = {role: parameters[role].default for role in ROLES if role in parameters}
                yield name, found, {role: str(token) for role, token in given.items() if token is not None}


def test_classes_have_the_special_tokens_of_transformers():
    """A folder that leaves them to the class has them here too."""
    pytest.importorskip("transformers")
    # They take tokens of BERT from where they inherit, or are read by code of their own.
    besides = {"DistilBertTokenizer", "DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer"}
    besides |= {f"{name}Fast" for name in besides}
    apart = {"DPRReaderTokenizer", "EsmcTokenizer", "LasrTokenizer", "LayoutXLMTokenizer", "MLukeTokenizer"}
    apart |= {
        "ParakeetTokenizer",
        "UdopTokenizer",
        "LayoutLMv3Tokenizer",
        "LukeTokenizer",
        "SplinterTokenizer",
    }
    seen = 0
    for name, theirs, roles in _of_transformers():
        if name.removesuffix("Fast") in apart:
            continue
        ours = class_named(name)
        assert ours is not None, name
        usual = {role: token for role, token in ours._defaults.items() if role in ROLES and token is not None}
        if name not in besides:
            assert usual == roles, name
        assert ours.padding_side == theirs.padding_side, name
        assert list(ours.model_input_names) == list(theirs.model_input_names), name
        seen += 1
    assert seen > 40


def test_a_folder_that_leaves_its_roles_to_the_class(tmp_path):
    words = {"<BOS_TOKEN>": 0, "<PAD>": 1, "<SEP>": 2, "hi": 3}
    backend = tessella.Tokenizer(tessella.models.WordLevel(words, "<PAD>"))
    backend.save(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "CohereTokenizerFast"}))
    tokenizer = tessella.AutoTokenizer.from_pretrained(tmp_path)
    # Only tokens that the folder has: none is added.
    assert tokenizer.special_tokens_map == {
        "bos_token": "<BOS_TOKEN>", "pad_token": "<PAD>", "sep_token": "<SEP>",
    }  # fmt: skip
    assert tokenizer(["hi", ""], padding="max_length", max_length=2)["input_ids"] == [[1, 3], [1, 1]]


def test_calls_that_newer_releases_lack_say_what_took_their_place(bert):
    tokenizer = tessella.AutoTokenizer.from_pretrained(bert)
    with pytest.raises(
        AttributeError, match=r"no attribute 'encode_plus'; call the tokenizer: tokenizer\(text"
    ):
        tokenizer.encode_plus("hello")
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = tokenizer.nonsense


def test_names_that_one_class_is_given_out_under_are_those_of_the_library() -> None:
    """A folder that names one of them is one of that class, and not of a class without rules."""
    convert = pytest.importorskip("transformers.convert_slow_tokenizer")
    from tessella._formats import CLASSES, SAME_CLASSES
    from transformers.models.auto.tokenization_auto import tokenizer_class_from_name

    for name in sorted({*SAME_CLASSES, *convert.SLOW_TO_FAST_CONVERTERS}):
        theirs = tokenizer_class_from_name(name)
        if theirs is not None and theirs.__name__ != name:
            assert name in CLASSES or SAME_CLASSES.get(name) == theirs.__name__, name
