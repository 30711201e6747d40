"""Conversations by templates: what templates see, where a message goes on, and tools described to models."""

import numpy as np
import pytest
import tessella
from tessella import Tokenizer, models
from tessella.batch import PretrainedTokenizer
from tessella.errors import ArgumentError, UnsupportedError

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "the thing"}]


def test_chat(chatty):
    assert chatty.apply_chat_template(CHAT, tokenize=False) == "<user>hi\n<assistant>the thing\n"
    prompt = chatty.apply_chat_template(CHAT[:1], tokenize=False, add_generation_prompt=True)
    assert prompt == "<user>hi\n<assistant>"
    batch = chatty.apply_chat_template(CHAT)
    assert chatty.decode(batch["input_ids"]) == "<user>hi\n<assistant>the thing\n"
    assert chatty.apply_chat_template([CHAT, CHAT], return_dict=False) == [batch["input_ids"]] * 2


def test_the_message_goes_on(chatty):
    text = chatty.apply_chat_template(CHAT, tokenize=False, continue_final_message=True)
    assert text == "<user>hi\n<assistant>the thing"
    strip = "{% for m in messages %}{{ m.content | trim }}|{% endfor %}"
    open_end = [{"role": "user", "content": "well  "}]
    text = chatty.apply_chat_template(
        open_end, chat_template=strip, tokenize=False, continue_final_message=True
    )
    assert text == "well"
    # Llama 2's kind: a blank of the template's own behind what it stripped.
    spaced = "{% for m in messages %}[{{ m.content | trim }} ]{% endfor %}"
    for end in ("\n", " \n", "\xa0", "\t", " ", ""):
        chat = [*CHAT, {"role": "assistant", "content": f"well{end}"}]
        text = chatty.apply_chat_template(
            chat, chat_template=spaced, tokenize=False, continue_final_message=True
        )
        assert text.rstrip(" ") == "[hi ][the thing ][well"
    with pytest.raises(ArgumentError, match="does not show the final message"):
        chatty.apply_chat_template(
            CHAT, chat_template="{# content #}", tokenize=False, continue_final_message=True
        )
    with pytest.raises(ArgumentError, match='has no "content" in it'):
        chatty.apply_chat_template(CHAT, chat_template="nothing", tokenize=False, continue_final_message=True)


def test_the_message_goes_on_where_it_stands_twice(chatty):
    chat = [{"role": "user", "content": "well "}]

    def goes_on(template):
        return chatty.apply_chat_template(
            chat, chat_template=template, tokenize=False, continue_final_message=True
        )

    assert goes_on("{{ messages[0].content }}, {{ messages[0].content }}.") == "well , well "
    assert goes_on("{{ messages[0].content | trim }}, {{ messages[0].content | trim }}.") == "well, well"
    assert goes_on("{{ messages[0].content | trim }} {{ messages[0].content | trim }}.") == "well well"
    with pytest.raises(ArgumentError, match="depends on its length"):
        goes_on("{{ messages[0].content | length }} {{ messages[0].content }}.")


def test_the_message_goes_on_within_a_list():
    """A template that knows texts only writes a list as Python does; so does the transformers library."""
    names = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    ours = PretrainedTokenizer(Tokenizer(models.BPE()))
    theirs = names.PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer(tokenizers.models.BPE()))
    writings = [
        "{{ m.content }}",
        "{{ m.content | tojson }}",
        "{{ m.content | string | upper }}",
        "{{ m.content | trim }}",
    ]
    texts = ["Hi there", "  Hi  ", "HI", "it's", "two\nlines", 'a "b"', "é ☕"]
    contents = [*texts, *([{"type": "text", "text": text}] for text in texts), [{"type": "image"}], None, ""]
    for writing in writings:
        template = "{% for m in messages %}" + writing + "|{% endfor %}"
        for content in contents:
            outcomes = []
            for tokenizer in (ours, theirs):
                try:
                    chat = [{"role": "user", "content": "q"}, {"role": "assistant", "content": content}]
                    text = tokenizer.apply_chat_template(
                        chat, chat_template=template, tokenize=False, continue_final_message=True
                    )
                except ValueError:
                    text = None
                outcomes.append(text)
            assert outcomes[0] == outcomes[1], (writing, content)
    shown = ours.apply_chat_template(
        [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
        chat_template="{{ messages[0].content }}",
        tokenize=False,
        continue_final_message=True,
    )
    assert shown == "[{'type': 'text', 'text': 'Hi"


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages | tojson(indent=2) }} {{ messages[0] | tojson(separators=(',', ':')) }}",
        "{{ {'b': 'é', 'a': 1} | tojson(sort_keys=true) }} {{ 'é<>&' | tojson(ensure_ascii=true) }}",
        "{% set n = namespace(messages[0], x=1) %}{% set n.y = 2 %}{{ n.role }} {{ n.x }} {{ n.y }}",
        "{% set n = namespace([('x', 7)]) %}{{ n.x }} {{ dict(messages[0], a=1) }} {{ dict([('b', 2)]) }}",
        "{{ strftime_now('%Y') }}",
        "{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}\n  {{ m.content }}\n{% break %}{% endfor %}",
    ],
)
def test_what_templates_may_call_does_as_in_transformers(template):
    names = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    ours = PretrainedTokenizer(Tokenizer(models.BPE()))
    theirs = names.PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer(tokenizers.models.BPE()))
    found, wanted = (
        one.apply_chat_template(CHAT, chat_template=template, tokenize=False) for one in (ours, theirs)
    )
    assert found == wanted != ""


