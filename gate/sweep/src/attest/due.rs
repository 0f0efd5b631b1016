//! The code that is due of every operand of a conversion, found by few exact projections.

use crate::record::Digest;
use anyhow::{Result, anyhow, bail};
use castproof_formats::{Format, Projection, RandomBits, Rounding, Value, decode, project};
use castproof_vectors::Conversion;

/// Operands of one conversion at most: the codes of float32.
pub(super) const MOST: u64 = 1 << 32;

/// Operands of one message, and those whose results are derived at once.
pub(super) const AT_ONCE: usize = 1 << 16;

/// A conversion, with what is due of each operand.
pub(super) struct Due {
    pub(super) from: Format,
    pub(super) to: Format,
    /// How many random numbers each code is asked with; 1 where the rounding takes none.
    pub(super) randoms: u64,
    results: Results,
}

enum Results {
    /// The first code of each run of codes with one result, in order, and the result.
    Runs(Vec<(u64, u64)>),
    /// Of each code the results for the smallest and the largest random number, and the first random number that gives the latter.
    Thresholds(Vec<(u64, u64, u64)>),
}

impl Due {
    /// Derives what is due.
    ///
    /// # Errors
    /// As [`Due::check`].
    pub(super) fn new(conversion: &Conversion) -> Result<Due> {
        let mut due = Due::check(conversion)?;
        let codes = 1u64 << due.from.bits;
        due.results = match conversion.rounding.is_stochastic() {
            true => Results::Thresholds(
                (0..codes).map(|code| due.threshold(conversion, code)).collect::<Result<_>>()?,
            ),
            false => Results::Runs(due.runs(&projection(conversion, 0)?, conversion)?),
        };
        Ok(due)
    }

    /// Says whether everything that is due can be derived, and derives none of it yet.
    ///
    /// # Errors
    /// If a format is unknown, if rounding and saturation leave a result open, or if there are more than [`MOST`] operands.
    pub(super) fn check(conversion: &Conversion) -> Result<Due> {
        let named =
            |name: &str| Format::named(name).map_err(|error| anyhow!("{conversion}: {error}"));
        let (from, to) = (named(&conversion.from)?, named(&conversion.to)?);
        let randoms = 1u64.checked_shl(conversion.random_bits).unwrap_or(u64::MAX);
        let codes = 1u64.checked_shl(from.bits).unwrap_or(u64::MAX);
        if codes.checked_mul(randoms).is_none_or(|operands| operands > MOST) {
            bail!(
                "{conversion} has more than 2^32 operands, which cannot all be asked: take a narrower source, or fewer random bits"
            );
        }
        let due = Due { from, to, randoms, results: Results::Runs(vec![]) };
        // What may be open: zeros, NaN, infinities, numbers below zero and beyond the largest.
        let Due { from, .. } = &due;
        let ends = [0, from.largest_code(), from.sign_bit(), from.sign_bit() | from.largest_code()];
        let infinities = [false, true].map(|negative| from.infinity_code(negative));
        let projection = projection(conversion, 0)?;
        for code in ends.into_iter().chain(infinities.into_iter().flatten()).chain(from.nan_code())
        {
            due.result(&projection, code, conversion)?;
        }
        Ok(due)
    }

    /// How many operands there are. Operand k is code k / [`randoms`](Due::randoms) with random number k % `randoms`.
    pub(super) fn operands(&self) -> u64 {
        self.randoms << self.from.bits
    }

    /// The code and the random number of an operand.
    pub(super) fn operand(&self, at: u64) -> (u64, u64) {
        (at / self.randoms, at % self.randoms)
    }

    /// Writes what is due of the operands from `first` on.
    pub(super) fn fill(&self, first: u64, due: &mut [u64]) {
        match &self.results {
            Results::Runs(runs) => {
                let mut at = runs.partition_point(|(begin, _)| *begin <= first) - 1;
                for (code, due) in (first..).zip(due) {
                    while runs.get(at + 1).is_some_and(|(begin, _)| *begin <= code) {
                        at += 1;
                    }
                    *due = runs[at].1;
                }
            }
            Results::Thresholds(all) => {
                for (operand, due) in (first..).zip(due) {
                    let (code, random) = self.operand(operand);
                    let (low, high, threshold) = all[code as usize];
                    *due = if random < threshold { low } else { high };
                }
            }
        }
    }

