//! Pieces that are not learned: unknown, begin, end, padding, control and user-defined symbols, bytes.

use std::collections::{BTreeMap, HashSet};

use tessella_core::spec::PieceKind;
use tessella_core::{Error, ErrorKind, Result};
use tessella_formats::sentencepiece::sections::{self, TrainerSpec};

use super::SPACE;

/// Reserved pieces by id.
pub(super) type Meta = BTreeMap<i32, (String, PieceKind)>;

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Train, message))
}

/// The pieces that the options name. Ids that are given come first; the others take the lowest free ones.
pub(super) fn pieces(spec: &TrainerSpec) -> Result<Meta> {
    let mut meta = Meta::new();
    let unknown = spec.unk_piece();
    for (name, id, piece) in [
        ("unk", spec.unk_id(), spec.unk_piece()),
        ("bos", spec.bos_id(), spec.bos_piece()),
        ("eos", spec.eos_id(), spec.eos_piece()),
        ("pad", spec.pad_id(), spec.pad_piece()),
    ] {
        if id < 0 {
            continue;
        }
        if id >= spec.vocab_size() {
            return wrong(format!("{name}_id is {id}: it must be below vocab_size, {}", spec.vocab_size()));
        }
        if name != "unk" && piece == unknown {
            return wrong(format!(
                "{name}_piece and unk_piece are both `{piece}`: give them different texts"
            ));
        }
        let kind = if name == "unk" { PieceKind::Unknown } else { PieceKind::Control };
        if let Some((other, _)) = meta.insert(id, (piece, kind)) {
            return wrong(format!("{name}_id is {id}, and so is the id of `{other}`: ids must differ"));
        }
    }
    if spec.unk_id() < 0 {
        return wrong(format!("unk_id is {}: `{unknown}` must have an id of 0 or more", spec.unk_id()));
    }

    let given = [
        (spec.bos_piece(), spec.bos_id()),
        (spec.eos_piece(), spec.eos_id()),
        (spec.pad_piece(), spec.pad_id()),
    ];
    let control = spec.control_symbols.iter().map(|piece| (piece.clone(), PieceKind::Control));
    // A word begins with a mark, and so must a symbol that stands for a word.
    let marked = |piece: &String| {
        let marked = spec.model_type() == sections::WORD && !piece.starts_with(SPACE);
        marked.then(|| format!("{SPACE}{piece}"))
    };
    let user = spec.user_defined_symbols.iter();
    let user = user.flat_map(|piece| [Some(piece.clone()), marked(piece)]);
    let user = user.flatten().map(|piece| (piece, PieceKind::UserDefined));
    let bytes =
        (0..256 * usize::from(spec.byte_fallback())).map(|byte| (format!("<0x{byte:02X}>"), PieceKind::Byte));
    let (mut seen, mut free) = (HashSet::new(), 0);
    for (piece, kind) in control.chain(user).chain(bytes) {
        if piece == unknown {
            return wrong(format!(
                "`{piece}` is the unknown piece: it cannot be among control_symbols or user_defined_symbols"
            ));
        }
        if !seen.insert(piece.clone()) {
            return wrong(format!("`{piece}` is already defined: every symbol can be given once only"));
        }
        // A symbol that has its id already only changes its kind.
        match given.iter().find(|(text, id)| *text == piece && *id >= 0) {
            Some((_, id)) => drop(meta.insert(*id, (piece, kind))),
            None => {
                while meta.contains_key(&free) {
                    free += 1;
                }
                meta.insert(free, (piece, kind));
            }
        }
    }
    if meta.len() > spec.vocab_size() as usize {
        let bytes = if spec.byte_fallback() { ", 256 of them for byte_fallback" } else { "" };
        return wrong(format!(
            "vocab_size is {}: there are {} reserved pieces{bytes}. Ask for more",
            spec.vocab_size(),
            meta.len()
        ));
    }
    Ok(meta)
}
