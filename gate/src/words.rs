//! Codes and outcomes, as people read them.

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
