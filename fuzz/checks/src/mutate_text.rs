//! Mutations of texts: files, messages and numerals that are nearly valid. Changing single bytes
//! almost never makes such texts.

use crate::input::number;
use crate::protocol::drawn_messages;
use crate::vector_file::drawn_file;
use castproof_check::fuzz::{Draw, Random};
use castproof_oracle::NEWEST;
use castproof_oracle::partition::partition;
use castproof_vectors::{DType, Request, landmarks};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// The start of inputs of `vector_file` and `protocol` that hold a raw text.
const RAW: &[u8] = b"raw\n";

/// Mutates an input of `vector_file`, in place; returns its new length. `engine` is the mutation of
/// the fuzzing engine; it takes bytes, length and room.
pub fn mutate_file(
    bytes: &mut [u8],
    length: usize,
    seed: u32,
    engine: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    mutate_raw(bytes, length, seed, engine, drawn_file)
}

/// Mutates an input of `protocol`, like [`mutate_file`].
pub fn mutate_messages(
    bytes: &mut [u8],
    length: usize,
    seed: u32,
    engine: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    mutate_raw(bytes, length, seed, engine, drawn_messages)
}

/// Mutates an input in one of three ways: by the engine, by a structured input of any bytes, or by
/// edits of a good text or of the raw text that the input holds.
fn mutate_raw(
    bytes: &mut [u8],
    length: usize,
    seed: u32,
    engine: impl FnOnce(&mut [u8], usize, usize) -> usize,
    good: fn(&mut Random) -> Vec<u8>,
) -> usize {
    let mut random = Random::new(seed.into());
    let room = bytes.len();
    match random.below(8) {
        _ if room < RAW.len() => return engine(bytes, length, room),
        0..2 => return engine(bytes, length, room),
        2..4 => {
            let count = 16 + random.below(48);
            let mut any: Vec<u8> = (0..count).flat_map(|_| random.number().to_le_bytes()).collect();
            // The first four bytes, little-endian, select a structured input in their upper half.
            any[3] |= 0x80;
            return replace(bytes, &any);
        }
        _ => {}
    }
    let mut text = match bytes[..length].strip_prefix(RAW) {
        Some(text) if random.below(4) > 0 => text.to_vec(),
        _ => good(&mut random),
    };
    for _ in 0..random.below(4) {
        edit(&mut text, &mut random);
    }
    replace(bytes, &[RAW, &text].concat())
}

/// Mutates an input of `parse`: a dtype, attributes and a text that is mostly a numeral.
pub fn mutate_numeral(
    bytes: &mut [u8],
    length: usize,
    seed: u32,
    engine: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    mutate_drawn(bytes, length, seed, engine, |random| {
        let to = one_of(random, DType::NUMERIC);
        let mut text = numeral(to, random).into_bytes();
        if random.below(4) == 0 {
            edit(&mut text, random);
        }
        let header = [number(to), random.below(3) as u8, random.below(4) as u8];
        [&header[..], &text].concat()
    })
}

/// Mutates an input of `print`: a dtype and a code near a named value, with one bit, or any code.
pub fn mutate_code(
    bytes: &mut [u8],
    length: usize,
    seed: u32,
    engine: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    mutate_drawn(bytes, length, seed, engine, |random| {
        let from = one_of(random, DType::NUMERIC);
        let named = landmarks(from).expect("numeric");
        let named: Vec<u64> = named.values.values().map(|(code, _)| code.value()).collect();
        let code = match random.below(4) {
            0 => one_of(random, &named).wrapping_add(random.number() % 5).wrapping_sub(2),
            1 => 1 << random.below(64),
            2 => one_of(random, &named) ^ 1 << random.below(64),
            _ => random.number(),
        };
        [&[number(from)][..], &code.to_le_bytes()].concat()
    })
}

/// Mutates an input: a quarter of the mutations are the engine's; the others draw a new input.
fn mutate_drawn(
    bytes: &mut [u8],
    length: usize,
    seed: u32,
    engine: impl FnOnce(&mut [u8], usize, usize) -> usize,
    draw: impl FnOnce(&mut Random) -> Vec<u8>,
) -> usize {
    let mut random = Random::new(seed.into());
    if random.below(4) == 0 {
        let room = bytes.len();
        return engine(bytes, length, room);
    }
    replace(bytes, &draw(&mut random))
}

fn one_of<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

/// Writes as much of an input as fits; returns its length.
fn replace(bytes: &mut [u8], input: &[u8]) -> usize {
    let length = input.len().min(bytes.len());
    bytes[..length].copy_from_slice(&input[..length]);
    length
}

