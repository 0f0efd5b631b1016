//! The choice of questions about linear quantisation: ties and both sides of every end of a range for
//! each dtype, special numbers and scales, precisions, scales along axes and in blocks.

use super::choice::Asked;
use crate::answer::answer;
use castproof_oracle::decode::decode;
use castproof_oracle::encode;
use castproof_oracle::format::{CodeKind, float_format, kind};
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_vectors::{DType, DynamicLinear, Linear, Question, packed};
use std::collections::BTreeSet;

/// The versions of both operators.
const VERSIONS: [u32; 8] = [10, 13, 19, 21, 23, 24, 25, 28];

/// The newest version in which no precision is named, and the newest but one: they are asked most.
const DEEP: [u32; 2] = [21, 25];

/// Nodes whose scale has another dtype than x, or than the output of DequantizeLinear, are asked for these.
const MIXED: [DType; 5] =
    [DType::Int8, DType::Uint8, DType::Int16, DType::Float8E4M3FN, DType::Float4E2M1];

const WIDE: [DType; 3] = [DType::Float32, DType::Float16, DType::Bfloat16];

const QUANTISED: [DType; 15] = [
    DType::Int8,
    DType::Uint8,
    DType::Int16,
    DType::Uint16,
    DType::Int4,
    DType::Uint4,
    DType::Int2,
    DType::Uint2,
    DType::Float8E4M3FN,
    DType::Float8E4M3FNUZ,
    DType::Float8E5M2,
    DType::Float8E5M2FNUZ,
    DType::Float4E2M1,
    DType::Float6E2M3,
    DType::Float6E3M2,
];

/// Returns the questions.
pub(super) fn questions() -> Asked {
    let mut all = Vec::new();
    for opset in VERSIONS {
        for to in QUANTISED {
            for scale in WIDE.into_iter().chain([DType::Int32, DType::Float8E8M0]) {
                for from in WIDE.into_iter().chain([DType::Int32]) {
                    all.extend(Node { opset, from, scale, to }.quantised());
                }
                for wide in WIDE {
                    all.extend(Node { opset, from: to, scale, to: wide }.dequantised());
                }
            }
        }
        for scale in WIDE {
            all.extend(Node { opset, from: DType::Int32, scale, to: scale }.dequantised());
        }
        all.extend(placed(opset));
    }
    all.extend(dynamics());
    // The first of equal questions stays, and those that the version lacks are not asked.
    let mut seen = BTreeSet::new();
    all.retain(|ask| answer(ask, 0).is_ok() && seen.insert(ask.clone()));
    all.into_iter().map(|ask| (ask, vec![])).collect()
}

/// A node without its inputs.
#[derive(Clone, Copy)]
struct Node {
    opset: u32,
    from: DType,
    scale: DType,
    to: DType,
}

fn number(dtype: DType, code: u64) -> Option<Rational> {
    decode(&kind(dtype).expect("numeric"), code).and_then(|value| value.number())
}

/// The code nearest to a number.
fn code_of(dtype: DType, number: &Rational) -> u64 {
    let magnitude = Rational::from(number.abs_ref());
    match float_format(dtype) {
        Some(format) => Nearest::new(&magnitude, &format).clamped(&format, *number < 0),
        None => {
            let count = castproof_oracle::round::to_integer(
                &magnitude,
                castproof_oracle::round::MagnitudeRounding::NearestEven,
            );
            let count = if *number < 0 { -count.count } else { count.count };
            let most = Integer::from(i32::MAX);
            (count.min(most).to_i128().unwrap_or(i32::MIN.into()) as u64) & dtype.code_mask()
        }
    }
}

impl Node {
    /// Is it asked with many scales and zero points?
    fn is_deep(self) -> bool {
        let [small, wide] = self.sides();
        let is_asked_most = DEEP.contains(&self.opset) || small.bits() == 6;
        is_asked_most && wide == self.scale && wide != DType::Bfloat16 && wide != DType::Int32
    }

