//! The choice of numbers that become blocks of GGUF: both sides of every step of a scale and of many midpoints between elements,
//! those first where a product and a quotient part, blocks of equal magnitudes, and special numbers.

use super::choice::Asked;
use castproof_oracle::format::{CodeKind, FLOAT16, FLOAT32};
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{MagnitudeRounding, to_integer};
use castproof_oracle::{Value, decode};
use castproof_quantised::gguf::arithmetic::{difference, product, quotient};
use castproof_quantised::gguf::{GGUF_MADE, float32};
use castproof_quantised::linear::rounded;
use castproof_vectors::random::Random;
use castproof_vectors::{Bytes, DType, GgufType, QuantizeGguf, Question};

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;
const LARGEST: u32 = 0x7f7f_ffff;
const ONE: u32 = 0x3f80_0000;

/// Midpoints between the numbers of float4e2m1, in quarters.
const QUARTERS: [i32; 7] = [1, 3, 5, 7, 10, 14, 20];

/// Blocks of each type whose largest number is drawn.
const DRAWN: usize = 40;

/// Candidates for the elements of such a block.
const CANDIDATES: usize = 64;

/// Returns the numbers of all types.
pub(super) fn numbers() -> Asked {
    let mut asked = Vec::new();
    for kind in GGUF_MADE {
        let mut random = Random::of(kind.name().bytes().chain(*b"made"));
        let mut blocks = special(kind);
        blocks.extend(match kind {
            GgufType::MXFP4 => of_mxfp4(&mut random),
            GgufType::NVFP4 => of_nvfp4(&mut random),
            _ => of_integers(kind, &mut random),
        });
        let mut tests: Vec<Vec<Vec<u32>>> = blocks.into_iter().map(|block| vec![block]).collect();
        // Several blocks, none of which has to do with the others.
        tests.push((0..5).map(|_| plain(kind, &mut random)).collect());
        asked.extend(tests.into_iter().map(|blocks| {
            let input = blocks.concat().into_iter().flat_map(u32::to_le_bytes).collect();
            QuantizeGguf { kind, from: DType::Float32, input: Bytes(input) }
        }));
    }
    asked.into_iter().map(|question| (Question::QuantizeGguf(question), vec![])).collect()
}

fn value(code: u32) -> Value {
    decode::decode(&CodeKind::Float(FLOAT32), code.into()).expect("a code of float32")
}

/// The code of the float32 nearest to a number.
fn code(number: &Rational) -> u32 {
    let magnitude = number.clone().abs();
    let code = Nearest::new(&magnitude, &FLOAT32).clamped(&FLOAT32, *number < 0);
    u32::try_from(code).expect("a code of float32")
}

/// The code that is so many steps larger in magnitude.
fn moved(code: u32, steps: i32) -> u32 {
    let magnitude = (code & !SIGN).saturating_add_signed(steps);
    magnitude.min(LARGEST) | code & SIGN
}

/// A block with these numbers first, and the last one in all places behind them.
fn filled(kind: GgufType, first: &[u32]) -> Vec<u32> {
    let last = *first.last().expect("a number");
    let mut block = first.to_vec();
    block.resize(kind.record().elements, last);
    block
}

/// What the largest number of a type is divided by to be its scale.
fn steps(kind: GgufType) -> i32 {
    match kind {
        GgufType::Q4_0 => 8,
        GgufType::Q4_1 => 15,
        GgufType::Q5_0 => 16,
        GgufType::Q5_1 => 31,
        GgufType::Q8_0 => 127,
        _ => 6,
    }
}

