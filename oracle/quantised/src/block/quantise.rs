//! One block.

use super::group::{self, Formats};
use super::profiles::record;
use super::record::{BlockRecord, InfiniteProduct, Nan, NanElement, Scale, Short};
use super::scale::{self, BlockScale, Factor};
use super::steps::FloatStep;
use crate::error::QuestionError;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, FloatFormat, float_format, kind};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::{Value, encode};
use castproof_vectors::{BlockProfile, DType, Outcome, RuleId};

/// What a block must become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantised {
    /// The code of the scale, of the dtype [`block_scale`](super::block_scale) gives.
    pub scale: u64,
    /// The rule of the scale.
    pub rule: RuleId,
    /// The elements, one for each number, each with its rule. Under a scale that is NaN they are
    /// open.
    pub elements: Vec<(Outcome, RuleId)>,
}

/// Quantises one block: the codes of its numbers in `from`, in order, become a scale and elements of
/// `to`. `tensor` is the largest magnitude of the whole tensor, a code of float32, where the
/// profile has a scale of the tensor.
///
/// # Errors
/// If the profile does not quantise `from` to `to`, the count of the numbers is not one of a block,
/// a code does not fit its dtype, or `tensor` is missing, negative or given for nothing.
pub fn quantise(
    profile: BlockProfile,
    (from, to): (DType, DType),
    codes: &[u64],
    tensor: Option<u64>,
) -> Result<Quantised, QuestionError> {
    let record = record(profile);
    let failed = |what: String| QuestionError(format!("{}: {what}", profile.name()));
    let (from_kind, element) = formats(record, from, to).map_err(failed)?;
    count(record, codes.len()).map_err(failed)?;
    let tensor = tensor_amax(record, tensor).map_err(failed)?;
    let mut values = Vec::with_capacity(codes.len());
    for &code in codes {
        if code & !from.code_mask() != 0 {
            return Err(failed(format!("{code:#x} does not fit the bits of {from}")));
        }
        values.push(decode(&from_kind, code).expect("every code of a float has a value"));
    }
    let source = float_format(from).expect("numbers are floats");
    let amax = amax(record, &values);
    let scale = scale_of(record, (&source, &element), &amax, tensor.as_ref());
    let elements = values.iter().map(|value| element_of(record, &element, &scale, value)).collect();
    Ok(Quantised { scale: scale.code, rule: scale.rule, elements })
}

/// Returns other scales that a block may have, each with its elements, that of [`quantise`] first; `None` if
/// the profile leaves no choice. Listed are scales up to two steps larger and one smaller than that of the
/// finite numbers, for zeros the scale 1, and NaN where the profile leaves open what the scale becomes; it allows all
/// other powers of two as well.
///
/// # Errors
/// As [`quantise`].
pub fn choices(
    profile: BlockProfile,
    (from, to): (DType, DType),
    codes: &[u64],
) -> Result<Option<Vec<Quantised>>, QuestionError> {
    let record = record(profile);
    if record.other_scales.is_none() {
        return Ok(None);
    }
    let due = quantise(profile, (from, to), codes, None)?;
    let failed = |what: String| QuestionError(format!("{}: {what}", profile.name()));
    let (from_kind, element) = formats(record, from, to).map_err(failed)?;
    let scales = float_format(record.scale.dtype()).expect("scales are floats");
    let values: Vec<Value> = codes.iter().filter_map(|&code| decode(&from_kind, code)).collect();
    let is_finite = |value: &&Value| matches!(value, Value::Finite { .. });
    let finite: Vec<Value> = values.iter().filter(is_finite).cloned().collect();
    let largest = amax(record, &finite);
    let source = float_format(from).expect("numbers are floats");
    let least = scale_of(record, (&source, &element), &largest, None).code;
    let mut listed: Vec<u64> = (least.saturating_sub(1)..=least + 2).collect();
    if largest == FloatStep::Finite(Rational::new()) {
        listed.push(u64::from(scales.bias.unsigned_abs()));
    }
    listed.retain(|code| *code <= scales.largest_code());
    if Some(due.rule) != record.other_scales {
        listed.push(encode::quiet_nan(&scales, false));
    }
    let mut all = vec![due];
    for code in listed {
        if code != all[0].scale {
            all.extend(under_scale(profile, (from, to), codes, code)?);
        }
    }
    Ok(Some(all))
}

