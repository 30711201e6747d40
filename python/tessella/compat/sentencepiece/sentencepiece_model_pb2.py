"""The messages that a model file is made of, under the name of the original's module.

``ModelProto`` and its parts, to look into a ``.model`` and to change it. They are messages of the package
protobuf, which has to be installed. They live in a pool of their own, so that the original's module, or a
copy of it elsewhere, may be imported beside this one.

Example:
    >>> try:
    ...     from tessella.compat.sentencepiece import sentencepiece_model_pb2 as model
    ...     file = model.ModelProto(pieces=[model.ModelProto.SentencePiece(piece="a", score=-1.5)])
    ...     print(model.ModelProto.FromString(file.SerializeToString()).pieces[0].piece)
    ... except ImportError:
    ...     print("a")
    a
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import MissingDependencyError

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore
except ImportError as error:
    raise MissingDependencyError(
        "the messages of a model file need the package protobuf: pip install protobuf"
    ) from error

__all__ = ["DESCRIPTOR", "ModelProto", "NormalizerSpec", "TrainerSpec"]

# One field a line: number, name, type, default. `list` is a repeated text; a name with a capital letter is a
# message or an enumeration.
_TRAINER_SPEC = """
    1 input list
    2 model_prefix string
    3 model_type TrainerSpec.ModelType UNIGRAM
    4 vocab_size int32 8000
    5 accept_language list
    6 self_test_sample_size int32 0
    7 input_format string
    10 character_coverage float 0.9995
    11 input_sentence_size uint64 0
    12 mining_sentence_size int32
    13 training_sentence_size int32
    14 seed_sentencepiece_size int32 1000000
    15 shrinking_factor float 0.75
    16 num_threads int32 16
    17 num_sub_iterations int32 2
    18 max_sentence_length int32 4192
    19 shuffle_input_sentence bool true
    20 max_sentencepiece_length int32 16
    21 split_by_unicode_script bool true
    22 split_by_whitespace bool true
    23 split_by_number bool true
    24 treat_whitespace_as_suffix bool false
    25 split_digits bool false
    26 allow_whitespace_only_pieces bool false
    30 control_symbols list
    31 user_defined_symbols list
    32 vocabulary_output_piece_score bool true
    33 hard_vocab_limit bool true
    34 use_all_vocab bool false
    35 byte_fallback bool false
    36 required_chars string
    40 unk_id int32 0
    41 bos_id int32 1
    42 eos_id int32 2
    43 pad_id int32 -1
    44 unk_surface string \u0020\u2047\u0020
    45 unk_piece string <unk>
    46 bos_piece string <s>
    47 eos_piece string </s>
    48 pad_piece string <pad>
    49 train_extremely_large_corpus bool false
    50 enable_differential_privacy bool false
    51 differential_privacy_noise_level float 0.0
    52 differential_privacy_clipping_threshold uint64 0
    53 pretokenization_delimiter string
    54 seed_sentencepieces_file string
    55 auto_character_coverage bool false
"""
_NORMALIZER_SPEC = """
    1 name string
    2 precompiled_charsmap bytes
    3 add_dummy_prefix bool true
    4 remove_extra_whitespaces bool true
    5 escape_whitespaces bool true
    6 normalization_rule_tsv string
"""
_PIECE = """
    1 piece string
    2 score float
    3 type ModelProto.SentencePiece.Type NORMAL
"""
_MODEL_PROTO = """
    2 trainer_spec TrainerSpec
    3 normalizer_spec NormalizerSpec
    5 denormalizer_spec NormalizerSpec
"""
_MODEL_TYPES = {"UNIGRAM": 1, "BPE": 2, "WORD": 3, "CHAR": 4}
_PIECE_TYPES = {"NORMAL": 1, "UNKNOWN": 2, "CONTROL": 3, "USER_DEFINED": 4, "BYTE": 6, "UNUSED": 5}
_PACKAGE = "sentencepiece"


def _fill(message: Any, name: str, fields: str) -> None:
    """A message of these fields, open for extensions as the original's are."""
    message.name = name
    message.extension_range.add(start=200, end=1 << 29)
    kinds = descriptor_pb2.FieldDescriptorProto
    for line in fields.strip("\n").split("\n"):
        number, field_name, kind, *default = line.lstrip(" ").split(" ", 3)
        field = message.field.add(name=field_name, number=int(number), label=kinds.LABEL_OPTIONAL)
        if kind == "list":
            field.label, field.type = kinds.LABEL_REPEATED, kinds.TYPE_STRING
        elif kind[0].isupper():
            field.type = kinds.TYPE_ENUM if default else kinds.TYPE_MESSAGE
            field.type_name = f".{_PACKAGE}.{kind}"
        else:
            field.type = kinds.Type.Value(f"TYPE_{kind.upper()}")
        if default:
            field.default_value = default[0]


def _enumerate(message: Any, name: str, values: dict[str, int]) -> None:
    enumeration = message.enum_type.add(name=name)
    for value, number in values.items():
        enumeration.value.add(name=value, number=number)


def _described() -> Any:
    """The description of the file, in a pool of its own."""
    file = descriptor_pb2.FileDescriptorProto(
        name="sentencepiece_model.proto", package=_PACKAGE, syntax="proto2"
    )
    trainer = file.message_type.add()
    _fill(trainer, "TrainerSpec", _TRAINER_SPEC)
    _enumerate(trainer, "ModelType", _MODEL_TYPES)
    _fill(file.message_type.add(), "NormalizerSpec", _NORMALIZER_SPEC)
    model = file.message_type.add()
    _fill(model, "ModelProto", _MODEL_PROTO)
    piece = model.nested_type.add()
    _fill(piece, "SentencePiece", _PIECE)
    _enumerate(piece, "Type", _PIECE_TYPES)
    kinds = descriptor_pb2.FieldDescriptorProto
    model.field.add(
        name="pieces",
        number=1,
        label=kinds.LABEL_REPEATED,
        type=kinds.TYPE_MESSAGE,
        type_name=f".{_PACKAGE}.ModelProto.SentencePiece",
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool.FindFileByName(file.name)


DESCRIPTOR = _described()
if TYPE_CHECKING:
    # Protobuf makes the classes while this is imported: a type checker cannot know their fields.
    ModelProto: Any
    NormalizerSpec: Any
    TrainerSpec: Any
else:
    ModelProto, NormalizerSpec, TrainerSpec = (
        message_factory.GetMessageClass(DESCRIPTOR.message_types_by_name[name])
        for name in ("ModelProto", "NormalizerSpec", "TrainerSpec")
    )
