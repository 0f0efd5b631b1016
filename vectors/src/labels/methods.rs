//! Names of the wrong methods of casting that the gate and the packages both know. A finding has the same name
//! wherever it is printed. `packages/go/names.go` is generated from this file.
#![allow(missing_docs, reason = "the text of each constant says what it is")]

pub const SUBNORMAL_INPUT_FLUSHED: &str = "subnormal input flushed to zero";
pub const SUBNORMAL_RESULT_FLUSHED: &str = "subnormal result flushed to zero";
pub const ZERO_BEFORE_ROUNDING: &str = "zero below the smallest subnormal, before rounding";
pub const THROUGH_FLOAT32: &str = "rounded through float32";
pub const THROUGH_FLOAT16: &str = "rounded through float16";
pub const THROUGH_BFLOAT16: &str = "rounded through bfloat16";
pub const THROUGH_FLOAT64: &str = "rounded through float64";
pub const TOWARD_ZERO: &str = "rounded toward zero";
pub const AWAY_FROM_ZERO: &str = "rounded away from zero";
pub const TOWARD_MINUS_INFINITY: &str = "rounded toward minus infinity";
pub const TOWARD_PLUS_INFINITY: &str = "rounded toward plus infinity";
pub const NEAREST_INTEGER_TIES_TO_EVEN: &str = "rounded to the nearest integer, ties to even";
pub const NEAREST_INTEGER_TIES_AWAY: &str = "rounded to the nearest integer, ties away from zero";
pub const TIES_AWAY_FROM_ZERO: &str = "ties rounded away from zero";
pub const CARRY_LOST: &str = "the carry of the significand lost";
pub const CARRY_TO_NORMAL_LOST: &str = "the carry from subnormal to normal lost";
pub const SHIFT_MODULO_64: &str = "a shift modulo 64";
pub const SHIFT_MODULO_32: &str = "a shift modulo 32";
pub const OUT_OF_RANGE_CLAMPED: &str = "out of range clamped";
pub const OUT_OF_RANGE_WRAPPED: &str = "out of range wrapped";
pub const SIGNED_SATURATES: &str = "through the signed integer of the same width, which saturates";
pub const SIGNED_INDEFINITE: &str =
    "through the signed integer of the same width, beyond which only the highest bit is set";
pub const SIGN_EXTENDED: &str = "sign extended where there is none";
pub const SIGN_NOT_EXTENDED: &str = "sign not extended";
pub const SIGN_OF_ZERO_LOST: &str = "sign of zero lost";
pub const NEGATIVE_TO_ZERO: &str = "negative numbers become zero";
pub const TRUE_BECOMES_ALL_ONES: &str = "true becomes all ones";
pub const OTHER_HALF: &str = "the other half of the code";
pub const CODE_COPIED: &str = "code copied";
pub const INPUT_BYTES_SWAPPED: &str = "bytes of the input swapped";
pub const OUTPUT_BYTES_SWAPPED: &str = "bytes of the output swapped";
pub const BITS_INVERTED: &str = "every bit of the result inverted";
pub const TRUTH_INVERTED: &str = "truth inverted";
pub const TRUTH_OF_CODE: &str = "truth taken from the code";
pub const TRUTH_OF_INTEGRAL_PART: &str = "truth taken from the integral part";
pub const TRUTH_OF_LOWEST_BYTE: &str = "truth taken from the lowest byte";
pub const TRUTH_OF_LOWEST_BIT: &str = "truth taken from the lowest bit";
pub const TRUTH_OF_ODD_INTEGRAL_PART: &str = "truth taken from the lowest bit of the integral part";
pub const LOW_HALF_DROPPED: &str = "low half of the source dropped";
pub const NAN_TO_INFINITY: &str = "NaN becomes infinity";
pub const NAN_TO_LARGEST: &str = "NaN becomes the largest";
pub const NAN_TO_ZERO: &str = "NaN becomes zero";
pub const NAN_CUT_OFF: &str = "NaN cut off to infinity";
pub const NAN_ROUNDED: &str = "NaN rounded as if it were a number";
pub const SIGNALLING_KEPT: &str = "a signalling NaN stays signalling";
pub const NAN_READ_AS_NUMBER: &str = "NaN read as a number";
pub const NAN_READ_AS_MINUS_ZERO: &str = "NaN read as -0";
pub const NAN_TAKEN_FOR_FALSE: &str = "NaN taken for false";

