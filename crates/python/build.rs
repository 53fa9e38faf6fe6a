//! Lets macOS find the symbols of Python in the interpreter that loads the module.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
