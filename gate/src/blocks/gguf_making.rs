//! The blocks of GGUF that numbers become.

use anyhow::{Result, anyhow, bail};
use castproof_check::words;
use castproof_lookup::element::{self, ElementRead};
use castproof_quantised::gguf::{GGUF_MADE, decode_block, quantise_gguf};
use castproof_vectors::{Bytes, DType, GgufBlocks, GgufType, Outcome, QuantizeGguf};
use serde_json::json;
use std::fmt::Write as _;

/// Returns each block that the numbers become, and what its elements stand for. The last block is filled with zeros.
///
/// # Errors
/// If a text is no number, or the type is not made from numbers.
pub fn gguf_made(kind: GgufType, json: bool, texts: &[String]) -> Result<String> {
    if !GGUF_MADE.contains(&kind) {
        let known: Vec<&str> = GGUF_MADE.iter().map(|kind| kind.name()).collect();
        bail!("{kind} is not made from numbers here; known are {}", known.join(", "));
    }
    if texts.is_empty() {
        bail!("no numbers: write castproof quantize --gguf {kind} 1 0.5 -0.25");
    }
    let from = DType::Float32;
    let read = |text: &String| element::element(from, text, true);
    let numbers: Vec<ElementRead> = texts.iter().map(read).collect::<Result<_>>()?;
    let record = kind.record();
    let mut text = String::new();
    for (at, (texts, numbers)) in
        texts.chunks(record.elements).zip(numbers.chunks(record.elements)).enumerate()
    {
        let zeros = record.elements - numbers.len();
        let codes = numbers.iter().map(|it| it.code).chain(std::iter::repeat_n(0, zeros));
        let input = codes.flat_map(|code| (code as u32).to_le_bytes()).collect();
        let question = QuantizeGguf { kind, from, input: Bytes(input) };
        let (due, readings, rule) = quantise_gguf(&question).map_err(|error| anyhow!("{error}"))?;
        if json {
            let mut line = json!({ "block": at, "expect": due, "clause": rule.to_string() });
            if !readings.is_empty() {
                line["tolerate"] = json!(readings);
            }
            writeln!(text, "{line}")?;
            continue;
        }
        if at > 0 {
            text.push('\n');
        }
        let filled = if zeros > 0 { format!(", filled with {zeros} zeros") } else { String::new() };
        writeln!(text, "block {at} of {kind} ({}){filled} [{rule}]", record.layout)?;
        writeln!(text, "{}", due.blocks)?;
        if let Some(open) = &due.open {
            writeln!(text, "{open} are the bits that may be anything")?;
        }
        for reading in &readings {
            writeln!(text, "{} is tolerated", reading.blocks)?;
        }
        elements(&mut text, kind, (texts, numbers), &due)?;
    }
    Ok(text)
}

/// Writes each number with what its element stands for.
fn elements(
    text: &mut String,
    kind: GgufType,
    (texts, numbers): (&[String], &[ElementRead]),
    due: &GgufBlocks,
) -> Result<()> {
    let stands = decode_block(kind, DType::Float32, &due.blocks.0).map_err(|it| anyhow!("{it}"))?;
    for (at, (written, number)) in texts.iter().zip(numbers).enumerate() {
        let near = if number.rounded { " (rounded)" } else { "" };
        let is_open = due.open.is_some() && is_open(kind, at, due);
        let value = match &stands[at] {
            _ if is_open => "open".into(),
            outcome @ Outcome::Code(_) => words::outcome(DType::Float32, outcome),
            _ => "NaN".into(),
        };
        writeln!(text, "{at}: {}{near} -> {value}", written.trim())?;
    }
    Ok(())
}

/// Is a bit of the element open? Its number changes with the open bits then.
fn is_open(kind: GgufType, at: usize, due: &GgufBlocks) -> bool {
    let set: Vec<u8> =
        (0..due.blocks.0.len()).map(|place| due.blocks.0[place] | due.open_at(place)).collect();
    let number = |bytes: &[u8]| {
        let exact = castproof_quantised::gguf::exact(kind, bytes, at);
        castproof_quantised::gguf::number(DType::Float32, &exact)
    };
    number(&set) != number(&due.blocks.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: GgufType, texts: &[&str]) -> Result<String> {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        gguf_made(kind, false, &texts)
    }

    /// -1 is the largest magnitude, so d is 0.125 and 1 becomes 15, which stands for 0.875.
    #[test]
    fn a_block_is_written_with_its_elements() {
        let text = asked(GgufType::Q4_0, &["-1", "1", "0.3"]).expect("a block");
        let zeros = "8".repeat(26);
        let due = format!(
            "block 0 of Q4_0 (d@0, 4 bits@2), filled with 29 zeros [GG-10]\n0030808f8a{zeros}\n\
             0: -1 -> 0xbf800000 (-1)\n1: 1 -> 0x3f600000 (0.875)\n2: 0.3 (rounded) -> 0x3e800000 (0.25)\n"
        );
        assert_eq!(text, due);
        let open = asked(GgufType::Q4_0, &["inf", "1"]).expect("a block");
        assert!(open.contains("00000f00") && open.contains("0: inf -> open\n1: 1 -> "), "{open}");
        let fused = asked(GgufType::Q4_0, &["0xbf0a35ae", "0x3ebe09ce"]).expect("a block");
        assert!(fused.contains("is tolerated\n"), "{fused}");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let wrong = |kind, texts: &[&str]| asked(kind, texts).expect_err("wrong").to_string();
        assert_eq!(
            wrong(GgufType::Q8_0, &[]),
            "no numbers: write castproof quantize --gguf Q8_0 1 0.5 -0.25"
        );
        assert!(wrong(GgufType::Q4_K, &["1"]).starts_with("Q4_K is not made from numbers here"));
        assert!(wrong(GgufType::Q4_0, &["one"]).contains("one"));
    }
}