/// Zeros, infinities, NaN, equal magnitudes, and numbers whose scale is beyond float16 or below it.
fn special(kind: GgufType) -> Vec<Vec<u32>> {
    let one = |first: &[u32]| filled(kind, first);
    let (two, half) = (0x4000_0000, 0x3f00_0000);
    let mut blocks = vec![
        one(&[0]),
        one(&[SIGN]),
        one(&[0, SIGN, 0, SIGN]),
        one(&[SIGN, ONE, 0]),
        one(&[ONE, SIGN | ONE, 0]),
        one(&[SIGN | ONE, ONE, 0]),
        one(&[ONE, half, SIGN | ONE, SIGN | half, ONE, 0]),
        one(&[SIGN | half, half, SIGN | ONE, half, ONE, SIGN | ONE, half]),
        one(&[ONE]),
        one(&[SIGN | ONE]),
        one(&[two, ONE, half, 0x3fc0_0000, ONE]),
        one(&[SIGN | two, SIGN | ONE, SIGN | half, SIGN | ONE]),
        one(&[INFINITY, ONE, SIGN | half, 0]),
        one(&[ONE, SIGN | INFINITY, half, 0]),
        one(&[SIGN | INFINITY, INFINITY, ONE, 0]),
        one(&[NAN, ONE, SIGN | half, 0]),
        one(&[ONE, SIGN | two, half, SIGN | NAN, half, 0, NAN]),
        one(&[LARGEST, SIGN | LARGEST, ONE, 0]),
        one(&[LARGEST, half, 0]),
        one(&[1, 0]),
        one(&[SIGN | 0x000a_e398, 0x0005_71cc, 0]),
    ];
    // A scale at the ends of float16, and next to them.
    let ends = [
        (65520, 0),
        (65504, 0),
        (1, -25),
        (3, -26),
        (1, -24),
        (3, -25),
        (1, -14),
        (2047, -25),
        (65519, 0),
    ];
    for (number, exponent) in ends {
        let peak = code(&(Rational::from(number * steps(kind)) << exponent));
        for (place, peak) in [moved(peak, -1), peak, moved(peak, 1)].into_iter().enumerate() {
            let sign = if place == 1 { SIGN } else { 0 };
            let third = code(&(value(peak).number().expect("finite") / Rational::from(3)));
            blocks.push(one(&[third, peak ^ sign, SIGN | third, 0]));
        }
    }
    blocks
}

/// Numbers of a few binades, of both signs.
fn plain(kind: GgufType, random: &mut Random) -> Vec<u32> {
    let base = 0x3000_0000 + random.below(0x2000_0000) as u32;
    let number = |_| (base + random.below(0x0200_0000) as u32) | (random.number() as u32 & SIGN);
    (0..kind.record().elements).map(number).collect()
}

/// Blocks whose elements are integers.
fn of_integers(kind: GgufType, random: &mut Random) -> Vec<Vec<u32>> {
    let has_minimum = matches!(kind, GgufType::Q4_1 | GgufType::Q5_1);
    let mut blocks = Vec::new();
    for round in 0..DRAWN {
        let steps = steps(kind);
        // Every fifth block has steps that are powers of two, whose halves are ties.
        let peak = match round % 5 {
            0 => code(&(Rational::from(steps) << (round as i32 % 12 - 6))),
            _ => 0x3800_0000 + random.below(0x1000_0000) as u32,
        };
        let peak = peak | if round % 2 == 0 { SIGN } else { 0 };
        let least = match (has_minimum, round % 3) {
            (false, _) => 0,
            (true, 0) => code(&-(value(peak).number().expect("finite").abs())),
            (true, 1) => moved(peak & !SIGN, -(random.below(0x0180_0000) as i32)),
            _ => SIGN | moved(peak & !SIGN, random.below(0x0100_0000) as i32 - 0x0080_0000),
        };
        let peak = if has_minimum { peak & !SIGN } else { peak };
        let mut block = between(kind, peak, least, random);
        let place = random.below(block.len());
        block[place] = peak;
        if has_minimum {
            block[(place + 1 + random.below(31)) % 32] = least;
        }
        blocks.push(block);
    }
    blocks.extend((0..6).map(|_| plain(kind, random)));
    blocks
}

/// Numbers next to midpoints between elements, those first for which ways to compute an element differ.
fn between(kind: GgufType, peak: u32, least: u32, random: &mut Random) -> Vec<u32> {
    let steps = steps(kind);
    let range = float32(difference(value(peak), value(least)));
    let whole = |number: i32| Value::from_number(Rational::from(number));
    let d = float32(quotient(range.clone(), whole(steps)));
    let id = float32(quotient(whole(1), d.clone()));
    let kept = float32(quotient(whole(1), rounded(&d, &FLOAT16)));
    let direct = float32(quotient(whole(steps), range));
    let (Some(step), Some(start)) = (d.number(), value(least).number()) else {
        return vec![peak; kind.record().elements];
    };
    let has_minimum = matches!(kind, GgufType::Q4_1 | GgufType::Q5_1);
    let mut telling: Vec<(usize, u32)> = Vec::new();
    for _ in 0..CANDIDATES {
        let middle = Rational::from((2 * random.below(steps as usize) as i32 + 1, 2));
        let middle = if has_minimum || random.below(2) == 0 { middle } else { -middle };
        let near = code(&(start.clone() + step.clone() * middle));
        let near = moved(near, random.below(5) as i32 - 2);
        let above = float32(difference(value(near), value(least)));
        let steps = |way: Value| nearest(&way);
        let right = steps(float32(product([above.clone(), id.clone()])));
        let others = [
            float32(quotient(above.clone(), d.clone())),
            float32(product([above.clone(), direct.clone()])),
            product([above.clone(), id.clone()]),
            float32(product([above, kept.clone()])),
        ];
        let told = others.into_iter().filter(|way| steps(way.clone()) != right).count();
        telling.push((told, near));
    }
    telling.sort_by_key(|(told, _)| std::cmp::Reverse(*told));
    telling.truncate(kind.record().elements);
    let mut block: Vec<u32> = telling.into_iter().map(|(_, code)| code).collect();
    let turn = random.below(block.len());
    block.rotate_left(turn);
    block
}

