//! All nodes of a character map's trie, place by place.

/// The bit of a unit that is a value and no node.
pub const IS_VALUE: u32 = 1 << 31;
const NO_UNIT: u32 = u32::MAX;

/// Units that stand as children of one place, each leading to the next one: looking for them would take 255 steps a place.
pub struct Siblings {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Siblings {
    pub fn of(units: &[u32]) -> Self {
        let mut first = vec![NO_UNIT; units.len().next_multiple_of(256)];
        let mut next = vec![NO_UNIT; units.len()];
        for (index, unit) in units.iter().enumerate() {
            let byte = (unit & 0xFF) as usize;
            if unit & IS_VALUE == 0 && byte != 0 {
                next[index] = std::mem::replace(&mut first[index ^ byte], index as u32);
            }
        }
        Siblings { first, next }
    }

    /// The units of a place's children.
    pub fn at(&self, position: u32) -> impl Iterator<Item = u32> {
        let of = |table: &[u32], at: u32| table.get(at as usize).copied().filter(|&unit| unit != NO_UNIT);
        std::iter::successors(of(&self.first, position), move |&unit| of(&self.next, unit))
    }
}

/// Bytes of a character that begins with one.
pub fn width(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}
