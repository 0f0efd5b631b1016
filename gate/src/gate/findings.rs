//! The list of what went wrong, for people.

use crate::asked::Asked;
use crate::diagnosis::{Diagnosis, Fingerprint};
use crate::results::{Deviation, Failure, Misplaced, RemarkKey, Results, SuiteRun};
use crate::verdict::{Verdict, thousands};
use crate::words;
use castproof_vectors::{Attributes, DType, Element, Outcome, OutcomeRecord, Suite, find_rule};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// How many cases are listed for one pair, attributes and clause.
const PER_REQUEST: usize = 3;

/// How many pairs are listed for one cause.
const PER_CAUSE: usize = 6;

/// Lists every kind of error, crash and timeout, then the first differing cases by clause, pair
/// and attributes, then what explains them. At most `limit` rows of each. What a baseline expects
/// is not listed.
///
/// # Errors
/// If writing fails.
pub(super) fn list(out: &mut dyn Write, results: &Results, limit: usize) -> io::Result<()> {
    list_remarks(out, results, limit)?;
    list_cases(out, results, limit)?;
    list_places(out, results, limit)?;
    list_diagnoses(out, &results.diagnoses, limit)?;
    list_fingerprints(out, &results.fingerprints)
}

/// What is right alone and wrong at some places: one line for each pair, place and sentence.
fn list_places(out: &mut dyn Write, results: &Results, limit: usize) -> io::Result<()> {
    let mut lines: BTreeMap<(Asked, &str), (&Misplaced, Vec<Asked>)> = BTreeMap::new();
    for found in results.misplaced.iter().filter(|found| found.known.is_none()) {
        let pair = Asked::cast(found.asked.pair(), Attributes::default());
        let (_, asked) = lines.entry((pair, &found.place)).or_insert((found, Vec::new()));
        asked.push(found.asked);
    }
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nRight alone, wrong at some places")?;
    for (found, asked) in lines.values().take(limit) {
        let more = match asked.len() - 1 {
            0 => String::new(),
            others => format!("  (and with other attributes or versions: {others})"),
        };
        writeln!(out, "  {found}{more}")?;
    }
    if lines.len() > limit {
        writeln!(out, "  and {} more; --json keeps them", lines.len() - limit)?;
    }
    Ok(())
}

/// Lists the answers of the suites of questions that differ, at most `limit`.
///
/// # Errors
/// If writing fails.
pub(super) fn list_answers(out: &mut dyn Write, runs: &[SuiteRun], limit: usize) -> io::Result<()> {
    let mut clauses: BTreeMap<(Suite, &str), Vec<&Deviation>> = BTreeMap::new();
    for run in runs {
        for deviation in run.surprises() {
            clauses.entry((run.suite, &deviation.clause)).or_default().push(deviation);
        }
    }
    if clauses.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nDiffering answers")?;
    let (mut room, share) = (limit, limit.div_ceil(clauses.len()).max(1));
    for ((suite, id), deviations) in clauses {
        let rule = find_rule(id).map_or("", |rule| rule.statement);
        let shown = deviations.len().min(share).min(room);
        room -= shown;
        writeln!(out, "\n{} {id}  {rule}  ({shown} of {} cases)", suite.name(), deviations.len())?;
        for deviation in deviations.iter().take(shown) {
            writeln!(out, "  {deviation}")?;
        }
    }
    Ok(())
}

/// Diagnoses by their first cause, so that one fault behind many pairs is told once.
fn list_diagnoses(out: &mut dyn Write, diagnoses: &[Diagnosis], limit: usize) -> io::Result<()> {
    if diagnoses.is_empty() {
        return Ok(());
    }
    let mut causes: BTreeMap<(Verdict, &str), Vec<&Diagnosis>> = BTreeMap::new();
    for diagnosis in diagnoses {
        let cause = diagnosis.causes.first().map_or("not explained", |cause| &cause.method);
        causes.entry((diagnosis.verdict, cause)).or_default().push(diagnosis);
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|((verdict, _), pairs)| {
        let deviations: u64 = pairs.iter().map(|diagnosis| diagnosis.deviations).sum();
        (*verdict != Verdict::Fail, std::cmp::Reverse(deviations))
    });
    writeln!(out, "\nDiagnoses")?;
    let mut room = limit;
    for ((verdict, cause), pairs) in causes {
        writeln!(out, "{}: {cause}  ({} pairs)", verdict.name(), pairs.len())?;
        let shown = pairs.len().min(PER_CAUSE).min(room);
        for diagnosis in &pairs[..shown] {
            writeln!(out, "  {diagnosis}")?;
        }
        if shown < pairs.len() {
            writeln!(out, "  and {} more pairs", pairs.len() - shown)?;
        }
        room -= shown;
    }
    Ok(())
}

