//! What changed between two runs.

use super::words::{sentence, title};
use crate::results::{CellKey, Finding, ResultsFile};
use crate::verdict::{Verdict, thousands};
use std::collections::BTreeMap;
use std::fmt;

/// What changed from one run to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Tests that fail now and did not, or fail in another way: id and what happens.
    pub newly_failing: Vec<(String, String)>,
    /// Tests that failed and do not any more.
    pub newly_passing: Vec<(String, String)>,
    /// What was executed and is unsupported now.
    pub newly_unsupported: Vec<(String, String)>,
}

/// Compares two runs by test id.
pub fn diff(before: &ResultsFile, after: &ResultsFile) -> Difference {
    let (old, new) = (failures(before), failures(after));
    let describe = |(key, finding): (&Key<'_>, &&Finding)| {
        let text = format!("opset {} {}: {}", key.1, title(finding), sentence(finding));
        (key.0.to_string(), text)
    };
    // A test that is not supported any more does not pass.
    let gone = lost(before, after);
    let is_gone = |finding: &Finding, opset: u32| {
        let Finding { from, to, attributes, .. } = *finding;
        gone.contains_key(&CellKey { version: opset, from, to, attributes })
    };
    let failing = new
        .iter()
        .filter(|(key, finding)| old.get(*key).is_none_or(|before| before.got != finding.got));
    let passing =
        old.iter().filter(|(key, finding)| !new.contains_key(*key) && !is_gone(finding, key.1));
    Difference {
        newly_failing: failing.map(describe).chain(bad_requests(before, after)).collect(),
        newly_passing: passing.map(describe).chain(bad_requests(after, before)).collect(),
        newly_unsupported: gone
            .into_iter()
            .map(|(key, tests)| (cell_name(&key), format!("{} tests", thousands(tests))))
            .collect(),
    }
}

/// A test at one operator version.
type Key<'a> = (&'a str, u32);

fn failures(file: &ResultsFile) -> BTreeMap<Key<'_>, &Finding> {
    let findings = file.results.findings.iter();
    findings
        .flat_map(|finding| {
            finding.opsets.iter().map(move |&opset| ((finding.id.as_str(), opset), finding))
        })
        .collect()
}

/// Requests of which more are unsupported after than before.
fn lost(before: &ResultsFile, after: &ResultsFile) -> BTreeMap<CellKey, u64> {
    let unsupported = |file: &ResultsFile, key: &CellKey| {
        file.results.cells.get(key).map(|cell| cell.counts.of(Verdict::Unsupported))
    };
    let keys = after.results.cells.keys();
    keys.filter_map(|key| {
        let now = unsupported(after, key)?;
        let then = unsupported(before, key)?;
        (now > then).then(|| (*key, now - then))
    })
    .collect()
}

/// Requests with more errors, crashes or timeouts after than before.
fn bad_requests<'a>(
    before: &'a ResultsFile,
    after: &'a ResultsFile,
) -> impl Iterator<Item = (String, String)> + 'a {
    after.results.cells.iter().flat_map(move |(key, cell)| {
        let old = before.results.cells.get(key);
        let kinds = [Verdict::Error, Verdict::Crash, Verdict::Timeout].into_iter();
        kinds.filter_map(move |verdict| {
            let then = old?.counts.of(verdict);
            let more = cell.counts.of(verdict).checked_sub(then).filter(|&more| more > 0)?;
            Some((cell_name(key), format!("{} tests: {}", thousands(more), verdict.name())))
        })
    })
}

fn cell_name(key: &CellKey) -> String {
    let CellKey { version, from, to, attributes } = key;
    format!("opset {version} {from} -> {to} {attributes}").trim_end().to_string()
}

impl Difference {
    /// Is nothing worse?
    pub fn is_no_worse(&self) -> bool {
        self.newly_failing.is_empty() && self.newly_unsupported.is_empty()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, changes) in [
            ("newly failing", &self.newly_failing),
            ("newly passing", &self.newly_passing),
            ("newly unsupported", &self.newly_unsupported),
        ] {
            writeln!(f, "{name}: {}", thousands(changes.len() as u64))?;
            for (id, text) in changes {
                writeln!(f, "  {id}  {text}")?;
            }
        }
        Ok(())
    }
}
