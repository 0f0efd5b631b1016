//! Casts from and to complex dtypes, by the profiles that have them.

use crate::element::{ElementForm, scalar};
use anyhow::{Result, anyhow};
use castproof_check::words;
use castproof_lookup::outcome::said;
use castproof_oracle::cast_complex;
use castproof_vectors::{
    ComplexCast, DType, Elements, Hex, Profile, Question, Request, Scalar, Spec,
};
use serde_json::json;

/// Is a cast asked that only a profile of complex dtypes has?
pub(crate) fn is_asked(request: &Request) -> bool {
    profile(request).is_some()
}

fn profile(request: &Request) -> Option<Profile> {
    let Spec::Profile(profile) = request.spec else { return None };
    let complex = request.from.part().is_some() || request.to.part().is_some();
    (complex && profile.elements() == Elements::Complex).then_some(profile)
}

/// Returns what to expect of one element, with a line end.
///
/// # Errors
/// If the text is not an element of the request's input dtype, or the profile lacks a dtype.
pub(crate) fn line(request: &Request, input: &str, form: ElementForm) -> Result<String> {
    let profile = profile(request).ok_or_else(|| anyhow!("{} is not complex", request.from))?;
    let (from, to) = (request.from, request.to);
    let input = scalar(from, input, form.nearest)?;
    let expected = cast_complex(profile, from, to, &input)?;
    if form.json {
        let question = Question::ComplexCast(ComplexCast { profile, from, to, input });
        let answer = castproof_suites::answer(&question, 0).map_err(|error| anyhow!(error))?;
        let (input, expect) = (json!(input), serde_json::to_value(&answer.expect)?);
        return Ok(format!(
            "{{\"input\":{input},\"expect\":{expect},\"clause\":\"{}\"}}\n",
            answer.rule
        ));
    }
    let part = to.part().unwrap_or(to);
    let parts: Vec<String> = expected.parts.iter().map(|it| said(part, it)).collect();
    let result = match &parts[..] {
        [real, imaginary] => format!("{real} and {imaginary} j"),
        _ => parts.concat(),
    };
    Ok(format!("{} -> {result} [{}]\n", element(from, &input), expected.rule))
}

/// Returns `0x3f800000 (1) and 0x00000000 (0) j`.
fn element(dtype: DType, input: &Scalar) -> String {
    let value = |dtype, code: &Hex| words::value(dtype, code.value());
    match (input, dtype.part()) {
        (Scalar::Complex([real, imaginary]), Some(part)) => {
            format!("{} and {} j", value(part, real), value(part, imaginary))
        }
        (Scalar::Real(code) | Scalar::Complex([code, _]), _) => value(dtype, code),
    }
}
