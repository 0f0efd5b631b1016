//! What a wrong way gives.

use super::model::{
    Beyond, Carry, Coded, Randomly, Sign, SmallNumbers, SpecialResults, Task, Ties, WayChange,
};
use crate::decode::{decode, finite};
use crate::encode::encode;
use crate::projection::{Projection, Rounding};
use crate::record::Format;
use crate::round::{floor, round, round_by};
use crate::saturate::{holds, saturate};
use castproof_oracle::Value;
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::round::exponent;
use castproof_vectors::{Conversion, RoundingMode};
use std::cmp::Ordering;

impl WayChange {
    /// The code that the way gives for the code at a place, with the random numbers of all; `None` where what it gives is open.
    pub fn code(&self, task: &Task, codes: &[u64], randoms: &[u64], place: usize) -> Option<u64> {
        let (from, to) = (&task.from, &task.to);
        let given = *codes.get(place)?;
        let random = randoms.get(place).copied().unwrap_or(0);
        let value = decode(from, given)?;
        let right = || task.due(&value, random);
        match self {
            WayChange::Rounding(mode) => {
                let projection = task.projection_by(*mode, random)?;
                crate::project(&value, to, &projection).ok()
            }
            WayChange::Ties(ties) => {
                let rounded = round_by(&value, to, |negative, rest, is_odd| {
                    by_ties(*ties, negative, rest, is_odd)
                });
                finished(task, rounded, random)
            }
            WayChange::Saturation(saturation) => {
                let projection = Projection { saturation: *saturation, ..task.projection(random)? };
                crate::project(&value, to, &projection).ok()
            }
            WayChange::Edition(edition) => {
                let projection = Projection { edition: *edition, ..task.projection(random)? };
                crate::project(&value, to, &projection).ok()
            }
            WayChange::Beyond(beyond) => self::beyond(*beyond, task, &value, random),
            WayChange::Infinity(special) => match value {
                Value::Infinite { negative } => self::special(*special, task, negative, random),
                _ => right(),
            },
            WayChange::Nan(special) => match value {
                Value::Nan { .. } => {
                    let negative = given & from.sign_bit() != 0 && !from.is_p3109();
                    self::special(*special, task, negative, random)
                }
                _ => right(),
            },
            WayChange::Small(small) => self::small(*small, task, &value, random),
            WayChange::Through(name, mode) => through(task, (name, *mode), &value, random),
            WayChange::Carry(carry) => self::carry(*carry, task, &value, random),
            WayChange::Random(way) => randomly(*way, task, &value, (randoms, place)),
            WayChange::Sign(sign) => self::sign(*sign, task, &value, random),
            WayChange::BiasOfResult(more) => {
                let other = Format { bias: to.bias + more, ..to.clone() };
                crate::project(&value, &other, &task.projection(random)?).ok()
            }
            WayChange::BiasOfInput(more) => {
                let other = Format { bias: from.bias + more, ..from.clone() };
                task.due(&decode(&other, given)?, random)
            }
            WayChange::ReadAs(name) => task.due(&decode(&Format::listed(name)?, given)?, random),
            WayChange::WrittenAs(name) => {
                crate::project(&value, &Format::listed(name)?, &task.projection(random)?).ok()
            }
            WayChange::Code(coded) => self::coded(*coded, task, &value, random),
        }
    }
}

/// Saturates and encodes a value that was rounded otherwise.
fn finished(task: &Task, rounded: Value, random: u64) -> Option<u64> {
    let kept = saturate(rounded, &task.to, &task.projection(random)?).ok()?;
    encode(&kept, &task.to).ok()
}

fn by_ties(ties: Ties, negative: bool, rest: &Rational, is_odd: bool) -> bool {
    match rest.cmp(&Rational::from((1, 2))) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => match ties {
            Ties::TowardZero => false,
            Ties::ToOdd => !is_odd,
            Ties::Up => !negative,
            Ties::Down => negative,
        },
    }
}

