"""A tokenizer taken apart, and put together again with everything that names an id or a token.

Ids stand in more places than the model: added tokens, what is put round sequences, padding, and the settings
that a folder keeps. A ``Pipeline`` changes all of them together. What is put together is looked at before it
is given
away: every token must have the id that the edit says.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Collection, Iterator, Mapping
from copy import copy, deepcopy
from typing import Any

from .._given import check_tokenizer
from .._merged import FURTHER, OWN
from ..errors import ArgumentError, UnsupportedError
from ..models import SentencePiece, Unigram
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from .bpe import BpeVocabulary
from .piece_file import PieceFile
from .vocabulary import Vocabulary, opened


class Pipeline:
    """A tokenizer as data.

    Args:
        tokenizer: what is taken apart. It stays as it is.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        check_tokenizer("tokenizer", tokenizer)
        self.source = tokenizer
        settings = json.loads(tokenizer._settings())
        self.added: list[dict[str, Any]] = settings["added_tokens"]
        self.padding: dict[str, Any] | None = settings["padding"]
        self.truncation = settings["truncation"]
        processor = tokenizer.post_processor
        self.processor = None if processor is None else json.loads(processor.__getstate__())
        self.config = deepcopy(tokenizer.config)
        self.chat_template = tokenizer.chat_template
        self.chat_templates = tokenizer._chat_templates
        self.special_tokens_map = tokenizer._special_tokens_map
        self.vocabulary: Vocabulary
        if isinstance(tokenizer.model, SentencePiece):
            self.vocabulary = PieceFile(_model_file(tokenizer))
        else:
            self.vocabulary = opened(json.loads(tokenizer.model.__getstate__()))
            self._check_ids()
        #: Tokens by id as they were, and which of them were added ones.
        self.before = self.tokens()
        self.added_before = {one["id"] for one in self.added}

    def _check_ids(self) -> None:
        """Refuses ids of two tokens, as files have them whose vocabulary has holes.

        What is done to such an id would be done to both, and the map could tell of one.
        """
        entries = [*self.vocabulary.named_ids(), *((one["content"], one["id"]) for one in self.added)]
        known: dict[int, str] = {}
        for token, id in entries:
            if (other := known.setdefault(id, token)) != token:
                raise UnsupportedError(
                    f"the tokens `{other}` and `{token}` both have the id {id}: an edit of one would be an "
                    "edit of both"
                )

    # What is there.

    def tokens(self) -> dict[int, str]:
        """All tokens by id, added ones too."""
        return {**self.vocabulary.tokens(), **{one["id"]: one["content"] for one in self.added}}

    @property
    def size(self) -> int:
        """Ids are below this."""
        return max(self.tokens(), default=-1) + 1

    def named(self) -> dict[int, str]:
        """Ids that the pipeline itself needs, and why."""
        found = dict(self.vocabulary.vital())
        by_text = {token: id for id, token in self.tokens().items()}
        for name, id in self._round_sequences():
            found[id] = f"the post-processor puts `{name}` round sequences"
        if (
            self.padding is not None
            and self.tokens().get(self.padding["pad_id"]) == self.padding["pad_token"]
        ):
            found[self.padding["pad_id"]] = "sequences are padded with it"
        for key, text in self._in_settings():
            if text in by_text:
                found.setdefault(
                    by_text[text], f"the settings name it as `{key}`: take it out of these first"
                )
        return found

    def _in_settings(self) -> Iterator[tuple[str, str]]:
        """The tokens that a folder's settings name, which would come back with it, and under what."""
        older = None if self.special_tokens_map is None else json.loads(self.special_tokens_map)
        for settings in (self.config, older):
            for key, value in (settings or {}).items():
                if key in (*FURTHER, OWN):
                    listed = (
                        value.items() if isinstance(value, Mapping) else [("", one) for one in value or ()]
                    )
                    entries = [(f"{key}.{name}".rstrip("."), one) for name, one in listed]
                else:
                    entries = [(key, value)] if key.endswith("_token") else []
                for name, one in entries:
                    text = one.get("content") if isinstance(one, Mapping) else one
                    if isinstance(text, (str, AddedToken)):
                        yield name, str(text)

    def _round_sequences(self) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []

        def look(part: dict[str, Any] | None) -> None:
            if part is None:
                return
            for inner in part.get("processors", ()):
                look(inner)
            found.extend((part[key][0], part[key][1]) for key in ("sep", "cls") if key in part)
            for special in part.get("special_tokens", {}).values():
                found.extend(zip(special["tokens"], special["ids"], strict=True))

        look(self.processor)
        return found

    # What can be done.

    def drop(self, ids: Collection[int]) -> list[str]:
        """Takes tokens away. What the pipeline needs is refused."""
        for id, why in self.named().items():
            if id in ids:
                raise ArgumentError(f"the token `{self.tokens()[id]}` (id {id}) cannot be removed: {why}")
        self.added = [one for one in self.added if one["id"] not in ids]
        inner = [id for id in self.vocabulary.tokens() if id in ids]
        self._drop_settings(ids)
        return self.vocabulary.drop(set(inner)) if inner else []

    def _drop_settings(self, ids: Collection[int]) -> None:
        known = (self.config or {}).get("added_tokens_decoder")
        if isinstance(known, dict):
            kept = {key: value for key, value in known.items() if int(key) not in ids}
            assert self.config is not None
            self.config["added_tokens_decoder"] = kept

    def renumber(self, new_ids: Mapping[int, int]) -> None:
        """Gives tokens other ids, everywhere."""
        self.vocabulary.renumber(new_ids)
        for one in self.added:
            one["id"] = new_ids[one["id"]]
        self._renumber_processor(self.processor, new_ids)
        if self.padding is not None:
            pad = self.padding["pad_id"]
            if pad in new_ids:
                self.padding["pad_id"] = new_ids[pad]
            else:
                self._keep_padding(set(new_ids.values()))
        known = (self.config or {}).get("added_tokens_decoder")
        if isinstance(known, dict):
            assert self.config is not None
            self.config["added_tokens_decoder"] = {
                str(new_ids[int(key)]): value for key, value in known.items() if int(key) in new_ids
            }

    def keep_free(self, ids: Collection[int]) -> None:
        """Refuses new tokens an id that is named already, though no token had it: they would be put there."""
        for name, id in self._round_sequences():
            if id in ids:
                raise ArgumentError(
                    f"the post-processor puts `{name}` round sequences, whose id {id} has no token, and "
                    "which another token would get: set the post-processor first"
                )
        self._keep_padding(ids)

    def _keep_padding(self, ids: Collection[int]) -> None:
        if self.padding is not None and (pad := self.padding["pad_id"]) in ids:
            raise ArgumentError(
                f"sequences are padded with the id {pad}, which has no token, and which another token "
                "would get: set the padding first"
            )

    def _renumber_processor(self, part: dict[str, Any] | None, new_ids: Mapping[int, int]) -> None:
        if part is None:
            return
        for inner in part.get("processors", ()):
            self._renumber_processor(inner, new_ids)

        def moved(name: str, id: int) -> int:
            if id not in new_ids:
                raise ArgumentError(
                    f"the post-processor puts `{name}` round sequences, whose id {id} has no token"
                )
            return new_ids[id]

        for key in ("sep", "cls"):
            if key in part:
                part[key] = [part[key][0], moved(*part[key])]
        for special in part.get("special_tokens", {}).values():
            special["ids"] = [
                moved(name, id) for name, id in zip(special["tokens"], special["ids"], strict=True)
            ]

    # Together again.

    def build(self) -> Tokenizer:
        """The tokenizer of all parts."""
        if isinstance(self.vocabulary, PieceFile):
            made = self._from_pieces(self.vocabulary)
        else:
            made = self._from_json()
        made.__dict__.update(self.source.__dict__)
        made.config = self.config
        made.chat_template = self.chat_template
        made._chat_templates = self.chat_templates
        made._special_tokens_map = self.special_tokens_map
        made.encode_special_tokens = self.source.encode_special_tokens
        return made

    def _from_json(self) -> Tokenizer:
        wanted = self.tokens()
        made = self._tried()
        # Where ids of the model have gaps, libraries do not agree on the ids that added tokens get.
        inner = self.vocabulary.tokens()
        outer = any(one["id"] not in inner for one in self.added)
        is_clear = not outer or sorted(inner) == list(range(len(inner)))
        if not (is_clear and _has(made, wanted)) and isinstance(self.vocabulary, BpeVocabulary):
            # Added tokens follow the model's, unless they are tokens of the model themselves.
            own = dict(self.vocabulary.vocab)
            takes_whole = bool(self.vocabulary.told().get("ignore_merges"))
            for one in self.added:
                self._take_in(self.vocabulary, one, takes_whole)
            made = self._tried()
            is_clear = all(one["content"] in self.vocabulary.vocab for one in self.added)
            if not (is_clear and _has(made, wanted)):
                self.vocabulary.vocab = own
        if not (is_clear and _has(made, wanted)):
            found = made.get_vocab()
            outside = (one["content"] for one in self.added if one["id"] not in inner)
            wrong = next((token for id, token in wanted.items() if found.get(token) != id), None)
            wrong = next(outside) if wrong is None else wrong
            raise UnsupportedError(
                f"tokenizer.json cannot give the token `{wrong}` the id {_id(wanted, wrong)}: added tokens "
                "follow those of the model there, which must have no gaps; let the ids be compacted"
            )
        return made

    def _take_in(self, vocabulary: BpeVocabulary, one: Mapping[str, Any], takes_whole: bool) -> None:
        content = one["content"]
        splitter = self.source.pre_tokenizer
        whole = splitter is None or len(splitter.pre_tokenize_str(content)) < 2
        if len(content) < 2 or (takes_whole and whole):
            return
        vocabulary.vocab.setdefault(content, one["id"])

    def _tried(self) -> Tokenizer:
        said = {
            "version": "1.0",
            "truncation": self.truncation,
            "padding": self.padding,
            "added_tokens": sorted(self.added, key=lambda one: int(one["id"])),
            "normalizer": None,
            "pre_tokenizer": None,
            "post_processor": self.processor,
            "decoder": None,
            "model": self.vocabulary.told(),
        }
        with warnings.catch_warnings():
            # That an added token gets another id is looked at below.
            warnings.simplefilter("ignore")
            made = Tokenizer.from_str(json.dumps(said))
        self._same_stages(made)
        model, old = made.model, self.source.model
        if isinstance(model, Unigram) and isinstance(old, Unigram):
            model.alpha, model.nbest_size = old.alpha, old.nbest_size
        return made

    def _same_stages(self, made: Tokenizer) -> None:
        """The stages that know no ids.

        Those of the source, which may be written in Python or another dialect.
        """
        made.normalizer = None if self.source.normalizer is None else copy(self.source.normalizer)
        made.pre_tokenizer = None if self.source.pre_tokenizer is None else copy(self.source.pre_tokenizer)
        made.decoder = None if self.source.decoder is None else copy(self.source.decoder)

    def _from_pieces(self, vocabulary: PieceFile) -> Tokenizer:
        from ..loading import load

        with tempfile.TemporaryDirectory(prefix="tessella-") as folder:
            path = os.path.join(folder, "edited.model")
            with open(path, "wb") as file:
                file.write(vocabulary.content())
            made = load(path)
        fields = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
        for one in sorted(self.added, key=lambda one: int(one["id"])):
            made.add_tokens([AddedToken(**{field: one[field] for field in fields})])
        wanted = self.tokens()
        if not _has(made, wanted):
            raise UnsupportedError(
                "a SentencePiece model has its pieces first and added tokens after them: let the ids be "
                "compacted"
            )
        if self.processor is not None:
            from ..processors import PostProcessor

            plain = PostProcessor.__new__(PostProcessor)
            plain.__setstate__(json.dumps(self.processor))
            made.post_processor = plain
        if self.truncation is not None:
            made.enable_truncation(**_options(self.source.truncation))
        if self.padding is not None:
            options = {**_options(self.source.padding), "pad_id": self.padding["pad_id"]}
            made.enable_padding(**{**options, "pad_token": self.padding["pad_token"]})
        return made


def _options(found: Mapping[str, Any] | None) -> dict[str, Any]:
    return dict(found or {})


def _id(tokens: Mapping[int, str], token: str) -> int:
    return next(id for id, one in tokens.items() if one == token)


def _has(made: Tokenizer, wanted: Mapping[int, str]) -> bool:
    """Whether every token has its id, and there are no others."""
    found = made.get_vocab()
    if len(found) == len(wanted):
        return all(found.get(token) == id for id, token in wanted.items())
    # Two entries of one text: each id is looked at.
    return made.get_vocab_size() == len(wanted) and all(
        made.id_to_token(id) == token for id, token in wanted.items()
    )


def _model_file(tokenizer: Tokenizer) -> bytes:
    from .._files import _read_file

    plain = copy(tokenizer)
    plain.config = None
    with tempfile.TemporaryDirectory(prefix="tessella-") as folder:
        plain.save_folder(folder)
        return _read_file(os.path.join(folder, "tokenizer.model"))
