//! What a converter between formats does: the wrong ways that give every code that came back for a conversion.

use super::linear::Answered;
use crate::projections::{admits, codes_of, due_of};
use castproof_formats::ways::{Task, WrongWay, ways};
use castproof_vectors::{AnswerRecord, Conversion, Question};
use std::collections::BTreeMap;

/// A test as it was asked, and what came back.
struct Seen<'a> {
    answered: &'a Answered<'a>,
    codes: &'a [u64],
    randoms: &'a [u64],
    got: Vec<u64>,
}

impl Seen<'_> {
    /// Does the way give every code that came back? All NaNs are alike, and so are all codes that the test admits.
    fn is_by(&self, task: &Task, way: &WrongWay) -> bool {
        let readings: Vec<&AnswerRecord> =
            std::iter::once(self.answered.expect).chain(self.answered.tolerate).collect();
        let due = due_of(&readings);
        let is_due = |place, code| admits(&task.to, &due, place, code);
        self.got.iter().enumerate().all(|(place, &got)| {
            match way.change.code(task, self.codes, self.randoms, place) {
                // What the way gives is open there, as of a negative number that it does not round to zero.
                None => true,
                Some(code) => {
                    code == got
                        || task.to.is_nan(code) && task.to.is_nan(got)
                        || is_due(place, code) && is_due(place, got)
                }
            }
        })
    }
}

/// Explains conversions that fail. Returns the ids of the failing tests of each conversion that a way explains, with its words. A
/// fault is one piece of code for many conversions, so of several ways those stand that explain the most of them; all that explain as
/// many are named.
pub fn explain<'a>(answered: &'a [Answered<'a>]) -> Vec<(&'a str, String)> {
    let mut by_conversion: BTreeMap<Conversion, Vec<Seen<'_>>> = BTreeMap::new();
    for answered in answered {
        let Question::Project(ask) = answered.question else { continue };
        let conversion = ask.conversion();
        let read = Task::new(conversion.clone()).ok().and_then(|task| {
            let got = codes_of(ask, &task.to, &answered.bytes)?;
            let (codes, randoms) = (ask.input.codes(), ask.random.codes());
            Some(Seen { answered, codes, randoms, got })
        });
        if let Some(seen) = read {
            by_conversion.entry(conversion).or_default().push(seen);
        }
    }
    let mut fitting: Vec<(Vec<Seen<'_>>, Vec<String>)> = Vec::new();
    for (conversion, mut seen) in by_conversion {
        // What fails rules out most ways.
        seen.sort_by_key(|it| !it.answered.fails);
        let is_wrong = seen.first().is_some_and(|it| it.answered.fails);
        let (true, Ok(task)) = (is_wrong, Task::new(conversion)) else { continue };
        let all = ways(&task).into_iter();
        let words = all.filter(|way| seen.iter().all(|it| it.is_by(&task, way)));
        let words = words.map(|way| way.words).collect();
        fitting.push((seen, words));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for words in fitting.iter().flat_map(|(_, words)| words) {
        *counts.entry(words).or_default() += 1;
    }
    let mut causes = Vec::new();
    for (seen, words) in &fitting {
        let Some(most) = words.iter().map(|it| counts[it.as_str()]).max() else { continue };
        let named: Vec<&str> =
            words.iter().map(String::as_str).filter(|it| counts[it] == most).collect();
        let failing = seen.iter().filter(|it| it.answered.fails);
        causes.extend(failing.map(|it| (it.answered.id, named.join("; or: "))));
    }
    causes
}
