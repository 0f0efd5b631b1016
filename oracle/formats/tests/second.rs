//! A second way to project, which knows no quantum: the finite codes are a sorted table of exact numbers, a number stands between
//! two of them, and the lowest bit of a code says whether it is even. It must agree with the projection for every value of every
//! format of 8 bits, to every format of 8 bits, under every rounding, saturation and edition.

#![allow(
    clippy::useless_conversion,
    reason = "an operation on GMP's integers is carried out by its conversion"
)]

use castproof_formats::{
    Edition, Format, NAMED, Named, Open, Projection, RandomBits, Rounding, Saturation, Specials,
    Value, decode, project,
};
use castproof_oracle::number::Rational;
use std::cmp::Ordering;

/// The numbers of codes without sign from 0 on, and the one that would follow the largest.
struct Table {
    format: Format,
    numbers: Vec<Rational>,
}

impl Table {
    fn of(format: Format) -> Table {
        let largest = format.largest_code();
        let mut numbers: Vec<Rational> = (0..=largest)
            .map(|code| decode(&format, code).and_then(|it| it.number()).expect("a number"))
            .collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{}", format.name);
        // The code after the largest, read as if it were a number: the step of its binade further.
        let hidden = 1u64 << (format.precision - 1);
        let step = (largest / hidden).max(u64::from(format.has_zero())) as i32 - format.bias;
        let step = Rational::from(1) << (step - (format.precision as i32 - 1));
        numbers.push(Rational::from(&numbers[largest as usize] + &step));
        Table { format, numbers }
    }

    fn largest(&self) -> u64 {
        self.format.largest_code()
    }

    /// Returns the code without sign to which a magnitude other than 0 is rounded; one beyond the largest stands for all beyond, and
    /// `None` for the zero that the format lacks.
    fn rounded(&self, x: &Rational, negative: bool, rounding: Rounding) -> Option<u64> {
        let beyond = self.largest() + 1;
        let after = self.numbers.partition_point(|it| it <= x);
        if after == 0 {
            // Below the smallest power of two, of a format without zero.
            let share = Rational::from(x / &self.numbers[0]);
            return goes_up(rounding, negative, &share, false).then_some(0);
        }
        let below = after as u64 - 1;
        if below == beyond || self.numbers[after - 1] == *x {
            return Some(below);
        }
        let step = Rational::from(&self.numbers[after] - &self.numbers[after - 1]);
        let share = Rational::from(x - &self.numbers[after - 1]) / step;
        Some(below + u64::from(goes_up(rounding, negative, &share, below & 1 == 1)))
    }

    fn project(&self, value: &Value, projection: &Projection) -> Result<u64, Open> {
        let format = &self.format;
        if projection.saturation == Saturation::Propagate && !format.is_p3109() {
            return Err(Open::Propagate);
        }
        let (negative, infinite, code) = match value {
            Value::Nan { .. } => return nan(format),
            Value::Infinite { negative } => (*negative, true, Some(self.largest() + 1)),
            Value::Finite { negative, magnitude } if *magnitude == 0 => {
                (*negative, false, format.has_zero().then_some(0))
            }
            Value::Finite { negative, magnitude } => {
                (*negative, false, self.rounded(magnitude, *negative, projection.rounding))
            }
        };
        let Some(code) = code else { return Err(Open::Zero) };
        let is_below_zero = negative && !format.signed && (code != 0 || !format.has_zero());
        if code <= self.largest() && !is_below_zero {
            return Ok(self.signed(negative, code));
        }
        match beyond(format, negative, infinite, projection)? {
            End::Largest => Ok(self.signed(negative, self.largest())),
            End::Zero => Ok(0),
            End::Nan => nan(format),
            End::Infinity => Ok(self.signed(negative, self.largest() + 1)),
        }
    }

    fn signed(&self, negative: bool, code: u64) -> u64 {
        let keeps_zero =
            matches!(self.format.specials, Specials::Ieee | Specials::Ones | Specials::None);
        let has_sign = negative && self.format.signed && (code != 0 || keeps_zero);
        code + if has_sign { 1 << (self.format.bits - 1) } else { 0 }
    }
}

/// What a number beyond the ends becomes.
#[derive(Clone, Copy)]
enum End {
    Largest,
    Zero,
    Nan,
    Infinity,
}

fn nan(format: &Format) -> Result<u64, Open> {
    let all = (1 << format.bits) - 1;
    match (format.specials, format.signed) {
        (Specials::None, _) => Err(Open::Nan),
        (Specials::Ones, true) => Ok(all >> 1),
        (Specials::Ieee, _) => Ok(format.largest_code() + 1 + (1 << (format.precision - 2))),
        (_, true) => Ok(1 << (format.bits - 1)),
        (_, false) => Ok(all),
    }
}

