//! Numbers quantised in blocks that share a scale: each block under every rule, side by side.

use crate::element::{self, ElementRead};
use anyhow::{Result, anyhow, bail};
use castproof_oracle::Caster;
use castproof_quantised::block::{
    Quantised, block_elements, block_scale, block_size, block_sources, has_free_scale,
    has_tensor_scale, quantise,
};
use castproof_vectors::{
    BlockProfile, DType, NEWEST, Operator, Outcome, Request, RuleId, Spec, landmarks,
};
use serde_json::json;
use std::collections::BTreeSet;

/// What is asked of numbers.
#[derive(Clone, Debug)]
pub struct BlockAsked {
    /// The rules; none for every rule that has such elements.
    pub rules: Vec<BlockProfile>,
    /// Dtype of the numbers.
    pub from: DType,
    /// Dtype of the elements.
    pub to: DType,
    /// The largest magnitude of the tensor, for rules that have a scale of the tensor; `None`: that of the numbers.
    pub largest: Option<String>,
}

/// What the rules make of numbers.
#[derive(Clone, Debug)]
pub struct BlockResults {
    /// The rules that were asked.
    pub rules: Vec<BlockProfile>,
    /// The blocks, those of a size together.
    pub blocks: Vec<Block>,
    /// The largest magnitude of the tensor, a code of float32; `None` if no rule has a scale of the tensor.
    pub largest: Option<u64>,
    /// A rule that recommends its scale and allows others.
    pub free: Option<BlockProfile>,
}

/// A block of the numbers.
#[derive(Clone, Debug)]
pub struct Block {
    /// The place of its first number.
    pub first: usize,
    /// Do zeros fill it?
    pub is_filled: bool,
    /// Its numbers as they were written, and as codes.
    pub texts: Vec<String>,
    /// The same numbers, read.
    pub numbers: Vec<ElementRead>,
    /// What each rule makes of it.
    pub results: Vec<(BlockProfile, Quantised)>,
}

/// What rules that agree make of a block.
#[derive(Clone, Debug)]
pub struct Column {
    /// The rules.
    pub rules: Vec<BlockProfile>,
    /// Scale and elements.
    pub quantised: Quantised,
    /// The rules of the scale.
    pub by: BTreeSet<RuleId>,
}

/// Returns what the rules make of numbers. A number that `from` does not hold is rounded to nearest even.
///
/// # Errors
/// If a text is no number, or a rule has no such numbers or elements.
pub fn block(asked: &BlockAsked, texts: &[String]) -> Result<BlockResults> {
    let rules = rules(asked)?;
    if texts.is_empty() {
        bail!("no numbers: write castproof quantize --elements {} 464 1 0.001", asked.to);
    }
    let read = |text: &String| element::element(asked.from, text, true);
    let numbers: Vec<ElementRead> = texts.iter().map(read).collect::<Result<_>>()?;
    let largest = largest(asked, &numbers)?;
    let mut blocks = vec![];
    for (size, rules) in by_size(&rules, numbers.len()) {
        for (index, (texts, numbers)) in texts.chunks(size).zip(numbers.chunks(size)).enumerate() {
            let results =
                rules.iter().map(|rule| Ok((*rule, one(asked, *rule, numbers, largest)?)));
            blocks.push(Block {
                first: index * size,
                is_filled: texts.len() < size,
                texts: texts.to_vec(),
                numbers: numbers.to_vec(),
                results: results.collect::<Result<_>>()?,
            });
        }
    }
    let largest = rules.iter().any(|rule| has_tensor_scale(*rule)).then_some(largest);
    let free = rules.iter().find(|rule| has_free_scale(**rule)).copied();
    Ok(BlockResults { rules, blocks, largest, free })
}

impl BlockResults {
    /// Returns the ids of the rules that decide.
    pub fn ids(&self) -> BTreeSet<RuleId> {
        let all = self.blocks.iter().flat_map(|block| &block.results).map(|(_, it)| it);
        all.flat_map(|it| it.elements.iter().map(|it| it.1).chain([it.rule])).collect()
    }

    /// Returns one JSON object for each block and rule, a line each.
    pub fn json(&self, asked: &BlockAsked) -> String {
        let mut text = String::new();
        for block in &self.blocks {
            for (rule, quantised) in &block.results {
                line(&mut text, asked, *rule, block, quantised);
            }
        }
        text
    }
}

impl Block {
    /// Returns what the rules make of it, a column for those that agree.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        let outcomes =
            |it: &Quantised| it.elements.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
        for (rule, quantised) in &self.results {
            let same = |it: &&mut Column| {
                it.quantised.scale == quantised.scale
                    && block_scale(it.rules[0]) == block_scale(*rule)
                    && outcomes(&it.quantised) == outcomes(quantised)
            };
            match columns.iter_mut().find(same) {
                Some(column) => {
                    column.rules.push(*rule);
                    column.by.insert(quantised.rule);
                }
                None => {
                    let by = BTreeSet::from([quantised.rule]);
                    columns.push(Column { rules: vec![*rule], quantised: quantised.clone(), by });
                }
            }
        }
        columns
    }
}

