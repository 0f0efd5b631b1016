//! Kernels of linear quantisation with a fault, written in machine floats, and what the gate says they do.

use crate::question_faults::found_by;
use castproof::finding::Finding;
use castproof::gate::Options;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Reply, Returned, Testee};
use castproof_vectors::{DType, DynamicLinear, Linear, Question, Suite, pack, unpack};

/// An element, its scale and its zero point.
type Operands = (f32, f32, i64);

/// What a fault does to a node.
#[derive(Clone, Copy)]
enum Fault {
    /// float32 to int8 or uint8 otherwise. The range is that of the output.
    Quantise(fn(Operands, (i64, i64)) -> i64),
    /// int8 or uint8 to float32 otherwise.
    Dequantise(fn(Operands, (i64, i64)) -> f32),
    /// The place of the scale of an element; -1 for its own.
    Place(fn(&Linear, usize) -> Option<usize>),
    /// Elements of 4 bits stand in the other half of each byte.
    Nibbles,
    /// The scale, the zero point, and what is divided by the scale.
    Dynamic(fn(f32, f32) -> (f32, f32), fn(f32, f32) -> f32),
}

/// Each fault: its name, its pair of dtypes, what it does, what the gate says of it.
const FAULTS: [(&str, (DType, DType), Fault, &str); 29] = {
    use DType::{Float32 as F, Int4, Int8, Int16, Uint8, Uint16};
    use Fault::{Dequantise, Dynamic, Nibbles, Place, Quantise};
    [
        (
            "reciprocal",
            (F, Int8),
            Quantise(|(x, s, z), r| finished((x * (1.0 / s)).round_ties_even(), z, r)),
            "multiplied by the rounded 1/scale instead of divided",
        ),
        (
            "reciprocal, uint8",
            (F, Uint8),
            Quantise(|(x, s, z), r| finished((x * (1.0 / s)).round_ties_even(), z, r)),
            "multiplied by the rounded 1/scale instead of divided",
        ),
        (
            "round",
            (F, Int8),
            Quantise(|(x, s, z), r| finished((x / s).round(), z, r)),
            "the quotient rounded to nearest, ties away from zero",
        ),
        (
            "trunc",
            (F, Uint8),
            Quantise(|(x, s, z), r| finished((x / s).trunc(), z, r)),
            "the quotient rounded toward zero",
        ),
        (
            "floor",
            (F, Int8),
            Quantise(|(x, s, z), r| finished((x / s).floor(), z, r)),
            "the quotient rounded down",
        ),
        (
            "ceil",
            (F, Int16),
            Quantise(|(x, s, z), r| finished((x / s).ceil(), z, r)),
            "the quotient rounded up",
        ),
        (
            "floor of x + 0.5",
            (F, Int16),
            Quantise(|(x, s, z), r| finished((f64::from(x / s) + 0.5).floor() as f32, z, r)),
            "the quotient rounded to nearest, ties up",
        ),
        (
            "x + 0.5, truncated",
            (F, Int8),
            Quantise(|(x, s, z), r| finished((x / s + 0.5_f32.copysign(x)).trunc(), z, r)),
            "the quotient rounded by adding half and truncating",
        ),
        (
            "zero point before rounding",
            (F, Uint8),
            Quantise(|(x, s, z), r| finished((x / s + z as f32).round_ties_even(), 0, r)),
            "the zero point added before rounding",
        ),
        (
            "no zero point",
            (F, Uint8),
            Quantise(|(x, s, _), r| finished((x / s).round_ties_even(), 0, r)),
            "the zero point ignored",
        ),
        (
            "zero point subtracted",
            (F, Int8),
            Quantise(|(x, s, z), r| finished((x / s).round_ties_even(), -z, r)),
            "the zero point subtracted instead of added",
        ),
        (
            "wraps",
            (F, Int8),
            Quantise(|(x, s, z), _| {
                i64::from(((x / s).round_ties_even() as i32).wrapping_add(z as i32) as i8)
            }),
            "results out of range wrap instead of saturating",
        ),
        (
            "wraps, by x86's conversion",
            (F, Uint8),
            Quantise(|(x, s, z), _| i64::from(to_int32(x / s).wrapping_add(z as i32) as u8)),
            "results out of range wrap instead of saturating",
        ),
        (
            "clamped first",
            (F, Uint8),
            Quantise(|(x, s, z), (low, high)| {
                finished((x / s).round_ties_even().clamp(low as f32, high as f32), z, (low, high))
            }),
            "saturated before the zero point is added",
        ),
        (
            "-127",
            (F, Int8),
            Quantise(|(x, s, z), (low, high)| {
                finished((x / s).round_ties_even(), z, (low + 1, high))
            }),
            "the lowest integer never used",
        ),
        (
            "x86's conversion",
            (F, Int8),
            Quantise(|(x, s, z), r| (i64::from(to_int32(x / s)) + z).clamp(r.0, r.1)),
            "quotients beyond int32 become -2^31",
        ),
        (
            "sum of int32",
            (F, Uint8),
            Quantise(|(x, s, z), r| {
                i64::from(((x / s).round_ties_even() as i32).wrapping_add(z as i32)).clamp(r.0, r.1)
            }),
            "the sum with the zero point wraps in int32",
        ),
        (
            "round, and no zero point",
            (F, Uint8),
            Quantise(|(x, s, _), r| finished((x / s).round(), 0, r)),
            "the zero point ignored; the quotient rounded to nearest, ties away from zero",
        ),
        (
            "multiplies",
            (F, Int8),
            Quantise(|(x, s, z), r| finished((x * s).round_ties_even(), z, r)),
            "multiplied by the scale instead of divided",
        ),
        ("first scale", (F, Int8), Place(|_, _| Some(0)), "the first scale used for all elements"),
        ("no zero point", (Uint8, F), Dequantise(|(q, s, _), _| q * s), "the zero point ignored"),
        (
            "zero point added",
            (Int8, F),
            Dequantise(|(q, s, z), _| (q + z as f32) * s),
            "the zero point added instead of subtracted",
        ),
        (
            "the difference wraps",
            (Uint8, F),
            Dequantise(|(q, s, z), (low, high)| {
                ((q as i64 - z - low).rem_euclid(high - low + 1) + low) as f32 * s
            }),
            "the difference with the zero point wraps in the input's dtype",
        ),
        (
            "two products",
            (Int8, F),
            Dequantise(|(q, s, z), _| q * s - z as f32 * s),
            "element and zero point multiplied by the scale apart, then subtracted",
        ),
        (
            "difference of float16",
            (Uint16, F),
            Dequantise(|(q, s, z), _| {
                let half = |x: f32| f32::from(half::f16::from_f32(x));
                half(half(q - z as f32) * half(s))
            }),
            "the product computed in float16",
        ),
        ("nibbles", (Int4, F), Nibbles, "elements packed from the highest bits of each byte"),
        ("nibbles out", (F, Int4), Nibbles, "elements packed from the highest bits of each byte"),
        (
            "a range without zero",
            (F, Uint8),
            Dynamic(|low, high| ((high - low) / 255.0, low), |x, s| (x / s).round_ties_even()),
            "a range that does not reach to zero",
        ),
        (
            "round",
            (F, Uint8),
            Dynamic(
                |low, high| ((high.max(0.0) - low.min(0.0)) / 255.0, low.min(0.0)),
                |x, s| (x / s).round(),
            ),
            "the quotient rounded to nearest, ties away from zero",
        ),
    ]
};