/// Words of files and messages, and words that break them.
const WORDS: [&str; 41] = [
    "null",
    "true",
    "0",
    "1",
    "4",
    "28",
    "-1",
    "1e999",
    "18446744073709551615",
    "18446744073709551616",
    "\"0x7f\"",
    "\"0x\"",
    "\"a\\tb\"",
    "\"a\\nb\"",
    "\"\\u007f\"",
    "\"\\u0000\"",
    "\u{85}",
    "é",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\"tolerate\":{\"any\":true},",
    "{\"anyNaN\":true}",
    "{\"quietNaN\":true}",
    "{\"oneOf\":[]}",
    "{\"reject\":true}",
    "\"flags\":[\"tie\"],",
    "\"opsets\":[19,19],",
    "\"from\":\"string\",",
    "\"saturate\":1,",
    "\"roundMode\":\"down\",",
    "\"op\":\"castlike\",",
    "\"shape\":[],",
    "\"shape\":[0,18446744073709551615],",
    "\"status\":\"error\",\"message\":\"a\\u007fb\",",
    "{\"bye\":true}\n",
];

/// Changes one word of a text.
fn edit(text: &mut Vec<u8>, random: &mut Random) {
    let (mut word, other) = (word_at(text, random), word_at(text, random));
    let other = text[other].to_vec();
    let kind = random.below(8);
    if kind >= 5 {
        word = number_from(text, word);
    }
    let new = match kind {
        0 => vec![],
        1 => [&text[word.clone()], &other].concat(),
        2 => [one_of(random, &WORDS).as_bytes(), &text[word.clone()]].concat(),
        3 => one_of(random, &WORDS).as_bytes().to_vec(),
        4 => other,
        // A number becomes the next one, or the one before; any other word changes in one byte.
        _ => match std::str::from_utf8(&text[word.clone()]).ok().and_then(|it| it.parse().ok()) {
            Some(number) => {
                let step: fn(u64, u64) -> u64 =
                    one_of(random, &[u64::wrapping_add, u64::wrapping_sub]);
                step(number, 1).to_string().into_bytes()
            }
            None => {
                let mut changed = text[word.clone()].to_vec();
                if !changed.is_empty() {
                    let index = random.below(changed.len());
                    changed[index] = one_of(random, b"0123456789abcdefx.+-_ \"\t{}[]\xff");
                }
                changed
            }
        },
    };
    text.splice(word, new);
}

/// Returns the range of some word of a text: letters and digits, or one other byte.
fn word_at(text: &[u8], random: &mut Random) -> Range<usize> {
    if text.is_empty() {
        return 0..0;
    }
    let is_letter = |index: &usize| text[*index].is_ascii_alphanumeric() || text[*index] == b'_';
    let at = random.below(text.len());
    let start = (0..at).rev().take_while(is_letter).last().filter(|_| is_letter(&at));
    let after = (at + 1..text.len()).take_while(is_letter).last().filter(|_| is_letter(&at));
    start.unwrap_or(at)..after.unwrap_or(at) + 1
}

/// Returns the range of the first number from a word on; the range of the word itself if there is
/// none.
fn number_from(text: &[u8], word: Range<usize>) -> Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let starts = |at: &usize| text[*at].is_ascii_digit() && (*at == 0 || !is_part(&text[at - 1]));
    let Some(start) = (word.start..text.len()).find(starts) else { return word };
    let digits = text[start..].iter().take_while(|byte| is_part(byte)).count();
    start..start + digits
}

/// Texts that are not plain digits but are read, and some that are not read at all.
const LITERALS: [&str; 20] = [
    "INF", "-INF", "+INF", "inf", "Infinity", "NaN", "nan", "-nan", "-0", "-0.0", "0x10", "1_000",
    "1e", "e5", ".5", "5.", " 1", "1 ", "true", "1e400",
];

/// Returns a text that a cast from string may be asked to read: a number where its answers change,
/// to the last digit and beyond, a number of many digits, a far exponent, or a literal.
fn numeral(to: DType, random: &mut Random) -> String {
    match random.below(6) {
        0 => one_of(random, &LITERALS).to_string(),
        1 => {
            let power = 1_i128 << random.below(66);
            let sign = one_of(random, &[-1, 1]);
            (sign * power + one_of(random, &[-1, 0, 1])).to_string()
        }
        2 => {
            let sign = one_of(random, &["", "-", "+"]);
            let exponent = random.below(800) as i32 - 400;
            let (whole, part) = (digits(random), digits(random));
            let forms = [
                format!("{sign}{whole}e{exponent}"),
                format!("{sign}{whole}.{part}"),
                format!("{sign}{whole}.{part}E{exponent}"),
                format!("{sign}0.{:0>1$}", part, random.below(60)),
            ];
            forms[random.below(4)].clone()
        }
        _ => boundary(to, random),
    }
}

