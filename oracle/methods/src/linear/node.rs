//! A node with its inputs, as methods read them.

use super::catalogue::{
    Flush, LinearMethod, LinearOperator, Order, Precision, ReadElement, ReadScale, ScaleOf,
};
use castproof_oracle::Value;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, FloatFormat, float_format, kind};
use castproof_oracle::number::Rational;
use castproof_quantised::linear::steps::{Operation, Reading, positive, rounded};
use castproof_vectors::{DType, DequantizeBlock, Linear, LinearCodes, NEWEST};

/// A node of linear quantisation, or blocks to decode, with the inputs.
#[derive(Clone, Debug)]
pub struct Node {
    /// The question.
    pub question: Linear,
    /// What is asked.
    pub operator: LinearOperator,
    codes: LinearCodes,
}

/// What a method gives for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// This code. A code of NaN stands for every NaN.
    Code(u64),
    /// What is due: the method says nothing of it, as of NaN, or of a scale that is not above zero.
    Due,
    /// Anything: its quotient is NaN though the element is none, and what becomes of that in an integer depends on the
    /// machine.
    Anything,
}

/// What the result of an element depends on.
pub(super) struct Operands {
    /// No NaN.
    pub(super) x: Value,
    /// A number that is not negative: zero only in blocks, or if it was flushed. Of blocks also NaN.
    pub(super) scale: Value,
    pub(super) zero: Option<Rational>,
}

impl Operands {
    /// Returns the quotient or product with a number, as IEEE 754 has it: 1 / 0 is infinite, 0 times infinity NaN.
    pub(super) fn combined(&self, operation: Operation, x: &Value, reading: Reading) -> Value {
        combined(operation, x, &self.scale, reading)
    }
}

/// As [`Operands::combined`], with any number that is not negative for the scale.
pub(super) fn combined(operation: Operation, x: &Value, scale: &Value, reading: Reading) -> Value {
    let (x, scale) = match reading {
        Reading::Cast(format) => (rounded(x, &format), rounded(scale, &format)),
        _ => (x.clone(), scale.clone()),
    };
    let negative = is_negative(&x);
    let nan = Value::Nan { negative };
    let infinite = Value::Infinite { negative };
    let zero = Value::Finite { negative, magnitude: Rational::new() };
    if let Some(number) = positive(&scale) {
        return operation.of(&x, &number, reading).unwrap_or(nan);
    }
    if matches!(x, Value::Nan { .. }) || matches!(scale, Value::Nan { .. }) {
        return nan;
    }
    let is_infinite = matches!(x, Value::Infinite { .. });
    match (operation, scale.is_zero()) {
        (Operation::Quotient, true) if x.is_zero() => nan,
        (Operation::Quotient, true) => infinite,
        (Operation::Product, true) if is_infinite => nan,
        (Operation::Product, true) => zero,
        (Operation::Quotient, false) if is_infinite => nan,
        (Operation::Quotient, false) => zero,
        (Operation::Product, false) if x.is_zero() => nan,
        (Operation::Product, false) => infinite,
    }
}

fn is_negative(value: &Value) -> bool {
    match value {
        Value::Nan { negative } | Value::Infinite { negative } | Value::Finite { negative, .. } => {
            *negative
        }
    }
}

impl Node {
    /// Takes a question; `None` if its inputs are not those of its shape.
    pub fn new(question: &Linear, operator: LinearOperator) -> Option<Node> {
        let zero_point =
            if operator == LinearOperator::Quantise { question.to } else { question.from };
        let codes = question.codes(zero_point).ok()?;
        Some(Node { question: question.clone(), operator, codes })
    }

    /// Takes blocks to decode, which are a node without zero points; `None` if they are not those of their shape.
    pub fn of_blocks(blocks: &DequantizeBlock) -> Option<Node> {
        let axis = usize::try_from(blocks.axis).ok()?;
        let mut scale_shape = blocks.shape.clone();
        let side = scale_shape.get_mut(axis)?;
        *side = side.div_ceil(blocks.block_size.max(1));
        let question = Linear {
            opset: NEWEST,
            from: blocks.from,
            to: blocks.to,
            scale: blocks.scale,
            shape: blocks.shape.clone(),
            scale_shape,
            axis: i64::try_from(axis).ok(),
            block_size: Some(blocks.block_size),
            saturate: None,
            precision: None,
            output_dtype: false,
            input: blocks.input.clone(),
            scales: blocks.scales.clone(),
            zero_points: None,
        };
        Node::new(&question, LinearOperator::Decode)
    }

