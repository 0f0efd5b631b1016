//! What every specification makes of one element: each distinct result, and who gives it.

use crate::outcome::compose_outcome;
use anyhow::{Result, bail};
use castproof_check::words;
use castproof_oracle::{CodeError, attribute_sets_of};
use castproof_vectors::{
    Attributes, DType, Element, Elements, Expectation, Operator, Outcome, Profile, Request, RuleId,
    Spec, Suite, cast_version, versions,
};
use serde_json::json;
use std::fmt::Write as _;

/// A result, and which specifications give it.
pub struct Row {
    /// The result, with the rule of the first that gives it.
    pub expectation: Expectation,
    /// Who gives it.
    pub by: Vec<SpecGiven>,
}

/// A specification, and the attributes with which it gives a result, each with the rule.
pub type SpecGiven = (Spec, Vec<(Attributes, RuleId)>);

/// Specifications of one family that give a result with the same attributes.
pub struct Givers {
    /// `Cast-19 to Cast-28 with saturate=0`, or the name of a profile.
    pub name: String,
    /// What people call a profile: `the text of StableHLO`.
    pub title: Option<&'static str>,
    /// The rules by which they give it, each once.
    pub rules: Vec<RuleId>,
}

/// Every specification, the newest version of ONNX first.
pub fn specs() -> impl Iterator<Item = Spec> {
    let of = |op| versions(op).iter().rev().map(move |&opset| Spec::Onnx { op, opset });
    of(Operator::Cast).chain(of(Operator::CastLike)).chain(Profile::numeric().map(Spec::Profile))
}

/// Returns each distinct result. `answer` says what a request must make of the element.
///
/// # Errors
/// If no specification casts the dtypes.
pub fn rows(
    (from, to): (DType, DType),
    answer: impl Fn(&Request) -> Result<Expectation, CodeError>,
) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut problem = None;
    for spec in specs() {
        for attributes in attribute_sets_of(spec, (from, to)) {
            let expectation = match answer(&Request::new(spec, from, to).with(attributes)) {
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
            let given = (attributes, expectation.rule);
            let place = match rows.iter_mut().find(same) {
                Some(row) => &mut row.by,
                None => {
                    rows.push(Row { expectation, by: Vec::new() });
                    let last = rows.len() - 1;
                    &mut rows[last].by
                }
            };
            add(place, spec, given);
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

impl Row {
    /// Writes the row as a JSON object, and a line end.
    ///
    /// # Errors
    /// If writing fails.
    pub fn json(&self, text: &mut String, to: DType, element: &Element) -> Result<()> {
        let Row { expectation, by } = self;
        write!(text, "{{\"input\":{},\"expect\":", json!(element))?;
        compose_outcome(text, to.hex_digits(), &expectation.expect)?;
        if let Some(tolerate) = &expectation.tolerate {
            text.push_str(",\"tolerate\":");
            compose_outcome(text, to.hex_digits(), tolerate)?;
        }
        let by = by.iter().flat_map(|(spec, sets)| {
            let object = |set| json!({ "spec": spec.to_string(), "attributes": set });
            sets.iter().map(move |(set, _)| object(set))
        });
        writeln!(text, ",\"by\":{}}}", json!(by.collect::<Vec<_>>()))?;
        Ok(())
    }
}

/// Adds attributes with which a specification gives a result; it comes after those that are there.
pub fn add(by: &mut Vec<SpecGiven>, spec: Spec, given: (Attributes, RuleId)) {
    match by.last_mut().filter(|(last, _)| *last == spec) {
        Some((_, sets)) => sets.push(given),
        None => by.push((spec, vec![given])),
    }
}

/// Returns who gives a result, versions of an operator together. `by` is in the order of [`specs`].
pub fn givers(by: &[SpecGiven], pair: (DType, DType)) -> Vec<Givers> {
    struct Group<'a> {
        family: &'a str,
        with: String,
        specs: Vec<Spec>,
        rules: Vec<RuleId>,
    }
    let mut groups: Vec<Group> = Vec::new();
    for (spec, sets) in by {
        let with = with(sets, attribute_sets_of(*spec, pair).len());
        let family = spec.family();
        let found = groups.iter().position(|it| it.family == family && it.with == with);
        let place = found.unwrap_or_else(|| {
            groups.push(Group { family, with, specs: vec![], rules: vec![] });
            groups.len() - 1
        });
        groups[place].specs.push(*spec);
        for (_, rule) in sets {
            if !groups[place].rules.contains(rule) {
                groups[place].rules.push(*rule);
            }
        }
    }
    let named = |it: Group| {
        let title = it.specs.first().and_then(|spec| match spec {
            Spec::Profile(profile) => match profile.elements() {
                Elements::Numeric(title) => Some(title),
                Elements::Complex => None,
            },
            Spec::Onnx { .. } => None,
        });
        Givers { name: name(it.family, &it.specs) + &it.with, title, rules: it.rules }
    };
    groups.into_iter().map(named).collect()
}

/// The most sets of attributes that are written out. RISC-V's float8 has 17.
const MOST_SETS: usize = 4;

/// Returns ` without attributes or with saturate=0`, or ` with 6 of 17 sets of attributes` if they are many; nothing if all are there.
fn with(sets: &[(Attributes, RuleId)], all: usize) -> String {
    if sets.len() == all {
        return String::new();
    }
    let has_none = sets.iter().any(|(set, _)| *set == Attributes::default());
    let given = sets.iter().filter(|(set, _)| *set != Attributes::default());
    let given: Vec<String> = given.map(|(set, _)| set.to_string()).collect();
    let without = has_none.then_some("without attributes");
    let given = match given.len() {
        0 => None,
        // One of all is that without attributes.
        count if count > MOST_SETS => {
            Some(format!("with {count} of {} sets of attributes", all - 1))
        }
        _ => Some(format!("with {}", given.join(", "))),
    };
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
