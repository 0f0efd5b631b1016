//! The numbers that elements under a scale stand for.

use crate::element;
use anyhow::{Result, anyhow, bail};
use castproof_check::words;
use castproof_quantised::block::{NUMBERS, decoding, dequantise};
use castproof_vectors::{BlockFormat, DType, Outcome};
use serde_json::json;
use std::fmt::Write as _;

/// What is asked of elements.
#[derive(Clone, Debug)]
pub struct Dequantize {
    /// What elements and scales are.
    pub format: BlockFormat,
    /// Dtype of the elements.
    pub from: DType,
    /// The scale: a code, or a number that the dtype of scales holds.
    pub scale: String,
    /// Dtype of the numbers.
    pub to: DType,
    /// One JSON object for each element.
    pub json: bool,
}

/// Returns a line for each element: the number that it stands for.
///
/// # Errors
/// If a text is no element, or the format has no such elements, scales or numbers.
pub fn dequantize(asked: &Dequantize, texts: &[String]) -> Result<String> {
    let known = decoding(asked.format);
    let names = |dtypes: &[DType]| dtypes.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
    if !known.elements.contains(&asked.from) {
        bail!(
            "{} has no elements of {}; known are {}",
            asked.format.name(),
            asked.from,
            names(known.elements)
        );
    }
    if !NUMBERS.contains(&asked.to) {
        bail!("blocks are of {}, not of {}", names(&NUMBERS), asked.to);
    }
    if texts.is_empty() {
        bail!(
            "no elements: write castproof dequantize --elements float8e4m3fn --scale 0x80 0x7e 1.5"
        );
    }
    let scale = element::element(known.scale, &asked.scale, false)
        .map_err(|error| anyhow!("--scale: {error:#}"))?
        .code;
    let mut text = String::new();
    if !asked.json {
        let scale = words::value(known.scale, scale);
        writeln!(text, "{} of {} -> {}, scale {scale}", asked.format.name(), asked.from, asked.to)?;
    }
    for written in texts {
        let code = element::element(asked.from, written, false)?.code;
        let due = dequantise(asked.format, (asked.from, asked.to), (code, scale));
        let (outcome, id) = due.map_err(|error| anyhow!("{error}"))?;
        if asked.json {
            let number = match &outcome {
                Outcome::Code(code) => json!(asked.to.hex(*code)),
                Outcome::AnyNan => json!("nan"),
                _ => json!(null),
            };
            let element = asked.from.hex(code);
            writeln!(
                text,
                "{}",
                json!({ "element": element, "number": number, "clause": id.to_string() })
            )?;
        } else {
            let element = words::value(asked.from, code);
            writeln!(text, "{element} -> {} [{id}]", words::outcome(asked.to, &outcome))?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(format: BlockFormat, from: DType, scale: &str) -> Dequantize {
        Dequantize { format, from, scale: scale.into(), to: DType::Float32, json: false }
    }

    #[test]
    fn an_element_times_its_scale() {
        let words = ["0x7e".to_string(), "1.5".to_string()];
        for scale in ["0x80", "2"] {
            let asked = asked(BlockFormat::Mx, DType::Float8E4M3FN, scale);
            let text = dequantize(&asked, &words).expect("numbers");
            assert!(text.contains("0x7e (448) -> 0x44600000 (896) [BD-01]"), "{text}");
            assert!(text.contains("0x3c (1.5) -> 0x40400000 (3)"), "{text}");
        }
        let asked = asked(BlockFormat::Nvfp4, DType::Float4E2M1, "0.5");
        let text = dequantize(&asked, &["6".to_string()]).expect("a number");
        assert!(text.contains("0x7 (6) -> 0x40400000 (3)"), "{text}");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let wrong =
            |asked: Dequantize| dequantize(&asked, &["1".into()]).expect_err("wrong").to_string();
        let said = wrong(asked(BlockFormat::Mx, DType::Float8E4M3FN, "3"));
        assert!(said.starts_with("--scale: float8e8m0 does not hold 3 exactly"), "{said}");
        let said = wrong(asked(BlockFormat::Nvfp4, DType::Float8E4M3FN, "1"));
        assert!(
            said.contains("nvfp4 has no elements of float8e4m3fn; known are float4e2m1"),
            "{said}"
        );
    }
}