    /// Does it divide by the scale?
    pub(super) fn quantises(&self) -> bool {
        self.operator == LinearOperator::Quantise
    }

    /// Returns how many elements there are.
    pub fn count(&self) -> usize {
        self.codes.input.len()
    }

    /// Returns the dtype of the quantised side.
    pub fn small(&self) -> DType {
        if self.quantises() { self.question.to } else { self.question.from }
    }

    /// Returns what an element depends on; `None` if it is NaN, or what its scale gives is open: only that of a block may be
    /// zero or NaN.
    pub(super) fn operands(&self, method: &LinearMethod, place: usize) -> Option<Operands> {
        let Linear { from, scale, .. } = self.question;
        let small = self.small();
        let turned = self.turned(method, place);
        // QuantizeLinear writes its elements in this order, each under its own scale.
        let of_scale = if self.quantises() { turned } else { place };
        let at = self.scale_place(method.scale_of, of_scale)?;
        // Padding is zero.
        let code = self.codes.input.get(turned).copied().unwrap_or(0);
        let x = match method.element {
            ReadElement::Right => value(from, code)?,
            ReadElement::As(other) if other != from && other.bits() == from.bits() => {
                value(other, code)?
            }
            ReadElement::As(_) => return None,
            ReadElement::Absolute => absolute(value(from, code)?),
        };
        if matches!(x, Value::Nan { .. }) {
            return None;
        }
        let x = if method.flush == Flush::Input { flushed(x, from) } else { x };
        let of_scale = read_scale(value(scale, self.codes.scales[at])?, method.scale);
        let is_open = match (self.operator, &of_scale) {
            (LinearOperator::Decode, Value::Nan { .. } | Value::Finite { negative: false, .. }) => {
                false
            }
            _ => positive(&of_scale).is_none(),
        };
        if is_open {
            return None;
        }
        let of_scale =
            if method.flush == Flush::Scale { flushed(of_scale, scale) } else { of_scale };
        let zero = match &self.codes.zero_points {
            None => None,
            Some(zeros) => {
                let at = match method.order {
                    Order::All => swapped(small, at),
                    _ => at,
                };
                Some(value(small, zeros.get(at).copied().unwrap_or(0))?.number()?)
            }
        };
        Some(Operands { x, scale: of_scale, zero })
    }

    /// Returns which element a method takes for the one at a place. It may be of the padding beyond the last.
    pub(super) fn turned(&self, method: &LinearMethod, place: usize) -> usize {
        match method.order {
            Order::Right => place,
            Order::Elements | Order::All => swapped(self.small(), place),
        }
    }

    fn scale_place(&self, scale_of: ScaleOf, place: usize) -> Option<usize> {
        let Linear { shape, .. } = &self.question;
        let scales = self.codes.scales.len();
        let own = self.question.place(place).1;
        let at = match scale_of {
            ScaleOf::Right => own,
            ScaleOf::First => 0,
            ScaleOf::LastAxis => {
                let last = *shape.last().unwrap_or(&1) as usize;
                if last == scales { place % last } else { own }
            }
            ScaleOf::InTurn => place.checked_rem(scales)?,
            ScaleOf::Interleaved => self.interleaved(place).unwrap_or(own),
            ScaleOf::Next if own + 1 < scales => own + 1,
            ScaleOf::Next => own,
        };
        (at < scales).then_some(at)
    }

    /// The scale of an element if blocks are interleaved along the axis; `None` without blocks.
    fn interleaved(&self, place: usize) -> Option<usize> {
        let Linear { shape, scale_shape, block_size, .. } = &self.question;
        let axis = block_size.and(self.question.axis_of_scales())?;
        let inner: usize = shape[axis + 1..].iter().product::<u64>() as usize;
        let (length, blocks) = (shape[axis] as usize, *scale_shape.get(axis)? as usize);
        let (outer, along) = (place / inner / length, place / inner % length);
        Some((outer * blocks + along.checked_rem(blocks)?) * inner + place % inner)
    }

