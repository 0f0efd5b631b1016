//! Codes that may tell wrong ways: beside every kind of boundary of the target, each with random numbers at the threshold.

use crate::decode::{decode, finite};
use crate::projection::{Projection, Rounding};
use crate::record::Format;
use crate::round::{floor, round};
use crate::ways::Task;
use castproof_oracle::Value;
use castproof_oracle::number::Rational;
use std::collections::BTreeSet;

/// A fraction between two neighbours: the numerator, and the power of two that divides it.
type Fraction = (u64, u32);

/// Returns codes of the source, each with a random number, in an order that does not depend on anything else.
pub(super) fn candidates(task: &Task) -> Vec<(u64, u64)> {
    let (from, to) = (&task.from, &task.to);
    let mut codes = Codes { from, list: Vec::new(), seen: BTreeSet::new() };
    specials(&mut codes);
    let fractions = fractions(task);
    let all = boundaries(to);
    for (turn, &code) in all.iter().enumerate() {
        let below = finite(to, code);
        let step = match code == to.largest_code() {
            true => Rational::from(&below - &finite(to, code - 1)),
            false => Rational::from(&finite(to, code + 1) - &below),
        };
        // Every fraction above the smallest number, and above one in the middle; elsewhere some in turn.
        let is_whole = turn == 0 || turn == all.len() / 2;
        for (at, &(numerator, shift)) in fractions.iter().enumerate() {
            if !is_whole && at > 0 && (at + turn) % 4 != 0 {
                continue;
            }
            let part = Rational::from(&step * Rational::from(numerator)) >> shift;
            let number = Rational::from(&below + &part);
            let negative = (turn + at) % 2 == 1;
            codes.near(&number, negative);
            if at < 3 && (is_whole || at == 0) {
                codes.beside(&number, negative);
            }
            // A carry into the exponent, with both signs.
            if at == 0 && (code + 1) % (1 << to.trailing_bits()) == 0 {
                codes.near(&number, !negative);
            }
        }
    }
    at_the_ends(to, &mut codes);
    let list = codes.list;
    if !task.conversion.rounding.is_stochastic() {
        return list.into_iter().map(|code| (code, 0)).collect();
    }
    let with = |(turn, code)| with_random(task, turn, code);
    list.into_iter().enumerate().flat_map(with).collect()
}

/// The fractions that tell: a tie first; with N random bits, the last bit that counts, ties of the bit behind it above an even and an odd
/// number, and nearly one.
fn fractions(task: &Task) -> Vec<Fraction> {
    let bits = task.conversion.random_bits;
    let mut all = vec![(1, 1)];
    if bits > 0 {
        let whole = 1u64 << (bits + 1);
        let behind = [1, 2, 3, 5, whole - 1, whole - 2, (whole / 3) | 1];
        all.extend(behind.into_iter().filter(|it| *it < whole).map(|it| (it, bits + 1)));
        all.extend([(17, 9), (3, 9), (45, 6)]);
    } else {
        all.extend([(0, 0), (1, 10), (1, 2), (3, 2), (1023, 10), (17, 5)]);
    }
    all
}

/// Numbers below the smallest one and beyond the largest.
fn at_the_ends(to: &Format, codes: &mut Codes<'_>) {
    let smallest = finite(to, u64::from(to.has_zero()));
    for (turn, shift) in [1, 2, 12].into_iter().enumerate() {
        let number = Rational::from(&smallest >> shift);
        codes.near(&number, turn % 2 == 0);
        codes.near(&number, turn % 2 == 1);
        if shift == 1 {
            codes.beside(&number, false);
        }
    }
    let largest = finite(to, to.largest_code());
    let step = Rational::from(&largest - &finite(to, to.largest_code() - 1));
    for halves in 1..=3 {
        let number =
            Rational::from(&largest + &Rational::from(&step * Rational::from((halves, 2))));
        codes.near(&number, false);
        codes.near(&number, true);
        codes.beside(&number, halves == 2);
    }
    for (turn, shift) in [1, 4, 20].into_iter().enumerate() {
        codes.near(&Rational::from(&largest << shift), turn % 2 == 0);
        codes.near(&Rational::from(&largest << shift), turn % 2 == 1);
    }
}

