//! Compares three readers of decimals on numerals beside ties: implementation, oracle and CPython's
//! fractions.
//!
//! A tie is built exactly, with every digit, so that the deciding digit may be hundreds of digits
//! behind it.

use castproof_impl::FromText;
use castproof_oracle::decode::finite;
use castproof_oracle::format::{CodeKind, FloatFormat, kind};
use castproof_oracle::{Caster, attribute_sets, decimal};
use castproof_vectors::random::{Random, mixed};
use castproof_vectors::{
    Attributes, DType, Element, Landmarks, NEWEST, Operator, Outcome, Request, landmarks, type_set,
};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// Numerals by index, or codes, that one thread handles for each call of Python.
const BATCH: usize = 2_000;

/// How far behind a tie the deciding digit is, where every tie is taken.
const FAR: usize = 30;

/// Compares all three readers with one another, for every float dtype in every mode, on
/// - numbers and ties of dtypes of up to 8 bits, and numerals that differ from them in a far digit,
/// - every `stride`-th of the ties of wider dtypes: all of 16 bits, those at both ends of each
///   binade of 32 and 64 bits,
/// - `count` numerals of 20 to 800 digits beside ties of all of them in turn.
pub(crate) fn decimals(count: u64, stride: usize) -> Result<String, String> {
    let targets = Target::all()?;
    let codes: Vec<Vec<u64>> = targets.iter().map(|target| target.codes(stride)).collect();
    let mut batches = Vec::new();
    for (target, codes) in targets.iter().zip(&codes) {
        batches.extend(codes.chunks(BATCH).map(|codes| Batch::Beside(target, codes)));
    }
    let firsts = (0..count).step_by(BATCH);
    batches.extend(firsts.map(|first| Batch::Long(first..count.min(first + BATCH as u64))));
    let found: Vec<(usize, Vec<String>)> = batches
        .into_par_iter()
        .map(|batch| {
            let numerals = batch.numerals(&targets);
            Ok((numerals.len(), check(batch.asked(&targets), &numerals)?))
        })
        .collect::<Result<_, String>>()?;
    let numerals: usize = found.iter().map(|(numerals, _)| numerals).sum();
    let wrong: Vec<String> = found.into_iter().flat_map(|(_, wrong)| wrong).collect();
    if wrong.is_empty() {
        return Ok(format!(
            "{numerals} decimals beside ties of {} dtypes, {count} of 20 to 800 digits: \
             implementation, oracle and CPython agree",
            targets.len()
        ));
    }
    let shown: Vec<&str> = wrong.iter().take(10).map(String::as_str).collect();
    Err(format!("{} results differ, first:\n{}", wrong.len(), shown.join("\n")))
}

/// Numerals that are sent to one Python process.
enum Batch<'a> {
    /// Numerals beside codes of a target. Only this target is asked.
    Beside(&'a Target, &'a [u64]),
    /// Long numerals, by index. Every target is asked.
    Long(Range<u64>),
}

impl Batch<'_> {
    fn numerals(&self, targets: &[Target]) -> Vec<String> {
        match self {
            Batch::Beside(target, codes) => {
                codes.iter().flat_map(|&code| target.beside(code)).collect()
            }
            Batch::Long(indices) => indices.clone().map(|index| long(targets, index)).collect(),
        }
    }

    fn asked<'a>(&'a self, targets: &'a [Target]) -> &'a [Target] {
        match self {
            Batch::Beside(target, _) => std::slice::from_ref(*target),
            Batch::Long(_) => targets,
        }
    }
}

