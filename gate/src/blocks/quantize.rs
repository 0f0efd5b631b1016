//! Blocks that share a scale: one block under every rule, side by side.

use super::table::table;
use crate::element::{self, Read};
use anyhow::{Result, anyhow, bail};
use castproof_check::words;
use castproof_oracle::Caster;
use castproof_oracle::block::{
    Quantised, block_elements, block_scale, block_size, block_sources, has_free_scale, quantise,
    smallest_divisor,
};
use castproof_vectors::{
    BlockProfile, DType, NEWEST, Operator, Outcome, Request, RuleId, Spec, landmarks,
};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What is asked of numbers.
#[derive(Clone, Debug)]
pub struct Quantize {
    /// The rules; none for every rule that has such elements.
    pub rules: Vec<BlockProfile>,
    /// Dtype of the numbers.
    pub from: DType,
    /// Dtype of the elements.
    pub to: DType,
    /// The largest magnitude of the tensor, for rules that have a scale of the tensor; `None`: that of the numbers.
    pub largest: Option<String>,
    /// One JSON object for each block and rule.
    pub json: bool,
}

/// A block of the numbers.
struct Block<'a> {
    /// The place of its first number.
    first: usize,
    /// Its numbers as they were written, and as codes.
    texts: &'a [String],
    numbers: &'a [Read],
}

/// What rules that agree make of a block.
struct Column {
    rules: Vec<BlockProfile>,
    quantised: Quantised,
    /// The rules of the scale.
    by: BTreeSet<RuleId>,
}