/// The largest number of a format, or the number of an unsigned one that is nearest to a negative one.
fn largest(format: &Format, negative: bool) -> u64 {
    match (negative, format.signed) {
        (true, false) => 0,
        (true, true) => format.largest_code() | format.sign_bit(),
        (false, _) => format.largest_code(),
    }
}

fn zero(format: &Format, negative: bool) -> Option<u64> {
    encode(&Value::Finite { negative, magnitude: Rational::new() }, format).ok()
}

fn is_subnormal(format: &Format, code: u64) -> bool {
    let magnitude = code & format.magnitude_mask();
    let is_lowest = (1..1 << format.trailing_bits()).contains(&magnitude);
    format.has_zero() && is_lowest && !format.is_nan(code)
}

fn beyond(way: Beyond, task: &Task, value: &Value, random: u64) -> Option<u64> {
    let to = &task.to;
    let projection = task.projection(random)?;
    let Value::Finite { negative, magnitude } = value else {
        return task.due(value, random);
    };
    let negative = *negative;
    let tested_first = way == Beyond::TestedFirst;
    let rounded = if tested_first { value.clone() } else { round(value, to, projection.rounding) };
    let Value::Finite { magnitude: size, .. } = &rounded else { return None };
    let size = if tested_first { magnitude } else { size };
    if holds(to, negative, size) {
        return task.due(value, random);
    }
    match way {
        // What is tested first is taken as if it were far beyond.
        Beyond::TestedFirst => {
            finished(task, Value::Finite { negative, magnitude: far(to) }, random)
        }
        Beyond::Largest => Some(largest(to, negative)),
        // A format without the code goes no wrong way.
        Beyond::Infinity => (to.infinity_code(negative))
            .or_else(|| signed_nan(to, negative))
            .or_else(|| task.due(value, random)),
        Beyond::Nan => to.nan_code().or_else(|| task.due(value, random)),
        Beyond::Zero => zero(to, negative).or_else(|| task.due(value, random)),
        Beyond::Wraps => {
            let unbounded = unbounded_code(size, to)?;
            Some(unbounded & to.magnitude_mask() | if negative { to.sign_bit() } else { 0 })
        }
        Beyond::SignLost => {
            let right = task.due(value, random)?;
            if to.is_nan(right) { Some(right) } else { Some(right & to.magnitude_mask()) }
        }
    }
}

/// A number far beyond a format.
fn far(format: &Format) -> Rational {
    finite(format, format.largest_code()) << 8
}

/// NaN with a sign, where NaNs have one.
fn signed_nan(format: &Format, negative: bool) -> Option<u64> {
    let code = format.nan_code()?;
    let signed = code | format.sign_bit();
    Some(if negative && format.is_nan(signed) { signed } else { code })
}

/// The code of a rounded magnitude, as if the exponent had more bits above.
fn unbounded_code(magnitude: &Rational, format: &Format) -> Option<u64> {
    let exponent = exponent(magnitude).max(format.min_exponent());
    let units = Rational::from(magnitude >> format.quantum(exponent));
    let binade = u64::from(exponent.abs_diff(format.min_exponent()));
    let significand = units.numer().to_u64()?;
    Some((binade << format.trailing_bits()) + significand - u64::from(!format.has_zero()))
}

fn special(way: SpecialResults, task: &Task, negative: bool, random: u64) -> Option<u64> {
    let to = &task.to;
    match way {
        SpecialResults::Nan => {
            to.nan_code().or_else(|| task.due(&Value::Infinite { negative }, random))
        }
        SpecialResults::Infinity => task.due(&Value::Infinite { negative }, random),
        SpecialResults::Largest => Some(largest(to, negative)),
        SpecialResults::Zero => zero(to, negative),
        SpecialResults::Ones => Some(to.magnitude_mask()),
        SpecialResults::SignLost => task.due(&Value::Infinite { negative: false }, random),
    }
}

