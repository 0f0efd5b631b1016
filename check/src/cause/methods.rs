//! What wrong methods give. Their names are those of `castproof gate`; `packages/go/methods.go` has the same methods.

use super::pair::Pair;
use crate::numeral::{code_at, ordinal, value};
use castproof_vectors::{DType, Hex, landmarks, methods as names};
use std::cmp::Ordering;

/// The code that a wrong method gives for an input whose right result is the one at this place; `None`: what is due.
pub(super) type Method = fn(&Pair<'_>, u64, i128) -> Option<u64>;

/// Methods of casts to any dtype but bool.
pub(super) const NUMBERS: [(&str, Method); 33] = [
    (names::SUBNORMAL_INPUT_FLUSHED, |pair, input, _| {
        let place = ordinal(pair.from, input)?;
        (0 < magnitude(place) && magnitude(place) < pair.normal.0?).then_some(())?;
        pair.due(code_at(pair.from, -1).filter(|_| place < 0).unwrap_or(0))
    }),
    (names::SUBNORMAL_RESULT_FLUSHED, |pair, _, due| {
        let is_subnormal = 0 < magnitude(due) && magnitude(due) < pair.normal.1?;
        is_subnormal.then(|| pair.zero(due < 0))?
    }),
    (names::ZERO_BEFORE_ROUNDING, |pair, input, _| {
        let negative = pair.normal.1.and_then(|_| pair.is_negative(input))?;
        if pair.compare(0, input)? == Ordering::Equal {
            return None;
        }
        let smallest = if negative { -2 } else { 1 };
        let is_below = pair.compare_magnitudes(smallest, input) == Some(Ordering::Greater);
        is_below.then(|| pair.zero(negative))?
    }),
    (names::THROUGH_FLOAT32, |pair, input, _| pair.due_through(DType::Float32, input)),
    (names::THROUGH_FLOAT16, |pair, input, _| pair.due_through(DType::Float16, input)),
    (names::THROUGH_BFLOAT16, |pair, input, _| pair.due_through(DType::Bfloat16, input)),
    (names::THROUGH_FLOAT64, |pair, input, _| pair.due_through(DType::Float64, input)),
    (names::TOWARD_ZERO, |pair, input, due| {
        let beyond = pair.compare_magnitudes(due, input) == Some(Ordering::Greater);
        beyond.then(|| pair.code(if due < 0 { due + 1 } else { due - 1 }))?
    }),
    (names::AWAY_FROM_ZERO, |pair, input, due| {
        let within = pair.compare_magnitudes(due, input) == Some(Ordering::Less);
        within.then(|| pair.code(pair.away(input, due)?))?
    }),
    (names::TOWARD_MINUS_INFINITY, |pair, input, due| {
        (pair.compare(due, input) == Some(Ordering::Greater)).then(|| pair.code(due - 1))?
    }),
    (names::TOWARD_PLUS_INFINITY, |pair, input, due| {
        let below = pair.compare(due, input) == Some(Ordering::Less);
        (below && pair.has(due + 1)).then(|| pair.code(due + 1))?
    }),
    (names::NEAREST_INTEGER_TIES_TO_EVEN, |pair, input, _| {
        nearest_integer(pair, input, f64::round_ties_even)
    }),
    (names::NEAREST_INTEGER_TIES_AWAY, |pair, input, _| nearest_integer(pair, input, f64::round)),
    (names::TIES_AWAY_FROM_ZERO, |pair, input, due| {
        let is_within = pair.compare_magnitudes(due, input) == Some(Ordering::Less);
        let away = pair.away(input, due).filter(|_| is_within)?;
        pair.is_tie(input, due, away).then(|| pair.code(away))?
    }),
    (names::CARRY_LOST, |pair, input, due| carry_lost(pair, input, due, false)),
    (names::CARRY_TO_NORMAL_LOST, |pair, input, due| carry_lost(pair, input, due, true)),
    (names::SHIFT_MODULO_64, |pair, input, _| shifted_modulo(pair, input, 64)),
    (names::SHIFT_MODULO_32, |pair, input, _| shifted_modulo(pair, input, 32)),
    (names::OUT_OF_RANGE_CLAMPED, |pair, input, _| pair.code(pair.beyond(input)?)),
    (names::OUT_OF_RANGE_WRAPPED, |pair, input, _| {
        pair.beyond(input)?;
        (!pair.to.is_float()).then(|| pair.low_bits(input))?
    }),
    (names::SIGNED_SATURATES, |pair, input, _| {
        is_beyond_signed(pair, input).then(|| pair.to.code_mask() >> 1)
    }),
    (names::SIGNED_INDEFINITE, |pair, input, _| {
        is_beyond_signed(pair, input).then(|| 1 << (pair.to.bits() - 1))
    }),
    (names::SIGN_EXTENDED, |pair, input, _| {
        (!pair.from.is_signed()).then(|| pair.due_of_sibling(input))?
    }),
    (names::SIGN_NOT_EXTENDED, |pair, input, _| {
        pair.from.is_signed().then(|| pair.due_of_sibling(input))?
    }),
    (names::SIGN_OF_ZERO_LOST, |pair, _, due| (pair.to.is_float() && due == -1).then_some(0)),
    (names::NEGATIVE_TO_ZERO, |pair, input, _| {
        let is_finite = value(pair.from, input).is_none_or(f64::is_finite);
        (pair.is_negative(input)? && is_finite).then_some(0)
    }),
    (names::TRUE_BECOMES_ALL_ONES, |pair, input, _| {
        let is_mask = pair.from == DType::Bool && !pair.to.is_float();
        (is_mask && input == 1).then(|| pair.to.code_mask())
    }),
    LOW_HALF_DROPPED,
    (names::OTHER_HALF, |pair, input, _| {
        let (wide, narrow) = (pair.from.bits(), pair.to.bits());
        let floats = pair.from.is_float();
        let other = if floats { input & pair.to.code_mask() } else { input >> narrow };
        (wide == 2 * narrow && floats == pair.to.is_float()).then_some(other)
    }),
    (names::CODE_COPIED, |pair, input, _| Some(input & pair.to.code_mask())),
    (names::INPUT_BYTES_SWAPPED, |pair, input, _| pair.due(swapped(pair.from, input)?)),
    (names::OUTPUT_BYTES_SWAPPED, |pair, _, due| swapped(pair.to, pair.code(due)?)),
    (names::BITS_INVERTED, |pair, _, due| Some(!pair.code(due)? & pair.to.code_mask())),
];

/// Methods of casts to bool.
pub(super) const TRUTHS: [(&str, Method); 7] = [
    (names::TRUTH_INVERTED, |_, _, due| Some(u64::from(due == 0))),
    (names::TRUTH_OF_CODE, |_, input, _| Some(u64::from(input != 0))),
    (names::TRUTH_OF_INTEGRAL_PART, |pair, input, _| {
        Some(u64::from(value(pair.from, input)?.abs() >= 1.0))
    }),
    (names::TRUTH_OF_LOWEST_BYTE, |_, input, _| Some(u64::from(input & 0xff != 0))),
    (names::TRUTH_OF_LOWEST_BIT, |_, input, _| Some(input & 1)),
    (names::TRUTH_OF_ODD_INTEGRAL_PART, |pair, input, _| {
        value(pair.from, input).filter(|it| it.is_finite())?;
        // Beyond 2^100 every number is even.
        Some(pair.integral(input).map_or(0, |whole| u64::from(whole & 1 == 1)))
    }),
    LOW_HALF_DROPPED,
];

const LOW_HALF_DROPPED: (&str, Method) = (names::LOW_HALF_DROPPED, |pair, input, _| {
    let half = pair.from.bits() / 2;
    (half >= 8).then(|| pair.due(input >> half << half))?
});

/// The code that becomes of a NaN; `None`: what is due.
pub(super) type OfNan = fn(&Pair<'_>, u64) -> Option<u64>;

/// What becomes of a NaN. The last member: does the sign matter?
pub(super) const NANS: [(&str, OfNan, bool); 9] = [
    (names::NAN_TO_INFINITY, |pair, _| landmarks(pair.to)?.infinity.first().map(Hex::value), false),
    (
        names::NAN_TO_LARGEST,
        |pair, _| (pair.to != DType::Bool).then(|| pair.code(pair.finite.1))?,
        false,
    ),
    (names::NAN_TO_ZERO, |pair, _| (pair.to != DType::Bool).then_some(0), false),
    (
        names::NAN_CUT_OFF,
        |pair, input| {
            let (kept, unit) = (input >> narrowing(pair)?, pair.normal.1?);
            let infinity = landmarks(pair.to)?.infinity.first()?.value();
            (kept & (unit as u64 - 1) == 0).then_some(infinity)
        },
        false,
    ),
    (
        names::NAN_ROUNDED,
        |pair, input| {
            let shift = narrowing(pair)?;
            let equal = pair.from.bits() - shift == pair.to.bits();
            let odd = input >> shift & 1;
            let half = 1_u64 << shift >> 1;
            let rounded = input.wrapping_add(half.saturating_sub(1) + odd) >> shift;
            (equal && shift > 0).then_some(rounded & pair.to.code_mask())
        },
        true,
    ),
    (names::SIGNALLING_KEPT, signalling_kept, true),
    (
        names::NAN_READ_AS_NUMBER,
        |pair, input| {
            let top = 1 << (pair.from.bits() - 1);
            let is_signed = pair.from.is_signed();
            let field = if is_signed { input & (top - 1) } else { input };
            // The number is twice the one whose exponent field is one less.
            let below = field.checked_sub(pair.normal.0.unwrap_or(1) as u64)?;
            let number = 2.0 * value(pair.from, below).filter(|_| pair.from != DType::Float64)?;
            pair.due_of_number(if is_signed && input & top != 0 { -number } else { number })
        },
        true,
    ),
    (
        names::NAN_READ_AS_MINUS_ZERO,
        |pair, input| (input == 1 << (pair.from.bits() - 1)).then(|| pair.due_of_number(-0.0))?,
        true,
    ),
    (names::NAN_TAKEN_FOR_FALSE, |pair, _| (pair.to == DType::Bool).then_some(0), true),
];

/// Sign and upper payload bits of a signalling NaN stay, and it does not become quiet: float64 0x7ff4000000000000
/// becomes the float32 0x7fa00000. Where no payload bit is left, the lowest one is set.
fn signalling_kept(pair: &Pair<'_>, input: u64) -> Option<u64> {
    let (from, to) = (landmarks(pair.from)?, landmarks(pair.to)?);
    let (Some(wide), Some(narrow)) = pair.normal else { return None };
    let (wide, narrow) = (wide as u64, narrow as u64);
    if from.quiet_nan.is_empty() || to.quiet_nan.is_empty() || from.is_quiet_nan(input) {
        return None;
    }
    let payload = input & (wide - 1);
    let kept = if wide >= narrow { payload / (wide / narrow) } else { payload * (narrow / wide) };
    let sign = input >> (pair.from.bits() - 1) << (pair.to.bits() - 1);
    (pair.from != pair.to).then_some(sign | to.infinity.first()?.value() | kept.max(1))
}

/// The magnitude of a place among those of floats: 0 of both zeros.
fn magnitude(place: i128) -> i128 {
    if place < 0 { -1 - place } else { place }
}

/// The low bits of an integer.
fn wrapped(pair: &Pair<'_>, whole: i128) -> Option<u64> {
    (!pair.to.is_float()).then(|| whole as u64 & pair.to.code_mask())
}

/// Of a float the nearest integer, where the target has it.
fn nearest_integer(pair: &Pair<'_>, input: u64, round: fn(f64) -> f64) -> Option<u64> {
    let rounded = round(value(pair.from, input).filter(|_| !pair.to.is_float())?);
    (rounded.abs() < 1.0e30 && pair.has(rounded as i128)).then(|| wrapped(pair, rounded as i128))?
}

/// The significand rounds up to the next power of two, and the exponent does not follow: just below 2, 0x3c00 of
/// float16 instead of 0x4000.
fn carry_lost(pair: &Pair<'_>, input: u64, due: i128, of_subnormal: bool) -> Option<u64> {
    let (unit, magnitude) = (pair.normal.1?, magnitude(due));
    let is_power = magnitude % unit == 0 && magnitude >= unit && magnitude <= pair.finite.1;
    let carries = pair.compare_magnitudes(due, input) == Some(Ordering::Greater);
    let negative = due < 0;
    let signed = |magnitude| if negative { -1 - magnitude } else { magnitude };
    let is_here =
        (pair.compare_magnitudes(signed(unit), input)? == Ordering::Greater) == of_subnormal;
    (is_power && carries && is_here).then(|| pair.code(signed(magnitude - unit)))?
}

/// A significand is shifted by the low bits of the distance only: a number far below the smallest one is shifted by
/// too little. Processors take the distance modulo 32 or 64.
fn shifted_modulo(pair: &Pair<'_>, input: u64, width: i32) -> Option<u64> {
    let unit = pair.normal.0? as u64;
    let field = magnitude(ordinal(pair.from, input)?) as u64;
    value(pair.from, input).filter(|it| it.is_finite() && *it != 0.0)?;
    let (exponent, fraction) = (field / unit, field % unit);
    let significand = fraction + if exponent > 0 { unit } else { 0 };
    // The exponents of the last bit of the significand, and of the target's last place.
    let last = step(pair.from)? + i32::try_from(exponent.max(1) - 1).ok()?;
    let place = match pair.to.is_float() {
        true => pair.normal.1.and_then(|_| step(pair.to))?,
        false => 0,
    };
    let shift = Some(place - last).filter(|distance| *distance >= width)? % width;
    let kept = significand >> shift;
    let negative = pair.is_negative(input)?;
    if !pair.to.is_float() {
        return wrapped(pair, if negative { -i128::from(kept) } else { kept.into() });
    }
    let rest = significand - (kept << shift);
    let half = 1_u64 << shift >> 1;
    let up = rest > half || rest == half && half > 0 && kept & 1 == 1;
    let mask = pair.to.code_mask() >> 1;
    let sign = if negative { mask + 1 } else { 0 };
    Some(sign | (kept + u64::from(up)) & mask)
}

/// The exponent of the smallest positive number.
fn step(dtype: DType) -> Option<i32> {
    Some(value(dtype, 1)?.log2().round() as i32)
}

/// Does a float have only the number of an unsigned integer's upper half?
fn is_beyond_signed(pair: &Pair<'_>, input: u64) -> bool {
    let whole = pair.integral(input).filter(|_| pair.from.is_float());
    let is_unsigned = !pair.to.is_signed() && !pair.to.is_float();
    whole.is_some_and(|it| is_unsigned && it >= 1 << (pair.to.bits() - 1) && pair.has(it))
}

/// By how many bits the significand of a NaN shrinks, if both dtypes have infinities.
fn narrowing(pair: &Pair<'_>) -> Option<u32> {
    let has = |dtype| landmarks(dtype).is_some_and(|it| !it.infinity.is_empty());
    let (Some(from), Some(to)) = pair.normal else { return None };
    (has(pair.from) && has(pair.to)).then_some(())?;
    from.trailing_zeros().checked_sub(to.trailing_zeros())
}

/// The code with its bytes in the other order.
fn swapped(dtype: DType, code: u64) -> Option<u64> {
    (dtype.bits() > 8).then(|| code.swap_bytes() >> (64 - dtype.bits()))
}
