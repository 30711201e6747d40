//! All tokens of a table in the characters of the byte-level alphabet at once.

use tessella_core::Narrow;
use tessella_core::pretokenize::byte_alphabet::BYTE_TO_CHAR;

/// Bytes whose characters are written together.
const PORTION: usize = 1024;

/// Many byte strings in the alphabet's characters, one behind the other, and where each ends, below 4 GiB. `ends` says where
/// the byte strings end that lie in `bytes` one behind the other.
pub fn all_in_alphabet(bytes: &[u8], ends: &[u32]) -> (String, Vec<u32>) {
    let mut spelled = String::with_capacity(bytes.len() * 2);
    // A vocabulary has one number more.
    let mut spelled_ends = Vec::with_capacity(ends.len() + 1);
    let mut ends = ends.iter().map(|&end| end as usize).peekable();
    let (mut units, mut places) = ([0u16; PORTION], [0u32; PORTION]);
    let mut place = 0u32;
    for (number, portion) in bytes.chunks(PORTION).enumerate() {
        // Whatever strings they are of: those are short, and loops over few bytes end where nobody foresees it.
        for ((&byte, unit), before) in portion.iter().zip(&mut units).zip(&mut places) {
            let c = BYTE_TO_CHAR[usize::from(byte)];
            (*unit, *before) = (c as u16, place);
            place = place.wrapping_add(1 + u32::from(!c.is_ascii()));
        }
        let first = number * PORTION;
        while let Some(end) = ends.next_if(|&end| end < first + portion.len()) {
            spelled_ends.push(places[end - first]);
        }
        // They are characters, all of them.
        let _ = Narrow::Twos(&units[..portion.len()]).append_to(&mut spelled);
    }
    spelled_ends.extend(ends.map(|_| place));
    (spelled, spelled_ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessella_core::pretokenize::byte_alphabet::bytes_to_alphabet;

    #[test]
    fn strings_end_where_they_would_by_themselves() {
        let bytes = (0..=255).collect::<Vec<u8>>().repeat(5);
        // Beyond what is written together, and up to its end.
        let cuts = [0, 1, 1, 100, 256, 1023, 1024, 1025, 1280, 1280];
        let (spelled, ends) = all_in_alphabet(&bytes, &cuts);
        assert_eq!(spelled, bytes_to_alphabet(&bytes));
        let expected = cuts.map(|cut| bytes_to_alphabet(&bytes[..cut as usize]).len() as u32);
        assert_eq!(ends, expected);
        assert_eq!(all_in_alphabet(b"", &[0, 0]), (String::new(), vec![0, 0]));
    }
}
