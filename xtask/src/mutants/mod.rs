//! Does the core set notice? Wrong implementations of every request, made from the exact answers,
//! are judged against the committed vector files alone; nothing is run.

mod plant;
mod report;
mod request;

use crate::generate::Job;
use castproof_oracle::CodeError;
use castproof_vectors::{DType, Level, Suite, VectorFile, file_name};
use plant::Mutants;
use rayon::prelude::*;
use report::Report;
use request::requests;
use std::fs;
use std::path::Path;

/// A kind of wrong implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Does as one of the wrong methods of the diagnosis.
    Method,
    /// An end of a piece lies one code beside its place.
    End,
    /// A piece's answers are one code too high or too low.
    Answer,
    /// A special element has the answer of another.
    Special,
    /// A bit of the source is taken for 0, or for 1.
    Bit,
    /// An absent attribute is taken for another value than its default.
    Default,
}

impl Class {
    pub(crate) const ALL: [(Class, &str); 6] = [
        (Class::Method, "methods"),
        (Class::End, "ends"),
        (Class::Answer, "answers"),
        (Class::Special, "specials"),
        (Class::Bit, "bits"),
        (Class::Default, "defaults"),
    ];

    /// Must every one of these be noticed?
    fn is_demanded(self, pieces: usize) -> bool {
        match self {
            Class::Method | Class::Default => true,
            Class::End => pieces <= FEW_PIECES,
            Class::Answer | Class::Special | Class::Bit => false,
        }
    }
}

/// Up to so many pieces every moved end must be noticed.
const FEW_PIECES: usize = 2_000;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A test fails it.
    Killed,
    /// No test fails it, though it is wrong; with what it is.
    Survived(String),
    /// It differs from the right implementation, but only where another reading is admitted.
    Admitted,
    /// It does as the rules do.
    Same,
}

/// Judges every mutant of every numeric pair that the filters let through against the vector
/// files in `dir`; `list` prints a line a request.
pub(crate) fn mutants(
    dir: &Path,
    (from, to): (Option<DType>, Option<DType>),
    list: bool,
) -> Result<String, String> {
    let job = Job { level: Level::Core, out: dir.into(), from, to };
    let numeric = |(from, to): &(DType, DType)| from.is_numeric() && to.is_numeric();
    let pairs: Vec<(DType, DType)> = job.pairs().into_iter().filter(numeric).collect();
    let reports: Vec<Report> =
        pairs.par_iter().map(|&pair| of_pair(dir, pair)).collect::<Result<_, String>>()?;
    let mut all = Report::default();
    for report in reports {
        all.append(report);
    }
    if all.requests() == 0 {
        return Err("no request was judged: --from and --to take numeric dtypes of Cast".into());
    }
    all.conclude(list)
}

fn of_pair(dir: &Path, (from, to): (DType, DType)) -> Result<Report, String> {
    let path = dir.join(file_name(Suite::OnnxCast, from, to));
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| at(&error))?;
    let file = VectorFile::parse(&text).map_err(|error| at(&error))?;
    let mut report = Report::default();
    for asked in requests(&file) {
        let mutants = Mutants::new(&asked).map_err(|error: CodeError| at(&error))?;
        report.add(&asked, mutants.pieces(), mutants.judge());
    }
    Ok(report)
}
