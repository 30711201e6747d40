//! The quick ways of `Tokenizer.decode`, for short lists, and of what is asked about one token, whose calls take as long as all that is
//! done.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::border::interpreter::plain_id;
use crate::border::interpreter::quick::{answer, quick_methods};
use crate::border::recurring;
use crate::tokenizer::Tokenizer;
use crate::tokenizer::state::State;

quick_methods! {
    quicken_tokenizer, Tokenizer:
    Decode "decode" |this, arguments| {
        let (ids, skip_special_tokens) = match arguments.all() {
            Some([ids]) => (ids, true),
            None => {
                let [ids, skip] = arguments.all()?;
                (ids, skip.cast::<PyBool>().ok()?.is_true())
            }
        };
        let text = this.decoded_at_hand(ids, skip_special_tokens)?;
        Some(text.map(|text| Some(text.into_any())))
    };
    TokenToId "token_to_id" |this, arguments| {
        let [token] = arguments.all()?;
        let token = token.cast_exact::<PyString>().ok()?.to_str().ok()?;
        answer(arguments.py(), this.peek(|value| Some(value.core.token_to_id(token)))?)
    };
    IdToToken "id_to_token" |this, arguments| {
        let ([id], py) = (arguments.all()?, arguments.py());
        let id = plain_id(id)?;
        let token = |State { core, .. }: &State| {
            Some(recurring::text(py, core.texts_number(), id, |id| core.id_to_token(id)))
        };
        answer(py, this.peek(token)?)
    };
    GetVocabSize "get_vocab_size" |this, arguments| {
        let [with_added_tokens] = arguments.all()?;
        let with_added_tokens = with_added_tokens.cast::<PyBool>().ok()?.is_true();
        answer(arguments.py(), this.peek(|value| Some(Some(value.core.vocab_size(with_added_tokens))))?)
    };
    NumSpecialTokensToAdd "num_special_tokens_to_add" |this, arguments| {
        let [is_pair] = arguments.all()?;
        let is_pair = is_pair.cast::<PyBool>().ok()?.is_true();
        answer(arguments.py(), this.peek(|value| Some(Some(value.core.added_tokens_to_add(is_pair))))?)
    };
}
