//! One self-contained HTML page for one or more results files: findings first, then a matrix of
//! pairs with the failing codes and the tolerated readings behind each cell. A page of several
//! runtimes begins with how many pairs each of them casts right.
//!
//! The page is a fixed file. It holds the results as one JSON value, from which its script builds
//! everything as text nodes, so that the words of a testee cannot become markup.
//!
//! A page of several runtimes is small enough to be mailed, because what the runtimes have in
//! common is written once: texts by their index in one list, operator versions as the bits of a
//! number, and rows that differ only in the pair as one row with a list of pairs.

use super::silence;
use super::words::{element, extent_and_gaps, outcome, version, versions};
use anyhow::Result;
use castproof_book::Book;
use castproof_check::verdict::{Counts, Verdict};
use castproof_results::asked::Asked;
use castproof_results::finding::{Finding, Kind};
use castproof_results::standing::{Mark, Standing};
use castproof_results::{Cell, Failure, ResultsFile, SuiteRun};
use castproof_vectors::{
    Attributes, DType, Piece, Request, RuleId, Rules, Suite, Tolerate, find_rule,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The page, with marks for its style, its script and the results.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Failing codes that are shown for one pair, attributes and clause: on a page of one run, and on a
/// page of several.
const CASES: [usize; 2] = [200, 20];

pub(super) fn text(files: &[ResultsFile]) -> Result<String> {
    let cases = CASES[usize::from(files.len() > 1)];
    let mut texts = Texts::default();
    let runs: Vec<Value> = files.iter().map(|file| run(file, cases, &mut texts)).collect();
    let mut clauses: BTreeSet<&str> = tolerated_rules(&runs);
    for file in files {
        clauses.extend(file.results.failures.iter().map(|failure| failure.clause.as_str()));
        clauses.extend(file.findings.iter().filter_map(|finding| finding.rule.as_deref()));
    }
    let rule = |id: &str| {
        let rule = find_rule(id);
        let source = rule.map_or(String::new(), |rule| rule.source.to_string());
        let basis = rule.map_or("", |rule| rule.basis.phrase());
        let rule = rule.map_or("", |rule| rule.statement);
        (id.to_string(), json!([rule, source, basis]))
    };
    let kinds = Mark::ALL.map(|mark| json!([mark.name(), symbol(mark), mark.meaning()]));
    let data = json!({
        "kinds": kinds,
        "findings": Kind::ALL.map(|kind| json!([kind.name(), kind.subject()])),
        "dtypes": DType::CAST.iter().map(|dtype| dtype.name()).collect::<Vec<_>>(),
        "verdicts": Verdict::ALL.map(Verdict::name),
        "clauses": clauses.into_iter().map(rule).collect::<serde_json::Map<_, _>>(),
        "silent": silent(files),
        "texts": texts.all,
        "runs": runs,
    });
    // Inside a script element, `<` could end it.
    let data = serde_json::to_string(&data)?.replace('<', "\\u003c");
    // The results come last, because they may hold any text.
    let page = PAGE.replacen("@STYLE@", STYLE, 1).replacen("@SCRIPT@", SCRIPT, 1);
    Ok(page.replacen("@RESULTS@", &data, 1))
}

/// Returns what each of several runtimes does where ONNX is silent: rows of pairs, and a text for each
/// runtime.
fn silent(files: &[ResultsFile]) -> Vec<Value> {
    let rows = if files.len() > 1 { silence::rows(files) } else { vec![] };
    rows.into_iter().map(|row| json!([row.pairs, row.cells])).collect()
}

/// A list of texts without repetitions.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Texts {
    fn place(&mut self, text: &str) -> usize {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        self.all.push(text.to_string());
        self.places.insert(text.to_string(), self.all.len() - 1);
        self.all.len() - 1
    }
}

/// The operator versions and modes of a run; rows name them by index.
struct Axes {
    versions: Vec<(Suite, Option<u32>)>,
    modes: Vec<Attributes>,
}

impl Axes {
    fn of(file: &ResultsFile) -> Axes {
        let modes: BTreeSet<Attributes> =
            file.results.cells.keys().map(|key| key.attributes).collect();
        Axes { versions: versions(file).into_iter().collect(), modes: modes.into_iter().collect() }
    }

    fn mode(&self, attributes: &Attributes) -> usize {
        self.modes.binary_search(attributes).unwrap_or_default()
    }