fn small(way: SmallNumbers, task: &Task, value: &Value, random: u64) -> Option<u64> {
    let to = &task.to;
    let rounding = task.projection(random)?.rounding;
    let right = task.due(value, random);
    let Value::Finite { negative, magnitude } = value else { return right };
    let (negative, min) = (*negative, Rational::from(1) << to.min_exponent());
    if *magnitude == 0 || *magnitude >= min && way != SmallNumbers::InputFlushed {
        return right;
    }
    let smallest = finite(to, u64::from(to.has_zero()));
    let sized = |magnitude| finished(task, Value::Finite { negative, magnitude }, random);
    match way {
        SmallNumbers::ResultFlushed => match right? {
            code if is_subnormal(to, code) => zero(to, negative),
            code => Some(code),
        },
        SmallNumbers::FlushedFirst => zero(to, negative).or(right),
        SmallNumbers::InputFlushed => {
            let min = Rational::from(1) << task.from.min_exponent();
            if *magnitude < min && task.from.has_zero() {
                task.due(&Value::Finite { negative, magnitude: Rational::new() }, random)
            } else {
                right
            }
        }
        SmallNumbers::RoundedTwice => {
            // A format that goes on below has the whole precision there.
            let wide = Format { bias: to.bias + 4096, bits: 64, ..to.clone() };
            let once = round(value, &wide, rounding);
            finished(task, round(&once, to, rounding), random)
        }
        SmallNumbers::Cut => finished(task, round(value, to, Rounding::TowardZero), random),
        SmallNumbers::ZeroBelowSmallest if *magnitude < smallest => zero(to, negative).or(right),
        SmallNumbers::SmallestAtLeast if *magnitude < smallest => sized(smallest),
        SmallNumbers::NormalAtLeast => sized(min),
        SmallNumbers::ZeroBelowSmallest | SmallNumbers::SmallestAtLeast => right,
    }
}

/// Rounds to another format first, where infinities and NaN stay what they are.
fn through(
    task: &Task,
    (name, mode): (&str, RoundingMode),
    value: &Value,
    random: u64,
) -> Option<u64> {
    let middle = Format::listed(name)?;
    let rounding = Rounding::of(mode, None)?;
    let code = crate::project(value, &middle, &Projection { rounding, ..Projection::default() });
    task.due(&decode(&middle, code.ok()?)?, random)
}

fn carry(way: Carry, task: &Task, value: &Value, random: u64) -> Option<u64> {
    let (to, right) = (&task.to, task.due(value, random)?);
    let Value::Finite { negative, magnitude } = value else { return Some(right) };
    let rounding = task.projection(random)?.rounding;
    let cut = round(value, to, Rounding::TowardZero);
    let (Value::Finite { magnitude: cut, .. }, Value::Finite { magnitude: rounded, .. }) =
        (cut, round(value, to, rounding))
    else {
        return Some(right);
    };
    let is_carried = cut != rounded && cut != 0 && exponent(&rounded) > exponent(&cut);
    if !is_carried || *magnitude == 0 {
        return Some(right);
    }
    let binade = 1u64 << to.trailing_bits();
    let sign = if *negative { to.sign_bit() } else { 0 };
    // The code whose significand field overflowed to 0, and whose exponent field stayed.
    let Some(lost) = unbounded_code(&rounded, to).and_then(|it| it.checked_sub(binade)) else {
        return Some(right);
    };
    let is_beyond = !holds(to, *negative, &rounded);
    let is_from_subnormal = cut < Rational::from(1) << to.min_exponent();
    match way {
        Carry::Normal if is_beyond || is_from_subnormal => Some(right),
        Carry::Subnormal if is_beyond => Some(right),
        Carry::Ored if is_beyond || (lost >> to.trailing_bits()) & 1 == 0 => Some(right),
        _ => Some(lost & to.magnitude_mask() | sign),
    }
}

