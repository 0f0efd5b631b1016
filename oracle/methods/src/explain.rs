//! Explains one element step by step, and shows what wrong methods would give.

use crate::catalogue::METHODS;
use crate::element::MethodTensor;
use castproof_oracle::{Answers, CodeError, Neighbour, Value};
use castproof_vectors::{Expectation, Outcome, Request, landmarks};

/// The explanation of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The value of the code; `None` for a bool byte other than 0 and 1.
    pub value: Option<Value>,
    /// The largest number of the target that is not above the value, if there is one.
    pub below: Option<Neighbour>,
    /// The smallest number of the target that is above the value, if there is one. Absent if the
    /// target holds the value exactly.
    pub above: Option<Neighbour>,
    /// What the cast must give.
    pub answer: Expectation,
    /// Common wrong methods that give something else, each with its code. Methods that are wrong at
    /// nearly every element, or that mistake places, are left out.
    pub wrong: Vec<(&'static str, u64)>,
}

/// Explains what `request` makes of the element `code`.
///
/// # Errors
/// As [`castproof_oracle::cast`].
pub fn explain(answers: Answers, request: &Request, code: u64) -> Result<Explanation, CodeError> {
    // Asked first, because a refused request need not be between numeric dtypes.
    let answer = (answers.cast)(request, code)?;
    if answer.expect == Outcome::Reject {
        let nothing = (None, None, None, vec![]);
        let (value, below, above, wrong) = nothing;
        return Ok(Explanation { value, below, above, answer, wrong });
    }
    let tensor = MethodTensor::answered_by(answers, request, &[code])?;
    let element = &tensor.elements()[0];
    let ends = METHODS.iter().filter(|method| method.subtle && !method.is_of_places());
    let ends = ends.filter_map(|method| Some((method.name, method.results(&tensor, &[0])[0]?)));
    // If any result is allowed, no method is wrong.
    let demands = answer.expect != Outcome::Any;
    let right = |end| landmarks(request.to).is_some_and(|to| answer.expect.admits(end, to));
    let wrong = ends.filter(|&(_, end)| demands && !right(end)).collect();
    let (below, above) = (element.below().cloned(), element.above().cloned());
    Ok(Explanation { value: element.value().cloned(), below, above, answer, wrong })
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_oracle::number::Rational;
    use castproof_vectors::DType;

    fn ends(from: DType, code: u64, to: DType, opset: u32) -> (Explanation, Vec<&'static str>) {
        let request = Request::cast(from, to, opset);
        let explanation = explain(Answers::ORACLE, &request, code).expect("a numeric pair");
        let names = explanation.wrong.iter().map(|(name, _)| *name).collect();
        (explanation, names)
    }

    #[test]
    fn a_number_just_above_a_tie_of_float16() {
        let (way, wrong) = ends(DType::Float64, 0x3ff0_0200_0000_0001, DType::Float16, 13);
        let (below, above) = (way.below.expect("1"), way.above.expect("next"));
        assert_eq!((below.code, above.code), (0x3c00, 0x3c01));
        let unit = Rational::from(1) >> 51; // twice the source's last place
        assert_eq!(below.distance - above.distance, unit);
        for method in ["rounded through float32", "rounded toward zero"] {
            assert!(wrong.contains(&method), "{wrong:?}");
        }
        assert!(!wrong.contains(&"ties rounded away from zero"), "{wrong:?}");
        assert!(!wrong.contains(&"last element left out"), "{wrong:?}");
    }

    #[test]
    fn each_method_goes_wrong_somewhere() {
        use DType::*;
        const LEADING_BIT: &str = "subnormal input read with a leading bit of one";
        for (name, from, code, to, opset, end) in [
            ("rounded through float32", Float64, 0x3ff0_0200_0000_0001, Float16, 13, 0x3c00),
            ("rounded through float16", Float32, 0x3f88_0001, Float8E4M3FN, 19, 0x38),
            ("rounded through float64", Uint64, 0x8000_0080_0000_0001, Float32, 13, 0x5f00_0000),
            ("rounded toward zero", Float32, 0xbf80_3000, Float16, 13, 0xbc01),
            ("rounded away from zero", Float32, 0xbf80_1000, Float16, 13, 0xbc01),
            ("ties rounded away from zero", Float32, 0x3f80_1000, Float16, 13, 0x3c01),
            ("ties rounded toward zero", Float32, 0x3f80_3000, Float16, 13, 0x3c01),
            ("saturate taken for its opposite", Float32, 0x47c0_0000, Float8E5M2, 19, 0x7c),
            ("out of range clamped", Int16, 0x00c8, Int8, 13, 0x7f),
            ("the rules before Cast-24", Float32, 0x7f80_0000, Float8E4M3FNUZ, 24, 0x80),
            ("the rules since Cast-24", Float32, 0x7f80_0000, Float8E4M3FNUZ, 23, 0x7f),
            ("sign of zero lost", Float32, 0x8000_0000, Float16, 13, 0),
            ("subnormal input flushed to zero", Float16, 0x0001, Float32, 13, 0),
            ("subnormal result flushed to zero", Float32, 0xb380_0000, Float16, 13, 0x8000),
            (LEADING_BIT, Bfloat16, 0x0040, Float64, 13, 0x3808_0000_0000_0000),
            (LEADING_BIT, Float16, 0x8200, Float64, 13, 0xbf08_0000_0000_0000),
            ("a code of all ones read as infinity", Float4E2M1, 0xf, Int8, 23, 0x80),
            ("a code of all ones read as infinity", Float4E2M1, 7, Uint16, 23, 0xffff),
        ] {
            let (way, _) = ends(from, code, to, opset);
            assert!(way.wrong.contains(&(name, end)), "{name}: {:x?}", way.wrong);
        }
    }

    #[test]
    fn nothing_is_wrong_where_nothing_is_demanded() {
        let (_, wrong) = ends(DType::Float32, 0x7fc0_0000, DType::Int8, 13);
        assert_eq!(wrong, [""; 0]);
        let (way, wrong) = ends(DType::Float32, 0, DType::Float8E8M0, 13);
        assert_eq!((way.answer.expect, wrong), (Outcome::Reject, vec![]));
    }
}
