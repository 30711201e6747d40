//! A column of numbers as bytes, for who stores or sends an encoding: one byte that tells the width, then each number in so
//! many bytes, the lowest first. The largest number decides the width, and most columns need one byte or two.

use crate::error::{Error, Result};

/// Bytes of a number, narrow to wide.
const WIDTHS: [usize; 4] = [1, 2, 4, 8];

/// The column as bytes.
pub fn pack_column(numbers: impl Iterator<Item = u64> + Clone) -> Vec<u8> {
    let bits = 64 - numbers.clone().fold(0, |all, number| all | number).leading_zeros() as usize;
    let width = WIDTHS.into_iter().find(|width| bits <= 8 * width).unwrap_or(8);
    let mut bytes = vec![width as u8];
    bytes.reserve_exact(width * numbers.size_hint().0);
    match width {
        1 => bytes.extend(numbers.map(|number| number as u8)),
        2 => numbers.for_each(|number| bytes.extend((number as u16).to_le_bytes())),
        4 => numbers.for_each(|number| bytes.extend((number as u32).to_le_bytes())),
        _ => numbers.for_each(|number| bytes.extend(number.to_le_bytes())),
    }
    bytes
}

/// The numbers of [`pack_column`]'s bytes. `name` is told where they are no such bytes, or a number is too large.
pub fn unpack_column<T: TryFrom<u64>>(name: &str, bytes: &[u8]) -> Result<Vec<T>> {
    let wrong = |why: String| Error::format(format!("the encoding's `{name}` is no column: {why}"));
    let (&width, numbers) = bytes.split_first().ok_or_else(|| wrong("it has no width".into()))?;
    let width = usize::from(width);
    if !WIDTHS.contains(&width) || numbers.len() % width != 0 {
        return Err(wrong(format!("{} bytes are no numbers of {width} bytes", numbers.len())));
    }
    let number =
        |number: u64| T::try_from(number).map_err(|_| wrong(format!("the number {number} is too large")));
    match width {
        1 => numbers.iter().map(|&byte| number(u64::from(byte))).collect(),
        2 => {
            numbers.as_chunks().0.iter().map(|&bytes| number(u64::from(u16::from_le_bytes(bytes)))).collect()
        }
        4 => {
            numbers.as_chunks().0.iter().map(|&bytes| number(u64::from(u32::from_le_bytes(bytes)))).collect()
        }
        _ => numbers.as_chunks().0.iter().map(|&bytes| number(u64::from_le_bytes(bytes))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back_at_any_width() {
        for (largest, width) in
            [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (1 << 32, 8), (u64::MAX, 8)]
        {
            let numbers = vec![largest, 0, largest / 2, 1.min(largest)];
            let bytes = pack_column(numbers.iter().copied());
            assert_eq!(bytes.len(), 1 + 4 * width, "{largest}");
            assert_eq!(unpack_column::<u64>("ids", &bytes).unwrap(), numbers);
            assert_eq!(unpack_column::<u32>("ids", &bytes).is_ok(), u32::try_from(largest).is_ok());
        }
        assert!(unpack_column::<u32>("ids", &pack_column(std::iter::empty())).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_column_is_told() {
        for bytes in [&[][..], &[0], &[3, 1, 2, 3], &[2, 1], &[9]] {
            let message = unpack_column::<u32>("words", bytes).unwrap_err().to_string();
            assert!(message.contains("`words` is no column"), "{message}");
        }
    }
}
