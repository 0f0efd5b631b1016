//! Float formats by parameters, and one projection: how an exact number becomes a code.
//!
//! A format is a [`Format`], a record of bits, sign, precision, bias and special codes. [`decode()`] gives the exact value of a
//! code. [`project`] goes the other way, in three steps: [`round()`], [`saturate()`], [`encode()`]. The numbers are exact, and no
//! machine float is used.
//!
//! The ids in the comments (FM, PF, PJ) are those of the rules of formats and projections. IEEE P3109 is a draft: its rules here are
//! those of the interim report 4.0, and of what its working group wrote down in July 2026.
//!
//! ```
//! use castproof_formats::{Format, Projection, Rounding, Saturation, project};
//! use castproof_oracle::read;
//!
//! let format = Format::named("binary8p4se")?;
//! // 232 is midway between 224, the largest number, and 240, which would be next.
//! let value = read("232").expect("a number");
//! let nearest = Projection { rounding: Rounding::NearestEven, ..Projection::default() };
//! assert_eq!(project(&value, &format, &nearest), Ok(0x7e));
//! let up = Projection { rounding: Rounding::Up, ..nearest };
//! assert_eq!(project(&value, &format, &up), Ok(0x7f));
//! let kept = Projection { saturation: Saturation::Finite, ..up };
//! assert_eq!(project(&value, &format, &kept), Ok(0x7e));
//! # Ok::<(), String>(())
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![allow(
    clippy::cmp_owned,
    clippy::useless_conversion,
    reason = "an operation on GMP's integers is carried out by its conversion"
)]

mod decode;
mod encode;
mod named;
mod p3109;
mod project;
mod projection;
mod record;
mod round;
mod saturate;
mod suite;
pub mod ways;

pub use castproof_oracle::Value;
pub use castproof_vectors::{Edition, RoundingMode, Saturation};
pub use decode::decode;
pub use encode::encode;
pub use named::{NAMED, Named};
pub use project::project;
pub use projection::{Open, Projection, RandomBits, Rounding};
pub use record::{Format, Specials};
pub use round::round;
pub use saturate::saturate;
pub use suite::{Projected, project_question, projections};
