//! What a cast must make of each element of an array, which is given as bytes: little-endian codes, each
//! in as many bytes as it needs. Elements of less than a byte take one.

use crate::draw::Draw;
use crate::verdict::{Verdict, judge};
use castproof_vectors::{DType, Expectation, Landmarks, Outcome, RuleId, landmarks};
use std::collections::HashMap;

/// Any NaN of the target is right.
pub const ANY_NAN: u8 = 1;
/// The specification leaves the result open.
pub const UNDEFINED: u8 = 2;
/// Any of several codes is right: one of a list, or any quiet NaN.
pub const CHOICE: u8 = 4;
/// Another result is tolerated.
pub const TOLERATED: u8 = 8;

/// Where the answers to the elements of an array are written. Each slice has one entry for each
/// element, `codes` as many bytes as the target's elements take.
pub struct Written<'a> {
    /// A code that is right; the recommended one if there is one.
    pub codes: &'a mut [u8],
    /// What else is right: a sum of [`ANY_NAN`], [`UNDEFINED`], [`CHOICE`] and [`TOLERATED`].
    pub kinds: &'a mut [u8],
    /// The place of the rule that decides in [`RuleNames::names`].
    pub rules: &'a mut [u16],
}

/// The rules that decided elements so far, each once.
#[derive(Default)]
pub struct RuleNames {
    names: Vec<String>,
    places: HashMap<RuleId, u16>,
}

impl RuleNames {
    /// Returns the ids in the order of their places.
    pub fn names(self) -> Vec<String> {
        self.names
    }

    /// Returns the place of a rule, which is given one if it has none.
    pub fn place(&mut self, rule: RuleId) -> u16 {
        let RuleNames { names, places } = self;
        *places.entry(rule).or_insert_with(|| {
            names.push(rule.to_string());
            // There are some hundred rules.
            (names.len() - 1) as u16
        })
    }
}

/// Returns the bytes that an element takes.
pub fn width(dtype: DType) -> usize {
    dtype.bits().div_ceil(8) as usize
}

/// Returns the number of elements of an array.
///
/// # Errors
/// If the bytes are not whole elements.
pub fn count(dtype: DType, bytes: &[u8]) -> Result<usize, String> {
    let (length, width) = (bytes.len(), width(dtype));
    match length.is_multiple_of(width) {
        true => Ok(length / width),
        false => Err(format!("{length} bytes are not whole elements of {dtype}")),
    }
}

/// Returns the codes of an array.
pub fn codes(dtype: DType, bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(width(dtype)).map(|element| {
        let mut code = [0; 8];
        code[..element.len()].copy_from_slice(element);
        u64::from_le_bytes(code)
    })
}

/// Writes codes to an array that has room for as many.
pub fn write(dtype: DType, codes: impl IntoIterator<Item = u64>, bytes: &mut [u8]) {
    for (code, element) in codes.into_iter().zip(bytes.chunks_exact_mut(width(dtype))) {
        write_one(code, element);
    }
}

fn write_one(code: u64, element: &mut [u8]) {
    let width = element.len();
    element.copy_from_slice(&code.to_le_bytes()[..width]);
}

/// Writes what the request must make of each code of `inputs`.
///
/// # Errors
/// If a code is wider than its dtype, or the arrays differ in length.
pub fn expect(
    draw: &Draw,
    inputs: &[u8],
    written: &mut Written<'_>,
    names: &mut RuleNames,
) -> Result<(), String> {
    let (from, to) = (draw.request().from, draw.request().to);
    let target = known(to)?;
    let Written { codes: expected, kinds, rules } = written;
    let count = count(from, inputs)?;
    if (expected.len(), kinds.len(), rules.len()) != (count * width(to), count, count) {
        return Err("the arrays differ in length".into());
    }
    let elements = codes(from, inputs).zip(expected.chunks_exact_mut(width(to)));
    for ((code, expected), (kind, rule)) in elements.zip(kinds.iter_mut().zip(rules.iter_mut())) {
        let answer = answer(draw, code)?;
        let (code, bits) = right(&answer.expect, target);
        write_one(code, expected);
        *kind = bits | if answer.tolerate.is_some() { TOLERATED } else { 0 };
        *rule = names.place(answer.rule);
    }
    Ok(())
}

/// Writes for each code of `inputs` whether its result is right, or tolerated unless `strict`.
///
/// # Errors
/// If a code is wider than its dtype, or the arrays differ in length.
pub fn admits(
    draw: &Draw,
    inputs: &[u8],
    results: &[u8],
    strict: bool,
    admitted: &mut [bool],
) -> Result<(), String> {
    let (from, to) = (draw.request().from, draw.request().to);
    let target = known(to)?;
    let counts = (count(from, inputs)?, count(to, results)?);
    if counts != (admitted.len(), admitted.len()) {
        return Err(format!("{} inputs have {} results", counts.0, counts.1));
    }
    let elements = codes(from, inputs).zip(codes(to, results)).zip(admitted);
    for ((code, got), admitted) in elements {
        let answer = answer(draw, code)?;
        let tolerate = answer.tolerate.as_ref();
        *admitted = judge(&answer.expect, tolerate, got, target, strict) != Verdict::Fail;
    }
    Ok(())
}

fn answer(draw: &Draw, code: u64) -> Result<Expectation, String> {
    let from = draw.request().from;
    if code & !from.code_mask() != 0 {
        return Err(format!("code {code:#x} is wider than {from}"));
    }
    Ok(draw.expectation(code))
}

