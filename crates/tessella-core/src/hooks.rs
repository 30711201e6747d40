//! Components that users write themselves.
//!
//! The engine knows them only through these traits. A component that can be found again by an import path
//! may be saved; one that cannot makes saving an error.

use std::fmt::Debug;

use crate::error::Result;
use crate::text::NormalizedString;

/// A user's normalizer: changes the text it is handed through the string's own methods.
pub trait CustomNormalizer: Debug + Send + Sync {
    /// Rewrites a text in place.
    fn normalize(&self, text: &mut NormalizedString) -> Result<()>;
    /// `package.module:Name`, if the component can be saved.
    fn import_path(&self) -> Option<String>;
}

/// A user's pre-tokenizer: cuts each piece into pieces, in order.
pub trait CustomPreTokenizer: Debug + Send + Sync {
    /// Gets all text pieces of one text and returns the pieces of each.
    fn pre_tokenize(&self, pieces: Vec<NormalizedString>) -> Result<Vec<Vec<NormalizedString>>>;
    /// As of a normalizer.
    fn import_path(&self) -> Option<String>;
}

/// A user's decoder: a list of token texts to the list of texts to join.
pub trait CustomDecoder: Debug + Send + Sync {
    /// The texts that, joined, are the decoded text.
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>>;
    /// As of a normalizer.
    fn import_path(&self) -> Option<String>;
}

/// Two custom components are the same if they are the same object.
macro_rules! same_object {
    ($($hook:ident),*) => {$(
        impl PartialEq for dyn $hook {
            fn eq(&self, other: &Self) -> bool {
                std::ptr::addr_eq(self, other)
            }
        }
    )*};
}

same_object!(CustomNormalizer, CustomPreTokenizer, CustomDecoder);
