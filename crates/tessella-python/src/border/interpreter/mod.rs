//! What is asked of the interpreter's own functions: the ids of a list of plain integers, and the text of bytes.
//!
//! Ids come as lists of tens of thousands of integers, and taking a reference to each, asking for its value with an error
//! that may come back, and giving the reference up again costs more than decoding it. Bytes that may be no UTF-8 become
//! text in one pass where the interpreter itself replaces what is none; asked for text alone it would raise an error first.
//! Characters whose width is known are a text as they are.
//!
//! Methods that are called once for each id have a way of their own in ([`quick`]), and what they keep needs no lock besides the
//! interpreter's ([`guarded`]).
//!
//! Columns of tokens are written into arrays in one step ([`fresh`]), and places become pairs of numbers ([`pairs()`]).
//!
//! This is the only room of this crate with unsafe code. The slow twin of [`plain_ids`] is `Vec::<TokenId>::extract`, which
//! reads all that it leaves alone, subclasses of `list` among it, and the twins of the texts are the
//! engine's; the tests compare them.
//!
//! How texts keep their characters is known where the module is compiled for one version of the interpreter (`characters`). The
//! module for all of them asks for what the stable ABI promises (`stable`).

use std::ffi::c_int;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyInt, PyList, PyString};
use tessella_core::TokenId;
use tessella_core::flat::prefetch;

#[cfg(not(Py_LIMITED_API))]
mod characters;
pub mod fresh;
pub mod guarded;
mod pairs;
pub mod quick;
#[cfg(Py_LIMITED_API)]
mod stable;

#[cfg(not(Py_LIMITED_API))]
pub use characters::{AHEAD, Characters, ascii_text, item, length, narrow, wide_text};
pub use pairs::pairs;
#[cfg(Py_LIMITED_API)]
pub use stable::{AHEAD, Characters, ascii_text, item, length, narrow, wide_text};

/// How an `int` of one digit, which ids are but for 0, is told from others, and where that digit lies. What the interpreter
/// promises is a function that is called for each number; reading takes a third of that. So this is known of some versions,
/// and tried before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Digits {
    /// Which bits of the word behind the object's head tell signs and the number of digits.
    mask: usize,
    /// What they are for one digit of a number above 0.
    one: usize,
}

/// The digit follows the word.
const WORD: usize = size_of::<ffi::PyObject>();
const DIGIT: usize = WORD + size_of::<usize>();
const BITS_OF_DIGIT: u32 = 30;

impl Digits {
    /// No number is told from others: all of them are asked for.
    const UNKNOWN: Digits = Digits { mask: 0, one: 1 };

    /// What holds in this process.
    fn known(py: Python<'_>) -> Digits {
        static KNOWN: PyOnceLock<Digits> = PyOnceLock::new();
        *KNOWN.get_or_init(py, || Digits::tried(py).ok().flatten().unwrap_or(Digits::UNKNOWN))
    }

    /// What this version of the interpreter is known to do, if it does.
    fn tried(py: Python<'_>) -> PyResult<Option<Digits>> {
        let (sys, int) = (py.import("sys")?, py.get_type::<PyInt>());
        let number = |of: &Bound<'_, PyAny>, name: &str| of.getattr(name)?.extract::<usize>();
        let digits = match py.version_info() {
            version if version < (3, 10) => return Ok(None),
            // The number of digits, with the number's sign.
            version if version < (3, 12) => Digits { mask: !0, one: 1 },
            // Two bits for the sign, one that small numbers have in later versions, the number of digits.
            version if version < (3, 15) => Digits { mask: !4, one: 1 << 3 },
            _ => return Ok(None),
        };
        let is_cpython = sys.getattr("implementation")?.getattr("name")?.eq("cpython")?;
        let info = sys.getattr("int_info")?;
        let as_known = size_of::<usize>() == 8
            && number(int.as_any(), "__basicsize__")? == DIGIT
            && number(int.as_any(), "__itemsize__")? == size_of::<u32>()
            && number(&info, "bits_per_digit")? == BITS_OF_DIGIT as usize;
        if !is_cpython || !as_known {
            return Ok(None);
        }
        let mut ok = true;
        for bit in 0..64 {
            for value in
                [(1 << bit) - 1, 1 << bit, (1 << bit) + 1, 0x5A5A_5A5A_5A5A_5A5A & ((1_i128 << bit) - 1)]
            {
                for value in [value, -value] {
                    let number = value.into_pyobject(py)?;
                    let wanted = (1..1 << BITS_OF_DIGIT).contains(&value).then_some(value as TokenId);
                    // SAFETY: an `int`, which is as large as its type says.
                    #[allow(unsafe_code)]
                    let read = unsafe { digits.read(number.as_ptr()) };
                    ok &= read == wanted;
                }
            }
        }
        Ok(ok.then_some(digits))
    }

