//! Conversions between float formats by parameters, one code at a time, in machine integers.
//!
//! A number is `significand * 2^exponent`. Its code in the target, without sign, is found by adding: the codes of a format are in
//! the order of the numbers, so that the next number is the next code, also where a binade ends. 1.9375 in a format with a precision of 4
//! is cut to 1.875, whose code is 0x47 in binary8p4se; rounded up it is 0x48, which is 2.

use crate::error::Error;
use castproof_vectors::{Edition, RoundingMode, Saturation};

/// A conversion from the codes of one format to those of another.
///
/// ```
/// use castproof_impl::{Edition, Projector, RoundingMode, Saturation};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let nearest = Projector::new("float32", "binary8p4se", RoundingMode::NearestEven)?;
/// // 232 is midway between 224, the largest number, and 240.
/// assert_eq!(nearest.code(232f32.to_bits().into(), 0), 0x7e);
/// assert_eq!(nearest.code(233f32.to_bits().into(), 0), 0x7f);
/// assert_eq!(nearest.saturation(Saturation::Finite).code(233f32.to_bits().into(), 0), 0x7e);
/// // With 8 random bits 1.03125, a quarter of the way from 1 to 1.125, is 1.125 for 64 of 256 random numbers.
/// let random = Projector::new("float32", "binary8p4se", RoundingMode::StochasticA)?.random_bits(8);
/// let up = (0..256).filter(|&number| random.code(1.03125f32.to_bits().into(), number) == 0x41);
/// assert_eq!(up.count(), 64);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Projector {
    from: Layout,
    to: Layout,
    rounding: RoundingMode,
    bits: u32,
    saturation: Saturation,
    edition: Edition,
}

/// Where the fields of a format lie, and its codes that are no numbers.
#[derive(Clone, Copy, Debug)]
struct Layout {
    bits: u32,
    signed: bool,
    /// Bits of the stored significand.
    trailing: u32,
    bias: i32,
    kind: Kind,
}

/// Which codes are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The top exponent: infinity and NaN.
    Ieee,
    /// All ones below the sign: NaN.
    AllOnes,
    /// The sign alone: NaN.
    SignAlone,
    /// None.
    Numbers,
    /// P3109: one NaN, with infinities or without.
    P3109 { infinities: bool },
    /// Powers of two from code 0 on; all ones is NaN.
    Powers,
}

/// What a code stands for.
enum Number {
    Nan,
    Infinity { negative: bool },
    Finite { negative: bool, significand: u64, exponent: i32 },
}

impl Layout {
    /// Reads a name in lower case.
    fn named(name: &str) -> Option<Layout> {
        let ieee = |exponent_bits: u32, trailing| Layout {
            bits: 1 + exponent_bits + trailing,
            signed: true,
            trailing,
            bias: (1 << (exponent_bits - 1)) - 1,
            kind: Kind::Ieee,
        };
        let small = |exponent_bits: u32, trailing, bias, kind| Layout {
            bias,
            kind,
            ..ieee(exponent_bits, trailing)
        };
        Some(match name {
            "float64" => ieee(11, 52),
            "float32" => ieee(8, 23),
            "tf32" => ieee(8, 10),
            "bfloat16" => ieee(8, 7),
            "float16" => ieee(5, 10),
            "float8e5m2" => ieee(5, 2),
            "float8e4m3" => ieee(4, 3),
            "float8e3m4" => ieee(3, 4),
            "float8e4m3fn" => small(4, 3, 7, Kind::AllOnes),
            "float8e4m3fnuz" => small(4, 3, 8, Kind::SignAlone),
            "float8e4m3b11fnuz" => small(4, 3, 11, Kind::SignAlone),
            "float8e5m2fnuz" => small(5, 2, 16, Kind::SignAlone),
            "float6e2m3" => small(2, 3, 1, Kind::Numbers),
            "float6e3m2" => small(3, 2, 3, Kind::Numbers),
            "float4e2m1" => small(2, 1, 1, Kind::Numbers),
            "fp8e4b15" => small(4, 3, 15, Kind::Numbers),
            "ue4m3" => Layout { bits: 7, signed: false, ..small(4, 3, 7, Kind::AllOnes) },
            "ue5m3" => Layout { bits: 8, signed: false, ..small(5, 3, 15, Kind::AllOnes) },
            "float8e8m0" => {
                Layout { bits: 8, signed: false, trailing: 0, bias: 127, kind: Kind::Powers }
            }
            _ => return Layout::p3109(name),
        })
    }

