//! The table of wrong methods.

use crate::element::{MethodElement, MethodTensor};
use crate::{codes, parts, range, rounding, special};
use castproof_vectors::{DType, NEWEST, Outcome, methods as names};
use std::cmp::Ordering;

/// A wrong method of casting.
pub struct Method {
    /// What it does, as one short phrase: `rounded through float32`.
    pub name: &'static str,
    /// Is it wrong at some elements only? The other methods are wrong at nearly all.
    pub subtle: bool,
    /// Is it one piece of code for all targets of a source? Others mostly are one for all sources of
    /// a target.
    pub of_source: bool,
    rule: Rule,
}

/// How a method's result is found.
enum Rule {
    /// From an element that the version refuses to take.
    Refused(fn(&MethodElement) -> Option<u64>),
    /// From the element alone.
    Each(fn(&MethodElement) -> Option<u64>),
    /// From the elements of the whole tensor, for methods that mistake their places.
    Together(fn(&[MethodElement]) -> Vec<Option<u64>>),
}

/// Every method. If two methods explain the same results, the first in this list is preferred.
pub const METHODS: &[Method] = &[
    Method {
        rule: Rule::Refused(MethodElement::as_newest),
        ..subtle("the request was not refused", none)
    },
    subtle(names::SUBNORMAL_INPUT_FLUSHED, special::flushed_input),
    subtle(names::SUBNORMAL_RESULT_FLUSHED, special::flushed_result),
    subtle("subnormal input read with a leading bit of one", special::subnormal_with_leading_bit),
    subtle(
        "subnormal input rounded with a leading bit of one",
        special::subnormal_rounded_with_leading_bit,
    ),
    // Rounding.
    subtle(names::THROUGH_FLOAT32, |element| element.through(DType::Float32)),
    subtle(names::THROUGH_FLOAT16, |element| element.through(DType::Float16)),
    subtle(names::THROUGH_BFLOAT16, |element| element.through(DType::Bfloat16)),
    subtle(names::THROUGH_FLOAT64, |element| element.through(DType::Float64)),
    subtle("overflow on the way through float32", |element| {
        element.overflow_through(DType::Float32)
    }),
    subtle(names::TIES_AWAY_FROM_ZERO, rounding::ties_away),
    subtle("ties rounded toward zero", rounding::ties_toward_zero),
    subtle("ties rounded up", rounding::ties_up),
    subtle("bits beyond the guard bit ignored", rounding::without_sticky_bits),
    subtle("subnormal results rounded twice", rounding::subnormal_twice),
    subtle("subnormal results truncated", rounding::subnormal_truncated),
    subtle(names::TOWARD_ZERO, |element| element.by_magnitude(false)),
    subtle(names::AWAY_FROM_ZERO, |element| element.by_magnitude(true)),
    subtle(names::TOWARD_MINUS_INFINITY, |element| element.directed(false)),
    subtle(names::TOWARD_PLUS_INFINITY, |element| element.directed(true)),
    subtle(names::NEAREST_INTEGER_TIES_TO_EVEN, rounding::nearest_integer_even),
    subtle(names::NEAREST_INTEGER_TIES_AWAY, rounding::nearest_integer_away),
    subtle("ties away from zero, beyond the range wrapped", rounding::nearest_integer_wrapped),
    subtle("round_mode ignored", rounding::mode_ignored),
    subtle("round_mode up and down exchanged", rounding::mode_exchanged),
    // Range.
    subtle("saturate ignored: always on", |element| range::with_saturate(element, true)),
    subtle("saturate ignored: always off", |element| range::with_saturate(element, false)),
    subtle("saturate taken for its opposite", range::opposite_saturate),
    subtle("overflow decided before rounding", range::overflow_too_early),
    subtle("the tie beyond the largest taken for an overflow", range::tie_overflows),
    subtle("rounded up to one step beyond the largest: clamped", |element| {
        range::next_step_clamped(element, Ordering::Less)
    }),
    subtle("one step beyond the largest, or rounded down to it: clamped", |element| {
        range::next_step_clamped(element, Ordering::Greater)
    }),
    subtle("rounded up to one step beyond the largest: NaN", |element| {
        range::next_step_to_nan(element, Ordering::Less)
    }),
    subtle("overflow becomes infinity", range::overflow_to_infinity),
    subtle("overflow becomes NaN", range::overflow_to_nan),
    subtle("overflow becomes zero", range::overflow_to_zero),
    subtle(names::OUT_OF_RANGE_CLAMPED, range::clamped),
    subtle(names::OUT_OF_RANGE_WRAPPED, range::wrapped),
    subtle("infinity becomes the largest", range::infinity_to_largest),
    subtle("infinity becomes NaN", range::infinity_to_nan),
    subtle("infinity kept", range::infinity_kept),
    subtle("infinity becomes zero", range::infinity_to_zero),
    Method {
        of_source: true,
        ..subtle("a code of all ones read as infinity", special::all_ones_infinite)
    },
    subtle(names::NEGATIVE_TO_ZERO, range::negative_to_zero),
    subtle(names::ZERO_BEFORE_ROUNDING, range::zero_before_rounding),
    subtle("underflow becomes NaN", range::underflow_to_nan),
    subtle(names::CARRY_LOST, |element| parts::carry_lost(element, false)),
    subtle(names::CARRY_TO_NORMAL_LOST, |element| parts::carry_lost(element, true)),
    subtle(names::SIGNED_SATURATES, parts::through_signed_saturating),
    subtle(names::SIGNED_INDEFINITE, parts::through_signed_indefinite),
    // Where both give the same, the shift of a wider register is the likelier one.
    subtle(names::SHIFT_MODULO_64, |element| parts::shifted_modulo(element, 64)),
    subtle(names::SHIFT_MODULO_32, |element| parts::shifted_modulo(element, 32)),
    // Versions.
    subtle("the rules before Cast-24", |element| element.at(23)),
    subtle("the rules since Cast-24", |element| element.at(NEWEST)),
    // NaN, zero, subnormals, truth.
    subtle(names::NAN_TO_INFINITY, special::nan_to_infinity),
    subtle(names::NAN_TO_LARGEST, special::nan_to_largest),
    subtle(names::NAN_TO_ZERO, special::nan_to_zero),
    subtle(names::NAN_CUT_OFF, special::nan_cut_off),
    subtle(names::NAN_ROUNDED, special::nan_as_number),
    subtle(names::SIGNALLING_KEPT, special::signalling_kept),
    subtle(names::SIGN_OF_ZERO_LOST, special::zero_without_sign),
    subtle("negative zero written as the code of NaN", special::zero_with_sign),
    subtle("smallest float8e8m0 taken for zero", special::scale_zero),
    subtle(names::TRUTH_OF_CODE, special::truth_of_code),
    subtle(names::TRUTH_OF_INTEGRAL_PART, special::truth_of_integer),
    subtle(names::TRUTH_OF_LOWEST_BYTE, special::truth_of_low_byte),
    subtle(names::TRUTH_OF_LOWEST_BIT, special::truth_of_lowest_bit),
    subtle(names::TRUTH_OF_ODD_INTEGRAL_PART, special::truth_of_odd_integer),
    subtle(names::NAN_TAKEN_FOR_FALSE, special::nan_false),
    subtle(names::NAN_READ_AS_NUMBER, special::nan_read_as_number),
    subtle(names::NAN_READ_AS_MINUS_ZERO, special::nan_read_as_negative_zero),
    // Codes and places.
    blunt(names::TRUTH_INVERTED, special::truth_inverted),
    blunt(names::TRUE_BECOMES_ALL_ONES, special::true_all_ones),
    blunt(names::BITS_INVERTED, codes::inverted),
    blunt(names::LOW_HALF_DROPPED, parts::low_half_dropped),
    blunt("summed from two rounded parts", parts::two_rounded_parts),
    blunt(names::OTHER_HALF, parts::other_half),
    blunt(names::SIGN_NOT_EXTENDED, codes::sign_not_extended),
    blunt(names::SIGN_EXTENDED, codes::sign_extended),
    blunt("source read as its sibling format", codes::read_as_sibling),
    blunt("target written as its sibling format", codes::written_as_sibling),
    blunt("exponent bias one too large", |element| codes::scaled(element, 1)),
    blunt("exponent bias one too small", |element| codes::scaled(element, -1)),
    blunt("sign lost", codes::sign_lost),
    blunt(names::CODE_COPIED, codes::copied),
    blunt(names::INPUT_BYTES_SWAPPED, codes::input_swapped),
    blunt(names::OUTPUT_BYTES_SWAPPED, codes::output_swapped),
    Method { rule: Rule::Together(codes::input_places), ..blunt(codes::INPUT_PLACES, none) },
    Method { rule: Rule::Together(codes::output_places), ..blunt(codes::OUTPUT_PLACES, none) },
    Method { rule: Rule::Together(codes::shifted), ..blunt("elements shifted by one", none) },
    Method { rule: Rule::Together(codes::last_lost), ..subtle("last element left out", none) },
];

