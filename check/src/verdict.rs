//! The verdict on one test, and the counts of verdicts.

use castproof_vectors::{DType, Landmarks, Outcome, landmarks};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// The verdict on one test.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The recommended reading, or a refusal where one is due.
    Pass,
    /// Another reading that is tolerated.
    Tolerated,
    /// The specification leaves the result open; it was run and recorded.
    Undefined,
    /// A result that no reading allows.
    Fail,
    /// The testee does not have this cast.
    Unsupported,
    /// The testee said that it failed, or broke the protocol.
    Error,
    /// The testee died.
    Crash,
    /// The testee did not answer in time.
    Timeout,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 8] = [
        Verdict::Pass,
        Verdict::Tolerated,
        Verdict::Undefined,
        Verdict::Fail,
        Verdict::Unsupported,
        Verdict::Error,
        Verdict::Crash,
        Verdict::Timeout,
    ];

    /// The verdicts that fail a run.
    pub const BAD: [Verdict; 4] = [Verdict::Fail, Verdict::Error, Verdict::Crash, Verdict::Timeout];

    /// Returns the name in reports and results files.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Tolerated => "tolerated",
            Verdict::Undefined => "undefined",
            Verdict::Fail => "fail",
            Verdict::Unsupported => "unsupported",
            Verdict::Error => "error",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
        }
    }

    /// Does it fail a run, unless a baseline expects it?
    pub fn is_bad(self) -> bool {
        Verdict::BAD.contains(&self)
    }

    /// Returns the verdict on a result. Does the recommended reading admit it (`is_expected`), and
    /// does that reading leave the result open? Does the tolerated reading admit it? `strict`: what
    /// is tolerated fails.
    #[inline]
    pub fn of_result(
        is_expected: bool,
        is_open: bool,
        is_tolerated: impl FnOnce() -> bool,
        strict: bool,
    ) -> Verdict {
        match is_expected {
            true if is_open => Verdict::Undefined,
            true => Verdict::Pass,
            false if !strict && is_tolerated() => Verdict::Tolerated,
            false => Verdict::Fail,
        }
    }
}

/// Judges the code that a testee returned for one element. `to` holds the landmarks of the target.
/// `strict`: what is tolerated fails.
#[inline]
pub fn judge(
    expect: &Outcome,
    tolerate: Option<&Outcome>,
    code: u64,
    to: &Landmarks,
    strict: bool,
) -> Verdict {
    let is_open = *expect == Outcome::Any;
    let is_tolerated = || tolerate.is_some_and(|tolerate| admits(tolerate, code, to));
    Verdict::of_result(admits(expect, code, to), is_open, is_tolerated, strict)
}

/// Does an outcome admit a code? `to` holds the landmarks of the target.
#[inline]
pub fn admits(outcome: &Outcome, code: u64, to: &Landmarks) -> bool {
    outcome.admits(code, to)
}

/// Does an outcome admit a code of a dtype? None is admitted if the dtype has no codes.
pub fn admits_code(dtype: DType, outcome: &Outcome, code: u64) -> bool {
    landmarks(dtype).is_some_and(|landmarks| admits(outcome, code, landmarks))
}

/// How many tests got each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    by_verdict: [u64; Verdict::ALL.len()],
    /// Tests for which the testee returned an element.
    pub executed: u64,
    /// Tests that passed because a refusal was due and came.
    refused: u64,
    /// Texts that may be refused and were, because their meaning is open: those that count as tolerated, and
    /// those that count as undefined.
    declined: [u64; 2],
}

impl Counts {
    /// Counts `tests` more tests with this verdict.
    pub fn add(&mut self, verdict: Verdict, tests: u64) {
        self.by_verdict[verdict as usize] += tests;
    }