/// Returns what the rules make of numbers: a table for each block, whose columns are the rules, or JSON. A number that
/// `from` does not hold is rounded to nearest even.
///
/// # Errors
/// If a text is no number, or a rule has no such numbers or elements.
pub fn quantize(asked: &Quantize, texts: &[String]) -> Result<String> {
    let rules = rules(asked)?;
    if texts.is_empty() {
        bail!("no numbers: write castproof quantize --elements {} 464 1 0.001", asked.to);
    }
    let read = |text: &String| element::element(asked.from, text, true);
    let numbers: Vec<Read> = texts.iter().map(read).collect::<Result<_>>()?;
    let largest = largest(asked, &numbers)?;
    let mut text = String::new();
    let mut ids = BTreeSet::new();
    for (size, rules) in by_size(&rules, numbers.len()) {
        for (index, (texts, numbers)) in texts.chunks(size).zip(numbers.chunks(size)).enumerate() {
            let block = Block { first: index * size, texts, numbers };
            let all = rules.iter().map(|rule| Ok((*rule, one(asked, *rule, &block, largest)?)));
            let all: Vec<(BlockProfile, Quantised)> = all.collect::<Result<_>>()?;
            for (rule, quantised) in &all {
                ids.insert(quantised.rule);
                ids.extend(quantised.elements.iter().map(|(_, id)| *id));
                if asked.json {
                    line(&mut text, asked, *rule, &block, quantised)?;
                }
            }
            if asked.json {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            shown(&mut text, asked, &block, (texts.len() < size).then_some(size), &columns(all))?;
        }
    }
    if !asked.json {
        closing(&mut text, asked, (&rules, &ids), largest)?;
    }
    Ok(text)
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
fn rules(asked: &Quantize) -> Result<Vec<BlockProfile>> {
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
fn largest(asked: &Quantize, numbers: &[Read]) -> Result<u64> {
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
        _ => bail!("the largest magnitude is no number: give it by --largest"),
    }
}

/// Returns what one rule makes of a block. Zeros fill it.
fn one(asked: &Quantize, rule: BlockProfile, block: &Block<'_>, largest: u64) -> Result<Quantised> {
    let mut codes: Vec<u64> = block.numbers.iter().map(|number| number.code).collect();
    let count = codes.len();
    codes.resize(block_size(rule), 0);
    let largest = has_scale_of_tensor(rule).then_some(largest);
    let due = quantise(rule, (asked.from, asked.to), &codes, largest);
    let mut quantised = due.map_err(|error| anyhow!("{error}"))?;
    quantised.elements.truncate(count);
    Ok(quantised)
}

/// Has the tensor a scale too, beside those of its blocks?
fn has_scale_of_tensor(rule: BlockProfile) -> bool {
    smallest_divisor(rule).is_none()
}

/// Joins the rules that agree.
fn columns(all: Vec<(BlockProfile, Quantised)>) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let outcomes = |it: &Quantised| it.elements.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
    for (rule, quantised) in all {
        let same = |it: &&mut Column| {
            it.quantised.scale == quantised.scale
                && block_scale(it.rules[0]) == block_scale(rule)
                && outcomes(&it.quantised) == outcomes(&quantised)
        };
        match columns.iter_mut().find(same) {
            Some(column) => {
                column.rules.push(rule);
                column.by.insert(quantised.rule);
            }
            None => {
                let by = BTreeSet::from([quantised.rule]);
                columns.push(Column { rules: vec![rule], quantised, by });
            }
        }
    }
    columns
}

/// Writes the table of a block. `filled`: the size of a block that zeros fill.
fn shown(
    text: &mut String,
    asked: &Quantize,
    block: &Block<'_>,
    filled: Option<usize>,
    columns: &[Column],
) -> Result<()> {
    let Block { first, texts, numbers } = block;
    let count = texts.len();
    let which = match (first, count) {
        (0, _) if filled.is_some() => "one block".into(),
        (first, count) => format!("numbers {} to {}", first + 1, first + count),
    };
    let zeros = if filled.is_some() { ", filled with zeros" } else { "" };
    writeln!(text, "{} -> {}, {which}{zeros}\n", asked.from, asked.to)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let most = columns.iter().map(|it| it.rules.len()).max().unwrap_or(0);
    for at in 0..most {
        let name =
            |it: &Column| it.rules.get(at).map_or_else(String::new, |rule| rule.name().into());
        rows.push(row(String::new(), columns, name));
    }
    let scale = |it: &Column| words::value(block_scale(it.rules[0]), it.quantised.scale);
    rows.push(row("scale".into(), columns, scale));
    for (at, (written, number)) in texts.iter().zip(*numbers).enumerate() {
        let near = if number.rounded { " (rounded)" } else { "" };
        let element = |it: &Column| match &it.quantised.elements[at].0 {
            Outcome::Any => "open".into(),
            outcome => words::outcome(asked.to, outcome),
        };
        rows.push(row(format!("{}{near}", written.trim()), columns, element));
    }
    let by = |it: &Column| it.by.iter().map(RuleId::to_string).collect::<Vec<_>>().join(", ");
    rows.push(row("scale by".into(), columns, by));
    *text += &table(&rows);
    Ok(())
}

fn row(head: String, columns: &[Column], cell: impl Fn(&Column) -> String) -> Vec<String> {
    std::iter::once(head).chain(columns.iter().map(cell)).collect()
}

/// Writes what the table needs to be understood; of one rule, what it says.
fn closing(
    text: &mut String,
    asked: &Quantize,
    (rules, ids): (&[BlockProfile], &BTreeSet<RuleId>),
    largest: u64,
) -> Result<()> {
    text.push('\n');
    if rules.iter().any(|rule| has_scale_of_tensor(*rule)) {
        let value = words::value(DType::Float32, largest);
        let given = if asked.largest.is_some() { "" } else { "; --largest gives another" };
        writeln!(text, "NVFP4: the largest magnitude of the tensor is {value}{given}.")?;
    }
    if let Some(rule) = rules.iter().find(|rule| has_free_scale(**rule)) {
        writeln!(text, "{} recommends its scale, and allows every power of two.", rule.name())?;
    }
    match rules {
        [_] => {
            for id in ids {
                writeln!(text, "{id}: {}", id.rule().statement)?;
            }
        }
        _ => writeln!(
            text,
            "An element stands for its value times the scale. One rule, with its texts: --rule {}.",
            rules[0].name()
        )?,
    }
    Ok(())
}

fn line(
    text: &mut String,
    asked: &Quantize,
    rule: BlockProfile,
    block: &Block<'_>,
    quantised: &Quantised,
) -> Result<()> {
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
    writeln!(text, "{object}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(to: DType) -> Quantize {
        Quantize { rules: vec![], from: DType::Float32, to, largest: None, json: false }
    }

    fn texts(words: &str) -> Vec<String> {
        words.split(' ').map(str::to_string).collect()
    }

    /// The block of docs/blocks.md: two results, and which rules give each.
    #[test]
    fn rules_stand_side_by_side() {
        let text = quantize(&asked(DType::Float8E4M3FN), &texts("464 1 0.001")).expect("a block");
        let line = |start: &str| {
            let found = text.lines().find(|line| line.starts_with(start));
            found.map_or_else(|| panic!("{start}: {text}"), str::to_string)
        };
        assert!(
            line("scale ").contains("0x7f (1)") && line("scale ").contains("0x80 (2)"),
            "{text}"
        );
        assert!(
            line("464 ").contains("0x7e (448)") && line("464 ").contains("0x76 (224)"),
            "{text}"
        );
        assert!(line("0.001 (rounded)").contains("0x01"), "{text}");
        assert!(text.contains("one block, filled with zeros"), "{text}");
    }

    /// A block of 16 and one of 32 have tables of their own.
    #[test]
    fn long_inputs_are_blocks_in_their_order() {
        let many: Vec<String> = (0..33).map(|it| it.to_string()).collect();
        let text = quantize(&asked(DType::Float4E2M1), &many).expect("blocks");
        for head in ["numbers 1 to 16", "numbers 17 to 32", "numbers 33 to 33", "numbers 1 to 32"] {
            assert!(text.contains(head), "{head}: {text}");
        }
    }

    #[test]
    fn json_has_each_rule() {
        let asked = Quantize { json: true, ..asked(DType::Float8E5M2) };
        let text = quantize(&asked, &texts("1 -2")).expect("a block");
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(lines.len() > 5);
        assert_eq!(lines[0]["rule"], "mx-floor");
        assert_eq!(lines[0]["elements"][1], "0xf8");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let wrong = |asked: &Quantize, words| {
            quantize(asked, &texts(words)).expect_err("wrong").to_string()
        };
        assert!(wrong(&asked(DType::Int8), "1").contains("no rule quantises float32 to int8"));
        assert!(wrong(&asked(DType::Float4E2M1), "1 x").contains("'x' is neither a number"));
        let nvfp4 = Quantize { rules: vec![BlockProfile::Nvfp4Te], ..asked(DType::Float8E5M2) };
        assert!(wrong(&nvfp4, "1").contains("to float4e2m1, not float32 to float8e5m2"));
    }
}