/// Returns a block with this scale and the elements that belong to it; `None` if the profile leaves no choice of
/// the scale, or the scale is NaN. The choice is among powers of two. NaN is allowed only where no rule fixes the scale.
///
/// # Errors
/// As [`quantise`]; also if the scale has more bits than its dtype.
pub fn under_scale(
    profile: BlockProfile,
    dtypes: (DType, DType),
    codes: &[u64],
    code: u64,
) -> Result<Option<Quantised>, QuestionError> {
    let record = record(profile);
    let Some(rule) = record.other_scales else { return Ok(None) };
    let failed = |what: String| QuestionError(format!("{}: {what}", profile.name()));
    let (from, element) = formats(record, dtypes.0, dtypes.1).map_err(failed)?;
    count(record, codes.len()).map_err(failed)?;
    if code & !record.scale.dtype().code_mask() != 0 {
        return Err(failed(format!("{code:#x} is no scale of {}", record.scale.dtype())));
    }
    let scales = float_format(record.scale.dtype()).expect("scales are floats");
    let exponent = i32::try_from(code).expect("eight bits") - scales.bias;
    let is_nan = code > scales.largest_code();
    let factor = (!is_nan).then_some(Factor::Power(-exponent));
    let scale = BlockScale { code, rule, factor };
    if is_nan && quantise(profile, dtypes, codes, None)?.rule == rule {
        return Ok(None);
    }
    let element = |value: &Value| match value {
        _ if is_nan => (Outcome::Any, record.under_nan),
        Value::Finite { .. } => element_of(record, &element, &scale, value),
        _ => (Outcome::Any, record.nan.1),
    };
    let values = codes.iter().filter_map(|&code| decode(&from, code));
    let elements = values.map(|value| element(&value)).collect();
    Ok(Some(Quantised { scale: code, rule, elements }))
}

/// The scale of a block with this largest magnitude. `tensor` is that of the tensor, where the record
/// asks for it.
fn scale_of(
    record: &BlockRecord,
    (source, element): (&FloatFormat, &FloatFormat),
    amax: &FloatStep,
    tensor: Option<&FloatStep>,
) -> BlockScale {
    let scales = float_format(record.scale.dtype()).expect("scales are floats");
    match (&record.scale, tensor) {
        (Scale::Power(rules), _) => scale::power(rules, &scales, element, amax, record.nan.1),
        (Scale::Steps(rules), tensor) => {
            scale::steps(rules, &scales, element, amax, tensor.expect("asked for"))
        }
        (Scale::Group(rules), _) => {
            let formats = Formats { source, scale: &scales, element };
            group::group(rules, formats, amax, record.nan.1)
        }
    }
}

/// Returns the code of the scale of a block with this number, a code of float32 without sign, and zeros.
/// The numbers are float32.
///
/// # Errors
/// If the profile has no such elements, or a scale of the tensor.
pub fn scale_of_magnitude(
    profile: BlockProfile,
    to: DType,
    magnitude: u64,
) -> Result<u64, QuestionError> {
    let record = record(profile);
    let failed = |what: String| QuestionError(format!("{}: {what}", profile.name()));
    let (float32, element) = formats(record, DType::Float32, to).map_err(failed)?;
    tensor_amax(record, None).map_err(failed)?;
    let value = decode(&float32, magnitude).expect("every code of a float has a value");
    let source = float_format(DType::Float32).expect("a float");
    Ok(scale_of(record, (&source, &element), &amax(record, &[value]), None).code)
}

/// Returns the element that a NaN becomes; `None` if a NaN makes the scale NaN.
///
/// # Errors
/// If the profile has no such elements.
pub fn nan_element(profile: BlockProfile, to: DType) -> Result<Option<u64>, QuestionError> {
    let record = record(profile);
    let failed = |what: String| QuestionError(format!("{}: {what}", profile.name()));
    let (_, element) = formats(record, DType::Float32, to).map_err(failed)?;
    Ok(match record.nan.0 {
        Nan::Enters => None,
        Nan::Dropped { becomes: (kind, _) } => Some(of_nan(kind, &element)),
    })
}

fn of_nan(kind: NanElement, element: &FloatFormat) -> u64 {
    match kind {
        NanElement::Largest => element.largest_code(),
        NanElement::NegativeLargest => encode::largest(element, true),
        NanElement::AllOnes => element.magnitude_mask(),
    }
}

fn formats(
    record: &BlockRecord,
    from: DType,
    to: DType,
) -> Result<(CodeKind, FloatFormat), String> {
    for (dtype, known, what) in
        [(from, record.sources, "takes no"), (to, record.elements, "has no elements of")]
    {
        if !known.contains(&dtype) {
            let known: Vec<&str> = known.iter().map(|dtype| dtype.name()).collect();
            return Err(format!("{what} {dtype}; known are {}", known.join(", ")));
        }
    }
    let (Some(from), Some(to)) = (kind(from), float_format(to)) else {
        unreachable!("all are floats")
    };
    Ok((from, to))
}

