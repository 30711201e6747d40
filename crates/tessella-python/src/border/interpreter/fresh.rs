//! New arrays, written where they stay.
//!
//! The bindings make an array of numbers by copying them, by taking over a vector, or of zeros: a column that is to become
//! wider would be written twice, once for the array. Here each number is written once, into memory that was just asked for. The slow
//! twins are the lists of the same columns; tests compare them.
//!
//! NumPy may let other threads run while it asks for memory: whoever holds a lock that they may wait for must not make an array. So
//! numbers are looked at when the array is there.

use std::marker::PhantomData;

use numpy::ndarray::{Dimension, IntoDimension};
use numpy::{Element, PyArray, PyArrayMethods};
use pyo3::prelude::*;

/// An array of numbers.
pub type Array<'py, T, D> = Bound<'py, PyArray<T, D>>;

/// What of a new array has not been written yet.
pub struct Room<'a, T> {
    next: *mut T,
    left: usize,
    /// Something was to be put where no room was left.
    is_short: bool,
    array: PhantomData<&'a mut [T]>,
}

impl<T: Copy + Default> Room<'_, T> {
    /// Writes what `each` makes of the next values.
    #[inline]
    pub fn put<S: Copy>(&mut self, values: &[S], each: impl Fn(S) -> T) {
        if values.len() > self.left {
            self.is_short = true;
            return;
        }
        // SAFETY: from `next` on there are `left` elements of the array that the lifetime is of, which nobody else knows. `Copy`
        // types hold no references, so that what was there before need not be dropped.
        #[allow(unsafe_code)]
        unsafe {
            for (index, &value) in values.iter().enumerate() {
                self.next.add(index).write(each(value));
            }
            self.next = self.next.add(values.len());
        }
        self.left -= values.len();
    }

    /// So many numbers more, to be changed; nothing if there are not.
    pub fn zeros(&mut self, count: usize) -> &mut [T] {
        if count > self.left {
            self.is_short = true;
            return &mut [];
        }
        // SAFETY: as above; all of them are written before they are lent, for as long as nobody else can write here.
        #[allow(unsafe_code)]
        unsafe {
            let first = self.next;
            for index in 0..count {
                first.add(index).write(T::default());
            }
            self.next = first.add(count);
            self.left -= count;
            std::slice::from_raw_parts_mut(first, count)
        }
    }
}

/// An array of a shape with what `write` puts into it, in order; `None` if that is not what the shape asks for. NumPy has been
/// imported.
pub fn array<'py, T: Element + Copy, I: IntoDimension>(
    py: Python<'py>,
    shape: I,
    write: impl FnOnce(&mut Room<'_, T>),
) -> Option<Array<'py, T, I::Dim>> {
    let shape = shape.into_dimension();
    let left = shape.size();
    // SAFETY: nobody else knows the new array, whose elements lie one after the other; it is given away only if all of them were
    // written.
    #[allow(unsafe_code)]
    unsafe {
        let array = PyArray::<T, I::Dim>::new(py, shape, false);
        let mut room = Room { next: array.data(), left, is_short: false, array: PhantomData };
        write(&mut room);
        (room.left == 0 && !room.is_short).then_some(array)
    }
}
