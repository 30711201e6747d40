//! Methods that are called once for each id, entered without what the bindings put before every method.
//!
//! The bindings note that the thread is attached, sort arguments by name and look at what was found, and only then call the
//! method: with a step of a stream that is a fifth of the call. A method that has a *quick* way is asked first, for calls without
//! names, and may leave a call alone; then, and with names, the bindings' own method is called, as it would have been. So all that
//! can be wrong with arguments is said by them, and the quick way is tested against its slow twin by giving a name.
//!
//! What stands in the class is a descriptor of the interpreter's, like the one before it and with its name, page and signature,
//! whose function is [`enter`]. All that is asked of the interpreter for it the stable ABI promises from 3.10 on, which is
//! the oldest that modules are made for.

use std::any::Any;
use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

use pyo3::IntoPyObjectExt;
use pyo3::ffi;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::PyType;
use pyo3::{PyClass, PyTypeInfo};

/// What a method gives by its quick way: `None` for a call that it leaves alone, with everything as it was, and else what comes
/// back, in which `None` is Python's.
pub type Answer<'py> = Option<PyResult<Option<Bound<'py, PyAny>>>>;

/// The arguments of a call without names.
#[derive(Clone, Copy)]
pub struct Unnamed<'a, 'py> {
    py: Python<'py>,
    arguments: &'a [*mut ffi::PyObject],
}

impl<'a, 'py> Unnamed<'a, 'py> {
    /// Who calls is attached.
    #[inline(always)]
    pub fn py(self) -> Python<'py> {
        self.py
    }

    /// All of them, if there are so many.
    #[inline(always)]
    pub fn all<const N: usize>(self) -> Option<[&'a Bound<'py, PyAny>; N]> {
        let arguments: &'a [_; N] = self.arguments.try_into().ok()?;
        // SAFETY: each is an object that the caller keeps for the time of the call, which is `'a`.
        #[allow(unsafe_code)]
        Some(arguments.each_ref().map(|argument| unsafe { Bound::ref_from_ptr(self.py, argument) }))
    }
}

/// A method with a quick way.
pub trait Quick {
    type Of: PyClass<Frozen = True> + Sync;
    const NAME: &'static str;

    fn quick<'py>(this: &Self::Of, arguments: Unnamed<'_, 'py>) -> Answer<'py>;

    /// Where the bindings' method is kept.
    fn twin() -> &'static Twin;
}

/// What was found, as a quick way's answer.
#[inline(always)]
pub fn answer<'py, T: IntoPyObject<'py>>(py: Python<'py>, found: Option<T>) -> Answer<'py> {
    Some(found.map(|found| found.into_bound_py_any(py)).transpose())
}

/// A type for each of some methods of a class, by their names, with its quick way; and a function that puts all of them before the
/// bindings' own.
macro_rules! quick_methods {
    ($all:ident, $of:ty: $($method:ident $name:literal |$this:ident, $arguments:ident| $answer:expr;)*) => {
        $(
            struct $method;

            impl $crate::border::interpreter::quick::Quick for $method {
                type Of = $of;
                const NAME: &'static str = $name;

                #[inline(always)]
                fn quick<'py>(
                    $this: &$of,
                    $arguments: $crate::border::interpreter::quick::Unnamed<'_, 'py>,
                ) -> $crate::border::interpreter::quick::Answer<'py> {
                    $answer
                }

                fn twin() -> &'static $crate::border::interpreter::quick::Twin {
                    static TWIN: $crate::border::interpreter::quick::Twin =
                        $crate::border::interpreter::quick::Twin::new();
                    &TWIN
                }
            }
        )*

        /// Puts the quick ways before the bindings' own methods.
        pub fn $all(py: Python<'_>) -> PyResult<()> {
            $($crate::border::interpreter::quick::quicken::<$method>(py)?;)*
            Ok(())
        }
    };
}

pub(crate) use quick_methods;

/// The function that the bindings made of a method.
#[derive(Default)]
pub struct Twin(OnceLock<ffi::PyCFunctionFastWithKeywords>);

impl Twin {
    pub const fn new() -> Self {
        Twin(OnceLock::new())
    }
}

/// How the bindings' methods with arguments are called.
const FLAGS: c_int = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;

