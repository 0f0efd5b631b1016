//! Outside witnesses: other people's implementations of the same casts, held against the oracle.
//!
//! No one here is believed blindly. Where a witness differs from the oracle, the rules decide.
//! A witness that is wrong has its fault in a table with the input that proves it, and the test
//! fails on the day on which the fault is gone.

mod apfloat;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod float8_crate;
mod half_crate;
mod machine;
mod microfloat_crate;
mod ml_dtypes;
mod numpy;