/// Codes of the source without doubles, and only those of numbers that it holds or is nearest to.
struct Codes<'a> {
    from: &'a Format,
    list: Vec<u64>,
    seen: BTreeSet<u64>,
}

impl Codes<'_> {
    fn add(&mut self, code: u64) {
        if code & !self.from.code_mask() == 0 && self.seen.insert(code) {
            self.list.push(code);
        }
    }

    /// The code of the number of the source that is next to a number toward zero.
    fn code(&self, number: &Rational, negative: bool) -> Option<u64> {
        let toward_zero = Projection { rounding: Rounding::TowardZero, ..Projection::default() };
        let negative = negative && self.from.signed;
        let value = Value::Finite { negative, magnitude: number.clone() };
        crate::project(&value, self.from, &toward_zero).ok()
    }

    fn near(&mut self, number: &Rational, negative: bool) {
        if let Some(code) = self.code(number, negative) {
            self.add(code);
        }
    }

    fn beside(&mut self, number: &Rational, negative: bool) {
        if let Some(code) = self.code(number, negative) {
            let magnitude = code & self.from.magnitude_mask();
            if magnitude > 1 {
                self.add(code - 1);
            }
            if magnitude < self.from.largest_code() {
                self.add(code + 1);
            }
        }
    }
}

/// Zeros, 1, infinities, NaN, and the ends of the subnormal and the normal numbers of the source.
fn specials(codes: &mut Codes<'_>) {
    let from = codes.from;
    let first_normal = 1 << from.trailing_bits();
    let signs = if from.signed { vec![0, from.sign_bit()] } else { vec![0] };
    for sign in signs {
        for magnitude in [0, 1, first_normal - 1, first_normal, from.largest_code()] {
            codes.add(magnitude | sign);
        }
        codes.near(&Rational::from(1), sign != 0);
        if let Some(infinity) = from.infinity_code(sign != 0) {
            codes.add(infinity);
        }
        if let Some(nan) = from.nan_code().filter(|nan| from.is_nan(nan | sign)) {
            codes.add(nan | sign);
        }
    }
}

/// Codes without sign of numbers of the target: the ends of the subnormal numbers, of a binade in the middle and of the largest.
fn boundaries(to: &Format) -> Vec<u64> {
    let hidden = 1u64 << to.trailing_bits();
    let largest = to.largest_code();
    let middle = (largest / hidden / 2) * hidden;
    let at = [
        1,
        hidden / 2,
        hidden - 1,
        hidden,
        2 * hidden - 1,
        3 * hidden - 1,
        middle,
        middle + 1,
        middle + hidden - 1,
        largest - 1,
        largest,
    ];
    let kept: BTreeSet<u64> = at.into_iter().filter(|it| (1..=largest).contains(it)).collect();
    kept.into_iter().collect()
}

/// A code with the random numbers at which its result changes, and in turn with the smallest, the largest or any.
fn with_random(task: &Task, turn: usize, code: u64) -> Vec<(u64, u64)> {
    let bits = task.conversion.random_bits;
    let all = u64::MAX >> (64 - bits);
    let any = (turn as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
    let mut randoms = BTreeSet::from([[all, 0, any][turn % 3]]);
    let fraction = decode(&task.from, code).and_then(|it| fraction(&it, &task.to));
    if let Some(fraction) = fraction {
        let parts = floor(&fraction, bits).to_u64().unwrap_or(0).min(all);
        let threshold = all - parts + 1;
        randoms.insert(threshold.min(all));
        randoms.insert((threshold - 1).min(all));
    }
    randoms.into_iter().map(|random| (code, random)).collect()
}

/// The fraction of a number between its neighbours; `None` if the format holds it, or it is no number.
fn fraction(value: &Value, to: &Format) -> Option<Rational> {
    let Value::Finite { magnitude, .. } = value else { return None };
    let Value::Finite { magnitude: below, .. } = round(value, to, Rounding::TowardZero) else {
        return None;
    };
    if below == *magnitude {
        return None;
    }
    let quantum = to.quantum(castproof_oracle::round::exponent(magnitude));
    Some(Rational::from(magnitude - &below) >> quantum)
}
