//! JUnit XML: a test suite for each operator version with a test case for each pair, one for each
//! suite of questions, and one for the run as a whole, which may fail for other reasons.

use super::screen::{begins_with_example, line};
use super::words::{extent, rule_address, version, versions};
use anyhow::Result;
use castproof_results::finding::Finding;
use castproof_results::standing::{Mark, Standing};
use castproof_results::{Cell, Failure, ResultsFile, SuiteRun};
use castproof_vectors::{DType, Suite, find_rule};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// How many failing tests a test case lists.
const LISTED: usize = 20;

pub(super) fn text(file: &ResultsFile) -> Result<String> {
    let mut report = Report::new(format!("castproof {}, level {}", file.testee, extent(file)));
    let mut run = TestSuite::new("run");
    run.add_test_case(whole(file));
    report.add_test_suite(run);
    for edition in versions(file) {
        let mut suite = TestSuite::new(version(edition.0, edition.1));
        for (pair, cell) in file.results.by_pair(edition.1) {
            suite.add_test_case(case(file, edition, pair, &cell));
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

/// Returns the test case of the run.
fn whole(file: &ResultsFile) -> TestCase {
    let status = match file.standing() {
        Standing::Failing => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(file.reasons.join(", "));
            status
        }
        Standing::Known | Standing::Passing | Standing::Unsupported => TestCaseStatus::success(),
    };
    let mut case = TestCase::new("verdict", status);
    case.set_classname("castproof.run");
    case
}

fn questions(run: &SuiteRun) -> TestCase {
    let lines: Vec<String> = run
        .surprises()
        .take(LISTED)
        .map(|deviation| format!("{deviation} [{}]  {}", deviation.clause, deviation.id))
        .collect();
    let status = match run.standing() {
        Standing::Failing => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(run.counts.to_string());
            status.set_description(lines.join("\n"));
            status
        }
        Standing::Unsupported => skipped(format!("unsupported: {}", run.counts)),
        Standing::Known => skipped(format!("known failures: {}", run.counts)),
        Standing::Passing => TestCaseStatus::success(),
    };
    let mut case = TestCase::new("questions", status);
    case.set_classname(format!("castproof.{}", run.suite.name()));
    case
}

/// A suite of casts in a version.
type Edition = (Suite, Option<u32>);

fn case(file: &ResultsFile, edition: Edition, (from, to): (DType, DType), cell: &Cell) -> TestCase {
    let status = match Mark::of(cell).standing() {
        Standing::Passing => TestCaseStatus::success(),
        Standing::Unsupported => skipped(format!("unsupported: {}", cell.counts)),
        Standing::Known => skipped(format!("known failures: {}", cell.counts)),
        Standing::Failing => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("{}", cell.counts));
            status.set_description(details(file, edition, (from, to)));
            status
        }
    };
    let mut case = TestCase::new(format!("{from} -> {to}"), status);
    case.set_classname(format!("castproof.{}", version(edition.0, edition.1)));
    case
}

fn skipped(message: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}

/// Returns the findings of a pair at one version, then its first failing tests.
fn details(file: &ResultsFile, edition: Edition, (from, to): (DType, DType)) -> String {
    let findings = file.findings.iter().filter(|finding| {
        finding.suite == edition.0
            && finding.is_new()
            && edition.1.is_none_or(|version| finding.versions.contains(&version))
            && finding.pairs.contains(&(from, to.into()))
    });
    let mut lines: Vec<String> = findings.flat_map(finding_lines).collect();
    let failing = file.results.failures.iter().filter(|failure| {
        (failure.from, failure.to) == (from, to)
            && failure.asked().iter().any(|asked| asked.opset == edition.1)
            && failure.known.is_none()
    });
    let test = |failure: &Failure| {
        let Failure { id, clause, attributes, .. } = failure;
        format!("{} [{attributes}; {clause}]  {id}", failure.sentence())
    };
    lines.extend(failing.take(LISTED).map(test));
    lines.join("\n")
}

/// Returns what is wrong, which inputs are or the example, and the rule with its statement and its address.
fn finding_lines(finding: &Finding) -> Vec<String> {
    let second = match begins_with_example(finding) {
        true => finding.inputs().unwrap_or_default(),
        false => &finding.example.sentence,
    };
    let mut lines = vec![line(finding)];
    lines.extend(Some(second).filter(|it| !it.is_empty()).map(|it| format!("  {it}")));
    if let Some(rule) = finding.rule.as_deref().and_then(find_rule) {
        lines.push(format!("  {}: {} {}", rule.name, rule.statement, rule_address(rule.name)));
    }
    lines
}
