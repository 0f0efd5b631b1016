//! The numbers that blocks of GGUF stand for.

use anyhow::{Result, anyhow, bail};
use castproof_check::words;
use castproof_quantised::gguf::dequantise_gguf;
use castproof_vectors::{Bytes, DType, DequantizeGguf, GgufType, Outcome};
use serde_json::json;
use std::fmt::Write as _;

/// What is asked of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Gguf {
    /// Their type.
    pub kind: GgufType,
    /// Dtype of the numbers.
    pub to: DType,
    /// One JSON object for each element.
    pub json: bool,
}

/// Returns a line for each element of the blocks, whose bytes are hex digits in one or more texts.
///
/// # Errors
/// If the texts are no whole blocks, or no such numbers are made.
pub fn gguf(asked: Gguf, texts: &[String]) -> Result<String> {
    let Gguf { kind, to, json } = asked;
    let record = kind.record();
    let (bytes, elements) = (record.bytes, record.elements);
    if texts.is_empty() {
        bail!(
            "no block: write its {bytes} bytes as {} hex digits ({}), behind --gguf {kind}",
            2 * bytes,
            record.layout
        );
    }
    let mut input = Vec::new();
    for text in texts {
        let digits = text.strip_prefix("0x").unwrap_or(text).to_ascii_lowercase();
        let read = serde_json::from_value::<Bytes>(json!(digits));
        let read = read.map_err(|_| {
            anyhow!(
                "'{text}' is no bytes: write two hex digits for each byte, in the order of the file"
            )
        })?;
        input.extend(read.0);
    }
    let question = DequantizeGguf { kind, to, input: Bytes(input) };
    let (numbers, rule) = dequantise_gguf(&question).map_err(|error| anyhow!("{error}"))?;
    let mut text = String::new();
    if !json {
        let blocks = numbers.len() / elements;
        let blocks = if blocks == 1 { "1 block".into() } else { format!("{blocks} blocks") };
        writeln!(text, "{blocks} of {kind} ({}) -> {to} [{rule}]", record.layout)?;
    }
    for (at, outcome) in numbers.iter().enumerate() {
        let (block, element) = (at / elements, at % elements);
        if json {
            let number = match outcome {
                Outcome::Code(code) => json!(to.hex(*code)),
                _ => json!("nan"),
            };
            let line = json!({ "block": block, "element": element, "number": number, "clause": rule.to_string() });
            writeln!(text, "{line}")?;
        } else if numbers.len() == elements {
            writeln!(text, "{element}: {}", words::outcome(to, outcome))?;
        } else {
            writeln!(text, "{block}.{element}: {}", words::outcome(to, outcome))?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: GgufType, texts: &[&str]) -> Result<String> {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        gguf(Gguf { kind, to: DType::Float32, json: false }, &texts)
    }

    #[test]
    fn a_block_is_written_element_by_element() {
        // The scale 1 in MXFP4, counted in halves; the first byte has the nibbles 7 and f.
        let block = format!("80f7{}", "00".repeat(15));
        let text = asked(GgufType::MXFP4, &[&block]).expect("numbers");
        assert!(text.starts_with("1 block of MXFP4 (exponent@0, 4 bits@1) -> float32 [GG-06]\n"));
        assert!(text.contains("\n0: 0x41400000 (12)\n1: 0x00000000 (0)\n"), "{text}");
        assert!(text.contains("\n16: 0xc1400000 (-12)\n"), "{text}");
        let two = asked(GgufType::F16, &["003c", "0x00FC"]).expect("numbers");
        assert!(two.contains("\n0.0: 0x3f800000 (1)\n1.0: 0xff800000 (-"), "{two}");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let wrong = |texts: &[&str]| asked(GgufType::Q4_0, texts).expect_err("wrong").to_string();
        assert_eq!(
            wrong(&[]),
            "no block: write its 18 bytes as 36 hex digits (d@0, 4 bits@2), behind --gguf Q4_0"
        );
        assert!(wrong(&["123"]).starts_with("'123' is no bytes: write two hex digits"));
        assert_eq!(wrong(&["1234"]), "2 bytes are no whole blocks of Q4_0: a block has 18 bytes");
    }
}