/// Puts the quick way of a method before the bindings' own.
pub fn quicken<M: Quick>(py: Python<'_>) -> PyResult<()> {
    let class = M::Of::type_object(py);
    let Some(mut method) = method_of(&class, M::NAME) else { return Ok(()) };
    // SAFETY: the flags say which of the functions it is.
    #[allow(unsafe_code)]
    let twin = unsafe { method.ml_meth.PyCFunctionFastWithKeywords };
    if M::twin().0.set(twin).is_err() {
        // Done before.
        return Ok(());
    }
    method.ml_meth = ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: enter::<M> };
    // As long as the class, which is as long as the process.
    let method = Box::leak(Box::new(method));
    // SAFETY: a class, and a method that stays. What comes back is a new reference, or null with an error set.
    #[allow(unsafe_code)]
    let descriptor = unsafe {
        let descriptor = ffi::PyDescr_NewMethod(class.as_type_ptr(), method);
        Bound::from_owned_ptr_or_err(py, descriptor)?
    };
    class.setattr(M::NAME, descriptor)
}

/// What a class of the bindings was made with for a method, if that is called by [`FLAGS`]. Only CPython promises that a method gets
/// an instance of its class.
fn method_of(class: &Bound<'_, PyType>, name: &str) -> Option<ffi::PyMethodDef> {
    if cfg!(any(PyPy, GraalPy)) {
        return None;
    }
    // SAFETY: the methods that a class was made with stand in a row that stays for as long as the class, each with a name that ends
    // with a zero, and behind the last is one whose name is null. Nobody writes to them.
    #[allow(unsafe_code)]
    unsafe {
        let mut next =
            ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_methods).cast::<ffi::PyMethodDef>();
        while !next.is_null() && !(*next).ml_name.is_null() {
            if CStr::from_ptr((*next).ml_name).to_bytes() == name.as_bytes() {
                return ((*next).ml_flags == FLAGS).then_some(*next);
            }
            next = next.add(1);
        }
    }
    None
}

/// What the interpreter calls.
///
/// # Safety
///
/// As the interpreter calls a method by [`FLAGS`]: the thread is attached, `this` is an instance of the class that the descriptor
/// was made for, or of one below it, which the descriptor has seen to, `count` arguments stand at `arguments`, and those behind
/// them which `names` names.
#[allow(unsafe_code)]
unsafe extern "C" fn enter<M: Quick>(
    this: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if names.is_null() && count > 0 {
        // SAFETY: as told above. A frozen class lends out its contents to whoever holds an object of it, as the caller does. Where
        // the bindings do not know that the thread is attached, they leave references that they give up for later, and ask the
        // interpreter to attach it once more, both of which it may be asked for at any time.
        let (py, arguments, this) = unsafe {
            let py = Python::assume_attached();
            let arguments = std::slice::from_raw_parts(arguments, count as usize);
            (py, arguments, Borrowed::from_ptr(py, this).cast_unchecked::<M::Of>().get())
        };
        match catch_unwind(AssertUnwindSafe(|| M::quick(this, Unnamed { py, arguments }))) {
            Ok(None) => {}
            Ok(Some(Ok(Some(answer)))) => return answer.into_ptr(),
            Ok(Some(Ok(None))) => return py.None().into_ptr(),
            Ok(Some(Err(error))) => return raised(py, error),
            Err(panic) => return raised(py, of_panic(panic)),
        }
    }
    // It is there: this function is nobody's before.
    let Some(twin) = M::twin().0.get() else { return ptr::null_mut() };
    // SAFETY: with what was made for it.
    unsafe { twin(this, arguments, count, names) }
}

#[cold]
fn raised(py: Python<'_>, error: PyErr) -> *mut ffi::PyObject {
    error.restore(py);
    ptr::null_mut()
}

/// What the bindings make of a panic.
#[cold]
fn of_panic(panic: Box<dyn Any + Send>) -> PyErr {
    let said = match panic.downcast::<String>() {
        Ok(said) => *said,
        Err(panic) => panic.downcast_ref::<&str>().unwrap_or(&"panic from Rust code").to_string(),
    };
    PanicException::new_err((said,))
}
