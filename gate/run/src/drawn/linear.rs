//! Nodes of linear quantisation, drawn. A kernel may be wrong for some scales, zero points, results, or by place, and right
//! for the nodes of the file, which have few of each: the product with the rounded reciprocal of a scale of 0.3 gives -128
//! for -38.25, the quotient -127.

use super::values::one_of;
use castproof_vectors::random::Random;
use castproof_vectors::{
    Bytes, DType, DynamicLinear, Hex, Linear, Question, element_count, landmarks, pack, unpack,
};
use std::collections::{BTreeMap, BTreeSet};

/// Lengths of tensors with one scale. The third has every number of 8 bits; the last is longer than the pieces in which kernels
/// walk.
const LENGTHS: [u64; 4] = [7, 39, 277, 2085];

/// With so many scales, one is in each binade of float32.
const MANY: usize = 255;

/// The first version with an axis, and that with blocks.
const AXES: u32 = 13;
const BLOCKS: u32 = 21;

/// The versions that have a node of these dtypes of input, scale and output.
pub(super) struct Versions(BTreeMap<[DType; 3], BTreeSet<u32>>);

impl Versions {
    /// Collects the versions of all nodes.
    pub(super) fn of<'a>(asks: impl Iterator<Item = &'a Question>) -> Versions {
        let mut versions: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
        for ask in asks {
            if let Question::QuantizeLinear(node) | Question::DequantizeLinear(node) = ask {
                versions.entry([node.from, node.scale, node.to]).or_default().insert(node.opset);
            }
        }
        Versions(versions)
    }

    /// Is the node asked in all shapes? Kernels differ in rounding from one version and dtype of scale to the next, not in
    /// how they walk, so one version is enough: the first with blocks, which most runtimes have, or else the newest.
    fn has_all_shapes(&self, node: &Linear) -> bool {
        if node.scale != DType::Float32 {
            return false;
        }
        let Some(versions) = self.0.get(&[node.from, node.scale, node.to]) else { return true };
        versions.range(BLOCKS..).next().or(versions.last()) == Some(&node.opset)
    }

    /// Returns the question with shapes that are drawn, and how often each is to be asked. Its inputs are those of before,
    /// until they are drawn, too.
    pub(super) fn shaped(&self, ask: &Question, random: &mut Random) -> Vec<(Question, usize)> {
        let mut of = |node: &Linear, asked: fn(Linear) -> Question| {
            let nodes = laid(node, self.has_all_shapes(node), random).into_iter();
            nodes.map(|(node, times)| (asked(node), times)).collect()
        };
        match ask {
            Question::QuantizeLinear(node) => of(node, Question::QuantizeLinear),
            Question::DequantizeLinear(node) => of(node, Question::DequantizeLinear),
            Question::DynamicQuantizeLinear(_) => {
                let shaped = LENGTHS
                    .map(|count| DynamicLinear { shape: vec![count], input: Bytes(Vec::new()) });
                shaped.map(|node| (Question::DynamicQuantizeLinear(node), 4)).into()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns the node with other scales, zero points and elements, as many as its shapes have. `small` is the dtype of the
/// zero points, which is what is quantised, or was.
pub(super) fn filled(node: &Linear, small: DType, random: &mut Random) -> Option<Linear> {
    let is_quantised = small == node.to;
    let count = element_count(&node.shape).ok()?;
    let scales = element_count(&node.scale_shape).ok()?;
    let scales: Vec<u64> = (0..scales).map(|at| scale(node.scale, (at, scales), random)).collect();
    let zero_points = match &node.zero_points {
        Some(Bytes(before)) => {
            let many = before.len() * 8 / small.bits() as usize;
            let before = *unpack(small, before, many).ok()?.first()?;
            Some(zero_points((small, before), scales.len(), random))
        }
        None => None,
    };
    let numbers = sweep(small, random);
    let input: Vec<u64> = (0..count)
        .map(|at| {
            let number = numbers.code(at);
            if !is_quantised {
                return number;
            }
            let (_, place) = node.place(at);
            let zero = zero_points.as_ref().map_or(0, |zeros| zeros[place]);
            let quotient = quotient((small, number), zero, random);
            beside((node.from, quotient * value(node.scale, scales[place])), random)
        })
        .collect();
    Some(Linear {
        input: Bytes(pack(node.from, &input).ok()?),
        scales: Bytes(pack(node.scale, &scales).ok()?),
        zero_points: match zero_points {
            Some(codes) => Some(Bytes(pack(small, &codes).ok()?)),
            None => None,
        },
        ..node.clone()
    })
}

/// Draws layouts of elements and scales that the version has.
fn laid(node: &Linear, in_all: bool, random: &mut Random) -> Vec<(Linear, usize)> {
    let with = |shape: Vec<u64>, scale_shape: Vec<u64>, axis, block_size| Linear {
        shape,
        scale_shape,
        axis,
        block_size,
        ..node.clone()
    };
    let length = if in_all { LENGTHS[2] } else { LENGTHS[random.below(3)] };
    let mut all = vec![(with(vec![length], vec![], None, None), 2)];
    if in_all {
        all.push((with(vec![LENGTHS[3]], vec![], None, None), 1));
        let one_scale = [0, 2, 3, 4].map(|rank| with(sides(rank, random).0, vec![], None, None));
        all.extend(one_scale.map(|node| (node, 1)));
    }
    // The text contradicts itself about scales along the axis of a tensor of rank 1.
    for rank in 2..=4 {
        if node.opset < AXES || !in_all && random.below(4) > 0 {
            continue;
        }
        let (mut shape, axis, given) = sides(rank, random);
        let has_many = rank == 2;
        shape[axis] = if has_many { MANY as u64 + 5 } else { [5, 70][random.below(2)] };
        let scales = vec![shape[axis]];
        all.push((with(shape, scales, Some(given), None), 1 + usize::from(has_many)));
    }
    for size in [16, 32, 64, 128] {
        for ranks in [1, 3] {
            if node.opset < BLOCKS || !in_all && random.below(10) > 0 {
                continue;
            }
            let (mut shape, axis, given) = sides(ranks + random.below(2), random);
            shape[axis] = size + 1 + random.below(size as usize) as u64;
            let mut scales = shape.clone();
            scales[axis] = 2;
            all.push((with(shape, scales, Some(given), Some(size)), 1));
        }
    }
    all
}

/// Draws a shape of this rank with short sides, and an axis: its place, and as an attribute gives it.
fn sides(rank: usize, random: &mut Random) -> (Vec<u64>, usize, i64) {
    let shape = (0..rank).map(|_| 1 + random.below(3) as u64).collect();
    let axis = random.below(rank.max(1));
    let is_from_end = random.below(2) == 0;
    (shape, axis, axis as i64 - if is_from_end { rank as i64 } else { 0 })
}

/// Draws a positive scale, which has this place among so many: near one or anywhere; of 255 and more, one in each binade of
/// float32.
fn scale(dtype: DType, (at, count): (usize, usize), random: &mut Random) -> u64 {
    let Some((one, bits)) = one_of(dtype) else { return 1 + random.below(1000) as u64 };
    let infinity = landmarks(dtype).and_then(|it| it.infinity.first().map(Hex::value));
    // Without infinities the highest code is NaN.
    let end = infinity.unwrap_or(dtype.code_mask());
    if count >= MANY || random.below(2) == 0 {
        let binade = if count >= MANY { at as u64 } else { random.number() };
        let significand = random.number() & ((1 << bits) - 1);
        return ((binade % (end >> bits).max(1)) << bits | significand).clamp(1, end - 1);
    }
    let binades = (one >> bits).min(12);
    one - (binades << bits) + random.number() % ((2 * binades) << bits)
}

/// Draws as many zero points as there are scales. Those of floats and int32 are as before: zero, in all but a few nodes.
fn zero_points((dtype, before): (DType, u64), count: usize, random: &mut Random) -> Vec<u64> {
    if one_of(dtype).is_some() || dtype == DType::Int32 {
        return vec![before; count];
    }
    let top = 1 << (dtype.bits() - 1);
    let ends = [0, 1, top - 1, top, dtype.code_mask() - 1, dtype.code_mask()];
    let draw = |random: &mut Random| match random.below(3) {
        0 => *random.one_of(&ends),
        _ => random.number(),
    };
    (0..count).map(|_| draw(random) & dtype.code_mask()).collect()
}

/// Codes of a dtype one after the other, so that a tensor of 277 elements has every one of 8 bits.
struct Sweep {
    mask: u64,
    first: u64,
    step: u64,
}

fn sweep(dtype: DType, random: &mut Random) -> Sweep {
    let (mask, first) = (dtype.code_mask(), random.number());
    Sweep { mask, first, step: random.number() | 1 }
}

impl Sweep {
    fn code(&self, at: usize) -> u64 {
        self.first.wrapping_add(self.step.wrapping_mul(at as u64)) & self.mask
    }
}

/// Draws a quotient whose rounding tells: halfway between the number of a code and the next one, or near it; one in
/// eight is far from every number.
fn quotient((dtype, code): (DType, u64), zero: u64, random: &mut Random) -> f64 {
    let far = random.below(8) == 0;
    let here = value(dtype, code);
    if far {
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        return sign * 2f64.powi(random.below(72) as i32 - 4);
    }
    if one_of(dtype).is_none() {
        return here - value(dtype, zero) + [-0.5, 0.5, 0.5, 0.0][random.below(4)];
    }
    let next = value(dtype, code ^ 1);
    if here.is_finite() && next.is_finite() { (here + next) / 2.0 } else { 1.0 }
}

/// Returns the code of a number, or one beside it.
fn beside((dtype, number): (DType, f64), random: &mut Random) -> u64 {
    let Some((one, bits)) = one_of(dtype) else {
        let number = number.clamp(i32::MIN.into(), i32::MAX.into()) as i64;
        return (number + random.below(3) as i64 - 1) as u64 & dtype.code_mask();
    };
    let infinity = landmarks(dtype).and_then(|it| it.infinity.first().map(Hex::value));
    let most = infinity.unwrap_or(dtype.code_mask() >> 1) - 1;
    let magnitude = number.abs();
    let exponent = magnitude.log2().floor().clamp(-1100.0, 1100.0);
    let fraction = (magnitude / exponent.exp2() - 1.0).max(0.0);
    let unit = (1u64 << bits) as f64;
    let code = one as f64 + (exponent * unit) + (fraction * unit).round();
    let step = [-2, -1, 0, 0, 0, 1, 2, 5][random.below(8)];
    let code = (code.clamp(0.0, most as f64) as i64 + step).clamp(0, most as i64) as u64;
    let sign = u64::from(number < 0.0) << (dtype.bits() - 1);
    code | sign
}

/// Returns the number of a code; of an infinity or a NaN some number.
fn value(dtype: DType, code: u64) -> f64 {
    let Some((one, bits)) = one_of(dtype) else {
        let is_negative = dtype.is_signed() && code >> (dtype.bits() - 1) == 1;
        return code as f64 - if is_negative { 2f64.powi(dtype.bits() as i32) } else { 0.0 };
    };
    let sign = 1 << (dtype.bits() - 1);
    let magnitude = if dtype == DType::Float8E8M0 { code } else { code & (sign - 1) };
    let (field, significand) = (magnitude >> bits, (magnitude & ((1 << bits) - 1)) as f64);
    let (bias, unit) = ((one >> bits) as i32, (1u64 << bits) as f64);
    let number = match field {
        0 if bits > 0 => significand / unit * 2f64.powi(1 - bias),
        _ => (1.0 + significand / unit) * 2f64.powi(field as i32 - bias),
    };
    if magnitude != code { -number } else { number }
}

/// Returns a tensor of as many numbers whose scale and zero point are far from every tie, or exact: what is due of an
/// element does not depend on how the scale was rounded.
pub(super) fn dynamic(node: &DynamicLinear, random: &mut Random) -> Option<DynamicLinear> {
    let count = element_count(&node.shape).ok()?;
    if count < 2 {
        return None;
    }
    let unit = |random: &mut Random| (random.number() >> 40) as f32 / (1u32 << 24) as f32;
    // Under a power of two the zero point may be a tie: -1.5 to 253.5 has 1.5, which becomes 2.
    let is_exact = random.below(2) == 0;
    let significand = if is_exact { 1.0 } else { 0.5 + unit(random) };
    let scale = significand * 2f32.powi(random.below(12) as i32 - 6);
    let zero_point = random.below(255) as f32 + if is_exact { 0.5 } else { 0.0 };
    let [low, high] = [-zero_point, 255.0 - zero_point];
    let mut numbers = vec![low * scale, high * scale];
    for _ in 2..count {
        let beside = if is_exact { [0.0, 0.5][random.below(2)] } else { 0.8 * unit(random) - 0.4 };
        let step = random.below(256) as f32 - zero_point.floor() + beside;
        numbers.push(step.clamp(low, high) * scale);
    }
    let turn = random.below(count);
    numbers.rotate_left(turn);
    let codes: Vec<u64> = numbers.iter().map(|number| u64::from(number.to_bits())).collect();
    Some(DynamicLinear { input: Bytes(pack(DType::Float32, &codes).ok()?), ..node.clone() })
}
