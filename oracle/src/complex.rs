//! Casts from and to complex dtypes, by the rules of a framework. Parts are cast by the rules of
//! ONNX Cast-28. The frameworks share these rules where the result is defined.

use crate::cast::{CodeError, cast};
use crate::rules;
use crate::spec::{ComplexRecord, Truth, complex};
use castproof_vectors::{DType, Expectation, Outcome, Profile, Request, RuleId, Scalar};

/// What to expect of a complex cast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplexExpectation {
    /// The expectation of the single part of a real element, or of the two parts of a complex one.
    pub parts: Vec<Expectation>,
    /// The rule that decides.
    pub rule: RuleId,
}

/// The real dtypes that a profile casts from and to complex.
pub fn real_dtypes(profile: Profile) -> impl Iterator<Item = DType> {
    complex(profile).into_iter().flat_map(ComplexRecord::real_dtypes)
}

/// Returns what a profile makes of an element. At least one of the dtypes is complex.
///
/// # Errors
/// If the profile does not have these dtypes, neither is complex, or the element is not one of
/// `from`.
pub fn cast_complex(
    profile: Profile,
    from: DType,
    to: DType,
    input: &Scalar,
) -> Result<ComplexExpectation, CodeError> {
    let record = complex(profile).ok_or_else(|| {
        CodeError::Spec(format!(
            "{} has no complex dtypes: ask it for numeric casts",
            profile.name()
        ))
    })?;
    for dtype in [from, to] {
        if dtype.part().is_none() && !record.real_dtypes().any(|real| real == dtype) {
            return Err(CodeError::NotNumeric(dtype));
        }
    }
    match (from.part(), to.part(), input) {
        (None, Some(part), Scalar::Real(code)) => {
            let real = cast_part(from, part, code.value())?;
            let zero = rules::exact(0, real.rule);
            Ok(ComplexExpectation { parts: vec![real, zero], rule: record.from_real })
        }
        (Some(source), Some(part), Scalar::Complex(codes)) => {
            let parts = codes.iter().map(|code| cast_part(source, part, code.value()));
            let parts = parts.collect::<Result<_, _>>()?;
            Ok(ComplexExpectation { parts, rule: record.between })
        }
        (Some(source), None, Scalar::Complex(codes)) if to == DType::Bool => {
            let (truth, rule) = record.truth;
            Ok(ComplexExpectation { parts: vec![is_true(truth, source, *codes)?], rule })
        }
        (Some(source), None, Scalar::Complex([real, _])) => {
            let real = cast_part(source, to, real.value())?;
            let undefined = real.expect == Outcome::Any;
            let rule = if undefined { record.undefined } else { record.to_real };
            Ok(ComplexExpectation { parts: vec![real], rule })
        }
        _ => Err(CodeError::NotNumeric(from)),
    }
}

fn is_true(
    truth: Truth,
    part: DType,
    codes: [castproof_vectors::Hex; 2],
) -> Result<Expectation, CodeError> {
    let [real, imaginary] = codes.map(|code| cast_part(part, DType::Bool, code.value()));
    let (real, imaginary) = (real?, imaginary?);
    let is_true = real.expect == Outcome::Code(1) || {
        truth == Truth::EitherPart && imaginary.expect == Outcome::Code(1)
    };
    Ok(rules::exact(u64::from(is_true), real.rule))
}

fn cast_part(from: DType, to: DType, code: u64) -> Result<Expectation, CodeError> {
    cast(&Request::cast(from, to, crate::NEWEST), code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::Hex;

    #[test]
    fn profiles_differ_on_truth_alone() {
        let hex = |code| Hex::new(code, DType::Float32);
        let imaginary = Scalar::Complex([hex(0), hex(0x4040_0000)]);
        for (profile, truth) in Profile::ALL.into_iter().zip([0, 0, 1]) {
            let ask = |to| cast_complex(profile, DType::Complex64, to, &imaginary).expect("known");
            assert_eq!(ask(DType::Bool).parts[0].expect, Outcome::Code(truth));
            assert_eq!(ask(DType::Float32).parts[0].expect, Outcome::Code(0));
            let wide = ask(DType::Complex128);
            assert_eq!(wide.parts[1].expect, Outcome::Code(0x4008_0000_0000_0000));
        }
        let one = Scalar::Real(hex(0x3f80_0000));
        let ask = |from, to| cast_complex(Profile::NumpyAstype, from, to, &one);
        assert_eq!(ask(DType::Float32, DType::Complex64).expect("known").parts.len(), 2);
        assert!(ask(DType::Bfloat16, DType::Complex64).is_err());
        assert!(ask(DType::Float32, DType::Float64).is_err());
        let rust = cast_complex(Profile::RustAs, DType::Float32, DType::Complex64, &one);
        assert!(rust.unwrap_err().to_string().contains("no complex dtypes"));
    }
}
