//! Floating point numbers as text: the shortest digits that read back as the same number.
//!
//! Plain notation for moderate sizes, always with a fraction (`-10.0`), exponents beyond (`1e-7`, `1.5e+300`), as the
//! common Rust JSON writers have it, so that files written by either are equal byte for byte.

use std::sync::LazyLock;

/// Appends a finite 64-bit or 32-bit number with the digits that it needs; JSON has no other, so those become `null`.
pub fn write_real(number: impl zmij::Float + Into<f64>, out: &mut String) {
    match number.into().is_finite() {
        true => out.push_str(zmij::Buffer::new().format_finite(number)),
        false => out.push_str("null"),
    }
}

/// The number by itself.
pub fn format_real(number: impl zmij::Float + Into<f64>) -> String {
    let mut out = String::new();
    write_real(number, &mut out);
    out
}

/// 10^0 to 10^308, each correctly rounded.
static POWERS: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..=308).map(|n| format!("1e{n}").parse().unwrap_or(f64::INFINITY)).collect());

/// Digits of a marked exponent, see [`write_score`]. No other writer pads exponents so far.
const MARKED: usize = 4;

/// Reads a number of JSON syntax the way the reference library of `tokenizer.json` does: the digits as one
/// 64-bit integer (those that no longer fit are dropped), then one multiplication or division by a power of
/// ten. Long numbers may come out a unit in the last place beside the nearest one. Scores of a model must come
/// out the same, for a tie may hang on it: read exactly, XLNet's scores segment one in a hundred short runs of a
/// letter in another way.
///
/// A number with a marked exponent is ours, and is the nearest one.
pub fn read_score(token: &str) -> f64 {
    plain_score(token).unwrap_or_else(|| any_score(token))
}

/// Digits that an integer has room for, with a point and a sign.
const MOST_PLAIN: usize = 19 + 2;

/// A number without an exponent, of so few digits that none is dropped.
fn plain_score(token: &str) -> Option<f64> {
    let (is_negative, number) = token.strip_prefix('-').map_or((false, token), |number| (true, number));
    if token.len() >= MOST_PLAIN {
        return None;
    }
    let (mut digits, mut has_point, mut power) = (0u64, 0, 0i64);
    for byte in number.bytes() {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                power -= has_point;
            }
            b'.' => has_point = 1,
            _ => return None,
        }
    }
    let number = scaled(digits, power);
    Some(if is_negative { -number } else { number })
}

/// A number of any notation and length.
fn any_score(token: &str) -> f64 {
    if let Some((_, exponent)) = token.split_once(['e', 'E'])
        && let digits = exponent.trim_start_matches(['+', '-'])
        && digits.len() >= MARKED
        && digits.starts_with('0')
    {
        // The parser has checked the syntax.
        return token.parse().unwrap_or(f64::NAN);
    }
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
    let number = scaled(digits, power);
    if negative { -number } else { number }
}

/// An integer times a power of ten, by one multiplication or division where the power is a float.
fn scaled(digits: u64, mut power: i64) -> f64 {
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
    number
}

/// A text that reads back as this number, here and in every reader that rounds correctly: the shortest digits
/// where the reference library reads them as this number too, else longer ones that it does.
///
/// Its way of reading reaches about 994 of a thousand numbers. For the others the shortest digits are written,
/// with an exponent of four digits (`-1.25e-0000`) that tells [`read_score`] to read them exactly; the reference
/// library then has a neighbour of the number, as it has when it reads its own files.
pub fn write_score(number: f64, out: &mut String) {
    let start = out.len();
    write_real(number, out);
    if number.is_finite() && read_score(&out[start..]) != number {
        out.truncate(start);
        out.push_str(&long_score(number).unwrap_or_else(|| marked(number)));
    }
}