    /// Returns the number of tests with this verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.by_verdict[verdict as usize]
    }

    /// Splits the counts into those with this verdict and the others; neither part counts as
    /// executed.
    pub fn split(&self, verdict: Verdict) -> (Counts, Counts) {
        let mut parts = [Counts::default(); 2];
        for one in Verdict::ALL {
            parts[usize::from(one != verdict)].add(one, self.of(one));
        }
        parts.into()
    }

    /// Returns the number of tests with any verdict.
    pub fn judged(&self) -> u64 {
        self.by_verdict.iter().sum()
    }

    /// Returns the number of tests that passed, were tolerated or are undefined.
    pub fn good(&self) -> u64 {
        self.judged() - self.bad() - self.of(Verdict::Unsupported)
    }

    /// Counts a test whose element was refused, with the verdict on that.
    pub fn add_refused(&mut self, verdict: Verdict) {
        self.add(verdict, 1);
        match verdict {
            Verdict::Pass => self.refused += 1,
            Verdict::Tolerated => self.declined[0] += 1,
            Verdict::Undefined => self.declined[1] += 1,
            _ => {}
        }
    }

    /// Returns the texts that were refused as they may be: those that count as tolerated, and those that count
    /// as undefined.
    pub fn declined(&self) -> [u64; 2] {
        let [tolerated, undefined] = self.declined; // a file may hold any numbers
        [tolerated.min(self.of(Verdict::Tolerated)), undefined.min(self.of(Verdict::Undefined))]
    }

    /// Returns the number of tests that passed because the testee refused what is to be refused.
    /// They were not executed: a testee that can do nothing passes them too.
    pub fn refused(&self) -> u64 {
        self.refused.min(self.of(Verdict::Pass)) // a file may hold any numbers
    }

    /// Returns the number of tests with a verdict on a result that came without one. Files of older programs,
    /// which do not count refusals, mean these by it.
    fn without_element(&self) -> u64 {
        let answered = [Verdict::Pass, Verdict::Tolerated, Verdict::Undefined, Verdict::Fail];
        let answered: u64 = answered.iter().map(|&verdict| self.of(verdict)).sum();
        answered.saturating_sub(self.executed)
    }

    /// Returns every count above 0, by the name that reports show. Refused tests, and declined texts, stand
    /// apart from those with an element, so that the first four add up to what was executed.
    pub fn shown(&self) -> Vec<(&'static str, u64)> {
        let (refused, [tolerated, undefined]) = (self.refused(), self.declined());
        let mut shown = Vec::new();
        for verdict in Verdict::ALL {
            let apart = match verdict {
                Verdict::Pass => refused,
                Verdict::Tolerated => tolerated,
                Verdict::Undefined => undefined,
                _ => 0,
            };
            shown.push((verdict.name(), self.of(verdict) - apart));
            if verdict == Verdict::Fail {
                shown.extend([("refused", refused), ("declined", tolerated + undefined)]);
            }
        }
        shown.retain(|(_, count)| *count > 0);
        shown
    }

    /// Returns the number of tests with a verdict that fails a run.
    pub fn bad(&self) -> u64 {
        Verdict::BAD.iter().map(|&verdict| self.of(verdict)).sum()
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        for verdict in Verdict::ALL {
            self.add(verdict, other.of(verdict));
        }
        self.executed += other.executed;
        self.refused += other.refused;
        for (sum, more) in self.declined.iter_mut().zip(other.declined) {
            *sum += more;
        }
    }
}

impl fmt::Display for Counts {
    /// Writes `pass 48,000  tolerated 12  refused 5  unsupported 3`: every count above 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown();
        let parts: Vec<String> =
            shown.iter().map(|(name, count)| format!("{name} {}", thousands(*count))).collect();
        f.write_str(&parts.join("  "))
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Where it is left out, older files and this one say the same by their other members.
        let refused = (self.refused != self.without_element().min(self.of(Verdict::Pass))
            || self.declined != [0; 2])
            .then_some(self.refused);
        let tolerated = (self.declined[0] > 0).then_some(self.declined[0]);
        let more = usize::from(refused.is_some()) + usize::from(tolerated.is_some());
        let members = Verdict::ALL.len() + 1 + more;
        let mut map = serializer.serialize_map(Some(members))?;
        map.serialize_entry("executed", &self.executed)?;
        if let Some(refused) = refused {
            map.serialize_entry("refused", &refused)?;
        }
        if let Some(tolerated) = tolerated {
            map.serialize_entry("declinedTolerated", &tolerated)?;
        }
        for verdict in Verdict::ALL {
            map.serialize_entry(verdict.name(), &self.of(verdict))?;
        }
        map.end()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Counts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Counts".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let count = |name: &str| {
            let count = serde_json::json!({"type": "integer", "format": "uint64", "minimum": 0});
            (name.to_string(), count)
        };
        let verdicts = Verdict::ALL.into_iter().map(|verdict| count(verdict.name()));
        let others = [count("executed"), count("refused"), count("declinedTolerated")];
        let properties: serde_json::Map<_, _> = verdicts.chain(others).collect();
        schemars::json_schema!({
            "description": "How many tests got each verdict. `executed` counts the tests for which \
                            the testee returned an element, `refused` those that passed because a \
                            refusal was due and came; where it is absent, it is `pass` + `tolerated` + \
                            `undefined` + `fail` - `executed`, at most `pass`. The rest of that sum are texts \
                            that were refused because their meaning is open; `declinedTolerated` of them \
                            count as tolerated, the others as undefined.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false
        })
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Counts, D::Error> {
        let (mut counts, mut refused, mut tolerated) = (Counts::default(), None, 0);
        for (name, tests) in BTreeMap::<String, u64>::deserialize(deserializer)? {
            match Verdict::ALL.into_iter().find(|verdict| verdict.name() == name) {
                Some(verdict) => counts.add(verdict, tests),
                None if name == "executed" => counts.executed = tests,
                None if name == "refused" => refused = Some(tests),
                None if name == "declinedTolerated" => tolerated = tests,
                None => {
                    return Err(D::Error::custom(format!(
                        "'{name}' is not a verdict: name one, or executed, or refused"
                    )));
                }
            }
        }
        let without = counts.without_element();
        counts.refused = refused.unwrap_or(without.min(counts.of(Verdict::Pass)));
        if refused.is_some() {
            let undefined = without.saturating_sub(counts.refused).saturating_sub(tolerated);
            counts.declined = [tolerated, undefined.min(counts.of(Verdict::Undefined))];
        }
        Ok(counts)
    }
}

