//! An element as a person writes it: a code in its full width, or a number.
//!
//! A code has the width of its dtype, as files write it: `0x43e80000`. Everything else is a number, read
//! exactly: `464`, `-0.0`, `1e20`, `0x1.8p3`, `inf`, `nan`. A hexadecimal integer that is shorter or longer
//! than a code may be meant either way, and is refused where the two differ: `0x3f8` for a float32 is
//! the number 1016, or the code 0x000003f8, or 0x3f800000 with its zeros left out.

use anyhow::{Result, anyhow, bail};
use castproof_check::words;
use castproof_oracle::{Held, exact, held, read};
use castproof_vectors::{DType, Hex, Scalar};

/// How elements are read and answers are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElementForm {
    /// Round what the input dtype does not hold to the nearest number that it holds.
    pub nearest: bool,
    /// One JSON object per element.
    pub json: bool,
}

/// An element that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementRead {
    /// Its code.
    pub code: u64,
    /// Was the number rounded to it?
    pub rounded: bool,
}

/// Reads a code or a number of a numeric dtype. `nearest`: a number that the dtype does not hold is rounded
/// to the nearest that it holds, of two to the even one.
///
/// # Errors
/// One line with what to write, if the text is neither, or the dtype does not hold the number.
pub fn element(dtype: DType, text: &str, nearest: bool) -> Result<ElementRead> {
    let text = text.trim();
    let plain = |code| Ok(ElementRead { code, rounded: false });
    if dtype == DType::Bool {
        match text.to_ascii_lowercase().as_str() {
            "true" => return plain(1),
            "false" => return plain(0),
            _ => {}
        }
    }
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return plain(of_digits(dtype, text, digits)?);
    }
    let value = read(text).ok_or_else(|| neither(dtype, text))?;
    match held(dtype, &value) {
        None => bail!("{dtype} has no numbers: '{}' is not one of its elements", shown(text)),
        Some(Held::Exactly(code)) => plain(code),
        Some(Held::Between { nearest: Some(code), .. }) if nearest => {
            Ok(ElementRead { code, rounded: true })
        }
        Some(Held::Between { below, above, nearest }) => {
            Err(anyhow!(beside(dtype, text, [below, above], nearest)))
        }
        Some(Held::Lacks("no negative zero")) if nearest => {
            Ok(ElementRead { code: 0, rounded: true })
        }
        Some(Held::Lacks(what @ "no negative zero")) => {
            bail!("{dtype} has {what}: write 0")
        }
        Some(Held::Lacks(what)) => {
            let (low, high) = ends(dtype);
            bail!("{dtype} has {what}: its numbers go from {low} to {high}")
        }
    }
}

/// Reads a code, or the two codes or numbers of a complex element: `0x3f800000,0x0`, `1,0`, `1+2j`.
///
/// # Errors
/// As [`element`].
pub fn scalar(dtype: DType, text: &str, nearest: bool) -> Result<Scalar> {
    let code = |dtype, text: &str| -> Result<Hex> {
        Ok(Hex::new(element(dtype, text, nearest)?.code, dtype))
    };
    let Some(part) = dtype.part() else { return Ok(Scalar::Real(code(dtype, text)?)) };
    let Some((real, imaginary)) = parts(text) else {
        bail!("'{}' is not an element of {dtype}; write both parts, like 1+2j or 1,2", shown(text))
    };
    Ok(Scalar::Complex([code(part, real)?, code(part, imaginary)?]))
}

