//! Checks one cast between tensor dtypes in `cargo test`, with every answer inside the crate.
//!
//! [`check`] asks a function of one element for the codes that matter and judges each result by the
//! book of castproof-book. [`check_slices`] asks a kernel over slices. [`fuzz`] does the same with
//! the input of a fuzz target or a property test. [`verdict`] judges one result, [`bytes`](mod@bytes)
//! those of an array. [`arrange`] puts codes into tensors, [`memory`]
//! puts tensors beside pages that must not be touched. [`words`] and [`numeral`] write codes for people.
#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod arrange;
pub mod bytes;
mod cause;
mod draw;
mod fields;
pub mod fuzz;
mod kernel;
pub mod memory;
pub mod numeral;
mod packed;
mod places;
mod request;
mod slice_kernel;
mod slices;
mod terms;
mod trespass;
pub mod verdict;
pub mod words;

/// Dtypes, requests, outcomes and the book.
pub use castproof_vectors as vectors;
/// Random numbers that follow from a seed.
pub use castproof_vectors::random;
pub use castproof_vectors::{DType, Request};
pub use kernel::{Checked, Code, Failed, check, check_request};
pub use packed::{
    check_foreign_request, check_foreign_within, check_packed, check_packed_request,
    check_packed_within,
};
pub use request::{answers, request, request_of_words};
pub use slices::{check_slices, check_slices_request, check_slices_within};
pub use terms::Terms;
pub use trespass::Trespass;
