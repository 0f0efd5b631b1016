//! Counts verdicts by clause, and compares them with the baseline.

use crate::series::{Case, Series};
use castproof_check::verdict::Verdict;
use castproof_judge::scope::ScopeEdition;
use castproof_results::asked::Asked;
use castproof_results::baseline::{Entry, Watch};
use castproof_results::{EntryKey, Results, Surprise};

/// The clauses of a series.
pub(super) struct Clauses<'a> {
    names: Vec<&'a str>,
    /// The place of each test's clause among the names.
    of_case: Vec<usize>,
}

impl<'a> Clauses<'a> {
    pub(super) fn new(series: &'a Series<'a>) -> Clauses<'a> {
        let mut names: Vec<&str> = series.cases.iter().map(|case| case.clause).collect();
        names.sort_unstable();
        names.dedup();
        let place = |case: &Case<'_>| names.binary_search(&case.clause).unwrap_or(0);
        let of_case = series.cases.iter().map(place).collect();
        Clauses { names, of_case }
    }
}

/// Counts the verdicts of a series in one operator version, by clause, and compares them with the
/// baseline.
pub(super) struct Ledger<'a> {
    pub(super) asked: Asked,
    edition: Option<ScopeEdition>,
    series: &'a Series<'a>,
    clauses: &'a Clauses<'a>,
    watch: Watch<'a>,
    by_clause: Vec<Surprise>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(
        (series, clauses): (&'a Series<'a>, &'a Clauses<'a>),
        asked: Asked,
        edition: Option<ScopeEdition>,
        entries: &'a [(EntryKey, &'a Entry)],
    ) -> Ledger<'a> {
        let by_clause = vec![Surprise::default(); clauses.names.len()];
        Ledger { asked, edition, series, clauses, watch: Watch::new(asked, entries), by_clause }
    }

    /// Returns the operator version, if there is one.
    pub(super) fn version(&self) -> Option<u32> {
        self.edition.and_then(|edition| edition.version)
    }

    /// Returns the operator set, if there is one.
    pub(super) fn opset(&self) -> Option<u32> {
        self.edition.and_then(|edition| edition.spec.opset())
    }

    /// Counts one verdict; `is_answered`: on an element or an answer that came. Returns the entry of the
    /// baseline that expects a bad one or rules out a good one.
    pub(super) fn note(
        &mut self,
        index: usize,
        (verdict, is_answered): (Verdict, bool),
        results: &mut Results,
    ) -> Option<&'a Entry> {
        let case = &self.series.cases[index];
        let entry = self.watch.note((case.clause, case.id), verdict, results);
        let cell = results.cells.entry(self.asked).or_default();
        let tally = &mut self.by_clause[self.clauses.of_case[index]];
        for counts in [&mut cell.counts, &mut tally.counts] {
            match is_answered {
                true => counts.add(verdict, 1),
                false => counts.add_refused(verdict),
            }
        }
        match (verdict.is_bad(), entry) {
            (true, Some(_)) => cell.expected += 1,
            (true, None) => tally.unexpected.add(verdict, 1),
            (false, Some(_)) => cell.unexpected_passes += 1,
            (false, None) => {}
        }
        entry
    }

    /// Adds the counts by clause to the results.
    pub(super) fn close(self, results: &mut Results) {
        for (clause, tally) in self.clauses.names.iter().zip(&self.by_clause) {
            results.tally(self.asked, clause, tally);
        }
    }
}