    /// The digest of results for all operands, each in 8 bytes; `fill` writes those from an operand on.
    pub(super) fn digest(&self, fill: impl Fn(u64, &mut [u64])) -> Digest {
        let mut digests = blake3::Hasher::new();
        let mut results = vec![0u64; AT_ONCE];
        let mut first = 0;
        while first < self.operands() {
            let count = AT_ONCE.min((self.operands() - first) as usize);
            fill(first, &mut results[..count]);
            let bytes: Vec<u8> =
                results[..count].iter().flat_map(|code| code.to_le_bytes()).collect();
            digests.update(&bytes);
            first += count as u64;
        }
        Digest(digests.finalize().into())
    }

    /// What is due of a code under a random number.
    pub(super) fn at(&self, code: u64, random: u64) -> u64 {
        let mut due = [0];
        self.fill(code * self.randoms + random, &mut due);
        due[0]
    }

    /// Is it the code that is due? An IEEE format has many NaNs, each of which will do (PF-07).
    pub(super) fn admits(&self, due: u64, got: u64) -> bool {
        due == got || self.to.is_nan(due) && got & !self.to.code_mask() == 0 && self.to.is_nan(got)
    }

    fn result(&self, projection: &Projection, code: u64, of: &Conversion) -> Result<u64> {
        let value = decode(&self.from, code).unwrap_or(Value::Nan { negative: false });
        project(&value, &self.to, projection)
            .map_err(|open| anyhow!("{of}: what is due of {} is open: {open}", self.from.hex(code)))
    }

    /// Numbers of one sign are in the order of their codes, and so are their results, so that between two codes with one result
    /// all have it. Infinities and NaNs are asked apart.
    fn runs(&self, projection: &Projection, of: &Conversion) -> Result<Vec<(u64, u64)>> {
        let format = &self.from;
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let mut add = |first: u64, result: u64| {
            if runs.last().is_none_or(|(_, last)| *last != result) {
                runs.push((first, result));
            }
        };
        let ends = [0, format.sign_bit()];
        for sign in &ends[..1 + usize::from(format.signed)] {
            let is_number = |code: u64| {
                !format.is_nan(code)
                    && ![false, true].map(|it| format.infinity_code(it)).contains(&Some(code))
            };
            let (mut first, last) = (*sign, *sign | format.magnitude_mask());
            // The sign alone may be NaN, and what follows the largest number is none.
            while first <= last {
                let largest = *sign | format.largest_code();
                if !is_number(first) {
                    add(first, self.result(projection, first, of)?);
                    // All NaNs of IEEE are alike.
                    first = if first > largest + 1 { last + 1 } else { first + 1 };
                    continue;
                }
                for (code, result) in self.steps(projection, first, largest, of)? {
                    add(code, result);
                }
                first = largest + 1;
            }
        }
        Ok(runs)
    }

    /// The first code of each result of the numbers between two codes.
    fn steps(
        &self,
        projection: &Projection,
        first: u64,
        last: u64,
        of: &Conversion,
    ) -> Result<Vec<(u64, u64)>> {
        let end = self.result(projection, last, of)?;
        let (mut at, mut steps) = (first, Vec::new());
        loop {
            let here = self.result(projection, at, of)?;
            steps.push((at, here));
            if here == end {
                return Ok(steps);
            }
            // The first code above `at` with another result, at first by ever longer steps.
            let (mut same, mut step) = (at, 1);
            let mut other = loop {
                let next = (same + step).min(last);
                if self.result(projection, next, of)? != here {
                    break next;
                }
                (same, step) = (next, step * 2);
            };
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                match self.result(projection, middle, of)? == here {
                    true => same = middle,
                    false => other = middle,
                }
            }
            at = other;
        }
    }

    /// The results of a code grow with the random number, from one neighbour to the other.
    fn threshold(&self, conversion: &Conversion, code: u64) -> Result<(u64, u64, u64)> {
        let at = |random: u64| self.result(&projection(conversion, random)?, code, conversion);
        let (low, high) = (at(0)?, at(self.randoms - 1)?);
        if low == high {
            return Ok((low, high, 0));
        }
        let (mut below, mut from) = (0, self.randoms - 1);
        while from - below > 1 {
            let middle = below + (from - below) / 2;
            if at(middle)? == low {
                below = middle;
            } else {
                from = middle;
            }
        }
        Ok((low, high, from))
    }
}

