"""The shapes of ``/tokenize`` and ``/detokenize`` that vLLM and llama.cpp servers answer.

A client that counts with such a server can be pointed here. A request with ``prompt`` or ``messages`` is
vLLM's, one with ``content`` llama.cpp's; their defaults differ, and are those of each server.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..._vocabulary import within
from ..schema import TEXT, array, fields, whole
from ..work import Deadline
from .chat import MESSAGES, VARIABLES, rendered
from .decoding import IDS
from .operation import Operation, described, flag, request
from .service import Service, longest

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


_MODEL = {
    "type": ["string", "null"],
    "default": None,
    "description": "The name of a tokenizer; the first one that is served where there is none.",
}


def _forms(service: Service) -> dict[str, Any]:
    prompt = request(
        {
            "model": _MODEL,
            "prompt": {"type": "string"},
            "add_special_tokens": flag("Let the post-processor add its special tokens.", True),
            "return_token_strs": flag("Also tell the tokens.", False),
        },
        "prompt",
    )
    messages = request(
        {
            "model": _MODEL,
            "messages": MESSAGES,
            "add_generation_prompt": flag("End with what begins the assistant's answer.", True),
            "continue_final_message": flag("End right behind the text of the last message.", False),
            "add_special_tokens": flag("Let the post-processor add its special tokens as well.", False),
            "return_token_strs": flag("Also tell the tokens.", False),
            "tools": {"type": ["array", "null"], "items": {"type": "object"}, "default": None},
            "chat_template_kwargs": described(VARIABLES, "Further names that the template reads."),
        },
        "messages",
    )
    content = request(
        {
            "model": _MODEL,
            "content": {"type": "string"},
            "add_special": flag("Let the post-processor add its special tokens.", False),
            "parse_special": flag("Take special tokens in the text for what they are.", True),
            "with_pieces": flag("Tell the text of each token, or its bytes where they are no text.", False),
        },
        "content",
    )
    return {"anyOf": [prompt, messages, content]}


def _like_vllm(service: Service, asked: dict[str, Any]) -> dict[str, Any]:
    name, tokenizer = service.tokenizer(asked["model"])
    text = asked.get("prompt")
    if text is None:
        text = rendered(
            service,
            name,
            asked["messages"],
            asked["chat_template_kwargs"],
            tokenize=False,
            tools=asked["tools"],
            add_generation_prompt=asked["add_generation_prompt"],
            continue_final_message=asked["continue_final_message"],
        )
    ids = tokenizer.encode_ids(text, asked["add_special_tokens"]).tolist()
    tokens = [tokenizer.id_to_token(id) for id in ids] if asked["return_token_strs"] else None
    return {"count": len(ids), "max_model_len": longest(tokenizer), "tokens": ids, "token_strs": tokens}


def _pieces(tokenizer: Tokenizer, ids: Iterable[int]) -> dict[int, str | list[int]]:
    """The text that each id stands for within a text: decoded by itself it may lack the blank in front."""
    bytes_of, added = within(tokenizer), tokenizer.get_added_tokens_decoder()
    found: dict[int, str | list[int]] = {}
    for id in ids:
        token = tokenizer.id_to_token(id)
        if id in added:
            found[id] = added[id].content
        else:
            found[id] = _text_or_bytes(b"" if token is None else bytes_of(id, token))
    return found


def _text_or_bytes(raw: bytes) -> str | list[int]:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return list(raw)


def _like_llama(service: Service, asked: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    _, tokenizer = service.tokenizer(asked["model"])
    as_text = None if asked["parse_special"] else True
    ids = tokenizer.encode_ids(asked["content"], asked["add_special"], encode_special_tokens=as_text).tolist()
    if not asked["with_pieces"]:
        return {"tokens": ids}
    deadline.check()
    pieces = _pieces(tokenizer, set(ids))
    return {"tokens": [{"id": id, "piece": pieces[id]} for id in ids]}


def _tokenize(service: Service, asked: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    return _like_llama(service, asked, deadline) if "content" in asked else _like_vllm(service, asked)


def _detokenize(service: Service, asked: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    _, tokenizer = service.tokenizer(asked["model"])
    deadline.check()
    text = tokenizer.decode(asked["tokens"], skip_special_tokens=False)
    return {"prompt": text, "content": text}


_IDS = array(whole())
_PIECE = {"anyOf": [TEXT, array({"type": "integer"})]}
_PIECES = array(fields({"id": {"type": "integer"}, "piece": _PIECE}))

TOKENIZE = Operation(
    "/tokenize",
    "As vLLM and llama.cpp answer",
    "With `prompt` or `messages`, the answer is vLLM's: count, tokens, and the most that the model takes, "
    "which is null where its settings do not say. With `content` it is llama.cpp's.",
    _forms,
    {
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "max_model_len": {"type": ["integer", "null"]},
            "tokens": {"anyOf": [_IDS, _PIECES]},
            "token_strs": {"type": ["array", "null"], "items": {"type": ["string", "null"]}},
        },
        "required": ["tokens"],
    },
    _tokenize,
    {"prompt": "low lower lowest"},
)

DETOKENIZE = Operation(
    "/detokenize",
    "As vLLM and llama.cpp answer, back",
    "The text of ids, special tokens too, under the names of both servers.",
    lambda service: request({"model": _MODEL, "tokens": described(IDS, "Ids.")}, "tokens"),
    {
        "type": "object",
        "properties": {"prompt": {"type": "string"}, "content": {"type": "string"}},
        "required": ["prompt", "content"],
    },
    _detokenize,
    {"tokens": [0, 1, 2]},
)