/// Writes a count for people: `48,211`.
pub fn thousands(count: impl Into<u128>) -> String {
    let digits = count.into().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a count with its noun: `1 pair`, `1,204 pairs`, `2 entries`.
pub fn counted(count: impl Into<u128>, noun: &str) -> String {
    let count = count.into();
    let number = thousands(count);
    match noun.strip_suffix('y') {
        _ if count == 1 => format!("{number} {noun}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::{DType, landmarks};

    #[test]
    fn judgements() {
        let e4m3 = landmarks(DType::Float8E4M3FN).expect("numeric");
        let float = landmarks(DType::Float32).expect("numeric");
        let boolean = landmarks(DType::Bool).expect("numeric");
        let code = Outcome::Code(0x7e);
        for (expect, tolerate, got, to, verdict) in [
            (&code, None, 0x7e, e4m3, Verdict::Pass),
            (&code, None, 0x7f, e4m3, Verdict::Fail),
            (&code, Some(&Outcome::AnyNan), 0xff, e4m3, Verdict::Tolerated),
            (&Outcome::AnyNan, None, 0xff, e4m3, Verdict::Pass),
            (&Outcome::AnyNan, None, 0x7e, e4m3, Verdict::Fail),
            // The quiet bit decides; sign and payload do not.
            (&Outcome::QuietNan, None, 0x7fc0_0000, float, Verdict::Pass),
            (&Outcome::QuietNan, None, 0xffc1_2345, float, Verdict::Pass),
            (&Outcome::QuietNan, None, 0x7fff_ffff, float, Verdict::Pass),
            (&Outcome::QuietNan, None, 0x7fbf_ffff, float, Verdict::Fail),
            (&Outcome::QuietNan, None, 0xff80_0001, float, Verdict::Fail),
            (&Outcome::QuietNan, None, 0x7f80_0000, float, Verdict::Fail),
            (&Outcome::QuietNan, None, 0x3fc0_0000, float, Verdict::Fail),
            // No specification divides the NaN codes of this dtype.
            (&Outcome::QuietNan, None, 0x7f, e4m3, Verdict::Fail),
            (&code, Some(&Outcome::QuietNan), 0x7fc0_0000, float, Verdict::Tolerated),
            (&Outcome::Any, None, 1, boolean, Verdict::Undefined),
            (&Outcome::Any, None, 2, boolean, Verdict::Fail),
            (&Outcome::Code(1), Some(&Outcome::Any), 0, boolean, Verdict::Tolerated),
            (&Outcome::Reject, None, 0, boolean, Verdict::Fail),
        ] {
            assert_eq!(judge(expect, tolerate, got, to, false), verdict, "{expect:?} {got:#x}");
            let strict = if verdict == Verdict::Tolerated { Verdict::Fail } else { verdict };
            assert_eq!(judge(expect, tolerate, got, to, true), strict, "{expect:?} {got:#x}");
        }
    }

    #[test]
    fn counts_add_up() {
        let mut counts = Counts::default();
        for verdict in Verdict::ALL {
            counts.add(verdict, 10);
        }
        counts += counts;
        assert_eq!((counts.judged(), counts.bad(), counts.good()), (160, 80, 60));
    }

    /// What is shown beside the executed tests adds up to them.
    #[test]
    fn what_was_not_executed_is_not_shown_as_passed() {
        let mut counts = Counts { executed: 12, ..Counts::default() };
        for (verdict, tests) in
            [(Verdict::Pass, 10), (Verdict::Tolerated, 2), (Verdict::Unsupported, 4)]
        {
            counts.add(verdict, tests);
        }
        (0..5).for_each(|_| counts.add_refused(Verdict::Pass));
        assert_eq!(counts.to_string(), "pass 10  tolerated 2  refused 5  unsupported 4");
        // Seven texts whose meaning is open were refused, which hides no pass.
        (0..7).for_each(|_| counts.add_refused(Verdict::Undefined));
        counts.add_refused(Verdict::Tolerated);
        let shown = "pass 10  tolerated 2  refused 5  declined 8  unsupported 4";
        assert_eq!(counts.to_string(), shown);
        let read: Counts =
            serde_json::from_str(&serde_json::to_string(&counts).expect("JSON")).expect("counts");
        assert_eq!(read, counts);
        // Older files have no such member.
        let older = r#"{"executed": 12, "pass": 15, "tolerated": 2, "unsupported": 4}"#;
        let older: Counts = serde_json::from_str(older).expect("counts");
        assert_eq!(older.to_string(), "pass 10  tolerated 2  refused 5  unsupported 4");
    }

    #[test]
    fn nouns_follow_their_counts() {
        for (count, noun, text) in [
            (0u64, "pair", "0 pairs"),
            (1, "pair", "1 pair"),
            (1001, "code", "1,001 codes"),
            (1, "entry", "1 entry"),
            (2, "entry", "2 entries"),
        ] {
            assert_eq!(counted(count, noun), text);
        }
    }

    #[test]
    fn thousands_are_set_apart() {
        for (count, text) in [(0u64, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(thousands(count), text);
        }
    }
}
