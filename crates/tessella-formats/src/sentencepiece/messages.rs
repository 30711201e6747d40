//! Segmentations as the messages that the library exchanges.

use tessella_core::Result;
use tessella_core::sentencepiece::{Piece, Segmentation};

use super::wire::{Fields, Writer};

/// Fields of a segmentation, of its pieces and of a list of segmentations.
const TEXT: u32 = 1;
const PIECES: u32 = 2;
const SCORE: u32 = 3;
const PIECE: u32 = 1;
const ID: u32 = 2;
const SURFACE: u32 = 3;
const BEGIN: u32 = 4;
const END: u32 = 5;
const LIST: u32 = 1;

/// The bytes of a `SentencePieceText` message.
pub fn write(segmentation: &Segmentation) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.bytes(TEXT, &segmentation.text);
    for piece in &segmentation.pieces {
        let mut fields = Writer::default();
        fields.bytes(PIECE, &piece.text);
        fields.varint(ID, u64::from(piece.id));
        piece.surface.iter().for_each(|surface| fields.bytes(SURFACE, surface));
        fields.varint(BEGIN, piece.begin as u64);
        fields.varint(END, piece.end as u64);
        writer.bytes(PIECES, &fields.bytes);
    }
    segmentation.score.into_iter().for_each(|score| writer.float(SCORE, score));
    writer.bytes
}

/// The segmentation that [`write()`] wrote.
pub fn read(bytes: &[u8]) -> Result<Segmentation> {
    let mut found = Segmentation::default();
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next_field()? {
        match field.number {
            TEXT => found.text = field.bytes()?.to_vec(),
            PIECES => found.pieces.push(read_piece(field.bytes()?)?),
            SCORE => found.score = Some(field.float()?),
            _ => {}
        }
    }
    Ok(found)
}

fn read_piece(bytes: &[u8]) -> Result<Piece> {
    let mut piece = Piece { id: 0, text: Vec::new(), surface: None, begin: 0, end: 0 };
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next_field()? {
        match field.number {
            PIECE => piece.text = field.bytes()?.to_vec(),
            ID => piece.id = field.varint()? as u32,
            SURFACE => piece.surface = Some(field.bytes()?.to_vec()),
            BEGIN => piece.begin = field.varint()? as usize,
            END => piece.end = field.varint()? as usize,
            _ => {}
        }
    }
    Ok(piece)
}

/// The bytes of an `NBestSentencePieceText` message.
pub fn write_list(list: &[Segmentation]) -> Vec<u8> {
    let mut writer = Writer::default();
    list.iter().for_each(|one| writer.bytes(LIST, &write(one)));
    writer.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let piece = |surface: Option<&str>| Piece {
            id: 70_000,
            text: b"\xFFa".to_vec(),
            surface: surface.map(|surface| surface.into()),
            begin: 300,
            end: 301,
        };
        for pieces in [vec![], vec![piece(None), piece(Some("é"))]] {
            for score in [None, Some(-1.5)] {
                let one = Segmentation { text: "é".into(), pieces: pieces.clone(), score };
                assert_eq!(read(&write(&one)).unwrap(), one);
            }
        }
    }
}