/// The projection of a conversion, with a random number where it takes one.
fn projection(conversion: &Conversion, random: u64) -> Result<Projection> {
    let bits = conversion
        .rounding
        .is_stochastic()
        .then(|| RandomBits::new(conversion.random_bits, random))
        .transpose()
        .map_err(|error| anyhow!("{conversion}: {error}"))?;
    let rounding = Rounding::of(conversion.rounding, bits)
        .ok_or_else(|| anyhow!("{conversion}: random bits are missing"))?;
    let Conversion { saturation, edition, .. } = *conversion;
    Ok(Projection { rounding, saturation, edition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::{Edition, RoundingMode, Saturation};

    /// Every operand of conversions of all kinds, one by one.
    #[test]
    fn runs_and_thresholds_are_what_each_operand_gives() {
        let formats = [
            "binary8p4se",
            "binary8p3sf",
            "binary8p1uf",
            "binary6p4ue",
            "float8e4m3fn",
            "float8e5m2",
            "float8e4m3fnuz",
            "float16",
        ];
        for from in formats {
            for to in ["binary8p3se", "binary4p2sf", "binary8p4uf", "bfloat16"] {
                for (at, rounding) in RoundingMode::ALL.into_iter().enumerate() {
                    if from == "float16" && at % 3 != 0 {
                        continue;
                    }
                    let saturation = Saturation::ALL[at % 3];
                    if to == "bfloat16" && saturation == Saturation::Propagate {
                        continue;
                    }
                    let conversion = Conversion {
                        from: from.into(),
                        to: to.into(),
                        rounding,
                        random_bits: if rounding.is_stochastic() { 3 } else { 0 },
                        saturation,
                        edition: Edition::ALL[at % 2],
                    };
                    compare(&conversion);
                }
            }
        }
    }

    fn compare(conversion: &Conversion) {
        let due = Due::new(conversion).expect("a conversion");
        let mut filled = vec![0; due.operands() as usize];
        let half = filled.len() / 2 + 1;
        due.fill(0, &mut filled[..half]);
        due.fill(half as u64, &mut filled[half..]);
        for (at, filled) in (0..).zip(filled) {
            let (code, random) = due.operand(at);
            let projection = projection(conversion, random).expect("a projection");
            let one = due.result(&projection, code, conversion).expect("a result");
            assert_eq!(filled, one, "{conversion}: {code:#x} with {random}");
        }
    }

    #[test]
    fn what_cannot_be_asked_in_full_is_said() {
        for (text, said) in [
            ("Convert<binary64, Binary8p3se, (ToOdd, SatNone)>", "more than 2^32 operands"),
            (
                "Convert<binary32, Binary8p3se, (StochasticA(1), SatNone)>",
                "more than 2^32 operands",
            ),
            ("Convert<Binary8p9se, Binary8p3se, (ToOdd, SatNone)>", "a precision from 1 to 7"),
            ("Convert<nothing, Binary8p3se, (ToOdd, SatNone)>", "unknown format 'nothing'"),
            ("Convert<binary16, float4e2m1, (ToOdd, SatNone)>", "is open: the format has no NaN"),
            ("Convert<binary16, bfloat16, (ToOdd, SatPropagate)>", "only formats of P3109"),
        ] {
            let error = Due::new(&text.parse().expect(text)).err().expect(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
