//! What every component is called and made of, told once, by a table for each stage.
//!
//! A row of a table is a variant of its stage. It gives the component the name of its class in Python, which is its `type` in
//! `tokenizer.json` too, and its fields in the order of that file. Reading and writing, fingerprints, pickles, and the
//! constructors, getters and setters of Python follow from it through [`Described`], and so do the names in their messages. So a
//! new component is a row, and what runs it.
//!
//! `Variant(Struct)` stands where a struct holds the fields, which are then named in brackets. `| "Name"` is another name that
//! files have for it. `field: Type as "name"` is a field that others call differently, and `field: Type = value` one that a file
//! may leave out.

use std::sync::Arc;

use super::{
    CharsmapMatching, Pattern, PrependScheme, SentencePiece, SplitBehavior, TemplatePiece, TemplateSpecial,
};
use crate::error::Result;
use crate::ids::TokenId;

/// A field of a component.
#[derive(Debug)]
pub struct Field<'s> {
    /// Its name in Python.
    pub name: &'static str,
    /// Whether a file must have it; what may be missing has its default already.
    pub required: bool,
    /// Its value.
    pub slot: Slot<'s>,
}

macro_rules! slots {
    ($($kind:ident($type:ty),)*) => {
        /// Where the value of a field lies, by its type.
        #[derive(Debug, PartialEq)]
        #[allow(missing_docs)] // Each is called as its type is.
        pub enum Slot<'s> {
            $($kind(&'s mut $type),)*
        }

        impl Slot<'_> {
            /// Takes over the value of a field of the same type.
            pub fn put(self, value: Slot<'_>) {
                match (self, value) {
                    $((Slot::$kind(here), Slot::$kind(there)) => here.clone_from(there),)*
                    _ => {}
                }
            }
        }

        $(impl<'s> From<&'s mut $type> for Slot<'s> {
            fn from(value: &'s mut $type) -> Self {
                Slot::$kind(value)
            }
        })*
    };
}

slots! {
    Flag(bool),
    MaybeFlag(Option<bool>),
    Number(usize),
    MaybeNumber(Option<usize>),
    Probability(Option<f32>),
    MaybeReal(Option<f64>),
    Text(String),
    MaybeText(Option<String>),
    Texts(Arc<[String]>),
    Character(char),
    Bytes(Arc<[u8]>),
    Pattern(Pattern),
    Behavior(SplitBehavior),
    Scheme(PrependScheme),
    Matching(CharsmapMatching),
    Token((String, TokenId)),
    Template(Vec<TemplatePiece>),
    Specials(Vec<TemplateSpecial>),
    Pieces(Arc<Vec<SentencePiece>>),
}

/// The component of a stage, by name and fields.
pub trait Described: Clone + Send + Sync + 'static {
    /// The stage's name in messages.
    const TITLE: &'static str;
    /// All kinds but sequences and users' own.
    const KINDS: &'static [&'static str];

    /// What it is called: the name of its class in Python and its `type` in files.
    fn kind(&self) -> &'static str;

    /// A component of a kind, or of another name for it, whose fields have their defaults.
    fn blank(kind: &str) -> Option<Self>;

    /// Its fields, in the order of a file.
    fn fields(&mut self) -> Vec<Field<'_>>;

    /// Whether the fields fit together.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Several as one. Models do not come in sequences: the first of them.
    fn sequence(parts: Vec<Self>) -> Self;

    /// The parts of a sequence, or the component itself.
    fn parts(self) -> std::result::Result<Vec<Self>, Self>;

    /// Of a component of the user's own, where it can be imported from, if anywhere.
    fn import_path(&self) -> Option<Option<String>> {
        None
    }
}

macro_rules! described {
    ($(#[$about:meta])* $spec:ident $title:literal [$($custom:ident($object:ty))? $(; $check:expr)?] $(
        $(#[$says:meta])*
        $variant:ident $(($inner:ident))? = $kind:literal $(| $other:literal)*
        $({ $($(#[$tells:meta])* $field:ident: $type:ty $(as $name:literal)? $(= $default:expr)?),* $(,)? })?
        $([ $($own:ident),* ])?;
    )*) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $spec {
            $($(#[$says])* $variant $(($inner))? $({ $($(#[$tells])* $field: $type),* })?,)*
            /// Several, one after the other.
            Sequence(Vec<$spec>),
            $(/// A component of the user's own.
            $custom($object),)?
        }

        impl $crate::spec::Described for $spec {
            const TITLE: &'static str = $title;
            const KINDS: &'static [&'static str] = &[$($kind),*];

            fn kind(&self) -> &'static str {
                match self {
                    $($spec::$variant { .. } => $kind,)*
                    $spec::Sequence(_) => "Sequence",
                    $($spec::$custom(_) => $title,)?
                }
            }

            fn blank(kind: &str) -> Option<Self> {
                match kind {
                    $($kind $(| $other)* => Some(described!(@whole $spec $variant [$($inner)?]
                        $($($field: described!(@or $($default)?),)*)? $($($own: Default::default(),)*)?)),)*
                    _ => None,
                }
            }

            fn fields(&mut self) -> Vec<$crate::spec::described::Field<'_>> {
                match self {
                    $(described!(@whole $spec $variant [$($inner)?] $($($field: $field,)*)? $($($own: $own,)*)?) => vec![
                        $($($crate::spec::described::Field {
                            name: described!(@name $field $($name)?),
                            required: described!(@required $($default)?),
                            slot: $field.into(),
                        },)*)?
                        $($($crate::spec::described::Field { name: stringify!($own), required: true, slot: $own.into() },)*)?
                    ],)*
                    #[allow(unreachable_patterns)]
                    _ => Vec::new(),
                }
            }

            $(fn check(&self) -> $crate::Result<()> {
                let check: fn(&Self) -> $crate::Result<()> = $check;
                check(self)
            })?

            fn sequence(parts: Vec<Self>) -> Self {
                $spec::Sequence(parts)
            }

            fn parts(self) -> std::result::Result<Vec<Self>, Self> {
                match self {
                    $spec::Sequence(parts) => Ok(parts),
                    one => Err(one),
                }
            }

            $(fn import_path(&self) -> Option<Option<String>> {
                match self {
                    $spec::$custom(custom) => Some(custom.import_path()),
                    _ => None,
                }
            })?
        }
    };
    (@whole $spec:ident $variant:ident [] $($fields:tt)*) => { $spec::$variant { $($fields)* } };
    (@whole $spec:ident $variant:ident [$inner:ident] $($fields:tt)*) => { $spec::$variant($inner { $($fields)* }) };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    (@or) => { Default::default() };
    (@or $default:expr) => { $default };
    (@required) => { true };
    (@required $default:expr) => { false };
}

pub(super) use described;