    /// The dtypes of the quantised side and of the other.
    fn sides(self) -> [DType; 2] {
        let is_back = QUANTISED.contains(&self.from);
        if is_back { [self.from, self.to] } else { [self.to, self.from] }
    }

    /// Is it asked? One that a version before has is asked again where all are asked most, and with
    /// float32.
    fn is_asked(self) -> bool {
        let [small, wide] = self.sides();
        if wide != self.scale || wide == DType::Int32 {
            return MIXED.contains(&small) && self.is_new();
        }
        DEEP.contains(&self.opset) || wide == DType::Float32 || self.is_new()
    }

    /// Has no version before it such a node?
    fn is_new(self) -> bool {
        let before = VERSIONS.into_iter().filter(|version| *version < self.opset).max();
        let Some(opset) = before else { return true };
        let scale = self.scales()[0];
        let ask = Node { opset, ..self }.ask(&[0], scale, None);
        let ask = match QUANTISED.contains(&self.from) {
            true => Question::DequantizeLinear(ask),
            false => Question::QuantizeLinear(ask),
        };
        answer(&ask, 0).is_err()
    }

    fn ask(self, input: &[u64], scale: u64, zero_point: Option<(DType, u64)>) -> Linear {
        let Node { opset, from, scale: scale_dtype, to } = self;
        let bytes = |dtype, codes: &[u64]| packed(dtype, codes).expect("codes");
        Linear {
            opset,
            from,
            to,
            scale: scale_dtype,
            shape: vec![input.len() as u64],
            scale_shape: vec![],
            axis: None,
            block_size: None,
            saturate: None,
            precision: None,
            output_dtype: opset >= 21 && zero_point.is_none(),
            input: bytes(from, input),
            scales: bytes(scale_dtype, &[scale]),
            zero_points: zero_point.map(|(dtype, code)| bytes(dtype, &[code])),
        }
    }

    /// Scales: a tenth first, because it is no power of two.
    fn scales(self) -> Vec<u64> {
        let of = |a: u32, b: u32| code_of(self.scale, &Rational::from((a, b)));
        match self.scale {
            DType::Int32 => vec![2, 3],
            DType::Float8E8M0 => vec![0x7e, 0x82, 0x01],
            _ if self.is_deep() => vec![of(1, 10), of(3, 1), 5],
            _ => vec![of(1, 10)],
        }
    }

    fn zero_points(self) -> Vec<Option<(DType, u64)>> {
        let of = |code| Some((self.to, code));
        let Some(CodeKind::Integer(integer)) = kind(self.to) else {
            return if self.opset < 21 { vec![of(0)] } else { vec![None] };
        };
        let (smallest, largest) = encode::range(&integer);
        let [low, high] = [smallest, largest].map(|end| encode::low_bits(&integer, &end));
        match (self.is_deep(), self.opset) {
            (true, _) => vec![None, of(1), of(high), of(low)],
            (false, ..21) if self.to != DType::Uint8 => vec![of(1)],
            _ => vec![None, of(1)],
        }
    }

    /// Quotients inside the range whose rounding tells, and those around its ends.
    fn quotients(self, zero_point: u64) -> [Vec<Rational>; 2] {
        let half = |twice: i64| Rational::from((twice, 2));
        let near = |middle: &Rational| -> Vec<Rational> {
            [-2, -1, 0, 1, 2].map(|twice| middle + half(twice)).into()
        };
        if let Some(CodeKind::Integer(integer)) = kind(self.to) {
            let zero = number(self.to, zero_point).expect("a number");
            let (smallest, largest) = encode::range(&integer);
            let ends = [smallest, largest].map(|end| Rational::from(end) - &zero);
            let inside = [-7, -5, -3, -1, 1, 3, 5, 7].map(half);
            let inside = inside.into_iter().filter(|it| *it >= ends[0] && *it <= ends[1]).collect();
            return [inside, ends.iter().flat_map(near).collect()];
        }
        let target = float_format(self.to).expect("a float");
        let midpoint = |code: u64| {
            let [a, b] = [code, code + 1].map(|it| castproof_oracle::decode::finite(&target, it));
            (a + b) / Rational::from(2)
        };
        let most = target.largest_code();
        let places = (0..most).filter(|code| *code < 3 || code % 12 == 5 || code + 3 > most);
        let signed = |magnitude: Rational| [Rational::from(-&magnitude), magnitude];
        [places.map(midpoint).flat_map(signed).collect(), signed(midpoint(most)).into()]
    }

