//! `castproof expect --all`: what every specification makes of an element, as one table.

use crate::element::{self, Form, Read, said};
use crate::expect::compose_outcome;
use anyhow::{Result, bail};
use castproof_check::words;
use castproof_judge::answers::Answering;
use castproof_oracle::attribute_sets_of;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, Operator, Outcome, Profile, Request, Spec, Suite,
    cast_version, versions,
};
use serde_json::json;
use std::fmt::Write as _;

/// A result, and which specifications give it with which attributes.
struct Row {
    expectation: Expectation,
    by: Vec<(Spec, Vec<Attributes>)>,
}

/// Returns a table for each element: each distinct result, and which specifications, versions, profiles and
/// attributes give it; or as JSON, an object a result.
///
/// # Errors
/// If a text is not an element of `from`, or no specification casts the dtypes.
pub fn texts(from: DType, to: DType, inputs: &[String], form: Form) -> Result<String> {
    let mut text = String::new();
    for (index, input) in inputs.iter().enumerate() {
        let (element, rounded) = if from == DType::String {
            (Element::from(input.clone()), false)
        } else {
            let Read { code, rounded } = element::element(from, input, form.nearest)?;
            (Element::code(code, from), rounded)
        };
        let rows = rows(from, to, &element)?;
        if form.json {
            for row in &rows {
                json_line(&mut text, to, &element, row)?;
            }
            continue;
        }
        let between = if index > 0 { "\n" } else { "" };
        let near =
            if rounded { format!(", the nearest to {}", input.trim()) } else { String::new() };
        writeln!(text, "{between}{from} -> {to} of {}{near}", words::element(from, &element))?;
        let results: Vec<String> = rows.iter().map(|row| said(to, &row.expectation)).collect();
        let width = results.iter().map(|it| it.chars().count()).max().unwrap_or(0);
        for (row, result) in rows.iter().zip(results) {
            writeln!(text, "{result:<width$}  {}", givers(&row.by, (from, to)))?;
        }
    }
    Ok(text)
}

/// Every specification, the newest version of ONNX first.
fn specs() -> impl Iterator<Item = Spec> {
    let of = |op| versions(op).iter().rev().map(move |&opset| Spec::Onnx { op, opset });
    of(Operator::Cast).chain(of(Operator::CastLike)).chain(Profile::numeric().map(Spec::Profile))
}

fn rows(from: DType, to: DType, element: &Element) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut problem = None;
    for spec in specs() {
        for attributes in attribute_sets_of(spec, (from, to)) {
            let request = Request::new(spec, from, to).with(attributes);
            let answer = Answering::chosen(&request).and_then(|it| it.element(element));
            let expectation = match answer {
                Ok(expectation) => expectation,
                Err(error) => {
                    problem = Some(error);
                    continue;
                }
            };
            let same = |row: &&mut Row| {
                (&row.expectation.expect, &row.expectation.tolerate)
                    == (&expectation.expect, &expectation.tolerate)
            };
            let place = match rows.iter_mut().find(same) {
                Some(row) => &mut row.by,
                None => {
                    rows.push(Row { expectation, by: Vec::new() });
                    let last = rows.len() - 1;
                    &mut rows[last].by
                }
            };
            match place.last_mut().filter(|(last, _)| *last == spec) {
                Some((_, sets)) => sets.push(attributes),
                None => place.push((spec, vec![attributes])),
            }
        }
    }
    // What a specification does not cast, or leaves open, comes last.
    rows.sort_by_key(|row| match row.expectation.expect {
        Outcome::Any => 1,
        Outcome::Reject => 2,
        _ => 0,
    });
    match (rows.is_empty(), problem) {
        (true, Some(problem)) => bail!(problem),
        _ => Ok(rows),
    }
}

/// Returns `Cast-19 to Cast-28 with saturate=0; ml-dtypes`.
fn givers(by: &[(Spec, Vec<Attributes>)], pair: (DType, DType)) -> String {
    let mut groups: Vec<(&str, String, Vec<Spec>)> = Vec::new();
    for (spec, sets) in by {
        let with = with(sets, attribute_sets_of(*spec, pair).len());
        let family = spec.family();
        let same = |(of, how, _): &&mut (&str, String, Vec<Spec>)| *of == family && *how == with;
        match groups.iter_mut().find(same) {
            Some((.., specs)) => specs.push(*spec),
            None => groups.push((family, with, vec![*spec])),
        }
    }
    let groups = groups.into_iter().map(|(family, with, specs)| name(family, &specs) + &with);
    groups.collect::<Vec<_>>().join("; ")
}

/// Returns ` with saturate=0, or without attributes`; nothing if all sets of attributes are there.
fn with(sets: &[Attributes], all: usize) -> String {
    if sets.len() == all {
        return String::new();
    }
    let given = sets.iter().filter(|it| **it != Attributes::default());
    let given: Vec<String> = given.map(Attributes::to_string).collect();
    let without = sets.contains(&Attributes::default()).then_some("without attributes");
    let given = (!given.is_empty()).then(|| format!("with {}", given.join(", ")));
    let said: Vec<&str> = without.into_iter().chain(given.as_deref()).collect();
    format!(" {}", said.join(" or "))
}

/// Returns `Cast-19 to Cast-28`, or the name of a profile.
fn name(family: &str, specs: &[Spec]) -> String {
    let of = |op: Operator| {
        let opsets = specs.iter().filter_map(|spec| spec.opset());
        opsets.map(|opset| cast_version(op, opset)).collect::<Vec<u32>>()
    };
    let versions = match specs.first().and_then(|spec| spec.op()) {
        Some(op @ Operator::Cast) => words::versions(Suite::OnnxCast, &of(op)),
        Some(op @ Operator::CastLike) => words::versions(Suite::OnnxCastlike, &of(op)),
        None => None,
    };
    versions.unwrap_or_else(|| family.to_string())
}

fn json_line(text: &mut String, to: DType, element: &Element, row: &Row) -> Result<()> {
    let Row { expectation, by } = row;
    write!(text, "{{\"input\":{},\"expect\":", json!(element))?;
    compose_outcome(text, to.hex_digits(), &expectation.expect)?;
    if let Some(tolerate) = &expectation.tolerate {
        text.push_str(",\"tolerate\":");
        compose_outcome(text, to.hex_digits(), tolerate)?;
    }
    let by = by.iter().flat_map(|(spec, sets)| {
        sets.iter().map(move |set| json!({ "spec": spec.to_string(), "attributes": set }))
    });
    writeln!(text, ",\"by\":{}}}", json!(by.collect::<Vec<_>>()))?;
    Ok(())
}
