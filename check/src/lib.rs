//! Checks one cast between tensor dtypes in `cargo test`, with every answer inside the crate.
//!
//! [`check`] asks a function of one element for the codes that matter and judges each result by the
//! book of castproof-vectors. [`check_slices`] asks a kernel over slices. [`fuzz`] does the same with the input of a fuzz target or a property test.
//! [`verdict`] judges one result. [`arrange`] puts codes into tensors, [`memory`]
//! puts tensors beside pages that must not be touched. [`words`] and [`numeral`] write codes for people.
#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod arrange;
mod draw;
pub mod fuzz;
mod kernel;
pub mod memory;
pub mod numeral;
mod slices;
mod trespass;
pub mod verdict;
pub mod words;

/// Dtypes, requests, outcomes and the book.
pub use castproof_vectors as vectors;
/// Random numbers that follow from a seed.
pub use castproof_vectors::random;
pub use castproof_vectors::{DType, Request};
pub use kernel::{Checked, Code, Failed, check, check_request};
pub use slices::{check_packed, check_packed_request, check_slices, check_slices_request};
pub use trespass::Trespass;
