//! The axes of linear quantisation, and what is known to happen along each.

use castproof_vectors::DType;

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearOperator {
    /// `QuantizeLinear`.
    Quantise,
    /// `DequantizeLinear`.
    Dequantise,
    /// A decoder of blocks, which multiplies elements by a scale.
    Decode,
}

/// How a node computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearMethod {
    /// The precision of the quotient, or of the product.
    pub precision: Precision,
    /// How the scale is applied.
    pub apply: Apply,
    /// How a number between two results is rounded: the quotient of `QuantizeLinear`, the product of
    /// `DequantizeLinear`.
    pub ties: ResultTies,
    /// How the zero point enters.
    pub zero: Zero,
    /// What becomes of a result out of range.
    pub beyond: LinearBeyond,
    /// Which scale and zero point an element gets.
    pub scale_of: ScaleOf,
    /// How the code of a scale is read.
    pub scale: ReadScale,
    /// How the code of a quantised element is read, in `DequantizeLinear` and in a decoder of blocks.
    pub element: ReadElement,
    /// What is taken for zero where it is subnormal.
    pub flush: Flush,
    /// The order of elements of 2 and 4 bits within a byte.
    pub order: Order,
}

/// The precision of a quotient or product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// The exact result is rounded once to the node's precision: the attribute `precision` or the dtype of
    /// the scale; of `DequantizeLinear`, the dtype of the output.
    Own,
    /// The operands are rounded to the node's precision, then the result.
    OwnOperands,
    /// The exact result is rounded once to this dtype.
    Once(DType),
    /// The operands are rounded to this dtype, then the result.
    Operands(DType),
    /// The result is not rounded.
    Exact,
}

/// How the scale is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apply {
    /// `QuantizeLinear` divides, `DequantizeLinear` multiplies.
    Right,
    /// `QuantizeLinear` multiplies by 1 / scale, rounded.
    Reciprocal,
    /// `QuantizeLinear` multiplies, `DequantizeLinear` divides.
    Opposite,
}

/// How a number between two results is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultTies {
    /// To the nearest, ties to even.
    Even,
    /// To the nearest, ties away from zero.
    Away,
    /// To the nearest, ties up: the floor of x + 1/2.
    Up,
    /// To the nearest, ties down.
    Down,
    /// Half is added in float32, away from zero; then it is truncated. 0.49999997 becomes 1.
    AddedHalf,
    /// Toward zero.
    Truncated,
    /// Toward negative infinity.
    Floor,
    /// Toward positive infinity.
    Ceil,
}

/// How the zero point enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// `QuantizeLinear` adds it to the rounded quotient, `DequantizeLinear` subtracts it exactly.
    Right,
    /// `QuantizeLinear` adds it to the quotient in the precision of the quotient, and rounds the sum to an integer.
    BeforeRounding,
    /// The same, with an exact sum.
    BeforeRoundingExactly,
    /// It is taken for 0.
    Ignored,
    /// `QuantizeLinear` subtracts it, `DequantizeLinear` adds it.
    Opposite,
    /// The difference of `DequantizeLinear` wraps in the dtype of the input: -100 - 100 of int8 is 56.
    Wraps,
    /// `DequantizeLinear` multiplies both by the scale, and subtracts the products.
    Apart,
}

/// What becomes of a result out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearBeyond {
    /// What the text says: the nearest end of the range, or what `saturate` 0 makes of it; infinity in
    /// `DequantizeLinear`.
    Right,
    /// An integer keeps its low bits.
    Wraps,
    /// It keeps the low bits of an int32, to which the quotient is saturated.
    WrapsSaturated,
    /// It keeps the low bits of an int32. A quotient out of the range of int32 is -2^31, as x86's conversion has it.
    WrapsLowest,
    /// An integer keeps its low bits where `saturate` is 0, which is for floats only.
    WrapsUnsaturated,
    /// The rounded quotient is saturated before the zero point is added, and the sum again.
    BeforeZero,
    /// The lowest integer of a signed dtype is not used: -127 instead of -128.
    Narrow,
    /// A quotient out of the range of int32 is -2^31, as x86's conversion has it.
    Int32Lowest,
    /// A quotient out of the range of int32 keeps its low bits.
    Int32Wraps,
    /// A quotient is saturated to int32, and the sum with the zero point wraps in int32.
    Int32SumWraps,
    /// A float is saturated, whatever `saturate` says.
    Saturated,
    /// A float becomes infinity or NaN, whatever `saturate` says.
    NotSaturated,
    /// The largest number instead of infinity, in `DequantizeLinear`.
    Largest,
}

