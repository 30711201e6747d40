//! Tells the crate whether it is compiled for one version of the interpreter or for the stable ABI.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
