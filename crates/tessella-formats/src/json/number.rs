//! Floating point numbers as text: the shortest digits that read back as the same number.
//!
//! Plain notation for moderate sizes, always with a fraction (`-10.0`), exponents beyond (`1e-7`, `1.5e300`).
//! The borders between the two notations differ for 32 and 64 bits; they are those of the common Rust JSON
//! writers, so that files written by either are equal byte for byte.

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

#[cfg(test)]
mod tests {
    use super::*;

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