/// Divides the rules by the size of their blocks. Those with blocks of 16 and of 32 stand side by side where one block
/// holds all numbers.
fn by_size(rules: &[BlockProfile], count: usize) -> Vec<(usize, Vec<BlockProfile>)> {
    let sizes: BTreeSet<usize> = rules.iter().map(|rule| block_size(*rule)).collect();
    match (sizes.first(), sizes.last()) {
        (Some(smallest), Some(largest)) if count <= *smallest => vec![(*largest, rules.to_vec())],
        _ => {
            let of =
                |size| rules.iter().filter(|rule| block_size(**rule) == size).copied().collect();
            sizes.iter().map(|&size| (size, of(size))).collect()
        }
    }
}

/// The rules that are asked.
fn rules(asked: &BlockAsked) -> Result<Vec<BlockProfile>> {
    let (from, to) = (asked.from, asked.to);
    let takes = |rule: &BlockProfile| {
        block_sources(*rule).contains(&from) && block_elements(*rule).contains(&to)
    };
    if let Some(rule) = asked.rules.iter().find(|rule| !takes(rule)) {
        let names =
            |dtypes: &[DType]| dtypes.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
        bail!(
            "{} quantises {} to {}, not {from} to {to}",
            rule.name(),
            names(block_sources(*rule)),
            names(block_elements(*rule))
        );
    }
    if !asked.rules.is_empty() {
        return Ok(asked.rules.clone());
    }
    let rules: Vec<BlockProfile> = BlockProfile::ALL.into_iter().filter(takes).collect();
    if rules.is_empty() {
        let known = |of: fn(BlockProfile) -> &'static [DType]| {
            let all = BlockProfile::ALL.into_iter().flat_map(of);
            let names: BTreeSet<DType> = all.copied().collect();
            names.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ")
        };
        bail!(
            "no rule quantises {from} to {to}: numbers are of {}, elements of {}",
            known(block_sources),
            known(block_elements)
        );
    }
    Ok(rules)
}

/// Returns the largest magnitude, a code of float32: the one given, or that of the numbers but NaN.
fn largest(asked: &BlockAsked, numbers: &[ElementRead]) -> Result<u64> {
    let (dtype, code) = match &asked.largest {
        Some(text) => (DType::Float32, element::element(DType::Float32, text, true)?.code),
        None => {
            let sign = 1 << (asked.from.bits() - 1);
            let magnitudes = numbers.iter().map(|number| number.code & !sign);
            let known = landmarks(asked.from);
            let is_nan = |code: &u64| known.is_some_and(|known| known.is_nan(*code));
            // Codes of a float without their sign are in the order of their magnitudes.
            (asked.from, magnitudes.filter(|code| !is_nan(code)).max().unwrap_or(0))
        }
    };
    if dtype == DType::Float32 {
        return Ok(code);
    }
    let spec = Spec::Onnx { op: Operator::Cast, opset: NEWEST };
    let caster = Caster::new(&Request::new(spec, dtype, DType::Float32));
    let due = caster.and_then(|caster| caster.cast(code)).map_err(|error| anyhow!("{error}"))?;
    match due.expect {
        Outcome::Code(code) => Ok(code),
        _ => bail!(
            "the largest magnitude of the numbers is no number: give that of the tensor (--largest)"
        ),
    }
}

/// Returns what one rule makes of a block. Zeros fill it.
fn one(
    asked: &BlockAsked,
    rule: BlockProfile,
    numbers: &[ElementRead],
    largest: u64,
) -> Result<Quantised> {
    let mut codes: Vec<u64> = numbers.iter().map(|number| number.code).collect();
    let count = codes.len();
    codes.resize(block_size(rule), 0);
    let largest = has_tensor_scale(rule).then_some(largest);
    let due = quantise(rule, (asked.from, asked.to), &codes, largest);
    let mut quantised = due.map_err(|error| anyhow!("{error}"))?;
    quantised.elements.truncate(count);
    Ok(quantised)
}

fn line(
    text: &mut String,
    asked: &BlockAsked,
    rule: BlockProfile,
    block: &Block,
    quantised: &Quantised,
) {
    let numbers: Vec<String> =
        block.numbers.iter().map(|number| asked.from.hex(number.code)).collect();
    let code = |outcome: &Outcome| match outcome {
        Outcome::Code(code) => json!(asked.to.hex(*code)),
        _ => json!(null),
    };
    let elements: Vec<serde_json::Value> =
        quantised.elements.iter().map(|(outcome, _)| code(outcome)).collect();
    let clauses: Vec<String> = quantised.elements.iter().map(|(_, id)| id.to_string()).collect();
    let object = json!({
        "rule": rule.name(),
        "from": asked.from,
        "to": asked.to,
        "first": block.first,
        "numbers": numbers,
        "scale": block_scale(rule).hex(quantised.scale),
        "scaleClause": quantised.rule.to_string(),
        "elements": elements,
        "elementClauses": clauses,
    });
    text.push_str(&object.to_string());
    text.push('\n');
}
