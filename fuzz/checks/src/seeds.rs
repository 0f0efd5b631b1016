//! Seeds of a fuzzing engine: an input for every pair, and words of a dictionary, both drawn from
//! the answers.

use crate::input::number;
use castproof_check::fuzz::{Draw, Random};
use castproof_oracle::NEWEST;
use castproof_vectors::{DType, Request, pack};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Number of inputs of `cast` for each pair.
const CODES: usize = 3;

/// Number of elements of an input of `slices`: a body and a tail for every loop.
const ELEMENTS: usize = 67;

/// The largest number of words of each source dtype.
const WORDS: usize = 48;

/// One input: its target, a name, and its bytes.
pub type Seed = (&'static str, String, Vec<u8>);

/// Returns inputs for every numeric pair, by the newest version without attributes.
///
/// # Errors
/// If a pair has no answers, which does not happen.
pub fn seeds() -> Result<Vec<Seed>, String> {
    let mut seeds = Vec::new();
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            let draw = Draw::of(&Request::cast(from, to, NEWEST))?;
            let request = [0, number(from), number(to), NEWEST as u8, 0, 0];
            let mut random = Random::of(format!("{from} {to}").bytes());
            for code in draw.batch(&mut random, CODES) {
                let bytes = request.iter().copied().chain(code.to_le_bytes()).collect();
                seeds.push(("cast", format!("{from}_to_{to}_{}", from.hex(code)), bytes));
            }
            // Offsets of 0, and every element that the bytes hold.
            let elements = pack(from, &draw.batch(&mut random, ELEMENTS))?;
            let bytes = request.iter().copied().chain([0, 0, 0]).chain(elements).collect();
            seeds.push(("slices", format!("{from}_to_{to}"), bytes));
        }
    }
    Ok(seeds)
}

/// Returns the dictionary of `cast` and `slices` in libFuzzer's format: for every source, some of
/// the ends of its pieces.
///
/// # Errors
/// If a pair has no answers, which does not happen.
pub fn dictionary() -> Result<String, String> {
    let mut text = String::from("# Ends of the pieces of every source, from the book.\n");
    for &from in DType::NUMERIC {
        let mut ends = BTreeSet::new();
        for &to in DType::NUMERIC {
            let draw = Draw::of(&Request::cast(from, to, NEWEST))?;
            ends.extend(draw.pieces().iter().flat_map(|piece| [piece.first, piece.last]));
        }
        let step = ends.len().div_ceil(WORDS);
        for code in ends.into_iter().step_by(step) {
            let bytes = from.bits().div_ceil(8) as usize;
            let escaped = code.to_le_bytes().into_iter().take(bytes);
            let word: String = escaped.map(|byte| format!("\\x{byte:02x}")).collect();
            writeln!(text, "{from}_{}=\"{word}\"", from.hex(code)).map_err(|it| it.to_string())?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TARGETS;

    #[test]
    fn seeds_are_inputs_that_hold() {
        let seeds = seeds().expect("of the book");
        assert_eq!(seeds.len(), 625 * (CODES + 1));
        let names: BTreeSet<String> =
            seeds.iter().map(|(target, name, _)| format!("{target}/{name}")).collect();
        assert!(names.len() > seeds.len() * 9 / 10, "{} names", names.len());
        for (target, name, bytes) in seeds.iter().step_by(17) {
            let (_, check) = TARGETS.iter().find(|(it, _)| it == target).expect("a target");
            assert!(check(bytes).is_ok(), "{target}/{name} is too short");
        }
    }

    #[test]
    fn the_dictionary_is_one_that_libfuzzer_reads() {
        let text = dictionary().expect("of the book");
        assert!(
            text.contains("float32_0x7f800000=\"\\x00\\x00\\x80\\x7f\"\n") || text.len() > 9999
        );
        for line in text.lines().skip(1) {
            let (name, word) = line.split_once("=\"").expect("a name and a word");
            let word = word.strip_suffix('"').expect("in quotes");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{line}");
            assert!(!word.is_empty() && word.len() % 4 == 0, "{line}");
            assert!(word.as_bytes().chunks(4).all(|it| it.starts_with(b"\\x")), "{line}");
        }
    }
}