    /// The code nearest to each quotient times the scale, and its neighbours.
    fn around(self, quotients: &[Rational], scale: &Rational) -> Vec<u64> {
        let mask = self.from.code_mask();
        let near = quotients.iter().flat_map(|quotient| {
            let code = code_of(self.from, &Rational::from(quotient * scale));
            [code.wrapping_sub(1) & mask, code, code.wrapping_add(1) & mask]
        });
        near.collect()
    }

    fn quantised(self) -> Vec<Question> {
        let mut all = Vec::new();
        if !self.is_asked() {
            return vec![];
        }
        for (place, scale) in self.scales().into_iter().enumerate() {
            let Some(factor) = number(self.scale, scale) else { continue };
            let few = if place == 0 { 4 } else { 2 };
            for zero_point in self.zero_points().into_iter().take(few) {
                let quotients = self.quotients(zero_point.map_or(0, |(_, code)| code));
                for quotients in &quotients {
                    let input = self.around(quotients, &factor);
                    if !input.is_empty() {
                        all.push(self.ask(&input, scale, zero_point));
                    }
                }
            }
        }
        let first = all.first().cloned();
        all.extend(first.iter().flat_map(|first| self.attributes(first)));
        all.extend(self.specials());
        all.into_iter().map(Question::QuantizeLinear).collect()
    }

    /// The same with each attribute.
    fn attributes(self, first: &Linear) -> Vec<Linear> {
        let is_float8 = float_format(self.to).is_some_and(|it| it.magnitude_bits() == 7);
        let far = [Rational::from(1 << 20), Rational::from(-(1 << 20))];
        let scale = self.scales()[0];
        let factor = number(self.scale, scale).unwrap_or_default();
        let ends = self.quotients(0)[1].clone();
        let input = self.around(&[ends, far.into()].concat(), &factor);
        let zero_point = self.zero_points()[0];
        let mut all = vec![self.ask(&input, scale, zero_point)];
        if self.opset >= 19 && (is_float8 || self.from == DType::Float32) {
            all.push(Linear { saturate: Some(false), ..all[0].clone() });
        }
        if self.opset >= 23 && self.scale != DType::Int32 && self.from == DType::Float32 {
            let precise = |precision| Linear { precision: Some(precision), ..first.clone() };
            all.extend(WIDE.map(precise));
        }
        all
    }

    /// Infinities, zeros, NaN; scales that are no positive numbers.
    fn specials(self) -> Vec<Linear> {
        let Some(source) = float_format(self.from) else { return vec![] };
        if self.from != self.scale {
            return vec![];
        }
        let negative = source.sign_bit();
        let infinity = source.top_binade();
        let one = (source.bias as u64) << source.significand_bits;
        let scale = self.scales()[0];
        let mut all = Vec::new();
        for zero_point in self.zero_points() {
            all.push(self.ask(&[one, infinity, infinity | negative], scale, zero_point));
            all.push(self.ask(&[negative, 0, 1, negative | 1], scale, zero_point));
        }
        let zero_point = self.zero_points()[0];
        let quiet = infinity | 1 << (source.significand_bits - 1);
        all.push(self.ask(&[one, quiet, quiet | negative, infinity + 1], scale, zero_point));
        let scales = if MIXED.contains(&self.to) { 5 } else { 1 };
        for scale in [0, negative, infinity, quiet, one | negative].into_iter().take(scales) {
            all.push(self.ask(&[0, one, one | negative], scale, zero_point));
        }
        if float_format(self.to).is_some() && self.opset >= 19 {
            let one_of_target = code_of(self.to, &Rational::from(1));
            all.push(self.ask(&[one, negative], scale, Some((self.to, one_of_target))));
        }
        all
    }

