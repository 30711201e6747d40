"""The published encodings: their files, and the models that use them. The engine tells the rest of them."""

from __future__ import annotations

from typing import NamedTuple

from ... import _tessella

__all__ = ["BY_MODEL", "BY_PREFIX", "KNOWN", "Known", "encoding_name_for_model"]


class File(NamedTuple):
    """A published table of ranks."""

    #: Its name, without ``.tiktoken``.
    stem: str
    sha256: str

    @property
    def address(self) -> str:
        """Where it is published. tiktoken's cache knows the file by this address."""
        return f"https://openaipublic.blob.core.windows.net/encodings/{self.stem}.tiktoken"


_R50K_FILE = File(
    "r50k_base",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
)
_P50K_FILE = File(
    "p50k_base",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
)
_CL100K_FILE = File(
    "cl100k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
)
_O200K_FILE = File(
    "o200k_base",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
)


class Known(NamedTuple):
    """A published encoding."""

    pattern: str
    file: File
    special_tokens: dict[str, int]
    #: How many tokens it has, where they leave no gap.
    total: int | None


def _known(name: str, file: File, total: int | None = None) -> Known:
    pattern, _, special_tokens = _tessella.encoding(name, 0)
    return Known(pattern, file, dict(special_tokens), total)


#: By name, the older first. The ranks of GPT-2 are those of ``r50k_base``.
KNOWN: dict[str, Known] = {
    "gpt2": _known("gpt2", _R50K_FILE, 50257),
    "r50k_base": _known("r50k_base", _R50K_FILE, 50257),
    "p50k_base": _known("p50k_base", _P50K_FILE, 50281),
    "p50k_edit": _known("p50k_edit", _P50K_FILE),
    "cl100k_base": _known("cl100k_base", _CL100K_FILE),
    "o200k_base": _known("o200k_base", _O200K_FILE),
    "o200k_harmony": _known("o200k_harmony", _O200K_FILE),
}

_MODELS: dict[str, str] = {
    "gpt2": "gpt2 gpt-2",
    "r50k_base": (
        "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada "
        "text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001 "
        "text-similarity-ada-001 text-search-davinci-doc-001 text-search-curie-doc-001 "
        "text-search-babbage-doc-001 text-search-ada-doc-001 code-search-babbage-code-001 "
        "code-search-ada-code-001"
    ),
    "p50k_base": (
        "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 "
        "code-cushman-001 davinci-codex cushman-codex"
    ),
    "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
    "cl100k_base": (
        "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 text-embedding-ada-002 "
        "text-embedding-3-small text-embedding-3-large"
    ),
    "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
}
_PREFIXES: dict[str, str] = {
    "cl100k_base": (
        "gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002"
    ),
    "o200k_base": "o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o",
    "o200k_harmony": "gpt-oss-",
}


def _by_model(table: dict[str, str]) -> dict[str, str]:
    return {model: name for name, models in table.items() for model in models.split()}


#: Encodings by the name of a model, and by how such names begin.
BY_MODEL, BY_PREFIX = _by_model(_MODELS), _by_model(_PREFIXES)


def encoding_name_for_model(model_name: str) -> str:
    """The encoding that a model uses; ``KeyError`` if the name is not known.

    Example:
        >>> from tessella.compat import tiktoken
        >>> tiktoken.encoding_name_for_model("gpt-4o-2024-05-13")
        'o200k_base'
    """
    if model_name in BY_MODEL:
        return BY_MODEL[model_name]
    # The longest beginning says most.
    for prefix in sorted(BY_PREFIX, key=len, reverse=True):
        if model_name.startswith(prefix):
            return BY_PREFIX[prefix]
    raise KeyError(
        f"no encoding is known for the model {model_name}; if you know which one it uses, pass its name to "
        "get_encoding"
    )
