//! The words of `expect`, `explain` and `plan`: two dtypes and what is cast, in any order that people write.

use crate::formats;
use anyhow::{Result, anyhow, bail};
use castproof_oracle::read;
use castproof_vectors::DType;
use std::ffi::OsString;

/// Two dtypes, and what is cast.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// Dtype of the input.
    pub(super) from: DType,
    /// Dtype of the output.
    pub(super) to: DType,
    /// Numbers and codes, or texts.
    pub(super) values: Vec<String>,
}

/// Reads `FROM VALUE... TO`, `FROM TO VALUE...`, `VALUE... FROM TO`, `FROM:TO VALUE...` and `VALUE...
/// FROM:TO`. A number is a value here, never a dtype of ONNX.
///
/// # Errors
/// One line that contains the right command.
pub(super) fn asked(command: &str, words: &[String]) -> Result<Asked> {
    let words: Vec<&str> = words.iter().map(|word| unmarked(word)).collect();
    let asked = |(from, to), values: &[&str]| {
        if values.is_empty() {
            bail!(
                "no value: write castproof {command} {from} VALUE {to}, like castproof {command} float32 464 float16"
            )
        }
        Ok(Asked { from, to, values: values.iter().copied().map(String::from).collect() })
    };
    let (Some((first, after)), Some((last, before))) = (words.split_first(), words.split_last())
    else {
        bail!(
            "nothing is asked: write castproof {command} FROM VALUE TO, like castproof {command} float32 464 float16"
        )
    };
    if let Some(pair) = pair(first) {
        return asked(pair, after);
    }
    if let Some(pair) = pair(last) {
        return asked(pair, before);
    }
    let dtypes: Vec<Option<DType>> = words.iter().map(|word| dtype(word)).collect();
    match dtypes[..] {
        [Some(from), Some(to)] => asked((from, to), &[]),
        // Any text may stand between, also one that is the name of a dtype.
        [Some(from @ DType::String), .., Some(to)] => asked((from, to), &words[1..words.len() - 1]),
        [Some(from), Some(to), .., None] => asked((from, to), &words[2..]),
        [Some(_), Some(_), .., Some(_)] => bail!(
            "'{}' is a dtype, and no value: castproof chain {} says what two casts in a row give",
            words[1],
            words.join(" ")
        ),
        [Some(from), None, .., Some(to)] => asked((from, to), &words[1..words.len() - 1]),
        [None, .., Some(from), Some(to)] => asked((from, to), &words[..words.len() - 2]),
        [Some(from), ..] => {
            if !after.is_empty() {
                named(command, last)?;
            }
            let values = if after.is_empty() { "VALUE".into() } else { after.join(" ") };
            bail!("no output dtype: write castproof {command} {from} {values} TO")
        }
        _ => {
            named(command, first)?;
            bail!(
                "no input dtype: write castproof {command} FROM VALUE TO, like castproof {command} float32 464 float16"
            )
        }
    }
}

/// Refuses a word that was meant as a dtype and is none.
fn named(command: &str, word: &str) -> Result<()> {
    if read(word).is_none() && !word.starts_with("0x") {
        DType::named(word).map_err(|error| anyhow!(formats::pointed(word, error)))?;
    } else if let Ok(dtype) = DType::named(word) {
        bail!(
            "'{word}' is a value here; write {dtype} for ONNX's dtype of this number, like castproof {command} float32 464 {dtype}"
        );
    }
    Ok(())
}

/// Returns the dtype that a word names, unless it is a number.
fn dtype(word: &str) -> Option<DType> {
    if read(word).is_some() { None } else { DType::named(word).ok() }
}

fn pair(word: &str) -> Option<(DType, DType)> {
    let (from, to) = word.split_once(':')?;
    Some((DType::named(from).ok()?, DType::named(to).ok()?))
}

/// Stands before a negative number, so that it is not taken for options. It is a character of private use, which
/// no text has.
const MARK: char = '\u{e000}';

/// The commands that take numbers.
const NUMBERS_TAKEN_BY: [&str; 11] = [
    "expect",
    "explain",
    "explore",
    "plan",
    "chain",
    "promote",
    "project",
    "quantize",
    "dequantize",
    "quantize-linear",
    "dequantize-linear",
];

/// Marks the negative numbers of commands that take numbers: `-1e20`, `-inf`.
pub(super) fn marked(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let takes =
        |word: &OsString| word.to_str().is_some_and(|word| NUMBERS_TAKEN_BY.contains(&word));
    if !words.iter().skip(1).take(3).any(takes) {
        return words;
    }
    for word in &mut words {
        if let Some(text) = word.to_str()
            && text.starts_with('-')
            && read(text).is_some()
        {
            *word = format!("{MARK}{text}").into();
        }
    }
    words
}

/// Removes the mark of a word.
pub(super) fn unmarked(word: &str) -> &str {
    word.strip_prefix(MARK).unwrap_or(word)
}

/// Removes all marks from a message.
pub(super) fn without_marks(message: &str) -> String {
    message.replace(MARK, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Asked> {
        asked("expect", &line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn every_order_is_understood() {
        let two = ["464", "-0.0"].map(str::to_string).to_vec();
        for line in [
            "float32 464 -0.0 float16",
            "float32 float16 464 -0.0",
            "464 -0.0 float32 float16",
            "float32:float16 464 -0.0",
            "464 -0.0 f32:half",
        ] {
            let asked = of(line).expect(line);
            let due = Asked { from: DType::Float32, to: DType::Float16, values: two.clone() };
            assert_eq!(asked, due, "{line}");
        }
        let text = of("string int8 float16").expect("a text");
        assert_eq!(text.values, ["int8"]);
        let text = of("string float16 1.5").expect("a text");
        assert_eq!((text.to, &text.values[..]), (DType::Float16, &["1.5".to_string()][..]));
    }

    #[test]
    fn what_is_not_understood_has_the_command_that_is() {
        for (line, said) in [
            ("", "castproof expect float32 464 float16"),
            ("float32 float16", "write castproof expect float32 VALUE float16"),
            ("float32 464", "no output dtype: write castproof expect float32 464 TO"),
            // A forgotten output, and ONNX's number of float16.
            ("float32 464 10", "'10' is a value here; write float16"),
            ("1 464 17", "'1' is a value here; write float32"),
            ("float32 464 flaot16", "unknown dtype 'flaot16'; did you mean float16"),
            // A format that is no dtype.
            ("float32 464 Binary8p4se", "castproof project VALUE binary8p4se"),
            ("binary8p4se 464 float32", "castproof project VALUE binary8p4se"),
            ("float32 464 float8_e3m4", "castproof project VALUE float8e3m4"),
            ("float32 464 binary8p9se", "a precision from 1 to 7"),
            ("flaot32 464 float16", "unknown dtype 'flaot32'"),
            ("float32 int8 float32", "castproof chain float32 int8 float32"),
        ] {
            let error = of(line).expect_err(line).to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    #[test]
    fn negative_numbers_are_no_options() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(OsString::from).collect() };
        let got = marked(words("castproof expect float32 -inf --opset 19"));
        let got: Vec<&str> = got.iter().filter_map(|word| word.to_str()).collect();
        assert_eq!(got[3], "\u{e000}-inf");
        assert_eq!(unmarked(got[3]), "-inf");
        assert_eq!(got[4], "--opset");
        let other = words("castproof gate --timeout -1");
        assert_eq!(marked(other.clone()), other);
    }
}
