//! The examples of the table of rules, case by case, and the clauses that the vectors cite.

use castproof_oracle::{CLAUSES, cast, suite};
use castproof_vectors::{Attributes, DType, Expectation, Level, Operator, Outcome, Request};
use std::collections::BTreeSet;

/// One example a line; the file's head says how to read it.
const EXAMPLES: &str = include_str!("rules.txt");

#[test]
fn examples_hold() {
    let examples = examples();
    assert!(examples.len() > 200, "rules.txt was read only in part");
    for (line, request, input, expected) in &examples {
        let answer = cast(request, *input);
        assert_eq!(answer.as_ref(), Ok(expected), "rules.txt:{line}: {request} of {input:#x}");
    }
}

#[test]
fn every_clause_has_an_example() {
    let cited: BTreeSet<&str> = examples().iter().map(|(.., expected)| expected.clause).collect();
    let known: BTreeSet<&str> = CLAUSES.iter().map(|clause| clause.id).collect();
    assert_eq!(cited, known);
}

/// Clauses that no vector of a numeric `Cast` can cite; the examples above cover them.
const OUTSIDE_THE_VECTORS: [(&str, &str); 4] = [
    ("T-02", "speaks of strings"),
    ("T-03", "speaks of complex dtypes"),
    ("CL-04", "speaks of CastLike"),
    ("CL-05", "speaks of CastLike"),
];

/// A source of each class.
const SOURCES: [DType; 8] = [
    DType::Bool,
    DType::Int4,
    DType::Int32,
    DType::Float4E2M1,
    DType::Float8E5M2,
    DType::Float8E8M0,
    DType::Float32,
    DType::Float64,
];

#[test]
fn vectors_cite_every_other_clause() {
    let mut missing: BTreeSet<String> = CLAUSES.iter().map(|clause| clause.id.into()).collect();
    for from in SOURCES {
        for &to in DType::NUMERIC {
            let file = suite(from, to, Level::Standard);
            for test in file.groups.iter().flat_map(|group| &group.tests) {
                missing.remove(&test.clause);
            }
        }
    }
    let outside = OUTSIDE_THE_VECTORS.map(|(id, _)| id.to_owned());
    assert_eq!(missing, BTreeSet::from(outside), "clauses without a vector");
}

/// Line number, request, input, answer.
fn examples() -> Vec<(usize, Request, u64, Expectation)> {
    let rows = (1..).zip(EXAMPLES.lines());
    let rows = rows.filter(|(_, row)| !row.is_empty() && !row.starts_with('#'));
    rows.map(|(line, row)| {
        let columns: Vec<&str> = row.split_whitespace().collect();
        let [op, from, to, attributes, input, expect, tolerate, clause] = columns[..] else {
            panic!("rules.txt:{line}: not eight columns")
        };
        let (op, opset) = operator(op);
        let (from, to) = (from.parse().expect("a dtype"), to.parse().expect("a dtype"));
        let attributes = parse_attributes(attributes);
        let expectation = Expectation {
            expect: outcome(expect),
            tolerate: (tolerate != "-").then(|| outcome(tolerate)),
            clause,
        };
        (line, Request { op, from, to, opset, attributes }, code(input), expectation)
    })
    .collect()
}

/// `Cast(19)`
fn operator(text: &str) -> (Operator, u32) {
    let (name, opset) = text.trim_end_matches(')').split_once('(').expect("an operator");
    let known = [Operator::Cast, Operator::CastLike];
    let op = known.into_iter().find(|op| op.to_string() == name).expect("Cast or CastLike");
    (op, opset.parse().expect("an opset"))
}

/// `saturate=0,round_mode=up`, or `-`.
fn parse_attributes(text: &str) -> Attributes {
    let mut attributes = Attributes::default();
    for part in text.split(',').filter(|_| text != "-") {
        match part.split_once('=') {
            Some(("saturate", on)) => attributes.saturate = Some(code(on) == 1),
            Some(("round_mode", mode)) => {
                attributes.round_mode = Some(mode.parse().expect("a round mode"));
            }
            _ => panic!("rules.txt: unknown attribute {part}"),
        }
    }
    attributes
}

fn outcome(text: &str) -> Outcome {
    match text {
        "nan" => Outcome::AnyNan,
        "any" => Outcome::Any,
        "reject" => Outcome::Reject,
        codes => Outcome::one_of(codes.split('|').map(code)),
    }
}

fn code(text: &str) -> u64 {
    u64::from_str_radix(text, 16).expect("hexadecimal digits")
}
