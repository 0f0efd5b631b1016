//! How tests stand. This is the one place where counts become a verdict on a pair, a suite or a run;
//! every report asks it.

use crate::{Cell, Results, ResultsFile, SuiteRun};
use castproof_check::verdict::Verdict;
use castproof_vectors::{DType, Suite};
use std::collections::BTreeMap;

/// How a pair, a suite or a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It fails the run.
    Failing,
    /// It fails as the baseline expects.
    Known,
    /// Nothing was executed.
    Unsupported,
    /// It passes.
    Passing,
}

/// What is gravest about some tests, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "`meaning` says what they are")]
pub enum Mark {
    Surprise,
    Crash,
    Timeout,
    Error,
    Fail,
    Place,
    Chain,
    Known,
    Partly,
    Tolerated,
    Pass,
    Undefined,
    Unsupported,
    Absent,
}

impl Mark {
    /// Every mark, the gravest first.
    pub const ALL: [Mark; 14] = [
        Mark::Surprise,
        Mark::Crash,
        Mark::Timeout,
        Mark::Error,
        Mark::Fail,
        Mark::Place,
        Mark::Chain,
        Mark::Known,
        Mark::Partly,
        Mark::Tolerated,
        Mark::Pass,
        Mark::Undefined,
        Mark::Unsupported,
        Mark::Absent,
    ];

    /// Returns the mark of the tests of one request.
    pub fn of(cell: &Cell) -> Mark {
        let counts = &cell.counts;
        if cell.unexpected_passes > 0 {
            return Mark::Surprise;
        }
        let is_known = counts.bad() > 0 && cell.unexpected() == 0;
        for (verdict, mark) in [
            (Verdict::Crash, Mark::Crash),
            (Verdict::Timeout, Mark::Timeout),
            (Verdict::Error, Mark::Error),
            (Verdict::Fail, Mark::Fail),
        ] {
            if counts.of(verdict) > 0 && !is_known {
                return mark;
            }
        }
        if cell.misplaced > 0 {
            return Mark::Place;
        }
        match (counts.executed > 0, counts.of(Verdict::Unsupported) > 0) {
            _ if is_known => Mark::Known,
            (true, true) => Mark::Partly,
            (false, true) => Mark::Unsupported,
            (true, false) if counts.of(Verdict::Tolerated) > 0 => Mark::Tolerated,
            (true, false) if counts.of(Verdict::Pass) > 0 => Mark::Pass,
            (true, false) => Mark::Undefined,
            (false, false) => Mark::Absent,
        }
    }

    /// Returns the mark where implementations are compared: what a baseline expects is as wrong
    /// there as what it does not. `misplaced` counts all findings of places.
    pub fn of_compared(cell: &Cell, misplaced: u64) -> Mark {
        Mark::of(&Cell { expected: 0, unexpected_passes: 0, misplaced, ..cell.clone() })
    }

    /// Returns the mark of the tests of both.
    pub fn with(self, other: Mark) -> Mark {
        let (first, last) = (self.min(other), self.max(other));
        let is_right = matches!(first, Mark::Tolerated | Mark::Undefined | Mark::Pass);
        if is_right && last == Mark::Unsupported { Mark::Partly } else { first }
    }

    /// Returns how tests with this mark stand.
    pub const fn standing(self) -> Standing {
        match self {
            Mark::Surprise
            | Mark::Crash
            | Mark::Timeout
            | Mark::Error
            | Mark::Fail
            | Mark::Place
            | Mark::Chain => Standing::Failing,
            Mark::Known => Standing::Known,
            Mark::Unsupported => Standing::Unsupported,
            Mark::Partly | Mark::Tolerated | Mark::Undefined | Mark::Pass | Mark::Absent => {
                Standing::Passing
            }
        }
    }

    /// Returns the name, which is also a class of the page.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Surprise => "surprise",
            Mark::Crash => "crash",
            Mark::Timeout => "timeout",
            Mark::Error => "error",
            Mark::Fail => "fail",
            Mark::Place => "place",
            Mark::Chain => "chain",
            Mark::Known => "known",
            Mark::Partly => "partly",
            Mark::Tolerated => "tolerated",
            Mark::Undefined => "undefined",
            Mark::Pass => "pass",
            Mark::Unsupported => "unsupported",
            Mark::Absent => "absent",
        }
    }

    /// Says what it means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Mark::Surprise => "passed against the baseline",
            Mark::Crash => "crash",
            Mark::Timeout => "timeout",
            Mark::Error => "error",
            Mark::Fail => "fail",
            Mark::Place => "wrong at some places, or beyond the vectors",
            Mark::Chain => "right alone, wrong in a chain of casts",
            Mark::Known => "known failure, in the baseline",
            Mark::Partly => "pass, partly unsupported",
            Mark::Tolerated => "tolerated",
            Mark::Undefined => "undefined by the rules",
            Mark::Pass => "pass",
            Mark::Unsupported => "unsupported",
            Mark::Absent => "no such cast; refused as is due",
        }
    }
}

