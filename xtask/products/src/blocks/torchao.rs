//! Compares a released torchao, on the CPU, with the profiles that say what it computes.

use super::draw::drawn;
use crate::repository::vectors_crate;
use castproof_quantised::block::{block_elements, breakpoints, quantise, scale_of_magnitude};
use castproof_vectors::random::Random;
use castproof_vectors::{BlockProfile, DType, Outcome};
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Blocks that are drawn for each mode and each dtype of elements.
const DRAWN: usize = 5_000;

/// What the library calls each rule, and the profile that says what it gives.
const MODES: [(&str, BlockProfile); 4] = [
    ("floor", BlockProfile::MxTorchaoFloor),
    ("ceil", BlockProfile::MxTorchaoCeil),
    ("even", BlockProfile::MxTorchaoEven),
    ("rceil", BlockProfile::MxRceil),
];

/// Largest magnitudes of tensors for NVFP4, codes of float32.
const TENSORS: [u64; 5] = [0x4040_0000, 0x43e0_0000, 0x4528_0000, 0x3c49_ba5e, 0x7f7f_ffff];

/// A known difference of the library from the rule that it means.
pub(super) struct Deviation {
    /// Where it differs and how, with a block that proves it.
    pub(super) reason: &'static str,
    is_it: fn(&Asked, &[u8], &Due) -> bool,
}

/// Where torchao's RCEIL differs from `mx-rceil`.
pub(super) const DEVIATIONS: [Deviation; 3] = [
    Deviation {
        reason: "the quotient is just above a power of two: `ceil(log2(x))` in float32 gives a scale one too small, such as \
                 `0x78` for 448.00003 in float8e5m2, exact `0x79`",
        is_it: |asked, got, due| {
            // 64 codes of float32 below, the exact scale is that of the library.
            let below =
                scale_of_magnitude(asked.profile, asked.to, asked.amax().saturating_sub(64));
            u64::from(got[0]) + 1 == due.scale && below == Ok(got[0].into())
        },
    },
    Deviation {
        reason: "the scale is `0x00`: numbers are multiplied by 1 instead of 2^127, so every element is 0, such as `0x00` for 2^-127 in \
                 float8e4m3fn, exact `0x38`",
        is_it: |asked, got, due| {
            let sign = 1u8 << (asked.to.bits() - 1);
            got[0] == 0 && due.scale == 0 && got[1..].iter().all(|code| code & !sign == 0)
        },
    },
    Deviation {
        reason: "a number is infinite: the scale is `0xfe` instead of `0xff`",
        is_it: |asked, got, _| asked.amax() == 0x7f80_0000 && got[0] == 0xfe,
    },
];

/// One block that the library is asked for.
struct Asked {
    profile: BlockProfile,
    to: DType,
    tensor: Option<u64>,
    block: Vec<u64>,
}

impl Asked {
    fn amax(&self) -> u64 {
        self.block.iter().map(|code| code & 0x7fff_ffff).max().unwrap_or(0)
    }

    /// A byte for the scale and one for each element.
    fn due_bytes(&self) -> usize {
        1 + self.block.len()
    }
}

/// What is due for it.
struct Due {
    scale: u64,
    elements: Vec<Outcome>,
}

/// Runs torchao and compares it.
///
/// # Errors
/// If it cannot be run, or gives something else.
pub(super) fn witness() -> Result<String, String> {
    let Some(python) = python() else { return Ok("torchao was not compared".into()) };
    let requests = requests()?;
    let output = run(&python, &requests)?;
    let (mut known, mut count, mut rest) = ([0usize; DEVIATIONS.len()], 0, &output[..]);
    for (mode, asked) in &requests {
        let (answers, others) = rest.split_at(asked.iter().map(Asked::due_bytes).sum());
        rest = others;
        let judged: Vec<Option<usize>> = asked
            .par_iter()
            .zip(answers.par_chunks(asked[0].due_bytes()))
            .map(|(asked, got)| judge(mode, asked, got))
            .collect::<Result<_, String>>()?;
        count += judged.len();
        judged.into_iter().flatten().for_each(|place| known[place] += 1);
    }
    for (deviation, count) in DEVIATIONS.iter().zip(known) {
        println!("{count} blocks: {}", deviation.reason);
        if count == 0 {
            return Err("no block shows the last line any more: drop it from torchao.rs".into());
        }
    }
    Ok(format!("torchao 0.18.0: {count} blocks compared, no other difference"))
}

/// The Python that has torchao; `None`, and a line that says so, if it is not here.
pub(super) fn python() -> Option<PathBuf> {
    let python = root().join(".venvs/torch/bin/python");
    if has_torchao(&python) {
        return Some(python);
    }
    println!("not run: torchao is not here; run ./setup.sh --adapters torchao");
    None
}