    /// Reads `binary8p3se`: bits, precision, signed or unsigned, extended or finite.
    fn p3109(name: &str) -> Option<Layout> {
        let (bits, rest) = name.strip_prefix("binary")?.split_once('p')?;
        let (precision, letters) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let signed = match letters.as_bytes()[0] {
            b's' => true,
            b'u' => false,
            _ => return None,
        };
        let infinities = match letters.as_bytes()[1] {
            b'e' => true,
            b'f' => false,
            _ => return None,
        };
        let (bits, precision): (u32, u32) = (bits.parse().ok()?, precision.parse().ok()?);
        let magnitude = bits.checked_sub(u32::from(signed))?;
        // An exponent needs a bit where there is a sign, and may need none where there is not.
        let is_one = (3..=16).contains(&bits)
            && (1..=bits).contains(&precision)
            && !(signed && precision == bits);
        is_one.then(|| Layout {
            bits,
            signed,
            trailing: precision - 1,
            bias: 1 << (magnitude - precision),
            kind: Kind::P3109 { infinities },
        })
    }

    fn sign(&self) -> u64 {
        u64::from(self.signed) << (self.bits - 1)
    }

    /// All bits below the sign.
    fn ones(&self) -> u64 {
        (u64::MAX >> (64 - self.bits)) & !self.sign()
    }

    /// The top exponent with a significand of zeros.
    fn top(&self) -> u64 {
        self.ones() >> self.trailing << self.trailing
    }

    /// The largest number.
    fn largest(&self) -> u64 {
        match self.kind {
            Kind::Ieee => self.top() - 1,
            Kind::AllOnes | Kind::Powers => self.ones() - 1,
            Kind::SignAlone | Kind::Numbers => self.ones(),
            // A signed format has its NaN at the sign, an unsigned one at the end.
            Kind::P3109 { infinities } => {
                self.ones() - u64::from(infinities) - u64::from(!self.signed)
            }
        }
    }

    /// Infinity without sign, where there is one: it follows the largest number.
    fn infinity(&self) -> Option<u64> {
        let has = matches!(self.kind, Kind::Ieee | Kind::P3109 { infinities: true });
        has.then(|| self.largest() + 1)
    }

    /// What NaN becomes. A format without NaN has its largest number.
    fn nan(&self) -> u64 {
        match self.kind {
            Kind::Ieee => self.top() | 1 << (self.trailing - 1),
            Kind::SignAlone => self.sign(),
            Kind::P3109 { .. } if self.signed => self.sign(),
            Kind::AllOnes | Kind::Powers | Kind::P3109 { .. } | Kind::Numbers => self.ones(),
        }
    }

    fn is_nan(&self, code: u64) -> bool {
        match self.kind {
            Kind::Ieee => code & self.ones() > self.top(),
            Kind::AllOnes => code & self.ones() == self.ones(),
            Kind::Numbers => false,
            Kind::SignAlone | Kind::Powers | Kind::P3109 { .. } => code == self.nan(),
        }
    }

    /// The exponent of the last place of the smallest numbers.
    fn lowest(&self) -> i32 {
        let smallest = if self.kind == Kind::Powers { 0 } else { 1 };
        smallest - self.bias - self.trailing as i32
    }

    fn number(&self, code: u64) -> Number {
        let negative = code & self.sign() != 0;
        let magnitude = code & self.ones();
        if self.is_nan(code) {
            return Number::Nan;
        }
        if self.infinity() == Some(magnitude) {
            return Number::Infinity { negative };
        }
        let (field, fraction) =
            (magnitude >> self.trailing, magnitude & ((1 << self.trailing) - 1));
        let (significand, places) = match (self.kind, field) {
            (Kind::Powers, _) => (1, field as i32),
            (_, 0) => (fraction, 0),
            _ => (fraction | 1 << self.trailing, field as i32 - 1),
        };
        Number::Finite { negative, significand, exponent: self.lowest() + places }
    }
}

impl Projector {
    /// Makes a conversion without saturation, by the report 4.0. Formats are named as `castproof format` lists them, in lower case; those of IEEE
    /// P3109 (draft) have 3 to 16 bits.
    ///
    /// # Errors
    /// [`Error::NoFormat`] if there is no format of one of the names.
    pub fn new(from: &str, to: &str, rounding: RoundingMode) -> Result<Projector, Error> {
        let from = Layout::named(from).ok_or(Error::NoFormat { side: "input" })?;
        let to = Layout::named(to).ok_or(Error::NoFormat { side: "output" })?;
        let (saturation, edition) = (Saturation::None, Edition::Report4);
        Ok(Projector { from, to, rounding, bits: 1, saturation, edition })
    }