/// Returns the numerals on which the readers differ.
fn check(targets: &[Target], numerals: &[String]) -> Result<Vec<String>, String> {
    let readers: Vec<&Reader> = targets.iter().flat_map(|target| &target.readers).collect();
    let names: Vec<String> = readers.iter().map(|reader| reader.name()).collect();
    let (mut wrong, mut lines) = (Vec::new(), names.join(" ") + "\n");
    for numeral in numerals {
        let outcomes = readers.iter().map(|reader| reader.outcome(numeral));
        match outcomes.collect::<Result<Vec<String>, String>>() {
            Ok(outcomes) => writeln!(lines, "{numeral} {}", outcomes.join(" "))
                .map_err(|error| error.to_string())?,
            Err(problem) => wrong.push(problem),
        }
    }
    wrong.extend(python(&lines)?.lines().map(|line| format!("CPython: {line}")));
    Ok(wrong)
}

/// A float dtype, with everything that reads into it.
struct Target {
    dtype: DType,
    format: FloatFormat,
    readers: Vec<Reader>,
}

impl Target {
    fn all() -> Result<Vec<Target>, String> {
        let mut targets = Vec::new();
        for dtype in type_set(Operator::Cast, NEWEST) {
            if let Some(CodeKind::Float(format)) = kind(dtype) {
                let attributes = attribute_sets(dtype, NEWEST).into_iter();
                let readers = attributes.map(|attributes| Reader::new(dtype, attributes));
                let readers = readers.collect::<Result<_, _>>()?;
                targets.push(Target { dtype, format, readers });
            }
        }
        Ok(targets)
    }

    /// The codes above which ties are taken; the largest is always among them.
    fn codes(&self, stride: usize) -> Vec<u64> {
        let largest = self.format.largest_code();
        if self.dtype.bits() <= 8 {
            return (0..=largest).collect();
        }
        let every: Vec<u64> = if self.dtype.bits() == 16 {
            (0..largest).collect()
        } else {
            let binade = 1 << self.format.significand_bits;
            let firsts = (0..largest).step_by(binade);
            let last = binade as u64 - 1;
            firsts.flat_map(|first| [first, first + 1, first + last]).collect()
        };
        every.into_iter().filter(|&code| code < largest).step_by(stride).chain([largest]).collect()
    }

    /// Returns the tie above a code and, for narrow dtypes, the number of the code itself: exactly,
    /// a little more, a little less, with both signs.
    fn beside(&self, code: u64) -> Vec<String> {
        let mut points = vec![self.tie(code)];
        if self.dtype.bits() <= 8 && (code > 0 || !self.format.has_subnormals()) {
            points.push(Digits::of(&decimal::plain(&finite(&self.format, code))));
        }
        let mut numerals = Vec::new();
        for point in points {
            for beside in [point.more(FAR), point.less(FAR), point] {
                for sign in ["", "-"] {
                    numerals.push(beside.numeral(sign, numerals.len() + code as usize));
                }
            }
        }
        numerals
    }

    /// Returns the number midway between those of two codes. For the largest code it is the number
    /// from which on a number is out of range.
    fn tie(&self, code: u64) -> Digits {
        let sum = finite(&self.format, code) + finite(&self.format, code + 1);
        Digits::of(&decimal::plain(&(sum / 2u32)))
    }
}

/// Implementation and oracle, ready for one request.
struct Reader {
    request: Request,
    implementation: FromText,
    oracle: Caster,
    landmarks: &'static Landmarks,
}

impl Reader {
    fn new(to: DType, attributes: Attributes) -> Result<Reader, String> {
        let request = Request::cast(DType::String, to, NEWEST).with(attributes);
        let mut implementation = FromText::new(to).map_err(|error| error.to_string())?;
        if let Some(on) = attributes.saturate {
            implementation = implementation.saturate(on);
        }
        if let Some(mode) = attributes.round_mode {
            implementation = implementation.round_mode(mode);
        }
        let oracle = Caster::new(&request).map_err(|error| error.to_string())?;
        let landmarks = landmarks(to).ok_or_else(|| format!("{to} has no landmarks"))?;
        Ok(Reader { request, implementation, oracle, landmarks })
    }