@pytest.mark.parametrize(
    "content", ["the thing", " the", "\n a thing ", "日本 the", "a", "the {% generation %}", "\ue000+\ue001"]
)
def test_assistant_mask(chatty, content):
    chat = [*CHAT[:1], {"role": "assistant", "content": content}, {"role": "user", "content": "and?"}]
    batch = chatty.apply_chat_template(chat, return_assistant_tokens_mask=True)
    chosen = [id for id, mark in zip(batch["input_ids"], batch["assistant_masks"], strict=True) if mark]
    assert chatty.decode(chosen) == content
    assert batch["input_ids"] == chatty.apply_chat_template(chat)["input_ids"]
    several = chatty.apply_chat_template([chat, CHAT], return_assistant_tokens_mask=True)
    assert several["assistant_masks"][0] == batch["assistant_masks"]


def test_assistant_mask_in_a_macro(chatty):
    template = (
        "{% macro say(m) %}{% generation %}{{ m.content }}{% endgeneration %}{% endmacro %}"
        "{% set all %}{% for m in messages %}|{{ say(m) }}{% endfor %}{% endset %}{{ all }}"
    )
    batch = chatty.apply_chat_template(CHAT, chat_template=template, return_assistant_tokens_mask=True)
    assert sum(batch["assistant_masks"]) == len(batch["input_ids"]) - 2


def test_an_empty_mask_is_an_error(chatty):
    with pytest.raises(ArgumentError, match="wrote nothing in"):
        chatty.apply_chat_template(CHAT[:1], return_assistant_tokens_mask=True)
    with pytest.raises(ArgumentError, match="was truncated"):
        chatty.apply_chat_template(CHAT, truncation=True, max_length=5, return_assistant_tokens_mask=True)
    trimmed = (
        "{% set x %}{% generation %} {{ messages[0].content }}{% endgeneration %}{% endset %}{{ x | trim }}"
    )
    with pytest.raises(ArgumentError, match="after they end"):
        chatty.apply_chat_template(CHAT, chat_template=trimmed, return_assistant_tokens_mask=True)


def test_templates_are_chosen_by_name(chatty):
    chatty.chat_template = {"default": "d", "tool_use": "{{ tools[0].function.name }}", "mine": "m"}

    def look(place: str, often: int = 1) -> str:
        """Looks.

        Args:
            place: where
            often: how often (choices: [1, 2])
        """
        return place * often

    assert chatty.apply_chat_template(CHAT, tokenize=False) == "d"
    assert chatty.apply_chat_template(CHAT, chat_template="mine", tokenize=False) == "m"
    assert chatty.apply_chat_template(CHAT, tools=[look], tokenize=False) == "look"
    chatty.chat_template = None
    with pytest.raises(ArgumentError, match="no chat template"):
        chatty.apply_chat_template(CHAT)


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ self.__init__.__globals__ }}",
        "{% set n = namespace(__class__=1) %}",
        "{% set n = namespace() %}{% set n.__x__ = 1 %}",
        "{{ raise_exception('no') }}",
        "{{ namespace.__init__.__globals__ }}",
        "{{ strftime_now.__globals__.x }}",
        "{{ _now.today() }}",
        "{{ _generation_marks[0] }}",
    ],
)
def test_templates_cannot_get_out(chatty, template):
    jinja2 = pytest.importorskip("jinja2")
    with pytest.raises(jinja2.exceptions.TemplateError):
        chatty.apply_chat_template(CHAT, chat_template=template)


