//! One element: what every specification makes of it, and where it stands among the numbers of the target.

use crate::line;
use castproof_check::numeral::decimal;
use castproof_check::words;
use castproof_lookup::element::{ElementRead, element};
use castproof_lookup::outcome::said;
use castproof_lookup::table::{Row, givers, rows, specs};
use castproof_methods::explain;
use castproof_oracle::format::{CodeKind, kind};
use castproof_oracle::{Answers, Caster, CodeError, exact};
use castproof_vectors::{DType, Element, Expectation, Hex, Outcome, Request, RuleId};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;

/// Returns everything that the page shows of an element. What the source does not hold is rounded to the nearest that it holds.
pub(crate) fn json(from: DType, to: DType, text: &str) -> Result<Json, String> {
    let (element, rounded) = read(from, text)?;
    let rows = rows((from, to), |it| answer(it, &element)).map_err(|it| it.to_string())?;
    let mut lines = String::new();
    for row in &rows {
        row.json(&mut lines, to, &element).map_err(|it| it.to_string())?;
    }
    let code = element.as_code().filter(|_| from.is_numeric());
    let (of, wrong) = wrong((from, to), code);
    Ok(json!({
        "from": from.name(),
        "to": to.name(),
        "input": code.map(|code| input(from, code, rounded)),
        "said": words::element(from, &element),
        "rows": rows.iter().map(|row| row_json(row, (from, to))).collect::<Vec<_>>(),
        "rules": rules(rows.iter().flat_map(|row| &row.by).flat_map(|(_, sets)| sets).map(|it| it.1)),
        "line": code.and_then(|code| line::json((from, to), code)),
        "of": of,
        "wrong": wrong,
        "json": lines,
    }))
}

/// Reads an element. Was it rounded?
pub(crate) fn read(from: DType, text: &str) -> Result<(Element, bool), String> {
    if from == DType::String {
        return Ok((Element::from(text.to_string()), false));
    }
    let ElementRead { code, rounded } = element(from, text, true).map_err(|it| it.to_string())?;
    Ok((Element::code(code, from), rounded))
}

/// Returns what a request must make of an element.
pub(crate) fn answer(request: &Request, element: &Element) -> Result<Expectation, CodeError> {
    Caster::new(request)?.cast_element(element)
}

/// Returns the statements of rules by their ids.
pub(crate) fn rules(ids: impl Iterator<Item = RuleId>) -> Json {
    let rules = ids.collect::<BTreeSet<_>>().into_iter().map(|id| {
        let rule = id.rule();
        let said = json!([rule.statement, rule.basis.phrase()]);
        (rule.name.to_string(), said)
    });
    Json::Object(rules.collect::<Map<_, _>>())
}

fn row_json(row: &Row, pair: (DType, DType)) -> Json {
    let by = givers(&row.by, pair).into_iter().map(|it| {
        let rules: Vec<&str> = it.rules.iter().map(|id| id.rule().name).collect();
        json!({ "name": it.name, "title": it.title, "rules": rules })
    });
    let mut row = result(pair.1, &row.expectation);
    row["by"] = by.collect();
    row
}

/// Returns what is expected: in words, its kind, and the codes where they are few.
pub(crate) fn result(to: DType, expectation: &Expectation) -> Json {
    let value = |code: u64| json!({ "hex": to.hex(code), "value": decimal(to, code) });
    let (kind, codes) = match &expectation.expect {
        Outcome::Code(code) => ("code", vec![value(*code)]),
        Outcome::OneOf(codes) => ("one of", codes.iter().map(|&code| value(code)).collect()),
        Outcome::AnyNan => ("any NaN", vec![]),
        Outcome::QuietNan => ("any quiet NaN", vec![]),
        Outcome::Any => ("open", vec![]),
        Outcome::Reject => ("refused", vec![]),
        Outcome::Text(_) => ("text", vec![]),
    };
    json!({
        "said": said(to, expectation),
        "kind": kind,
        "codes": codes,
        "tolerated": expectation.tolerate.as_ref().map(|it| words::outcome(to, it)),
    })
}

/// Returns a code with its bits, its fields and the codes beside it.
fn input(dtype: DType, code: u64, rounded: bool) -> Json {
    let bits = dtype.bits() as usize;
    let beside = |step: u64| dtype.hex(code.wrapping_add(step) & dtype.code_mask());
    json!({
        "hex": dtype.hex(code),
        "value": decimal(dtype, code),
        "exact": exact(dtype, code),
        "bits": format!("{code:0bits$b}"),
        "fields": fields(dtype),
        "rounded": rounded,
        "previous": beside(u64::MAX),
        "next": beside(1),
    })
}

/// Returns the bits of sign, exponent and significand; of an integer the last is its number.
pub(crate) fn fields(dtype: DType) -> [u32; 3] {
    match kind(dtype) {
        Some(CodeKind::Float(it)) => [u32::from(it.signed), it.exponent_bits, it.significand_bits],
        Some(CodeKind::Integer(it)) => [u32::from(it.signed), 0, it.magnitude_bits()],
        _ => [0, 0, dtype.bits()],
    }
}

/// Returns the codes that have names, infinities and NaN among them.
pub(crate) fn landmarks(dtype: DType) -> Result<Json, String> {
    let known =
        castproof_vectors::landmarks(dtype).ok_or_else(|| format!("{dtype} has no codes"))?;
    let named = known.values.iter().map(|(name, (code, _))| (name.as_str(), code.value()));
    let infinite =
        ["infinity", "negative infinity"].into_iter().zip(known.infinity.iter().map(Hex::value));
    let nan = known.nan.first().map(|[first, _]| ("NaN", first.value()));
    let all = named.chain(infinite).chain(nan);
    Ok(all.map(|(name, code)| json!({ "name": name, "hex": dtype.hex(code) })).collect())
}

/// Returns what common wrong methods give instead, and instead of which request.
fn wrong(pair: (DType, DType), code: Option<u64>) -> (Option<String>, Vec<Json>) {
    let Some(code) = code.filter(|_| pair.1.is_numeric()) else { return (None, vec![]) };
    let demands =
        |expectation: &Expectation| !matches!(expectation.expect, Outcome::Any | Outcome::Reject);
    let request = specs().map(|spec| Request::new(spec, pair.0, pair.1)).find(|request| {
        castproof_oracle::cast(request, code).is_ok_and(|expectation| demands(&expectation))
    });
    let explained = request.and_then(|it| Some((it, explain(Answers::ORACLE, &it, code).ok()?)));
    let Some((request, explained)) = explained else { return (None, vec![]) };
    let wrong = explained
        .wrong
        .iter()
        .map(|(method, code)| json!({ "method": method, "said": words::value(pair.1, *code) }));
    (Some(request.to_string()), wrong.collect())
}