/// Which scale and zero point an element gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleOf {
    /// Its own.
    Right,
    /// The first of the tensor.
    First,
    /// The one of its place along the last axis, where as many scales are there.
    LastAxis,
    /// In turn, in row-major order.
    InTurn,
    /// Of blocks along the axis, the first block for the first element, the second for the next, and so on in turn.
    Interleaved,
    /// That of the next place along the axis, where there is one.
    Next,
}

/// How the code of a scale is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadScale {
    /// As it is.
    Right,
    /// Twice as large: the exponent is one too large.
    Doubled,
    /// Half as large.
    Halved,
    /// NaN of float8e8m0 as 2^128.
    NanAsNumber,
}

/// How the code of a quantised element is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadElement {
    /// As it is.
    Right,
    /// As a code of this dtype, which has as many bits.
    As(DType),
    /// Without its sign.
    Absolute,
}

/// What is taken for zero where it is subnormal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// Nothing.
    Nothing,
    /// The input.
    Input,
    /// The scale.
    Scale,
    /// The result.
    Result,
}

/// The order of elements of 2 and 4 bits within a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first stands in the lowest bits.
    Right,
    /// The first stands in the highest bits; zero points are read right.
    Elements,
    /// The first element, and the first zero point, stand in the highest bits.
    All,
}

/// A step along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearChange {
    /// The axis of the precision.
    Precision(Precision),
    /// The axis of the scale's use.
    Apply(Apply),
    /// The axis of rounding.
    Ties(ResultTies),
    /// The axis of the zero point.
    Zero(Zero),
    /// The axis of results out of range.
    Beyond(LinearBeyond),
    /// The axis of the scale's place.
    ScaleOf(ScaleOf),
    /// The axis of the scale's code.
    Scale(ReadScale),
    /// The axis of the element's code.
    Element(ReadElement),
    /// The axis of subnormal numbers.
    Flush(Flush),
    /// The axis of the order in a byte.
    Order(Order),
}

/// Precisions that one version or another calls right. A method with one of them is tried first.
pub const READINGS: [Precision; 5] = [
    Precision::Own,
    Precision::OwnOperands,
    Precision::Once(DType::Float32),
    Precision::Once(DType::Float64),
    Precision::Exact,
];

/// Changes of every operator, the likelier first.
const SHARED: [LinearChange; 9] = [
    LinearChange::Apply(Apply::Opposite),
    LinearChange::ScaleOf(ScaleOf::First),
    LinearChange::ScaleOf(ScaleOf::LastAxis),
    LinearChange::ScaleOf(ScaleOf::InTurn),
    LinearChange::ScaleOf(ScaleOf::Interleaved),
    LinearChange::ScaleOf(ScaleOf::Next),
    LinearChange::Order(Order::Elements),
    LinearChange::Order(Order::All),
    LinearChange::Flush(Flush::Scale),
];

/// Changes of `QuantizeLinear`, the likelier first.
const OF_QUANTISING: [LinearChange; 27] = [
    LinearChange::Apply(Apply::Reciprocal),
    LinearChange::Zero(Zero::Ignored),
    LinearChange::Zero(Zero::Opposite),
    LinearChange::Ties(ResultTies::Away),
    LinearChange::Ties(ResultTies::Truncated),
    LinearChange::Ties(ResultTies::Floor),
    LinearChange::Ties(ResultTies::Ceil),
    LinearChange::Ties(ResultTies::Up),
    LinearChange::Ties(ResultTies::Down),
    LinearChange::Ties(ResultTies::AddedHalf),
    LinearChange::Zero(Zero::BeforeRounding),
    LinearChange::Zero(Zero::BeforeRoundingExactly),
    LinearChange::Beyond(LinearBeyond::Wraps),
    LinearChange::Beyond(LinearBeyond::WrapsSaturated),
    LinearChange::Beyond(LinearBeyond::WrapsLowest),
    LinearChange::Beyond(LinearBeyond::WrapsUnsaturated),
    LinearChange::Beyond(LinearBeyond::BeforeZero),
    LinearChange::Beyond(LinearBeyond::Narrow),
    LinearChange::Beyond(LinearBeyond::Int32Lowest),
    LinearChange::Beyond(LinearBeyond::Int32Wraps),
    LinearChange::Beyond(LinearBeyond::Int32SumWraps),
    LinearChange::Beyond(LinearBeyond::Saturated),
    LinearChange::Beyond(LinearBeyond::NotSaturated),
    LinearChange::Flush(Flush::Input),
    LinearChange::Flush(Flush::Result),
    LinearChange::Precision(Precision::Operands(DType::Float16)),
    LinearChange::Precision(Precision::Operands(DType::Bfloat16)),
];

