//! Fuzz targets and property tests of other crates: the bytes of an input decide the codes.
//!
//! ```
//! use castproof_check::{fuzz, DType};
//!
//! fn my_cast(x: u8) -> f32 {
//!     f32::from(x)
//! }
//! // In `fuzz_target!(|input: &[u8]| ...)` of cargo-fuzz, or a property of proptest:
//! # let input: &[u8] = b"any bytes";
//! fuzz::check(input, DType::Uint8, DType::Float32, my_cast).unwrap();
//! ```

use crate::arrange::{Kinds, any};
use crate::bytes;
pub use crate::draw::Draw;
use crate::kernel::{Checked, Code, Failed, check_typed, failed};
use crate::packed::Packed;
use crate::slice_kernel::Kernel;
use crate::slices::{Slices, Typed};
use crate::terms::Bounds;
pub use castproof_vectors::random::Random;
use castproof_vectors::{DType, NEWEST, Request};

/// Codes that are drawn from the answers for one input.
const DRAWN: usize = 64;

/// The largest number of codes that the bytes of an input spell.
const SPELLED: usize = 64;

/// Checks a function against the newest version of `Cast` without attributes. It asks the codes
/// that the bytes of an input spell, and a batch drawn from the answers.
///
/// # Errors
/// If a result is neither expected nor tolerated, or a type does not fit its dtype.
pub fn check<A: Code, B: Code>(
    input: &[u8],
    from: DType,
    to: DType,
    cast: impl FnMut(A) -> B,
) -> Result<Checked, Failed> {
    check_request(input, &Request::cast(from, to, NEWEST), cast)
}

/// Does the same as [`check`], for any version and with attributes.
///
/// # Errors
/// The same as those of [`check`]; also if the request is refused, because nothing can be checked
/// then.
pub fn check_request<A: Code, B: Code>(
    input: &[u8],
    request: &Request,
    cast: impl FnMut(A) -> B,
) -> Result<Checked, Failed> {
    let draw = Draw::of(request).or_else(failed)?;
    check_typed(&draw, &of_input(&draw, input), cast)
}

/// Checks a kernel over slices against the newest version of `Cast` without attributes. It asks the
/// codes of [`check`], each alone, and then some slices of them as
/// [`check_slices`](crate::check_slices) does.
///
/// # Errors
/// The same as those of [`check_slices`](crate::check_slices).
pub fn check_slices<A: Code, B: Code>(
    input: &[u8],
    from: DType,
    to: DType,
    cast: impl FnMut(&[A], &mut [B]),
) -> Result<Checked, Failed> {
    check_slices_request(input, &Request::cast(from, to, NEWEST), cast)
}

/// Does the same as [`check_slices`], for any version and with attributes.
///
/// # Errors
/// The same as those of [`check_slices`]; also if the request is refused, because nothing can be
/// checked then.
pub fn check_slices_request<A: Code, B: Code>(
    input: &[u8],
    request: &Request,
    cast: impl FnMut(&[A], &mut [B]),
) -> Result<Checked, Failed> {
    let draw = Draw::of(request).or_else(failed)?;
    some(&draw, input, &mut Typed::new(request, cast)?)
}

/// Does the same as [`check_slices_request`] with a kernel of another language, as
/// [`check_foreign_request`](crate::check_foreign_request) takes it.
///
/// # Errors
/// The same as those of [`check_foreign_request`](crate::check_foreign_request).
pub fn check_foreign_request(
    input: &[u8],
    request: &Request,
    cast: impl FnMut(&[u8], usize, &mut [u8]),
) -> Result<Checked, Failed> {
    let draw = Draw::of(request).or_else(failed)?;
    some(&draw, input, &mut Packed::foreign(request, cast)?)
}

