//! What elements under a scale stand for.

use super::steps::FloatStep;
use crate::error::QuestionError;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{FLOAT32, FloatFormat, float_format, kind};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::{Value, encode};
use castproof_vectors::{BlockFormat, DType, Outcome, RuleId, rule};

/// What elements and scales of a format are.
pub struct Decoding {
    /// How many elements share a scale.
    pub size: usize,
    /// Dtype of the scales.
    pub scale: DType,
    /// Dtypes of the elements.
    pub elements: &'static [DType],
    /// The rule of a product.
    pub product: RuleId,
    /// Is it rounded to float32 before it is rounded to the dtype of the numbers, and may a scale be any
    /// float32?
    in_float32: bool,
    /// A product beyond the largest float32 is open, by this rule; `None`: it is infinite.
    beyond_float32: Option<RuleId>,
    /// The rule by which a scale of NaN makes every number NaN.
    nan: RuleId,
}

/// The dtypes of numbers.
pub const NUMBERS: [DType; 3] = [DType::Float32, DType::Bfloat16, DType::Float16];

const MX: Decoding = Decoding {
    size: 32,
    scale: DType::Float8E8M0,
    elements: &[
        DType::Float8E4M3FN,
        DType::Float8E5M2,
        DType::Float6E3M2,
        DType::Float6E2M3,
        DType::Float4E2M1,
    ],
    product: rule::BD_01,
    in_float32: false,
    beyond_float32: Some(rule::BD_05),
    nan: rule::BD_03,
};

const NVFP4: Decoding = Decoding {
    size: 16,
    scale: DType::Float8E4M3FN,
    elements: &[DType::Float4E2M1],
    product: rule::BD_01,
    in_float32: false,
    beyond_float32: None,
    nan: rule::BD_08,
};

const FP8: Decoding = Decoding {
    size: 128,
    scale: DType::Float32,
    elements: &[DType::Float8E4M3FN],
    product: rule::BD_09,
    in_float32: true,
    beyond_float32: None,
    nan: rule::BD_09,
};

const FP8_UE8M0: Decoding = Decoding { scale: DType::Float8E8M0, nan: rule::BD_03, ..FP8 };

/// Returns what elements and scales of a format are.
pub fn decoding(format: BlockFormat) -> &'static Decoding {
    match format {
        BlockFormat::Mx => &MX,
        BlockFormat::Nvfp4 => &NVFP4,
        BlockFormat::Fp8 => &FP8,
        BlockFormat::Fp8Ue8m0 => &FP8_UE8M0,
    }
}

/// Returns the number that an element stands for under a scale: the codes of the element in `from`
/// and of the scale become one of `to`.
///
/// # Errors
/// If the format has no elements of `from`, no numbers of `to` are made, or a code does not fit its
/// dtype.
pub fn dequantise(
    format: BlockFormat,
    (from, to): (DType, DType),
    (element, scale): (u64, u64),
) -> Result<(Outcome, RuleId), QuestionError> {
    let record = decoding(format);
    let failed = |what: String| QuestionError(format!("{}: {what}", format.name()));
    for (dtype, known, what) in
        [(from, record.elements, "has no elements of"), (to, &NUMBERS, "makes no numbers of")]
    {
        if !known.contains(&dtype) {
            let known: Vec<&str> = known.iter().map(|dtype| dtype.name()).collect();
            return Err(failed(format!("{what} {dtype}; known are {}", known.join(", "))));
        }
    }
    for (code, dtype) in [(element, from), (scale, record.scale)] {
        if code & !dtype.code_mask() != 0 {
            return Err(failed(format!("{code:#x} does not fit the bits of {dtype}")));
        }
    }
    if record.in_float32 {
        return Ok(in_float32(record, (from, to), (element, scale)));
    }
    let scale = value(record.scale, scale);
    let Value::Finite { negative: false, magnitude: scale } = scale else {
        // A scale has no infinity, and its sign is never set.
        return match scale {
            Value::Nan { .. } => Ok((Outcome::AnyNan, record.nan)),
            _ => Err(failed("a scale is positive: give a code below 0x80".into())),
        };
    };
    let number = float_format(to).expect("numbers are floats");
    Ok(match value(from, element) {
        Value::Nan { .. } => (Outcome::AnyNan, rule::BD_04),
        Value::Infinite { negative } => {
            (Outcome::Code(encode::infinity(&number, negative)), rule::BD_04)
        }
        Value::Finite { negative, magnitude } => {
            product(record, &number, &(magnitude * scale), negative)
        }
    })
}

/// The product in float32, then as a number: each is rounded once, and signs, zeros, infinities and NaN are those
/// of IEEE 754.
fn in_float32(
    record: &Decoding,
    (from, to): (DType, DType),
    (element, scale): (u64, u64),
) -> (Outcome, RuleId) {
    let (element, scale) = (value(from, element), value(record.scale, scale));
    let is_negative = |value: &Value| match value {
        Value::Nan { .. } => false,
        Value::Infinite { negative } | Value::Finite { negative, .. } => *negative,
    };
    let negative = is_negative(&element) != is_negative(&scale);
    let is_nan = matches!(scale, Value::Nan { .. });
    let number = float_format(to).expect("numbers are floats");
    match FloatStep::magnitude(&element).times(&FloatStep::magnitude(&scale)) {
        FloatStep::Nan => (Outcome::AnyNan, if is_nan { record.nan } else { record.product }),
        FloatStep::Infinite => (Outcome::Code(encode::infinity(&number, negative)), record.product),
        FloatStep::Finite(product) => {
            let nearest = Nearest::new(&product, &number);
            let code = match nearest.overflows {
                true => encode::infinity(&number, negative),
                false => nearest.clamped(&number, negative),
            };
            (Outcome::Code(code), record.product)
        }
    }
}

/// The product as a number.
fn product(
    record: &Decoding,
    number: &FloatFormat,
    magnitude: &Rational,
    negative: bool,
) -> (Outcome, RuleId) {
    let beyond = Nearest::new(magnitude, &FLOAT32).beyond_largest;
    if let (true, Some(rule)) = (beyond, record.beyond_float32) {
        return (Outcome::Any, rule);
    }
    let nearest = Nearest::new(magnitude, number);
    let code = match nearest.overflows {
        true => encode::infinity(number, negative),
        false => nearest.clamped(number, negative),
    };
    let rule = if nearest.is_exact() { rule::BD_01 } else { rule::BD_06 };
    (Outcome::Code(code), rule)
}

fn value(dtype: DType, code: u64) -> Value {
    let kind = kind(dtype).expect("a float");
    decode(&kind, code).expect("every code of a float has a value")
}
