//! `castproof expect --all`: what every specification makes of an element, as one table.

use crate::element::{self, ElementForm, ElementRead};
use anyhow::Result;
use castproof_check::words;
use castproof_judge::answers::Answering;
use castproof_lookup::outcome::said;
use castproof_lookup::table::{Row, givers, rows};
use castproof_vectors::{DType, Element};
use std::fmt::Write as _;

/// Returns a table for each element: each distinct result, and which specifications, versions, profiles and
/// attributes give it; or as JSON, an object a result.
///
/// # Errors
/// If a text is not an element of `from`, or no specification casts the dtypes.
pub fn texts(from: DType, to: DType, inputs: &[String], form: ElementForm) -> Result<String> {
    let mut text = String::new();
    for (index, input) in inputs.iter().enumerate() {
        let (element, rounded) = if from == DType::String {
            (Element::from(input.clone()), false)
        } else {
            let ElementRead { code, rounded } = element::element(from, input, form.nearest)?;
            (Element::code(code, from), rounded)
        };
        let rows = rows((from, to), |it| Answering::chosen(it)?.element(&element))?;
        if form.json {
            for row in &rows {
                row.json(&mut text, to, &element)?;
            }
            continue;
        }
        let between = if index > 0 { "\n" } else { "" };
        let near =
            if rounded { format!(", the nearest to {}", input.trim()) } else { String::new() };
        writeln!(text, "{between}{from} -> {to} of {}{near}", words::element(from, &element))?;
        let results: Vec<String> = rows.iter().map(|row| said(to, &row.expectation)).collect();
        let width = results.iter().map(|it| it.chars().count()).max().unwrap_or(0);
        let names = |row: &Row| {
            let names = givers(&row.by, (from, to)).into_iter().map(|it| it.name);
            names.collect::<Vec<_>>().join("; ")
        };
        for (row, result) in rows.iter().zip(results) {
            writeln!(text, "{result:<width$}  {}", names(row))?;
        }
    }
    Ok(text)
}