/// Returns a code that an outcome admits, and what else is right.
fn right(outcome: &Outcome, target: &Landmarks) -> (u64, u8) {
    match outcome {
        Outcome::Code(code) => (*code, 0),
        Outcome::AnyNan => (target.nan.first().map_or(0, |[first, _]| first.value()), ANY_NAN),
        // Not `ANY_NAN`, which admits signalling ones too.
        Outcome::QuietNan => {
            (target.quiet_nan.first().map_or(0, |[first, _]| first.value()), CHOICE)
        }
        Outcome::OneOf(codes) => (codes.first().copied().unwrap_or(0), CHOICE),
        Outcome::Any => (0, UNDEFINED),
        // Requests that are refused, and strings, do not come here.
        Outcome::Reject | Outcome::Text(_) => (0, 0),
    }
}

fn known(dtype: DType) -> Result<&'static Landmarks, String> {
    landmarks(dtype).ok_or_else(|| format!("{dtype} is not a numeric dtype"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::Request;

    /// Each answer is that of the book.
    #[test]
    fn arrays_are_answered_element_by_element() {
        for (from, to) in [
            (DType::Float32, DType::Float8E4M3FN),
            (DType::Float16, DType::Int4),
            (DType::Int4, DType::Float64),
            (DType::Float64, DType::Float16),
        ] {
            let draw = Draw::of(&Request::cast(from, to, 28)).expect("numeric");
            let asked = draw.batch(&mut castproof_vectors::random::Random::new(0), 500);
            let mut inputs = vec![0; asked.len() * width(from)];
            write(from, asked.iter().copied(), &mut inputs);
            assert!(codes(from, &inputs).eq(asked.iter().copied()));
            let mut expected = vec![0; asked.len() * width(to)];
            let (mut kinds, mut rules) = (vec![0; asked.len()], vec![0; asked.len()]);
            let mut written =
                Written { codes: &mut expected, kinds: &mut kinds, rules: &mut rules };
            let mut names = RuleNames::default();
            expect(&draw, &inputs, &mut written, &mut names).expect("fits");
            let names = names.names();
            let results: Vec<u64> = codes(to, &expected).collect();
            for (place, &code) in asked.iter().enumerate() {
                let answer = draw.expectation(code);
                assert_eq!(names[rules[place] as usize], answer.rule.as_str());
                assert_eq!(kinds[place] & TOLERATED != 0, answer.tolerate.is_some());
                assert_eq!(kinds[place] & ANY_NAN != 0, answer.expect == Outcome::AnyNan);
                assert_eq!(kinds[place] & UNDEFINED != 0, answer.expect == Outcome::Any);
                if let Outcome::Code(due) = answer.expect {
                    assert_eq!(results[place], due, "{from} {to} {code:#x}");
                }
            }
            let mut admitted = vec![false; asked.len()];
            admits(&draw, &inputs, &expected, true, &mut admitted).expect("fits");
            assert!(admitted.iter().all(|it| *it), "{from} {to}");
            let wrong: Vec<u64> = results.iter().map(|code| code ^ 1).collect();
            write(to, wrong, &mut expected);
            admits(&draw, &inputs, &expected, true, &mut admitted).expect("fits");
            let plain = kinds.iter().zip(&admitted).filter(|(kind, _)| **kind & !TOLERATED == 0);
            assert!(plain.map(|(_, admitted)| admitted).all(|it| !it), "{from} {to}");
        }
    }

    /// Any quiet NaN is a choice, of which the lowest is written. It is not any NaN.
    #[test]
    fn a_quiet_nan_is_one_of_several() {
        let (from, to) = (DType::Float64, DType::Float32);
        let spec = castproof_vectors::Spec::Profile(castproof_vectors::Profile::WasmSat);
        let draw = Draw::of(&Request::new(spec, from, to)).expect("numeric");
        let inputs = [0x7ff0_0000_0000_0001u64, 0xfff8_0000_0000_0001].map(u64::to_le_bytes);
        let inputs = inputs.as_flattened();
        let (mut codes, mut kinds, mut rules) = ([0; 8], [0; 2], [0; 2]);
        let mut written = Written { codes: &mut codes, kinds: &mut kinds, rules: &mut rules };
        expect(&draw, inputs, &mut written, &mut RuleNames::default()).expect("fits");
        assert_eq!((&codes[..4], kinds), (&0x7fc0_0000u32.to_le_bytes()[..], [CHOICE; 2]));
        let mut admitted = [false; 2];
        admits(&draw, inputs, &codes, true, &mut admitted).expect("fits");
        assert_eq!(admitted, [true; 2]);
        let results = [0xff80_0001u32, 0xffff_ffff].map(u32::to_le_bytes);
        admits(&draw, inputs, results.as_flattened(), true, &mut admitted).expect("fits");
        assert_eq!(admitted, [false, true]);
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let draw = Draw::of(&Request::cast(DType::Int4, DType::Int16, 28)).expect("numeric");
        let wide = admits(&draw, &[16], &[0, 0], false, &mut [false]).unwrap_err();
        assert!(wide.contains("code 0x10 is wider than int4"), "{wide}");
        let odd = admits(&draw, &[1], &[0, 0, 0], false, &mut [false]).unwrap_err();
        assert!(odd.contains("3 bytes are not whole elements of int16"), "{odd}");
        let few = admits(&draw, &[1, 2], &[0, 0], false, &mut [false; 2]).unwrap_err();
        assert!(few.contains("2 inputs have 1 results"), "{few}");
    }
}