    /// The value of an exact `int` of one digit; `None` for others.
    ///
    /// # Safety
    ///
    /// `number` is an exact `int`, of an interpreter in which the word and the digits of such lie where they are read.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn read(self, number: *mut ffi::PyObject) -> Option<TokenId> {
        // SAFETY: every `int` has the word, and who has one digit at least has the first. Both are aligned as objects are,
        // and never change.
        unsafe {
            let number = number.cast::<u8>();
            let word = number.add(WORD).cast::<usize>().read();
            (word & self.mask == self.one).then(|| number.add(DIGIT).cast::<TokenId>().read())
        }
    }
}

/// The ids of a list of nothing but `int`, in room that the caller keeps; `None` where anything else is in it, or a number
/// that is no id.
pub fn plain_ids<'r>(list: &Bound<'_, PyList>, room: &'r mut Vec<TokenId>) -> Option<&'r [TokenId]> {
    let digits = Digits::known(list.py());
    // Where threads run without the interpreter's lock, nobody changes the list meanwhile.
    with_critical_section(list.as_any(), || {
        let length = list.len();
        if room.len() < length {
            room.resize(length, 0);
        }
        let ids = &mut room[..length];
        let read = |at: usize| {
            // SAFETY: we are attached to the interpreter, and `at` is an index of the list, so that the item is there, and
            // belongs to the list. Nothing in `exact_id` runs code of Python's, so nobody takes the item out of the list
            // before it was read.
            #[allow(unsafe_code)]
            unsafe {
                exact_id(item(list, at), digits)
            }
        };
        let asked = length.saturating_sub(AHEAD);
        for (two, both) in ids[..asked].chunks_mut(2).enumerate() {
            // SAFETY: an index of the list, and of its item no byte is taken.
            #[allow(unsafe_code)]
            let later = unsafe { std::slice::from_raw_parts(item(list, 2 * two + AHEAD).cast::<u8>(), 0) };
            // The next one mostly lies beside it.
            prefetch(later, 0);
            for (at, id) in both.iter_mut().enumerate() {
                *id = read(2 * two + at)?;
            }
        }
        for (at, id) in ids[asked..].iter_mut().enumerate() {
            *id = read(asked + at)?;
        }
        Some(&*ids)
    })
}

/// The id that an `int` is; `None` for anything else, and for a number that is no id.
pub fn plain_id(id: &Bound<'_, PyAny>) -> Option<TokenId> {
    let digits = Digits::known(id.py());
    // SAFETY: we are attached to the interpreter and hold a reference.
    #[allow(unsafe_code)]
    unsafe {
        exact_id(id.as_ptr(), digits)
    }
}

/// # Safety
///
/// The thread is attached to the interpreter, `item` is an object that lives for the time of the call, and `digits` are what
/// was tried, or [`Digits::UNKNOWN`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn exact_id(item: *mut ffi::PyObject, digits: Digits) -> Option<TokenId> {
    // SAFETY: types are compared by address, and the value of an exact `int` is read where it is known to lie, or by the
    // interpreter's function for that, which tells of an overflow by its argument and raises nothing.
    let value = unsafe {
        if ffi::PyLong_CheckExact(item) == 0 {
            return None;
        }
        if let Some(id) = digits.read(item) {
            return Some(id);
        }
        let mut overflow: c_int = 0;
        ffi::PyLong_AsLongAndOverflow(item, &raw mut overflow)
    };
    // After an overflow the value is -1.
    TokenId::try_from(value).ok()
}

/// The text of bytes, with U+FFFD for what is no UTF-8.
pub fn lossy_text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: the pointer and the length are those of the slice, which is read during the call, and the name of the rule
    // ends with a zero. What comes back is a new reference to a `str`, or null with an error set.
    #[allow(unsafe_code)]
    unsafe {
        let length = bytes.len() as ffi::Py_ssize_t;
        let text = ffi::PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), length, c"replace".as_ptr());
        Ok(Bound::from_owned_ptr_or_err(py, text)?.cast_into_unchecked())
    }
}
