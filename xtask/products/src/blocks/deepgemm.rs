//! Compares DeepGEMM's formula of groups, in operations of PyTorch on the CPU, with the profiles that say what it gives.

use super::draw::drawn;
use super::torchao::{python, root};
use castproof_quantised::block::quantise;
use castproof_vectors::random::Random;
use castproof_vectors::{BlockProfile, DType, Outcome, QuestionTest};
use castproof_vectors::{Level, Question, Suite};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Groups that are drawn for each dtype of scales.
const DRAWN: usize = 5_000;

const SIZE: usize = 128;

/// A scale of float32, then the elements.
const DUE_BYTES: usize = 4 + SIZE;

const MODES: [(&str, BlockProfile); 2] =
    [("float32", BlockProfile::Fp8Deepgemm), ("ue8m0", BlockProfile::Fp8DeepgemmUe8m0)];

/// Runs the formula and compares every group of float32 in the vectors, and drawn ones.
///
/// # Errors
/// If it cannot be run, or gives something else.
pub(super) fn witness() -> Result<String, String> {
    let Some(python) = python() else { return Ok("DeepGEMM's formula was not compared".into()) };
    let mut count = 0;
    for (mode, profile) in MODES {
        let groups = groups(profile);
        let output = run(&python, mode, &groups)?;
        for (group, got) in groups.iter().zip(output.chunks(DUE_BYTES)) {
            judge(profile, group, got)?;
        }
        count += groups.len();
    }
    Ok(format!("DeepGEMM's formula in PyTorch: {count} groups compared"))
}

fn groups(profile: BlockProfile) -> Vec<Vec<u64>> {
    let mut random = Random::new(448);
    let of_vectors = castproof_suites::questions(Suite::Blocks, Level::Core).tests.into_iter();
    let group = |test: QuestionTest| match test.ask {
        Question::QuantizeBlock(ask) if (ask.profile, ask.from) == (profile, DType::Float32) => {
            // Zeros fill a short group.
            let mut codes = ask.codes().ok()?;
            codes.resize(SIZE, 0);
            Some(codes)
        }
        _ => None,
    };
    let mut groups: Vec<Vec<u64>> = of_vectors.filter_map(group).collect();
    groups.extend((0..DRAWN).map(|_| drawn(&mut random, SIZE)));
    groups
}

/// Returns the bytes of every group.
fn run(python: &Path, mode: &str, groups: &[Vec<u64>]) -> Result<Vec<u8>, String> {
    let mut input = format!("{mode} {}\n", groups.len()).into_bytes();
    input.extend(groups.iter().flatten().flat_map(|&code| (code as u32).to_le_bytes()));
    let said = |error: std::io::Error| format!("DeepGEMM's formula: {error}");
    let mut child = Command::new(python)
        .arg("witnesses/deepgemm_groups.py")
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(said)?;
    // The program reads all of its input before it writes. One that stops early breaks the pipe; its
    // status says more.
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(&input));
    let ended = child.wait_with_output().map_err(said)?;
    let due = groups.len() * DUE_BYTES;
    if !ended.status.success() || ended.stdout.len() != due {
        let text = String::from_utf8_lossy(&ended.stderr);
        let last = text.lines().last().unwrap_or_default();
        return Err(format!("DeepGEMM's formula: {} of {due} bytes: {last}", ended.stdout.len()));
    }
    written.transpose().map_err(said)?;
    Ok(ended.stdout)
}

fn judge(profile: BlockProfile, group: &[u64], got: &[u8]) -> Result<(), String> {
    let due = quantise(profile, (DType::Float32, DType::Float8E4M3FN), group, None)
        .map_err(|error| error.to_string())?;
    let (scale, elements) = got.split_at(4);
    let scale = u32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]);
    let has_scale = match profile {
        BlockProfile::Fp8DeepgemmUe8m0 => due.scale << 23 == u64::from(scale),
        _ => {
            due.scale == u64::from(scale)
                || f32::from_bits(scale).is_nan() && due.scale > 0x7f80_0000
        }
    };
    let is_right = |((due, _), got): (&(Outcome, _), &u8)| match due {
        Outcome::Code(code) => *code == u64::from(*got),
        Outcome::AnyNan => got & 0x7f == 0x7f,
        _ => true,
    };
    if has_scale && due.elements.iter().zip(elements).all(is_right) {
        return Ok(());
    }
    let name = profile.name();
    Err(format!(
        "of {group:x?} DeepGEMM's formula makes {scale:x} {elements:x?}, {name} says {due:x?}"
    ))
}
