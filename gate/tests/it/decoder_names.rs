//! Decoders of blocks with a fault, written in machine floats, and what the gate says they do.

use crate::question_faults::{found_by, of_suite};
use castproof::finding::Finding;
use castproof::testee::{Reply, Returned};
use castproof_vectors::{BlockFormat, DType, DequantizeBlock, Question, Suite, pack, unpack};

/// One number of a block.
struct Number<'a> {
    /// The codes of the element and of its scale.
    element: u64,
    scale: u64,
    /// Its place, and all elements and scales.
    at: usize,
    elements: &'a [u64],
    scales: &'a [u64],
    from: DType,
    scale_dtype: DType,
}

type Fault = fn(&Number<'_>) -> f64;

/// Each fault: its name, the format and its elements, what it gives, what the gate says of it.
const FAULTS: [(&str, BlockFormat, DType, Fault, &str); 11] = [
    (
        "the smallest scale is zero",
        BlockFormat::Mx,
        DType::Float8E4M3FN,
        |it| if it.scale == 0 { it.x() * 0.0 } else { it.x() * it.s() },
        "subnormal scales flushed to zero",
    ),
    (
        "a bias of 126",
        BlockFormat::Mx,
        DType::Float8E5M2,
        |it| it.x() * it.s() * 2.0,
        "the exponent of the scale one too large",
    ),
    (
        "a bias of 8",
        BlockFormat::Nvfp4,
        DType::Float4E2M1,
        |it| it.x() * it.s() / 2.0,
        "the exponent of the scale one too small",
    ),
    (
        "no scale is NaN",
        BlockFormat::Mx,
        DType::Float4E2M1,
        |it| if it.scale == 0xff { it.x() * 2f64.powi(128) } else { it.x() * it.s() },
        "the scale NaN taken for 2^128",
    ),
    (
        "scales by turns",
        BlockFormat::Mx,
        DType::Float6E2M3,
        |it| it.x() * it.value_of_scale(it.scales[it.at % it.scales.len()]),
        "scales taken in turn, in row-major order",
    ),
    (
        "the first scale",
        BlockFormat::Nvfp4,
        DType::Float4E2M1,
        |it| it.x() * it.value_of_scale(it.scales[0]),
        "the first scale used for all elements",
    ),
    (
        "nibbles",
        BlockFormat::Mx,
        DType::Float4E2M1,
        |it| {
            let other = it.elements.get(it.at ^ 1).copied().unwrap_or(0);
            value(it.from, other) * it.s()
        },
        "elements packed from the highest bits of each byte",
    ),
    (
        "subnormal numbers are flushed",
        BlockFormat::Mx,
        DType::Float8E4M3FN,
        |it| {
            let number = it.x() * it.s();
            if number.abs() < f64::from(f32::MIN_POSITIVE) { number * 0.0 } else { number }
        },
        "subnormal results flushed to zero",
    ),
    (
        "the sign is lost",
        BlockFormat::Mx,
        DType::Float6E3M2,
        |it| it.x().abs() * it.s(),
        "the sign of elements lost",
    ),
    (
        "the other float6",
        BlockFormat::Mx,
        DType::Float6E3M2,
        |it| value(DType::Float6E2M3, it.element) * it.s(),
        "elements read as float6e2m3",
    ),
    (
        "subnormal elements are flushed",
        BlockFormat::Mx,
        DType::Float8E4M3FN,
        |it| if it.element & 0x78 == 0 { it.x() * 0.0 * it.s() } else { it.x() * it.s() },
        "subnormal inputs flushed to zero",
    ),
];

impl Number<'_> {
    fn x(&self) -> f64 {
        value(self.from, self.element)
    }

    fn s(&self) -> f64 {
        self.value_of_scale(self.scale)
    }

    fn value_of_scale(&self, code: u64) -> f64 {
        match (self.scale_dtype, code) {
            (DType::Float8E8M0, 0xff) => f64::NAN,
            (DType::Float8E8M0, code) => 2f64.powi(code as i32 - 127),
            (dtype, code) => value(dtype, code),
        }
    }
}

/// The value of a float of at most 8 bits: exponent bits, significand bits and bias as the names say.
fn value(dtype: DType, code: u64) -> f64 {
    let (significand_bits, bias, nan_from) = match dtype {
        DType::Float8E4M3FN => (3, 7, 0x7f),
        DType::Float8E5M2 => (2, 15, 0x7d),
        DType::Float6E2M3 => (3, 1, u64::MAX),
        DType::Float6E3M2 => (2, 3, u64::MAX),
        DType::Float4E2M1 => (1, 1, u64::MAX),
        other => panic!("{other} has no blocks"),
    };
    let sign = 1u64 << (dtype.bits() - 1);
    let magnitude = code & (sign - 1);
    if magnitude >= nan_from {
        return f64::NAN;
    }
    if dtype == DType::Float8E5M2 && magnitude == 0x7c {
        return if code & sign == 0 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    let (field, low) = (magnitude >> significand_bits, magnitude & ((1 << significand_bits) - 1));
    let significand = if field == 0 { low } else { low | 1 << significand_bits };
    let exponent = field.max(1) as i32 - bias - significand_bits;
    let value = significand as f64 * 2f64.powi(exponent);
    if code & sign == 0 { value } else { -value }
}

/// The numbers that a decoder with a fault makes of blocks of one format and its elements to float32; `None` for others.
fn decoded(blocks: &DequantizeBlock, of: (BlockFormat, DType), fault: Fault) -> Option<Returned> {
    if (blocks.format, blocks.from) != of || blocks.to != DType::Float32 {
        return None;
    }
    let codes = blocks.codes().ok()?;
    let elements: Vec<u64> = codes.iter().map(|it| it.0).collect();
    let scales = unpack(blocks.scale, &blocks.scales.0, blocks.scales.0.len()).ok()?;
    let number = |(at, &(element, scale)): (usize, &(u64, u64))| {
        let (from, scale_dtype) = (blocks.from, blocks.scale);
        let number =
            Number { element, scale, at, elements: &elements, scales: &scales, from, scale_dtype };
        u64::from((fault(&number) as f32).to_bits())
    };
    let numbers: Vec<u64> = codes.iter().enumerate().map(number).collect();
    Some(Returned { bytes: pack(blocks.to, &numbers).ok()?, ..Returned::default() })
}

fn found(of: (BlockFormat, DType), fault: Fault) -> Vec<Finding> {
    found_by(&of_suite(Suite::BlocksDecoded), |question, _| match question {
        Question::DequantizeBlock(blocks) => decoded(blocks, of, fault).map(Reply::Output),
        _ => None,
    })
}

/// A decoder written apart has no finding, and each fault is one, whose cause is what the decoder does.
#[test]
fn faults_of_decoders_are_named() {
    let mut wrong = Vec::new();
    for (name, format, from, fault, said) in FAULTS {
        let right = found((format, from), |it| it.x() * it.s());
        assert!(right.is_empty(), "{format:?} {from}: {right:?}");
        let found = found((format, from), fault);
        let causes: Vec<&str> = found.iter().filter_map(|it| it.cause.as_deref()).collect();
        if found.len() != 1 || !causes.first().is_some_and(|cause| cause.contains(said)) {
            let sentences = found.iter().map(|it| it.example.sentence.as_str());
            let sentences: Vec<&str> = sentences.collect();
            wrong.push(format!("{name}: {causes:?}\n    {}", sentences.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