const fn subtle(name: &'static str, rule: fn(&MethodElement) -> Option<u64>) -> Method {
    Method { name, subtle: true, of_source: false, rule: Rule::Each(rule) }
}

const fn blunt(name: &'static str, rule: fn(&MethodElement) -> Option<u64>) -> Method {
    Method { name, subtle: false, of_source: false, rule: Rule::Each(rule) }
}

fn none(_: &MethodElement) -> Option<u64> {
    None
}

impl Method {
    /// Does the method only show that a request was answered that the version refuses?
    pub fn is_of_refusals(&self) -> bool {
        matches!(self.rule, Rule::Refused(_))
    }

    /// Does the method mistake the places of elements? One element does not show it.
    pub fn is_of_places(&self) -> bool {
        matches!(self.rule, Rule::Together(_))
    }

    /// Returns what the method makes of the elements at `places` of a tensor.
    pub fn results(&self, tensor: &MethodTensor, places: &[usize]) -> Vec<Option<u64>> {
        let elements = tensor.elements();
        let refused = |element: &MethodElement| element.answer.expect == Outcome::Reject;
        // A request is refused either as a whole or not at all.
        if elements.first().is_some_and(refused) != matches!(self.rule, Rule::Refused(_)) {
            return vec![None; places.len()];
        }
        match self.rule {
            Rule::Refused(rule) | Rule::Each(rule) => {
                places.iter().map(|&place| elements.get(place).and_then(rule)).collect()
            }
            Rule::Together(rule) => {
                let all = rule(elements);
                places.iter().map(|&place| all.get(place).copied().flatten()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, method) in METHODS.iter().enumerate() {
            assert!(METHODS[..index].iter().all(|other| other.name != method.name));
        }
    }
}
