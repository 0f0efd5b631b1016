//! What changed between two runs, in the requests and suites that both asked.

use super::diff_findings::ChangedFindings;
use super::words::{extent, title};
use anyhow::{Result, bail};
use castproof_check::verdict::{Verdict, counted, thousands};
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_results::{Deviation, Failure, Misplaced, ResultsFile};
use castproof_vectors::Suite;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How many tests of each kind are listed; the findings say what they have in common.
const LISTED: usize = 20;

/// What changed from one run to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The reasons why something could not be compared.
    pub notes: Vec<String>,
    /// The changed findings.
    pub findings: ChangedFindings,
    /// Tests that fail now and did not before, or fail in another way: what happens, then the id.
    pub newly_failing: Vec<String>,
    /// Tests that failed before and do not now.
    pub newly_passing: Vec<String>,
    /// Requests that were executed before and are unsupported now.
    pub newly_unsupported: Vec<String>,
}

/// Compares two runs by test id, in the requests and suites that both asked.
///
/// # Errors
/// If they have no request and no suite in common.
pub fn diff(before: &ResultsFile, after: &ResultsFile) -> Result<Difference> {
    let casts = before.results.cells.keys().any(|key| after.results.cells.contains_key(key));
    if !casts && common_suites(before, after).is_empty() {
        let (before, after) = (extent(before), extent(after));
        bail!("the two runs have no test in common: the older is {before}, the newer {after}");
    }
    let mut difference = Difference {
        notes: notes(before, after),
        findings: ChangedFindings::new(before, after),
        ..Difference::default()
    };
    casts_changed(before, after, &mut difference);
    questions_changed(before, after, &mut difference);
    places_changed(before, after, &mut difference);
    Ok(difference)
}

/// Lists the differences between the two runs that keep the comparison from being complete.
fn notes(before: &ResultsFile, after: &ResultsFile) -> Vec<String> {
    let mut notes = Vec::new();
    if before.testee != after.testee {
        let (older, newer) = (&before.testee, &after.testee);
        notes
            .push(format!("the testees differ: the older run is of {older}, the newer of {newer}"));
    }
    for (name, other_name, one, other) in
        [("older", "newer", before, after), ("newer", "older", after, before)]
    {
        let alone = asked_alone(one, other);
        if alone > 0 {
            notes.push(format!(
                "not compared: {} that only the {name} run asked; the {other_name} is {}",
                counted(alone, "test"),
                extent(other)
            ));
        }
    }
    if before.level != after.level {
        notes.push(format!(
            "the older run is of level {}, the newer of level {}: what fails in a test that only \
             one of them holds counts as changed",
            before.level.name(),
            after.level.name()
        ));
    }
    if before.strict != after.strict {
        let strict = if after.strict { "newer" } else { "older" };
        notes.push(format!("only the {strict} run was --strict: what is tolerated fails there"));
    }
    if before.silent_as != after.silent_as {
        let [older, newer] = [before, after].map(|file| {
            file.silent_as.map_or("leaves open what ONNX does".into(), |profile| {
                format!("is judged by {} there", profile.name())
            })
        });
        notes.push(format!(
            "where ONNX is silent, the older run {older}, and the newer one {newer}"
        ));
    }
    notes
}

/// Returns how many tests of one run belong to requests or suites that the other run did not ask.
fn asked_alone(one: &ResultsFile, other: &ResultsFile) -> u64 {
    let cells = one.results.cells.iter();
    let cells = cells.filter(|(key, _)| !other.results.cells.contains_key(key));
    let common = common_suites(one, other);
    let suites = one.results.suites.iter().filter(|run| !common.contains(&run.suite));
    cells.map(|(_, cell)| cell.counts.judged()).sum::<u64>()
        + suites.map(|run| run.counts.judged()).sum::<u64>()
}

fn common_suites(one: &ResultsFile, other: &ResultsFile) -> BTreeSet<Suite> {
    let suites = |file: &ResultsFile| -> BTreeSet<Suite> {
        file.results.suites.iter().map(|run| run.suite).collect()
    };
    &suites(one) & &suites(other)
}

fn casts_changed(before: &ResultsFile, after: &ResultsFile, difference: &mut Difference) {
    let (old, new) = (failures(before), failures(after));
    let describe = |(key, finding): (&TestKey<'_>, &&Failure)| {
        let opset = key.1.map_or(String::new(), |opset| format!("opset {opset} "));
        format!("{opset}{}: {}  {}", title(finding), finding.sentence(), key.0)
    };
    let cell_of = |finding: &Failure, version: Option<u32>| {
        let Failure { suite, from, to, attributes, .. } = *finding;
        Asked::of_cast(suite, (from, to), attributes).at(version)
    };
    // A test that is no longer answered does not pass.
    let lost: BTreeMap<Asked, u64> = more(before, after, Verdict::Unsupported).collect();
    let broken: BTreeSet<Asked> =
        NO_ANSWER.iter().flat_map(|&verdict| more(before, after, verdict)).map(|it| it.0).collect();
    let passes = |key: &Asked| {
        let is_asked = after.results.cells.contains_key(key);
        is_asked && !lost.contains_key(key) && !broken.contains(key)
    };
    let failing = new.iter().filter(|((id, opset), finding)| {
        let is_asked = before.results.cells.contains_key(&cell_of(finding, *opset));
        is_asked && old.get(&(*id, *opset)).is_none_or(|before| before.got != finding.got)
    });
    let passing = old
        .iter()
        .filter(|(key, finding)| !new.contains_key(*key) && passes(&cell_of(finding, key.1)));
    let (worse, better) = (bad_requests(before, after), bad_requests(after, before));
    let better = better.filter(|(key, _)| !lost.contains_key(key));
    let named = |(key, text): (Asked, String)| format!("{key}: {text}");
    difference.newly_failing.extend(failing.map(describe).chain(worse.map(named)));
    difference.newly_passing.extend(passing.map(describe).chain(better.map(named)));
    let lost = lost.iter().map(|(key, &tests)| format!("{key}: {}", counted(tests, "test")));
    difference.newly_unsupported.extend(lost);
}

