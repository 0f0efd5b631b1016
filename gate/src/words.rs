//! Codes and outcomes, as people read them.

#[cfg(feature = "oracle")]
use castproof_oracle::describe;
use castproof_vectors::{DType, Outcome};

/// `0x7e (448)`
pub(crate) fn value(dtype: DType, code: u64) -> String {
    format!("{} ({})", dtype.hex(code), describe(dtype, code))
}

/// What an outcome asks for.
pub(crate) fn outcome(to: DType, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Code(code) => value(to, *code),
        Outcome::AnyNan => "any NaN".into(),
        Outcome::OneOf(codes) => {
            let codes: Vec<String> = codes.iter().map(|&code| value(to, code)).collect();
            format!("one of {}", codes.join(", "))
        }
        Outcome::Any => format!("any valid {to}"),
        Outcome::Reject => "a refusal".into(),
    }
}

/// The value of a code, from the widening casts of the implementation: exact, for they are. The
/// oracle writes numbers more readably, where it is built in.
#[cfg(not(feature = "oracle"))]
fn describe(dtype: DType, code: u64) -> String {
    use castproof_impl::Cast;
    let wide = |to: DType| Cast::new(dtype, to).and_then(|cast| cast.code(code)).unwrap_or(code);
    match dtype {
        DType::Bool if code > 1 => "invalid".into(),
        DType::Bool => (code == 1).to_string(),
        _ if dtype.name().contains("float") => f64::from_bits(wide(DType::Float64)).to_string(),
        _ if dtype.name().starts_with("uint") => code.to_string(),
        _ => wide(DType::Int64).cast_signed().to_string(),
    }
}