/// Splits `(1,2)`, `1,2` and `1+2j`; a number without `j` has the imaginary part 0.
fn parts(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    if let Some((real, imaginary)) = inner.split_once(',') {
        return Some((real.trim(), imaginary.trim()));
    }
    let Some(inner) = inner.strip_suffix(['j', 'i']) else {
        return (!inner.is_empty() && !inner.starts_with("0x")).then_some((inner, "0"));
    };
    // The last sign that belongs to no exponent: that of `1e-3+2e-5j` stands in the middle.
    let is_sign = |&(at, c): &(usize, char)| {
        matches!(c, '+' | '-') && at > 0 && !inner[..at].ends_with(['e', 'E', 'p', 'P'])
    };
    match inner.char_indices().rev().find(is_sign) {
        Some((at, _)) => Some((&inner[..at], &inner[at..])),
        None => Some(("0", inner)),
    }
}

/// Returns the code of hex digits.
fn of_digits(dtype: DType, text: &str, digits: &str) -> Result<u64> {
    let full = dtype.hex_digits();
    let number = read(text).ok_or_else(|| neither(dtype, text))?;
    let code = u64::from_str_radix(digits, 16).ok().filter(|code| code & !dtype.code_mask() == 0);
    let Some(code) = code else {
        bail!(
            "code {} does not fit {dtype}: a code of {dtype} has {} bits, at most {:#x}",
            shown(text),
            dtype.bits(),
            dtype.code_mask()
        )
    };
    if digits.len() == full || held(dtype, &number) == Some(Held::Exactly(code)) {
        return Ok(code);
    }
    let (short, filled) = (dtype.hex(code), format!("0x{digits:0<full$}"));
    let written = match digits.len() < full && filled != short {
        true => format!("{short} or {filled} for a code"),
        false => format!("{short} for the code"),
    };
    bail!(
        "'{text}' has {} hex digits, and a code of {dtype} has {full}: write {written}, or {code} for the number",
        digits.len()
    )
}

/// Says that a text is neither a code nor a number.
fn neither(dtype: DType, text: &str) -> anyhow::Error {
    let full = dtype.hex_digits();
    let is_code = text.len() == full && text.bytes().all(|b| b.is_ascii_hexdigit());
    let example = if is_code { format!("0x{text}") } else { dtype.hex(1) };
    anyhow!(
        "'{}' is neither a number nor a code of {dtype}; write a number like 1.5, -0.0 or nan, or 0x and all {full} \
         hex digits of a code, like {example}",
        shown(text)
    )
}

/// Says which numbers stand beside one that the dtype does not hold.
fn beside(
    dtype: DType,
    text: &str,
    [below, above]: [Option<u64>; 2],
    nearest: Option<u64>,
) -> String {
    let side = |name: &str, code: Option<u64>| match code {
        Some(code) => format!("{name} it is {}", value_and_code(dtype, code)),
        None => format!("no number of {dtype} is {name} it"),
    };
    let mut said = format!(
        "{dtype} does not hold {} exactly: {}, {}",
        shown(text),
        side("below", below),
        side("above", above)
    );
    match nearest {
        Some(code) => said += &format!("; write one of them, or --nearest for {}", dtype.hex(code)),
        None => said += "; write one of its numbers",
    }
    said
}

/// Returns `126.25 (0x42fc8000)`: what is written to get this code, and the code.
fn value_and_code(dtype: DType, code: u64) -> String {
    match exact(dtype, code) {
        Some(value) => format!("{value} ({})", dtype.hex(code)),
        None => words::value(dtype, code),
    }
}

/// Returns the smallest and the largest number of a dtype.
fn ends(dtype: DType) -> (String, String) {
    let far = |text: &str| match read(text).and_then(|value| held(dtype, &value)) {
        Some(Held::Between { below, above, .. }) => {
            below.or(above).map_or_else(String::new, |code| value_and_code(dtype, code))
        }
        _ => String::new(),
    };
    (far("-1e390"), far("1e390"))
}