    /// Returns the bits of all versions; one bit where only chains were asked.
    fn all(&self) -> u32 {
        ((1 << self.versions.len()) - 1).max(1)
    }

    /// Returns a bit for each of these versions; without versions, the bit of a suite without
    /// versions.
    fn bits<'a>(&self, opsets: impl IntoIterator<Item = &'a u32>) -> u32 {
        let bit = |opset: Option<u32>| {
            let place = self.versions.iter().position(|(_, known)| *known == opset);
            place.map_or(0, |place| 1 << place)
        };
        let bits =
            opsets.into_iter().map(|&opset| bit(Some(opset))).fold(0, |bits, bit| bits | bit);
        if bits == 0 { bit(None) } else { bits }
    }
}

/// Returns a pair as one number.
fn pair(from: DType, to: DType) -> u32 {
    from as u32 * DType::CAST.len() as u32 + to as u32
}

/// Merges rows that differ only in their pair. The merged row ends in the list of pairs, each as
/// the distance from the pair before it.
fn by_pairs<K: Ord>(
    rows: impl IntoIterator<Item = (K, u32)>,
    row: impl Fn(&K) -> Vec<Value>,
) -> Vec<Value> {
    let mut merged: BTreeMap<K, BTreeSet<u32>> = BTreeMap::new();
    for (key, pair) in rows {
        merged.entry(key).or_default().insert(pair);
    }
    let ended = |(key, pairs): (K, BTreeSet<u32>)| {
        let before = [0].into_iter().chain(pairs.iter().copied());
        let steps: Vec<u32> =
            pairs.iter().zip(before).map(|(pair, before)| pair - before).collect();
        let mut row = row(&key);
        row.push(json!(steps));
        Value::Array(row)
    };
    merged.into_iter().map(ended).collect()
}

fn run(file: &ResultsFile, cases: usize, texts: &mut Texts) -> Value {
    let results = &file.results;
    let axes = Axes::of(file);
    let Cells { counts, kinds, rows: cells } = cells(file, &axes);
    let mut place = |text: &str| texts.place(text);
    let mut remarks = Vec::new();
    for (key, remark) in &results.remarks {
        let (mode, bits) = (axes.mode(&key.asked.attributes), axes.bits(&remark.opsets));
        let row = (mode, bits, key.verdict.name(), place(&key.message));
        let (from, to) = key.asked.pair();
        remarks.push((row, pair(from, to)));
    }
    // The findings cover the failing tests, so only tolerated ones are kept.
    let diagnoses = results.diagnoses.iter().filter(|it| it.suite.is_casts());
    let diagnoses = diagnoses.filter(|it| it.verdict == Verdict::Tolerated);
    let diagnoses: Vec<_> =
        diagnoses.map(|it| (place(&it.explanation()), pair(it.from, it.to))).collect();
    let habits = results.fingerprints.iter().filter(|it| it.suite.is_casts());
    let habits = habits.map(|it| (it.to_string(), pair(it.from, it.to)));
    let profiles = results.recognitions.iter().map(|it| (it.sentence(), pair(it.from, it.to)));
    let habits: Vec<_> = habits.chain(profiles).map(|(text, pair)| (place(&text), pair)).collect();
    json!({
        "testee": file.testee.to_string(),
        "name": file.testee.name,
        "level": extent_and_gaps(file),
        "passed": file.standing() != Standing::Failing,
        "reasons": file.reasons,
        "executed": file.totals.executed,
        "known": file.known(),
        "newFindings": file.new_findings(),
        "versions": axes.versions.iter().map(|it| version(it.0, it.1)).collect::<Vec<_>>(),
        "modes": axes.modes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "counts": counts,
        "kinds": kinds,
        "cells": cells,
        "findings": findings(file, &axes, texts),
        "tolerated": tolerated(file, &axes),
        "failures": failures(file, &axes, cases, texts),
        "failuresLeftOut": results.failures_left_out,
        "remarks": by_pairs(remarks, |(mode, bits, verdict, text)| {
            vec![json!(mode), json!(bits), json!(verdict), json!(text)]
        }),
        "diagnoses": by_pairs(diagnoses, |text| vec![json!(text)]),
        "fingerprints": by_pairs(habits, |text| vec![json!(text)]),
        "suites": results.suites.iter().map(|run| suite(run, cases)).collect::<Vec<_>>(),
    })
}

