//! How quantisers of blocks go their own ways.
//!
//! A method is a record of axes: how the scale follows from the largest magnitude, which numbers enter
//! it, what zero, infinity and NaN make of it, how it is applied, how elements are rounded. The method
//! of a [`BlockProfile`](castproof_vectors::BlockProfile) is the starting point, and a [`BlockChange`] moves
//! it along one axis. All of it is exact.

mod catalogue;
mod elements;
mod groups;
mod logarithm;
mod numbers;
mod scale;
mod steps;
mod words;

pub use catalogue::{
    BlockChange, Enters, Exponent, Lowest, NanElement, NanScale, NumberRead, Overflow, PowerMethod,
    QuotientTies, ScaleShift, element_changes, scale_changes,
};
pub use elements::NAN_ELEMENTS;
pub use groups::{
    GroupApply, GroupChange, GroupMethod, GroupNan, GroupPower, GroupRatio, group_changes,
};
pub use numbers::{Largest, Numbers};
pub use steps::{StepChange, StepMethod, step_changes};
