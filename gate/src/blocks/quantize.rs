//! Blocks that share a scale: one block under every rule, side by side.

use super::table::table;
use anyhow::Result;
use castproof_check::words;
use castproof_lookup::block::{Block, BlockAsked, BlockResults, Column, block};
use castproof_quantised::block::block_scale;
use castproof_vectors::{DType, Outcome, RuleId};
use std::fmt::Write as _;

/// What is asked of numbers.
#[derive(Clone, Debug)]
pub struct Quantize {
    /// The rules, the dtypes, and the largest magnitude of the tensor.
    pub asked: BlockAsked,
    /// One JSON object for each block and rule.
    pub json: bool,
}

/// Returns what the rules make of numbers: a table for each block, whose columns are the rules, or JSON. A number that
/// `from` does not hold is rounded to nearest even.
///
/// # Errors
/// If a text is no number, or a rule has no such numbers or elements.
pub fn quantize(quantize: &Quantize, texts: &[String]) -> Result<String> {
    let asked = &quantize.asked;
    let answer = block(asked, texts)?;
    if quantize.json {
        return Ok(answer.json(asked));
    }
    let mut text = String::new();
    for block in &answer.blocks {
        if !text.is_empty() {
            text.push('\n');
        }
        shown(&mut text, asked, block, &block.columns())?;
    }
    closing(&mut text, asked, &answer)?;
    Ok(text)
}

/// Writes the table of a block.
fn shown(text: &mut String, asked: &BlockAsked, block: &Block, columns: &[Column]) -> Result<()> {
    let Block { first, texts, numbers, is_filled, .. } = block;
    let count = texts.len();
    let which = match (first, count) {
        (0, _) if *is_filled => "one block".into(),
        (first, count) => format!("numbers {} to {}", first + 1, first + count),
    };
    let zeros = if *is_filled { ", filled with zeros" } else { "" };
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
    for (at, (written, number)) in texts.iter().zip(numbers).enumerate() {
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
fn closing(text: &mut String, asked: &BlockAsked, answer: &BlockResults) -> Result<()> {
    text.push('\n');
    if let Some(largest) = answer.largest {
        let value = words::value(DType::Float32, largest);
        let given = if asked.largest.is_some() { "" } else { "; --largest gives another" };
        writeln!(text, "NVFP4: the largest magnitude of the tensor is {value}{given}.")?;
    }
    if let Some(rule) = answer.free {
        writeln!(text, "{} recommends its scale, and allows every power of two.", rule.name())?;
    }
    match &answer.rules[..] {
        [_] => {
            for id in answer.ids() {
                writeln!(text, "{id}: {}", id.rule().statement)?;
            }
        }
        rules => writeln!(
            text,
            "An element stands for its value times the scale. One rule, with its texts: --rule {}.",
            rules[0].name()
        )?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::BlockProfile;

    fn asked(to: DType) -> Quantize {
        let asked = BlockAsked { rules: vec![], from: DType::Float32, to, largest: None };
        Quantize { asked, json: false }
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
        let mut nvfp4 = asked(DType::Float8E5M2);
        nvfp4.asked.rules = vec![BlockProfile::Nvfp4Te];
        assert!(wrong(&nvfp4, "1").contains("to float4e2m1, not float32 to float8e5m2"));
    }
}
