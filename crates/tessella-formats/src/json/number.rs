//! Floating point numbers as text: the shortest digits that read back as the same number.
//!
//! Plain notation for moderate sizes, always with a fraction (`-10.0`), exponents beyond (`1e-7`, `1.5e300`).
//! The borders between the two notations differ for 32 and 64 bits; they are those of the common Rust JSON
//! writers, so that files written by either are equal byte for byte.

use std::sync::LazyLock;

/// Formats a finite 64-bit number; JSON has no other, so those become `null`.
pub fn format_f64(number: f64) -> String {
    if !number.is_finite() {
        return "null".into();
    }
    layout(&format!("{number:e}"), 16, -5)
}

/// Formats a finite 32-bit number with the digits that 32 bits need.
pub fn format_f32(number: f32) -> String {
    if !number.is_finite() {
        return "null".into();
    }
    layout(&format!("{number:e}"), 13, -6)
}

/// From `-d.ddde-7` to the notation described above. `point` below is where the decimal point stands,
/// counted from the first digit; plain notation is for `low < point <= high`.
fn layout(scientific: &str, high: i32, low: i32) -> String {
    let (sign, rest) = match scientific.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", scientific),
    };
    let (mantissa, exponent) = rest.split_once('e').unwrap_or((rest, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let count = digits.len() as i32;
    let point = exponent + 1;
    if digits == "0" {
        return format!("{sign}0.0");
    }
    if count <= point && point <= high {
        return format!("{sign}{digits}{}.0", "0".repeat((point - count) as usize));
    }
    if 0 < point && point <= high {
        let (whole, fraction) = digits.split_at(point as usize);
        return format!("{sign}{whole}.{fraction}");
    }
    if low < point && point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(-point as usize));
    }
    match digits.split_at(1) {
        (first, "") => format!("{sign}{first}e{exponent}"),
        (first, rest) => format!("{sign}{first}.{rest}e{exponent}"),
    }
}

/// 10^0 to 10^308, each correctly rounded.
static POWERS: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..=308).map(|n| format!("1e{n}").parse().unwrap_or(f64::INFINITY)).collect());

/// Reads a number of JSON syntax the way the reference library of `tokenizer.json` does: the digits as one
/// 64-bit integer (those that no longer fit are dropped), then one multiplication or division by a power of
/// ten. Long numbers may come out a unit in the last place beside the nearest one. Scores of a model must come
/// out the same, for a tie may hang on it.
pub fn read_score(token: &str) -> f64 {
    let (negative, rest) = match token.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let append = |digits: u64, byte: u8| digits.checked_mul(10)?.checked_add((byte - b'0') as u64);
    let mut digits = 0u64;
    let mut power = 0i64;
    let mut bytes = whole.bytes();
    for byte in bytes.by_ref() {
        match append(digits, byte) {
            Some(more) => digits = more,
            None => {
                power = bytes.len() as i64 + 1;
                break;
            }
        }
    }
    for byte in fraction.bytes() {
        match append(digits, byte) {
            Some(more) => {
                digits = more;
                power -= 1;
            }
            None => break,
        }
    }
    // An exponent beyond 32 bits is as good as any of 2^31.
    let saturated = if exponent.starts_with('-') { i32::MIN as i64 } else { i32::MAX as i64 };
    power += exponent.parse::<i32>().map_or(saturated, |exponent| exponent as i64);
    let mut number = digits as f64;
    while power < -308 && number != 0.0 {
        number /= 1e308;
        power += 308;
    }
    if number != 0.0 {
        match POWERS.get(power.unsigned_abs() as usize) {
            Some(scale) if power >= 0 => number *= scale,
            Some(scale) => number /= scale,
            None => number = f64::INFINITY,
        }
    }
    if negative { -number } else { number }
}

/// A text that [`read_score`] reads back as this number: usually the shortest digits of all, else longer ones
/// or those of a neighbour; the shortest digits where none is found.
pub fn format_score(number: f64) -> String {
    let shortest = format_f64(number);
    if !number.is_finite() || read_score(&shortest) == number {
        return shortest;
    }
    // More digits than necessary, of the number and of its neighbours: another rounding on the way in.
    let mut beside = [number, number];
    for _ in 0..8 {
        for digits in 15..=19usize {
            for candidate in beside {
                let text = layout(&format!("{candidate:.*e}", digits - 1), 16, -5);
                if read_score(&text) == number {
                    return text;
                }
            }
        }
        beside = [beside[0].next_down(), beside[1].next_up()];
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_read_as_the_reference_library_reads_them() {
        // Left: as found in a file; right: what the reference library wrote after reading it.
        let cases = [
            ("-3.9131507873535156", -3.913150787353515),
            ("-3.9742844104766846", -3.974284410476685),
            ("-2.1267833709716797", -2.1267833709716797),
            ("0.0", 0.0),
            ("-10", -10.0),
            ("1e-400", 0.0),
            ("123456789012345678901234567890", 123456789012345678901234567890.0),
            ("-1.5E2", -150.0),
        ];
        for (text, number) in cases {
            assert_eq!(read_score(text), number, "{text}");
        }
        assert!(read_score("1e999").is_infinite());
        assert!(read_score("1e99999999999").is_infinite());
    }

    #[test]
    fn scores_come_back() {
        let mut lost = 0;
        let mut state = 99u64;
        for _ in 0..50_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let number = -((state >> 11) as f64) / (1u64 << 49) as f64;
            lost += (read_score(&format_score(number)) != number) as usize;
        }
        // About six of a thousand random numbers have no text of at most 19 digits that is read as them.
        assert!(lost < 500, "{lost} of 50000");
    }

    #[test]
    fn notations() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (-10.0, "-10.0"),
            (1e-7, "1e-7"),
            (0.00001234, "0.00001234"),
            (0.000001234, "1.234e-6"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (123456789012345680.0, "1.2345678901234568e17"),
            (-3.5, "-3.5"),
            (1.5e300, "1.5e300"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
        ];
        for (number, text) in cases {
            assert_eq!(format_f64(number), text);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits());
        }
        assert_eq!(format_f32(0.1), "0.1");
        assert_eq!(format_f64(f64::NAN), "null");
    }

    #[test]
    fn every_number_reads_back() {
        let mut state = 0x1234_5678_9abc_def0u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let number = f64::from_bits(state);
            if number.is_finite() {
                assert_eq!(format_f64(number).parse::<f64>().unwrap().to_bits(), number.to_bits());
            }
            let number = f32::from_bits((state >> 32) as u32);
            if number.is_finite() {
                assert_eq!(format_f32(number).parse::<f32>().unwrap().to_bits(), number.to_bits());
            }
        }
    }
}
