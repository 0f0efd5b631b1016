//! Wrong methods of reading and writing texts.
//!
//! They use the machine's own parser and printer, and the implementation for the casts that follow.
//! They say which wrong method fits the result; they decide no verdict.

use crate::answers;
use castproof_check::numeral::value;
use castproof_check::verdict::Verdict;
use castproof_impl::Cast;
use castproof_methods::MethodTensor;
use castproof_results::asked::Asked;
use castproof_results::diagnosis::MOST_ALTERNATIVES;
use castproof_results::diagnosis::{Cause, Diagnosis};
use castproof_vectors::{Attributes, DType, Element, NEWEST, Request};

/// One text that was read or written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextCase {
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// The attributes that were given.
    pub attributes: Attributes,
    /// The input.
    pub input: Element,
    /// What came back.
    pub got: Element,
    /// Its verdict.
    pub verdict: Verdict,
}

/// A wrong method. `fits` says whether the result looks like it, and returns `None` where the
/// method gives what the rules give.
struct Method {
    name: &'static str,
    fits: fn(&TextCase) -> Option<bool>,
}

const METHODS: &[Method] = &[
    Method { name: "infinities and NaN written in another spelling", fits: special_spelling },
    Method { name: "sign of zero not written", fits: zero_without_sign },
    Method { name: "written with six decimal places", fits: six_places },
    Method { name: "written with 6 significant digits", fits: |case| digits(case, 6) },
    Method { name: "written with 7 significant digits", fits: |case| digits(case, 7) },
    Method { name: "written with 8 significant digits", fits: |case| digits(case, 8) },
    Method { name: "written with 9 significant digits", fits: |case| digits(case, 9) },
    Method { name: "written with 15 significant digits", fits: |case| digits(case, 15) },
    Method { name: "written with 16 significant digits", fits: |case| digits(case, 16) },
    Method { name: "written as float32", fits: written_as_float32 },
    Method { name: "written with an exponent", fits: with_exponent },
    Method { name: "integers written with a fraction", fits: with_fraction },
    Method { name: "whitespace around a number ignored", fits: whitespace_ignored },
    Method { name: "infinities and NaN read otherwise", fits: special_read },
    Method {
        name: "text rounded through float32",
        fits: |case| read_through(case, DType::Float32),
    },
    Method {
        name: "text rounded through float64",
        fits: |case| read_through(case, DType::Float64),
    },
    Method {
        name: "text rounded through float16",
        fits: |case| read_through(case, DType::Float16),
    },
    Method { name: "NUL characters at the end of texts lost", fits: nul_lost },
    Method { name: "text read up to the first character that is no digit", fits: prefix_read },
];

