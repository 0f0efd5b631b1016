//! Blocks decoded a second time, in the float64 of this machine, which holds every product; and decoders
//! with a fault, each of which contradicts a vector.

use castproof_quantised::block::{NUMBERS, decoding, dequantise};
use castproof_suites::questions;
use castproof_vectors::{
    AnswerRecord, BlockFormat, DType, DequantizeBlock, Level, Outcome, Question, Suite, unpack,
};
use half::{bf16, f16};

/// What a decoder does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Right,
    SmallestScaleIsZero,
    ScaleOfAllOnesIsInfinite,
    ScaleOfAllOnesIsOne,
    ScaleOfNanIs128,
    ExponentIsOneLess,
    SubnormalScalesAreNormal,
    SubnormalElementsAreZero,
    SubnormalElementsAreNormal,
    ZeroLosesItsSign,
    NanElementIsANumber,
    InfiniteElementIsANumber,
    ScaleIsRoundedToFloat16,
    SubnormalNumbersAreZero,
    NumbersAreTruncated,
    NumbersAreClamped,
    NeighboursAreSwapped,
    FirstScaleIsForAll,
    ScalesTakeTurns,
    AxisIsTheLast,
    ScalesAreTransposed,
    ShortBlockHasTheScaleBefore,
    ScaleDivides,
}

use Fault::*;

/// Exponent bits, significand bits and bias of the elements.
fn format(dtype: DType) -> (u32, u32, i32) {
    match dtype {
        DType::Float8E4M3FN => (4, 3, 7),
        DType::Float8E5M2 => (5, 2, 15),
        DType::Float6E3M2 => (3, 2, 3),
        DType::Float6E2M3 => (2, 3, 1),
        DType::Float4E2M1 => (2, 1, 1),
        other => panic!("{other}"),
    }
}

