//! Exact integers and rationals.
//!
//! With the feature `gmp` they are those of `rug`; without it, of `num-bigint`, for programs that
//! must build without GMP. Both say the same: the tests of this crate run on either, and the book,
//! which GMP wrote, is held to both.

#[cfg(not(feature = "gmp"))]
mod integer;
#[cfg(not(feature = "gmp"))]
mod rational;

#[cfg(feature = "gmp")]
pub use rug::{Integer, Rational, ops::Pow};
#[cfg(not(feature = "gmp"))]
pub use {
    integer::{Integer, Pow},
    rational::Rational,
};
