"""Settings and options that nobody knows: most are slips, and a slip that says nothing is the worst of them.

The library whose names these are takes anything, so they are warnings and no errors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from .._formats import ROLES
from .._near import meant, nearest
from .._notices import warn
from .checks import check_settings
from .classes import ARGUMENTS

_C = TypeVar("_C", bound=Callable[..., Any])

#: Settings that do something, here or for those who read them.
KNOWN = frozenset(
    {
        *ROLES,
        *(name for names in ARGUMENTS.values() for name in names),
        "add_bos_token",
        "add_eos_token",
        "added_tokens_decoder",
        "additional_special_tokens",
        "auto_map",
        "backend",
        "chat_template",
        "clean_up_tokenization_spaces",
        "errors",
        "extra_ids",
        "extra_special_tokens",
        "init_inputs",
        "is_local",
        "keep_accents",
        "legacy",
        "max_len",
        "max_length",
        "merges_file",
        "model_input_names",
        "model_max_length",
        "model_specific_special_tokens",
        "name_or_path",
        "pad_token_type_id",
        "padding",
        "padding_side",
        "offset",
        "processor_class",
        "remove_space",
        "sp_model_kwargs",
        "spaces_between_special_tokens",
        "special_tokens_map_file",
        "split_special_tokens",
        "src_lang",
        "stride",
        "tgt_lang",
        "tokenizer_class",
        "tokenizer_file",
        "truncation",
        "truncation_side",
        "truncation_strategy",
        "unk_id",
        "use_default_system_prompt",
        "verbose",
        "vocab_file",
    }
)
#: How like a known name a setting of a file must be to count as a slip: files hold names of all kinds.
_SLIP = 0.88


_LOOKED_AT: ContextVar[bool] = ContextVar("_LOOKED_AT", default=False)


@contextmanager
def looked_at() -> Iterator[None]:
    """Settings that tokenizers are made with meanwhile are those of files, or have been warned of already."""
    before = _LOOKED_AT.set(True)
    try:
        yield
    finally:
        _LOOKED_AT.reset(before)


def check_given(who: str, given: Mapping[str, object], own: Mapping[str, object]) -> None:
    """Tells which settings a caller gave that neither this library nor the files' settings know.

    A value of the wrong kind is an error.

    Args:
        who: what they were given to.
        given: the settings.
        own: the settings of the files.
    """
    if _LOOKED_AT.get():
        return
    check_settings(given, "")
    known = {*KNOWN, *own}
    unknown = [name for name, value in given.items() if name not in known and not _is_role(name, value)]
    if unknown:
        named = [f"`{name}`{meant(name, known)}" for name in unknown]
        warn(f"{who} knows no setting {', '.join(named)} (it is kept, and saved again)")


def warn_of_misspelled(settings: Mapping[str, object], file: str) -> None:
    """Tells which names in a settings file are nearly those of settings that it does not have."""
    for name, value in settings.items():
        if name in KNOWN or name.endswith(("_id", "_ids", "_tokens")) or _is_role(name, value):
            continue
        near = nearest(name, KNOWN, _SLIP)
        if near is not None and near not in settings and len(near) > 5:
            warn(f"{file} has `{name}`, which means nothing; did you mean '{near}'?")
        elif name.endswith("_token"):
            warn(f"{file} has `{name}`, which is no known setting, and {value!r:.60} is no token")


def _is_role(name: str, value: object) -> bool:
    """Whether a setting gives a model's own kind of token: any name that ends so may."""
    return name.endswith("_token") and (
        value is None or isinstance(value, (str, Mapping)) or hasattr(value, "content")
    )


def warning_of_options(call: _C) -> _C:
    """A method that leaves unknown options out with a warning.

    Type checkers see the method as it is written and refuse them. Nothing is looked at unless the call fails.
    """
    known = frozenset(inspect.signature(call).parameters)

    @functools.wraps(call)
    def lenient(*args: Any, **options: Any) -> Any:
        try:
            return call(*args, **options)
        except TypeError as error:
            unknown = [name for name in options if name not in known]
            if not unknown or "unexpected keyword" not in str(error):
                raise
        named = [f"`{name}`{meant(name, known - {'self'})}" for name in unknown]
        warn(f"{call.__name__} has no option {', '.join(named)} (it is left out)")
        return call(*args, **{name: value for name, value in options.items() if name in known})

    made: Any = lenient
    return made  # type: ignore[no-any-return]
