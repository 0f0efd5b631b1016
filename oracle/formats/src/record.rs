//! A format as a record, and what follows from it.

/// A float format. Its exponent field has the bits that sign and significand leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name.
    pub name: String,
    /// Bits of a code, at most 64.
    pub bits: u32,
    /// Is the top bit a sign?
    pub signed: bool,
    /// Bits of the significand, with the leading one, which is not stored.
    pub precision: u32,
    /// Exponent field of 1.
    pub bias: i32,
    /// Which codes are no finite numbers.
    pub specials: Specials,
}

/// Which codes of a format are NaN and infinities, and whether it has a negative zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// As in IEEE 754: an exponent field of all ones means infinity or NaN.
    Ieee,
    /// Only the code of all ones is NaN, with either sign; no infinity.
    Ones,
    /// Only the code that would be negative zero is NaN; no infinity.
    NegativeZero,
    /// Every code is a finite number.
    None,
    /// P3109, domain extended: one NaN, infinities, one zero (PF-03, PF-04).
    Extended,
    /// P3109, domain finite: one NaN, one zero (PF-03).
    Finite,
    /// Powers of two and one NaN, the code of all ones; no zero and no subnormal numbers.
    Scale,
}

impl Specials {
    /// The name, as people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Specials::Ieee => "ieee",
            Specials::Ones => "ones",
            Specials::NegativeZero => "nz",
            Specials::None => "none",
            Specials::Extended => "p3109 extended",
            Specials::Finite => "p3109 finite",
            Specials::Scale => "e8m0",
        }
    }
}

impl Format {
    /// Is it a format of IEEE P3109?
    pub fn is_p3109(&self) -> bool {
        matches!(self.specials, Specials::Extended | Specials::Finite)
    }

    /// Bits without the sign.
    pub fn magnitude_bits(&self) -> u32 {
        self.bits - u32::from(self.signed)
    }

    /// Bits of the significand that are stored.
    pub fn trailing_bits(&self) -> u32 {
        self.precision - 1
    }

    /// Bits of the exponent field.
    pub fn exponent_bits(&self) -> u32 {
        self.magnitude_bits() - self.trailing_bits()
    }

    /// Has it zero and numbers below the smallest normal one?
    pub fn has_zero(&self) -> bool {
        self.specials != Specials::Scale
    }

    /// Has it a negative zero?
    pub fn has_negative_zero(&self) -> bool {
        self.signed && matches!(self.specials, Specials::Ieee | Specials::Ones | Specials::None)
    }

    /// Exponent of the smallest normal number.
    pub fn min_exponent(&self) -> i32 {
        if self.has_zero() { 1 - self.bias } else { -self.bias }
    }

    /// Exponent of the unit in the last place of numbers whose exponent is `exponent`.
    pub fn quantum(&self, exponent: i32) -> i32 {
        exponent.max(self.min_exponent()) - self.trailing_bits() as i32
    }

    /// The code with every bit set.
    pub fn code_mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The sign bit; 0 where there is none.
    pub fn sign_bit(&self) -> u64 {
        if self.signed { 1 << (self.bits - 1) } else { 0 }
    }

    /// The code with every bit set but the sign.
    pub fn magnitude_mask(&self) -> u64 {
        self.code_mask() & !self.sign_bit()
    }

    /// The code of an exponent field of all ones and a significand field of zeros.
    fn top_binade(&self) -> u64 {
        ((1 << self.exponent_bits()) - 1) << self.trailing_bits()
    }

    /// Code of the largest finite number (PF-05).
    pub fn largest_code(&self) -> u64 {
        let all = self.magnitude_mask();
        match (self.specials, self.signed) {
            (Specials::Ieee, _) => self.top_binade() - 1,
            (Specials::None | Specials::NegativeZero, _) | (Specials::Finite, true) => all,
            (Specials::Extended, false) => all - 2,
            (Specials::Ones | Specials::Scale | Specials::Extended | Specials::Finite, _) => {
                all - 1
            }
        }
    }

    /// Code of infinity with this sign, if the format has it (PF-04).
    pub fn infinity_code(&self, negative: bool) -> Option<u64> {
        let positive = match (self.specials, self.signed) {
            (Specials::Ieee, _) => self.top_binade(),
            (Specials::Extended, true) => self.magnitude_mask(),
            (Specials::Extended, false) => self.magnitude_mask() - 1,
            _ => return None,
        };
        match negative {
            false => Some(positive),
            true => self.signed.then(|| positive | self.sign_bit()),
        }
    }

    /// The code that NaN becomes: the only one (PF-03), or of several the positive quiet one without payload, which PF-07 advises.
    /// Specifications differ in sign and payload.
    pub fn nan_code(&self) -> Option<u64> {
        match (self.specials, self.signed) {
            (Specials::Ieee, _) => Some(self.top_binade() | 1 << (self.trailing_bits() - 1)),
            (Specials::None, _) => None,
            (Specials::NegativeZero | Specials::Extended | Specials::Finite, true) => {
                Some(self.sign_bit())
            }
            _ => Some(self.magnitude_mask()),
        }
    }

    /// Is this code a NaN?
    pub fn is_nan(&self, code: u64) -> bool {
        let magnitude = code & self.magnitude_mask();
        match self.specials {
            Specials::Ieee => magnitude > self.top_binade(),
            Specials::Ones => magnitude == self.magnitude_mask(),
            _ => Some(code) == self.nan_code(),
        }
    }

    /// Hex digits of a code.
    pub fn hex_digits(&self) -> usize {
        self.bits.div_ceil(4) as usize
    }

    /// Writes a code: `0x7e`.
    pub fn hex(&self, code: u64) -> String {
        format!("0x{code:0digits$x}", digits = self.hex_digits())
    }
}