/// What is compared with the cases: methods of texts, then methods of numbers that begin at the
/// float32 which the text reads as.
enum Way {
    Text(&'static Method),
    Number(&'static castproof_methods::Method),
}

impl Way {
    fn all() -> Vec<Way> {
        let numbers = castproof_methods::METHODS.iter().filter(|method| method.subtle);
        METHODS.iter().map(Way::Text).chain(numbers.map(Way::Number)).collect()
    }

    fn name(&self) -> String {
        match self {
            Way::Text(method) => method.name.into(),
            Way::Number(method) => format!("text rounded through float32, then: {}", method.name),
        }
    }

    fn fits(&self, case: &TextCase) -> Option<bool> {
        match self {
            Way::Text(method) => (method.fits)(case),
            Way::Number(method) => read_by(case, method),
        }
    }
}

/// Explains the failing tests of a pair with strings, and names the cause of each case.
pub fn diagnose(asked: &Asked, cases: &[TextCase]) -> Option<(Diagnosis, Vec<Option<usize>>)> {
    let failing: Vec<usize> = places(cases, Verdict::Fail);
    let passed: Vec<usize> = places(cases, Verdict::Pass);
    if failing.is_empty() {
        return None;
    }
    let (from, to) = asked.pair();
    let mut by: Vec<Option<usize>> = vec![None; cases.len()];
    let mut causes: Vec<Cause> = Vec::new();
    // Each way with what it says of each case.
    let of_cases = |way: Way| {
        let fits: Vec<Option<bool>> = cases.iter().map(|case| way.fits(case)).collect();
        (way.name(), fits)
    };
    let ways: Vec<(String, Vec<Option<bool>>)> = Way::all().into_iter().map(of_cases).collect();
    loop {
        let left: Vec<usize> = failing.iter().copied().filter(|&at| by[at].is_none()).collect();
        let scored = ways.iter().map(|(name, fits)| {
            let fitting = |places: &[usize], due: bool| {
                places.iter().filter(|at| fits[**at] == Some(due)).count()
            };
            ((fitting(&left, true), fitting(&passed, false)), name, fits)
        });
        let scored: Vec<_> = scored.collect();
        let useful = scored.iter().filter(|((explained, against), ..)| explained > against);
        // Of equally good methods, the first.
        let Some(&(best, method, fits)) =
            useful.rev().max_by_key(|((explained, against), ..)| explained - against)
        else {
            break;
        };
        let (explained, against) = best;
        let equal = scored.iter().filter(|(score, name, _)| *score == best && *name != method);
        let alternatives = equal.map(|(_, name, _)| (*name).clone()).take(MOST_ALTERNATIVES);
        let alternatives = alternatives.collect();
        for &at in &left {
            if fits[at] == Some(true) {
                by[at] = Some(causes.len());
            }
        }
        causes.push(Cause {
            method: method.clone(),
            reproduced: explained as u64,
            of: left.len() as u64,
            contradicted: against as u64,
            otherwise: 0,
            alternatives,
        });
    }
    let (deviations, passes) = (failing.len() as u64, passed.len() as u64);
    let (suite, verdict) = (asked.suite, Verdict::Fail);
    Some((Diagnosis { suite, from, to, verdict, deviations, passes, causes }, by))
}

fn places(cases: &[TextCase], verdict: Verdict) -> Vec<usize> {
    let places = cases.iter().enumerate().filter(|(_, case)| case.verdict == verdict);
    places.map(|(at, _)| at).collect()
}

/// Returns the float that is written; `None` if the cast does not write a float.
fn written(case: &TextCase) -> Option<f64> {
    let numeric = case.to == DType::String && case.from.is_float();
    numeric.then(|| value(case.from, case.input.as_code()?))?
}

fn special_spelling(case: &TextCase) -> Option<bool> {
    let value = written(case).filter(|value| !value.is_finite())?;
    let said = case.got.text().to_lowercase();
    let name = if value.is_nan() { "nan" } else { "inf" };
    Some(said.contains(name) || said.contains("1.#"))
}

fn zero_without_sign(case: &TextCase) -> Option<bool> {
    let value = written(case).filter(|value| *value == 0.0 && value.is_sign_negative())?;
    let got = case.got.text();
    Some(!got.starts_with('-') && got.parse() == Ok(value))
}

fn six_places(case: &TextCase) -> Option<bool> {
    let value = written(case).filter(|value| value.is_finite())?;
    let text = format!("{value:.6}");
    differs(case, value, &text).then(|| case.got.text() == text)
}

fn digits(case: &TextCase, digits: usize) -> Option<bool> {
    let value = written(case).filter(|value| value.is_finite())?;
    let text = format!("{value:.*e}", digits - 1);
    let same = |it: f64| text.parse() == Ok(it);
    differs(case, value, &text).then(|| case.got.text().parse().is_ok_and(same))
}

fn written_as_float32(case: &TextCase) -> Option<bool> {
    let value = written(case).filter(|value| value.is_finite())?;
    let text = (value as f32).to_string();
    differs(case, value, &text).then(|| case.got.text().parse() == text.parse::<f32>())
}

/// Does this text read as an element other than the one that is written?
fn differs(case: &TextCase, value: f64, text: &str) -> bool {
    let read =
        text.parse::<f64>().ok().and_then(|read| cast(DType::Float64, case.from, read.to_bits()));
    read.is_none_or(|code| self::value(case.from, code) != Some(value))
}

fn with_exponent(case: &TextCase) -> Option<bool> {
    let got = case.got.text();
    let (value, exponent) = (written(case)?, got.contains(['e', 'E']));
    let right = value.is_finite() && !differs(case, value, &got);
    (exponent && right).then_some(true)
}

fn with_fraction(case: &TextCase) -> Option<bool> {
    let integer = case.to == DType::String && case.from.is_integer();
    (integer && case.got.text().contains('.')).then_some(true)
}

/// Returns the text that is read into a number, and the code that came back.
fn read(case: &TextCase) -> Option<(String, u64)> {
    (case.from == DType::String).then(|| Some((case.input.text(), case.got.as_code()?)))?
}

fn whitespace_ignored(case: &TextCase) -> Option<bool> {
    let (text, got) = read(case)?;
    let inner = text.trim();
    (inner != text).then(|| as_read(case, inner, DType::Float64) == Some(got))
}

fn special_read(case: &TextCase) -> Option<bool> {
    let (text, _) = read(case)?;
    let plain = text.trim().trim_start_matches(['+', '-']).to_lowercase();
    (plain.starts_with("inf") || plain.starts_with("nan")).then_some(case.verdict == Verdict::Fail)
}

fn read_through(case: &TextCase, middle: DType) -> Option<bool> {
    let (text, got) = read(case)?;
    if case.to == middle || !case.to.is_float() {
        return None;
    }
    Some(as_read(case, &text, middle)? == got)
}

/// Does a wrong method of casting numbers give it, from the float32 that the text reads as?
fn read_by(case: &TextCase, method: &castproof_methods::Method) -> Option<bool> {
    let (text, got) = read(case)?;
    let code = text.parse::<f32>().ok()?.to_bits().into();
    let request = Request::cast(DType::Float32, case.to, NEWEST).with(case.attributes);
    let tensor = MethodTensor::answered_by(answers::chosen(), &request, &[code]).ok()?;
    Some(method.results(&tensor, &[0])[0]? == got)
}

fn nul_lost(case: &TextCase) -> Option<bool> {
    let text = case.input.text();
    let kept = text.trim_end_matches('\0');
    let of_texts = (case.from, case.to) == (DType::String, DType::String);
    (of_texts && kept.len() < text.len()).then(|| case.got.text() == kept)
}

fn prefix_read(case: &TextCase) -> Option<bool> {
    let (text, got) = read(case)?;
    let sign = usize::from(text.starts_with(['-', '+']));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let prefix = &text[..sign + digits];
    let shorter = digits > 0 && prefix.len() < text.len();
    shorter.then(|| as_read(case, prefix, DType::Float64) == Some(got))
}

/// Reads the text as a float of this format, and casts it to the target.
fn as_read(case: &TextCase, text: &str, middle: DType) -> Option<u64> {
    let between = match middle {
        DType::Float64 => text.parse::<f64>().ok()?.to_bits(),
        _ => text.parse::<f32>().ok()?.to_bits().into(),
    };
    let start = if middle == DType::Float64 { middle } else { DType::Float32 };
    let between = if start == middle { between } else { cast(start, middle, between)? };
    let cast = Cast::new(middle, case.to).ok()?;
    let cast = case.attributes.saturate.map_or(cast, |on| cast.saturate(on));
    case.attributes.round_mode.map_or(cast, |mode| cast.round_mode(mode)).code(between).ok()
}

fn cast(from: DType, to: DType, code: u64) -> Option<u64> {
    if from == to { Some(code) } else { Cast::new(from, to).ok()?.saturate(false).code(code).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType::*;

    fn written(code: u64, got: &str, verdict: Verdict) -> TextCase {
        let (attributes, input) = (Attributes::default(), Element::code(code, Float64));
        let got = Element::Text(got.into());
        TextCase { from: Float64, to: String, attributes, input, got, verdict }
    }

    fn told(cases: &[TextCase]) -> Vec<(std::string::String, u64)> {
        let asked = Asked::cast((cases[0].from, cases[0].to), Attributes::default());
        let (diagnosis, by) = diagnose(&asked, cases).expect("failures");
        assert_eq!(by.len(), cases.len());
        diagnosis.causes.into_iter().map(|cause| (cause.method, cause.reproduced)).collect()
    }

    #[test]
    fn wrong_ways_to_write_are_told_apart() {
        let third = (1.0_f64 / 3.0).to_bits();
        let big = 4_503_599_627_370_495_f64.to_bits();
        let half = written(0.5_f64.to_bits(), "0.5", Verdict::Pass);
        for (texts, name) in [
            (["0.33333333", "4.5035996e+15"], "written with 8 significant digits"),
            (["0.333333", "4503599627370495.000000"], "written with six decimal places"),
            (["0.333333333333333", "4.50359962737050e+15"], "written with 15 significant digits"),
            (["0.33333334", "4503599600000000"], "written as float32"),
        ] {
            let cases = [
                written(third, texts[0], Verdict::Fail),
                written(
                    big,
                    texts[1],
                    if name.contains("places") { Verdict::Pass } else { Verdict::Fail },
                ),
                half.clone(),
            ];
            assert_eq!(told(&cases)[0].0, name, "{texts:?}");
        }
        let lost = [written(1 << 63, "0", Verdict::Fail), half];
        assert_eq!(told(&lost), [("sign of zero not written".to_string(), 1)]);
    }

    #[test]
    fn what_one_cause_leaves_is_explained_again() {
        let third = (1.0_f64 / 3.0).to_bits();
        let cases = [
            written(third, "0.33333333", Verdict::Fail),
            written(1 << 63, "0", Verdict::Fail),
            written(f64::INFINITY.to_bits(), "INF", Verdict::Fail),
            written(1.5_f64.to_bits(), "7", Verdict::Fail),
        ];
        let told = told(&cases);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told.iter().all(|(_, count)| *count == 1), "{told:?}");
    }

    #[test]
    fn double_rounding_of_texts_is_told() {
        // Just above a tie of float16, which float32 does not keep.
        let read = |text: &str, got: u64, verdict| TextCase {
            from: String,
            to: Float16,
            attributes: Attributes::default(),
            input: Element::Text(text.into()),
            got: Element::code(got, Float16),
            verdict,
        };
        let cases = [
            read("1.00048828125000001", 0x3c00, Verdict::Fail),
            read("1.0", 0x3c00, Verdict::Pass),
            read(" 1.5", 0x3e00, Verdict::Fail),
        ];
        let told = told(&cases);
        assert!(told.iter().any(|(name, _)| name == "text rounded through float32"), "{told:?}");
        assert!(
            told.iter().any(|(name, _)| name == "whitespace around a number ignored"),
            "{told:?}"
        );
    }
}