/// The rounded number as an int32; -2^31 for what is out of range, as x86's conversion has it.
fn to_int32(quotient: f32) -> i32 {
    let count = f64::from(quotient.round_ties_even());
    let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
    if range.contains(&count) { count as i32 } else { i32::MIN }
}

fn finished(count: f32, zero: i64, (low, high): (i64, i64)) -> i64 {
    (count as i64).saturating_add(zero).clamp(low, high)
}

/// A kernel with a fault of one pair, beside the right answers.
struct Faulty<'a> {
    inner: &'a mut Builtin,
    pair: (DType, DType),
    fault: Fault,
}

impl Faulty<'_> {
    /// Returns what the fault makes of a node; `None` where it is not of this node.
    fn node(&mut self, node: &Linear, question: &Question) -> Option<Returned> {
        let is_of_pair = (node.from, node.to) == self.pair
            && node.scale == DType::Float32
            && node.precision.is_none();
        let small = if node.to == DType::Float32 { node.from } else { node.to };
        let Reply::Output(right) = self.inner.ask(question) else { return None };
        if !is_of_pair {
            return None;
        }
        let codes = node.codes(small).ok()?;
        let count = codes.input.len();
        let mut output = unpack(node.to, &right.bytes, count).ok()?;
        let range = {
            let size = 1i64 << small.bits();
            let low = if small.is_signed() { -size / 2 } else { 0 };
            (low, low + size - 1)
        };
        let number = |code: u64| {
            let code = code as i64;
            if code > range.1 { code - (range.1 - range.0 + 1) } else { code }
        };
        if let Fault::Nibbles = self.fault {
            return Some(Returned { bytes: self.nibbles(node, &output)?, ..Returned::default() });
        }
        for (at, output) in output.iter_mut().enumerate() {
            let own = node.place(at).1;
            let place = match self.fault {
                Fault::Place(place) => place(node, at).unwrap_or(own),
                _ => own,
            };
            let zero = codes.zero_points.as_ref().map_or(0, |zeros| number(zeros[place]));
            let scale = f32::from_bits(codes.scales[place] as u32);
            let own_scale = f32::from_bits(codes.scales[own] as u32);
            if [scale, own_scale].iter().any(|it| !(*it > 0.0 && it.is_finite())) {
                continue;
            }
            let x = f32::from_bits(codes.input[at] as u32);
            match self.fault {
                Fault::Quantise(_) | Fault::Place(_) if x.is_nan() => {}
                Fault::Quantise(wrong) => {
                    *output = wrong((x, scale, zero), range) as u64 & small.code_mask();
                }
                Fault::Place(_) => {
                    let code = finished((x / scale).round_ties_even(), zero, range);
                    *output = code as u64 & small.code_mask();
                }
                Fault::Dequantise(wrong) => {
                    let q = number(codes.input[at]) as f32;
                    *output = wrong((q, scale, zero), range).to_bits().into();
                }
                Fault::Nibbles | Fault::Dynamic(..) => return None,
            }
        }
        Some(Returned { bytes: pack(node.to, &output).ok()?, ..Returned::default() })
    }

    /// The answer with the elements of each byte the other way round.
    fn nibbles(&mut self, node: &Linear, output: &[u64]) -> Option<Vec<u8>> {
        let turned = |bytes: &[u8]| bytes.iter().map(|byte| byte.rotate_left(4)).collect();
        if node.to.bits() == 4 {
            return Some(turned(&pack(node.to, output).ok()?));
        }
        let mut node = node.clone();
        node.input.0 = turned(&node.input.0);
        match self.inner.ask(&Question::DequantizeLinear(node)) {
            Reply::Output(returned) => Some(returned.bytes),
            _ => None,
        }
    }

    fn dynamic(&self, node: &DynamicLinear) -> Option<Returned> {
        let Fault::Dynamic(found, quotient) = self.fault else { return None };
        let numbers: Vec<f32> =
            node.codes().ok()?.iter().map(|&code| f32::from_bits(code as u32)).collect();
        let (low, high) = (
            numbers.iter().copied().fold(f32::INFINITY, f32::min),
            numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        );
        let (scale, low) = found(low, high);
        if !(scale > 0.0 && scale.is_finite()) || numbers.iter().any(|it| !it.is_finite()) {
            return None;
        }
        let zero = (-low / scale).round_ties_even().clamp(0.0, 255.0);
        let element = |x: &f32| (quotient(*x, scale) + zero).clamp(0.0, 255.0) as u8;
        let elements = numbers.iter().map(element);
        let bytes = scale.to_le_bytes().into_iter().chain([zero as u8]).chain(elements).collect();
        Some(Returned { bytes, ..Returned::default() })
    }
}

