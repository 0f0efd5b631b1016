//! Casts from and to complex dtypes, by the rules of a framework. Parts are cast by the rules of
//! ONNX Cast-28, which the frameworks share where those are defined.

use crate::cast::{CodeError, cast};
use crate::rules;
use castproof_vectors::{DType, Expectation, Outcome, Profile, Request, RuleId, Scalar, rule};

/// What to expect of a complex cast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplexExpectation {
    /// Of the one part of a real element, or of the two of a complex one.
    pub parts: Vec<Expectation>,
    /// The rule that decides.
    pub rule: RuleId,
}

/// The real dtypes that a profile casts from and to complex.
pub fn real_dtypes(profile: Profile) -> impl Iterator<Item = DType> {
    let numpy = profile == Profile::NumpyAstype;
    let known =
        move |dtype: &DType| dtype.part().is_none() && (!numpy || *dtype != DType::Bfloat16);
    crate::promotion::DTYPES.into_iter().filter(known)
}

/// What a profile makes of an element. One of the dtypes is complex.
///
/// # Errors
/// If the profile has not these dtypes, none of them is complex, or the element is none of `from`.
pub fn cast_complex(
    profile: Profile,
    from: DType,
    to: DType,
    input: &Scalar,
) -> Result<ComplexExpectation, CodeError> {
    for dtype in [from, to] {
        if dtype.part().is_none() && !real_dtypes(profile).any(|real| real == dtype) {
            return Err(CodeError::NotNumeric(dtype));
        }
    }
    match (from.part(), to.part(), input) {
        (None, Some(part), Scalar::Real(code)) => {
            let real = cast_part(from, part, code.value())?;
            let zero = rules::exact(0, real.rule);
            Ok(answer(vec![real, zero], profile, [rule::TF_C02, rule::MC_03, rule::NP_03]))
        }
        (Some(source), Some(part), Scalar::Complex(codes)) => {
            let parts = codes.iter().map(|code| cast_part(source, part, code.value()));
            let parts = parts.collect::<Result<_, _>>()?;
            Ok(answer(parts, profile, [rule::TF_C08, rule::MC_04, rule::NP_04]))
        }
        (Some(source), None, Scalar::Complex(codes)) if to == DType::Bool => {
            let truth = truth(profile, source, *codes)?;
            Ok(answer(vec![truth], profile, [rule::TF_C03, rule::MC_02, rule::NP_02]))
        }
        (Some(source), None, Scalar::Complex([real, _])) => {
            let real = cast_part(source, to, real.value())?;
            let rules = match real.expect {
                Outcome::Any => [rule::TF_C04, rule::MC_05, rule::NP_05],
                _ => [rule::TF_C01, rule::MC_01, rule::NP_01],
            };
            Ok(answer(vec![real], profile, rules))
        }
        _ => Err(CodeError::NotNumeric(from)),
    }
}

/// TensorFlow and MindSpore look at the real part alone, numpy at both.
fn truth(
    profile: Profile,
    part: DType,
    codes: [castproof_vectors::Hex; 2],
) -> Result<Expectation, CodeError> {
    let [real, imaginary] = codes.map(|code| cast_part(part, DType::Bool, code.value()));
    let (real, imaginary) = (real?, imaginary?);
    let is_true = real.expect == Outcome::Code(1) || {
        profile == Profile::NumpyAstype && imaginary.expect == Outcome::Code(1)
    };
    Ok(rules::exact(u64::from(is_true), real.rule))
}

fn cast_part(from: DType, to: DType, code: u64) -> Result<Expectation, CodeError> {
    cast(&Request::cast(from, to, crate::NEWEST), code)
}

fn answer(parts: Vec<Expectation>, profile: Profile, rules: [RuleId; 3]) -> ComplexExpectation {
    ComplexExpectation { parts, rule: rules[profile as usize] }
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
    }
}