    /// The name of the request for the Python program.
    fn name(&self) -> String {
        let Attributes { saturate, round_mode } = self.request.attributes;
        let saturate = saturate.map_or(String::new(), |on| u8::from(on).to_string());
        format!("{}:{saturate}:{}", self.request.to, round_mode.map_or("", |mode| mode.name()))
    }

    /// Returns what the oracle expects of a numeral, if the implementation gives it.
    fn outcome(&self, numeral: &str) -> Result<String, String> {
        let code = self.implementation.code(numeral).map_err(|error| error.to_string())?;
        let element = Element::Text(numeral.into());
        let expect = self.oracle.cast_element(&element).map_err(|error| error.to_string())?.expect;
        let landmarks = self.landmarks;
        if !expect.admits(code, landmarks) {
            let request = self.request;
            return Err(format!("{request}: {code:#x}, the oracle expects {expect:x?}: {numeral}"));
        }
        match expect {
            Outcome::Code(code) => Ok(format!("{code:x}")),
            Outcome::AnyNan => Ok("nan".into()),
            Outcome::Any => Ok("any".into()),
            Outcome::OneOf(codes) => {
                let codes: Vec<String> = codes.iter().map(|code| format!("{code:x}")).collect();
                Ok(codes.join("|"))
            }
            Outcome::QuietNan | Outcome::Reject | Outcome::Text(_) => {
                Err(format!("no element of ONNX: {expect:x?}"))
            }
        }
    }
}

/// A positive number, 0.DIGITS * 10^place, without zeros at its ends.
#[derive(Debug, PartialEq, Eq)]
struct Digits {
    digits: String,
    place: i64,
}

impl Digits {
    /// Those of a number in plain notation.
    fn of(plain: &str) -> Digits {
        let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0');
        let place = whole.len() as i64 - (digits.len() - significant.len()) as i64;
        Digits { digits: significant.trim_end_matches('0').into(), place }
    }

    /// A little more: appends a one that many places behind the last digit.
    fn more(&self, places: usize) -> Digits {
        Digits { digits: format!("{}{:0>places$}", self.digits, 1), place: self.place }
    }

    /// Less by the same amount.
    fn less(&self, places: usize) -> Digits {
        let (rest, last) = self.digits.split_at(self.digits.len() - 1);
        let last = last.parse::<u8>().expect("a digit that is not zero") - 1;
        Digits { digits: format!("{rest}{last}{:9<places$}", ""), place: self.place }
    }

    /// Spells the number in one of three ways.
    fn numeral(&self, sign: &str, way: usize) -> String {
        let Digits { digits, place } = self;
        match (way % 3, usize::try_from(*place)) {
            (0, _) => format!("{sign}0.{digits}e{place}"),
            (1, _) => format!("{sign}{digits}E{}", place - digits.len() as i64),
            (_, Ok(whole)) if digits.len() > whole => {
                let (whole, fraction) = digits.split_at(whole);
                format!("{sign}{whole}.{fraction}")
            }
            (_, Ok(whole)) => format!("{sign}{digits:0<whole$}"),
            (_, Err(_)) => {
                let zeros = place.unsigned_abs() as usize;
                format!("{sign}.{:0<zeros$}{digits}", "")
            }
        }
    }
}

/// Returns the numeral of an index: a tie of one of the targets, cut or extended to its number of
/// digits.
fn long(targets: &[Target], index: u64) -> String {
    let mut random = Random::new(mixed(index));
    let target = &targets[index as usize % targets.len()];
    let mut tie = target.tie(random.number() % (target.format.largest_code() + 1));
    let length = 20 + (random.number() % 781) as usize;
    match random.number() % 3 {
        // The tie itself or, if it has more digits, a little less.
        0 => tie.digits.truncate(length),
        // A digit far behind the tie.
        1 => tie = tie.more(length.saturating_sub(tie.digits.len()).max(1)),
        // A changed digit within the tie.
        _ => {
            tie.digits.truncate(length);
            let at = (random.number() as usize) % tie.digits.len();
            let digit = char::from(b'0' + (random.number() % 10) as u8);
            tie.digits.replace_range(at..=at, digit.encode_utf8(&mut [0; 4]));
        }
    }
    let sign = if random.number().is_multiple_of(2) { "" } else { "-" };
    tie.numeral(sign, random.number() as usize)
}