/// Compares the elements that are wrong at some places, in the requests that both runs arranged.
fn places_changed(before: &ResultsFile, after: &ResultsFile, difference: &mut Difference) {
    let only = |one: &ResultsFile, other: &ResultsFile| -> Vec<String> {
        let is_new = |found: &&Misplaced| {
            // Codes beyond the vectors are one finding for each rule.
            let same = |it: &Misplaced| {
                (it.asked, &it.place) == (found.asked, &found.place)
                    && (it.place != Place::BeyondVectors || it.clause == found.clause)
            };
            other.results.arranged.contains_key(&found.asked)
                && !other.results.misplaced.iter().any(same)
        };
        let found = one.results.misplaced.iter().filter(is_new);
        found.map(Misplaced::to_string).collect()
    };
    difference.newly_failing.extend(only(after, before));
    difference.newly_passing.extend(only(before, after));
}

/// A test at one operator version.
type TestKey<'a> = (&'a str, Option<u32>);

fn failures(file: &ResultsFile) -> BTreeMap<TestKey<'_>, &Failure> {
    let findings = file.results.failures.iter();
    findings
        .flat_map(|finding| {
            let asked = finding.asked().into_iter();
            asked.map(move |asked| ((finding.id.as_str(), asked.opset), finding))
        })
        .collect()
}

/// Verdicts of tests that should have got an answer and did not.
const NO_ANSWER: [Verdict; 3] = [Verdict::Error, Verdict::Crash, Verdict::Timeout];

/// Returns the requests with more tests of this verdict after than before, and how many more.
fn more(
    before: &ResultsFile,
    after: &ResultsFile,
    verdict: Verdict,
) -> impl Iterator<Item = (Asked, u64)> {
    after.results.cells.iter().filter_map(move |(key, cell)| {
        let then = before.results.cells.get(key)?.counts.of(verdict);
        let more = cell.counts.of(verdict).checked_sub(then).filter(|&more| more > 0)?;
        Some((*key, more))
    })
}

/// Returns the requests with more errors, crashes or timeouts after than before.
fn bad_requests(
    before: &ResultsFile,
    after: &ResultsFile,
) -> impl Iterator<Item = (Asked, String)> {
    NO_ANSWER.into_iter().flat_map(move |verdict| {
        more(before, after, verdict).map(move |(key, tests)| {
            (key, format!("{}: {}", counted(tests, "test"), verdict.name()))
        })
    })
}

fn questions_changed(before: &ResultsFile, after: &ResultsFile, difference: &mut Difference) {
    let common = common_suites(before, after);
    let [old, new] = [before, after].map(|file| deviations(file, &common));
    let verdict = |of: &BTreeMap<_, &Deviation>, key| {
        of.get(key).map_or(Verdict::Pass, |deviation: &&Deviation| deviation.verdict)
    };
    let describe = |deviation: &Deviation| format!("{deviation}  {}", deviation.id);
    let mut lost: BTreeMap<Suite, u64> = BTreeMap::new();
    for (key, deviation) in &new {
        let then = old.get(key);
        let is_new = then.is_none_or(|then| {
            let otherwise = deviation.verdict == Verdict::Fail && then.got != deviation.got;
            !then.verdict.is_bad() || otherwise
        });
        if deviation.verdict.is_bad() && is_new {
            difference.newly_failing.push(describe(deviation));
        }
        let is_lost = deviation.verdict == Verdict::Unsupported;
        if is_lost && verdict(&old, key) != Verdict::Unsupported {
            *lost.entry(key.0).or_default() += 1;
        }
    }
    for (key, deviation) in &old {
        let now = verdict(&new, key);
        if deviation.verdict.is_bad() && !now.is_bad() && now != Verdict::Unsupported {
            difference.newly_passing.push(describe(deviation));
        }
    }
    let lost = lost
        .into_iter()
        .map(|(suite, tests)| format!("{}: {}", suite.name(), counted(tests, "test")));
    difference.newly_unsupported.extend(lost);
}

/// A question in one operator set.
type QuestionKey<'a> = (Suite, &'a str, Option<u32>);

fn deviations<'a>(
    file: &'a ResultsFile,
    suites: &BTreeSet<Suite>,
) -> BTreeMap<QuestionKey<'a>, &'a Deviation> {
    let runs = file.results.suites.iter().filter(|run| suites.contains(&run.suite));
    let all = runs.flat_map(|run| run.deviations.iter().map(move |it| (run.suite, it)));
    all.map(|(suite, it)| ((suite, it.id.as_str(), it.opset), it)).collect()
}

impl Difference {
    /// Is nothing worse?
    pub fn is_no_worse(&self) -> bool {
        self.newly_failing.is_empty() && self.newly_unsupported.is_empty()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        write!(f, "{}", self.findings)?;
        for (name, changes) in [
            ("newly failing", &self.newly_failing),
            ("newly passing", &self.newly_passing),
            ("newly unsupported", &self.newly_unsupported),
        ] {
            writeln!(f, "tests {name}: {}", thousands(changes.len() as u64))?;
            for change in changes.iter().take(LISTED) {
                writeln!(f, "  {change}")?;
            }
            if changes.len() > LISTED {
                writeln!(f, "  and {} more", thousands((changes.len() - LISTED) as u64))?;
            }
        }
        Ok(())
    }
}
