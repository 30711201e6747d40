//! Segmentations as the messages that the library exchanges.

use tessella_core::sentencepiece::Segmentation;

use super::wire::Writer;

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

/// The bytes of an `NBestSentencePieceText` message.
pub fn write_list(list: &[Segmentation]) -> Vec<u8> {
    let mut writer = Writer::default();
    list.iter().for_each(|one| writer.bytes(LIST, &write(one)));
    writer.bytes
}
