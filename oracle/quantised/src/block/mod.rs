//! Blocks: numbers quantised to small elements that share a scale.
//!
//! [`quantise`] gives the scale and the elements of one block by the record of a [`BlockProfile`].
//! A record chooses along axes: how the scale follows from the largest magnitude, what NaN,
//! infinity and zero make of it, how it is applied. No rule asks which profile it serves.
//! [`dequantise`] gives the number that an element stands for, which depends on the [`BlockFormat`]
//! alone.
//!
//! [`BlockFormat`]: castproof_vectors::BlockFormat

mod breakpoints;
mod decoding;
mod group;
mod profiles;
mod quantise;
mod record;
mod scale;
mod steps;

pub use breakpoints::{Boundary, boundaries, breakpoints};
pub use decoding::{Decoding, NUMBERS, decoding, dequantise};
pub use quantise::{Quantised, choices, nan_element, quantise, scale_of_magnitude, under_scale};
pub use steps::FloatStep;

use castproof_vectors::{BlockProfile, DType, RuleId};
use profiles::record;

/// How many numbers share a scale.
pub fn block_size(profile: BlockProfile) -> usize {
    record(profile).size
}

/// The rule that says how the blocks of a tensor lie.
pub fn block_lines(profile: BlockProfile) -> RuleId {
    record(profile).lines
}

/// Is a shorter last block quantised, rather than refused?
pub fn takes_short_blocks(profile: BlockProfile) -> bool {
    record(profile).short.0 == record::Short::Filled
}

/// May a block have other scales than that of [`quantise`]?
pub fn has_free_scale(profile: BlockProfile) -> bool {
    record(profile).other_scales.is_some()
}

/// The dtypes of the numbers that it quantises.
pub fn block_sources(profile: BlockProfile) -> &'static [DType] {
    record(profile).sources
}

/// The dtypes of its elements.
pub fn block_elements(profile: BlockProfile) -> &'static [DType] {
    record(profile).elements
}

/// The dtype of its scales.
pub fn block_scale(profile: BlockProfile) -> DType {
    record(profile).scale.dtype()
}

/// The exponent of the power of two by which numbers are divided under the smallest scale; `None` if
/// the scale is no power of two, or follows from a float32.
pub fn smallest_divisor(profile: BlockProfile) -> Option<i32> {
    match &record(profile).scale {
        record::Scale::Power(scale) => Some(scale.smallest_divisor),
        record::Scale::Steps(_) | record::Scale::Group(_) => None,
    }
}

/// Has the tensor a scale too, beside those of its blocks?
pub fn has_tensor_scale(profile: BlockProfile) -> bool {
    matches!(record(profile).scale, record::Scale::Steps(_))
}