    /// Sets the number of random bits, 1 to 63, which a stochastic rounding takes.
    pub fn random_bits(self, bits: u32) -> Projector {
        Projector { bits: bits.clamp(1, 63), ..self }
    }

    /// Sets the saturation. In a format that is not of P3109, `Propagate` is as `Finite`.
    pub fn saturation(self, saturation: Saturation) -> Projector {
        Projector { saturation, ..self }
    }

    /// Sets the text that holds where two of P3109 differ.
    pub fn edition(self, edition: Edition) -> Projector {
        Projector { edition, ..self }
    }

    /// Bits of the codes that are given, and of those that are due.
    pub fn widths(&self) -> (u32, u32) {
        (self.from.bits, self.to.bits)
    }

    /// Converts a code. Bits above its width are not read. `random` is the random number, which only a stochastic rounding uses. What
    /// specifications leave open is decided here: NaN becomes the largest number of a format without NaN, a negative number 0 in an
    /// unsigned format that is not of P3109, and zero the smallest number of a format without zero.
    pub fn code(&self, code: u64, random: u64) -> u64 {
        let to = &self.to;
        match self.from.number(code & (u64::MAX >> (64 - self.from.bits))) {
            Number::Nan => to.nan(),
            Number::Infinity { negative } => self.beyond(negative, true),
            Number::Finite { negative, significand: 0, .. } => self.signed(negative, 0),
            Number::Finite { negative, significand, exponent } => {
                let magnitude = self.rounded(negative, significand, exponent, random);
                match (to.signed || magnitude == 0, magnitude > to.largest()) {
                    (true, false) => self.signed(negative, magnitude),
                    (false, false) if !negative => magnitude,
                    _ => self.beyond(negative, false),
                }
            }
        }
    }

    /// A code with its sign; zero has none where the format has no negative zero.
    fn signed(&self, negative: bool, magnitude: u64) -> u64 {
        let has_negative_zero = matches!(self.to.kind, Kind::Ieee | Kind::AllOnes | Kind::Numbers);
        let keeps = negative && (magnitude != 0 || has_negative_zero);
        if keeps { magnitude | self.to.sign() } else { magnitude }
    }

    /// The code of the magnitude as if codes had no upper end. `significand` is not 0.
    fn rounded(&self, negative: bool, significand: u64, exponent: i32, random: u64) -> u64 {
        let (to, lowest) = (&self.to, self.to.lowest());
        // The exponent of the leading bit, and of the last place that is kept.
        let leading = exponent + 63 - significand.leading_zeros() as i32;
        let last = (leading - to.trailing as i32).max(lowest);
        let powers = u64::from(to.kind == Kind::Powers);
        let binades = (last - lowest) as u64;
        let cut = last - exponent;
        if cut <= 0 {
            return (binades << to.trailing) + (significand << -cut) - powers;
        }
        let rest = Rest::of(significand, cut as u32);
        let kept = significand.checked_shr(cut as u32).unwrap_or(0);
        // Below the smallest number of a format without zero there is no neighbour.
        if powers == 1 && kept == 0 {
            return 0;
        }
        let below = (binades << to.trailing) + kept - powers;
        below + u64::from(self.goes_up(negative, &rest, below & 1 == 1, random))
    }

    fn goes_up(&self, negative: bool, rest: &Rest, is_odd: bool, random: u64) -> bool {
        let (half, more) = rest.leading(1);
        let reaches = |parts: u128| parts + u128::from(random) >= 1 << self.bits;
        !rest.is_zero()
            && match self.rounding {
                RoundingMode::TowardZero => false,
                RoundingMode::Up => !negative,
                RoundingMode::Down => negative,
                RoundingMode::NearestEven => half == 1 && (more || is_odd),
                RoundingMode::NearestAway => half == 1,
                RoundingMode::ToOdd => !is_odd,
                RoundingMode::StochasticA => reaches(rest.leading(self.bits).0),
                // One bit more, and R with a half behind it: the sum of both halves carries.
                RoundingMode::StochasticB => reaches(rest.leading(self.bits + 1).0.div_ceil(2)),
                RoundingMode::StochasticC => {
                    let (twice, more) = rest.leading(self.bits + 1);
                    let (parts, half) = (twice / 2, twice % 2 == 1);
                    reaches(parts + u128::from(half && (more || parts % 2 == 1)))
                }
            }
    }

