//! What a method of linear quantisation does otherwise, for people.

use super::catalogue::{
    Apply, Flush, LinearBeyond, LinearChange, LinearOperator, Order, Precision, ReadElement,
    ReadScale, ResultTies, ScaleOf, Zero,
};
use super::dynamic::DynamicChange;

impl Precision {
    fn words(self, quantises: bool) -> String {
        let what = if quantises { "the quotient" } else { "the product" };
        match self {
            Precision::Own => format!("{what} rounded to the precision of the node"),
            Precision::OwnOperands => format!("{what} computed in the precision of the node"),
            Precision::Once(dtype) => format!("{what} rounded to {dtype}"),
            Precision::Operands(dtype) => format!("{what} computed in {dtype}"),
            Precision::Exact => format!("{what} not rounded"),
        }
    }
}

impl Apply {
    fn words(self, quantises: bool) -> &'static str {
        match (self, quantises) {
            (Apply::Right, true) => "divided by the scale",
            (Apply::Right, false) => "multiplied by the scale",
            (Apply::Reciprocal, _) => {
                "multiplied by the rounded 1/scale instead of divided by the scale"
            }
            (Apply::Opposite, true) => "multiplied by the scale instead of divided",
            (Apply::Opposite, false) => "divided by the scale instead of multiplied",
        }
    }
}

impl ResultTies {
    /// How `what` is rounded.
    fn words(self, what: &str) -> String {
        let how = match self {
            ResultTies::Even => "rounded to nearest, ties to even",
            ResultTies::Away => "rounded to nearest, ties away from zero",
            ResultTies::Up => "rounded to nearest, ties up",
            ResultTies::Down => "rounded to nearest, ties down",
            ResultTies::AddedHalf => "rounded by adding half and truncating",
            ResultTies::Truncated => "rounded toward zero",
            ResultTies::Floor => "rounded down",
            ResultTies::Ceil => "rounded up",
        };
        format!("{what} {how}")
    }
}

impl Zero {
    fn words(self, quantises: bool) -> &'static str {
        match (self, quantises) {
            (Zero::Right, true) => "the zero point added after rounding",
            (Zero::Right, false) => "the zero point subtracted exactly",
            (Zero::BeforeRounding | Zero::BeforeRoundingExactly, _) => {
                "the zero point added before rounding"
            }
            (Zero::Ignored, _) => "the zero point ignored",
            (Zero::Opposite, true) => "the zero point subtracted instead of added",
            (Zero::Opposite, false) => "the zero point added instead of subtracted",
            (Zero::Wraps, _) => "the difference with the zero point wraps in the input's dtype",
            (Zero::Apart, _) => {
                "element and zero point multiplied by the scale apart, then subtracted"
            }
        }
    }
}

impl LinearBeyond {
    fn words(self) -> &'static str {
        match self {
            LinearBeyond::Right => "results out of range as the text says",
            LinearBeyond::Wraps | LinearBeyond::WrapsSaturated | LinearBeyond::WrapsLowest => {
                "results out of range wrap instead of saturating"
            }
            LinearBeyond::WrapsUnsaturated => "integers wrap where saturate is 0",
            LinearBeyond::BeforeZero => "saturated before the zero point is added",
            LinearBeyond::Narrow => "the lowest integer never used",
            LinearBeyond::Int32Lowest => "quotients beyond int32 become -2^31",
            LinearBeyond::Int32Wraps => "quotients beyond int32 wrap",
            LinearBeyond::Int32SumWraps => "the sum with the zero point wraps in int32",
            LinearBeyond::Saturated => "saturated although saturate is 0",
            LinearBeyond::NotSaturated => "not saturated although saturate is 1",
            LinearBeyond::Largest => "the largest number instead of infinity",
        }
    }
}

impl ScaleOf {
    fn words(self) -> &'static str {
        match self {
            ScaleOf::Right => "each element under its own scale",
            ScaleOf::First => "the first scale used for all elements",
            ScaleOf::LastAxis => "scales taken along the last axis, whatever axis says",
            ScaleOf::InTurn => "scales taken in turn, in row-major order",
            ScaleOf::Interleaved => "blocks interleaved along the axis",
            ScaleOf::Next => "the next scale used",
        }
    }
}

impl ReadScale {
    fn words(self) -> &'static str {
        match self {
            ReadScale::Right => "scales read as they are",
            ReadScale::Doubled => "the exponent of the scale one too large",
            ReadScale::Halved => "the exponent of the scale one too small",
            ReadScale::NanAsNumber => "the scale NaN taken for 2^128",
        }
    }
}

impl ReadElement {
    fn words(self) -> String {
        match self {
            ReadElement::Right => "elements read as they are".into(),
            ReadElement::As(dtype) => format!("elements read as {dtype}"),
            ReadElement::Absolute => "the sign of elements lost".into(),
        }
    }
}

impl Flush {
    fn words(self) -> &'static str {
        match self {
            Flush::Nothing => "subnormal numbers kept",
            Flush::Input => "subnormal inputs flushed to zero",
            Flush::Scale => "subnormal scales flushed to zero",
            Flush::Result => "subnormal results flushed to zero",
        }
    }
}

impl Order {
    fn words(self) -> &'static str {
        match self {
            Order::Right => "elements packed from the lowest bits",
            Order::Elements => "elements packed from the highest bits of each byte",
            Order::All => "elements and zero points packed from the highest bits of each byte",
        }
    }
}

impl LinearChange {
    /// What it makes otherwise, as one phrase.
    pub fn words(self, operator: LinearOperator) -> String {
        let quantises = operator == LinearOperator::Quantise;
        match self {
            LinearChange::Precision(precision) => precision.words(quantises),
            LinearChange::Apply(apply) => apply.words(quantises).into(),
            LinearChange::Ties(ties) => {
                ties.words(if quantises { "the quotient" } else { "the product" })
            }
            LinearChange::Zero(zero) => zero.words(quantises).into(),
            LinearChange::Beyond(beyond) => beyond.words().into(),
            LinearChange::ScaleOf(scale_of) => scale_of.words().into(),
            LinearChange::Scale(scale) => scale.words().into(),
            LinearChange::Element(element) => element.words(),
            LinearChange::Flush(flush) => flush.words().into(),
            LinearChange::Order(order) => order.words().into(),
        }
    }
}

impl DynamicChange {
    /// What it makes otherwise, as one phrase.
    pub fn words(self) -> String {
        match self {
            DynamicChange::WithoutZero => "a range that does not reach to zero".into(),
            DynamicChange::ByProduct => {
                "the range multiplied by the rounded 1/255 instead of divided by 255".into()
            }
            DynamicChange::ZeroTies(ties) => ties.words("the zero point"),
            DynamicChange::First(count) => {
                format!("only the first {count} numbers looked at for the range")
            }
            DynamicChange::Elements(change) => change.words(LinearOperator::Quantise),
        }
    }
}
