//! Compares gfloat with the exact profiles, and with what blocks stand for.

use super::draw::drawn;
use super::package;
use crate::repository::default_data;
use castproof_oracle::decode::is_nan;
use castproof_oracle::format::float_format;
use castproof_quantised::block::{block_elements, quantise};
use castproof_vectors::random::Random;
use castproof_vectors::{
    AnswerRecord, BlockFormat, BlockProfile, DType, DequantizeBlock, Outcome, Question,
    QuestionFile, QuestionTest, Suite,
};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Blocks that are drawn for each profile and each dtype of elements, so that the library is asked for
/// more than 100,000 of them.
const DRAWN: usize = 4_100;

/// The profiles whose elements are rounded exactly.
pub(super) const EXACT: [BlockProfile; 5] = [
    BlockProfile::MxFloor,
    BlockProfile::MxCeil,
    BlockProfile::MxRceil,
    BlockProfile::MxEven,
    BlockProfile::MxRfit,
];

/// A known difference of the library from the rule that it means.
pub(super) struct Deviation {
    /// Where it differs and how, with a block that proves it.
    pub(super) reason: &'static str,
    is_it: fn(&Block, &str) -> bool,
}

/// Where gfloat differs from `mx-floor`.
pub(super) const DEVIATIONS: [Deviation; 3] = [
    Deviation {
        reason: "a number is infinite: the scale is `0xfe` instead of `0xff`",
        is_it: |block, got| block.amax() == block.infinity() && got.starts_with("fe"),
    },
    Deviation {
        reason: "a number is NaN and the elements have no NaN: it raises `No NaN in format`, and the scale `0xff` is due",
        is_it: |block, got| {
            block.scale == 0xff
                && block.amax() > block.infinity()
                && got.starts_with("error No NaN in")
        },
    },
    Deviation {
        reason: "the numbers are an array of float32: `floor(log2(x))` in float32 gives a scale one too large just below a power of two, such as \
                 `0x81` for 16 - 2^-20 in float4e2m1, exact `0x80`. An array of float64 gives the exact scale",
        is_it: |block, got| {
            // Within 64 codes of float32 below a power of two.
            block.array == "float32"
                && block.amax() & 0x7f_ffff >= 0x7f_ffc0
                && got.starts_with(&format!("{:02x}", block.scale + 1))
        },
    },
];

/// A block that the library quantises, and what is due.
struct Block {
    profile: BlockProfile,
    from: DType,
    to: DType,
    /// The dtype of the array in which the library gets the numbers.
    array: &'static str,
    codes: Vec<u64>,
    scale: u64,
    /// The elements; `None` if any is right.
    elements: Vec<Option<u8>>,
}

impl Block {
    /// The largest magnitude, a code of `from` without its sign.
    fn amax(&self) -> u64 {
        let sign = 1 << (self.from.bits() - 1);
        self.codes.iter().map(|code| code & !sign).max().unwrap_or(0)
    }

    /// The code of infinity in `from`. Those above it are NaN.
    fn infinity(&self) -> u64 {
        match self.from {
            DType::Float16 => 0x7c00,
            DType::Bfloat16 => 0x7f80,
            _ => 0x7f80_0000,
        }
    }

    /// Does the library find the scale? It knows no other rule.
    fn finds(&self) -> bool {
        self.profile == BlockProfile::MxFloor
    }

    fn line(&self) -> String {
        let digits = self.from.hex_digits();
        let scale = if self.finds() { "-".into() } else { format!("{:02x}", self.scale) };
        let mut line = format!("quantise {} {} {} {scale} ", self.array, self.to, self.from);
        self.codes.iter().for_each(|code| write!(line, "{code:0digits$x}").expect("a text"));
        line
    }

    /// Returns which known deviation the answer shows, if it differs.
    fn judge(&self, got: &str) -> Result<Option<usize>, String> {
        let bytes =
            |at: usize| got.get(2 * at..2 * at + 2).and_then(|it| u8::from_str_radix(it, 16).ok());
        let is_long = got.len() == 2 * (1 + self.elements.len());
        let is_scale = bytes(0).map(u64::from) == Some(self.scale);
        let alike = |(at, due): (usize, &Option<u8>)| due.is_none() || bytes(at + 1) == *due;
        if is_long && is_scale && self.elements.iter().enumerate().all(alike) {
            return Ok(None);
        }
        match DEVIATIONS.iter().position(|it| self.finds() && (it.is_it)(self, got)) {
            Some(place) => Ok(Some(place)),
            None => Err(format!(
                "gfloat: of {} it makes {got}, {} says {:02x} {:02x?}",
                self.line(),
                self.profile.name(),
                self.scale,
                self.elements
            )),
        }
    }
}

