//! Compares the package gguf with what blocks of GGUF stand for, and with those that numbers become.

use super::package;
use castproof_quantised::gguf::{GGUF_MADE, decode_block};
use castproof_suites::{answer, questions};
use castproof_vectors::random::Random;
use castproof_vectors::{
    AnswerRecord, Bytes, DType, GgufReadings, GgufType, Level, Outcome, QuantizeGguf, Question,
    Suite,
};
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
    let made = makes(&python)?;
    let types = compared.iter().filter(|numbers| **numbers > 0).count();
    let numbers: usize = compared.iter().sum();
    Ok(format!(
        "gguf {VERSION}: {numbers} numbers of {types} types compared, no difference; {made}"
    ))
}

/// Blocks of numbers that are drawn of each type.
const MADE: usize = 16_800;

/// The type that gguf does not make.
const UNMADE: GgufType = GgufType::NVFP4;

/// Compares the blocks that gguf makes of the numbers of the vectors, and of drawn ones.
fn makes(python: &Path) -> Result<String, String> {
    let of_vectors =
        questions(Suite::Gguf, Level::Core).tests.into_iter().filter_map(|test| match test.ask {
            Question::QuantizeGguf(ask) => Some(ask),
            _ => None,
        });
    let drawn = GGUF_MADE.into_iter().filter(|kind| *kind != UNMADE).flat_map(drawn_numbers);
    let asked: Vec<QuantizeGguf> = of_vectors.chain(drawn).collect();
    let line = |ask: &QuantizeGguf| format!("make {} {}", ask.kind, ask.input);
    let answers = package::answers("gguf", python, &asked.iter().map(line).collect::<Vec<_>>())?;
    let compared: Result<Vec<Vec<Known>>, String> =
        asked.par_iter().zip(answers).map(|(ask, got)| judge_made(ask, &got)).collect();
    let compared = compared?.concat();
    for known in [Known::NegativeZeros, Known::Nan] {
        if !compared.contains(&known) {
            return Err(format!("gguf: no block differs by {known:?} now: say so on the page"));
        }
    }
    let differ = compared.iter().filter(|it| **it != Known::Equal).count();
    Ok(format!("{} blocks made, {differ} of them otherwise for known reasons", compared.len()))
}

/// Why a block may be another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// It is not.
    Equal,
    /// All numbers are -0: Q4_0 and Q5_0 have the scale 0, and -0 is due.
    NegativeZeros,
    /// A NaN enters the largest number.
    Nan,
}

/// Numbers of all magnitudes in a question for each hundred blocks.
fn drawn_numbers(kind: GgufType) -> Vec<QuantizeGguf> {
    let mut random = Random::of(kind.name().bytes().chain(*b"numbers"));
    let block = |random: &mut Random| {
        // From 2^-120 to below 2^120, of two binades or of eight.
        let least = (7 + random.number() % 230) << 23;
        let binades = if random.below(2) == 0 { 2 } else { 8 };
        // Of every other block the significands have few bits, so that there are ties.
        let mask = if random.below(2) == 0 { 0xffff_ffff } else { 0xfff8_0000 };
        let number = |random: &mut Random| {
            let magnitude = (least + random.number() % (binades << 23)) & mask;
            (magnitude | (random.number() & 1) << 31) as u32
        };
        (0..kind.record().elements).map(|_| number(random)).collect::<Vec<u32>>()
    };
    let ask = |_| {
        let numbers: Vec<u32> = (0..100).flat_map(|_| block(&mut random)).collect();
        let input = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
        QuantizeGguf { kind, from: DType::Float32, input: Bytes(input) }
    };
    (0..MADE / 100).map(ask).collect()
}

/// Judges the blocks of a question.
fn judge_made(ask: &QuantizeGguf, got: &str) -> Result<Vec<Known>, String> {
    if ask.kind == UNMADE {
        return match got {
            "none" => Ok(Vec::new()),
            _ => Err(format!("gguf now makes {UNMADE}: compare it in gguf.rs")),
        };
    }
    let due = answer(&Question::QuantizeGguf(ask.clone()), 0)?;
    let AnswerRecord::GgufBlocks(expected) = due.expect else {
        return Err(format!("{}: no blocks are due", ask.kind));
    };
    let further = match due.tolerate {
        Some(AnswerRecord::GgufReadings(GgufReadings { readings })) => readings,
        _ => Vec::new(),
    };
    let size = ask.kind.record().bytes;
    let bytes = |text: &str| serde_json::from_value::<Bytes>(serde_json::json!(text));
    let got = bytes(got).map_err(|error| format!("gguf: of {}: {error}", ask.kind))?.0;
    if got.len() != expected.blocks.0.len() {
        return Err(format!("gguf: {} bytes of {}", got.len(), ask.kind));
    }
    let mut known = Vec::new();
    for ((at, block), numbers) in got.chunks(size).enumerate().zip(ask.blocks()?) {
        let mut readings = std::iter::once(&expected).chain(&further);
        if readings.any(|it| it.admits(at * size, block)) {
            known.push(Known::Equal);
            continue;
        }
        let is_nan = |code: &u64| code & 0x7fff_ffff > 0x7f80_0000;
        let why = if numbers.iter().any(is_nan) {
            Known::Nan
        } else if numbers.iter().all(|code| *code == 0x8000_0000) {
            Known::NegativeZeros
        } else {
            let block = Bytes(block.to_vec());
            let due = Bytes(expected.blocks.0[at * size..][..size].to_vec());
            return Err(format!(
                "gguf: of the numbers {numbers:08x?} it makes the {} block {block}, due {due}",
                ask.kind
            ));
        };
        known.push(why);
    }
    Ok(known)
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