    /// The code of what lies beyond the largest number, or below 0 in an unsigned format.
    fn beyond(&self, negative: bool, is_infinite: bool) -> u64 {
        let Projector { to, rounding, saturation, edition, .. } = *self;
        let is_p3109 = matches!(to.kind, Kind::P3109 { .. });
        let is_below = negative && !to.signed;
        let end = if is_below { 0 } else { self.signed(negative, to.largest()) };
        let infinity = to.infinity().filter(|_| !is_below).map(|it| self.signed(negative, it));
        let inward = match rounding {
            RoundingMode::TowardZero => true,
            RoundingMode::Up => negative,
            RoundingMode::Down => !negative,
            // The largest number may be the odd one. P3109's later text counts that only for signed formats, whose is even.
            RoundingMode::ToOdd if is_p3109 => {
                edition == Edition::Report4 && !is_below && !to.signed && to.infinity().is_some()
            }
            RoundingMode::ToOdd => to.largest() % 2 == 1,
            _ => false,
        };
        let is_open = is_below && !is_p3109;
        match saturation {
            _ if is_open => end,
            Saturation::Propagate if is_p3109 && is_infinite => infinity.unwrap_or(end),
            Saturation::Finite | Saturation::Propagate => end,
            Saturation::None if inward && !is_infinite => end,
            Saturation::None if is_below => to.nan(),
            Saturation::None => match (infinity, to.kind) {
                (Some(infinity), _) => infinity,
                (None, Kind::Numbers) => end,
                (None, Kind::P3109 { .. }) if edition == Edition::Report4 => end,
                (None, Kind::AllOnes) => self.signed(negative, to.nan()),
                (None, _) => to.nan(),
            },
        }
    }
}

/// What is cut off: `number / 2^places`, below 1.
struct Rest {
    number: u64,
    places: u32,
}

impl Rest {
    fn of(significand: u64, places: u32) -> Rest {
        let mask = if places >= 64 { u64::MAX } else { (1 << places) - 1 };
        Rest { number: significand & mask, places }
    }

    fn is_zero(&self) -> bool {
        self.number == 0
    }

    /// The first `bits` bits, 64 at most, and whether ones follow.
    fn leading(&self, bits: u32) -> (u128, bool) {
        let number = u128::from(self.number);
        match self.places.checked_sub(bits) {
            None => (number << (bits - self.places), false),
            Some(after) if after >= 64 => (0, number != 0),
            Some(after) => (number >> after, number & ((1 << after) - 1) != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projector(to: &str, rounding: RoundingMode) -> Projector {
        Projector::new("float64", to, rounding).expect("a format")
    }

    /// Codes from the text of the rules: overflow, NaN and signs of binary8p4 (section 2.2).
    #[test]
    fn codes_are_those_of_the_text() {
        use RoundingMode::{NearestEven, TowardZero};
        for (to, plus_ulp, infinite, toward_zero) in [
            ("binary8p4se", 0x7f, 0x7f, 0x7e),
            ("binary8p4sf", 0x7f, 0x7f, 0x7f),
            ("binary8p4ue", 0xfe, 0xfe, 0xfd),
            ("binary8p4uf", 0xfe, 0xfe, 0xfe),
        ] {
            let projector = projector(to, NearestEven);
            let at = |number: f64| projector.code(number.to_bits(), 0);
            assert_eq!(at(65536.0), plus_ulp, "{to}");
            assert_eq!(at(f64::INFINITY), infinite, "{to}");
            let cut = Projector { rounding: TowardZero, ..projector };
            assert_eq!(cut.code(65536f64.to_bits(), 0), toward_zero, "{to}");
            assert_eq!(at(-0.0), 0, "{to}");
        }
        let unsigned = projector("binary8p4uf", NearestEven);
        assert_eq!(unsigned.code((-1f64).to_bits(), 0), 0xff);
        assert_eq!(unsigned.saturation(Saturation::Finite).code((-1f64).to_bits(), 0), 0);
        assert_eq!(unsigned.code((-(0.5f64.powi(20))).to_bits(), 0), 0);
        // PJ-13: of binades, the even exponent code.
        let powers = projector("binary8p1uf", NearestEven);
        let at = |number: f64| powers.code(number.to_bits(), 0);
        assert_eq!([at(1.5), at(3.0), at(1.0)], [0x80, 0x82, 0x80]);
    }

    #[test]
    fn names_that_are_none_are_refused() {
        let none = |name| Projector::new("float64", name, RoundingMode::Up).err();
        for name in [
            "",
            "binary8p8se",
            "binary8p0se",
            "binary2p1se",
            "binary17p3se",
            "binary8p3s",
            "Binary8p3se",
            "binary8pse",
        ] {
            assert_eq!(none(name), Some(Error::NoFormat { side: "output" }), "{name}");
        }
    }
}
