//! Compares the package gguf with what blocks of GGUF stand for.

use super::torchao::root;
use castproof_oracle::gguf::decode_block;
use castproof_vectors::random::Random;
use castproof_vectors::{DType, GgufType, Outcome};
use rayon::prelude::*;
use std::io::{Seek, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let python = install()?;
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

/// Installs gguf in an environment of its own. Returns its Python.
fn install() -> Result<PathBuf, String> {
    let venv = root().join("target/witnesses/gguf");
    let python = venv.join("bin/python");
    let script = "test -e $VENV/done || { python3 -m venv --clear $VENV; \
                  $VENV/bin/pip install --quiet --disable-pip-version-check --require-hashes \
                  -r witnesses/requirements-gguf.txt; touch $VENV/done; }";
    let status =
        Command::new("sh").args(["-ec", script]).env("VENV", &venv).current_dir(root()).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(python),
        false => Err("gguf: pip could not install it (is there a network?)".into()),
    }
}

/// Returns the answer of each type.
fn run(python: &Path, all: &[(GgufType, Vec<u8>)]) -> Result<Vec<String>, String> {
    let said = |error: std::io::Error| format!("gguf: {error}");
    let mut input = tempfile::tempfile().map_err(said)?;
    for (kind, bytes) in all {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(input, "{kind} {hex}").map_err(said)?;
    }
    input.rewind().map_err(said)?;
    let output = Command::new(python)
        .arg("witnesses/gguf_blocks.py")
        .current_dir(root())
        .stdin(Stdio::from(input))
        .output()
        .map_err(said)?;
    let answers: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect();
    if !output.status.success() || answers.len() != all.len() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().last().unwrap_or_default();
        return Err(format!("gguf gave {} of {} answers: {last}", answers.len(), all.len()));
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
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
