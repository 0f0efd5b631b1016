//! Tables from which every answer of an MX profile follows without the oracle.

use super::profiles::record;
use super::quantise::{nan_element, scale_of_magnitude};
use crate::error::QuestionError;
use castproof_oracle::format::{CodeKind, FLOAT32, FloatFormat, kind};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{decode, encode};
use castproof_vectors::{BlockProfile, DType};

/// Returns, for each code of the scale from 0 up to NaN, the first magnitude of float32 with which a
/// block has it, with those of infinity and of a NaN that enters last; `None` where none has it. The scale
/// rises with the magnitude, so a magnitude has the last code whose first magnitude is not above it.
///
/// # Errors
/// If the profile has no such elements, a scale of the tensor, or scales of float32.
pub fn breakpoints(
    profile: BlockProfile,
    element: DType,
) -> Result<Vec<Option<u64>>, QuestionError> {
    let scale = record(profile).scale.dtype();
    if scale == DType::Float32 {
        return Err(QuestionError(format!(
            "{}: its scale is a {scale}, which has too many codes",
            profile.name()
        )));
    }
    let codes = usize::try_from(record(profile).scale.dtype().code_mask()).expect("eight bits") + 1;
    let ask = |magnitude| scale_of_magnitude(profile, element, magnitude);
    let infinity = encode::infinity(&FLOAT32, false);
    let last = if nan_element(profile, element)?.is_none() { infinity + 1 } else { infinity };
    let mut firsts = vec![None; codes];
    let (mut first, mut code) = (0, ask(0)?);
    loop {
        firsts[usize::try_from(code).expect("eight bits")] = Some(first);
        // The first magnitude of another code lies in low + 1 ..= high.
        let (mut low, mut high) = (first, last);
        if ask(high)? == code {
            return Ok(firsts);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if ask(middle)? == code {
                low = middle;
            } else {
                high = middle;
            }
        }
        (first, code) = (high, ask(high)?);
    }
}

/// The midpoint below an element: where rounding begins to give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The code of the element, without sign.
    pub code: u64,
    /// The midpoint between it and the code before, a code of float32. With a scale of 2^e it is
    /// multiplied by 2^e.
    pub midpoint: u64,
    /// Does the midpoint itself become this element? Otherwise it becomes the one before.
    pub taken: bool,
}

/// Returns the boundaries of all elements of a dtype that are not zero, ascending; `None` if it is no
/// float. Whatever is beyond the last midpoint becomes the largest element.
pub fn boundaries(element: DType) -> Option<Vec<Boundary>> {
    let Some(CodeKind::Float(format)) = kind(element) else { return None };
    Some((1..=format.largest_code()).map(|code| boundary(&format, code)).collect())
}

fn boundary(format: &FloatFormat, code: u64) -> Boundary {
    let sum = decode::finite(format, code - 1) + decode::finite(format, code);
    let midpoint = sum >> 1;
    let taken = Nearest::new(&midpoint, format).code == code;
    let rounded = round::to_format(&midpoint, &FLOAT32, MagnitudeRounding::NearestEven);
    assert!(rounded.is_exact(), "float32 holds every midpoint");
    Boundary { code, midpoint: encode::magnitude(&FLOAT32, &rounded), taken }
}