    fn dequantised(self) -> Vec<Question> {
        let bits = self.from.bits();
        let codes: Vec<u64> = match bits {
            2 | 4 => (0..1 << bits).collect(),
            6 | 8 => (0..1 << bits).filter(|code| code % 13 == 0 || code % 128 > 125).collect(),
            16 => vec![0, 1, 2, 0x7ff, 0x801, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff],
            _ => vec![0, 1, 0x0100_0001, 0x0100_0003, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff],
        };
        let top = 1u64 << (bits - 1);
        let zero_points: &[Option<u64>] = match kind(self.from) {
            Some(CodeKind::Integer(_)) if bits == 32 => &[None, Some(0)],
            Some(CodeKind::Integer(_)) => &[None, Some(1), Some(top), Some(top - 1)],
            _ => &[None],
        };
        let few = if self.is_deep() { zero_points.len() } else { 2.min(zero_points.len()) };
        if !self.is_asked() && self.from != DType::Int32 {
            return vec![];
        }
        let mut all = Vec::new();
        let mut scales = self.scales();
        if let Some(source) = float_format(self.scale).filter(|_| self.scale != DType::Float8E8M0) {
            scales.push(source.largest_code());
            if MIXED.contains(&self.from) {
                scales.extend([0, source.top_binade(), source.sign_bit() | scales[0]]);
            }
        }
        for (place, scale) in scales.into_iter().enumerate() {
            let few = if place == 0 { few } else { 1 };
            for zero_point in &zero_points[..few] {
                let zero_point = zero_point.map(|code| (self.from, code));
                let asked = self.ask(&codes, scale, zero_point);
                let output_dtype = self.opset >= 23 && (self.scale != self.to || place == 1);
                all.push(Question::DequantizeLinear(Linear { output_dtype, ..asked }));
            }
        }
        all
    }
}

/// The shapes of input and scales, `axis` and `block_size`.
type Layout = (&'static [u64], &'static [u64], Option<i64>, Option<u64>);

