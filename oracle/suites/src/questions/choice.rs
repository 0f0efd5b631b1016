//! The choice of the questions that the suites ask.

use crate::answer::{Answer, answer, reject};
use crate::attributes::telling_attributes;
use crate::cases::{Flag, cases, chosen};
use castproof_oracle::{DTYPES, attribute_sets, bitcast_dtypes, real_dtypes};

use castproof_vectors::{
    Attributes, Bitcast, Bytes, CastLike, ComplexCast, DType, Element, Hex, Level, NEWEST, Number,
    Operand, Operator, Outcome, Profile, Promote, Question, Request, Scalar, Spec, Suite, System,
    tensor_len, versions,
};
use std::collections::BTreeSet;

/// Questions with the operator versions in which they have one answer.
pub(super) type Asked = Vec<(Question, Vec<u32>)>;

/// Elements of each pair and combination of attributes of `CastLike`: in level core, and in the
/// other levels.
const CASTLIKE_TESTS: [usize; 2] = [1, 24];

/// `CastLike` does what `Cast` does, so few elements of each pair are enough.
pub(super) fn cast_like(level: Level) -> Asked {
    let limit = CASTLIKE_TESTS[usize::from(level != Level::Core)];
    let newest_types: Vec<DType> =
        DType::CAST.iter().copied().filter(|dtype| dtype.bits() != 6).collect();
    let mut asked = Vec::new();
    for &from in &newest_types {
        for &to in &newest_types {
            let sets = attribute_sets(to, NEWEST);
            let chosen = chosen(from, to, Level::Core);
            let mut elements = telling_attributes(Spec::cast_like(NEWEST), (from, to), &chosen);
            elements.extend(spread(chosen, limit));
            let mut asked_about = BTreeSet::new();
            elements.retain(|element| asked_about.insert(element.clone()));
            for attributes in sets {
                for input in &elements {
                    let input = input.clone();
                    let question = Question::CastLike(CastLike { from, to, attributes, input });
                    asked.extend(by_answer(&question));
                }
            }
        }
    }
    // CL-05: one dtype that CastLike never got.
    let input = Element::code(0x3f80_0000, DType::Float32);
    let (from, to) = (DType::Float32, DType::Float6E2M3);
    let attributes = Attributes::default();
    let question = Question::CastLike(CastLike { from, to, attributes, input });
    asked.push((question, vec![NEWEST]));
    asked
}

/// The versions that accept the question, by answer.
fn by_answer(question: &Question) -> Asked {
    let mut groups: Vec<(Answer, Vec<u32>)> = Vec::new();
    for &version in versions(Operator::CastLike) {
        let answer = answer(question, version).expect("elements of the dtype");
        if answer.expect == reject() {
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == answer) {
            Some((_, versions)) => versions.push(version),
            None => groups.push((answer, vec![version])),
        }
    }
    groups.into_iter().map(|(_, versions)| (question.clone(), versions)).collect()
}

/// Returns at most `limit` elements, spread over all, first those at a tie or a limit.
pub(super) fn spread(chosen: Vec<(Element, BTreeSet<Flag>)>, limit: usize) -> Vec<Element> {
    let telling = [Flag::TieAbove, Flag::Overflow, Flag::IntegralAbove, Flag::IntegerLimit];
    let (mut first, rest): (Vec<_>, Vec<_>) =
        chosen.into_iter().partition(|(_, flags)| telling.iter().any(|flag| flags.contains(flag)));
    if first.len() < limit {
        first.extend(rest);
    }
    let step = (first.len() / limit).max(1);
    let start = step / 2;
    first.into_iter().skip(start).step_by(step).take(limit).map(|(element, _)| element).collect()
}

/// Every cell of both tables.
pub(super) fn promotions() -> Asked {
    let question = |(tensor, with)| (Question::Promote(Promote { tensor, with }), vec![]);
    cells().map(question).collect()
}

/// Every cell of both tables of promotion: a tensor, and the other operand.
pub(super) fn cells() -> impl Iterator<Item = (DType, Operand)> {
    let tensors =
        DTYPES.into_iter().flat_map(|tensor| DTYPES.map(|other| (tensor, Operand::Tensor(other))));
    let numbers = DTYPES
        .into_iter()
        .flat_map(|tensor| Number::ALL.map(|number| (tensor, Operand::Number(number))));
    tensors.chain(numbers)
}

/// float32 codes that make telling parts: 1.5, -2.25, 300.7, 0.3, zeros, infinities, NaN.
const PARTS: [(u64, u64); 7] = [
    (0x3fc0_0000, 0xc010_0000),
    (0x0000_0000, 0x4040_0000),
    (0x8000_0000, 0x0000_0000),
    (0x4396_599a, 0x3e99_999a),
    (0x7f80_0000, 0xff80_0000),
    (0x7fc0_0000, 0x3f80_0000),
    (0x0000_0001, 0x7fc0_0000),
];

/// float64 codes beyond float32: 1e300 with a tie of float32, 1 + 2^-40 with 2^-1074.
const WIDE_PARTS: [(u64, u64); 2] = [
    (0x7e37_e43c_8800_759c, 0x3ff0_0000_1000_0000),
    (0x3ff0_0000_0000_1000, 0x0000_0000_0000_0001),
];

/// Codes of a real source.
const REAL_CODES: usize = 5;

