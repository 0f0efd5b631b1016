//! Casts that have no result for some elements: which floats an integer does not hold.

use crate::Error;
use crate::rules::Rules;
use crate::values::format_of;
use castproof_vectors::DType;

/// The codes of floats whose integral part an integer has: up to `positive`, and, with the sign, up to
/// `negative`. They are ordered as the numbers are, and NaN and infinity come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    sign: u64,
    positive: u64,
    negative: u64,
}

impl Held {
    fn has(&self, code: u64) -> bool {
        let most = if code & self.sign == 0 { self.positive } else { self.negative };
        code & !self.sign <= most
    }
}

/// Returns an error if these rules trap at one of the elements, which are little-endian.
pub(crate) fn check(rules: &Rules, (from, to): (DType, DType), input: &[u8]) -> Result<(), Error> {
    let Some(held) = held(rules, from, to) else { return Ok(()) };
    let traps = match from {
        DType::Float32 => {
            let (codes, _) = input.as_chunks::<4>();
            codes.iter().position(|code| !held.has(u32::from_le_bytes(*code).into()))
        }
        _ => {
            let (codes, _) = input.as_chunks::<8>();
            codes.iter().position(|code| !held.has(u64::from_le_bytes(*code)))
        }
    };
    traps.map_or(Ok(()), |index| Err(Error::Traps { index, from, to }))
}

/// Returns an error if these rules trap at this code.
pub(crate) fn check_code(
    rules: &Rules,
    (from, to): (DType, DType),
    code: u64,
    index: usize,
) -> Result<(), Error> {
    match held(rules, from, to) {
        Some(held) if !held.has(code) => Err(Error::Traps { index, from, to }),
        _ => Ok(()),
    }
}

/// The floats that an integer of 32 or 64 bits holds after their fraction is dropped; `None` if these rules have
/// a result for all.
fn held(rules: &Rules, from: DType, to: DType) -> Option<Held> {
    let format = format_of(from).filter(|_| rules.traps)?;
    let signed = matches!(to, DType::Int32 | DType::Int64);
    let power = to.bits() - u32::from(signed);
    let trailing = format.significand_bits;
    let power_of_two = |power: u32| u64::from(format.bias as u32 + power) << trailing;
    // The first number beyond the range. Below zero it is -1, or one less than the smallest integer: where the float
    // does not have that, the next one after the smallest integer is beyond as well.
    let beyond = match (signed, trailing.checked_sub(power)) {
        (false, _) => power_of_two(0),
        (true, Some(below)) => power_of_two(power) + (1 << below),
        (true, None) => power_of_two(power) + 1,
    };
    Some(Held { sign: format.sign(), positive: power_of_two(power) - 1, negative: beyond - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The machine's own floats, cut off and compared with the ends of the range.
    #[test]
    fn the_last_numbers_that_are_held_are_those_of_the_machine() {
        let ends = |to: DType| match to {
            DType::Int32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
            DType::Uint32 => (0, i128::from(u32::MAX)),
            DType::Int64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
            _ => (0, i128::from(u64::MAX)),
        };
        for to in [DType::Int32, DType::Uint32, DType::Int64, DType::Uint64] {
            let (first, last) = ends(to);
            let has = |number: f64| {
                let number = number.trunc();
                !number.is_nan()
                    && number.abs() < 1e30
                    && (first..=last).contains(&(number as i128))
            };
            for from in [DType::Float32, DType::Float64] {
                let trapping = Rules { traps: true, ..Rules::NEWEST };
                let held = held(&trapping, from, to).expect("a float that traps");
                let number = |code: u64| match from {
                    DType::Float32 => f64::from(f32::from_bits(code as u32)),
                    _ => f64::from_bits(code),
                };
                let near = |code: u64| (code - 3..=code + 3).flat_map(|it| [it, it | held.sign]);
                let nan = number((1 << (from.bits() - 1)) - 1);
                assert!(nan.is_nan() && !held.has((1 << (from.bits() - 1)) - 1));
                for code in near(held.positive).chain(near(held.negative)).chain([0, held.sign]) {
                    assert_eq!(held.has(code), has(number(code)), "{from} to {to}: {code:#x}");
                }
            }
        }
    }
}