/// Elements under one scale that the library decodes, and what is due.
struct Row {
    format: BlockFormat,
    from: DType,
    to: DType,
    scale: u64,
    elements: Vec<u64>,
    due: Vec<Outcome>,
}

impl Row {
    fn line(&self) -> String {
        let Row { format, from, to, scale, .. } = self;
        let mut line = format!("decode {} {from} {to} {scale:02x}", format.name());
        self.elements.iter().for_each(|code| write!(line, "{code:02x}").expect("a text"));
        line
    }

    fn judge(&self, got: &str) -> Result<(), String> {
        let digits = self.to.hex_digits();
        let format = float_format(self.to).expect("numbers are floats");
        let wrong =
            || Err(format!("gfloat: of {} it makes {got}, due {:x?}", self.line(), self.due));
        if got.len() != digits * self.due.len() {
            return wrong();
        }
        for (at, due) in self.due.iter().enumerate() {
            let code = u64::from_str_radix(&got[digits * at..digits * (at + 1)], 16);
            let is_right = match due {
                Outcome::Code(due) => code.as_ref() == Ok(due),
                Outcome::AnyNan => code.is_ok_and(|code| is_nan(&format, code)),
                _ => true,
            };
            if !is_right {
                return wrong();
            }
        }
        Ok(())
    }
}

/// Runs gfloat and compares it.
///
/// # Errors
/// If it cannot be run, or gives something else.
pub(super) fn witness() -> Result<String, String> {
    let python = package::install("gfloat")?;
    let mut blocks: Vec<Block> = Vec::new();
    for QuestionTest { ask, expect, .. } in questions(Suite::Blocks)? {
        if let (Question::QuantizeBlock(ask), AnswerRecord::Block(due)) = (ask, expect) {
            let (dtypes, codes) = ((ask.from, ask.to), ask.codes()?);
            let (scale, elements) = (due.scale.value(), due.elements.0);
            blocks.extend(arrays(ask.profile, dtypes, &codes, scale, &elements));
        }
    }
    let tests = blocks.len();
    blocks.extend(drawn_blocks()?);
    let rows = rows()?;
    let lines: Vec<String> =
        blocks.iter().map(Block::line).chain(rows.iter().map(Row::line)).collect();
    let answers = run(&python, &lines)?;
    let (of_blocks, of_rows) = answers.split_at(blocks.len());
    let mut known = [0usize; DEVIATIONS.len()];
    for (block, got) in blocks.iter().zip(of_blocks) {
        if let Some(place) = block.judge(got)? {
            known[place] += 1;
        }
    }
    for (row, got) in rows.iter().zip(of_rows) {
        row.judge(got)?;
    }
    for (deviation, count) in DEVIATIONS.iter().zip(known) {
        println!("{count} blocks: {}", deviation.reason);
        if count == 0 {
            return Err("no block shows the last line any more: drop it from gfloat.rs".into());
        }
    }
    let numbers: usize = rows.iter().map(|row| row.due.len()).sum();
    let drawn = blocks.len() - tests;
    Ok(format!(
        "gfloat 0.5.2: {tests} blocks of the tests, {drawn} drawn ones and {numbers} decoded numbers compared, no other difference"
    ))
}

/// Reads the tests of a suite.
fn questions(suite: Suite) -> Result<Vec<QuestionTest>, String> {
    let path = default_data().join(format!("suites/{}.json", suite.name()));
    let text = std::fs::read_to_string(&path).map_err(|it| format!("{}: {it}", path.display()))?;
    let file = QuestionFile::parse(&text).map_err(|it| format!("{}: {it}", path.display()))?;
    Ok(file.tests)
}

/// A block as the library is asked for it: not at all, or in arrays of one or two dtypes.
fn arrays(
    profile: BlockProfile,
    (from, to): (DType, DType),
    codes: &[u64],
    scale: u64,
    elements: &[Option<u8>],
) -> Vec<Block> {
    let is_floor = profile == BlockProfile::MxFloor;
    let all: &[&'static str] = match (EXACT.contains(&profile), is_floor, from) {
        (true, true, DType::Float32) => &["float64", "float32"],
        (true, true, _) => &["float64"],
        // Nothing is due of the elements under a NaN.
        (true, false, _) if scale != 0xff => &["float64"],
        _ => &[],
    };
    let block = |&array| {
        let (codes, elements) = (codes.to_vec(), elements.to_vec());
        Block { profile, from, to, array, codes, scale, elements }
    };
    all.iter().map(block).collect()
}

