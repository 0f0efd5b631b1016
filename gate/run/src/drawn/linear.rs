//! Nodes of linear quantisation, drawn.

use super::values::{code, one_of};
use castproof_vectors::random::Random;
use castproof_vectors::{Bytes, DType, DynamicLinear, Hex, Linear, element_count, landmarks, pack};

/// Returns the node with other elements, under its scales and zero points. `zero_point` is the dtype of these: what is
/// quantised, or was.
pub(super) fn filled(node: &Linear, zero_point: DType, random: &mut Random) -> Option<Linear> {
    let codes = node.codes(zero_point).ok()?;
    let is_quantised = zero_point == node.to;
    let drawn: Vec<u64> =
        codes
            .input
            .iter()
            .map(|&before| {
                if is_quantised { near(node.from, before, random) } else { code(node.from, random) }
            })
            .collect();
    Some(Linear { input: Bytes(pack(node.from, &drawn).ok()?), ..node.clone() })
}

/// Returns a number like this one: a little more or less, up to two binades less, or its negative.
fn near(dtype: DType, before: u64, random: &mut Random) -> u64 {
    let mask = dtype.code_mask();
    let Some((_, bits)) = one_of(dtype) else {
        let step = random.below(400) as u64;
        return before.wrapping_add(step).wrapping_sub(200) & mask;
    };
    let sign = 1 << (dtype.bits() - 1);
    let magnitude = before & (sign - 1);
    let infinity = landmarks(dtype).and_then(|it| it.infinity.first().map(Hex::value));
    if infinity.is_none_or(|infinity| magnitude + 16 >= infinity) {
        return before;
    }
    let moved = match random.below(4) {
        0 => magnitude + random.below(16) as u64,
        1 => magnitude.saturating_sub(random.below(16) as u64),
        _ => magnitude.saturating_sub(random.number() % (2 << bits)),
    };
    let turned = if random.below(2) == 0 { sign } else { 0 };
    moved | (before & sign) ^ turned
}

/// Returns a tensor of as many numbers whose scale and zero point are far from every tie: what is due of an element
/// does not depend on how the scale was rounded.
pub(super) fn dynamic(node: &DynamicLinear, random: &mut Random) -> Option<DynamicLinear> {
    let count = element_count(&node.shape).ok()?;
    if count < 2 {
        return None;
    }
    let unit = |random: &mut Random| (random.number() >> 40) as f32 / (1u32 << 24) as f32;
    let scale = (0.5 + unit(random)) * 2f32.powi(random.below(12) as i32 - 6);
    let zero_point = random.below(256) as f32;
    let mut numbers = vec![-zero_point * scale, (255.0 - zero_point) * scale];
    for _ in 2..count {
        let step = random.below(256) as f32 - zero_point + 0.8 * unit(random) - 0.4;
        numbers.push(step.clamp(-zero_point, 255.0 - zero_point) * scale);
    }
    let turn = random.below(count);
    numbers.rotate_left(turn);
    let codes: Vec<u64> = numbers.iter().map(|number| u64::from(number.to_bits())).collect();
    Some(DynamicLinear { input: Bytes(pack(DType::Float32, &codes).ok()?), ..node.clone() })
}