/// The nearest integer, which is enough to compare ways.
fn nearest(value: &Value) -> Option<Rational> {
    let Value::Finite { magnitude, .. } = value else { return None };
    Some(to_integer(magnitude, MagnitudeRounding::NearestAway).number())
}

/// Numbers under a scale: midpoints between elements and both sides of them, of both signs, and zeros.
fn under(scale: &Rational, count: usize, random: &mut Random) -> Vec<u32> {
    let mut numbers = Vec::new();
    for place in 0..count {
        let quarters = QUARTERS[(place + random.below(3)) % QUARTERS.len()];
        let middle = code(&(Rational::from((quarters, 4)) * scale.clone()));
        let sign = random.number() as u32 & SIGN;
        numbers.push(moved(middle, random.below(3) as i32 - 1) | sign);
    }
    if let Some(last) = numbers.last_mut() {
        *last = SIGN;
    }
    numbers
}

/// Blocks of every scale of MXFP4. The largest magnitude is at the ends of its binade, and where other rules go up.
fn of_mxfp4(random: &mut Random) -> Vec<Vec<u32>> {
    let mut blocks = Vec::new();
    for field in 1..255u32 {
        let fractions = [
            0, 0x7f_ffff, 0x40_0000, 0x60_0000, 1, 0x3f_ffff, 0x40_0001, 0x5f_ffff, 0x60_0001,
            0x7f_ff80,
        ];
        let fraction = fractions[field as usize % fractions.len()];
        let peak = field << 23 | fraction;
        let scale = Rational::from(2).pow(field as i32 - 129);
        let mut block = under(&scale, 32, random);
        block.iter_mut().for_each(|it| *it = (*it & SIGN) | (*it & !SIGN).min(peak));
        let place = random.below(31);
        block[place] = peak | random.number() as u32 & SIGN;
        blocks.push(block);
    }
    blocks
}

/// Groups of 16 numbers at every step of a scale of NVFP4, and next to it.
fn of_nvfp4(random: &mut Random) -> Vec<Vec<u32>> {
    let number = |code: u32| match (code >> 3, code & 7) {
        (0, mantissa) => Rational::from((mantissa, 512)),
        (exponent, mantissa) => Rational::from(8 + mantissa) << (exponent as i32 - 10),
    };
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for scale in 0..0x7eu32 {
        let middle = (number(scale) + number(scale + 1)) >> 1;
        let step = code(&(Rational::from(6) * middle));
        // Four float32 steps cover the rounding of the sixth.
        let mut steps = vec![-2, 0, 2];
        // Right below the step a product with the rounded 1/6 is on it, and the quotient is not: 6.3749995 becomes 1.0625, or
        // less. Where the scale is subnormal the reference rounds such a quotient up as well, so it tells nothing there.
        if scale >= 8 {
            steps.push(-1);
        }
        for peak in steps.into_iter().map(|it| moved(step, it)) {
            let scale = number(scale + random.below(2) as u32);
            let mut group = under(&scale, 16, random);
            group.iter_mut().for_each(|it| *it = (*it & SIGN) | (*it & !SIGN).min(peak));
            group[random.below(15)] = peak | random.number() as u32 & SIGN;
            groups.push(group);
        }
    }
    // Groups of different scales share a block.
    let third = groups.len() / 4;
    (0..third)
        .map(|at| (0..4).flat_map(|part| groups[at + part * third].clone()).collect())
        .collect()
}