fn power(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

fn element(dtype: DType, code: u64, fault: Fault) -> f64 {
    let (exponent_bits, significand_bits, bias) = format(dtype);
    let field = (code >> significand_bits & ((1 << exponent_bits) - 1)) as i32;
    let significand =
        (code & ((1 << significand_bits) - 1)) as f64 / power(significand_bits as i32);
    let negative = code >> (exponent_bits + significand_bits) == 1;
    let ones = (1 << (exponent_bits + significand_bits)) - 1;
    let magnitude = match (dtype, field, code & ones) {
        (DType::Float8E4M3FN, _, 0x7f) if fault != NanElementIsANumber => f64::NAN,
        (DType::Float8E5M2, _, 0x7c) if fault != InfiniteElementIsANumber => f64::INFINITY,
        (DType::Float8E5M2, 31, 0x7d..) if fault != NanElementIsANumber => f64::NAN,
        (_, 0, 1..) if fault == SubnormalElementsAreZero => 0.0,
        (_, 0, 1..) if fault == SubnormalElementsAreNormal => (1.0 + significand) * power(-bias),
        (_, 0, _) => significand * power(1 - bias),
        _ => (1.0 + significand) * power(field - bias),
    };
    match negative && !(magnitude == 0.0 && fault == ZeroLosesItsSign) {
        true => -magnitude,
        false => magnitude,
    }
}

fn scale(format: BlockFormat, code: u64, fault: Fault) -> f64 {
    let scale = match (format, code) {
        (BlockFormat::Mx, 0) if fault == SmallestScaleIsZero => 0.0,
        (BlockFormat::Mx, 0xff) => match fault {
            ScaleOfAllOnesIsInfinite | ScaleOfNanIs128 => f64::INFINITY,
            ScaleOfAllOnesIsOne => 1.0,
            _ => f64::NAN,
        },
        (BlockFormat::Mx, 0x80) if fault == ScaleOfNanIs128 => f64::NAN,
        (BlockFormat::Mx, _) => power(code as i32 - 127 - i32::from(fault == ExponentIsOneLess)),
        (BlockFormat::Nvfp4, 0x7f) if fault == ScaleOfAllOnesIsOne => 1.0,
        (BlockFormat::Nvfp4, 1..8) if fault == SubnormalScalesAreNormal => {
            element(DType::Float8E4M3FN, code, SubnormalElementsAreNormal)
        }
        (BlockFormat::Nvfp4, _) => element(DType::Float8E4M3FN, code, Right),
        (BlockFormat::Fp8, _) => f64::from(f32::from_bits(code as u32)),
        (BlockFormat::Fp8Ue8m0, 0xff) if fault == ScaleOfAllOnesIsOne => 1.0,
        (BlockFormat::Fp8Ue8m0, _) => scale(BlockFormat::Mx, code, Right),
    };
    if fault == ScaleIsRoundedToFloat16 { f16::from_f64(scale).to_f64() } else { scale }
}

fn is_group(format: BlockFormat) -> bool {
    matches!(format, BlockFormat::Fp8 | BlockFormat::Fp8Ue8m0)
}

/// The product, which groups round to float32.
fn product(format: BlockFormat, element: f64, scale: f64, fault: Fault) -> f64 {
    let exact = if fault == ScaleDivides { element / scale } else { element * scale };
    if is_group(format) { f64::from(exact as f32) } else { exact }
}

/// The code of a product in `to`.
fn number(to: DType, product: f64, fault: Fault) -> u64 {
    let of = |product: f64| match to {
        DType::Float32 => u64::from((product as f32).to_bits()),
        // `from_f64` of half 2.7.1 drops the lower bits of a float64, and float32 holds what is finite.
        DType::Bfloat16 => u64::from(bf16::from_f32(product as f32).to_bits()),
        _ => u64::from(f16::from_f32(product as f32).to_bits()),
    };
    let value = |code: u64| match to {
        DType::Float32 => f64::from(f32::from_bits(code as u32)),
        DType::Bfloat16 => bf16::from_bits(code as u16).to_f64(),
        _ => f16::from_bits(code as u16).to_f64(),
    };
    let (code, least) = (of(product), if to == DType::Float16 { -14 } else { -126 });
    let sign = 1 << (to.bits() - 1);
    match fault {
        SubnormalNumbersAreZero if value(code).abs() < power(least) => code & sign,
        NumbersAreTruncated if value(code).abs() > product.abs() => code - 1,
        NumbersAreClamped if value(code).is_infinite() && product.is_finite() => code - 1,
        _ => code,
    }
}

/// The scale of each element, by its place.
fn scales(question: &DequantizeBlock, fault: Fault) -> Vec<u64> {
    let codes = question.codes().expect("a tensor");
    let count = question.scales.0.len() * 8 / question.scale.bits() as usize;
    let all = unpack(question.scale, &question.scales.0, count).expect("scales");
    let size = question.block_size as usize;
    let axis = match fault {
        AxisIsTheLast => question.shape.len() - 1,
        _ => question.axis as usize,
    };
    let side = |at: usize| question.shape[at] as usize;
    let along = side(axis);
    let behind: usize = (axis + 1..question.shape.len()).map(side).product();
    let blocks = along.div_ceil(size);
    let scale = |(place, (_, right)): (usize, &(u64, u64))| {
        let (row, column) = (place / behind / along, place % behind);
        let block = place / behind % along / size;
        let at = |row: usize, block: usize| all.get((row * blocks + block) * behind + column);
        let wrong = match fault {
            FirstScaleIsForAll => all.first(),
            ScalesTakeTurns => all.get(place % all.len()),
            AxisIsTheLast => at(row, block),
            ScalesAreTransposed => all.get(column * blocks + block),
            ShortBlockHasTheScaleBefore if (block + 1) * size > along => {
                at(row, block.saturating_sub(1))
            }
            _ => Some(right),
        };
        // What lies outside of the scales is not read.
        wrong.copied().unwrap_or(0x7f)
    };
    codes.iter().enumerate().map(scale).collect()
}

/// Decodes with a fault.
fn decode(question: &DequantizeBlock, fault: Fault) -> Vec<u64> {
    let scales = scales(question, fault);
    let mut elements: Vec<u64> =
        question.codes().expect("a tensor").into_iter().map(|(code, _)| code).collect();
    if fault == NeighboursAreSwapped {
        elements.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
    }
    let number = |(code, by): (u64, u64)| {
        let element = element(question.from, code, fault);
        let scale = scale(question.format, by, fault);
        number(question.to, product(question.format, element, scale, fault), fault)
    };
    elements.into_iter().zip(scales).map(number).collect()
}

fn is_nan(to: DType, code: u64) -> bool {
    match to {
        DType::Float32 => f32::from_bits(code as u32).is_nan(),
        DType::Bfloat16 => bf16::from_bits(code as u16).is_nan(),
        _ => f16::from_bits(code as u16).is_nan(),
    }
}

fn admits(to: DType, due: &Outcome, code: u64) -> bool {
    match due {
        Outcome::Code(due) => *due == code,
        Outcome::AnyNan => is_nan(to, code),
        Outcome::Any => true,
        other => panic!("no number is due as {other:?}"),
    }
}

#[test]
fn every_scale_times_every_element_is_the_product() {
    for form in BlockFormat::ALL {
        let record = decoding(form);
        let scales: Vec<u64> = match form {
            BlockFormat::Mx | BlockFormat::Fp8Ue8m0 => (0..0x100).collect(),
            BlockFormat::Nvfp4 => (0..0x80).collect(),
            // Of every binade with either sign, with many significands.
            BlockFormat::Fp8 => {
                (0..0x200).map(|at| (at << 23) | (at * 0x9e_3779 % (1 << 23))).collect()
            }
        };
        for &from in record.elements {
            for to in NUMBERS {
                for (by, code) in
                    scales.iter().flat_map(|&by| (0..1 << from.bits()).map(move |code| (by, code)))
                {
                    let (due, rule) =
                        dequantise(form, (from, to), (code, by)).expect("in the format");
                    let (factor, by_what) = (element(from, code, Right), scale(form, by, Right));
                    let product = product(form, factor, by_what, Right);
                    let got = number(to, product, Right);
                    assert!(admits(to, &due, got), "{from} {code:x} by {by:x} to {to}: {due:?}");
                    // Open is only what float32 does not hold.
                    let is_beyond = product.abs() > f64::from(f32::MAX) && product.is_finite();
                    assert_eq!(due == Outcome::Any, is_beyond, "{from} {code:x} by {by:x}: {rule}");
                }
            }
        }
    }
}

/// Is a decoder with this fault another one for these dtypes at all?
fn concerns(fault: Fault, form: BlockFormat, from: DType, to: DType) -> bool {
    let is_mx = form == BlockFormat::Mx;
    if is_group(form) {
        return match fault {
            SubnormalElementsAreZero | SubnormalElementsAreNormal | ZeroLosesItsSign => true,
            NanElementIsANumber | NeighboursAreSwapped | FirstScaleIsForAll | ScalesTakeTurns => {
                true
            }
            ScalesAreTransposed | ShortBlockHasTheScaleBefore | ScaleDivides => true,
            ScaleIsRoundedToFloat16 | SubnormalNumbersAreZero => true,
            ScaleOfAllOnesIsOne => form == BlockFormat::Fp8Ue8m0,
            NumbersAreTruncated => to != DType::Float32,
            _ => false,
        };
    }
    match fault {
        Right => false,
        // Every product of the smallest scale is 0 in float16, but that of an infinity.
        SmallestScaleIsZero => is_mx && (to != DType::Float16 || from == DType::Float8E5M2),
        ScaleOfAllOnesIsInfinite | ScaleOfNanIs128 | ExponentIsOneLess => is_mx,
        SubnormalScalesAreNormal => !is_mx,
        // A block of NVFP4 has no shorter last one.
        ShortBlockHasTheScaleBefore => is_mx,
        NanElementIsANumber => matches!(from, DType::Float8E4M3FN | DType::Float8E5M2),
        InfiniteElementIsANumber => from == DType::Float8E5M2,
        // Scales of NVFP4 are numbers of float16, and products of its elements are exact.
        ScaleIsRoundedToFloat16 => is_mx,
        SubnormalNumbersAreZero => is_mx,
        // bfloat16 holds every product of elements of less than 8 bits.
        NumbersAreTruncated => {
            is_mx && (to == DType::Float16 || (to == DType::Bfloat16 && from.bits() == 8))
        }
        NumbersAreClamped => is_mx && to == DType::Float16,
        _ => true,
    }
}

const FAULTS: [Fault; 22] = [
    SmallestScaleIsZero,
    ScaleOfAllOnesIsInfinite,
    ScaleOfAllOnesIsOne,
    ScaleOfNanIs128,
    ExponentIsOneLess,
    SubnormalScalesAreNormal,
    SubnormalElementsAreZero,
    SubnormalElementsAreNormal,
    ZeroLosesItsSign,
    NanElementIsANumber,
    InfiniteElementIsANumber,
    ScaleIsRoundedToFloat16,
    SubnormalNumbersAreZero,
    NumbersAreTruncated,
    NumbersAreClamped,
    NeighboursAreSwapped,
    FirstScaleIsForAll,
    ScalesTakeTurns,
    AxisIsTheLast,
    ScalesAreTransposed,
    ShortBlockHasTheScaleBefore,
    ScaleDivides,
];

#[test]
fn decoders_with_a_fault_contradict_a_vector() {
    let tests = questions(Suite::BlocksDecoded, Level::Core).tests;
    let passes = |fault: Fault, table: (BlockFormat, DType, DType)| {
        tests.iter().all(|test| {
            let (Question::DequantizeBlock(ask), AnswerRecord::Numbers(due)) =
                (&test.ask, &test.expect)
            else {
                panic!("{} is not decoded", test.id);
            };
            (ask.format, ask.from, ask.to) != table || {
                let got = decode(ask, fault);
                let due = due.numbers.due();
                got.len() == due.len()
                    && got.iter().zip(due).all(|(&got, due)| admits(ask.to, due, got))
            }
        })
    };
    for form in BlockFormat::ALL {
        for &from in decoding(form).elements {
            for to in NUMBERS {
                let table = (form, from, to);
                assert!(passes(Right, table), "{table:?}");
                for fault in FAULTS {
                    if concerns(fault, form, from, to) {
                        assert!(!passes(fault, table), "{fault:?} passes {table:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_no_format_decodes_is_refused() {
    let refused = |form, dtypes, codes| dequantise(form, dtypes, codes).unwrap_err().to_string();
    let (e4m3, e2m1, f32) = (DType::Float8E4M3FN, DType::Float4E2M1, DType::Float32);
    assert_eq!(
        refused(BlockFormat::Nvfp4, (e4m3, f32), (0, 0)),
        "nvfp4: has no elements of float8e4m3fn; known are float4e2m1"
    );
    assert!(refused(BlockFormat::Mx, (e4m3, DType::Float64), (0, 0)).contains("makes no numbers"));
    assert!(refused(BlockFormat::Mx, (e2m1, f32), (16, 0)).contains("0x10 does not fit"));
    assert!(refused(BlockFormat::Nvfp4, (e2m1, f32), (0, 0x80)).contains("a scale is positive"));
}
