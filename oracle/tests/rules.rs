//! Compares the oracle with every example of the table of rules.

use castproof_oracle::cast;
use castproof_vectors::{
    Attributes, Expectation, Operator, Outcome, Request, Rule, RuleId, Spec, rules,
};
use std::collections::BTreeSet;

/// One example per line; the head of the file explains the columns.
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

/// Rules of strings have their examples in `texts.rs`.
#[test]
fn every_rule_has_an_example() {
    let cited: BTreeSet<RuleId> = examples().iter().map(|(.., expected)| expected.rule).collect();
    let onnx = |rule: &Rule| {
        let families = ["onnx-cast", "onnx-castlike"];
        rule.specs.iter().any(|range| families.contains(&range.name))
    };
    let shown = rules().iter().filter(|rule| rule.not_shown.is_none() && onnx(rule));
    let missing: Vec<&str> = shown
        .filter(|rule| !rule.name.starts_with("S-") && !cited.contains(&rule.id))
        .map(|rule| rule.name)
        .collect();
    assert!(missing.is_empty(), "rules without an example: {missing:?}");
}

/// Returns the line number, the request, the input and the answer of each example.
fn examples() -> Vec<(usize, Request, u64, Expectation)> {
    let rows = (1..).zip(EXAMPLES.lines());
    let rows = rows.filter(|(_, row)| !row.is_empty() && !row.starts_with('#'));
    rows.map(|(line, row)| {
        let columns: Vec<&str> = row.split_whitespace().collect();
        let [op, from, to, attributes, input, expect, tolerate, rule] = columns[..] else {
            panic!("rules.txt:{line}: not eight columns")
        };
        let (op, opset) = operator(op);
        let (from, to) = (from.parse().expect("a dtype"), to.parse().expect("a dtype"));
        let attributes = parse_attributes(attributes);
        let expectation = Expectation {
            expect: outcome(expect),
            tolerate: (tolerate != "-").then(|| outcome(tolerate)),
            rule: rule.parse().expect("a rule"),
        };
        (
            line,
            Request { spec: Spec::Onnx { op, opset }, from, to, attributes },
            code(input),
            expectation,
        )
    })
    .collect()
}

/// Parses an operator like `Cast(19)`.
fn operator(text: &str) -> (Operator, u32) {
    let (name, opset) = text.trim_end_matches(')').split_once('(').expect("an operator");
    let known = [Operator::Cast, Operator::CastLike];
    let op = known.into_iter().find(|op| op.to_string() == name).expect("Cast or CastLike");
    (op, opset.parse().expect("an opset"))
}

/// Parses attributes like `saturate=0,round_mode=up`; `-` means none.
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