/// The table of section 2.2, row by row; for the other formats their special code.
fn beyond(format: &Format, negative: bool, infinite: bool, it: &Projection) -> Result<End, Open> {
    use {Edition::*, Rounding::*, Saturation as S, Specials as P};
    let is_odd = it.rounding == ToOdd && !infinite;
    let inward = !infinite
        && match it.rounding {
            TowardZero => true,
            Down => !negative,
            Up => negative,
            _ => false,
        };
    let end = if negative && !format.signed { End::Zero } else { End::Largest };
    Ok(match (format.specials, it.saturation, it.edition) {
        (P::Extended | P::Finite, S::Finite, _) => end,
        (P::Extended, S::Propagate, _) if infinite && (!negative || format.signed) => End::Infinity,
        (P::Extended | P::Finite, S::Propagate, _) => end,
        (P::Extended | P::Finite, S::None, _) if inward => end,
        (P::Extended | P::Finite, S::None, _) if negative && !format.signed => End::Nan,
        (P::Finite, S::None, Report4) => End::Largest,
        (P::Finite, S::None, July2026) => End::Nan,
        (P::Extended, S::None, Report4) if is_odd && !format.signed => End::Largest,
        (P::Extended, S::None, _) => End::Infinity,
        _ if negative && !format.signed => return Err(Open::Sign),
        (P::None, ..) | (_, S::Finite, _) => End::Largest,
        _ if inward => End::Largest,
        (P::Ieee | P::NegativeZero, ..) if is_odd => End::Largest,
        (P::Ieee, ..) => End::Infinity,
        _ => End::Nan,
    })
}

/// Does a share of the way between two neighbours go to the larger magnitude? Without the cuts of the rules: A and B compare with a
/// whole number of parts, so that cutting changes nothing (PJ-11).
fn goes_up(rounding: Rounding, negative: bool, share: &Rational, is_odd: bool) -> bool {
    let half = share.cmp(&Rational::from((1, 2)));
    let parts = |bits: RandomBits| Rational::from(share << bits.count());
    let left = |bits: RandomBits| (1i64 << bits.count()) - bits.number() as i64;
    match rounding {
        Rounding::TowardZero => false,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::NearestAway => half != Ordering::Less,
        Rounding::NearestEven if half == Ordering::Equal => is_odd,
        Rounding::NearestEven => half == Ordering::Greater,
        Rounding::ToOdd => !is_odd,
        Rounding::StochasticA(bits) => parts(bits) >= Rational::from(left(bits)),
        Rounding::StochasticB(bits) => {
            parts(bits) + Rational::from((1, 2)) >= Rational::from(left(bits))
        }
        // A half beyond an even number of parts is cut, beyond an odd one it is one more.
        Rounding::StochasticC(bits) => {
            let short = Rational::from(left(bits)) - parts(bits);
            let is_enough = short.cmp(&Rational::from((1, 2)));
            is_enough == Ordering::Less || (is_enough == Ordering::Equal && left(bits) & 1 == 0)
        }
    }
}

/// Every format of 8 bits: 11 with names of their own, one of which has a code less, and 30 of P3109.
fn formats() -> Vec<Format> {
    let named = NAMED.iter().map(Named::format).filter(|it| it.hex_digits() == 2 && it.bits > 6);
    let mut formats: Vec<Format> = named.collect();
    for (kind, most) in [("se", 7), ("sf", 7), ("ue", 8), ("uf", 8)] {
        for precision in 1..=most {
            let name = format!("binary8p{precision}{kind}");
            formats.push(Format::named(&name).expect("a format"));
        }
    }
    assert_eq!(formats.len(), 11 + 30);
    formats
}

/// The values of all codes, each once.
fn values(formats: &[Format]) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for format in formats {
        values.extend((0..1 << format.bits).map(|code| decode(format, code).expect("a code")));
    }
    let key = |value: &Value| match value {
        Value::Nan { .. } => (2, false, Rational::new()),
        Value::Infinite { negative } => (1, *negative, Rational::new()),
        Value::Finite { negative, magnitude } => (0, *negative, magnitude.clone()),
    };
    values.sort_by_cached_key(key);
    values.dedup_by_key(|value| key(value));
    values
}

#[test]
fn both_ways_agree_on_every_value_of_8_bits() {
    let formats = formats();
    let values = values(&formats);
    let mut roundings = Rounding::FIXED.to_vec();
    for random in [0, 2, 3] {
        let bits = RandomBits::new(2, random).expect("2 bits");
        roundings.extend(Rounding::stochastic(bits));
    }
    let mut count = 0u64;
    for format in formats {
        let table = Table::of(format);
        for value in &values {
            for &rounding in &roundings {
                for (saturation, edition) in [
                    (Saturation::Finite, Edition::Report4),
                    (Saturation::Propagate, Edition::Report4),
                    (Saturation::None, Edition::Report4),
                    (Saturation::None, Edition::July2026),
                ] {
                    let projection = Projection { rounding, saturation, edition };
                    let got = project(value, &table.format, &projection);
                    let due = table.project(value, &projection);
                    let name = &table.format.name;
                    assert_eq!(got, due, "{name} {value:?} {projection:?}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 2_000_000, "only {count} projections");
}
