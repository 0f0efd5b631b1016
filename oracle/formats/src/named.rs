//! The formats that have names of their own, as data.

use crate::p3109;
use crate::record::{Format, Specials};
use Specials::{Ieee, NegativeZero, None as Nothing, Ones, Scale};

/// A format with a name of its own.
#[derive(Debug)]
pub struct Named {
    /// Its name here; it is Castproof's dtype of this name, if there is one.
    pub name: &'static str,
    /// The rule that states it.
    pub rule: &'static str,
    /// Names elsewhere, with commas between.
    pub others: &'static str,
    /// What there is to know beside the record.
    pub note: &'static str,
    bits: u32,
    signed: bool,
    precision: u32,
    bias: i32,
    specials: Specials,
}

type Numbers = (u32, bool, u32, i32, Specials);

const fn row(
    rule: &'static str,
    name: &'static str,
    (bits, signed, precision, bias, specials): Numbers,
    others: &'static str,
    note: &'static str,
) -> Named {
    Named { name, rule, others, note, bits, signed, precision, bias, specials }
}

/// Each format: the rule, the name, (bits, signed, precision, bias, specials), names elsewhere, a note.
#[rustfmt::skip]
pub const NAMED: [Named; 19] = [
    row("FM-01", "float8e3m4", (8, true, 5, 3, Ieee), "float8_e3m4,Float8E3M4,f8E3M4", ""),
    row("FM-02", "float8e4m3", (8, true, 4, 7, Ieee), "float8_e4m3,Float8E4M3", "it has infinities; what OCP and ONNX call E4M3 has none, and is float8e4m3fn"),
    row("FM-03", "float8e4m3fn", (8, true, 4, 7, Ones), "float8_e4m3fn,Float8E4M3FN,f8E4M3FN", ""),
    row("FM-04", "float8e4m3fnuz", (8, true, 4, 8, NegativeZero), "float8_e4m3fnuz,Float8E4M3FNUZ,f8E4M3FNUZ", ""),
    row("FM-05", "float8e4m3b11fnuz", (8, true, 4, 11, NegativeZero), "float8_e4m3b11fnuz,Float8E4M3B11FNUZ,f8E4M3B11FNUZ", ""),
    row("FM-06", "float8e5m2", (8, true, 3, 15, Ieee), "float8_e5m2,Float8E5M2,f8E5M2", ""),
    row("FM-07", "float8e5m2fnuz", (8, true, 3, 16, NegativeZero), "float8_e5m2fnuz,Float8E5M2FNUZ,f8E5M2FNUZ", ""),
    row("FM-08", "float8e8m0", (8, false, 1, 127, Scale), "float8_e8m0fnu,Float8E8M0FNU,f8E8M0FNU", "code 0x00 is 2^-127: there is no zero and no subnormal number"),
    row("FM-09", "float6e2m3", (6, true, 4, 1, Nothing), "float6_e2m3fn,Float6E2M3FN,f6E2M3FN", ""),
    row("FM-10", "float6e3m2", (6, true, 3, 3, Nothing), "float6_e3m2fn,Float6E3M2FN,f6E3M2FN", ""),
    row("FM-11", "float4e2m1", (4, true, 2, 1, Nothing), "float4_e2m1fn,Float4E2M1FN,f4E2M1FN", ""),
    row("FM-12", "tf32", (19, true, 11, 127, Ieee), "FloatTF32", "a code has 19 bits; in a word of 32 bits it is the upper 19, and the lower 13 are open"),
    row("FM-13", "fp8e4b15", (8, true, 4, 15, Nothing), "fp8e4m3b15", "Triton's. Codes 0x7f and 0xff are disputed: its interpreter reads 1.875, its source says 1.75"),
    row("FM-14", "ue4m3", (7, false, 4, 7, Ones), "float_ue4m3_t", "the scale of NVFP4, in a byte whose top bit is 0"),
    row("FM-15", "ue5m3", (8, false, 4, 15, Ones), "float_ue5m3_t", "PTX 13.4, a preview"),
    row("PF-07", "float16", (16, true, 11, 15, Ieee), "binary16,half", ""),
    row("PF-07", "bfloat16", (16, true, 8, 127, Ieee), "bf16", ""),
    row("PF-07", "float32", (32, true, 24, 127, Ieee), "binary32,single", ""),
    row("PF-07", "float64", (64, true, 53, 1023, Ieee), "binary64,double", ""),
];

impl Named {
    /// The record.
    pub fn format(&self) -> Format {
        let Named { name, bits, signed, precision, bias, specials, .. } = *self;
        Format { name: name.into(), bits, signed, precision, bias, specials }
    }

    fn is_called(&self, word: &str) -> bool {
        // A rule of several formats is the name of none.
        let by_rule = self.rule.starts_with("FM-") && self.rule.eq_ignore_ascii_case(word);
        let mut names = self.others.split(',').chain([self.name]);
        by_rule || names.any(|name| name.eq_ignore_ascii_case(word))
    }
}

impl Format {
    /// Reads the name of a format, in any case: a name of the table, the id of its rule, or a name of P3109.
    ///
    /// # Errors
    /// One line, if there is no such format.
    pub fn named(text: &str) -> Result<Format, String> {
        let unknown = || Err(format!("unknown format '{text}'"));
        Format::p3109(text).or_else(|| Some(Ok(Format::listed(text)?))).unwrap_or_else(unknown)
    }

    /// Reads a name of P3109, in any case: `Binary8p3se`. `None` if the text is not made like one.
    ///
    /// # Errors
    /// One line that says what there is, if it is made like a name and names no format.
    pub fn p3109(text: &str) -> Option<Result<Format, String>> {
        p3109::read(text)
    }

    /// The format of the table with this name, in any case, or with this id of its rule.
    pub fn listed(text: &str) -> Option<Format> {
        NAMED.iter().find(|it| it.is_called(text)).map(Named::format)
    }

    /// The row of the table, if the format has a name of its own.
    pub fn row(&self) -> Option<&'static Named> {
        NAMED.iter().find(|it| it.name == self.name)
    }

    /// The format with the same codes under another name: binary8p4sf is float8e4m3fnuz (PF-08).
    pub fn twin(&self) -> Option<Format> {
        if !self.signed || self.bits != 8 {
            return None;
        }
        match self.specials {
            Specials::Finite => {
                let mut rows = NAMED.iter().filter(|it| it.specials == NegativeZero);
                rows.find(|it| (it.precision, it.bias) == (self.precision, self.bias))
                    .map(Named::format)
            }
            NegativeZero => Format::named(&format!("binary8p{}sf", self.precision))
                .ok()
                .filter(|twin| twin.bias == self.bias),
            _ => None,
        }
    }
}
