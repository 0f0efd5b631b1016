//! One self-contained HTML page for one results file or several: a matrix for each operator
//! version and mode, filters, and the failing codes behind each cell.
//!
//! The page is a fixed file; the results stand in it as one JSON value, from which its script
//! builds everything as text nodes. So nothing that a testee says can become markup.

use super::words::{element, outcome};
use crate::results::{Cell, CellKey, ResultsFile};
use crate::verdict::Verdict;
use anyhow::Result;
use castproof_vectors::{Attributes, DType, clause};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The page, with [`PLACE`] where the results go.
const PAGE: &str = include_str!("page.html");
const PLACE: &str = "@RESULTS@";

/// Failing codes that are shown for one pair, attributes and clause, on a page of one run and on
/// a page of several.
const CASES: [usize; 2] = [200, 3];

pub(super) fn text(files: &[ResultsFile]) -> Result<String> {
    let cases = CASES[usize::from(files.len() > 1)];
    let mut clauses = BTreeSet::new();
    let runs: Vec<Value> = files.iter().map(|file| run(file, cases, &mut clauses)).collect();
    let rule = |id: &String| {
        let (rule, source) = clause(id).map_or(("", ""), |it| (it.rule, it.source));
        (id.clone(), json!([rule, source]))
    };
    let data = json!({
        "dtypes": DType::CAST.iter().map(|dtype| dtype.name()).collect::<Vec<_>>(),
        "verdicts": Verdict::ALL.map(Verdict::name),
        "clauses": clauses.iter().map(rule).collect::<serde_json::Map<_, _>>(),
        "runs": runs,
    });
    // Inside a script element, `<` could end it.
    let data = serde_json::to_string(&data)?.replace('<', "\\u003c");
    Ok(PAGE.replacen(PLACE, &data, 1))
}

fn run(file: &ResultsFile, cases: usize, clauses: &mut BTreeSet<String>) -> Value {
    let results = &file.results;
    let opsets: Vec<u32> = super::words::versions(file).into_iter().collect();
    let modes: BTreeSet<Attributes> = results.cells.keys().map(|key| key.attributes).collect();
    let modes: Vec<Attributes> = modes.into_iter().collect();
    let mode_of = |attributes: &Attributes| modes.binary_search(attributes).unwrap_or_default();
    // A runtime says the same of hundreds of requests.
    let messages: BTreeSet<&str> = results.remarks.keys().map(|key| key.message.as_str()).collect();
    let messages: Vec<&str> = messages.into_iter().collect();
    let (counts, cells) = cells(&results.cells, &opsets, &modes);
    clauses.extend(results.findings.iter().map(|finding| finding.clause.clone()));
    json!({
        "testee": file.testee.to_string(),
        "level": file.level.name(),
        "passed": file.passed,
        "reasons": file.reasons,
        "executed": file.totals.executed,
        "opsets": opsets,
        "modes": modes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "counts": counts,
        "cells": cells,
        "failures": failures(file, &modes, cases),
        "failuresLeftOut": results.findings_left_out,
        "messages": messages,
        "remarks": results.remarks.iter().map(|(key, remark)| json!([
            key.from as u32, key.to as u32, mode_of(&key.attributes), key.verdict.name(),
            messages.binary_search(&key.message.as_str()).unwrap_or_default(),
            remark.opsets, remark.tests,
        ])).collect::<Vec<_>>(),
        "diagnoses": results.diagnoses.iter().map(|it| json!([
            it.from as u32, it.to as u32, it.verdict.name(), it.to_string(),
        ])).collect::<Vec<_>>(),
        "fingerprints": results.fingerprints.iter().map(|it| json!([
            it.from as u32, it.to as u32, it.habits, it.depends_on_place,
        ])).collect::<Vec<_>>(),
    })
}

/// Distinct counts, and for each `[from, to, mode, index of counts, opsets as a bit set]`.
/// Operator versions mostly agree, so this is a tenth of the cells.
fn cells(
    cells: &BTreeMap<CellKey, Cell>,
    opsets: &[u32],
    modes: &[Attributes],
) -> (Vec<Vec<u64>>, Vec<[u32; 5]>) {
    let mut counts: Vec<Vec<u64>> = Vec::new();
    let mut index_of: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
    let mut merged: BTreeMap<(u32, u32, u32, u32), u32> = BTreeMap::new();
    for (key, cell) in cells {
        let mut row = vec![cell.counts.executed, cell.expected, cell.unexpected_passes];
        row.extend(Verdict::ALL.map(|verdict| cell.counts.of(verdict)));
        let index = *index_of.entry(row.clone()).or_insert_with(|| {
            counts.push(row);
            counts.len() as u32 - 1
        });
        let mode = modes.binary_search(&key.attributes).unwrap_or_default() as u32;
        let opset = opsets.binary_search(&key.version).unwrap_or_default();
        *merged.entry((key.from as u32, key.to as u32, mode, index)).or_default() |= 1 << opset;
    }
    let rows = merged.into_iter();
    (counts, rows.map(|((from, to, mode, index), bits)| [from, to, mode, index, bits]).collect())
}

/// The first failing codes of each pair, mode and clause.
fn failures(file: &ResultsFile, modes: &[Attributes], cases: usize) -> Vec<Value> {
    let mut seen: BTreeMap<(DType, DType, Attributes, &str), usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for finding in &file.results.findings {
        let place = (finding.from, finding.to, finding.attributes, finding.clause.as_str());
        let count = seen.entry(place).or_default();
        *count += 1;
        if *count > cases {
            continue;
        }
        let expect = outcome(finding.to, &finding.expect.outcome());
        let tolerate = finding.tolerate.as_ref().map(|it| outcome(finding.to, &it.outcome()));
        rows.push(json!([
            finding.from as u32,
            finding.to as u32,
            modes.binary_search(&finding.attributes).unwrap_or_default(),
            finding.opsets,
            finding.id,
            element(finding.from, &finding.input),
            element(finding.to, &finding.got),
            expect,
            tolerate,
            finding.clause,
            finding.known,
        ]));
    }
    rows
}
