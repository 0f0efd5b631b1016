//! Texts that are drawn: numerals in every way in which people and programs write them, with their parts of any
//! length. A reader that takes `010` for octal, keeps twenty digits, or knows no `5.` is right for the few numerals of
//! the vectors.

use castproof_check::fuzz::Random;
use castproof_check::numeral::value;
use castproof_vectors::{DType, DTypeClass, Element, landmarks};

/// How many texts are drawn for one request.
const TEXTS: usize = 128;

/// How many codes of a source of more than 8 bits are drawn to be written as texts.
const CODES: usize = 128;

/// Each eighth text is of one kind.
const TURNS: usize = TEXTS / 8;

/// Zeros in every spelling.
const SPELLINGS: [&str; 6] = ["0", "0.", ".0", "0.0", "0e5", "00.00E-3"];

/// Most zeros in front of a numeral or behind it. Readers that keep digits in a buffer have room for 20 to 40.
const ZEROS: usize = 48;

/// Returns texts to be read as elements of this dtype.
pub(super) fn texts(to: DType, random: &mut Random) -> Vec<Element> {
    let text = |number: usize, random: &mut Random| match to.class() {
        DTypeClass::Integer { .. } => integer(to, number, random),
        _ => real(to, number, random),
    };
    (0..TEXTS).map(|number| Element::Text(text(number, random))).collect()
}

/// Returns codes of this dtype to be written as texts: of a narrow one all.
pub(super) fn codes(from: DType, random: &mut Random) -> Vec<Element> {
    let codes: Vec<u64> = match from.bits() {
        ..=8 => (0..=from.code_mask()).collect(),
        bits => (0..CODES)
            .map(|number| match (number % 2, from.is_float()) {
                // An integer of any length.
                (0, false) => random.number() & from.code_mask() >> random.below(bits as usize),
                (_, false) => {
                    (random.number() >> 1 >> random.below(63)).wrapping_neg() & from.code_mask()
                }
                (0, true) => near_one(from, random),
                (_, true) => random.number() & from.code_mask(),
            })
            .collect(),
    };
    codes.into_iter().map(|code| Element::code(code, from)).collect()
}

/// Returns the code of a number about one, whose numeral needs no exponent.
fn near_one(from: DType, random: &mut Random) -> u64 {
    let one = landmarks(from).and_then(|it| it.values.get("one")).map_or(1, |(one, _)| one.value());
    // The lowest bit of the code of one is the lowest bit of its exponent field.
    let binade = 1 << one.trailing_zeros();
    one - 8 * binade + random.number() % (20 * binade)
}

/// Returns an integer that the dtype has, in some spelling.
fn integer(to: DType, number: usize, random: &mut Random) -> String {
    let bits = to.bits() as usize;
    let signed = usize::from(to.is_signed());
    let most = (1_u128 << (bits - signed)) - 1;
    let drawn = u128::from(random.number()) & (most >> random.below(bits - signed + 1));
    let signs = if signed == 1 { &["", "-", "+"][..] } else { &["", "+"][..] };
    let sign = random.one_of(signs);
    let turn = number / 8;
    match number % 8 {
        0 => format!("{sign}{}{}", zeros(random), most - u128::from(random.number() % 3).min(most)),
        // Its digits are octal ones, and mean another number there.
        1 | 2 => {
            let digits = drawn.max(10).min(most).to_string();
            let octal: String = digits.chars().map(|digit| digit.min('7')).collect();
            format!("{sign}0{}{octal}", zeros(random))
        }
        // Of each number of zeros and of each length a few.
        3 => {
            let before = "0".repeat(turn * ZEROS / TURNS + random.below(ZEROS / TURNS));
            format!("{sign}{before}{drawn}")
        }
        4 => format!("{}{}", signs[1], of_length(most, turn, random)),
        5 => of_length(most, turn, random).to_string(),
        _ => format!("{sign}{}{drawn}", zeros(random)),
    }
}

/// Returns a number up to `most`, of each length of its digits in turn.
fn of_length(most: u128, turn: usize, random: &mut Random) -> u128 {
    let lengths = most.to_string().len();
    let least = 10_u128.pow((turn % lengths) as u32);
    (least + u128::from(random.number()) % (9 * least)).min(most)
}

/// Returns no zero, one, or any number of them.
fn zeros(random: &mut Random) -> String {
    let count = match random.below(4) {
        0 | 1 => 0,
        2 => 1,
        _ => random.below(ZEROS),
    };
    "0".repeat(count)
}

