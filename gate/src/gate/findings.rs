//! The list of what went wrong, for people.

use super::results::{Finding, RemarkKey, Results};
use super::verdict::{Verdict, thousands};
use castproof_oracle::{clause, describe};
use castproof_vectors::{Attributes, DType, Outcome, OutcomeRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// How many cases are listed for one pair, attributes and clause.
const PER_RULE: usize = 3;

/// Lists every kind of error, crash and timeout, then the first differing cases by pair,
/// attributes and clause. At most `limit` rows of either.
///
/// # Errors
/// If writing fails.
pub(super) fn list(out: &mut dyn Write, results: &Results, limit: usize) -> io::Result<()> {
    list_remarks(out, results, limit)?;
    list_cases(out, results, limit)
}

fn list_cases(out: &mut dyn Write, results: &Results, limit: usize) -> io::Result<()> {
    let rules = by_rule(&results.findings);
    if rules.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nDiffering cases")?;
    let mut room = limit;
    let mut left_out = results.findings_left_out;
    for (rule, cases) in &rules {
        let shown = cases.len().min(PER_RULE).min(room);
        let rest = (cases.len() - shown) as u64;
        room -= shown;
        left_out += rest;
        if shown == 0 {
            continue;
        }
        writeln!(out, "\n{}", rule.title())?;
        for (case, opsets) in cases.iter().take(shown) {
            writeln!(out, "  {}  [opset {}]", case.line(rule.pair), join(opsets))?;
        }
        if rest > 0 {
            writeln!(out, "  and {} more", thousands(rest))?;
        }
    }
    if left_out > 0 {
        writeln!(
            out,
            "\n{} differing cases are not listed (of one rule {PER_RULE} are, of all {limit}); \
             --limit-list lists more, --json keeps them",
            thousands(left_out)
        )?;
    }
    Ok(())
}

/// What cases are grouped by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rule<'a> {
    pair: (DType, DType),
    attributes: Attributes,
    clause: &'a str,
}

impl Rule<'_> {
    /// `float32 -> float8e4m3fn saturate=0: F8-N07, values beyond the largest become NaN`
    fn title(&self) -> String {
        let (from, to) = self.pair;
        let rule = clause(self.clause).map_or("", |clause| clause.rule);
        let request = format!("{from} -> {to} {}", self.attributes);
        format!("{}: {}, {rule}", request.trim_end(), self.clause)
    }
}

/// One differing case, the same at any number of operator versions.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    input: u64,
    got: u64,
    expect: Outcome,
    tolerate: Option<Outcome>,
}

impl Case {
    fn new(finding: &Finding) -> Case {
        Case {
            input: finding.input.value(),
            got: finding.got.value(),
            expect: finding.expect.outcome(),
            tolerate: finding.tolerate.as_ref().map(OutcomeRecord::outcome),
        }
    }

    fn line(&self, (from, to): (DType, DType)) -> String {
        let mut line = format!(
            "{} gave {}, expected {}",
            code(from, self.input),
            code(to, self.got),
            outcome(to, &self.expect)
        );
        if let Some(tolerate) = &self.tolerate {
            line += &format!(", tolerated {}", outcome(to, tolerate));
        }
        line
    }
}

/// The same input may fail with the same output in several groups of vectors; such findings are
/// one case.
fn by_rule(findings: &[Finding]) -> BTreeMap<Rule<'_>, BTreeMap<Case, BTreeSet<u32>>> {
    let mut rules: BTreeMap<Rule<'_>, BTreeMap<Case, BTreeSet<u32>>> = BTreeMap::new();
    for finding in findings {
        let Finding { from, to, attributes, .. } = *finding;
        let rule = Rule { pair: (from, to), attributes, clause: &finding.clause };
        let cases = rules.entry(rule).or_default();
        cases.entry(Case::new(finding)).or_default().extend(&finding.opsets);
    }
    rules
}

