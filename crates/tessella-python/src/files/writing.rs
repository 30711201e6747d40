//! The one writer of files, for what Python writes.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tessella_formats::atomic::{self, Replacement, Together};

use crate::border::errors::{OrRaise, argument};

/// A file that takes the place of another when it is committed, and vanishes without.
#[pyclass(module = "tessella._tessella")]
pub struct Replacing {
    path: PathBuf,
    replacement: Option<Replacement>,
}

#[pymethods]
impl Replacing {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let made = py.detach(|| Replacement::new(&path));
        let made = made.map_err(|error| atomic::io_error(&path, "writing", error)).or_raise()?;
        Ok(Replacing { path, replacement: Some(made) })
    }

    /// A descriptor of its own for the file, which the caller closes.
    fn descriptor(&self, py: Python<'_>) -> PyResult<i64> {
        let replacement = self.replacement.as_ref().ok_or_else(|| argument("the file is written already"))?;
        let file = replacement.file().try_clone()?;
        #[cfg(unix)]
        {
            let _ = py;
            Ok(std::os::fd::IntoRawFd::into_raw_fd(file).into())
        }
        #[cfg(windows)]
        {
            let handle = std::os::windows::io::IntoRawHandle::into_raw_handle(file) as isize;
            py.import("msvcrt")?.call_method1("open_osfhandle", (handle, 0))?.extract()
        }
    }

    /// Gives the file up.
    fn abandon(&mut self) {
        self.replacement = None;
    }
}

/// Puts files that belong together under their names.
#[pyfunction]
pub fn commit(py: Python<'_>, files: Vec<PyRefMut<'_, Replacing>>) -> PyResult<()> {
    let Some(path) = files.first().map(|file| file.path.clone()) else { return Ok(()) };
    let all: Vec<Replacement> = files.into_iter().filter_map(|mut file| file.replacement.take()).collect();
    py.detach(|| atomic::commit_all(all))
        .map_err(|error| atomic::io_error(&path, "writing", error))
        .or_raise()
}

/// The content of an ordinary file.
#[pyfunction]
pub fn read_file<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyBytes>> {
    let content = py.detach(|| atomic::read(&path)).or_raise()?;
    Ok(PyBytes::new(py, &content))
}

/// Writes files of one folder, of which a reader sees all or none. The names are seen from the folder.
#[pyfunction]
pub fn write_together(
    py: Python<'_>,
    folder: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    makes_folder: bool,
) -> PyResult<Vec<PathBuf>> {
    let mut together = Together::new(folder);
    if makes_folder {
        together.make_folder();
    }
    for (name, content) in files {
        together.put(name, content);
    }
    py.detach(|| together.write()).or_raise()
}