/// Returns the symbol of a mark in the matrix of the page.
pub(crate) const fn symbol(mark: Mark) -> &'static str {
    match mark {
        Mark::Surprise => "!",
        Mark::Crash => "C",
        Mark::Timeout => "T",
        Mark::Error => "E",
        Mark::Fail => "×",
        Mark::Place => "P",
        Mark::Chain => "&",
        Mark::Known => "k",
        Mark::Partly => "/",
        Mark::Tolerated => "~",
        Mark::Undefined => "○",
        Mark::Pass => "✓",
        Mark::Unsupported => "–",
        Mark::Absent => "∅",
    }
}

/// Returns the findings, in the order of the results. Only casts and chains have pairs here, because
/// the matrix has no others. A chain stands in every version.
fn findings(file: &ResultsFile, axes: &Axes, texts: &mut Texts) -> Vec<Value> {
    let row = |finding: &Finding| {
        let (casts, chains) = (finding.suite.is_casts(), finding.suite == Suite::OnnxChain);
        let pairs = finding.pairs.iter().filter(|_| casts || chains);
        let pairs: Vec<u32> = pairs.map(|(from, to)| pair(*from, to.0.dtype())).collect();
        let bits = match (casts, chains) {
            (true, _) => axes.bits(&finding.versions),
            (_, true) => axes.all(),
            _ => 0,
        };
        let known = finding.known.as_deref();
        json!([
            texts.place(&finding.id),
            finding.kind,
            texts.place(&finding.place()),
            texts.place(&finding.headline()),
            texts.place(&finding.extent()),
            texts.place(&finding.example.sentence),
            finding.rule.as_deref().map(|rule| texts.place(rule)),
            finding.is_explained(),
            known.map(|reason| texts.place(reason)),
            texts.place(&finding.alternatives.join("; ")),
            bits,
            pairs,
            [finding.failing, finding.of],
        ])
    };
    file.findings.iter().map(row).collect()
}

/// Returns the rules that allow another reading where tests of a pair were tolerated, as rows of
/// mode, operator versions, rule and pairs.
fn tolerated(file: &ResultsFile, axes: &Axes) -> Vec<Value> {
    let mut bits: BTreeMap<(usize, &str, u32), u32> = BTreeMap::new();
    let shown = |(_, cell): &(&Asked, &Cell)| cell.counts.of(Verdict::Tolerated) > 0;
    for (asked, _) in file.results.cells.iter().filter(shown) {
        let (from, to) = asked.pair();
        // Strings are not in the book; the diagnoses cover what is tolerated of them.
        for spec in asked.suite.specs(asked.opset.as_slice()) {
            let request = Request::new(spec, from, to).with(asked.attributes);
            for rule in Book::carried().pieces(&request).iter().flatten().flat_map(allowing) {
                let row = (axes.mode(&asked.attributes), rule, pair(from, to));
                *bits.entry(row).or_default() |= axes.bits(&asked.opset);
            }
        }
    }
    let rows = bits.into_iter().map(|((mode, rule, pair), bits)| ((mode, bits, rule), pair));
    by_pairs(rows, |(mode, bits, rule)| vec![json!(mode), json!(bits), json!(rule)])
}

/// Returns the rules by which a piece tolerates something.
fn allowing(piece: &Piece) -> Vec<&'static str> {
    let Rules { rule, inexact, twice } = piece.rules;
    let rules = match &piece.tolerate {
        Tolerate::Uniform(None) | Tolerate::AnyIfInexact => vec![],
        Tolerate::Uniform(Some(_)) => vec![Some(rule)],
        Tolerate::Practice(practice) => {
            let of_inexact = practice.truncated || practice.tie || practice.flushed;
            vec![
                Some(rule).filter(|_| practice.flushed),
                Some(inexact.unwrap_or(rule)).filter(|_| of_inexact),
                twice.filter(|_| practice.twice.is_some()),
            ]
        }
    };
    rules.into_iter().flatten().map(RuleId::as_str).collect()
}

/// Returns the rules that the rows of [`tolerated`] name.
fn tolerated_rules(runs: &[Value]) -> BTreeSet<&str> {
    let rows = runs.iter().filter_map(|run| run["tolerated"].as_array()).flatten();
    rows.filter_map(|row| row[2].as_str()).collect()
}