/// Errors, crashes and timeouts by message. What is unsupported is in the matrix.
fn list_remarks(out: &mut dyn Write, results: &Results, limit: usize) -> io::Result<()> {
    let mut kinds: BTreeMap<(Verdict, &str), Vec<(&RemarkKey, u64)>> = BTreeMap::new();
    for (key, remark) in &results.remarks {
        if key.verdict != Verdict::Unsupported {
            let requests = kinds.entry((key.verdict, &key.message)).or_default();
            requests.push((key, remark.tests));
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nErrors, crashes and timeouts")?;
    for ((verdict, message), requests) in kinds.iter().take(limit) {
        let tests: u64 = requests.iter().map(|(_, tests)| tests).sum();
        let RemarkKey { from, to, attributes, .. } = requests[0].0;
        let example = format!("{from} -> {to} {attributes}");
        writeln!(
            out,
            "  {}: {message}  [{} tests, {} requests, first {}]",
            verdict.name(),
            thousands(tests),
            requests.len(),
            example.trim_end()
        )?;
    }
    if kinds.len() > limit {
        writeln!(out, "  and {} more messages; --json keeps them", kinds.len() - limit)?;
    }
    Ok(())
}

/// `0x7e (448)`
fn code(dtype: DType, code: u64) -> String {
    format!("{} ({})", dtype.hex(code), describe(dtype, code))
}

fn outcome(to: DType, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Code(expected) => code(to, *expected),
        Outcome::AnyNan => "any NaN".into(),
        Outcome::OneOf(codes) => {
            let codes: Vec<String> = codes.iter().map(|&each| code(to, each)).collect();
            format!("one of {}", codes.join(", "))
        }
        Outcome::Any => format!("any valid {to}"),
        Outcome::Reject => "a refusal".into(),
    }
}

fn join(opsets: &BTreeSet<u32>) -> String {
    let opsets: Vec<String> = opsets.iter().map(u32::to_string).collect();
    opsets.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::Hex;

    fn finding(input: u64, opsets: &[u32]) -> Finding {
        Finding {
            opsets: opsets.to_vec(),
            from: DType::Float32,
            to: DType::Float8E4M3FN,
            attributes: Attributes { saturate: Some(false), round_mode: None },
            id: "0".into(),
            input: Hex::new(input, DType::Float32),
            got: Hex::new(0x7e, DType::Float8E4M3FN),
            expect: OutcomeRecord::new(&Outcome::AnyNan, DType::Float8E4M3FN),
            tolerate: None,
            clause: "F8-N07".into(),
        }
    }

    fn listed(results: &Results, limit: usize) -> String {
        let mut out = Vec::new();
        list(&mut out, results, limit).expect("writes to memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn the_same_case_at_several_opsets_is_one_row() {
        let findings = vec![finding(0x43e8_0001, &[19, 21]), finding(0x43e8_0001, &[24])];
        let text = listed(&Results { findings, ..Results::default() }, 60);
        assert!(text.contains("float32 -> float8e4m3fn saturate=0: F8-N07, "), "{text}");
        assert!(text.contains("gave 0x7e (448), expected any NaN  [opset 19 21 24]"), "{text}");
        assert_eq!(text.matches("0x43e80001").count(), 1, "{text}");
        assert!(!text.contains("not listed"), "{text}");
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let findings = (0..10).map(|i| finding(0x43e8_0001 + i, &[19])).collect();
        let results = Results { findings, findings_left_out: 5, ..Results::default() };
        let text = listed(&results, 60);
        assert_eq!(text.matches(" gave ").count(), PER_RULE, "{text}");
        assert!(text.contains("and 7 more\n") && text.contains("12 differing cases"), "{text}");
        let text = listed(&results, 1);
        assert_eq!(text.matches(" gave ").count(), 1, "{text}");
        assert!(text.contains("14 differing cases are not listed"), "{text}");
    }
}
