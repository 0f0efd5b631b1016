//! JUnit XML: a test suite for each operator version with a test case for each pair, and one for
//! each suite of questions.

use super::words::{Standing, extent, rule_address, sentence, standing, version, versions};
use crate::finding::Finding;
use crate::results::{Cell, Failure, ResultsFile, SuiteRun};
use crate::sink::xml;
use crate::verdict::Verdict;
use anyhow::Result;
use castproof_vectors::{DType, Suite, find_rule};
use std::fmt::Write;

/// How many failing tests a test case lists.
const LISTED: usize = 20;

struct TestSuite {
    name: String,
    cases: Vec<TestCase>,
}

struct TestCase {
    name: String,
    status: Status,
}

enum Status {
    Passed,
    Skipped { message: String },
    Failed { message: String, lines: Vec<String> },
}

pub(super) fn text(file: &ResultsFile) -> Result<String> {
    let mut suites = vec![];
    for edition in versions(file) {
        let cells = file.results.by_pair(edition.1);
        let cases = cells.into_iter().map(|(pair, cell)| case(file, edition, pair, &cell));
        suites.push(TestSuite { name: version(edition.0, edition.1), cases: cases.collect() });
    }
    for run in &file.results.suites {
        suites.push(TestSuite { name: run.suite.name().into(), cases: vec![questions(run)] });
    }
    let name = format!("castproof {}, level {}", file.testee, extent(file));
    Ok(document(&name, &suites)?)
}

fn questions(run: &SuiteRun) -> TestCase {
    let lines: Vec<String> = run
        .surprises()
        .take(LISTED)
        .map(|deviation| format!("{} {} {deviation}", deviation.id, deviation.clause))
        .collect();
    let status = if !lines.is_empty() {
        Status::Failed { message: run.counts.to_string(), lines }
    } else if run.counts.executed == 0 && run.counts.of(Verdict::Unsupported) > 0 {
        Status::Skipped { message: format!("unsupported: {}", run.counts) }
    } else if run.expected > 0 {
        Status::Skipped { message: format!("known failures: {}", run.counts) }
    } else {
        Status::Passed
    };
    TestCase { name: "questions".into(), status }
}

/// A suite of casts in a version.
type Edition = (Suite, Option<u32>);

fn case(file: &ResultsFile, edition: Edition, (from, to): (DType, DType), cell: &Cell) -> TestCase {
    let counts = &cell.counts;
    let status = match standing(cell) {
        Standing::Passing => Status::Passed,
        Standing::Unsupported => Status::Skipped { message: format!("unsupported: {counts}") },
        Standing::Known => Status::Skipped { message: format!("known failures: {counts}") },
        Standing::Failing => Status::Failed {
            message: counts.to_string(),
            lines: details(file, edition, (from, to)),
        },
    };
    TestCase { name: format!("{from} -> {to}"), status }
}

/// The findings of a pair at one version, then its first failing tests.
fn details(file: &ResultsFile, edition: Edition, (from, to): (DType, DType)) -> Vec<String> {
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
        format!("{id} {clause} {attributes} {}", sentence(failure))
    };
    lines.extend(failing.take(LISTED).map(test));
    lines
}

/// What is wrong, the example, and the rule with its statement and where it is told.
fn finding_lines(finding: &Finding) -> Vec<String> {
    let mut lines = vec![
        format!("{} {}: {}", finding.id, finding.place(), finding.headline()),
        format!("  {}", finding.example.sentence),
    ];
    if let Some(rule) = finding.rule.as_deref().and_then(find_rule) {
        lines.push(format!("  {}: {} {}", rule.name, rule.statement, rule_address(rule.name)));
    }
    lines
}

fn document(name: &str, suites: &[TestSuite]) -> Result<String, std::fmt::Error> {
    let failures: usize = suites.iter().map(TestSuite::failures).sum();
    let tests: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let mut xml_text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let out = &mut xml_text;
    let name = xml(name);
    writeln!(
        out,
        r#"<testsuites name="{name}" tests="{tests}" failures="{failures}" errors="0">"#
    )?;
    for suite in suites {
        suite.write(out)?;
    }
    writeln!(out, "</testsuites>")?;
    Ok(xml_text)
}

impl TestSuite {
    fn failures(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case.status, Status::Failed { .. })).count()
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let skipped = |case: &&TestCase| matches!(case.status, Status::Skipped { .. });
        let disabled = self.cases.iter().filter(skipped).count();
        let (name, tests, failures) = (xml(&self.name), self.cases.len(), self.failures());
        writeln!(
            out,
            r#"    <testsuite name="{name}" tests="{tests}" disabled="{disabled}" errors="0" failures="{failures}">"#
        )?;
        for case in &self.cases {
            case.write(&name, out)?;
        }
        writeln!(out, "    </testsuite>")
    }
}

impl TestCase {
    fn write(&self, suite: &str, out: &mut String) -> std::fmt::Result {
        let name = xml(&self.name);
        writeln!(out, r#"        <testcase name="{name}" classname="castproof.{suite}">"#)?;
        match &self.status {
            Status::Passed => {}
            Status::Skipped { message } => {
                writeln!(out, r#"            <skipped message="{}"/>"#, xml(message))?;
            }
            Status::Failed { message, lines } => {
                let (message, lines) = (xml(message), lines.iter().map(|line| xml(line)));
                let lines: Vec<String> = lines.collect();
                let text = lines.join("\n");
                writeln!(out, r#"            <failure message="{message}">{text}</failure>"#)?;
            }
        }
        writeln!(out, "        </testcase>")
    }
}