fn randomly(
    way: Randomly,
    task: &Task,
    value: &Value,
    (randoms, place): (&[u64], usize),
) -> Option<u64> {
    let Conversion { random_bits: bits, .. } = task.conversion;
    let random = *randoms.get(place)?;
    let all = u64::MAX >> (64 - bits);
    let negative = matches!(value, Value::Finite { negative: true, .. });
    let other = match way {
        Randomly::Reversed => random.reverse_bits() >> (64 - bits),
        Randomly::LowestUnused => random & !1,
        Randomly::HighestUnused => random & (all >> 1),
        Randomly::Halved => random >> 1,
        Randomly::Doubled => random << 1 & all,
        Randomly::OneMore => (random + 1) & all,
        Randomly::Complemented => all - random,
        Randomly::ComplementedIfNegative if negative => all - random,
        Randomly::ComplementedIfNegative => random,
        Randomly::Before => *randoms.get(place.checked_sub(1).unwrap_or(randoms.len() - 1))?,
        Randomly::After => *randoms.get((place + 1) % randoms.len())?,
        Randomly::First => *randoms.first()?,
        Randomly::Exceeds | Randomly::Against => {
            let rounded = round_by(value, &task.to, |_, rest, _| {
                let parts = floor(rest, bits);
                match way {
                    Randomly::Exceeds => parts + random > Integer::from(all) + 1,
                    _ => parts >= random,
                }
            });
            return finished(task, rounded, random);
        }
        Randomly::MovesExact => {
            let rounding = task.projection(random)?.rounding;
            // A number that the format holds goes up where the random number is the largest.
            let rounded = match round(value, &task.to, rounding) {
                same if same == *value && random == all => next(value, &task.to)?,
                other => other,
            };
            return finished(task, rounded, random);
        }
    };
    task.due(value, other)
}

/// The number that follows one of a format, with the larger magnitude; infinities and NaN stay.
fn next(value: &Value, format: &Format) -> Option<Value> {
    let Value::Finite { negative, magnitude } = value else { return Some(value.clone()) };
    let exponent = if *magnitude == 0 { format.min_exponent() } else { exponent(magnitude) };
    let step = Rational::from(1) << format.quantum(exponent);
    Some(Value::Finite { negative: *negative, magnitude: Rational::from(magnitude + &step) })
}

fn sign(way: Sign, task: &Task, value: &Value, random: u64) -> Option<u64> {
    let (to, right) = (&task.to, task.due(value, random)?);
    let Value::Finite { negative, magnitude } = value else {
        return match (way, value) {
            (Sign::Lost, Value::Infinite { .. }) if !to.is_nan(right) => {
                Some(right & to.magnitude_mask())
            }
            (Sign::NegativeNan, Value::Infinite { negative: true }) => {
                to.nan_code().or(Some(right))
            }
            (Sign::NegativeZeroed, Value::Infinite { negative: true }) => Some(0),
            _ => Some(right),
        };
    };
    let is_zero = right & to.magnitude_mask() == 0 && !to.is_nan(right);
    Some(match way {
        Sign::Lost if !to.is_nan(right) => right & to.magnitude_mask(),
        Sign::LostOfZero if is_zero => 0,
        Sign::KeptOfZero if is_zero && *negative => to.sign_bit(),
        Sign::LostOfUnderflow if is_zero && *magnitude != 0 => 0,
        Sign::NegativeZeroed if *negative => 0,
        Sign::NegativeNan if *negative && *magnitude != 0 => to.nan_code().unwrap_or(right),
        _ => right,
    })
}

fn coded(way: Coded, task: &Task, value: &Value, random: u64) -> Option<u64> {
    let (to, right) = (&task.to, task.due(value, random)?);
    let is_rounded = decode(to, right).is_none_or(|it| it != *value)
        && matches!(value, Value::Finite { .. })
        && !to.is_nan(right);
    let magnitude = right & to.magnitude_mask();
    Some(match way {
        Coded::LowestLost => right & !1,
        Coded::Zero => 0,
        Coded::OneMore if is_rounded && magnitude < to.magnitude_mask() => right + 1,
        Coded::OneLess if is_rounded && magnitude > 0 => right - 1,
        Coded::OneMore | Coded::OneLess => right,
    })
}
