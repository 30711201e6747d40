"""What is wrong or odd in a tokenizer's files, and the files mended.

Checks look at the files as data, so that those which no reader takes can be looked at too. Each fault has a
name, a place, and what to do about it; many can be mended without asking. What is left is tried: the mended
file has to load.
"""

from __future__ import annotations

import json
import os
import reprlib
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._files import _read_file, _replacing, _write_together
from .._formats import FOLDER, MODELS
from .._shown import written
from ..errors import ArgumentError, TessellaError
from ..loading import load
from ..tokenizer import Tokenizer
from .finding import Finding, Patient
from .folder_checks import FOLDER_CHECKS
from .model_checks import MODEL_CHECKS
from .pipeline_checks import PIPELINE_CHECKS
from .shape import misshapen

if TYPE_CHECKING:
    from .._types import Path


#: How often mending is tried: one mend may uncover another fault.
ROUNDS = 8
_BESIDE = (*FOLDER.settings, "config.json", FOLDER.bare[0])


@dataclass
class Diagnosis:
    """What was found. It is true if nothing is wrong; notes do not count."""

    findings: list[Finding] = field(default_factory=list)
    #: Files after mending, by name: those that changed.
    mended: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return all(one.severity == "note" for one in self.findings)

    @property
    def codes(self) -> list[str]:
        """The names of the faults, each once."""
        return list(dict.fromkeys(one.code for one in self.findings))

    def save(self, path: Path) -> list[str]:
        """Writes the mended files: to a file, or to a folder if it was one or more than one changed.

        Args:
            path: where. Nothing is written where nothing could be mended, which is an error.
        """
        if not self.mended:
            raise ArgumentError("nothing was mended, so that there is nothing to write")
        target = os.fspath(path)
        content = {name: _dumped(said) for name, said in self.mended.items()}
        if list(content) == ["tokenizer.json"] and not os.path.isdir(target):
            with _replacing(target) as file:
                file.write(content["tokenizer.json"])
            return [target]
        return _write_together(target, content, makes_folder=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        rows = [
            {name: value for name, value in vars(one).items() if name != "mend"}
            | {"can_be_mended": one.can_be_mended}
            for one in self.findings
        ]
        return {"healthy": bool(self), "findings": rows, "mended": sorted(self.mended)}

    def __str__(self) -> str:
        if not self.findings:
            return "nothing is wrong"
        return "\n".join(str(one) for one in self.findings)


def _dumped(said: Any) -> bytes:
    try:
        return (json.dumps(said, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
    except UnicodeEncodeError:
        # Half of a surrogate pair, which JSON can spell.
        return (json.dumps(said, indent=2) + "\n").encode()


def doctor(path: Path) -> Diagnosis:
    """Looks at a tokenizer's file or folder.

    Args:
        path: a ``tokenizer.json``, or a folder with one. Of other formats only whether they load is looked
            at, and what can be told of what was loaded.

    Example:
        >>> import json, os, tempfile
        >>> from tessella import prove
        >>> broken = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "tokenizer.json")
        ...     with open(path, "w") as file:
        ...         json.dump(broken, file)
        ...     found = prove.doctor(path)
        >>> found.codes, found.mended["tokenizer.json"]["model"]["merges"]
        (['merge-unknown', 'unk-unnamed'], [])
    """
    source = os.fspath(path)
    is_folder = os.path.isdir(source)
    name = os.path.join(source, "tokenizer.json") if is_folder else source
    if is_folder and not os.path.exists(name):
        return _loaded_only(source)
    content = _read_file(name)
    if not is_folder and not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _loaded_only(source)
    where = written(os.path.basename(name))
    patient, refused = _patient(content, where, source if is_folder else None)
    if patient is None:
        return Diagnosis(refused)
    findings = [*refused, *_examined(patient)]
    mended = _mended(patient)
    found = Diagnosis(findings, mended)
    if mended and all(one.severity != "error" for one in findings):
        # What is told so far is not what keeps readers from it.
        found.findings += _refused(content.decode("utf-8-sig"), where, "the file", "take the mended file")
    found.findings += _tried(patient, where, bool(mended))
    return found


def _patient(content: bytes, own: str, folder: str | None) -> tuple[Patient | None, list[Finding]]:
    def fault(code: str, where: str, message: str, advice: str) -> Finding:
        return Finding(code, "error", where, message, advice)

    try:
        said = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return None, [fault("json", own, f"it is no JSON: {error}", "fetch the file anew")]
    model = said.get("model") if isinstance(said, dict) else None
    if not isinstance(model, dict):
        return None, [fault("model-missing", "$.model", "there is no model", "fetch the file anew")]
    kind = model.get("type", "BPE" if "merges" in model else "Unigram" if "unk_id" in model else None)
    if kind not in MODELS and (kind is not None or "type" in model):
        why = f"{kind!r} is no known kind of model; known are {', '.join(MODELS)}"
        return None, [fault("model-type", "$.model.type", why, "correct the name")]
    if not isinstance(model.get("vocab"), (dict, list)):
        return None, [
            fault("vocab-missing", "$.model.vocab", "there is no vocabulary", "fetch the file anew")
        ]
    if wrong := list(misshapen(said)):
        return None, [
            fault("shape", where, f"{reprlib.repr(value)} should be {expected}", "correct that place")
            for where, expected, value in wrong[:20]
        ]
    patient, found = Patient(said), []
    for name in _BESIDE if folder is not None else ():
        assert folder is not None
        place = os.path.join(folder, name)
        if os.path.exists(place):
            try:
                patient.beside[name] = json.loads(_read_file(place))
            except (ValueError, RecursionError) as error:
                found.append(fault("json", name, f"it is no JSON: {error}", "fetch the file anew"))
    for name in (FOLDER.templates[0], *FOLDER.bare[1:]) if folder is not None else ():
        assert folder is not None
        if os.path.exists(place := os.path.join(folder, name)):
            patient.plain[name] = _read_file(place).decode("utf-8", "replace")
    return patient, found


def _examined(patient: Patient) -> list[Finding]:
    return [one for check in (*MODEL_CHECKS, *PIPELINE_CHECKS, *FOLDER_CHECKS) for one in check(patient)]


def _mended(patient: Patient) -> dict[str, Any]:
    """The files that mending changes; the patient is mended too."""
    before = deepcopy({"tokenizer.json": patient.file, **patient.beside})
    for _ in range(ROUNDS):
        mends = [one for one in _examined(patient) if one.mend is not None]
        if not mends:
            break
        codes = set()
        for one in mends:
            # Later mends of a kind may rest on what an earlier one changed.
            if one.code not in codes or one.code in ("processor-id", "added-id"):
                assert one.mend is not None
                one.mend()
            codes.add(one.code)
    now = {"tokenizer.json": patient.file, **patient.beside}
    return {name: said for name, said in now.items() if _dumped(said) != _dumped(before[name])}


def _tried(patient: Patient, name: str, is_mended: bool) -> Iterator[Finding]:
    """Whether the file, mended if it was, loads, and whether added tokens come out."""
    text = json.dumps(patient.file)
    which = "the mended file" if is_mended else "the file"
    refused = list(_refused(text, name, which, "correct that place"))
    yield from refused
    if not refused:
        yield from _never(_read(text))


def _read(text: str) -> Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Tokenizer.from_str(text)


def _refused(text: str, name: str, which: str, advice: str) -> Iterator[Finding]:
    """Whether a file does not load."""
    try:
        _read(text)
    except (TessellaError, ValueError) as error:
        yield Finding("refused", "error", name, f"{which} does not load: {error}", advice)


def _never(tokenizer: Tokenizer) -> Iterator[Finding]:
    """Added tokens that their own text does not have."""
    for id, token in tokenizer.get_added_tokens_decoder().items():
        try:
            found = tokenizer.encode(token.content, add_special_tokens=False, truncation=False).ids
        except TessellaError:
            continue
        if id not in found:
            yield Finding(
                "added-never",
                "warning",
                "$.added_tokens",
                f"`{token.content}` (id {id}) is not found in its own text",
                "set `normalized` to false, or look for a longer token that takes its place",
            )


def _loaded_only(source: str) -> Diagnosis:
    """Of formats that are not looked into: whether they load, and what the result shows."""
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            tokenizer = load(source)
    except (TessellaError, ValueError) as error:
        return Diagnosis(
            [Finding("refused", "error", source, f"it does not load: {error}", "correct that place")]
        )
    notes = [Finding("told", "note", source, str(one.message), "see the message") for one in told]
    return Diagnosis([*notes, *_never(tokenizer)])
