//! Numbers quantised in blocks: a column for the rules that agree, scale and elements in its rows.

use crate::element::rules;
use castproof_check::numeral::decimal;
use castproof_check::words;
use castproof_lookup::block::{Block, BlockAsked, Column, block};
use castproof_quantised::block::{block_elements, block_scale, block_sources};
use castproof_vectors::{BlockProfile, DType, Outcome};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// Returns what every rule makes of numbers, which are a line each. `largest`: the largest magnitude of the tensor, or
/// nothing for that of the numbers.
pub(crate) fn json((from, to): (DType, DType), largest: &str, texts: &str) -> Result<Json, String> {
    if texts.is_empty() {
        return Err("no numbers: write some with commas between, like 464,1,0.001".to_string());
    }
    let largest = (!largest.is_empty()).then(|| largest.to_string());
    let asked = BlockAsked { rules: vec![], from, to, largest };
    let texts: Vec<String> = texts.split('\n').map(str::to_string).collect();
    let answer = block(&asked, &texts).map_err(|it| format!("{it:#}"))?;
    Ok(json!({
        "from": from.name(),
        "to": to.name(),
        "blocks": answer.blocks.iter().map(|it| block_json(it, to)).collect::<Vec<_>>(),
        "largest": answer.largest.map(|code| words::value(DType::Float32, code)),
        "free": answer.free.map(BlockProfile::name),
        "rules": rules(answer.ids().into_iter()),
        "json": answer.json(&asked),
    }))
}

/// Returns the dtypes of numbers and those of elements that some rule has.
pub(crate) fn dtypes() -> [Vec<&'static str>; 2] {
    [block_sources, block_elements].map(|of| {
        let all: BTreeSet<DType> = BlockProfile::ALL.into_iter().flat_map(of).copied().collect();
        all.iter().map(|it| it.name()).collect()
    })
}

fn block_json(block: &Block, to: DType) -> Json {
    let inputs = block.texts.iter().zip(&block.numbers);
    let inputs = inputs.map(|(text, read)| json!({ "text": text.trim(), "rounded": read.rounded }));
    json!({
        "first": block.first,
        "filled": block.is_filled,
        "inputs": inputs.collect::<Vec<_>>(),
        "columns": block.columns().iter().map(|it| column_json(it, to)).collect::<Vec<_>>(),
    })
}

fn column_json(column: &Column, to: DType) -> Json {
    let scale = block_scale(column.rules[0]);
    let value =
        |dtype: DType, code: u64| json!({ "hex": dtype.hex(code), "value": decimal(dtype, code) });
    let elements = column.quantised.elements.iter().map(|(outcome, id)| {
        let code = match outcome {
            Outcome::Code(code) => value(to, *code),
            _ => Json::Null,
        };
        let said = match outcome {
            Outcome::Any => "open".to_string(),
            outcome => words::outcome(to, outcome),
        };
        json!({ "code": code, "said": said, "rule": id.rule().name })
    });
    json!({
        "by": column.rules.iter().map(|rule| rule.name()).collect::<Vec<_>>(),
        "scaleDtype": scale.name(),
        "scale": value(scale, column.quantised.scale),
        "scaleRules": column.by.iter().map(|id| id.rule().name).collect::<Vec<_>>(),
        "elements": elements.collect::<Vec<_>>(),
    })
}
