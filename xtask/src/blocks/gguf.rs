//! Compares the package gguf with what blocks of GGUF stand for.

use super::package;
use castproof_quantised::gguf::decode_block;
use castproof_vectors::random::Random;
use castproof_vectors::{DType, GgufType, Outcome};
use rayon::prelude::*;
use std::path::Path;

/// The version that the requirements pin.
const VERSION: &str = "0.19.0";

/// Elements that are drawn of each type, in whole blocks.
const DRAWN: usize = 128_000;

/// The types that gguf does not decode.
const LACKING: [GgufType; 4] = [GgufType::Q8_1, GgufType::Q8_K, GgufType::Q1_0, GgufType::Q2_0];

/// Runs gguf and compares it.
///
/// # Errors
/// If it cannot be run, or gives something else.
pub(super) fn witness() -> Result<String, String> {
    let python = package::install("gguf")?;
    let all: Vec<(GgufType, Vec<u8>)> = GgufType::all().map(|kind| (kind, drawn(kind))).collect();
    let answers = run(&python, &all)?;
    let compared: Result<Vec<usize>, String> =
        all.par_iter().zip(answers).map(|((kind, input), got)| judge(*kind, input, &got)).collect();
    let compared = compared?;
    let types = compared.iter().filter(|numbers| **numbers > 0).count();
    let numbers: usize = compared.iter().sum();
    Ok(format!("gguf {VERSION}: {numbers} numbers of {types} types compared, no difference"))
}

/// Blocks of any bytes; of the types of one element every code.
fn drawn(kind: GgufType) -> Vec<u8> {
    if kind.record().elements == 1 {
        return (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    }
    let mut random = Random::of(kind.name().bytes());
    let count = DRAWN / kind.record().elements * kind.record().bytes;
    (0..count).map(|_| (random.number() >> 24) as u8).collect()
}

/// Returns how many numbers were compared; none, if gguf lacks the type.
fn judge(kind: GgufType, input: &[u8], got: &str) -> Result<usize, String> {
    if LACKING.contains(&kind) {
        return match got {
            "none" => Ok(0),
            _ => Err(format!("gguf now decodes {kind}: shorten LACKING in gguf.rs")),
        };
    }
    let mut rest = got;
    let mut compared = 0;
    for block in input.chunks(kind.record().bytes) {
        let due = decode_block(kind, DType::Float32, block).map_err(|error| error.to_string())?;
        for (place, due) in due.iter().enumerate() {
            let (code, behind) = rest.split_at_checked(8).unwrap_or_default();
            rest = behind;
            let is_right = u32::from_str_radix(code, 16).is_ok_and(|code| match due {
                Outcome::Code(due) => u64::from(code) == *due,
                _ => code & 0x7fff_ffff > 0x7f80_0000,
            });
            if !is_right {
                return Err(format!(
                    "gguf: of element {place} of the {kind} block {block:02x?} it makes '{code}', due {due:x?}"
                ));
            }
        }
        compared += due.len();
    }
    match rest {
        "" => Ok(compared),
        _ => Err(format!("gguf: of {kind} it makes more numbers than {compared}")),
    }
}

/// Returns the answer of each type.
fn run(python: &Path, all: &[(GgufType, Vec<u8>)]) -> Result<Vec<String>, String> {
    let line = |(kind, bytes): &(GgufType, Vec<u8>)| {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{kind} {hex}")
    };
    package::answers("gguf", python, &all.iter().map(line).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::torchao::root;
    use super::*;
    use castproof_vectors::GgufRecord;

    #[test]
    fn the_page_has_a_row_for_each_type() {
        let page = std::fs::read_to_string(root().join("docs/gguf.md")).expect("the page");
        for record in &GgufType::TABLE {
            let GgufRecord { name, id, elements, bytes, layout, .. } = record;
            let row = format!("\n| {name} | {id} | {elements} | {bytes} | {layout} | ");
            assert!(page.contains(&row), "docs/gguf.md lacks the row{row}");
        }
    }

    #[test]
    fn numbers_are_compared_one_by_one() {
        // 1 and a NaN.
        let input = [0x00, 0x3c, 0x01, 0x7e];
        assert_eq!(judge(GgufType::F16, &input, "3f8000007fc02000"), Ok(2));
        for wrong in
            ["3f8000017fc02000", "3f8000007f800000", "3f800000", "3f8000007fc0200000", "none"]
        {
            assert!(judge(GgufType::F16, &input, wrong).is_err(), "{wrong}");
        }
        assert_eq!(judge(GgufType::Q8_1, &[], "none"), Ok(0));
        assert!(judge(GgufType::Q8_1, &[], "").is_err());
    }
}