/// A long text is cut.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(dtype: DType, text: &str) -> u64 {
        element(dtype, text, false).unwrap_or_else(|error| panic!("{text}: {error}")).code
    }

    #[test]
    fn codes_and_numbers() {
        use DType::*;
        for (dtype, text, due) in [
            (Float32, "0x43e80000", 0x43e8_0000),
            (Float32, "464", 0x43e8_0000),
            (Float32, "0x1.d0p8", 0x43e8_0000),
            (Float32, "0X43E80000\r\n", 0x43e8_0000),
            (Float32, "-inf", 0xff80_0000),
            (Float32, "0x0", 0),
            (Int16, "0xc8", 0xc8),
            (Int16, "-0xc8", 0xff38),
            (Int16, "464", 464),
            (Int8, "0xff", 0xff),
            (Int8, "-1", 0xff),
            (Uint4, "15", 15),
            (Bool, "True", 1),
            (Bool, "0x1", 1),
            (Float8E4M3FN, "0x7e", 0x7e),
            (Float8E4M3FN, "448.0", 0x7e),
        ] {
            assert_eq!(code(dtype, text), due, "{dtype} {text}");
        }
    }

    #[test]
    fn what_may_be_meant_either_way_is_refused() {
        use DType::*;
        for (dtype, text, said) in [
            (
                Float32,
                "0x3f8",
                "'0x3f8' has 3 hex digits, and a code of float32 has 8: write 0x000003f8 or 0x3f800000 for a code, \
                 or 1016 for the number",
            ),
            (Float8E8M0, "0x0", "write 0x00 for the code, or 0 for the number"),
            (
                Float32,
                "0x0043e80000",
                "write 0x43e80000 for the code, or 1139277824 for the number",
            ),
            (Float32, "0x123456789", "code 0x123456789 does not fit float32"),
            (Int4, "0x1f", "code 0x1f does not fit int4: a code of int4 has 4 bits, at most 0xf"),
            (Float16, "3c00", "hex digits of a code, like 0x3c00"),
            (Float16, "", "'' is neither a number nor a code of float16"),
            (
                Float32,
                "126.24",
                "float32 does not hold 126.24 exactly: below it is 126.23999786376953125 (0x42fc7ae1), above it is \
                 126.2400054931640625 (0x42fc7ae2); write one of them, or --nearest for 0x42fc7ae1",
            ),
            (
                Int8,
                "128",
                "below it is 127 (0x7f), no number of int8 is above it; write one of its numbers",
            ),
            (Float8E4M3FN, "inf", "has no infinity: its numbers go from -448 (0xfe) to 448 (0x7e)"),
            (Int8, "nan", "int8 has no NaN"),
            (Int8, "-0.0", "int8 has no negative zero: write 0"),
        ] {
            let error = element(dtype, text, false).expect_err(text).to_string();
            assert!(error.contains(said), "{dtype} {text}: {error}");
        }
    }

    #[test]
    fn the_nearest_on_demand() {
        let read = |dtype, text| element(dtype, text, true).expect(text);
        assert_eq!(read(DType::Float32, "0.1"), ElementRead { code: 0x3dcc_cccd, rounded: true });
        assert_eq!(read(DType::Float16, "1e20"), ElementRead { code: 0x7c00, rounded: true });
        assert_eq!(read(DType::Float16, "1"), ElementRead { code: 0x3c00, rounded: false });
        assert!(element(DType::Int8, "300", true).is_err());
    }

    #[test]
    fn complex_elements() {
        let one = Hex::new(0x3f80_0000, DType::Float32);
        let zero = Hex::new(0, DType::Float32);
        for text in ["1,0", "(1, 0)", "1+0j", "1", "0x3f800000,0x0", "1e0+0e-5j"] {
            let read = scalar(DType::Complex64, text, false).expect(text);
            assert_eq!(read, Scalar::Complex([one, zero]), "{text}");
        }
        let read = scalar(DType::Complex64, "-1j", false).expect("imaginary");
        let minus = Hex::new(0xbf80_0000, DType::Float32);
        assert_eq!(read, Scalar::Complex([zero, minus]));
        assert!(scalar(DType::Complex64, "0x3f800000", false).is_err());
    }
}