/// Habits with undefined inputs, pairs with the same habits together.
fn list_fingerprints(out: &mut dyn Write, fingerprints: &[Fingerprint]) -> io::Result<()> {
    let mut habits: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for print in fingerprints {
        let pair = format!("{} -> {}", print.from, print.to);
        habits.entry(print.to_string()).or_default().push(pair);
    }
    if habits.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nUndefined inputs")?;
    for (habits, pairs) in habits {
        writeln!(out, "  {habits}  ({} pairs, first {})", pairs.len(), pairs[0])?;
    }
    Ok(())
}

fn list_cases(out: &mut dyn Write, results: &Results, limit: usize) -> io::Result<()> {
    let clauses = by_clause(&results.failures);
    if clauses.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nDiffering cases")?;
    let mut left_out = results.failures_left_out;
    for ((id, requests), shown) in clauses.iter().zip(share(&clauses, limit)) {
        let cases: usize = requests.values().map(BTreeMap::len).sum();
        left_out += (cases - shown.len()) as u64;
        if shown.is_empty() {
            continue;
        }
        let rule = find_rule(id).map_or("", |rule| rule.statement);
        let (listed, cases) = (shown.len(), thousands(cases as u64));
        writeln!(out, "\n{id}  {rule}  ({listed} of {cases} cases)")?;
        for Shown { request, case, found, .. } in shown {
            writeln!(out, "  {request}: {}  [{}]", case.line(request), found.within(request))?;
        }
    }
    if left_out > 0 {
        writeln!(
            out,
            "\n{} differing cases are not listed ({PER_REQUEST} for one clause, pair and \
             attributes are, {limit} in all); --limit-list lists more, --json keeps them",
            thousands(left_out)
        )?;
    }
    Ok(())
}

/// Cases by pair and attributes.
type Requests = BTreeMap<Asked, BTreeMap<Case, Within>>;

/// Where one case was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Within {
    opsets: BTreeSet<u32>,
    attributes: BTreeSet<Attributes>,
    clauses: BTreeSet<String>,
}

impl Within {
    /// `opset 19 21`, and with which other attributes and by which other clauses.
    fn within(&self, request: &Asked) -> String {
        let opsets: Vec<String> = self.opsets.iter().map(u32::to_string).collect();
        let mut text = format!("opset {}", opsets.join(" "));
        let none = |attributes: &Attributes| match attributes.to_string() {
            given if given.is_empty() => "no attribute".into(),
            given => given,
        };
        let others = self.attributes.iter().filter(|it| **it != request.attributes).map(none);
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            text += &format!("; also with {}", others.join(", "));
        }
        if self.clauses.len() > 1 {
            let clauses: Vec<&str> = self.clauses.iter().map(String::as_str).collect();
            text += &format!("; {}", clauses.join(" "));
        }
        text
    }
}

/// The same input may fail with the same output in several groups of vectors, with several sets of
/// attributes and by several clauses; such findings are one case, listed where it came up first.
fn by_clause(findings: &[Failure]) -> BTreeMap<&str, Requests> {
    let mut clauses: BTreeMap<&str, Requests> = BTreeMap::new();
    let mut first: BTreeMap<(DType, DType, Case), (&str, Asked)> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.known.is_none()) {
        let Failure { from, to, attributes, .. } = *finding;
        let (case, asked) = (Case::new(finding), Asked::cast((from, to), attributes));
        let place = first.entry((from, to, case.clone())).or_insert((&finding.clause, asked));
        let cases = clauses.entry(place.0).or_default().entry(place.1).or_default();
        let found = cases.entry(case).or_default();
        found.opsets.extend(&finding.opsets);
        found.attributes.insert(attributes);
        found.clauses.insert(finding.clause.clone());
    }
    clauses
}

/// A case that is listed. Sorted as the list is: all cases of a request together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shown<'a> {
    request: &'a Asked,
    rank: usize,
    case: &'a Case,
    found: &'a Within,
}

/// Picks at most `limit` cases: the clauses take turns, and so do the requests of a clause, so
/// that one frequent fault does not hide the others. One list for each clause.
fn share<'a>(clauses: &'a BTreeMap<&str, Requests>, limit: usize) -> Vec<Vec<Shown<'a>>> {
    let mut waiting: Vec<_> = clauses.values().map(first_cases).collect();
    let mut lists: Vec<Vec<Shown<'a>>> = waiting.iter().map(|_| Vec::new()).collect();
    let mut room = limit;
    while room > 0 && waiting.iter().any(|cases| cases.len() > 0) {
        for (cases, list) in waiting.iter_mut().zip(&mut lists) {
            if room > 0
                && let Some(case) = cases.next()
            {
                list.push(case);
                room -= 1;
            }
        }
    }
    for list in &mut lists {
        list.sort();
    }
    lists
}

