//! The findings that changed between two runs, in the requests and suites that both asked.

use super::screen::line;
use castproof_check::verdict::{Verdict, counted, thousands};
use castproof_judge::finding::findings;
use castproof_results::asked::Asked;
use castproof_results::finding::Finding;
use castproof_results::{Results, ResultsFile};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Findings of two runs, matched by their ids. Each is one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFindings {
    /// Findings of only the newer run.
    pub new: Vec<String>,
    /// Findings of only the older run.
    pub gone: Vec<String>,
    /// Findings with more tests, more of the domain, or more pairs.
    pub grown: Vec<String>,
    /// Findings with less of these, and more of none.
    pub shrunk: Vec<String>,
}

impl ChangedFindings {
    /// Compares the findings in the requests and suites that both runs asked.
    pub(super) fn new(before: &ResultsFile, after: &ResultsFile) -> ChangedFindings {
        let (old, new) = (common(before, after), common(after, before));
        let mut changed = ChangedFindings::default();
        for (id, finding) in &new {
            match old.get(id) {
                None => changed.new.push(line(finding)),
                Some(then) => match Growth::of(then, finding) {
                    Growth::Same => {}
                    Growth::Grown => changed.grown.push(compared(then, finding)),
                    Growth::Shrunk => changed.shrunk.push(compared(then, finding)),
                },
            }
        }
        let gone = old.iter().filter(|(id, _)| !new.contains_key(*id));
        changed.gone.extend(gone.map(|(_, finding)| line(finding)));
        changed
    }
}

/// Returns the findings of one run by id, in the requests and suites that the other run asked too.
fn common(file: &ResultsFile, other: &ResultsFile) -> BTreeMap<String, Finding> {
    let asked: BTreeSet<&Asked> = other.results.cells.keys().collect();
    let mut results: Results = file.results.clone();
    results.cells.retain(|key, _| asked.contains(key));
    results.failures.retain_mut(|failure| {
        let kept: Vec<Asked> =
            failure.asked().into_iter().filter(|it| asked.contains(it)).collect();
        failure.opsets = kept.iter().filter_map(|it| it.opset).collect();
        !kept.is_empty()
    });
    results.remarks = std::mem::take(&mut results.remarks)
        .into_iter()
        .filter_map(|(key, mut remark)| {
            remark.opsets.retain(|&opset| asked.contains(&key.asked.at(Some(opset))));
            let is_kept = !remark.opsets.is_empty() || asked.contains(&key.asked);
            is_kept.then_some((key, remark))
        })
        .collect();
    results.misplaced.retain(|found| other.results.arranged.contains_key(&found.asked));
    let open = |suite, pair| {
        let mut all = other.results.fingerprints.iter();
        all.any(|it| it.suite == suite && (it.from, it.to) == pair)
    };
    results.varying.retain(|found| open(found.asked.suite, found.pair()));
    results.suites.retain(|run| other.results.suites.iter().any(|it| it.suite == run.suite));
    name_chains(&mut results, &other.results);
    findings(&results).into_iter().map(|finding| (finding.id.clone(), finding)).collect()
}

/// Names the cause of each failing chain of an older program, which named none, as the other run does
/// where the same chain gave the same. Both runs then have one finding for it.
fn name_chains(results: &mut Results, other: &Results) {
    let deviations = other.suites.iter().flat_map(|run| &run.deviations);
    let named = deviations.filter_map(|it| Some(((&it.id, it.opset, &it.got), it.cause.as_ref()?)));
    let causes: BTreeMap<_, &String> = named.collect();
    for deviation in results.suites.iter_mut().flat_map(|run| &mut run.deviations) {
        let key = (&deviation.id, deviation.opset, &deviation.got);
        if deviation.cause.is_none() && deviation.verdict == Verdict::Fail {
            deviation.cause = causes.get(&key).map(|it| (*it).clone());
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    Same,
    Grown,
    Shrunk,
}

impl Growth {
    fn of(then: &Finding, now: &Finding) -> Growth {
        let share = |finding: &Finding| finding.range.as_ref().map_or(0.0, |range| range.share);
        let measures = [
            now.failing.cmp(&then.failing),
            now.pairs.len().cmp(&then.pairs.len()),
            share(now).total_cmp(&share(then)),
        ];
        if measures.iter().any(|it| it.is_gt()) {
            Growth::Grown
        } else if measures.iter().any(|it| it.is_lt()) {
            Growth::Shrunk
        } else {
            Growth::Same
        }
    }
}

/// Returns a line that says what the finding is now, and how it was.
fn compared(then: &Finding, now: &Finding) -> String {
    let (before, after) = (counted(then.failing, "test"), thousands(now.failing));
    let was = then.range.as_ref().map(|range| &range.sentence);
    let is = now.range.as_ref().map(|range| &range.sentence);
    let range = match (was, is) {
        (Some(was), Some(is)) if was != is => format!("; it was {was}"),
        _ => String::new(),
    };
    let line = line(now);
    let text = line.strip_suffix(&now.id).map_or(&line[..], str::trim_end);
    format!("{text}; {before} before, {after} now{range}  {}", now.id)
}

impl fmt::Display for ChangedFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, lines) in [
            ("new", &self.new),
            ("gone", &self.gone),
            ("grown", &self.grown),
            ("shrunk", &self.shrunk),
        ] {
            writeln!(f, "findings {name}: {}", thousands(lines.len() as u64))?;
            for line in lines {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}
