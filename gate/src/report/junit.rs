//! JUnit XML: a test suite for each operator version with a test case for each pair, and one for
//! each suite of questions.

use super::words::{Standing, extent, sentence, standing, versions};
use crate::diagnosis::Diagnosis;
use crate::results::{Cell, ResultsFile, SuiteRun};
use crate::verdict::Verdict;
use anyhow::Result;
use castproof_vectors::{DType, Suite};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// How many failing tests a test case lists.
const LISTED: usize = 20;

pub(super) fn text(file: &ResultsFile) -> Result<String> {
    let mut report = Report::new(format!("castproof {}, level {}", file.testee, extent(file)));
    for version in versions(file) {
        let mut suite = TestSuite::new(format!("Cast-{version}"));
        for (pair, cell) in file.results.by_pair(version) {
            suite.add_test_case(case(file, version, pair, &cell));
        }
        report.add_test_suite(suite);
    }
    for run in &file.results.suites {
        let mut suite = TestSuite::new(run.suite.name());
        suite.add_test_case(questions(run));
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?)
}

fn questions(run: &SuiteRun) -> TestCase {
    let lines: Vec<String> = run
        .surprises()
        .take(LISTED)
        .map(|deviation| format!("{} {} {deviation}", deviation.id, deviation.clause))
        .collect();
    let status = if !lines.is_empty() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(run.counts.to_string());
        status.set_description(lines.join("\n"));
        status
    } else if run.counts.executed == 0 && run.counts.of(Verdict::Unsupported) > 0 {
        skipped(format!("unsupported: {}", run.counts))
    } else if run.expected > 0 {
        skipped(format!("known failures: {}", run.counts))
    } else {
        TestCaseStatus::success()
    };
    let mut case = TestCase::new("questions", status);
    case.set_classname(format!("castproof.{}", run.suite.name()));
    case
}

fn case(file: &ResultsFile, version: u32, (from, to): (DType, DType), cell: &Cell) -> TestCase {
    let status = match standing(cell) {
        Standing::Passing => TestCaseStatus::success(),
        Standing::Unsupported => skipped(format!("unsupported: {}", cell.counts)),
        Standing::Known => skipped(format!("known failures: {}", cell.counts)),
        Standing::Failing => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("{}", cell.counts));
            status.set_description(details(file, version, (from, to)));
            status
        }
    };
    let mut case = TestCase::new(format!("{from} -> {to}"), status);
    case.set_classname(format!("castproof.Cast-{version}"));
    case
}

fn skipped(message: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}

/// The first failing tests of a pair, and what explains them.
fn details(file: &ResultsFile, version: u32, (from, to): (DType, DType)) -> String {
    let results = &file.results;
    let failing = results.failures.iter().filter(|finding| {
        (finding.from, finding.to) == (from, to) && finding.opsets.contains(&version)
    });
    let mut lines: Vec<String> = failing
        .filter(|finding| finding.known.is_none())
        .take(LISTED)
        .map(|finding| format!("{} {} {}", finding.id, finding.clause, sentence(finding)))
        .collect();
    let remarks = results.remarks.iter().filter(|(key, remark)| {
        key.asked.pair() == (from, to)
            && key.verdict.is_bad()
            && remark.opsets.contains(&version)
            && remark.tests > remark.expected
    });
    lines.extend(remarks.map(|(key, _)| format!("{}: {}", key.verdict.name(), key.message)));
    let of_pair = |it: &&Diagnosis| it.suite == Suite::OnnxCast && (it.from, it.to) == (from, to);
    let diagnoses = results.diagnoses.iter().filter(of_pair);
    lines.extend(diagnoses.map(|diagnosis| format!("diagnosis: {diagnosis}")));
    let misplaced = results.misplaced.iter().filter(|found| {
        found.asked.pair() == (from, to)
            && found.asked.opset == Some(version)
            && found.known.is_none()
    });
    lines.extend(misplaced.take(LISTED).map(ToString::to_string));
    lines.join("\n")
}
