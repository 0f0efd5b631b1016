//! The choice of elements that the suite of promoted operands asks about.

use super::choice::{Asked, cells, complex_inputs, spread};
use crate::cases::chosen;
use castproof_oracle::{operand_rule, promote};
use castproof_vectors::{DType, Element, Hex, Level, Number, Operand, Operands, Question, Scalar};
use std::collections::BTreeMap;

/// Tests in level core of a cell that is not refused: of two dtypes that meet in two cells, of
/// those that meet in one, and of a Python float, which is rounded to every float.
const CORE_TESTS: [usize; 3] = [3, 4, 6];

/// Elements of each operand besides the telling ones, in levels other than core.
const MORE_ELEMENTS: usize = 48;

/// Returns the questions of every cell of both tables: one for a refused cell, for the others a few
/// elements that tell wrong ways of casting from the right one.
pub(super) fn operands(level: Level) -> Asked {
    let mut asked = Vec::new();
    for (tensor, with) in cells() {
        let dtypes = [tensor, with.dtype()];
        let pairs = match promote(tensor, with).0 {
            None => vec![dtypes.map(|dtype| telling(dtype)[0])],
            Some(to) => {
                let [left, right] = dtypes.map(|from| elements(from, to, level));
                match (level, with) {
                    (Level::Core, Operand::Tensor(other)) if other != tensor => {
                        // Below the diagonal, take the elements that the cell above it leaves over.
                        let start = if other < tensor { CORE_TESTS[0] } else { 0 };
                        paired(&left, &right, start, CORE_TESTS[0])
                    }
                    (Level::Core, Operand::Number(Number::Float)) => {
                        paired(&left, &right, 0, CORE_TESTS[2])
                    }
                    (Level::Core, _) => paired(&left, &right, 0, CORE_TESTS[1]),
                    _ => paired(&left, &right, 0, left.len().max(right.len())),
                }
            }
        };
        let questions = pairs.into_iter().map(|elements| Operands { tensor, with, elements });
        asked.extend(questions.map(|question| (Question::Operands(question), vec![])));
    }
    asked
}