/// Asks for the codes of an input alone, and then for some slices of them.
fn some(draw: &Draw, input: &[u8], kernel: &mut dyn Kernel) -> Result<Checked, Failed> {
    let codes = of_input(draw, input).into_iter().filter(|&code| kernel.takes(code));
    let codes: Vec<u64> = codes.collect();
    let kinds = Kinds::of(&codes, draw.request().from.bits());
    let mut random = Random::of(input.iter().rev().copied());
    let (mut slices, checked) = Slices::alone(draw, &codes, kernel, Bounds::none())?;
    for _ in 0..SLICES {
        slices.ask_flat(&any(&kinds, &mut random), (&codes, &kinds));
    }
    slices.conclude().map(|()| checked)
}

/// Returns the codes that [`check_request`] asks for an input. The same bytes give the same codes.
///
/// # Errors
/// If the request is not numeric, or the operator set unknown.
pub fn codes(input: &[u8], request: &Request) -> Result<Vec<u64>, String> {
    Draw::of(request).map(|draw| of_input(&draw, input))
}

/// Slices that are asked for one input.
const SLICES: usize = 4;

fn of_input(draw: &Draw, input: &[u8]) -> Vec<u64> {
    let from = draw.request().from;
    let spelled = bytes::codes(from, input).take(SPELLED).map(|code| code & from.code_mask());
    let drawn = draw.batch(&mut Random::of(input.iter().copied()), DRAWN);
    spelled.chain(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_impl::Cast;

    #[test]
    fn bytes_spell_codes_and_decide_the_rest() {
        let request = Request::cast(DType::Float32, DType::Float16, NEWEST);
        let input = [0x00, 0xe0, 0x7f, 0x47, 1, 2, 3];
        let asked = codes(&input, &request).expect("numeric");
        assert_eq!((asked[0], asked.len()), (0x477f_e000, 1 + DRAWN));
        assert_eq!(codes(&input, &request), Ok(asked));
        assert_ne!(codes(b"", &request), codes(b"a", &request));
        let strings = Request::cast(DType::String, DType::Float16, NEWEST);
        assert!(codes(b"", &strings).is_err());
    }

    #[test]
    fn a_fault_is_found_within_a_few_inputs() {
        let right = Cast::new(DType::Float32, DType::Float16).expect("a pair");
        let right = |x: f32| right.code(x.to_bits().into()).expect("a code") as u16;
        // The largest finite result, written as infinity.
        let wrong = |x: f32| if right(x) == 0x7bff { 0x7c00 } else { right(x) };
        let mut found = 0;
        for input in 0..2000_u32 {
            let input = input.to_le_bytes();
            check(&input, DType::Float32, DType::Float16, right).expect("our own is right");
            found += u32::from(check(&input, DType::Float32, DType::Float16, wrong).is_err());
        }
        assert!(found > 50, "{found} of 2000 inputs");
        let said = check(&0x477f_e000_u32.to_le_bytes(), DType::Float32, DType::Float16, wrong);
        assert!(said.unwrap_err().to_string().contains("0x477fe000 (65504) gave 0x7c00 (Inf)"));
    }

    #[test]
    fn a_fault_of_slices_is_found_within_a_few_inputs() {
        let right = Cast::new(DType::Float32, DType::Float16).expect("a pair");
        let right = |x: &f32| right.code(x.to_bits().into()).expect("a code") as u16;
        let cast = |input: &[f32], output: &mut [u16]| {
            input.iter().zip(output).for_each(|(x, y)| *y = right(x));
        };
        // The tail of 16 is taken from the element before.
        let wrong = |input: &[f32], output: &mut [u16]| {
            cast(input, output);
            for index in input.len() / 16 * 16..input.len() {
                output[index] = right(&input[index.saturating_sub(1)]);
            }
        };
        let pair = (DType::Float32, DType::Float16);
        let mut found = 0;
        for input in 0..200_u32 {
            let input = input.to_le_bytes();
            check_slices(&input, pair.0, pair.1, cast).expect("our own is right");
            found += u32::from(check_slices(&input, pair.0, pair.1, wrong).is_err());
        }
        assert!(found > 150, "{found} of 200 inputs");
    }

    #[test]
    fn types_must_fit() {
        let said = check(b"", DType::Float32, DType::Float16, |x: u16| x).unwrap_err();
        assert!(said.to_string().contains("take u32"), "{said}");
    }
}
