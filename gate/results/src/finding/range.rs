//! A range of inputs, in words.

use castproof_check::numeral::{code_at, decimal, mirrored};
use castproof_vectors::{DType, Element};
use serde::{Deserialize, Serialize};

/// How many runs of values a sentence names.
const NAMED: usize = 3;

/// The inputs that a finding touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// `every value from 480 to below 496 and their negatives`
    pub sentence: String,
    /// The smallest input, or NaN if only NaN is touched.
    pub first: Element,
    /// The largest input.
    pub last: Element,
    /// Is every run known exactly, from its first code to its last, with every value between found
    /// wrong?
    pub exact: bool,
    /// The share of all codes of the source, from 0 to 1; an estimate where `exact` is not set.
    pub share: f64,
}

/// Inputs that are wrong, as far as the run shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Runs of wrong values: first and last place, ascending.
    pub runs: Vec<(i128, i128)>,
    /// Is every run wrong from end to end, and right beyond its ends?
    pub exact: bool,
    /// Number of wrong NaN codes, and of NaN codes asked.
    pub nan: (u64, u64),
    /// The first wrong NaN code.
    pub first_nan: Option<u64>,
    /// Number of wrong values between the first and the last place, and of values asked there.
    pub wrong: (u64, u64),
}

impl Range {
    /// Returns the range of a spread; `None` if the spread is empty.
    pub fn new(dtype: DType, spread: &Spread) -> Option<Range> {
        let nan = spread.first_nan.map(|code| Element::code(code, dtype));
        let at = |place: i128| code_at(dtype, place).map(|code| Element::code(code, dtype));
        let ends = match (spread.runs.first(), spread.runs.last()) {
            (Some(first), Some(last)) => Some((at(first.0)?, at(last.1)?)),
            _ => None,
        };
        let (first, last) = ends.or_else(|| nan.clone().zip(nan))?;
        Some(Range {
            sentence: sentence(dtype, spread),
            first,
            last,
            exact: spread.exact,
            share: share(dtype, spread),
        })
    }
}

fn share(dtype: DType, spread: &Spread) -> f64 {
    let codes = spread.runs.iter().map(|(first, last)| (last - first + 1) as f64).sum::<f64>();
    let part = match (spread.exact, spread.wrong) {
        (false, (wrong, asked @ 1..)) => wrong as f64 / asked as f64,
        _ => 1.0,
    };
    // NaN codes have the same meaning, so they count as one code.
    (codes * part + f64::from(u8::from(spread.nan.0 > 0))) / (dtype.code_mask() as f64 + 1.0)
}

fn sentence(dtype: DType, spread: &Spread) -> String {
    let mut parts = Vec::new();
    if spread.exact && spread.runs.len() <= 2 * NAMED {
        let folded = folded(dtype, &spread.runs);
        let shown = folded.len().min(NAMED);
        let words: Vec<String> = folded[..shown].iter().map(|run| run.words(dtype)).collect();
        if !words.is_empty() {
            parts.push(words.join("; "));
        }
    } else if let (Some(first), Some(last)) = (spread.runs.first(), spread.runs.last()) {
        let (first, last) = (first.0, last.1);
        let run = Run { first, last, both_signs: false };
        parts.push(match first == last {
            // One value, which is not wrong every time that it is asked.
            true => text(dtype, first),
            false => format!("some of the values {}", run.between(dtype)),
        });
    }
    match spread.nan {
        (0, _) => {}
        (wrong, asked) if wrong == asked => parts.push("NaN".into()),
        _ => parts.push("some codes of NaN".into()),
    }
    parts.join("; and ")
}

/// A run of values, perhaps with their negatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: i128,
    last: i128,
    both_signs: bool,
}

/// Returns the runs, each pair of mirror images as one; those nearest to zero come first.
fn folded(dtype: DType, runs: &[(i128, i128)]) -> Vec<Run> {
    let mirror = |(first, last): (i128, i128)| (mirrored(dtype, last), mirrored(dtype, first));
    let is_image = |run: &(i128, i128)| run.1 < 0 && runs.contains(&mirror(*run));
    let kept = runs.iter().filter(|run| !is_image(run)).map(|&(first, last)| {
        let both_signs = first >= 0 && mirror((first, last)).1 < 0;
        Run { first, last, both_signs: both_signs && runs.contains(&mirror((first, last))) }
    });
    let mut kept: Vec<Run> = kept.collect();
    kept.sort_by_key(|run| run.first.abs().min(run.last.abs()));
    kept
}

