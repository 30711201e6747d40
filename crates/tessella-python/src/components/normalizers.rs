//! Handles of normalizers.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tessella_core::cancel::Cancel;
use tessella_core::limits;
use tessella_core::normalize::Normalizer;
use tessella_core::spec::NormalizerSpec as Spec;
use tessella_core::text::NormalizedString as Text;

use crate::border::interrupt::sized;
use crate::border::texts::string;
use crate::components::custom::Custom;
use crate::components::stage::handle;
use crate::components::strings::NormalizedString;

handle!(NormalizerHandle, Spec, Normalizer, {
    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Spec::Custom(Arc::new(Custom(object))).into()
    }

    fn normalize_str(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<String> {
        string(text, "sequence", "")?;
        let text: PyBackedStr = text.extract()?;
        let normalizer = self.built()?;
        sized(py, text.len(), |cancel| {
            let _work = limits::begin(text.len(), Cancel::new(cancel));
            let mut string = Text::new(&*text);
            string.change(|aligned| normalizer.normalize(aligned))?;
            Ok(string.normalized().to_string())
        })
    }

    fn normalize(&self, text: &Bound<'_, NormalizedString>) -> PyResult<()> {
        text.get().normalize(&*self.built()?)
    }
});
