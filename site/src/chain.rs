//! Two casts in a row: may the dtype between be dropped?

use crate::element::{answer, read, result, rules};
use castproof_book::{ChainRecord, ComparedChain};
use castproof_check::numeral::decimal;
use castproof_check::words;
use castproof_lookup::outcome::representative;
use castproof_lookup::table::specs;
use castproof_oracle::{Caster, partition};
use castproof_vectors::{DType, Element, Expectation, Hex, NEWEST, Request, RuleId, Spec};
use serde_json::{Value as Json, json};

/// Returns how many codes differ when the dtype between is dropped, and the steps of the smallest of them and of these
/// elements, which are a line each; there may be none. `by` is the name of a specification, or nothing for the newest ONNX.
pub(crate) fn json(dtypes: [DType; 3], by: &str, texts: &str) -> Result<Json, String> {
    if let Some(odd) = dtypes.iter().find(|dtype| !dtype.is_numeric()) {
        return Err(format!("chains are of numeric dtypes, and {odd} is not numeric"));
    }
    let newest = Spec::cast(NEWEST);
    let name = if by.is_empty() { newest.to_string() } else { by.to_string() };
    let all: Vec<Spec> = specs().filter(|spec| casts(*spec, dtypes)).collect();
    let spec = all.iter().copied().find(|spec| spec.to_string() == name).ok_or_else(|| {
        format!("{name} does not cast all of {}", dtypes.map(DType::name).join(", "))
    })?;
    let requests = requests(spec, dtypes);
    let chain =
        ComparedChain::of_pieces(requests, |it| partition(it).map_err(|it| it.to_string()))?;
    let record = ChainRecord::of(dtypes, |first, last| chain.difference(first, last));
    let mut ways = Vec::new();
    let mut used = Vec::new();
    for (kind, code) in [("positive", record.positive), ("negative", record.negative)] {
        let Some(code) = code.as_ref().map(Hex::value) else { continue };
        ways.push(way(&requests, (kind, code), &mut used)?);
    }
    for text in texts.split('\n').filter(|text| !text.is_empty()) {
        let (element, _) = read(dtypes[0], text)?;
        let code = element.as_code().ok_or("not a number")?;
        ways.push(way(&requests, ("asked", code), &mut used)?);
    }
    Ok(json!({
        "dtypes": dtypes.map(DType::name),
        "by": spec.to_string(),
        "specs": all.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "differ": record.differ.to_string(),
        "open": record.open.to_string(),
        "all": (u128::from(dtypes[0].code_mask()) + 1).to_string(),
        "ways": ways,
        "rules": rules(used.into_iter()),
    }))
}

/// Returns the two casts in a row, and the direct one, without attributes.
fn requests(spec: Spec, [a, b, c]: [DType; 3]) -> [Request; 3] {
    [(a, b), (b, c), (a, c)].map(|(from, to)| Request::new(spec, from, to))
}

fn casts(spec: Spec, dtypes: [DType; 3]) -> bool {
    let takes = |it: &Request| Caster::new(it).is_ok_and(|caster| !caster.is_refused());
    requests(spec, dtypes).iter().all(takes)
}

/// Returns the steps of one code, each with its rule, and the result of the direct cast.
fn way(
    [first, second, direct]: &[Request; 3],
    (kind, code): (&str, u64),
    used: &mut Vec<RuleId>,
) -> Result<Json, String> {
    let mut cast = |request: &Request, code: u64| -> Result<(Expectation, Json), String> {
        let due =
            answer(request, &Element::code(code, request.from)).map_err(|it| it.to_string())?;
        used.push(due.rule);
        let mut said = result(request.to, &due);
        said["rule"] = json!(due.rule.rule().name);
        Ok((due, said))
    };
    let (step, between) = cast(first, code)?;
    let end = match representative(first.to, &step.expect) {
        Some(code) => Some(cast(second, code)?.1),
        None => None,
    };
    Ok(json!({
        "kind": kind,
        "hex": first.from.hex(code),
        "value": decimal(first.from, code),
        "said": words::value(first.from, code),
        "between": between,
        "end": end,
        "direct": cast(direct, code)?.1,
    }))
}
