//! The gate as tests of a crate: `cargo test` and nextest list one for each pair.
//!
//! ```no_run
//! // tests/casts.rs, with `harness = false`, and castproof-run with its feature `harness`, in Cargo.toml
//! # use castproof_testee::builtin::Builtin as MyKernel;
//! fn main() {
//!     castproof_run::harness::main(MyKernel::new)
//! }
//! ```
//!
//! The test of a pair that the testee does not support is ignored. If the testee supports no pair
//! at all, the test `some_pair_runs` fails. `expectations.toml` beside the crate's `Cargo.toml`
//! holds known failures.

use crate::gate;
use castproof_check::verdict::{Counts, Verdict, counted};
use castproof_judge::source::Pair;
use castproof_results::Results;
use castproof_results::baseline::Baseline;
use castproof_testee::Testee;
use castproof_vectors::{DType, Level, Request};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::Path;
use std::sync::Arc;

/// How many failing cases a test shows.
const SHOWN: usize = 10;

/// The file of known failures, relative to where cargo runs tests: the crate's folder.
const EXPECTATIONS: &str = "expectations.toml";

/// Runs a test for each pair of dtypes, each with its own testee, and ends the process.
pub fn main<T: Testee>(make: impl Fn() -> T + Send + Sync + 'static) -> ! {
    main_for(&pairs_between(DType::CAST), make)
}

/// Returns each pair of two of these dtypes, and of each with itself.
pub fn pairs_between(dtypes: &[DType]) -> Vec<(DType, DType)> {
    dtypes.iter().flat_map(|&from| dtypes.iter().map(move |&to| (from, to))).collect()
}

/// Runs a test for each of these pairs, as [`main()`] does for all. A crate that has few casts lists them, so that
/// no test is ignored.
pub fn main_for<T: Testee>(
    pairs: &[(DType, DType)],
    make: impl Fn() -> T + Send + Sync + 'static,
) -> ! {
    let make = Arc::new(make);
    let mut trials = vec![{
        let make = Arc::clone(&make);
        Trial::test("some_pair_runs", move || some_pair_runs(&mut make()))
    }];
    for &(from, to) in pairs {
        let make = Arc::clone(&make);
        let name = format!("{from}__{to}");
        trials.push(Trial::ignorable_test(name, move || run((from, to), &mut make())));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

/// Fails if the testee supports no pair, because such a testee passes no test. Asking the numeric
/// pairs is enough.
fn some_pair_runs(testee: &mut dyn Testee) -> Result<(), Failed> {
    use castproof_testee::Reply;
    let pairs =
        DType::NUMERIC.iter().flat_map(|&from| DType::NUMERIC.iter().map(move |&to| (from, to)));
    let versions = castproof_vectors::versions(castproof_vectors::Operator::Cast);
    for (from, to) in pairs {
        for &version in versions.iter().rev() {
            let reply = testee.cast(&Request::cast(from, to, version), 0, &[]);
            if !matches!(reply, Reply::Unsupported(_)) {
                return Ok(());
            }
        }
    }
    Err("the testee supports no pair at any version".into())
}

fn run((from, to): (DType, DType), testee: &mut dyn Testee) -> Result<Completion, Failed> {
    let path = Path::new(EXPECTATIONS);
    let baseline = if path.exists() { Baseline::read(path) } else { Ok(Baseline::default()) };
    let pair = Pair { from, to, level: Level::Core, vectors: None };
    let results = baseline.and_then(|baseline| gate::run_pair(&pair, &baseline, testee));
    let results = results.map_err(|error| format!("{error:#}"))?;
    let cell = results.sum(|_| true);
    if cell.fails() {
        return Err(failure(&results, &cell.counts).into());
    }
    if cell.counts.executed == 0 {
        return Ok(Completion::ignored_with("unsupported"));
    }
    Ok(Completion::Completed)
}

/// What a failing test says.
fn failure(results: &Results, counts: &Counts) -> String {
    let mut lines = vec![counts.to_string()];
    let unexpected = results.failures.iter().filter(|finding| finding.known.is_none());
    lines.extend(unexpected.take(SHOWN).map(|finding| {
        format!("{} {} {}: {}", finding.id, finding.clause, finding.attributes, finding.sentence())
    }));
    let remarks = results.remarks.keys().filter(|key| key.verdict.is_bad());
    lines.extend(remarks.map(|key| format!("{}: {}", key.verdict.name(), key.message)));
    let diagnoses = results.diagnoses.iter().filter(|it| it.verdict == Verdict::Fail);
    lines.extend(diagnoses.map(ToString::to_string));
    let misplaced = results.misplaced.iter().filter(|found| found.known.is_none());
    lines.extend(misplaced.map(ToString::to_string));
    let passes: u64 = results.usage.values().map(|usage| usage.passed.len() as u64).sum();
    if passes > 0 {
        let passes = counted(passes, "test");
        lines.push(format!("{passes} passed that {EXPECTATIONS} expects to fail"));
    }
    lines.join("\n")
}