/// Returns the counts of some tests, in the order that the page's script expects.
fn row_of(counts: &Counts, expected: u64, unexpected_passes: u64) -> Vec<u64> {
    let [tolerated, undefined] = counts.declined();
    let refused = counts.refused();
    let mut row = vec![counts.executed, expected, unexpected_passes, refused, tolerated, undefined];
    row.extend(Verdict::ALL.map(|verdict| counts.of(verdict)));
    row
}

/// Returns a suite of questions: name, counts, and the first answers that differ.
fn suite(run: &SuiteRun, cases: usize) -> Value {
    let counts = row_of(&run.counts, run.expected, run.unexpected_passes);
    let bad = run.deviations.iter().filter(|it| it.verdict.is_bad() || it.is_surprise());
    let answers: Vec<Value> =
        bad.take(cases).map(|it| json!([it.id, it.clause, it.to_string(), it.known])).collect();
    json!([run.suite.name(), counts, answers])
}

/// The cells of a run.
struct Cells {
    /// The distinct counts.
    counts: Vec<Vec<u64>>,
    /// The marks of tests with these counts: in the run, and where runs are compared. Each is its
    /// place among the marks.
    kinds: Vec<[usize; 2]>,
    /// Rows of mode, index of the counts, operator versions and pairs.
    rows: Vec<Value>,
}

/// Returns the cells. Most operator versions have the same counts, and so do most pairs.
fn cells(file: &ResultsFile, axes: &Axes) -> Cells {
    let mut placed: BTreeMap<Asked, u64> = BTreeMap::new();
    for found in &file.results.misplaced {
        *placed.entry(found.asked).or_default() += 1;
    }
    let mut places: BTreeMap<(Vec<u64>, [usize; 2]), usize> = BTreeMap::new();
    let mut bits: BTreeMap<(usize, usize, u32), u32> = BTreeMap::new();
    let mut add = |cell: &Cell, marks: [Mark; 2], (mode, pair), more: u32| {
        let counts = row_of(&cell.counts, cell.expected, cell.unexpected_passes);
        let next = places.len();
        let place = *places.entry((counts, marks.map(|it| it as usize))).or_insert(next);
        *bits.entry((mode, place, pair)).or_default() |= more;
    };
    for (asked, cell) in &file.results.cells {
        let misplaced = placed.get(asked).copied().unwrap_or_default();
        let marks = [Mark::of(cell), Mark::of_compared(cell, misplaced)];
        let (from, to) = asked.pair();
        let row = (axes.mode(&asked.attributes), pair(from, to));
        add(cell, marks, row, axes.bits(&asked.opset));
    }
    for ((from, to), mark) in file.results.chain_marks() {
        let row = (axes.mode(&Attributes::default()), pair(from, to));
        add(&Cell::default(), [mark, Mark::Chain], row, axes.all());
    }
    let rows = bits.into_iter().map(|((mode, place, pair), bits)| ((mode, place, bits), pair));
    let rows = by_pairs(rows, |(mode, place, bits)| vec![json!(mode), json!(place), json!(bits)]);
    let mut distinct: Vec<_> = places.into_iter().collect();
    distinct.sort_unstable_by_key(|(_, place)| *place);
    let (counts, kinds) = distinct.into_iter().map(|(row, _)| row).unzip();
    Cells { counts, kinds, rows }
}

/// Returns the first failing codes of each pair, mode and clause.
fn failures(file: &ResultsFile, axes: &Axes, cases: usize, texts: &mut Texts) -> Vec<Value> {
    let mut seen: BTreeMap<(DType, DType, Attributes, &str), usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for finding in &file.results.failures {
        let Failure { from, to, attributes, .. } = *finding;
        let count = seen.entry((from, to, attributes, finding.clause.as_str())).or_default();
        *count += 1;
        if *count > cases {
            continue;
        }
        let tolerate = finding.tolerate.as_ref().map(|it| outcome(to, &it.outcome()));
        rows.push(json!([
            pair(from, to),
            axes.mode(&attributes),
            axes.bits(&finding.opsets),
            texts.place(&finding.id),
            texts.place(&element(from, &finding.input)),
            texts.place(&element(to, &finding.got)),
            texts.place(&outcome(to, &finding.expect.outcome())),
            tolerate.map(|text| texts.place(&text)),
            texts.place(&finding.clause),
            finding.known.as_deref().map(|reason| texts.place(reason)),
        ]));
    }
    rows
}