/// Returns every pair in which one dtype is complex, in every profile.
pub(super) fn complex_casts() -> Asked {
    let mut asked = Vec::new();
    for profile in Profile::ALL.into_iter().filter(|&profile| real_dtypes(profile).next().is_some())
    {
        for complex in [DType::Complex64, DType::Complex128] {
            let inputs = complex_inputs(complex);
            let targets = real_dtypes(profile).chain([DType::Complex64, DType::Complex128]);
            for to in targets.filter(|&to| to != complex) {
                for &input in &inputs {
                    let from = complex;
                    asked.push(ComplexCast { profile, from, to, input });
                }
            }
            for from in real_dtypes(profile) {
                for input in real_inputs(from) {
                    asked.push(ComplexCast { profile, from, to: complex, input });
                }
            }
        }
    }
    asked.into_iter().map(|question| (Question::ComplexCast(question), vec![])).collect()
}

pub(super) fn complex_inputs(dtype: DType) -> Vec<Scalar> {
    let part = dtype.part().expect("a complex dtype");
    let widen = |code: u64| match part {
        DType::Float32 => code,
        _ => widened(code),
    };
    let both =
        |(real, imaginary)| Scalar::Complex([real, imaginary].map(|code| Hex::new(code, part)));
    let mut inputs: Vec<Scalar> =
        PARTS.iter().map(|&(real, imaginary)| both((widen(real), widen(imaginary)))).collect();
    if part == DType::Float64 {
        inputs.extend(WIDE_PARTS.iter().map(|&parts| both(parts)));
    }
    inputs
}

/// A float32 code as float64; NaN quiet and without payload.
fn widened(code: u64) -> u64 {
    let request = Request::cast(DType::Float32, DType::Float64, NEWEST);
    match castproof_oracle::cast(&request, code).expect("a float32 code").expect {
        Outcome::Code(code) => code,
        _ => 0x7ff8_0000_0000_0000,
    }
}

fn real_inputs(from: DType) -> Vec<Scalar> {
    let codes: Vec<u64> = cases(from, from, Level::Core).into_keys().collect();
    let step = (codes.len() / REAL_CODES).max(1);
    let mut inputs: Vec<u64> = codes.iter().copied().step_by(step).collect();
    inputs.extend(codes.last());
    inputs.dedup();
    inputs.into_iter().map(|code| Scalar::Real(Hex::new(code, from))).collect()
}

/// Returns every pair of a system's dtypes, with a shape that fits and one that does not, and a
/// pair with each dtype that the system refuses.
pub(super) fn bitcasts(suite: Suite) -> Asked {
    let system = if suite == Suite::TfBitcast { System::Tensorflow } else { System::Onnx };
    let known = bitcast_dtypes(system);
    let mut asked = Vec::new();
    for &from in known {
        for &to in known {
            for shape in shapes(system, from, to) {
                asked.push(bitcast(system, from, to, shape));
            }
        }
    }
    for dtype in DType::NUMERIC.iter().filter(|dtype| !known.contains(dtype)) {
        for (from, to) in [(*dtype, DType::Uint8), (DType::Uint8, *dtype)] {
            asked.push(bitcast(system, from, to, vec![4]));
        }
    }
    asked.sort();
    asked.dedup();
    asked.into_iter().map(|question| (Question::Bitcast(question), vec![])).collect()
}

fn shapes(system: System, from: DType, to: DType) -> Vec<Vec<u64>> {
    let (wide, narrow) = (u64::from(from.bits()), u64::from(to.bits()));
    // A few pairs get every kind of shape. The others get enough to show that they are supported.
    let telling = match system {
        System::Tensorflow => {
            [(DType::Uint8, DType::Uint32), (DType::Uint32, DType::Uint8)].contains(&(from, to))
                || from.part().is_some()
                || to.part().is_some()
        }
        System::Onnx => from == DType::Int8 || from == DType::Uint4 || from == DType::Uint2,
    };
    let mut shapes = if wide < narrow && system == System::Tensorflow {
        let ratio = narrow / wide;
        let mut shapes = vec![vec![2, ratio]];
        if telling {
            shapes.extend([vec![], vec![ratio], vec![ratio + 1], vec![0, ratio], vec![2, 0]]);
            shapes.extend([vec![2 * ratio]]);
        }
        shapes
    } else {
        let mut shapes = vec![vec![3]];
        if telling && (wide == narrow || system == System::Tensorflow) {
            shapes.extend([vec![], vec![0], vec![2, 1]]);
        }
        shapes
    };
    shapes.dedup();
    shapes
}

/// Bytes that show their order, with a signalling NaN of several floats among them.
const PATTERN: [u8; 16] = [
    0x01, 0x00, 0x80, 0x7f, 0x34, 0x12, 0xf0, 0xff, 0x98, 0xba, 0xdc, 0xfe, 0x00, 0x80, 0x7f, 0x02,
];

fn bitcast(system: System, from: DType, to: DType, shape: Vec<u64>) -> Bitcast {
    let length = tensor_len(from, &shape).expect("a small shape");
    let mut bytes: Vec<u8> = (0..length).map(|index| PATTERN[index % PATTERN.len()]).collect();
    let count: u64 = shape.iter().product();
    let padding = (length as u64 * 8 - count * u64::from(from.bits())) as u32;
    if let Some(last) = bytes.last_mut() {
        *last &= 0xff >> padding;
    }
    if from == DType::Bool {
        bytes.iter_mut().for_each(|byte| *byte &= 1);
    }
    Bitcast { system, from, to, shape, input: Bytes(bytes) }
}