/// The first case of every request, then the second, up to [`PER_REQUEST`].
fn first_cases(requests: &Requests) -> std::vec::IntoIter<Shown<'_>> {
    let mut first = Vec::new();
    for rank in 0..PER_REQUEST {
        for (request, cases) in requests {
            if let Some((case, found)) = cases.iter().nth(rank) {
                first.push(Shown { request, rank, case, found });
            }
        }
    }
    first.into_iter()
}

/// One differing case, the same at any number of operator versions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    input: Element,
    got: Element,
    expect: Outcome,
    tolerate: Option<Outcome>,
}

impl Case {
    fn new(finding: &Failure) -> Case {
        Case {
            input: finding.input.clone(),
            got: finding.got.clone(),
            expect: finding.expect.outcome(),
            tolerate: finding.tolerate.as_ref().map(OutcomeRecord::outcome),
        }
    }

    fn line(&self, request: &Asked) -> String {
        let (from, to) = request.pair();
        let mut line = format!(
            "{} gave {}, expected {}",
            words::element(from, &self.input),
            words::element(to, &self.got),
            words::outcome(to, &self.expect)
        );
        if let Some(tolerate) = &self.tolerate {
            line += &format!(", tolerated {}", words::outcome(to, tolerate));
        }
        line
    }
}

/// Errors, crashes and timeouts by message. What is unsupported is in the matrix.
fn list_remarks(out: &mut dyn Write, results: &Results, limit: usize) -> io::Result<()> {
    let mut kinds: BTreeMap<(Verdict, &str), Vec<(&RemarkKey, u64)>> = BTreeMap::new();
    for (key, remark) in &results.remarks {
        let unexpected = remark.tests - remark.expected;
        if key.verdict != Verdict::Unsupported && unexpected > 0 {
            let requests = kinds.entry((key.verdict, &key.message)).or_default();
            requests.push((key, unexpected));
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nErrors, crashes and timeouts")?;
    for ((verdict, message), requests) in kinds.iter().take(limit) {
        let tests: u64 = requests.iter().map(|(_, tests)| tests).sum();
        writeln!(
            out,
            "  {}: {message}  [{} tests, {} requests, first {}]",
            verdict.name(),
            thousands(tests),
            requests.len(),
            requests[0].0.asked
        )?;
    }
    if kinds.len() > limit {
        writeln!(out, "  and {} more messages; --json keeps them", kinds.len() - limit)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(input: u64, opsets: &[u32]) -> Failure {
        Failure {
            opsets: opsets.to_vec(),
            from: DType::Float32,
            to: DType::Float8E4M3FN,
            attributes: Attributes { saturate: Some(false), round_mode: None },
            id: "0".into(),
            input: Element::code(input, DType::Float32),
            got: Element::code(0x7e, DType::Float8E4M3FN),
            expect: OutcomeRecord::new(&Outcome::AnyNan, DType::Float8E4M3FN),
            tolerate: None,
            clause: "F8-N07".into(),
            cause: None,
            known: None,
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
        assert!(text.contains("\nF8-N07  "), "{text}");
        assert!(text.contains("(1 of 1 cases)\n  float32 -> float8e4m3fn saturate=0: "), "{text}");
        assert!(text.contains("gave 0x7e (448), expected any NaN  [opset 19 21 24]"), "{text}");
        assert_eq!(text.matches("0x43e80001").count(), 1, "{text}");
        assert!(!text.contains("not listed"), "{text}");
    }

    #[test]
    fn the_same_case_with_other_attributes_and_clauses_is_one_row() {
        let attributes = Attributes { saturate: None, round_mode: None };
        let other = Failure { attributes, clause: "T-01".into(), ..finding(0x43e8_0001, &[28]) };
        let findings = vec![finding(0x43e8_0001, &[19]), other];
        let text = listed(&Results { findings, ..Results::default() }, 60);
        assert!(text.contains("[opset 19 28; also with no attribute; F8-N07 T-01]"), "{text}");
        assert_eq!(text.matches("0x43e80001").count(), 1, "{text}");
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let findings = (0..10).map(|i| finding(0x43e8_0001 + i, &[19])).collect();
        let results = Results { findings, failures_left_out: 5, ..Results::default() };
        let text = listed(&results, 60);
        assert_eq!(text.matches(" gave ").count(), PER_REQUEST, "{text}");
        assert!(text.contains("(3 of 10 cases)") && text.contains("12 differing"), "{text}");
        let text = listed(&results, 1);
        assert_eq!(text.matches(" gave ").count(), 1, "{text}");
        assert!(text.contains("14 differing cases are not listed"), "{text}");
    }

    #[test]
    fn clauses_take_turns() {
        let mut findings: Vec<Failure> = (0..10).map(|i| finding(0x43e8_0001 + i, &[19])).collect();
        findings.push(Failure { clause: "T-01".into(), ..finding(0, &[13]) });
        let text = listed(&Results { findings, ..Results::default() }, 2);
        assert!(text.contains("F8-N07") && text.contains("T-01"), "{text}");
    }
}