/// Scales along axes and in blocks: each is another power of two, so that every element tells its scale.
fn placed(opset: u32) -> Vec<Question> {
    let mut all = Vec::new();
    let smalls: &[DType] = match opset {
        21 | 25 => &[DType::Int8, DType::Uint8, DType::Int4, DType::Float8E4M3FN],
        _ => &[DType::Int8],
    };
    let layouts: [Layout; 11] = [
        (&[2, 3], &[2], Some(0), None),
        (&[2, 3], &[3], Some(1), None),
        (&[2, 3], &[3], None, None),
        (&[2, 2], &[2], Some(-1), None),
        (&[2, 3, 2], &[3], Some(1), None),
        (&[2, 3, 2], &[2], Some(-1), None),
        (&[2, 4], &[2, 2], Some(1), Some(2)),
        (&[2, 5], &[2, 3], Some(-1), Some(2)),
        (&[5, 2], &[2, 2], Some(0), Some(3)),
        (&[2, 3, 2], &[2, 2, 2], Some(1), Some(2)),
        (&[7], &[3], Some(0), Some(3)),
    ];
    for (shape, scale_shape, axis, block_size) in layouts {
        let count = shape.iter().product::<u64>();
        let scale_count = scale_shape.iter().product::<u64>();
        for &small in smalls {
            for has_zero_points in [false, true] {
                let (wide, is_float) = (DType::Float32, float_format(small).is_some());
                let scales: Vec<u64> = (0..scale_count).map(|at| (126 + at) << 23).collect();
                let zero_points: Vec<u64> =
                    (0..scale_count).map(|at| if is_float { 0 } else { at % 5 + 1 }).collect();
                let wide_codes: Vec<u64> =
                    (0..count).map(|at| code_of(wide, &Rational::from(12 + at))).collect();
                let small_codes: Vec<u64> =
                    (0..count).map(|at| (at * 5 + 3) & 0x7f & small.code_mask()).collect();
                let linear = |from, to, codes: &[u64], zero_point: DType| {
                    let node = Node { opset, from, scale: wide, to };
                    Linear {
                        shape: shape.to_vec(),
                        scale_shape: scale_shape.to_vec(),
                        axis,
                        block_size,
                        output_dtype: opset >= 21 && !has_zero_points && from == wide,
                        scales: packed(wide, &scales).expect("codes"),
                        zero_points: has_zero_points
                            .then(|| packed(zero_point, &zero_points).expect("codes")),
                        ..node.ask(codes, 0, None)
                    }
                };
                if has_zero_points || opset >= 21 || small == DType::Uint8 {
                    all.push(Question::QuantizeLinear(linear(wide, small, &wide_codes, small)));
                }
                all.push(Question::DequantizeLinear(linear(small, wide, &small_codes, small)));
            }
        }
    }
    all
}

/// Tensors whose scale is found.
fn dynamics() -> Vec<Question> {
    let of = |numbers: &[(i64, u64)]| -> Vec<u64> {
        numbers.iter().map(|&it| code_of(DType::Float32, &Rational::from(it))).collect()
    };
    let mut tensors = vec![
        of(&[(0, 1), (2, 1), (-3, 1), (-5, 2), (67, 50), (1, 2)]),
        of(&[(-1, 1), (-21, 10), (-13, 10), (-5, 2), (-167, 50), (-4, 1)]),
        of(&[(1, 1), (21, 10), (13, 10), (5, 2), (167, 50), (4, 1)]),
        of(&[(255, 1), (1, 2), (3, 2), (5, 2), (0, 1)]),
        of(&[(-127, 1), (128, 1), (1, 2), (-1, 2), (3, 2)]),
        of(&[(-255, 2), (255, 2), (1, 2), (1, 1)]),
        of(&[(1, 3)]),
        of(&[(-1, 3), (1, 7)]),
        of(&[(0, 1)]),
        of(&[(-1, 1000), (1000, 1)]),
        of(&[(-1000, 1), (1, 1000)]),
        // Quotients beside ties: the scale is 2/255 rounded up, and these are its odd halves.
        of(&[(0, 1), (1, 1), (2, 1)]),
        of(&[(2, 1), (1, 255), (3, 255), (5, 255), (99, 255), (253, 255), (403, 255), (509, 255)]),
        of(&[(-2, 1), (-1, 255), (-3, 255), (-101, 255), (-255, 255), (-507, 255)]),
        of(&[(-1, 1), (1, 1), (1, 255), (-1, 255), (3, 255), (-5, 255), (77, 255)]),
    ];
    let [largest, infinity, quiet, negative] = [0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 1 << 31];
    tensors.extend([vec![negative, 0], vec![largest, 0], vec![largest, largest | negative]]);
    tensors.extend([vec![1, 0], vec![0x0080_0000, 1], vec![0x0000_4000, 3]]);
    tensors.extend([vec![infinity, 0x3f80_0000], vec![quiet, 0x3f80_0000]]);
    let ask = |codes: &Vec<u64>| {
        let input = packed(DType::Float32, codes).expect("codes");
        DynamicLinear { shape: vec![codes.len() as u64], input }
    };
    tensors.iter().map(ask).map(Question::DynamicQuantizeLinear).collect()
}
