//! The trainer and normalizer sections of a model, field by field.
//!
//! A field that the file does not set is `None` or empty and has a default that its method gives. Fields
//! that are not known here (extensions, newer versions) are kept as they stand.

use tessella_core::Result;

use super::wire::{Field, Fields, Writer};

/// A kind of value that a field may hold.
trait FieldValue: Sized {
    fn read(field: &Field<'_>) -> Result<Self>;
    fn write(&self, number: u32, writer: &mut Writer);
}

impl FieldValue for String {
    fn read(field: &Field<'_>) -> Result<Self> {
        field.text().map(str::to_string)
    }
    fn write(&self, number: u32, writer: &mut Writer) {
        writer.bytes(number, self.as_bytes());
    }
}

impl FieldValue for Vec<u8> {
    fn read(field: &Field<'_>) -> Result<Self> {
        field.bytes().map(<[u8]>::to_vec)
    }
    fn write(&self, number: u32, writer: &mut Writer) {
        writer.bytes(number, self);
    }
}

impl FieldValue for bool {
    fn read(field: &Field<'_>) -> Result<Self> {
        field.varint().map(|value| value != 0)
    }
    fn write(&self, number: u32, writer: &mut Writer) {
        writer.varint(number, *self as u64);
    }
}

impl FieldValue for i32 {
    fn read(field: &Field<'_>) -> Result<Self> {
        field.varint().map(|value| value as i32)
    }
    fn write(&self, number: u32, writer: &mut Writer) {
        // Negative numbers are sign-extended to 64 bits.
        writer.varint(number, *self as i64 as u64);
    }
}

impl FieldValue for u64 {
    fn read(field: &Field<'_>) -> Result<Self> {
        field.varint()
    }
    fn write(&self, number: u32, writer: &mut Writer) {
        writer.varint(number, *self);
    }
}

impl FieldValue for f32 {
    fn read(field: &Field<'_>) -> Result<Self> {
        field.float()
    }
    fn write(&self, number: u32, writer: &mut Writer) {
        writer.float(number, *self);
    }
}

/// A section from its fields: `number name: type = default`, and lists of texts, by ascending number.
macro_rules! section {
    (
        $(#[$doc:meta])* $section:ident;
        $( $number:literal $name:ident : $kind:tt $( $type:ty = $default:expr )? ; )*
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $section {
            // Fields are called as SentencePiece calls them.
            $( #[allow(missing_docs)] pub $name: section!(@type $kind $($type)?), )*
            /// Fields without a name here, as they stand in the file.
            pub unknown: Vec<u8>,
        }

        impl $section {
            /// Reads the section's bytes; `base` is the byte of the file where they start. A field that comes
            /// twice counts as it comes last.
            pub fn read(bytes: &[u8], base: usize) -> Result<Self> {
                let mut section = $section::default();
                let mut fields = Fields::new(bytes, base);
                while let Some(field) = fields.next_field()? {
                    match field.number {
                        $( $number => section!(@read $kind section.$name, field), )*
                        _ => section.unknown.extend_from_slice(field.raw),
                    }
                }
                Ok(section)
            }

            /// The section's bytes, fields by ascending number, the unknown ones last.
            pub fn write(&self) -> Vec<u8> {
                let mut writer = Writer::default();
                $( section!(@write $kind self.$name, $number, writer); )*
                writer.raw(&self.unknown);
                writer.bytes
            }

            $( section!(@getter $kind $name $($type = $default)?); )*
        }
    };
    (@type one $type:ty) => { Option<$type> };
    (@type list) => { Vec<String> };
    (@read one $place:expr, $field:expr) => { $place = Some(FieldValue::read(&$field)?) };
    (@read list $place:expr, $field:expr) => { $place.push(FieldValue::read(&$field)?) };
    (@write one $place:expr, $number:literal, $writer:ident) => {
        if let Some(value) = &$place { value.write($number, &mut $writer) }
    };
    (@write list $place:expr, $number:literal, $writer:ident) => {
        for value in &$place { value.write($number, &mut $writer) }
    };
    (@getter one $name:ident $type:ty = $default:expr) => {
        /// The value, or the default where none is set.
        pub fn $name(&self) -> $type {
            self.$name.clone().unwrap_or_else(|| $default)
        }
    };
    (@getter list $name:ident) => {};
}

/// `model_type` of a Unigram model.
pub const UNIGRAM: i32 = 1;
/// `model_type` of a BPE model.
pub const BPE: i32 = 2;
/// `model_type` of a word model.
pub const WORD: i32 = 3;
/// `model_type` of a character model.
pub const CHAR: i32 = 4;

section! {
    /// How the model was trained, and the few settings among these that encoding depends on.
    TrainerSpec;
    1 input: list;
    2 model_prefix: one String = String::new();
    3 model_type: one i32 = UNIGRAM;
    4 vocab_size: one i32 = 8000;
    5 accept_language: list;
    6 self_test_sample_size: one i32 = 0;
    7 input_format: one String = String::new();
    10 character_coverage: one f32 = 0.9995;
    11 input_sentence_size: one u64 = 0;
    12 mining_sentence_size: one i32 = 0;
    13 training_sentence_size: one i32 = 0;
    14 seed_sentencepiece_size: one i32 = 1_000_000;
    15 shrinking_factor: one f32 = 0.75;
    16 num_threads: one i32 = 16;
    17 num_sub_iterations: one i32 = 2;
    18 max_sentence_length: one i32 = 4192;
    19 shuffle_input_sentence: one bool = true;
    20 max_sentencepiece_length: one i32 = 16;
    21 split_by_unicode_script: one bool = true;
    22 split_by_whitespace: one bool = true;
    23 split_by_number: one bool = true;
    24 treat_whitespace_as_suffix: one bool = false;
    25 split_digits: one bool = false;
    26 allow_whitespace_only_pieces: one bool = false;
    30 control_symbols: list;
    31 user_defined_symbols: list;
    32 vocabulary_output_piece_score: one bool = true;
    33 hard_vocab_limit: one bool = true;
    34 use_all_vocab: one bool = false;
    35 byte_fallback: one bool = false;
    36 required_chars: one String = String::new();
    40 unk_id: one i32 = 0;
    41 bos_id: one i32 = 1;
    42 eos_id: one i32 = 2;
    43 pad_id: one i32 = -1;
    44 unk_surface: one String = " \u{2047} ".to_string();
    45 unk_piece: one String = "<unk>".to_string();
    46 bos_piece: one String = "<s>".to_string();
    47 eos_piece: one String = "</s>".to_string();
    48 pad_piece: one String = "<pad>".to_string();
    49 train_extremely_large_corpus: one bool = false;
    50 enable_differential_privacy: one bool = false;
    51 differential_privacy_noise_level: one f32 = 0.0;
    52 differential_privacy_clipping_threshold: one u64 = 0;
    53 pretokenization_delimiter: one String = String::new();
    54 seed_sentencepieces_file: one String = String::new();
    55 auto_character_coverage: one bool = false;
}

section! {
    /// How text is normalized before the model sees it.
    NormalizerSection;
    1 name: one String = String::new();
    2 precompiled_charsmap: one Vec<u8> = Vec::new();
    3 add_dummy_prefix: one bool = true;
    4 remove_extra_whitespaces: one bool = true;
    5 escape_whitespaces: one bool = true;
    6 normalization_rule_tsv: one String = String::new();
}