/// Changes of `DequantizeLinear` that concern its zero point, the likelier first.
const OF_ZERO_POINTS: [LinearChange; 4] = [
    LinearChange::Zero(Zero::Ignored),
    LinearChange::Zero(Zero::Opposite),
    LinearChange::Zero(Zero::Wraps),
    LinearChange::Zero(Zero::Apart),
];

/// Changes of decoders of blocks that concern the scale, the likelier first.
const OF_BLOCK_SCALES: [LinearChange; 3] = [
    LinearChange::Scale(ReadScale::Doubled),
    LinearChange::Scale(ReadScale::Halved),
    LinearChange::Scale(ReadScale::NanAsNumber),
];

/// Changes of `DequantizeLinear` and of decoders of blocks, the likelier first.
const OF_DEQUANTISING: [LinearChange; 16] = [
    LinearChange::Precision(Precision::Operands(DType::Float16)),
    LinearChange::Precision(Precision::Operands(DType::Bfloat16)),
    LinearChange::Ties(ResultTies::Truncated),
    LinearChange::Beyond(LinearBeyond::Largest),
    LinearChange::Flush(Flush::Result),
    LinearChange::Flush(Flush::Input),
    LinearChange::Element(ReadElement::Absolute),
    LinearChange::Element(ReadElement::As(DType::Int8)),
    LinearChange::Element(ReadElement::As(DType::Uint8)),
    LinearChange::Element(ReadElement::As(DType::Float8E4M3FN)),
    LinearChange::Element(ReadElement::As(DType::Float8E4M3FNUZ)),
    LinearChange::Element(ReadElement::As(DType::Float8E5M2)),
    LinearChange::Element(ReadElement::As(DType::Int4)),
    LinearChange::Element(ReadElement::As(DType::Uint4)),
    LinearChange::Element(ReadElement::As(DType::Float6E2M3)),
    LinearChange::Element(ReadElement::As(DType::Float6E3M2)),
];

/// Returns what is known to happen to an operator; the likelier first.
pub fn changes(operator: LinearOperator) -> impl Iterator<Item = LinearChange> {
    let own = match operator {
        LinearOperator::Quantise => [&OF_QUANTISING[..], &[]],
        LinearOperator::Dequantise => [&OF_ZERO_POINTS[..], &OF_DEQUANTISING[..]],
        LinearOperator::Decode => [&OF_BLOCK_SCALES[..], &OF_DEQUANTISING[..]],
    };
    own.into_iter().flatten().chain(&SHARED).copied()
}

impl Precision {
    /// Is it that of the node?
    pub fn is_own(self) -> bool {
        matches!(self, Precision::Own | Precision::OwnOperands)
    }
}

impl LinearMethod {
    /// One reading of the text.
    pub const RIGHT: LinearMethod = LinearMethod {
        precision: Precision::Own,
        apply: Apply::Right,
        ties: ResultTies::Even,
        zero: Zero::Right,
        beyond: LinearBeyond::Right,
        scale_of: ScaleOf::Right,
        scale: ReadScale::Right,
        element: ReadElement::Right,
        flush: Flush::Nothing,
        order: Order::Right,
    };

    /// Returns the method with one change.
    #[must_use]
    pub fn with(mut self, change: LinearChange) -> LinearMethod {
        match change {
            LinearChange::Precision(precision) => self.precision = precision,
            LinearChange::Apply(apply) => self.apply = apply,
            LinearChange::Ties(ties) => self.ties = ties,
            LinearChange::Zero(zero) => self.zero = zero,
            LinearChange::Beyond(beyond) => self.beyond = beyond,
            LinearChange::ScaleOf(scale_of) => self.scale_of = scale_of,
            LinearChange::Scale(scale) => self.scale = scale,
            LinearChange::Element(element) => self.element = element,
            LinearChange::Flush(flush) => self.flush = flush,
            LinearChange::Order(order) => self.order = order,
        }
        self
    }
}
