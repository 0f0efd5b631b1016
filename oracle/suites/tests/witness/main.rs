//! Compares the oracle with witnesses: other people's implementations of the same casts.
//!
//! If a witness differs from the oracle, the rules decide. The known faults of a witness are in a
//! table, each with an input that proves it. The test fails as soon as a fault is gone, so that the
//! table stays correct.

mod apfloat;
#[path = "../../../tests/common/mod.rs"]
mod common;
mod compare;
mod float8_crate;
mod half_crate;
mod machine;
mod microfloat_crate;
mod ml_dtypes;
mod numpy;
