//! `castproof project`: the code that a number becomes.

use super::words::Input;
use anyhow::{Result, anyhow, bail};
use castproof_formats::{
    Edition, Format, Open, Projection, RandomBits, Rounding, Saturation, project,
};
use castproof_lookup::formats::{DRAFT, code_text, code_value};
use serde_json::{Value as Json, json as object};

/// What is projected, and where to.
pub struct ProjectionAsked {
    /// The format.
    pub format: Format,
    /// The values.
    pub inputs: Vec<Input>,
    /// JSON, an object a line.
    pub json: bool,
}

/// Returns the code of each value under one projection: for people a line each, or a JSON object each.
///
/// # Errors
/// If the format has no such saturation.
pub fn projected(asked: &ProjectionAsked, projection: &Projection) -> Result<String> {
    let ProjectionAsked { format, .. } = asked;
    if projection.saturation == Saturation::Propagate && !format.is_p3109() {
        bail!("{}: {}", format.name, Open::Propagate)
    }
    let edition = if format.is_p3109() { format!("; {DRAFT}") } else { String::new() };
    let edition = match projection.edition {
        Edition::Report4 => edition,
        Edition::July2026 => format!("; IEEE P3109 is a draft: {}", projection.edition.name()),
    };
    let (rounding, saturation) = (named(projection.rounding), projection.saturation.name());
    let mut text = match asked.json {
        true => String::new(),
        false => {
            format!("{}: rounding {rounding}, saturation {saturation}{edition}\n", format.name)
        }
    };
    for input in &asked.inputs {
        let result = project(&input.value, format, projection);
        text += &match asked.json {
            true => {
                let mut line = object_of(input, format, result);
                setting(&mut line, format, projection);
                line_of(&line)?
            }
            false => format!("{} -> {}\n", input.text, said(format, result)),
        };
    }
    Ok(text)
}

/// Returns each distinct result of each value, with the roundings and saturations that give it.
///
/// # Errors
/// If there is no memory for it.
pub fn all(asked: &ProjectionAsked, bits: Option<RandomBits>) -> Result<String> {
    let ProjectionAsked { format, .. } = asked;
    let mut roundings = Rounding::FIXED.to_vec();
    roundings.extend(bits.into_iter().flat_map(Rounding::stochastic));
    let mut text = String::new();
    for input in &asked.inputs {
        let groups = groups(format, input, &roundings);
        if asked.json {
            let results: Vec<Json> = groups.iter().map(|group| group_json(format, group)).collect();
            let mut line =
                object!({ "format": format.name, "input": input.text, "results": results });
            if let Some(code) = &input.code {
                line["inputCode"] = object!(code);
            }
            text += &line_of(&line)?;
            continue;
        }
        let draft = if format.is_p3109() { format!("; {DRAFT}") } else { String::new() };
        text += &format!("{} -> {}{draft}\n", input.text, format.name);
        for (result, given) in &groups {
            text += &format!("{}\n", said(format, *result));
            for (label, names) in labels(format, given, &roundings) {
                text += &format!("    {label}: {names}\n");
            }
        }
    }
    if !asked.json && bits.is_none() {
        text += "stochastic rounding: add --random-bits N --random R\n";
    }
    Ok(text)
}

/// A result, and the projections that give it.
type Group = (Result<u64, Open>, Vec<Projection>);

/// The projections of a format, by the rows in which they are written: a saturation, of P3109 also an edition.
fn rows(format: &Format) -> Vec<(Saturation, Edition)> {
    match format.is_p3109() {
        true => vec![
            (Saturation::Finite, Edition::Report4),
            (Saturation::Propagate, Edition::Report4),
            (Saturation::None, Edition::Report4),
            (Saturation::None, Edition::July2026),
        ],
        false => vec![(Saturation::Finite, Edition::Report4), (Saturation::None, Edition::Report4)],
    }
}

fn groups(format: &Format, input: &Input, roundings: &[Rounding]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (saturation, edition) in rows(format) {
        for &rounding in roundings {
            let projection = Projection { rounding, saturation, edition };
            let result = project(&input.value, format, &projection);
            match groups.iter_mut().find(|(it, _)| *it == result) {
                Some((_, given)) => given.push(projection),
                None => groups.push((result, vec![projection])),
            }
        }
    }
    groups
}

/// Returns which roundings give a result, for each saturation: `none`, `every rounding`. The editions are named apart only where
/// they differ.
fn labels(format: &Format, given: &[Projection], roundings: &[Rounding]) -> Vec<(String, String)> {
    let of = |saturation: Saturation, edition: Edition| -> Vec<Rounding> {
        let row = given.iter().filter(|it| it.saturation == saturation && it.edition == edition);
        row.map(|it| it.rounding).collect()
    };
    let mut labels = Vec::new();
    for (saturation, edition) in rows(format) {
        let names = of(saturation, edition);
        let is_none = saturation == Saturation::None && format.is_p3109();
        let is_same =
            of(Saturation::None, Edition::Report4) == of(Saturation::None, Edition::July2026);
        let is_repeated = is_none && is_same && edition == Edition::July2026;
        if names.is_empty() || is_repeated {
            continue;
        }
        let label = match is_none && !is_same {
            true => format!("{} by {}", saturation.name(), edition.name()),
            false => saturation.name().to_string(),
        };
        let names = match names.len() == roundings.len() {
            true => "every rounding".to_string(),
            false => names.into_iter().map(Rounding::name).collect::<Vec<_>>().join(", "),
        };
        labels.push((label, names));
    }
    labels
}

fn group_json(format: &Format, (result, given): &Group) -> Json {
    let given: Vec<Json> = given
        .iter()
        .map(|projection| {
            let mut one = object!({});
            setting(&mut one, format, projection);
            one
        })
        .collect();
    let mut group = result_json(format, *result);
    group["given"] = object!(given);
    group
}

/// Adds what a projection is to an object.
fn setting(line: &mut Json, format: &Format, projection: &Projection) {
    line["rounding"] = object!(projection.rounding.name());
    line["saturation"] = object!(projection.saturation.name());
    if format.is_p3109() {
        line["edition"] = object!(projection.edition.name());
    }
    if let Some(bits) = projection.rounding.random_bits() {
        line["randomBits"] = object!(bits.count());
        line["random"] = object!(bits.number());
    }
}

fn object_of(input: &Input, format: &Format, result: Result<u64, Open>) -> Json {
    let mut line = result_json(format, result);
    line["format"] = object!(format.name);
    line["input"] = object!(input.text);
    if let Some(code) = &input.code {
        line["inputCode"] = object!(code);
    }
    line
}

fn result_json(format: &Format, result: Result<u64, Open>) -> Json {
    match result {
        Ok(code) => object!({ "code": format.hex(code), "value": code_value(format, code) }),
        Err(open) => object!({ "open": open.to_string() }),
    }
}

fn said(format: &Format, result: Result<u64, Open>) -> String {
    match result {
        Ok(code) => code_text(format, code),
        Err(open) => format!("open: {open}"),
    }
}

/// The name of a rounding, with its random bits.
fn named(rounding: Rounding) -> String {
    match rounding.random_bits() {
        Some(bits) => format!("{} with {} bits {}", rounding.name(), bits.count(), bits.number()),
        None => rounding.name().into(),
    }
}

fn line_of(line: &Json) -> Result<String> {
    Ok(serde_json::to_string(line).map_err(|error| anyhow!(error))? + "\n")
}
