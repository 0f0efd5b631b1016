//! Measures whether the core set detects faults. Wrong implementations of every request, made from
//! the exact answers, are judged against the committed vector files only; nothing is run.

mod answers;
pub mod blocks;
pub mod chains;
mod fate;
pub mod graphs;
pub mod history;
pub mod linear;
pub mod places;
mod plant;
pub mod public;
mod report;
mod request;
mod score;
pub mod texts;
pub mod values;

use castproof_oracle::CodeError;
use castproof_products::generate::GenerateJob;
use castproof_vectors::{DType, Level, Suite, VectorFile, file_name};
use plant::Mutants;
use rayon::prelude::*;
use report::Report;
use request::requests;
use std::fs;
use std::path::Path;

/// Which faults are drawn and planted, and what is printed. A family that has no use for a filter or a choice leaves it out.
#[derive(Clone, Copy, Debug)]
pub struct Planting {
    /// Only this source.
    pub from: Option<DType>,
    /// Only this target.
    pub to: Option<DType>,
    /// The seed of the parameters; of chains, that of the codes that show whether a rewrite is wrong.
    pub seed: u64,
    /// Faults of each family in each setting; absent: as many as the family plants by default.
    pub each: Option<usize>,
    /// Is each fault of place planted in every pair, instead of one pair after the other by turns?
    pub every_pair: bool,
    /// Do all codes of sources up to 16 bits show whether a rewrite of a chain is wrong?
    pub every_code: bool,
    /// Is every fault printed?
    pub list: bool,
}

/// Judges every mutant of every numeric pair that the filters admit against the vector files in
/// `dir`; `list` prints a line for each request.
pub fn mutants(
    dir: &Path,
    (from, to): (Option<DType>, Option<DType>),
    list: bool,
) -> Result<String, String> {
    let job = GenerateJob { level: Level::Core, out: dir.into(), from, to, fresh: false };
    let numeric = |(from, to): &(DType, DType)| from.is_numeric() && to.is_numeric();
    let pairs: Vec<(DType, DType)> =
        job.pairs_of(Suite::OnnxCast).into_iter().filter(numeric).collect();
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

fn of_pair(dir: &Path, pair: (DType, DType)) -> Result<Report, String> {
    let file = read(dir, pair)?;
    let mut report = Report::default();
    for asked in requests(&file) {
        let at = |error: CodeError| format!("{}: {error}", asked.request);
        let mutants = Mutants::new(&asked).map_err(at)?;
        report.add(&asked, mutants.pieces(), mutants.judge());
    }
    Ok(report)
}

/// Reads the vectors of a pair.
fn read(dir: &Path, (from, to): (DType, DType)) -> Result<VectorFile, String> {
    let path = dir.join(file_name(Suite::OnnxCast, from, to));
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| at(&error))?;
    VectorFile::parse(&text).map_err(|error| at(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_products::repository::default_data;
    use castproof_vectors::Element;

    /// Returns the report on a copy of one vector file without the tests of these elements.
    fn without((from, to): (DType, DType), left_out: &[u64]) -> Result<String, String> {
        let name = file_name(Suite::OnnxCast, from, to);
        let text = fs::read_to_string(default_data().join(&name)).expect("committed");
        let mut file = VectorFile::parse(&text).expect("in order");
        let left_out: Vec<Element> =
            left_out.iter().map(|&code| Element::code(code, from)).collect();
        for group in &mut file.groups {
            group.tests.retain(|test| !left_out.contains(&test.input));
        }
        file.number_of_tests = file.groups.iter().map(|group| group.tests.len()).sum();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(&path, file.render()).expect("written");
        mutants(folder.path(), (Some(from), Some(to)), false)
    }

    /// Without the test at an end of a piece, a kernel that is wrong only there survives.
    #[test]
    fn a_missing_test_lets_a_mutant_survive() {
        // 127 is the first float32 that becomes 127. The piece of 126 may end too late in a kernel.
        let pair = (DType::Float32, DType::Int8);
        let whole = without(pair, &[]).expect("nothing that is demanded survives");
        assert!(whole.contains("ends "), "{whole}");
        let report = without(pair, &[0x42fe_0000]).expect_err("an end survives");
        assert!(report.contains("survived, ends: Cast("), "{report}");
        assert!(report.contains("0x42fe0000 becomes 0x7e"), "{report}");
    }

    /// A folder without the files is an error, and so is a pair without pieces.
    #[test]
    fn nothing_judged_is_an_error() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let missing = mutants(folder.path(), (Some(DType::Int8), Some(DType::Int4)), false);
        assert!(missing.unwrap_err().contains("int8__int4.json"));
        let text = mutants(&default_data(), (Some(DType::String), None), false);
        assert!(text.unwrap_err().contains("no request was judged"));
    }
}
