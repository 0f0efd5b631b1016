//! What each of several runtimes does where ONNX leaves the result open, pair by pair.

use castproof_results::ResultsFile;
use castproof_results::recognition::{Recognition, names};
use castproof_vectors::DType;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of which each runtime does the same.
pub(super) struct Row {
    /// The pairs: `float32, float64 -> int8`.
    pub(super) pairs: String,
    /// What each runtime does, in their order.
    pub(super) cells: Vec<String>,
}

/// Returns the rows of a table with a column for each results file; none if no file tells.
pub(super) fn rows(files: &[ResultsFile]) -> Vec<Row> {
    let told = files.iter().flat_map(|file| &file.results.recognitions);
    let pairs: BTreeSet<(DType, DType)> = told.map(|it| (it.from, it.to)).collect();
    let mut alike: BTreeMap<Vec<String>, Vec<(DType, DType)>> = BTreeMap::new();
    for pair in pairs {
        let cells = files.iter().map(|file| cell(file, pair)).collect();
        alike.entry(cells).or_default().push(pair);
    }
    let mut rows: Vec<_> = alike.into_iter().collect();
    rows.sort_by(|(_, one), (_, other)| one.cmp(other));
    let row = |(cells, pairs): (Vec<String>, Vec<_>)| Row { pairs: named(&pairs), cells };
    rows.into_iter().map(row).collect()
}

/// Says what a runtime does with the open results of a pair; empty if it has not cast the pair.
fn cell(file: &ResultsFile, pair: (DType, DType)) -> String {
    let of_pair = |it: &&Recognition| (it.from, it.to) == pair;
    let Some(it) = file.results.recognitions.iter().find(of_pair) else { return String::new() };
    let mut text = match (&it.like[..], it.unlike.first()) {
        ([], Some(nearest)) => format!("no profile, nearest {}", nearest.profile.name()),
        (like, _) => names(like),
    };
    if let Some(varying) = file.results.varying.iter().find(|it| it.pair() == pair) {
        text += &format!("; another result in {}", varying.place);
    }
    text
}

/// Names pairs; sources with the same targets stand together.
fn named(pairs: &[(DType, DType)]) -> String {
    let mut targets: BTreeMap<DType, Vec<DType>> = BTreeMap::new();
    for &(from, to) in pairs {
        targets.entry(from).or_default().push(to);
    }
    let mut sources: BTreeMap<Vec<DType>, Vec<DType>> = BTreeMap::new();
    for (from, to) in targets {
        sources.entry(to).or_default().push(from);
    }
    let list = |dtypes: &[DType]| dtypes.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
    let block = |(to, from): (&Vec<DType>, &Vec<DType>)| format!("{} -> {}", list(from), list(to));
    sources.iter().map(block).collect::<Vec<_>>().join("; ")
}
