//! The native part of the Python module `castproof`: it carries questions from arrays to the crates
//! and answers back. What Python sees is in the folder `castproof`; `_native.pyi` has the signatures.
//!
//! Arrays come as bytes: the codes of their elements, each in as many bytes as the dtype's element
//! takes in numpy. Elements of less than a byte take one.
#![forbid(unsafe_code)]
#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over")]

mod blocks;
mod cast;
mod check;
mod expect;
mod function;
mod linear;
mod program;
mod quantiser;
mod request;

use pyo3::pymodule;

/// The module `castproof._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::blocks::{block_format, block_rule, dequantize, quantize};
    #[pymodule_export]
    use crate::cast::cast;
    #[pymodule_export]
    use crate::check::{check, check_blocks, check_linear};
    #[pymodule_export]
    use crate::expect::{admits, expect};
    #[pymodule_export]
    use crate::program::main;
    #[pymodule_export]
    use crate::request::{Cast, dtype, dtypes, elements};
}
