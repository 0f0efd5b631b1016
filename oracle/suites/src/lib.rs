//! Which tests are asked, and what each of them is due.
//!
//! [`cases`] chooses the codes of a request: where its answer changes, and the neighbours of these
//! places. [`suite`] and [`profile_suite`] make the vector files of casts from them. [`questions`]
//! makes the suites of other questions, and [`answer`] answers each. Every answer comes from
//! [`castproof_oracle`] and [`castproof_quantised`], which know no test.
//!
//! ```
//! use castproof_suites::cases;
//! use castproof_vectors::{DType, Level};
//!
//! // 464 is midway between 448, the largest float8e4m3fn, and 480, which would be next.
//! let chosen = cases(DType::Float32, DType::Float8E4M3FN, Level::Core);
//! assert!(chosen.contains_key(&0x43e8_0000));
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![allow(
    clippy::cmp_owned,
    clippy::useless_conversion,
    reason = "an operation on GMP's integers is carried out by its conversion"
)]

mod answer;
mod attributes;
mod cases;
mod changes;
mod notes;
mod questions;
mod suite;

pub use answer::{Answer, answer};
pub use attributes::asked_attributes;
pub use cases::{Cases, Flag, cases};
pub use changes::{Changed, ChangedClass, ChangedExample, changes};
pub use questions::questions;
pub use suite::{owner, profile_suite, suite};