fn drawn_blocks() -> Result<Vec<Block>, String> {
    let of_pair = |(profile, to): (BlockProfile, DType)| {
        let mut random = Random::new(to as u64 + 1000 * profile as u64 + 1);
        let mut blocks = Vec::new();
        for _ in 0..DRAWN {
            let codes = drawn(&mut random, 32);
            let answer = quantise(profile, (DType::Float32, to), &codes, None)
                .map_err(|error| error.to_string())?;
            let element = |(outcome, _): &(Outcome, _)| match outcome {
                Outcome::Code(code) => Some(*code as u8),
                _ => None,
            };
            let elements: Vec<Option<u8>> = answer.elements.iter().map(element).collect();
            let dtypes = (DType::Float32, to);
            blocks.extend(arrays(profile, dtypes, &codes, answer.scale, &elements));
        }
        Ok(blocks)
    };
    let pairs = EXACT.iter().flat_map(|&it| block_elements(it).iter().map(move |&to| (it, to)));
    let pairs: Vec<(BlockProfile, DType)> = pairs.collect();
    let made: Result<Vec<Vec<Block>>, String> = pairs.into_par_iter().map(of_pair).collect();
    Ok(made?.into_iter().flatten().collect())
}

/// The tests of decoders, with one row for each scale of each pair of dtypes.
fn rows() -> Result<Vec<Row>, String> {
    let mut rows: BTreeMap<(BlockFormat, DType, DType, u64), Row> = BTreeMap::new();
    for QuestionTest { ask, expect, .. } in questions(Suite::BlocksDecoded)? {
        let (Question::DequantizeBlock(ask), AnswerRecord::Numbers(answer)) = (ask, expect) else {
            continue;
        };
        let DequantizeBlock { format, from, to, .. } = ask;
        if !matches!(format, BlockFormat::Mx | BlockFormat::Nvfp4) {
            continue; // it has no groups with a scale of float32
        }
        for ((element, scale), due) in ask.codes()?.into_iter().zip(answer.numbers.due()) {
            let row = rows.entry((format, from, to, scale)).or_insert_with(|| Row {
                format,
                from,
                to,
                scale,
                elements: vec![],
                due: vec![],
            });
            row.elements.push(element);
            row.due.push(due.clone());
        }
    }
    Ok(rows.into_values().collect())
}

/// Returns the answer to each line. Each thread has a process of its own.
fn run(python: &Path, lines: &[String]) -> Result<Vec<String>, String> {
    let share = lines.len().div_ceil(rayon::current_num_threads()).max(1);
    let answers: Result<Vec<Vec<String>>, String> =
        lines.par_chunks(share).map(|lines| package::answers("gfloat", python, lines)).collect();
    Ok(answers?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 - 2^-20 and 1, of which the elements are 6 and 0.5 under the scale 2.
    fn of_array(array: &'static str) -> Block {
        Block {
            profile: BlockProfile::MxFloor,
            from: DType::Float32,
            to: DType::Float4E2M1,
            array,
            codes: vec![0x417f_ffff, 0x3f80_0000],
            scale: 0x80,
            elements: vec![Some(7), Some(1)],
        }
    }

    #[test]
    fn only_a_known_deviation_is_excused() {
        let block = of_array("float64");
        assert_eq!(block.line(), "quantise float64 float4e2m1 float32 - 417fffff3f800000");
        assert_eq!(block.judge("800701"), Ok(None));
        for wrong in ["800702", "8007", "80070100", "7f0701", "810600", "error No NaN in format"] {
            assert!(block.judge(wrong).is_err(), "{wrong}");
        }
        assert_eq!(of_array("float32").judge("810600"), Ok(Some(2)));
    }

    #[test]
    fn numbers_are_compared_one_by_one() {
        let row = Row {
            format: BlockFormat::Mx,
            from: DType::Float4E2M1,
            to: DType::Bfloat16,
            scale: 0x80,
            elements: vec![1, 2],
            due: vec![Outcome::Code(0x3f80), Outcome::AnyNan],
        };
        assert_eq!(row.line(), "decode mx float4e2m1 bfloat16 800102");
        assert_eq!(row.judge("3f807fc0"), Ok(()));
        for wrong in ["3f817fc0", "3f807f80", "3f80"] {
            assert!(row.judge(wrong).is_err(), "{wrong}");
        }
    }
}
