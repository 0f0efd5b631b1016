//! What is expected of an element, for people and as JSON.

use castproof_check::words;
use castproof_vectors::{DType, Expectation, Outcome, OutcomeRecord, landmarks};
use std::fmt::{self, Write as _};

/// Returns what is expected, and what is tolerated beside it.
pub fn said(to: DType, it: &Expectation) -> String {
    let tolerated = it.tolerate.as_ref();
    let tolerated = tolerated.map(|it| format!(", tolerated {}", words::outcome(to, it)));
    words::outcome(to, &it.expect) + &tolerated.unwrap_or_default()
}

/// Writes an outcome as vector files have it. It is composed by hand because the shape is fixed, only texts need escaping, and
/// this is the inner loop of a stream.
///
/// # Errors
/// If writing fails.
pub fn compose_outcome(answer: &mut String, digits: usize, outcome: &Outcome) -> fmt::Result {
    match outcome {
        Outcome::Code(code) => write!(answer, "{{\"code\":\"0x{code:0digits$x}\"}}"),
        Outcome::AnyNan => answer.write_str("{\"anyNaN\":true}"),
        Outcome::QuietNan => answer.write_str("{\"quietNaN\":true}"),
        Outcome::OneOf(codes) => {
            answer.push_str("{\"oneOf\":[");
            for (index, code) in codes.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                write!(answer, "{comma}\"0x{code:0digits$x}\"")?;
            }
            answer.write_str("]}")
        }
        Outcome::Any => answer.write_str("{\"any\":true}"),
        Outcome::Reject => answer.write_str("{\"reject\":true}"),
        Outcome::Text(_) => {
            let record = OutcomeRecord::new(outcome, DType::String);
            answer.write_str(&serde_json::to_string(&record).map_err(|_| fmt::Error)?)
        }
    }
}

/// Returns a code that stands for an outcome; `None` if the outcome is not one of codes.
pub fn representative(dtype: DType, outcome: &Outcome) -> Option<u64> {
    match outcome {
        Outcome::Code(code) => Some(*code),
        Outcome::OneOf(codes) => codes.first().copied(),
        Outcome::AnyNan | Outcome::QuietNan => {
            Some(outcome.nans(landmarks(dtype)?)?.first()?[0].value())
        }
        Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_written_as_vector_files_write_them() {
        let to = DType::Float8E4M3FN;
        for outcome in [
            Outcome::Code(0x7e),
            Outcome::AnyNan,
            Outcome::QuietNan,
            Outcome::OneOf(vec![0, 0x80]),
            Outcome::Any,
            Outcome::Reject,
        ] {
            let mut text = String::new();
            compose_outcome(&mut text, to.hex_digits(), &outcome).expect("writes to memory");
            let record = serde_json::to_string(&OutcomeRecord::new(&outcome, to));
            assert_eq!(text, record.expect("serialises"));
        }
    }
}