fn count(record: &BlockRecord, count: usize) -> Result<(), String> {
    let BlockRecord { size, layout, short, .. } = record;
    match short {
        _ if count == 0 => Err("a block without numbers: give at least one".into()),
        _ if count > *size => {
            Err(format!("{count} numbers are more than a block of {size} has ({layout})"))
        }
        (Short::Refused, rule) if count < *size => {
            Err(format!("{count} numbers are fewer than a block of {size} has ({rule})"))
        }
        _ => Ok(()),
    }
}

/// The largest magnitude of the tensor, where the profile asks for it.
fn tensor_amax(record: &BlockRecord, tensor: Option<u64>) -> Result<Option<FloatStep>, String> {
    match (&record.scale, tensor) {
        (Scale::Power(_) | Scale::Group(_), None) => Ok(None),
        (Scale::Power(_) | Scale::Group(_), Some(_)) => {
            Err("it has no scale of the tensor: drop the largest magnitude of the tensor".into())
        }
        (Scale::Steps(_), None) => Err("give the largest magnitude of the tensor".into()),
        (Scale::Steps(_), Some(code)) if code >> 31 != 0 => {
            Err(format!("{code:#x} is no magnitude of float32: give 31 bits"))
        }
        (Scale::Steps(_), Some(code)) => {
            let float32 = kind(DType::Float32).expect("a float");
            Ok(decode(&float32, code).as_ref().map(FloatStep::magnitude))
        }
    }
}

/// The largest magnitude of a block.
fn amax(record: &BlockRecord, values: &[Value]) -> FloatStep {
    let mut found = FloatStep::Finite(Rational::new());
    for value in values {
        found = match (found, FloatStep::magnitude(value)) {
            (found, FloatStep::Nan) if record.nan.0 != Nan::Enters => found,
            (FloatStep::Nan, _) | (_, FloatStep::Nan) => FloatStep::Nan,
            (FloatStep::Infinite, _) | (_, FloatStep::Infinite) => FloatStep::Infinite,
            (FloatStep::Finite(a), FloatStep::Finite(b)) => FloatStep::Finite(a.max(b)),
        };
    }
    found
}

/// The element of a product that is NaN, which only a zero or an infinity gives.
fn of_nan_product(record: &BlockRecord, element: &FloatFormat) -> (Outcome, RuleId) {
    match (&record.scale, record.nan.0) {
        (Scale::Group(rules), Nan::Dropped { becomes: (kind, _) }) => {
            (Outcome::Code(of_nan(kind, element)), rules.infinity)
        }
        (Scale::Group(rules), Nan::Enters) => (Outcome::AnyNan, rules.infinity),
        _ => (Outcome::Any, record.element),
    }
}

/// The element of one number.
fn element_of(
    record: &BlockRecord,
    element: &FloatFormat,
    scale: &BlockScale,
    value: &Value,
) -> (Outcome, RuleId) {
    let Some(factor) = &scale.factor else { return (Outcome::Any, record.under_nan) };
    let negative = match (value, record.nan.0) {
        (Value::Nan { .. }, Nan::Dropped { becomes: (kind, rule) }) => {
            return (Outcome::Code(of_nan(kind, element)), rule);
        }
        // Only a scale that is no NaN beside a NaN lets it through.
        (Value::Nan { .. }, Nan::Enters) => return (Outcome::AnyNan, record.nan.1),
        (Value::Infinite { negative } | Value::Finite { negative, .. }, _) => *negative,
    };
    let product = match (factor, FloatStep::magnitude(value)) {
        (Factor::Step(factor), magnitude) => magnitude.times(factor),
        (Factor::Divisor(divisor), magnitude) => magnitude.over(divisor),
        (Factor::Power(power), FloatStep::Finite(magnitude)) => {
            FloatStep::Finite(magnitude << *power)
        }
        (Factor::Power(_), magnitude) => magnitude,
    };
    match product {
        // Zero times infinity, or infinity over infinity.
        FloatStep::Nan => of_nan_product(record, element),
        FloatStep::Infinite => match &record.scale {
            Scale::Group(rules) if rules.infinite == InfiniteProduct::Open => {
                (Outcome::Any, rules.infinity)
            }
            _ => (Outcome::Code(encode::largest(element, negative)), record.saturated),
        },
        FloatStep::Finite(product) => {
            let nearest = Nearest::new(&product, element);
            let rule = if nearest.overflows { record.saturated } else { record.element };
            (Outcome::Code(nearest.clamped(element, negative)), rule)
        }
    }
}