impl Run {
    fn words(self, dtype: DType) -> String {
        if self.first == self.last {
            let also = if self.both_signs { " and its negative" } else { "" };
            return format!("{}{also}", text(dtype, self.first));
        }
        let also = if self.both_signs { " and their negatives" } else { "" };
        format!("every value {}{also}", self.between(dtype))
    }

    /// Returns `from 480 to below 496`. The neighbour of an end is named if its text is shorter.
    fn between(self, dtype: DType) -> String {
        let rounder = |end: i128, beyond: i128| {
            let (end, beyond) =
                (text(dtype, end), code_at(dtype, beyond).map(|code| decimal(dtype, code)));
            let beyond = beyond.filter(|it| dtype.is_float() && it.len() + 2 < end.len());
            beyond.filter(|it| !it.ends_with("Inf") && it != "-0").ok_or(end)
        };
        match (rounder(self.first, self.first - 1), rounder(self.last, self.last + 1)) {
            (Ok(low), Ok(high)) => format!("above {low} and below {high}"),
            (Ok(low), Err(last)) => format!("above {low}, up to {last}"),
            (Err(first), Ok(high)) => format!("from {first} to below {high}"),
            (Err(first), Err(last)) => format!("from {first} to {last}"),
        }
    }
}

fn text(dtype: DType, place: i128) -> String {
    code_at(dtype, place).map_or("NaN".into(), |code| decimal(dtype, code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_check::numeral::ordinal;
    use castproof_vectors::DType::*;

    fn said(dtype: DType, runs: &[(u64, u64)], exact: bool) -> std::string::String {
        let place = |code| ordinal(dtype, code).expect("a value");
        let mut runs: Vec<(i128, i128)> =
            runs.iter().map(|&(first, last)| (place(first), place(last))).collect();
        runs.sort_unstable();
        Range::new(dtype, &Spread { runs, exact, ..Spread::default() }).expect("a range").sentence
    }

    #[test]
    fn ranges_read_as_people_say_them() {
        let both = [(0x43f0_0000, 0x43f7_ffff), (0xc3f7_ffff, 0xc3f0_0000)];
        assert_eq!(
            said(Float32, &both, true),
            "every value from 480 to below 496 and their negatives"
        );
        assert_eq!(said(Float32, &both[..1], true), "every value from 480 to below 496");
        assert_eq!(said(Float32, &both[1..], true), "every value above -496, up to -480");
        assert_eq!(said(Float32, &both, false), "some of the values above -496 and below 496");
        assert_eq!(said(Float32, &[(0x8000_0000, 0x8000_0000)], true), "-0");
        assert_eq!(said(Float32, &[(0x7f80_0000, 0x7f80_0000)], false), "Inf");
        assert_eq!(said(Int8, &[(100, 127)], true), "every value from 100 to 127");
        assert_eq!(said(Int8, &[(5, 5), (0xfb, 0xfb)], true), "5 and its negative");
        assert_eq!(
            said(Float32, &[(0x43f0_0000, 0x7f80_0000)], true),
            "every value from 480 to Inf"
        );
        assert_eq!(
            said(Float32, &[(0x43e8_0001, 0x43f0_0000)], true),
            "every value above 464, up to 480"
        );
    }

    #[test]
    fn nan_is_told_beside_values() {
        let spread =
            Spread { nan: (3, 3), first_nan: Some(0x7fc0_0000), exact: true, ..Spread::default() };
        assert_eq!(Range::new(Float32, &spread).expect("a range").sentence, "NaN");
        let some = Spread { nan: (1, 3), runs: vec![(0, 0)], ..spread };
        assert_eq!(
            Range::new(Float32, &some).expect("a range").sentence,
            "0; and some codes of NaN"
        );
        assert_eq!(Range::new(Float32, &Spread::default()), None);
    }
}