def test_templates_see_plain_data(chatty):
    class Note(str):
        def shout(self):
            return self.upper()

    chat = [{"role": "user", "content": Note("a"), "image": object(), "none": None}]
    show = "{{ messages[0].image }} {{ messages[0].content.shout is defined }} {{ 'none' in messages[0] }}"
    assert chatty.apply_chat_template(chat, chat_template=show, tokenize=False) == "<object> False False"
    # The item of the last two is itself.
    numbers = [np.float16(1.5), np.int8(3), np.complex64(1), np.longdouble(1.5), np.clongdouble(1)]
    chat = [{"role": "user", "content": numbers}]
    shown = chatty.apply_chat_template(chat, chat_template="{{ messages[0].content }}", tokenize=False)
    assert shown == "[1.5, 3, '<complex64>', 1.5, '<clongdouble>']"


def test_templates_show_data_as_those_of_transformers_do():
    names = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    ours = PretrainedTokenizer(Tokenizer(models.BPE()))
    theirs = names.PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer(tokenizers.models.BPE()))
    template = "{{ messages[0].content }} {{ messages[0].place }} {{ tools }} {{ documents }} {{ more }} {{ more | tojson }}"
    chat = [{"role": "user", "content": ({"type": "text", "text": "hi"},), "place": (1, ("b",))}]
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"required": ("a", "b")}}}]
    documents = ({"title": "t", "text": ("x",)},)
    for more in ((1, "b"), [(1,)], {"a": (1,)}, np.int64(3), np.bool_(False), np.array(3), np.array([3])):
        written = [
            tokenizer.apply_chat_template(
                chat, tools, documents, template, tokenize=False, more=more, continue_final_message=go_on
            )
            for go_on in (False, True)
            for tokenizer in (ours, theirs)
        ]
        assert (written[0], written[2]) == (written[1], written[3])
    by_place = "{{ more[(1, 2)] }}"
    assert ours.apply_chat_template(chat, None, None, by_place, tokenize=False, more={(1, 2): "x"}) == "x"


def test_wrong_conversations(chatty):
    with pytest.raises(ArgumentError, match="empty conversation"):
        chatty.apply_chat_template([])
    with pytest.raises(TypeError, match="message 0"):
        chatty.apply_chat_template(["hi"])
    with pytest.raises(ArgumentError, match="not compatible"):
        chatty.apply_chat_template(CHAT, continue_final_message=True, add_generation_prompt=True)
    with pytest.raises(UnsupportedError):
        chatty.apply_chat_template(CHAT, sanitize_control_tokens=True)


def test_schemas_are_those_of_transformers():
    pytest.importorskip("transformers")
    from typing import Literal, Optional, Union

    from tessella.batch.schema import function_schema
    from transformers.utils import get_json_schema

    def one(a: int, b: Optional[str] = None, c: Union[int, float] = 1) -> str:  # noqa: UP007, UP045
        """Does one thing.

        In two paragraphs.

        Args:
            a: first
                thing
            b: second (choices: ["x", " y "])
            c: third

        Returns:
            what is there
        """

    def two(d: Literal["a", "b"], e: list[dict[str, int]], f: tuple[int, str], g: dict) -> None:
        """Does two things.

        Args:
            d: fourth: with a colon
            e: fifth
            f: sixth
            g: seventh
        """

    def three(city: str, days: int = 1) -> list[str]:
        """Tells the weather.

        Examples:
            three("Rome")

        Note: slow.

        Args:
            city: the city
              days: no argument, it stands deeper
            days (int): how many
                days: more

        Note:
            Of no argument.

        Returns:
            for each day
                a line

            or nothing
        Raises:
            KeyError: if there is no such city
        """

    def four() -> int:
        """Counts.

        Example:
            four()

        Yields:
            not a result

        Return:
            nor this
        """

    for function in (one, two, three, four):
        assert function_schema(function) == get_json_schema(function)


def test_templates_of_before_are_gone(chatty, tmp_path):
    chatty.chat_template = {"default": "d", "tools": "t"}
    chatty.save_pretrained(tmp_path)
    chatty.chat_template = "new"
    chatty.save_pretrained(tmp_path)
    assert tessella.AutoTokenizer.from_pretrained(tmp_path).chat_template == "new"
    chatty.chat_template = None
    chatty.save_pretrained(tmp_path)
    assert tessella.AutoTokenizer.from_pretrained(tmp_path).chat_template is None