fn digits(random: &mut Random) -> String {
    let count = 1 + random.below(30);
    (0..count).map(|_| char::from(b'0' + random.below(10) as u8)).collect()
}

thread_local! {
    static ENDS: RefCell<HashMap<DType, Rc<Draw>>> = RefCell::default();
}

/// Returns the draw of the cast from float64, whose rules numerals follow; kept.
fn ends(to: DType) -> Rc<Draw> {
    let new = || {
        let request = Request::cast(DType::Float64, to, NEWEST);
        let pieces = partition(&request).unwrap_or_else(|error| panic!("{request}: {error}"));
        Rc::new(Draw::new(request, pieces))
    };
    ENDS.with_borrow_mut(|kept| Rc::clone(kept.entry(to).or_insert_with(new)))
}

/// Returns a number where the answers of casts from float64 change, or one beside it at a smaller
/// distance than a float64 can express.
fn boundary(to: DType, random: &mut Random) -> String {
    let code = ends(to).batch(random, 1)[0];
    let number = f64::from_bits(code);
    // A float64 has at most 767 significant digits.
    let text = match random.below(4) {
        0 => format!("{number:.800e}"),
        1 => format!("{number:e}"),
        _ => format!("{number:.40e}"),
    };
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let mantissa = mantissa.trim_end_matches('0');
    let beyond = one_of(random, &["", "0", "1", "00000000000000000000000000001"]);
    match mantissa.contains('.') {
        true => format!("{mantissa}{beyond}e{exponent}"),
        false => format!("{mantissa}.0{beyond}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseInput, TARGETS, decode};

    type Mutation = fn(&mut [u8], usize, u32) -> usize;

    /// Returns the inputs that a mutation makes of an empty input and of its own results.
    fn inputs(mutate: Mutation) -> Vec<Vec<u8>> {
        let (mut bytes, mut length) = (vec![0; 4096], 0);
        let made = (0..3000).map(|seed| {
            length = mutate(&mut bytes, length, seed);
            bytes[..length].to_vec()
        });
        made.collect()
    }

    #[test]
    fn what_is_drawn_holds() {
        let mutations: [(&str, Mutation); 4] = [
            ("vector_file", |bytes, length, seed| mutate_file(bytes, length, seed, |_, it, _| it)),
            ("protocol", |bytes, length, seed| mutate_messages(bytes, length, seed, |_, it, _| it)),
            ("parse", |bytes, length, seed| mutate_numeral(bytes, length, seed, |_, it, _| it)),
            ("print", |bytes, length, seed| mutate_code(bytes, length, seed, |_, it, _| it)),
        ];
        for (target, mutate) in mutations {
            let (_, check) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
            for input in inputs(mutate).iter().step_by(7) {
                // The input may be too short, because the first mutation may be the engine's.
                let _ = check(input);
            }
        }
    }

    #[test]
    fn numerals_are_read_or_refused() {
        let made = inputs(|bytes, length, seed| mutate_numeral(bytes, length, seed, |_, it, _| it));
        let texts: Vec<&str> =
            made.iter().filter_map(|it| Some(decode::<ParseInput>(it).ok()?.text)).collect();
        let numbers = texts.iter().filter(|text| text.parse::<f64>().is_ok()).count();
        assert!(numbers * 2 > texts.len(), "{numbers} of {} are numerals", texts.len());
        assert!(texts.iter().any(|text| text.len() > 100 && text.contains('e')));
        assert!(texts.iter().any(|text| text.contains("e-30")));
    }

    #[test]
    fn words_are_whole() {
        let mut random = Random::new(1);
        for _ in 0..200 {
            let word = word_at(b"{\"bytes\":12}", &mut random);
            let said = &b"{\"bytes\":12}"[word];
            assert!(said == b"bytes" || said == b"12" || said.len() == 1, "{said:?}");
        }
        assert_eq!(word_at(b"", &mut random), 0..0);
        assert_eq!(number_from(b"{\"float8\":12}", 0..1), 10..12);
        assert_eq!(number_from(b"{}", 1..2), 1..2);
    }

    #[test]
    fn no_more_is_written_than_there_is_room() {
        let mut bytes = [0; 5];
        for seed in 0..400 {
            assert!(mutate_messages(&mut bytes, 0, seed, |_, it, _| it) <= 5);
            assert!(mutate_numeral(&mut bytes, 5, seed, |_, it, _| it) <= 5);
        }
    }
}
