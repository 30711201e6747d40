//! What people who want to see how a text becomes ids are told: pieces after every stage, and the model's choices.

use pyo3::prelude::*;
use tessella_core::model::derivation::{Candidate, Derivation};
use tessella_core::{PieceToken, StagePiece};

use crate::border::errors::OrRaise;
use crate::border::place::Place;
use crate::border::texts;
use crate::tokenizer::Tokenizer;

/// Text, span in characters, and added token of each piece at some stage.
type Pieces = Vec<(String, usize, usize, Option<u32>)>;

/// An id and where it stands.
type Placed = (u32, usize, usize);
/// A merge: the number of the left symbol, the rank, and the id that comes of it.
type Merged = (usize, u32, u32);
/// A token that fits: start, end, id and score.
type Scored = (usize, usize, u32, f64);

/// The pieces of a text: raw ones, then those after normalisation and after every pre-tokenizer stage. Each
/// is its text, the characters of the original, and the id of the added token that it is.
#[pyfunction]
pub fn stages(
    tokenizer: &Bound<'_, Tokenizer>,
    text: &Bound<'_, PyAny>,
    specials_as_text: bool,
) -> PyResult<(Pieces, Vec<Pieces>)> {
    let text = texts::text(text, Place::Argument("text"))?;
    let found = tokenizer.get().value()?.core.stages(&text, specials_as_text).or_raise()?;
    let stage = |pieces: Vec<StagePiece>| -> Pieces {
        pieces.into_iter().map(|piece| (piece.text, piece.start, piece.end, piece.added)).collect()
    };
    Ok((stage(found.raw), found.later.into_iter().map(stage).collect()))
}

/// How a piece comes to its tokens: what kind of derivation it is, first symbols and merges, or a lattice and
/// the best ways through it. Positions are bytes of the piece.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn derive(
    tokenizer: &Bound<'_, Tokenizer>,
    text: &str,
    n_best: usize,
) -> PyResult<(&'static str, Vec<Placed>, Vec<(Merged, Vec<Merged>)>, Vec<Scored>, Vec<(Vec<Placed>, f64)>)> {
    let merged = |one: Candidate| (one.position, one.rank, one.id);
    Ok(match tokenizer.get().value()?.core.model().derive(text, n_best).or_raise()? {
        Derivation::Whole(id) => ("whole", vec![(id, 0, text.len())], vec![], vec![], vec![]),
        Derivation::Merges { symbols, steps } => {
            let symbols = symbols.into_iter().map(|one| (one.id, one.start, one.end)).collect();
            let steps = steps
                .into_iter()
                .map(|step| (merged(step.chosen), step.losing.into_iter().map(merged).collect()))
                .collect();
            ("merges", symbols, steps, vec![], vec![])
        }
        Derivation::Lattice { edges, paths } => {
            let edges = edges.into_iter().map(|one| (one.start, one.end, one.id, one.score)).collect();
            let placed = |token: PieceToken| (token.id, token.start as usize, token.end as usize);
            let paths = paths
                .into_iter()
                .map(|path| (path.tokens.into_iter().map(placed).collect(), path.score))
                .collect();
            ("lattice", vec![], vec![], edges, paths)
        }
        Derivation::Plain => ("plain", vec![], vec![], vec![], vec![]),
    })
}

/// The model's id of a token, whatever the added tokens say.
#[pyfunction]
pub fn model_id(tokenizer: &Bound<'_, Tokenizer>, token: &str) -> PyResult<Option<u32>> {
    Ok(tokenizer.get().value()?.core.model().token_to_id(token))
}

/// The model's token of an id, whatever the added tokens say.
#[pyfunction]
pub fn model_token(tokenizer: &Bound<'_, Tokenizer>, id: u32) -> PyResult<Option<String>> {
    Ok(tokenizer.get().value()?.core.model().id_to_token(id).map(str::to_string))
}
