//! MindSpore's implicit promotion of both operands: each is cast to the dtype of the promotion, by
//! the rules of ONNX Cast-28 and of the profile `mindspore-cast`.

use crate::cast::{CodeError, cast};
use crate::complex::cast_complex;
use crate::promotion::promote;
use castproof_vectors::{
    DType, Expectation, Hex, Number, Operand, Operands, Profile, Request, RuleId, Scalar, rule,
};

/// Both operands of a binary operation, promoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promoted {
    /// The dtype of the promotion.
    pub dtype: DType,
    /// For each operand, the expectation of its single part, or of both parts of a complex dtype.
    pub operands: [Vec<Expectation>; 2],
}

/// Returns both promoted operands, `None` if they do not promote; and the rule.
///
/// # Errors
/// If an element is not one of its dtype. The elements do not matter if the operands do not
/// promote.
pub fn promote_operands(question: &Operands) -> Result<(Option<Promoted>, RuleId), CodeError> {
    let (dtype, refused) = promote(question.tensor, question.with);
    let Some(dtype) = dtype else { return Ok((None, refused)) };
    let [left, right] = question.dtypes();
    let tensor = cast_operand(left, dtype, &question.elements[0])?;
    let other = cast_operand(right, dtype, &question.elements[1])?;
    let is_float = question.with == Operand::Number(Number::Float);
    let rule = match dtype.part().unwrap_or(dtype) {
        DType::Float64 if is_float => rule::MS_O8,
        _ => later(operand(left, dtype, &tensor), operand(right, dtype, &other)),
    };
    Ok((Some(Promoted { dtype, operands: [tensor, other] }), rule))
}

/// Returns the rule that decides a single operand.
///
/// # Errors
/// If the element is not one of its dtype.
pub fn operand_rule(from: DType, to: DType, element: &Scalar) -> Result<RuleId, CodeError> {
    Ok(operand(from, to, &cast_operand(from, to, element)?))
}

fn cast_operand(from: DType, to: DType, element: &Scalar) -> Result<Vec<Expectation>, CodeError> {
    match (element, from.part()) {
        (Scalar::Complex(parts), Some(part)) => {
            parts.iter().try_for_each(|code| check(part, *code))?;
        }
        (Scalar::Real(code), None) => check(from, *code)?,
        _ => return Err(CodeError::NoCode(from)),
    }
    match (to.part(), element) {
        (None, Scalar::Real(code)) => {
            Ok(vec![cast(&Request::cast(from, to, crate::NEWEST), code.value())?])
        }
        _ => Ok(cast_complex(Profile::MindsporeCast, from, to, element)?.parts),
    }
}

fn check(dtype: DType, code: Hex) -> Result<(), CodeError> {
    let code = code.value();
    if code & !dtype.code_mask() == 0 { Ok(()) } else { Err(CodeError::TooWide { code, dtype }) }
}

/// The rules of operands, from the most general to the most particular. If several apply, to two
/// parts or two operands, the last one in this list is cited, because it is the most specific.
const FROM_GENERAL_TO_PARTICULAR: [RuleId; 7] =
    [rule::MS_O1, rule::MS_O2, rule::MS_O3, rule::MS_O4, rule::MS_O5, rule::MS_O6, rule::MS_O7];

/// Rules of Cast, and for each the corresponding rule of operands. Tensors of floats and of
/// integers widen; only Python numbers narrow.
const OF_PARTS: [(RuleId, RuleId); 9] = [
    (rule::FF_08, rule::MS_O3),
    (rule::II_02, rule::MS_O4),
    (rule::FF_02, rule::MS_O5),
    (rule::FF_04, rule::MS_O5),
    (rule::FF_05, rule::MS_O5),
    (rule::FF_06, rule::MS_O5),
    (rule::FF_10, rule::MS_O5),
    (rule::IF_02, rule::MS_O6),
    (rule::IF_03, rule::MS_O7),
];

/// The rule of one operand.
fn operand(from: DType, to: DType, parts: &[Expectation]) -> RuleId {
    let gains_a_part = from.part().is_none() && to.part().is_some();
    let any = if gains_a_part { rule::MS_O2 } else { rule::MS_O1 };
    let of_part = |part: &Expectation| {
        let row = OF_PARTS.iter().find(|(cast, _)| *cast == part.rule);
        row.map_or(any, |(_, operand)| *operand)
    };
    parts.iter().map(of_part).reduce(later).unwrap_or(any)
}

/// The more particular of two rules.
fn later(one: RuleId, other: RuleId) -> RuleId {
    let place = |rule| FROM_GENERAL_TO_PARTICULAR.iter().position(|known| *known == rule);
    if place(one) < place(other) { other } else { one }
}