pub(super) fn root() -> PathBuf {
    vectors_crate().parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Has this environment torchao?
fn has_torchao(python: &Path) -> bool {
    let find = "import importlib.util as it; raise SystemExit(it.find_spec('torchao') is None)";
    let status = Command::new(python).args(["-c", find]).status();
    status.is_ok_and(|status| status.success())
}

/// What is asked in one go: the mode, as the program reads it, and its blocks.
fn requests() -> Result<Vec<(String, Vec<Asked>)>, String> {
    let mut requests = Vec::new();
    for (mode, profile) in MODES {
        for &to in block_elements(profile) {
            let mut random = Random::new(to as u64 + 1);
            let mut blocks: Vec<Vec<u64>> = (0..DRAWN).map(|_| drawn(&mut random, 32)).collect();
            let firsts = breakpoints(profile, to).map_err(|error| error.to_string())?;
            for first in firsts.into_iter().flatten() {
                for near in [first.saturating_sub(1), first, first + 1] {
                    let mut block = drawn(&mut random, 32);
                    block.iter_mut().for_each(|code| *code = beside(near, *code));
                    block[random.below(32)] = near | (random.number() & 1) << 31;
                    blocks.push(block);
                }
            }
            blocks.push(vec![0x8000_0000; 32]);
            let asked = blocks.into_iter().map(|block| Asked { profile, to, tensor: None, block });
            requests.push((format!("{mode} {to}"), asked.collect()));
        }
    }
    for tensor in TENSORS {
        let (profile, to) = (BlockProfile::Nvfp4Torchao, DType::Float4E2M1);
        let mut random = Random::new(tensor);
        let mut blocks: Vec<Vec<u64>> = (0..DRAWN).map(|_| drawn(&mut random, 16)).collect();
        blocks.extend([vec![0; 16], vec![0x8000_0000; 16]]);
        let asked =
            blocks.into_iter().map(|block| Asked { profile, to, tensor: Some(tensor), block });
        requests.push((format!("nvfp4 {tensor:08x}"), asked.collect()));
    }
    Ok(requests)
}

/// A number with the sign and the significand of `code`, up to seven binades below `amax`.
fn beside(amax: u64, code: u64) -> u64 {
    let below = (code >> 23 & 7) + 1;
    let field = (amax >> 23).saturating_sub(below);
    code & 0x807f_ffff | field.min(0xfe) << 23
}

/// Returns a byte for the scale and one for each element, block by block.
fn run(python: &Path, requests: &[(String, Vec<Asked>)]) -> Result<Vec<u8>, String> {
    let mut input = Vec::new();
    for (mode, asked) in requests {
        input.extend(format!("{mode} {}\n", asked.len()).into_bytes());
        let codes = asked.iter().flat_map(|asked| &asked.block);
        input.extend(codes.flat_map(|&code| (code as u32).to_le_bytes()));
    }
    let said = |error: std::io::Error| format!("torchao: {error}");
    let mut child = Command::new(python)
        .arg("witnesses/torchao_blocks.py")
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
    let due: usize = requests.iter().flat_map(|(_, asked)| asked).map(Asked::due_bytes).sum();
    if !ended.status.success() || ended.stdout.len() != due {
        let text = String::from_utf8_lossy(&ended.stderr);
        let last = text.lines().last().unwrap_or_default();
        return Err(format!("torchao gave {} of {due} bytes: {last}", ended.stdout.len()));
    }
    written.transpose().map_err(said)?;
    Ok(ended.stdout)
}

/// Compares one block. Returns which known deviation it shows, if it differs.
fn judge(mode: &str, asked: &Asked, got: &[u8]) -> Result<Option<usize>, String> {
    let answer = quantise(asked.profile, (DType::Float32, asked.to), &asked.block, asked.tensor)
        .map_err(|error| error.to_string())?;
    let elements = answer.elements.into_iter().map(|(element, _)| element).collect();
    let due = Due { scale: answer.scale, elements };
    let alike = |(due, got): (&Outcome, &u8)| match due {
        Outcome::Code(code) => *code == u64::from(*got),
        _ => true,
    };
    if due.scale == u64::from(got[0]) && due.elements.iter().zip(&got[1..]).all(alike) {
        return Ok(None);
    }
    let is_rceil = asked.profile == BlockProfile::MxRceil;
    match DEVIATIONS.iter().position(|it| is_rceil && (it.is_it)(asked, got, &due)) {
        Some(place) => Ok(Some(place)),
        None => Err(format!(
            "torchao {mode}: of {:x?} it makes {got:x?}, {} says {:x} {:x?}",
            asked.block,
            asked.profile.name(),
            due.scale,
            due.elements
        )),
    }
}
