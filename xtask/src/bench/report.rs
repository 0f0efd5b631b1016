//! What a run measured, as a file, and what changed since an older one.

use super::machine::Machine;
use super::measure::Row;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The file of a run.
#[derive(Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) machine: Machine,
    /// The peers that were asked, with their versions.
    pub(super) peers: BTreeMap<String, String>,
    pub(super) rows: Vec<Row>,
}

/// Changes of the ratio to the roofline from here on are listed.
const LISTED: f64 = 0.1;

impl Report {
    pub(super) fn read(path: &Path) -> Result<Report, String> {
        let wrong = |error: &dyn std::fmt::Display| {
            format!("{}: {error}; pass a file that --json wrote", path.display())
        };
        let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
        serde_json::from_str(&text).map_err(|error| wrong(&error))
    }

    /// The median spread of the rows, in percent.
    pub(super) fn spread(&self) -> f64 {
        let mut spreads: Vec<f64> = self.rows.iter().map(|row| 100.0 * row.spread).collect();
        spreads.sort_by(f64::total_cmp);
        spreads.get(spreads.len() / 2).copied().unwrap_or_default()
    }

    /// # Errors
    /// If a peer has no row: then it was not asked, or refused every pair.
    pub(super) fn every_peer_answered(&self) -> Result<(), String> {
        let answered = |peer: &str| {
            self.rows.iter().flat_map(|row| &row.of_peers).any(|(name, _)| name == peer)
        };
        let silent: Vec<&str> =
            self.peers.keys().map(String::as_str).filter(|peer| !answered(peer)).collect();
        if silent.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{}: no pair was timed; mend adapters/bench_peers.py or xtask/src/bench/peers.rs",
            silent.join(", ")
        ))
    }

    /// Compares the ratios to the roofline with those of an older run, row by row. The times of two
    /// runs do not compare, because the machine or its other work may differ.
    pub(super) fn against(&self, old: &Report) -> Result<String, String> {
        let find = |row: &Row| old.rows.iter().find(|other| other.key() == row.key());
        let mut changes: Vec<(f64, &Row, f64)> = self
            .rows
            .iter()
            .filter_map(|row| Some((row, find(row)?.of_roofline)))
            .map(|(row, before)| (row.of_roofline / before, row, before))
            .collect();
        changes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some((slowest, ..)), Some((fastest, ..))) = (changes.first(), changes.last()) else {
            return Err("the older file has none of these rows".into());
        };
        let middle = changes[changes.len() / 2].0;
        let mut text = format!(
            "the older run: {}\nratio to the roofline, new over old, of {} rows: median {middle:.2}, \
             slowest {slowest:.2}, fastest {fastest:.2}; changed by more than {:.0}%:\n",
            old.machine,
            changes.len(),
            100.0 * LISTED,
        );
        for (change, row, before) in &changes {
            if (change - 1.0).abs() > LISTED {
                let Row { from, to, elements, threads, backend, of_roofline, .. } = row;
                let pair = format!("{from}:{to}");
                let _ = writeln!(
                    text,
                    "  {pair:<30} {elements:>9} {threads:>7} {backend:<8} {before:.2} -> {of_roofline:.2}, {change:.2}"
                );
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Report;
    use serde_json::json;

    fn report(rows: &[(&str, &str, f64)]) -> Report {
        let rows: Vec<_> = rows
            .iter()
            .map(|(to, backend, ratio)| {
                json!({"from": "float32", "to": to, "backend": backend, "elements": 16_384,
                    "threads": 1, "gelem_per_s": 1.0, "gbyte_per_s": 6.0, "spread": 0.01,
                    "of_roofline": ratio, "of_one_thread": null, "of_best_peer": null,
                    "of_peers": [], "short_calls_ns": null})
            })
            .collect();
        let machine = json!({"processor": "P", "threads": 2, "target": "T", "lost": 0.5});
        serde_json::from_value(json!({"machine": machine, "peers": {}, "rows": rows}))
            .expect("a report")
    }

    #[test]
    fn rows_are_compared_with_the_same_row_of_the_older_run() {
        let old = report(&[("int8", "avx2", 0.5), ("int8", "portable", 0.5)]);
        let new =
            report(&[("int8", "avx2", 1.0), ("int8", "portable", 0.52), ("int16", "avx2", 3.0)]);
        let said = new.against(&old).expect("rows in common");
        assert!(said.contains("of 2 rows: median 2.00, slowest 1.04, fastest 2.00"), "{said}");
        assert!(said.contains("avx2     0.50 -> 1.00, 2.00"), "{said}");
        assert!(!said.contains("portable"), "{said}");
        assert!(said.contains("busy"), "{said}");
        assert!(report(&[("int16", "avx2", 3.0)]).against(&old).is_err());
    }

    #[test]
    fn a_peer_that_answers_nothing_is_an_error() {
        let mut report = report(&[("int8", "avx2", 0.5)]);
        report.peers.insert("numpy".into(), "2".into());
        let error = report.every_peer_answered().expect_err("numpy is silent");
        assert!(error.starts_with("numpy: no pair was timed"), "{error}");
        report.rows[0].of_peers.push(("numpy".into(), 1.0));
        assert_eq!(report.every_peer_answered(), Ok(()));
    }
}
