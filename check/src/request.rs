//! Casts by the words that people write.

use crate::draw::Draw;
use castproof_vectors::{Attributes, DType, NEWEST, Request, Spec};
use std::rc::Rc;

/// Returns the request of a cast between numeric dtypes, each by its name. `spec` is the name of a
/// specification; without it, the newest version of ONNX `Cast`. `saturate` is 0 or 1.
///
/// # Errors
/// The word that is not known.
pub fn request(
    from: &str,
    to: &str,
    spec: Option<&str>,
    saturate: Option<i64>,
    round_mode: Option<&str>,
) -> Result<Request, String> {
    let saturate = match saturate {
        None => None,
        Some(flag @ 0..=1) => Some(flag == 1),
        Some(other) => return Err(format!("saturate is {other}; it must be 0 or 1")),
    };
    let round_mode = round_mode.map(str::parse).transpose()?;
    let spec = spec.map_or(Ok(Spec::cast(NEWEST)), str::parse)?;
    let request = Request::new(spec, numeric(from)?, numeric(to)?);
    Ok(request.with(Attributes { saturate, round_mode }))
}

/// Does the same as [`request`]. `words` are attributes and the specification, as reports write them,
/// with blanks between: `saturate=0 round_mode=up spec=onnx-cast-24`. None must be there.
///
/// # Errors
/// The word that is not known.
pub fn request_of_words(from: &str, to: &str, words: &str) -> Result<Request, String> {
    let (mut spec, mut saturate, mut round_mode) = (None, None, None);
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some(("spec", name)) => spec = Some(name),
            Some(("round_mode", name)) => round_mode = Some(name),
            Some(("saturate", flag)) => {
                let number = flag.parse();
                saturate =
                    Some(number.map_err(|_| format!("saturate is {flag}; it must be 0 or 1"))?);
            }
            _ => {
                return Err(format!(
                    "unknown word '{word}'; known are saturate=0, saturate=1, round_mode=MODE, spec=NAME"
                ));
            }
        }
    }
    request(from, to, spec, saturate, round_mode)
}

/// Returns the answers of a request.
///
/// # Errors
/// If its specification refuses it, with the rule, or the request is not numeric.
pub fn answers(request: &Request) -> Result<Rc<Draw>, String> {
    let draw = Draw::of(request)?;
    if draw.is_refused() {
        let rule = draw.expectation(0).rule;
        return Err(format!("{request} is refused [{rule}: {}]", rule.rule().statement));
    }
    Ok(draw)
}

fn numeric(name: &str) -> Result<DType, String> {
    match DType::named(name)? {
        dtype if dtype.is_numeric() => Ok(dtype),
        dtype => Err(format!("{dtype} is not a numeric dtype")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_reports_write_them() {
        let words = "saturate=0 round_mode=down spec=onnx-cast-24";
        let read = request_of_words("float32", "float8e8m0", words).expect("a request");
        assert_eq!(read.to_string(), "Cast(24) float32 -> float8e8m0 saturate=0 round_mode=down");
        let plain = request_of_words("float32", "int8", "").expect("a request");
        assert_eq!(plain, Request::cast(DType::Float32, DType::Int8, NEWEST));
    }

    #[test]
    fn unknown_words_are_named() {
        for (from, to, words, said) in [
            ("float33", "int8", "", "unknown dtype 'float33'"),
            ("float32", "string", "", "string is not a numeric dtype"),
            ("float32", "int8", "saturate=2", "saturate is 2"),
            ("float32", "int8", "saturate=yes", "saturate is yes"),
            ("float32", "int8", "round_mode=sideways", "sideways"),
            ("float32", "int8", "spec=onnx-cast-20", "no version 20"),
            ("float32", "int8", "saturated", "unknown word 'saturated'"),
        ] {
            let problem = request_of_words(from, to, words).unwrap_err();
            assert!(problem.contains(said), "{problem}");
        }
        let refused = Request::cast(DType::Float32, DType::Float8E4M3FN, 13);
        let problem = answers(&refused).map(|_| ()).unwrap_err();
        assert!(problem.contains("is refused [T-01: "), "{problem}");
    }
}