/// Returns a numeral, mostly one that the dtype has a number for.
fn real(to: DType, number: usize, random: &mut Random) -> String {
    let sign = *random.one_of(&["", "-", "+"]);
    let e = *random.one_of(&["e", "E"]);
    let turn = number / 8;
    match number % 8 {
        // Zeros: a sign is kept. Each spelling is drawn with it.
        0 => {
            let sign = if turn < 2 * SPELLINGS.len() { "-" } else { sign };
            format!("{sign}{}", SPELLINGS[turn % SPELLINGS.len()])
        }
        // Below the smallest number.
        1 => {
            let exponent = 60 + random.below(5_000);
            format!("{sign}{}{e}-{exponent}", 1 + random.below(99))
        }
        // A point at an end, and zeros in front: of each number a few.
        2 => {
            let before = "0".repeat(turn * ZEROS / TURNS + random.below(ZEROS / TURNS));
            format!("{sign}{before}{}.", random.below(120))
        }
        3 => format!("{sign}.{}{}", digits(1 + random.below(12), random), zeros(random)),
        // Many digits, and every spelling of an exponent, with and without a sign of the number.
        4 => {
            let sign = if turn < 4 { "" } else { sign };
            let (e, plus) = (["e", "E"][turn % 2], ["", "+"][turn / 2 % 2]);
            let (whole, part) = (random.below(10), digits(1 + random.below(40), random));
            format!("{sign}{whole}.{part}{e}{plus}{}", random.below(3))
        }
        // Zeros behind it: of each length a few.
        5 => {
            let (whole, part) = (random.below(100), digits(1 + random.below(9), random));
            let behind = "0".repeat(turn * ZEROS / TURNS + random.below(ZEROS / TURNS));
            format!("{sign}{}{whole}.{part}{behind}", zeros(random))
        }
        // A number of the target, with digits enough and to spare.
        _ => {
            let code = random.number() & to.code_mask();
            let number = value(to, code).filter(|it| it.is_finite()).unwrap_or(1.5);
            match random.below(4) {
                0 => format!("{number:e}"),
                1 => format!("{number:.40e}"),
                2 => format!("{number:.8e}").to_uppercase(),
                _ => format!("{number}"),
            }
        }
    }
}

fn digits(count: usize, random: &mut Random) -> String {
    (0..count).map(|_| char::from(b'0' + random.below(10) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(to: DType) -> Vec<String> {
        let all = (0..8).flat_map(|seed| texts(to, &mut Random::new(seed)));
        all.map(|element| element.text()).collect()
    }

    /// Each kind of numeral is drawn often, whatever the seed.
    #[test]
    fn numerals_of_every_kind_are_drawn() {
        let has = |all: &[String], what: &str, is: &dyn Fn(&str) -> bool| {
            let count = all.iter().filter(|text| is(text.trim_start_matches(['+', '-']))).count();
            assert!(count >= 8, "{what}: {count} of {}", all.len());
        };
        let integers = drawn(DType::Int64);
        has(&integers, "octal", &|it| {
            it.len() > 2 && it.starts_with('0') && it.bytes().all(|byte| byte < b'8')
        });
        has(&integers, "more than 20 zeros", &|it| it.starts_with(&"0".repeat(21)));
        has(&integers, "19 digits", &|it| !it.starts_with('0') && it.len() == 19);
        let reals = drawn(DType::Float32);
        has(&reals, "a point at the end", &|it| it.ends_with('.'));
        has(&reals, "a point at the start", &|it| it.starts_with('.'));
        has(&reals, "zeros at the end", &|it| it.contains('.') && it.ends_with(&"0".repeat(21)));
        has(&reals, "zeros at the start", &|it| it.starts_with(&"0".repeat(21)));
        has(&reals, "a far exponent", &|it| it.contains("e-4") || it.contains("E-4"));
        has(&reals, "a plus sign", &|it| it.contains("e+") || it.contains("E+"));
    }

    #[test]
    fn integers_are_those_of_the_dtype() {
        for text in drawn(DType::Int8) {
            assert!(text.parse::<i8>().is_ok(), "{text}");
        }
        for text in drawn(DType::Uint2) {
            assert!(text.parse::<u8>().is_ok_and(|it| it < 4), "{text}");
        }
    }
}
