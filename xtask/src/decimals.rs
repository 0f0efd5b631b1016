//! Reading decimals: implementation, oracle and CPython's fractions, on numerals beside ties.

use castproof_impl::FromText;
use castproof_oracle::Caster;
use castproof_vectors::{DType, Element, Outcome, Request};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// The targets, in the order in which the Python program takes them.
const TARGETS: [DType; 3] = [DType::Float16, DType::Float32, DType::Float64];

/// Numerals that one thread works on before it speaks with Python.
const BATCH: u64 = 10_000;

/// Makes `count` numerals of 20 to 800 digits beside ties of the targets in turn, and holds all
/// three readers to one another.
pub(crate) fn decimals(count: u64) -> Result<String, String> {
    let batches = count.div_ceil(BATCH);
    let wrong: Vec<String> = (0..batches)
        .into_par_iter()
        .map(|batch| check(batch * BATCH, BATCH.min(count - batch * BATCH)))
        .collect::<Result<Vec<_>, String>>()?
        .concat();
    if wrong.is_empty() {
        return Ok(format!(
            "{count} decimals of 20 to 800 digits: implementation, oracle and CPython agree"
        ));
    }
    let shown: Vec<&str> = wrong.iter().take(10).map(String::as_str).collect();
    Err(format!("{} decimals differ, first:\n{}", wrong.len(), shown.join("\n")))
}

/// The lines of a batch on which the readers differ.
fn check(first: u64, count: u64) -> Result<Vec<String>, String> {
    let readers = Readers::new()?;
    let (mut wrong, mut lines) = (Vec::new(), String::new());
    for index in first..first + count {
        let numeral = numeral(index);
        match readers.codes(&numeral) {
            Ok([half, single, double]) => {
                writeln!(lines, "{half:x} {single:x} {double:x} {numeral}")
                    .map_err(|error| error.to_string())?;
            }
            Err(problem) => wrong.push(problem),
        }
    }
    wrong.extend(python(&lines)?.lines().map(|line| format!("CPython disagrees: {line}")));
    Ok(wrong)
}

/// Implementation and oracle, ready for each target.
struct Readers {
    implementation: [FromText; 3],
    oracle: Vec<Caster>,
}

impl Readers {
    fn new() -> Result<Readers, String> {
        let oracle = TARGETS.map(|to| Caster::new(&Request::cast(DType::String, to, 28)));
        Ok(Readers {
            implementation: TARGETS.map(|to| FromText::new(to).expect("a float dtype")),
            oracle: oracle.into_iter().collect::<Result<_, _>>().map_err(|e| e.to_string())?,
        })
    }

    /// The codes of a numeral, on which both agree.
    fn codes(&self, numeral: &str) -> Result<[u64; 3], String> {
        let element = Element::Text(numeral.into());
        let mut codes = [0; 3];
        for (index, to) in TARGETS.into_iter().enumerate() {
            let code = self.implementation[index].code(numeral).map_err(|e| e.to_string())?;
            let answer = self.oracle[index].cast_element(&element).map_err(|e| e.to_string())?;
            if answer.expect != Outcome::Code(code) {
                let expect = answer.expect;
                return Err(format!("{to}: {code:#x}, the oracle expects {expect:x?}: {numeral}"));
            }
            codes[index] = code;
        }
        Ok(codes)
    }
}

/// The numeral of an index: a tie of one of the targets, cut or drawn out to its number of digits,
/// so that what decides may stand hundreds of digits behind the tie.
fn numeral(index: u64) -> String {
    let mut random = Random(index.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
    let tie = tie(index, &mut random);
    let digits = 20 + (random.next() % 781) as usize;
    // Every digit of the tie, of which a float64 midpoint has 768 at most.
    let text = format!("{tie:.780e}");
    let (mantissa, exponent) = text.split_once('e').expect("scientific notation");
    let exact = mantissa.trim_end_matches('0').trim_end_matches('.');
    let mut mantissa = mantissa.to_string();
    match random.next() % 3 {
        // The tie itself, or, where it has more digits, a little less.
        0 => mantissa.truncate(digits + 1),
        // A digit far behind the tie.
        1 => {
            mantissa = if exact.contains('.') { exact.into() } else { format!("{exact}.") };
            while mantissa.len() < digits {
                mantissa.push('0');
            }
            mantissa.push('1');
        }
        // A digit changed on the way.
        _ => {
            mantissa.truncate(digits + 1);
            let at = 2 + (random.next() as usize) % (mantissa.len() - 2);
            let digit = char::from(b'0' + (random.next() % 10) as u8);
            mantissa.replace_range(at..=at, digit.encode_utf8(&mut [0; 4]));
        }
    }
    let sign = if random.next().is_multiple_of(2) { "" } else { "-" };
    format!("{sign}{mantissa}e{exponent}")
}

/// A positive midpoint between two numbers of a target; of float64, whose midpoints no float64
/// holds, a float64 itself, which digits of the numeral then leave.
fn tie(index: u64, random: &mut Random) -> f64 {
    let bits = random.next();
    match index % 3 {
        // float16: 10 significand bits and one more, from the smallest subnormal up.
        0 => {
            let exponent = bits % 31;
            let scale = f64::powi(2.0, i32::try_from(exponent.max(1)).expect("small") - 26);
            let significand = if exponent == 0 { bits >> 54 } else { 1 << 10 | bits >> 54 };
            (2.0 * significand as f64 + 1.0) * scale
        }
        1 => {
            let low = (bits >> 32) as u32 % 0x7f7f_ffff;
            f64::midpoint(f32::from_bits(low).into(), f32::from_bits(low + 1).into())
        }
        _ => f64::from_bits(bits % 0x7fef_ffff_ffff_ffff),
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The lines that Python does not agree with.
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
        // Written beside the reading, so that no pipe fills up.
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
        decimals(3_000).expect("they agree");
    }

    #[test]
    fn a_wrong_code_is_found() {
        let right = "3c00 3f800000 3ff0000000000000 1\n";
        let wrong = "3c00 3f800001 3ff0000000000000 1\n";
        assert_eq!(python(&format!("{right}{wrong}")).as_deref(), Ok(wrong));
    }
}
