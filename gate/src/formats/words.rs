//! What people type: names of roundings and saturations, and numbers.

use anyhow::{Result, anyhow, bail};
use castproof_formats::{
    Edition, Format, Projection, RandomBits, Rounding, Saturation, Value, decode, project,
};
use castproof_lookup::formats::code_text;
use castproof_oracle::read_wide;
use castproof_vectors::DType;

/// Adds to what is said of a word that is no dtype, or of `FROM:TO`, which command takes it if it is a format.
pub fn pointed(word: &str, said: String) -> String {
    let is_dtype = |it: &&str| DType::named(it).is_ok();
    let read = |it: &str| Format::p3109(it).or_else(|| Some(Ok(Format::listed(it)?)));
    match word.split(':').filter(|it| !is_dtype(it)).find_map(read) {
        None => said,
        Some(Err(error)) => error,
        Some(Ok(Format { name, .. })) => format!(
            "{said}; as a format, which no cast has, castproof project VALUE {name} says what a number becomes"
        ),
    }
}

/// Each rounding, and what it is called elsewhere (PJ-14).
const ROUNDINGS: [(&str, &[&str]); 9] = [
    (
        "nearest-even",
        &["ne", "rne", "rn", "rte", "rtne", "nearest", "to-nearest-even", "nearesttiestoeven"],
    ),
    ("nearest-away", &["na", "rna", "rmm", "to-nearest-away", "nearesttiestoaway"]),
    ("toward-zero", &["tz", "rz", "rtz", "towardzero"]),
    ("up", &["ru", "rp", "rup", "rtp", "upward", "toward-positive", "towardpositive"]),
    ("down", &["rd", "rm", "rdn", "rtn", "downward", "toward-negative", "towardnegative"]),
    ("to-odd", &["odd", "ro", "rod", "toodd"]),
    ("stochastic-a", &["sa", "stochastica"]),
    ("stochastic-b", &["sb", "stochasticb"]),
    ("stochastic-c", &["sc", "stochasticc"]),
];

/// Reads the name of a rounding.
///
/// # Errors
/// One line, if there is none of this name, or random bits are missing or not used.
pub fn rounding(text: &str, bits: Option<RandomBits>) -> Result<Rounding> {
    let lower = text.trim().to_lowercase().replace('_', "-");
    let row =
        ROUNDINGS.iter().position(|(name, others)| *name == lower || others.contains(&&*lower));
    let Some(row) = row else {
        let names = ROUNDINGS.map(|(name, _)| name).join(", ");
        bail!("unknown rounding '{text}': use one of {names}")
    };
    match (Rounding::FIXED.get(row), bits) {
        (Some(&rounding), None) => Ok(rounding),
        (Some(rounding), Some(_)) => bail!(
            "{} takes no random bits: leave --random-bits and --random out, or write --round stochastic-a",
            rounding.name()
        ),
        (None, Some(bits)) => Ok(Rounding::stochastic(bits)[row - Rounding::FIXED.len()]),
        (None, None) => bail!(
            "{} takes random bits: write how many and their number, like --random-bits 8 --random 127",
            ROUNDINGS[row].0
        ),
    }
}

/// Reads the random bits: how many, and their number, decimal or hexadecimal.
///
/// # Errors
/// One line, if they are none, or one is given without the other.
pub fn random_bits(count: Option<u32>, number: Option<&str>) -> Result<Option<RandomBits>> {
    let (count, number) = match (count, number) {
        (None, None) => return Ok(None),
        (Some(count), Some(number)) => (count, number),
        _ => bail!("--random-bits N and --random R go together: N random bits with the number R"),
    };
    let read = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let read = read.map_err(|_| {
        anyhow!("'{number}' is no random number: write one from 0 on, like 127 or 0x7f")
    })?;
    RandomBits::new(count, read).map(Some).map_err(|error| anyhow!(error))
}

/// Reads the name of a saturation.
///
/// # Errors
/// One line, if there is none of this name.
pub fn saturation(text: &str) -> Result<Saturation> {
    let found = Saturation::ALL.into_iter().find(|it| it.name() == text);
    found.ok_or_else(|| anyhow!("unknown saturation '{text}': use one of finite, propagate, none"))
}

/// Reads the name of an edition of P3109.
///
/// # Errors
/// One line, if there is none of this name.
pub fn edition(text: &str) -> Result<Edition> {
    let found = Edition::ALL.into_iter().find(|it| it.name() == text);
    let names = Edition::ALL.map(Edition::name).join(", ");
    found.ok_or_else(|| anyhow!("unknown edition '{text}': use one of {names}"))
}

/// A value that is projected.
#[derive(Clone, Debug)]
pub struct Input {
    /// As it is written in answers.
    pub text: String,
    /// Its code, if it was read in a format.
    pub code: Option<String>,
    /// The value.
    pub value: Value,
}

/// Reads a number, or in a format a code in full width or a number that the format holds.
///
/// # Errors
/// One line that says what to write.
pub fn input(text: &str, from: Option<&Format>) -> Result<Input> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let is_code =
        digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_hexdigit()));
    let number = read_wide(text);
    let shown: String = text.chars().take(40).collect();
    match (from, digits, number) {
        (None, _, Some(_)) if is_code => bail!(
            "'{shown}' may be a code or a number: write --from and its format for a code, or {shown}p0 for the number"
        ),
        (None, _, Some(value)) => Ok(Input { text: text.into(), code: None, value }),
        (Some(from), Some(digits), _) if is_code => {
            let full = from.hex_digits();
            let code = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == full);
            let Some(value) = code.and_then(|code| decode(from, code)) else {
                bail!(
                    "'{shown}' is no code of {}: a code has {full} hex digits, and the last is {}",
                    from.name,
                    from.hex(from.code_mask())
                )
            };
            let code = code.unwrap_or_default();
            Ok(Input { text: code_text(from, code), code: Some(from.hex(code)), value })
        }
        (Some(from), _, Some(value)) => held(from, &value, &shown),
        (_, _, None) => bail!(
            "'{shown}' is no number: write one like 1.5, -0.0, 0x1.8p3, inf or nan, or with --from FORMAT a code in full width"
        ),
    }
}

/// Reads a number that a format must hold.
fn held(from: &Format, value: &Value, shown: &str) -> Result<Input> {
    let nearest = project(value, from, &Projection::default())
        .map_err(|open| anyhow!("'{shown}': {open}"))?;
    let is_nan = |it: &Value| matches!(it, Value::Nan { .. });
    match decode(from, nearest) {
        Some(held) if held == *value || (is_nan(&held) && is_nan(value)) => {
            Ok(Input { text: code_text(from, nearest), code: Some(from.hex(nearest)), value: held })
        }
        _ => bail!(
            "{} does not hold {shown}: write a number that it holds, like {}, or leave --from out",
            from.name,
            code_text(from, nearest)
        ),
    }
}
