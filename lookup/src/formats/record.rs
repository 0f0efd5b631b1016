//! `castproof format`: the record of a format, its ends and its special codes.

use super::texts::{DRAFT, code_text, code_value};
use anyhow::{Result, anyhow, bail};
use castproof_formats::{Format, NAMED};
use serde_json::{Value as Json, json as object};
use std::fmt::Write as _;

/// The widest format whose codes are listed one by one.
const LISTED: u32 = 16;

/// Returns the table of formats that have names of their own, a line each.
pub fn list() -> String {
    let mut text = String::new();
    for row in &NAMED {
        let format = row.format();
        let line = format!("{:18} {} [{}]", format.name, parameters(&format), row.rule);
        text += &(line + "\n");
    }
    text + &format!(
        "binary8p3se and the like: {DRAFT}; binary, 3 to 16 bits, p, the precision, s (signed) or u, e (with infinities) or f\n"
    )
}

/// Returns a format for people: its parameters, its ends and its special codes.
///
/// # Errors
/// If its codes are asked for and they are too many.
pub fn text(format: &Format, codes: bool) -> Result<String> {
    let mut text = format!("{}: {}\n", format.name, parameters(format));
    for (name, said) in facts(format) {
        writeln!(text, "  {name:19} {said}")?;
    }
    if codes {
        for code in all_codes(format)? {
            writeln!(text, "{} {}", format.hex(code), code_value(format, code))?;
        }
    }
    Ok(text)
}

/// Returns a format as a JSON object, with a line end.
///
/// # Errors
/// If its codes are asked for and they are too many.
pub fn json(format: &Format, codes: bool) -> Result<String> {
    let code = |code: u64| object!({ "code": format.hex(code), "value": code_value(format, code) });
    let mut record = object!({
        "name": format.name,
        "bits": format.bits,
        "signed": format.signed,
        "precision": format.precision,
        "exponentBits": format.exponent_bits(),
        "bias": format.bias,
        "specials": format.specials.name(),
        "rule": rule(format),
        "draft": format.is_p3109(),
        "largest": code(format.largest_code()),
        "smallest": code(smallest(format)),
        "smallestNormal": smallest_normal(format).map(code),
        "smallestSubnormal": smallest_subnormal(format).map(code),
        "negativeZero": format.has_negative_zero(),
        "infinities": infinities(format).into_iter().map(|it| format.hex(it)).collect::<Vec<_>>(),
        "nan": nans(format).iter().map(|(first, last)| object!({ "first": format.hex(*first), "last": format.hex(*last) })).collect::<Vec<Json>>(),
        "sameCodesAs": format.twin().map(|it| it.name),
        "otherNames": others(format),
    });
    if codes {
        record["codes"] = all_codes(format)?.map(code).collect();
    }
    Ok(serde_json::to_string_pretty(&record).map_err(|error| anyhow!(error))? + "\n")
}

/// Returns `8 bits: sign 1, exponent 4, significand 3; precision 4, bias 8, specials p3109 extended`.
fn parameters(format: &Format) -> String {
    format!(
        "{} bits: sign {}, exponent {}, significand {}; precision {}, bias {}, specials {}",
        format.bits,
        u32::from(format.signed),
        format.exponent_bits(),
        format.trailing_bits(),
        format.precision,
        format.bias,
        format.specials.name()
    )
}

fn facts(format: &Format) -> Vec<(&'static str, String)> {
    let at = |code: Option<u64>| code.map_or("none".into(), |it| code_text(format, it));
    let joined = |codes: Vec<u64>| {
        codes.into_iter().map(|it| code_text(format, it)).collect::<Vec<_>>().join(", ")
    };
    let range = |(first, last): &(u64, u64)| match first == last {
        true => format.hex(*first),
        false => format!("{} to {}", format.hex(*first), format.hex(*last)),
    };
    let or_none = |text: String| if text.is_empty() { "none".into() } else { text };
    let zero = match (format.has_zero(), format.has_negative_zero()) {
        (false, _) => "none".into(),
        (true, false) => format!("{}, and no negative zero", format.hex(0)),
        (true, true) => format!("{}, negative {}", format.hex(0), format.hex(format.sign_bit())),
    };
    let mut facts = vec![
        ("largest", code_text(format, format.largest_code())),
        ("smallest", code_text(format, smallest(format))),
        ("smallest normal", at(smallest_normal(format))),
        ("smallest subnormal", at(smallest_subnormal(format))),
        ("zero", zero),
        ("infinity", or_none(joined(infinities(format)))),
        ("NaN", or_none(nans(format).iter().map(range).collect::<Vec<_>>().join(", "))),
    ];
    if let Some(twin) = format.twin() {
        facts.push(("same codes as", twin.name));
    }
    let others = others(format).join(", ");
    if !others.is_empty() {
        facts.push(("other names", others));
    }
    if let Some(note) = format.row().map(|it| it.note).filter(|it| !it.is_empty()) {
        facts.push(("note", note.into()));
    }
    let draft = if format.is_p3109() { format!("; {DRAFT}") } else { String::new() };
    facts.push(("rule", rule(format).to_string() + &draft));
    facts
}

fn rule(format: &Format) -> &'static str {
    format.row().map_or("PF-01 to PF-06", |it| it.rule)
}

fn others(format: &Format) -> Vec<&'static str> {
    format.row().map_or(vec![], |it| it.others.split(',').collect())
}

/// The code of the smallest number: the most negative one, or of an unsigned format the first.
fn smallest(format: &Format) -> u64 {
    if format.signed { format.largest_code() | format.sign_bit() } else { 0 }
}

fn smallest_normal(format: &Format) -> Option<u64> {
    let first = if format.has_zero() { 1 << format.trailing_bits() } else { 0 };
    (first <= format.largest_code()).then_some(first)
}

fn smallest_subnormal(format: &Format) -> Option<u64> {
    (format.has_zero() && format.precision > 1).then_some(1)
}

fn infinities(format: &Format) -> Vec<u64> {
    [false, true].into_iter().filter_map(|negative| format.infinity_code(negative)).collect()
}

/// The codes of NaN, as first and last code of each run. They follow the infinities of an IEEE format, with either sign.
fn nans(format: &Format) -> Vec<(u64, u64)> {
    let Some(code) = format.nan_code() else { return vec![] };
    let negative = code | format.sign_bit();
    let is_pair = negative != code && format.is_nan(negative);
    let signs = if is_pair { vec![0, format.sign_bit()] } else { vec![0] };
    let run = |sign: u64| match format.infinity_code(false).filter(|_| is_pair) {
        Some(infinity) => (sign | (infinity + 1), sign | format.magnitude_mask()),
        None => (sign | code, sign | code),
    };
    signs.into_iter().map(run).collect()
}

fn all_codes(format: &Format) -> Result<std::ops::RangeInclusive<u64>> {
    if format.bits > LISTED {
        bail!(
            "{} has 2^{} codes; --codes lists those of formats of up to {LISTED} bits",
            format.name,
            format.bits
        )
    }
    Ok(0..=format.code_mask())
}