/// Pairs elements of both operands, starting at a place in the lists. Those of the right operand
/// are moved by one, so that not every NaN meets a NaN. A list that ends starts again.
fn paired(left: &[Scalar], right: &[Scalar], start: usize, count: usize) -> Vec<[Scalar; 2]> {
    let mut pairs = Vec::new();
    for place in 0..count {
        let moved = start + (place + 1) % count;
        let pair = [left[(start + place) % left.len()], right[moved % right.len()]];
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Returns the elements of an operand, one for each rule in turn, the last rule first.
fn elements(from: DType, to: DType, level: Level) -> Vec<Scalar> {
    let mut all = telling(from);
    if level != Level::Core {
        for element in more(from, to) {
            if !all.contains(&element) {
                all.push(element);
            }
        }
    }
    let mut by_rule: BTreeMap<&str, Vec<Scalar>> = BTreeMap::new();
    for element in all {
        let rule = operand_rule(from, to, &element).expect("elements of the dtype");
        by_rule.entry(rule.as_str()).or_default().push(element);
    }
    let longest = by_rule.values().map(Vec::len).max().unwrap_or(0);
    let turn = |place: usize| by_rule.values().rev().filter_map(move |some| some.get(place));
    (0..longest).flat_map(turn).copied().collect()
}

/// Returns elements at the boundaries of the cast; for a complex dtype, two elements of its part
/// together.
fn more(from: DType, to: DType) -> Vec<Scalar> {
    let part = |dtype: DType| dtype.part().unwrap_or(dtype);
    let chosen = spread(chosen(part(from), part(to), Level::Core), MORE_ELEMENTS);
    let code = |element: &Element| Hex::new(element.as_code().unwrap_or(0), part(from));
    let codes: Vec<Hex> = chosen.iter().map(code).collect();
    match from.part() {
        None => codes.into_iter().map(Scalar::Real).collect(),
        Some(_) => codes.windows(2).map(|two| Scalar::Complex([two[0], two[1]])).collect(),
    }
}

/// The order of the elements that complex casts are asked about, NaN and negative zero first.
const COMPLEX_ORDER: [usize; 9] = [6, 2, 5, 4, 8, 7, 3, 1, 0];

/// Returns elements for which wrong ways of casting give other results.
fn telling(dtype: DType) -> Vec<Scalar> {
    match dtype.part() {
        Some(_) => {
            let inputs = complex_inputs(dtype);
            COMPLEX_ORDER.iter().filter_map(|&place| inputs.get(place).copied()).collect()
        }
        None => codes(dtype).iter().map(|&code| Scalar::Real(Hex::new(code, dtype))).collect(),
    }
}

#[rustfmt::skip]
fn codes(dtype: DType) -> &'static [u64] {
    match dtype {
        DType::Bool => &[1, 0],
        // -1, the ends, -2, 1, -42
        DType::Int8 => &[0xff, 0x80, 0x7f, 0xfe, 0x01, 0xd6],
        // -2049 and 2051, ties of float16; 257, a tie of bfloat16; the ends
        DType::Int16 => &[0xf7ff, 0x0101, 0x8000, 0x7fff, 0x0803, 0xffff],
        // 65520, the first that float16 does not have; -2049; 2^24 + 1, a tie of float32; the ends;
        // one that is rounded twice to bfloat16 through float32; -1; -65519
        DType::Int32 => &[
            0xfff0, 0xffff_f7ff, 0x0100_0001, 0x8000_0000, 0x4040_0001, 0x7fff_ffff, 0xffff_ffff,
            0xffff_0011,
        ],
        // As int32, and: 2^53 + 3, a tie of float64; one that is rounded twice to float32 through
        // float64; beyond int8 and int32: 300, -129, 2^31.
        DType::Int64 => &[
            0xfff0, 0x0020_0000_0000_0003, 0xffff_ffff_ffff_f7ff, 0x1000_0010_0000_0001,
            0x0100_0001, 0x8000_0000_0000_0000, 0xffff_ffff_ffff_ffff, 0x7fff_ffff_ffff_ffff,
            0x4040_0001, 300, 0xffff_ffff_ffff_ff7f, 0x8000_0000,
        ],
        DType::Uint8 => &[0xff, 0x80, 0x7f, 0x01, 0xfe, 0x00],
        DType::Uint16 => &[0xffff, 0x8000, 0x0101, 0x7fff, 0x0001, 0x00ff],
        DType::Uint32 => &[0xffff_ffff, 0x8000_0000, 0x0100_0001, 0x7fff_ffff, 1, 0xffff],
        DType::Uint64 => &[
            u64::MAX, 0x8000_0000_0000_0001, 0x0020_0000_0000_0001, 0x7fff_ffff_ffff_ffff, 1,
            0xffff_ffff,
        ],
        // Of floats: -0, NaN, the smallest, -infinity, the largest with sign, 1/3, a signalling
        // NaN, the largest subnormal with sign.
        DType::Float16 => &[0x8000, 0x7e01, 0x0001, 0xfc00, 0xfbff, 0x3555, 0x7d01, 0x83ff],
        DType::Bfloat16 => &[0x8000, 0x7fc1, 0x0001, 0xff80, 0xff7f, 0x3eab, 0x7f81, 0x807f],
        DType::Float32 => &[
            0x8000_0000, 0x7fc0_0001, 0x0000_0001, 0xff80_0000, 0xff7f_ffff, 0x3eaa_aaab,
            0x7f80_0001, 0x807f_ffff,
        ],
        // And: rounded twice to float16, a tie beyond float32, rounded twice to bfloat16, 65520
        // and what is below it, 1e300, a tie of float32's subnormals and what is above it.
        DType::Float64 => &[
            0x8000_0000_0000_0000, 0x3ff0_0200_0000_1000, 0x7ff8_0000_0000_0001,
            0xc7ef_ffff_f000_0000, 0x3ff0_1000_0000_1000, 0x40ef_fe00_0000_0000,
            0x3fd5_5555_5555_5555, 0xfff0_0000_0000_0000, 0x0000_0000_0000_0001,
            0x40ef_fdff_ffff_ffff, 0x7e37_e43c_8800_759c, 0x3690_0000_0000_0000,
            0x3690_0000_0000_0001, 0xffef_ffff_ffff_ffff,
        ],
        other => unreachable!("{other} promotes with nothing"),
    }
}