/// The findings of failing tests of a fault.
fn found(pair: (DType, DType), fault: Fault) -> Vec<Finding> {
    let options =
        Options { suites: vec![Suite::OnnxQuantize], pairs: vec![pair], ..Options::default() };
    found_by(&options, |question, inner| {
        let mut faulty = Faulty { inner, pair, fault };
        let wrong = match question {
            Question::QuantizeLinear(node) | Question::DequantizeLinear(node) => {
                faulty.node(node, question)
            }
            Question::DynamicQuantizeLinear(node) => faulty.dynamic(node),
            _ => None,
        };
        wrong.map(Reply::Output)
    })
}

/// Each fault is one finding, and its cause is what the kernel does.
#[test]
fn faults_of_linear_quantisation_are_named() {
    let mut wrong = Vec::new();
    for (name, pair, fault, said) in FAULTS {
        let found = found(pair, fault);
        let causes: Vec<&str> = found.iter().filter_map(|it| it.cause.as_deref()).collect();
        if found.len() != 1 || !causes.first().is_some_and(|cause| cause.contains(said)) {
            let other = found.iter().filter(|it| it.cause.is_none());
            let other: Vec<&str> = other.map(|it| it.example.sentence.as_str()).collect();
            let (count, others) = (found.len(), other.join("\n    "));
            wrong.push(format!("{name}, {pair:?}: {count} findings, {causes:?}\n    {others}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A fault of a kind that no method has gets no name.
#[test]
fn what_no_method_gives_has_no_name() {
    let odd = Fault::Quantise(|(x, s, z), r| {
        let right = finished((x / s).round_ties_even(), z, r);
        if right % 7 == 3 { right - 1 } else { right }
    });
    let found = found((DType::Float32, DType::Int8), odd);
    assert!(!found.is_empty());
    assert!(found.iter().all(|it| it.cause.is_none()), "{found:?}");
}
