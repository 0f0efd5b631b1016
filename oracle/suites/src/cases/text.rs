//! The choice of texts to ask about a target.

use super::boundary::boundaries;
use super::flag::Flag;
use castproof_oracle::decimal::plain;
use castproof_oracle::format::{CodeKind, kind};
use castproof_oracle::number::Rational;
use castproof_vectors::{DType, Level};
use std::collections::{BTreeMap, BTreeSet};

/// Texts to ask about, each with the reasons.
pub(crate) type Texts = BTreeMap<String, BTreeSet<Flag>>;

/// Numerals in every spelling that the grammar allows, and integers around the limits of some
/// dtype.
const SPELLINGS: [&str; 37] = [
    "0",
    "-0",
    "+0",
    "0.0",
    "-0.0",
    "00",
    "1",
    "+1",
    "-1",
    "007",
    "3.14",
    "-3.14",
    "1000",
    "2.718",
    "100.5",
    ".5",
    "5.",
    "-.5",
    "1e5",
    "1E5",
    "1e+5",
    "1E-5",
    "-2.5e1",
    "0e99999999999999999999",
    "1e-99999999999999999999",
    "1e99999999999999999999",
    "-1e400",
    "1e-400",
    "36",
    "127",
    "-129",
    "256",
    "3000000000",
    "9007199254740993",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
];

/// INF and NaN.
const LITERALS: [&str; 11] =
    ["INF", "+INF", "inf", "+inf", "Inf", "-INF", "-inf", "-Inf", "NaN", "nan", "NAN"];

/// Texts that are not numerals: empty, white space, embedded NUL, other scripts, other languages'
/// syntax.
const NO_NUMERALS: [&str; 28] = [
    "",
    " ",
    " 1.5",
    "1.5 ",
    "\t1",
    "1\n",
    "1\0",
    "\0",
    "1\u{a0}",
    "\u{ff11}\u{ff12}",
    "\u{0663}",
    "\u{bd}",
    "\u{2212}1",
    "\u{221e}",
    "infinity",
    "+nan",
    "-nan",
    "0x1p3",
    "0x10",
    "1_000",
    "1,5",
    "--1",
    "1e",
    "e5",
    ".",
    "True",
    "false",
    "Hello World!",
];

/// Digits of the long numerals. In the committed vectors only one target has them.
const LONG: usize = 100_000;

/// Returns the texts of a target. Level core takes a few boundaries only, and takes the long
/// numerals only for float64. The other levels take all.
pub(crate) fn texts(to: DType, level: Level) -> Texts {
    let mut chosen = Texts::new();
    let mut add = |text: String, flag| {
        chosen.entry(text).or_default().insert(flag);
    };
    for (texts, flag) in [
        (&SPELLINGS[..], Flag::Spelling),
        (&LITERALS[..], Flag::Literal),
        (&NO_NUMERALS[..], Flag::NoNumeral),
    ] {
        for text in texts {
            add((*text).to_string(), flag);
        }
    }
    let Some(CodeKind::Float(_)) = kind(to) else { return chosen };
    for (text, flag) in beside_boundaries(to, level) {
        add(text, flag);
    }
    if level != Level::Core || to == DType::Float64 {
        for text in long() {
            add(text, Flag::Long);
        }
    }
    chosen
}

/// Boundaries that level core takes, spread over all of them.
const CORE_BOUNDARIES: usize = 6;

/// Returns numerals exactly on the boundaries of a float target, and numerals so close to them that
/// only exact arithmetic can tell: they differ in a digit far behind the last. Every other one is
/// negative.
fn beside_boundaries(to: DType, level: Level) -> Vec<(String, Flag)> {
    let (Some(source), Some(target)) = (kind(DType::Float64), kind(to)) else { return vec![] };
    let mut found = boundaries(&source, &target, if level == Level::Full { 16 } else { 8 });
    if to == DType::Float64 {
        // Between float64 and itself there is no boundary: take those between its codes.
        found = boundaries(&target, &target, 0);
    }
    let found: Vec<_> = found.into_iter().filter(|boundary| boundary.neighbours).collect();
    let step = if level == Level::Core { found.len().div_ceil(CORE_BOUNDARIES) } else { 1 };
    let mut texts = Vec::new();
    for (index, boundary) in found.iter().rev().step_by(step.max(1)).enumerate() {
        let sign = if index % 2 == 0 { "" } else { "-" };
        let flag = boundary.flag;
        let on = plain(&boundary.at);
        let point = if on.contains('.') { "" } else { "." };
        let tail = "0".repeat(20);
        texts.push((format!("{sign}{on}{point}{tail}1"), flag.outside()));
        texts.push((format!("{sign}{}", below(&boundary.at)), flag.inside()));
        texts.push((format!("{sign}{on}"), flag));
    }
    texts
}

/// A numeral a little below a positive number.
fn below(at: &Rational) -> String {
    let text = plain(at);
    let text = if text.contains('.') { text } else { text + "." };
    // Borrows from the last digit that is not 0: 2.50 becomes 2.4999...
    let last = text.rfind(|c: char| ('1'..='9').contains(&c)).expect("a positive number");
    let mut bytes = text.into_bytes();
    bytes[last] -= 1;
    for byte in &mut bytes[last + 1..] {
        if *byte == b'0' {
            *byte = b'9';
        }
    }
    bytes.extend([b'9'; 21]);
    String::from_utf8(bytes).expect("ASCII digits")
}

/// Returns a tie that only the last of very many digits breaks, and a number with very many digits.
fn long() -> [String; 2] {
    let zeros = "0".repeat(LONG - 18);
    // 2^53 + 1 is midway between two float64; so are 2^24 + 1 in float32 and 2049 in float16
    // times powers of two, but one witness is enough for each digit loop.
    [format!("9007199254740993.{zeros}1"), "9".repeat(400) + "." + &"9".repeat(600)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_oracle::decimal::read;

    #[test]
    fn below_is_below() {
        for (number, text) in [((5, 2), "2.4"), ((1000, 1), "0999."), ((1, 16), "0.0624")] {
            let number = Rational::from(number);
            let below = below(&number);
            assert!(below.starts_with(text), "{below}");
            let read = read(&below).expect("a numeral").value.number().expect("finite");
            assert!(read < number && read > number * Rational::from((999, 1000)), "{below}");
        }
    }
}
