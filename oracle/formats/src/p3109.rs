//! The names of IEEE P3109 (draft), from which everything else follows: `binary8p3se` has 8 bits, a precision of 3, a sign, and the
//! domain extended, which has infinities.

use crate::record::{Format, Specials};

/// The widths that there are here. P3109 has no width of 2 or less (PF-01), and sets no limit above; its tables end at 16.
const WIDTHS: std::ops::RangeInclusive<u32> = 3..=16;

/// Reads a name in any case. `None` if it is not made like one.
///
/// # Errors
/// One line that says what there is, if it is made like a name and names no format.
pub(crate) fn read(text: &str) -> Option<Result<Format, String>> {
    let lower = text.to_ascii_lowercase();
    let (bits, rest) = lower.strip_prefix("binary")?.split_once('p')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (precision, kind) = rest.split_at(digits);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    (is_number(bits) && is_number(precision)).then(|| format(&lower, bits, precision, kind))
}

fn format(name: &str, bits: &str, precision: &str, kind: &str) -> Result<Format, String> {
    let (signed, specials) = match kind {
        "se" => (true, Specials::Extended),
        "sf" => (true, Specials::Finite),
        "ue" => (false, Specials::Extended),
        "uf" => (false, Specials::Finite),
        _ => {
            let base = format!("binary{bits}p{precision}");
            return Err(format!(
                "'{name}' is no format of P3109: after the precision stand s (signed) or u (unsigned) and e (with infinities) or \
                 f (finite): {base}se, {base}sf, {base}ue, {base}uf"
            ));
        }
    };
    let width = bits.parse().ok().filter(|width| WIDTHS.contains(width));
    let Some(width) = width else {
        return Err(format!(
            "'{name}' is no format here: P3109 has no width below 3, and Castproof has widths from 3 to 16, like binary8p3se"
        ));
    };
    // PF-01
    let most = if signed { width - 1 } else { width };
    let Some(precision) = precision.parse().ok().filter(|it| (1..=most).contains(it)) else {
        let word = if signed { "a signed" } else { "an unsigned" };
        return Err(format!(
            "'{name}' is no format of P3109: {word} format of {width} bits has a precision from 1 to {most}"
        ));
    };
    let name = format!("binary{width}p{precision}{kind}");
    // PF-02
    let bias = 1 << (width - precision - u32::from(signed));
    Ok(Format { name, bits: width, signed, precision, bias, specials })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case() {
        for (text, bits, signed, precision, bias, specials) in [
            ("binary8p3se", 8, true, 3, 16, Specials::Extended),
            ("Binary8p4uf", 8, false, 4, 16, Specials::Finite),
            ("BINARY3P2SF", 3, true, 2, 1, Specials::Finite),
            ("Binary8p8ue", 8, false, 8, 1, Specials::Extended),
            ("binary16p1uf", 16, false, 1, 32768, Specials::Finite),
        ] {
            let name = text.to_lowercase();
            let due = Format { name, bits, signed, precision, bias, specials };
            assert_eq!(read(text), Some(Ok(due)), "{text}");
        }
    }

    #[test]
    fn impossible_names_are_refused_with_what_there_is() {
        for (text, said) in [
            ("binary2p1se", "widths from 3 to 16"),
            ("binary17p3se", "widths from 3 to 16"),
            ("binary99999999999p3se", "widths from 3 to 16"),
            ("binary8p8se", "a signed format of 8 bits has a precision from 1 to 7"),
            ("binary8p0uf", "an unsigned format of 8 bits has a precision from 1 to 8"),
            ("binary8p9uf", "a precision from 1 to 8"),
            ("binary8p3", "binary8p3se, binary8p3sf, binary8p3ue, binary8p3uf"),
            ("binary8p3es", "binary8p3se"),
        ] {
            let error = read(text).expect("made like a name").expect_err(text);
            assert!(error.contains(said) && error.lines().count() == 1, "{text}: {error}");
        }
        for text in
            ["binary16", "binary", "binaryp3se", "binary8pse", "float8e4m3fn", "binary-8p3se"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