    /// Returns how a quotient or product is rounded.
    pub(super) fn reading(&self, precision: Precision) -> Option<Reading> {
        let named = |dtype| float_format(dtype);
        Some(match precision {
            Precision::Own => self.own().map_or(Reading::Exact, Reading::Once),
            Precision::OwnOperands => self.own().map_or(Reading::Truncated, Reading::Cast),
            Precision::Once(dtype) => Reading::Once(named(dtype)?),
            Precision::Operands(dtype) => Reading::Cast(named(dtype)?),
            Precision::Exact => Reading::Exact,
        })
    }

    /// The format of the node's precision; `None` if it divides integers.
    pub(super) fn own(&self) -> Option<FloatFormat> {
        let Linear { from, to, scale, precision, .. } = self.question;
        match (self.quantises(), precision, scale) {
            (false, ..) => float_format(to),
            (true, Some(precision), _) => float_format(precision),
            (true, None, DType::Float8E8M0) => float_format(from),
            (true, None, scale) => float_format(scale),
        }
    }
}

fn absolute(value: Value) -> Value {
    match value {
        Value::Finite { magnitude, .. } => Value::Finite { negative: false, magnitude },
        Value::Infinite { .. } => Value::Infinite { negative: false },
        nan @ Value::Nan { .. } => nan,
    }
}

fn read_scale(scale: Value, read: ReadScale) -> Value {
    match (read, scale) {
        (ReadScale::Doubled, Value::Finite { negative, magnitude }) => {
            Value::Finite { negative, magnitude: magnitude << 1 }
        }
        (ReadScale::Halved, Value::Finite { negative, magnitude }) => {
            Value::Finite { negative, magnitude: magnitude >> 1 }
        }
        (ReadScale::NanAsNumber, Value::Nan { .. }) => Value::from_number(Rational::from(1) << 128),
        (_, scale) => scale,
    }
}

fn value(dtype: DType, code: u64) -> Option<Value> {
    decode(&kind(dtype)?, code)
}

/// A subnormal number as zero.
pub(super) fn flushed(value: Value, dtype: DType) -> Value {
    let (Some(CodeKind::Float(format)), Value::Finite { negative, magnitude }) =
        (kind(dtype), &value)
    else {
        return value;
    };
    match *magnitude < smallest_normal(&format) {
        true => Value::Finite { negative: *negative, magnitude: Rational::new() },
        false => value,
    }
}

/// The smallest number with a full significand.
pub(super) fn smallest_normal(format: &FloatFormat) -> Rational {
    castproof_oracle::decode::finite(format, 1 << format.significand_bits)
}

/// The place of an element if those of each byte stand the other way round.
fn swapped(dtype: DType, place: usize) -> usize {
    let in_byte = (8 / dtype.bits().min(8)) as usize;
    place / in_byte * in_byte + (in_byte - 1 - place % in_byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::changes;
    use castproof_vectors::{Bytes, pack};

    /// A damaged file may hold blocks without scales. No method says anything of them.
    #[test]
    fn an_element_without_a_scale_is_as_due() {
        let question = Linear {
            opset: 21,
            from: DType::Float32,
            to: DType::Int8,
            scale: DType::Float32,
            shape: vec![2, 4],
            scale_shape: vec![2, 0],
            axis: Some(1),
            block_size: Some(2),
            saturate: None,
            precision: None,
            output_dtype: false,
            input: Bytes(pack(DType::Float32, &[0; 8]).expect("codes")),
            scales: Bytes::default(),
            zero_points: None,
        };
        let node = Node::new(&question, LinearOperator::Quantise).expect("a node");
        for change in changes(LinearOperator::Quantise) {
            let given = LinearMethod::RIGHT.with(change).element(&node, 5);
            assert_eq!(given, Given::Due, "{change:?}");
        }
    }
}