/// Returns Python's answer to the lines.
fn python(lines: &str) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new(root.join("../.venv/bin/python"))
        .arg(root.join("src/decimals.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the Python of .venv does not start, run ./setup.sh: {error}"))?;
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = child.stdout.take().expect("piped");
    let mut said = String::new();
    std::thread::scope(|scope| {
        // Written while the output is read, so that no pipe fills up.
        let writing = scope.spawn(move || stdin.write_all(lines.as_bytes()));
        let read = stdout.read_to_string(&mut said).map(|_| ());
        writing.join().expect("does not panic").and(read)
    })
    .map_err(|error| format!("Python cannot be spoken with: {error}"))?;
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(said) } else { Err(format!("Python failed: {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_readers_agree() {
        let said = decimals(2_400, 97).expect("they agree");
        assert!(said.contains("12 dtypes, 2400 of 20 to 800 digits"), "{said}");
    }

    #[test]
    fn a_wrong_outcome_is_found() {
        let casts = "float16:: float8e4m3fn:0: float8e4m3fn:1: float8e4m3fnuz:0: float8e8m0:0:up";
        for (right, wrong) in [
            ("464 5f40 7e 7e 80 88", "464 5f40 7e 7e 80 87"),
            ("464.1 5f40 nan 7e 80 88", "464.1 5f40 7e 7e 80 88"),
            ("-1e-9 8000 80 80 0 any", "-1e-9 8000 80 80 80 any"),
            ("1e-40 0 0 0 0 0|1|ff", "1e-40 0 0 0 0 ff"),
            ("2049 6800 nan 7e 80 8b", "2049 6801 nan 7e 80 8b"),
        ] {
            let said = python(&format!("{casts}\n{right}\n{wrong}\n")).expect("Python runs");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }

    #[test]
    fn ties_are_exact_to_the_last_digit() {
        let targets = Target::all().expect("float dtypes");
        let target = |dtype| targets.iter().find(|target| target.dtype == dtype).expect("a float");
        for (dtype, code, digits, place) in [
            (DType::Float4E2M1, 0, "25", 0),
            (DType::Float8E4M3FN, 0x7e, "464", 3),
            (DType::Float8E8M0, 0x7f, "15", 1),
            (DType::Float16, 0, "298023223876953125", -7),
            (DType::Float32, 0x3f80_0000, "1000000059604644775390625", 1),
        ] {
            let expected = Digits { digits: digits.into(), place };
            assert_eq!(target(dtype).tie(code), expected, "{dtype} {code:#x}");
        }
        // Half the smallest subnormal of float64, 2^-1075.
        let tie = target(DType::Float64).tie(0);
        assert_eq!((tie.digits.len(), tie.place), (752, -323));
        assert!(tie.digits.starts_with("2470328229") && tie.digits.ends_with("125"));
    }

    #[test]
    fn a_number_is_spelled_in_three_ways() {
        for (plain, spelled) in [
            ("2.5", ["0.25e1", "25E-1", "2.5"]),
            ("0.0625", ["-0.625e-1", "-625E-4", "-.0625"]),
            ("1000", ["0.1e4", "1E3", "1000"]),
        ] {
            let sign = if spelled[0].starts_with('-') { "-" } else { "" };
            let digits = Digits::of(plain);
            assert_eq!([0, 1, 2].map(|way| digits.numeral(sign, way)), spelled);
        }
        let half = Digits::of("0.5");
        assert_eq!(half.more(3), Digits { digits: "5001".into(), place: 0 });
        assert_eq!(half.less(3), Digits { digits: "4999".into(), place: 0 });
    }
}