/// Digits that divided by their power of ten round to the number. They are a float themselves, so that whether
/// they are rounded first makes no difference.
fn long_score(number: f64) -> Option<String> {
    const WHOLE: f64 = (1u64 << 53) as f64;
    let size = number.abs();
    let (least, most) = ((WHOLE / size).log10().floor(), (WHOLE * 2048.0 / size).log10().ceil());
    for power in (least as i64).max(0)..=(most as i64).min(308) {
        let nearest = size * POWERS[power as usize];
        let candidates = [nearest, nearest.next_down(), nearest.next_up()];
        for digits in candidates.into_iter().filter(|digits| (WHOLE..WHOLE * 2048.0).contains(digits)) {
            // What is read, but for a whole number, which is written with a fraction.
            if power > 0 && scaled(digits as u64, -power) != size {
                continue;
            }
            let text = plain(number < 0.0, &(digits as u64).to_string(), power as usize);
            if read_score(&text) == number && text.parse() == Ok(number) {
                return Some(text);
            }
        }
    }
    None
}

/// Sixteen digits or more divided by a power of ten, as they would be written if they were the shortest.
fn plain(negative: bool, digits: &str, power: usize) -> String {
    let sign = if negative { "-" } else { "" };
    let point = digits.len() as i64 - power as i64;
    match point {
        17.. | ..=-5 => format!("{sign}{}.{}e{}", &digits[..1], &digits[1..], point - 1),
        ..=0 => format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
        _ if power == 0 => format!("{sign}{digits}.0"),
        _ => {
            let (whole, fraction) = digits.split_at(point as usize);
            format!("{sign}{whole}.{fraction}")
        }
    }
}

/// The shortest digits with a marked exponent.
fn marked(number: f64) -> String {
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-5..16).contains(&exponent) {
        return format!("{}e-0000", format_real(number));
    }
    let sign = if exponent < 0 { "-" } else { "" };
    format!("{mantissa}e{sign}{:0MARKED$}", exponent.abs())
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
        for (text, _) in cases {
            assert_eq!(read_score(text).to_bits(), any_score(text).to_bits(), "{text}");
        }
        assert!(read_score("1e999").is_infinite());
        assert!(read_score("1e99999999999").is_infinite());
    }

    #[test]
    fn scores_come_back() {
        let format_score = |number: f64| {
            let mut out = String::new();
            write_score(number, &mut out);
            out
        };
        let mut state = 99u64;
        // How many the reference library cannot be given.
        let elsewhere = std::cell::Cell::new(0);
        let check = |number: f64| {
            let text = format_score(number);
            assert_eq!(read_score(&text).to_bits(), number.to_bits(), "{text}");
            assert_eq!(any_score(&text).to_bits(), number.to_bits(), "{text}");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits(), "{text}");
            elsewhere.set(elsewhere.get() + text.contains("e-0000") as usize);
        };
        for round in 0..50_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            check(-((state >> 11) as f64) / (1u64 << 49) as f64);
            if round % 5 == 0 && f64::from_bits(state).is_finite() {
                check(f64::from_bits(state));
            }
        }
        assert!((1..500).contains(&elsewhere.get()), "{} of 50000", elsewhere.get());
        for number in
            [f64::MAX, f64::MIN_POSITIVE, 5e-324, -0.0, 0.0, 2.225_073_858_507_201e-308, 9007199254740993.0]
        {
            check(number);
        }
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
            (1e16, "1e+16"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (-3.5, "-3.5"),
            // As near to one as to the other: the even one.
            (-1.087_684_631_347_656_3, "-1.0876846313476562"),
            (1.5e300, "1.5e+300"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
        ];
        for (number, text) in cases {
            assert_eq!(format_real(number), text);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits());
        }
        assert_eq!(format_real(0.1f32), "0.1");
        assert_eq!(format_real(f64::NAN), "null");
    }

    #[test]
    fn every_number_reads_back() {
        let mut state = 0x1234_5678_9abc_def0u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let number = f64::from_bits(state);
            if number.is_finite() {
                assert_eq!(format_real(number).parse::<f64>().unwrap().to_bits(), number.to_bits());
            }
            let number = f32::from_bits((state >> 32) as u32);
            if number.is_finite() {
                assert_eq!(format_real(number).parse::<f32>().unwrap().to_bits(), number.to_bits());
            }
        }
    }
}
