//! Cutting a sequence or a pair to the tokens that are left for it.

use crate::encoding::Encoding;
use crate::error::{Error, ErrorKind, Result};
use crate::limits;
use crate::spec::{Truncation, TruncationStrategy};

/// A pair's overflow combines every window of the one with every window of the other. More than this many
/// combinations are refused: they would exhaust the memory.
const MOST_WINDOWS: usize = 1 << 20;

fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Truncation, message)
}

/// Cuts a sequence or a pair to `truncation.max_length - reserved` tokens; `reserved` is what special
/// tokens will take.
pub fn truncate(
    mut first: Encoding,
    mut second: Option<Encoding>,
    truncation: &Truncation,
    reserved: usize,
) -> Result<(Encoding, Option<Encoding>)> {
    let Some(budget) = truncation.max_length.checked_sub(reserved) else {
        return Err(error(format!(
            "Truncation error: max_length is {}, but the special tokens alone are {reserved}; use a larger \
             max_length or encode without special tokens",
            truncation.max_length
        )));
    };
    let &Truncation { stride, direction, .. } = truncation;
    let total = first.len() + second.as_ref().map_or(0, Encoding::len);
    if budget == 0 {
        first.truncate(0, stride, direction)?;
        if let Some(second) = &mut second {
            second.truncate(0, stride, direction)?;
        }
        return Ok((first, second));
    }
    if total <= budget {
        return Ok((first, second));
    }
    let surplus = total - budget;
    let rows = window_count(total, budget, stride);
    limits::check_tokens(rows.saturating_mul(budget), || {
        format!("a stride of {stride} tokens, which makes {rows} windows of {budget},")
    })?;
    match truncation.strategy {
        TruncationStrategy::LongestFirst => match &mut second {
            None => first.truncate(budget, stride, direction)?,
            Some(second) => {
                let (kept_first, kept_second) = share(first.len(), second.len(), budget);
                let windows = window_count(first.len(), kept_first, stride).saturating_mul(window_count(
                    second.len(),
                    kept_second,
                    stride,
                ));
                if windows > MOST_WINDOWS {
                    return Err(error(format!(
                        "Truncation error: cutting a pair of {} and {} tokens to {budget} makes {windows} \
                         combinations of windows, more than {MOST_WINDOWS}; use a larger max_length, a \
                         smaller stride, or truncate only one of the two",
                        first.len(),
                        second.len()
                    )));
                }
                first.truncate(kept_first, stride, direction)?;
                second.truncate(kept_second, stride, direction)?;
            }
        },
        TruncationStrategy::OnlyFirst => cut(&mut first, surplus, truncation)?,
        TruncationStrategy::OnlySecond => match &mut second {
            None => return Err(error("Truncation error: Second sequence not provided")),
            Some(second) => cut(second, surplus, truncation)?,
        },
    }
    Ok((first, second))
}

/// How many tokens of each of two sequences to keep, `budget` together: the shorter one whole if it is at
/// most half, otherwise half each, the longer one with the odd token.
fn share(first: usize, second: usize, budget: usize) -> (usize, usize) {
    let shorter = first.min(second);
    let (of_shorter, of_longer) =
        if shorter <= budget / 2 { (shorter, budget - shorter) } else { (budget / 2, budget - budget / 2) };
    if first <= second { (of_shorter, of_longer) } else { (of_longer, of_shorter) }
}

/// How many windows [`Encoding::truncate`] makes, the kept one included.
fn window_count(len: usize, kept: usize, stride: usize) -> usize {
    if kept >= len {
        1
    } else if kept == 0 {
        2
    } else {
        1 + (len - kept).div_ceil(kept.saturating_sub(stride).max(1))
    }
}

fn cut(target: &mut Encoding, surplus: usize, truncation: &Truncation) -> Result<()> {
    if target.len() <= surplus {
        return Err(error(
            "Truncation error: Sequence to truncate too short to respect the provided max_length",
        ));
    }
    target.truncate(target.len() - surplus, truncation.stride, truncation.direction)
}