/// Every name, with that of its constant.
pub const ALL: [(&str, &str); 48] = [
    ("SUBNORMAL_INPUT_FLUSHED", SUBNORMAL_INPUT_FLUSHED),
    ("SUBNORMAL_RESULT_FLUSHED", SUBNORMAL_RESULT_FLUSHED),
    ("ZERO_BEFORE_ROUNDING", ZERO_BEFORE_ROUNDING),
    ("THROUGH_FLOAT32", THROUGH_FLOAT32),
    ("THROUGH_FLOAT16", THROUGH_FLOAT16),
    ("THROUGH_BFLOAT16", THROUGH_BFLOAT16),
    ("THROUGH_FLOAT64", THROUGH_FLOAT64),
    ("TOWARD_ZERO", TOWARD_ZERO),
    ("AWAY_FROM_ZERO", AWAY_FROM_ZERO),
    ("TOWARD_MINUS_INFINITY", TOWARD_MINUS_INFINITY),
    ("TOWARD_PLUS_INFINITY", TOWARD_PLUS_INFINITY),
    ("NEAREST_INTEGER_TIES_TO_EVEN", NEAREST_INTEGER_TIES_TO_EVEN),
    ("NEAREST_INTEGER_TIES_AWAY", NEAREST_INTEGER_TIES_AWAY),
    ("TIES_AWAY_FROM_ZERO", TIES_AWAY_FROM_ZERO),
    ("CARRY_LOST", CARRY_LOST),
    ("CARRY_TO_NORMAL_LOST", CARRY_TO_NORMAL_LOST),
    ("SHIFT_MODULO_64", SHIFT_MODULO_64),
    ("SHIFT_MODULO_32", SHIFT_MODULO_32),
    ("OUT_OF_RANGE_CLAMPED", OUT_OF_RANGE_CLAMPED),
    ("OUT_OF_RANGE_WRAPPED", OUT_OF_RANGE_WRAPPED),
    ("SIGNED_SATURATES", SIGNED_SATURATES),
    ("SIGNED_INDEFINITE", SIGNED_INDEFINITE),
    ("SIGN_EXTENDED", SIGN_EXTENDED),
    ("SIGN_NOT_EXTENDED", SIGN_NOT_EXTENDED),
    ("SIGN_OF_ZERO_LOST", SIGN_OF_ZERO_LOST),
    ("NEGATIVE_TO_ZERO", NEGATIVE_TO_ZERO),
    ("TRUE_BECOMES_ALL_ONES", TRUE_BECOMES_ALL_ONES),
    ("OTHER_HALF", OTHER_HALF),
    ("CODE_COPIED", CODE_COPIED),
    ("INPUT_BYTES_SWAPPED", INPUT_BYTES_SWAPPED),
    ("OUTPUT_BYTES_SWAPPED", OUTPUT_BYTES_SWAPPED),
    ("BITS_INVERTED", BITS_INVERTED),
    ("TRUTH_INVERTED", TRUTH_INVERTED),
    ("TRUTH_OF_CODE", TRUTH_OF_CODE),
    ("TRUTH_OF_INTEGRAL_PART", TRUTH_OF_INTEGRAL_PART),
    ("TRUTH_OF_LOWEST_BYTE", TRUTH_OF_LOWEST_BYTE),
    ("TRUTH_OF_LOWEST_BIT", TRUTH_OF_LOWEST_BIT),
    ("TRUTH_OF_ODD_INTEGRAL_PART", TRUTH_OF_ODD_INTEGRAL_PART),
    ("LOW_HALF_DROPPED", LOW_HALF_DROPPED),
    ("NAN_TO_INFINITY", NAN_TO_INFINITY),
    ("NAN_TO_LARGEST", NAN_TO_LARGEST),
    ("NAN_TO_ZERO", NAN_TO_ZERO),
    ("NAN_CUT_OFF", NAN_CUT_OFF),
    ("NAN_ROUNDED", NAN_ROUNDED),
    ("SIGNALLING_KEPT", SIGNALLING_KEPT),
    ("NAN_READ_AS_NUMBER", NAN_READ_AS_NUMBER),
    ("NAN_READ_AS_MINUS_ZERO", NAN_READ_AS_MINUS_ZERO),
    ("NAN_TAKEN_FOR_FALSE", NAN_TAKEN_FOR_FALSE),
];