impl SuiteRun {
    /// Returns the sum of its cells, which files of older programs do not have.
    fn sum(&self) -> Cell {
        let SuiteRun { counts, expected, unexpected_passes, .. } = *self;
        Cell { counts, expected, unexpected_passes, ..Cell::default() }
    }

    /// Returns how the suite stands.
    pub fn standing(&self) -> Standing {
        Mark::of(&self.sum()).standing()
    }
}

impl Results {
    /// Returns the marks of the pairs in one operator version; `None` selects a profile. A chain
    /// stands with the pair of its ends, in every version.
    pub fn marks(&self, version: Option<u32>) -> BTreeMap<(DType, DType), Mark> {
        let mut marks = self.chain_marks();
        for (key, cell) in self.cells.iter().filter(|(key, _)| key.opset == version) {
            let mark = Mark::of(cell);
            let known = marks.entry(key.pair()).or_insert(mark);
            *known = known.with(mark);
        }
        marks
    }

    /// Returns the pairs between whose dtypes chains of casts are wrong.
    pub fn chain_marks(&self) -> BTreeMap<(DType, DType), Mark> {
        let mut marks = BTreeMap::new();
        let chains = self.suites.iter().filter(|run| run.suite == Suite::OnnxChain);
        for (key, cell) in chains.flat_map(|run| &run.cells) {
            let mark = match Mark::of(cell).standing() {
                Standing::Failing => Mark::Chain,
                Standing::Known => Mark::Known,
                Standing::Unsupported | Standing::Passing => continue,
            };
            let known = marks.entry(key.pair()).or_insert(mark);
            *known = known.with(mark);
        }
        marks
    }

    /// Does a cast or a suite fail the run?
    pub fn fails(&self) -> bool {
        self.cells.values().any(Cell::fails)
            || self.suites.iter().any(|run| run.standing() == Standing::Failing)
            || self.suites.iter().flat_map(|run| run.cells.values()).any(Cell::fails)
            || self.misplaced.iter().any(|found| found.known.is_none())
    }
}

impl Cell {
    /// Does it fail a run?
    pub fn fails(&self) -> bool {
        Mark::of(self).standing() == Standing::Failing
    }
}

impl ResultsFile {
    /// Returns how the run stands.
    pub fn standing(&self) -> Standing {
        match self.passed {
            false => Standing::Failing,
            true if self.known() > 0 => Standing::Known,
            true => Standing::Passing,
        }
    }

    /// Returns the number of bad verdicts that the baseline expects.
    pub fn known(&self) -> u64 {
        let suites: u64 = self.results.suites.iter().map(|run| run.expected).sum();
        self.results.sum(|_| true).expected + suites
    }

    /// Returns the number of findings that no baseline expects.
    pub fn new_findings(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_new()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(verdicts: &[Verdict]) -> Cell {
        let mut cell = Cell::default();
        for &verdict in verdicts {
            cell.counts.add(verdict, 1);
            cell.counts.executed += u64::from(verdict <= Verdict::Fail);
        }
        cell
    }

    #[test]
    fn the_gravest_verdict_counts() {
        use Verdict::*;
        for (verdicts, mark) in [
            (&[Pass, Undefined][..], Mark::Pass),
            (&[Undefined], Mark::Undefined),
            (&[Pass, Tolerated], Mark::Tolerated),
            (&[Pass, Tolerated, Fail], Mark::Fail),
            (&[Pass, Unsupported], Mark::Partly),
            (&[Unsupported], Mark::Unsupported),
            (&[Unsupported, Error], Mark::Error),
            (&[Fail, Timeout], Mark::Timeout),
            (&[Fail, Timeout, Crash], Mark::Crash),
            (&[], Mark::Absent),
        ] {
            assert_eq!(Mark::of(&cell(verdicts)), mark, "{verdicts:?}");
            let each = verdicts.iter().map(|&verdict| Mark::of(&cell(&[verdict])));
            assert_eq!(each.fold(Mark::Absent, Mark::with), mark, "{verdicts:?}");
        }
        let known = Cell { expected: 1, ..cell(&[Fail]) };
        assert_eq!(Mark::of(&known), Mark::Known);
        assert_eq!(Mark::of_compared(&known, 0), Mark::Fail);
        assert_eq!(Mark::of(&Cell { expected: 1, ..cell(&[Fail, Fail]) }), Mark::Fail);
        assert_eq!(Mark::of(&Cell { misplaced: 1, ..known.clone() }), Mark::Place);
        assert_eq!(Mark::of(&Cell { misplaced: 1, ..cell(&[Pass]) }), Mark::Place);
        assert_eq!(Mark::of_compared(&cell(&[Pass]), 1), Mark::Place);
        assert_eq!(Mark::of(&Cell { unexpected_passes: 1, ..known }), Mark::Surprise);
    }

    #[test]
    fn every_mark_has_its_place_and_its_name() {
        assert!(Mark::ALL.is_sorted());
        let names: std::collections::BTreeSet<&str> = Mark::ALL.map(Mark::name).into();
        assert_eq!(names.len(), Mark::ALL.len());
    }
}
