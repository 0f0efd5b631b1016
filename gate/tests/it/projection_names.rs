//! Converters between formats with a fault, written in machine floats, and what the gate says they do.

use crate::question_faults::{found_by, of_suite};
use castproof::finding::Finding;
use castproof::testee::{Reply, Returned};
use castproof_formats::{Format, Specials};
use castproof_vectors::{Conversion, Edition, Project, Question, RoundingMode, Saturation, Suite};

use RoundingMode::{
    Down, NearestAway, NearestEven, StochasticA, StochasticB, StochasticC, ToOdd, TowardZero, Up,
};

/// The targets that the converters take; the others are refused, so that many converters can be asked.
const TARGETS: [&str; 9] = [
    "binary8p3se",
    "binary8p4sf",
    "binary8p4uf",
    "binary4p2se",
    "float8e4m3fn",
    "float8e5m2",
    "float8e4m3fnuz",
    "float16",
    "ue5m3",
];

/// What a converter does otherwise.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    /// Where the first mode is asked, the second is used.
    Mode(RoundingMode, RoundingMode),
    /// One mode for all.
    OnlyMode(RoundingMode),
    /// Ties: 0 toward zero, 1 to odd, 2 up, 3 down.
    Ties(u8),
    OnlySaturation(Saturation),
    OnlyEdition(Edition),
    TestedFirst,
    /// What a number beyond the largest becomes: its code.
    Beyond(fn(&Format, u64) -> u64),
    Infinity(fn(&Format, u64) -> u64),
    Nan(fn(&Format, u64) -> u64),
    FlushResult,
    FlushFirst,
    FlushInput,
    RoundTwice,
    CutSubnormals,
    ZeroBelow,
    /// Carries that are lost: 0 between binades, 1 from the subnormal numbers too, 2 everywhere, 3 or-ed.
    Carry(u8),
    /// The random number of an element: its own, those of all, the place, the bits, whether the input is negative.
    Random(fn(u64, &[u64], usize, u32, bool) -> u64),
    Exceeds,
    Against,
    ExactMoves,
    SignLost,
    ZeroSignLost,
    ZeroSignKept,
    UnderflowSignLost,
    NegativeZeroed,
    NegativeNan,
    BiasTo(i32),
    BiasFrom(i32),
    /// Rounded through a narrower number first: its significand, its smallest exponent, its largest.
    Through(u32, i32, i32, bool),
    Code(fn(u64) -> u64),
    Rounded(i64),
    WriteAs(&'static str),
}

/// A magnitude that was rounded, as a count of quanta.
struct Rounded {
    units: f64,
    quantum: i32,
    cut: f64,
}

fn pow2(exponent: i32) -> f64 {
    if exponent < -1022 {
        f64::from_bits(1 << (exponent + 1074).max(0))
    } else {
        f64::from_bits(((exponent.min(1023) + 1023) as u64) << 52)
    }
}

/// x * 2^e, exactly where the result is a number.
fn scaled(mut x: f64, mut e: i32) -> f64 {
    while e > 1000 {
        (x, e) = (x * pow2(1000), e - 1000);
    }
    while e < -1000 {
        (x, e) = (x * pow2(-1000), e + 1000);
    }
    x * pow2(e)
}

fn exponent(x: f64) -> i32 {
    let bits = x.to_bits() >> 52 & 0x7ff;
    if bits == 0 { 63 - (x.to_bits().leading_zeros() as i32) - 1074 } else { bits as i32 - 1023 }
}

/// The number of a code.
fn number(format: &Format, code: u64) -> f64 {
    let negative = code & format.sign_bit() != 0;
    if format.is_nan(code) {
        return f64::NAN;
    }
    if format.infinity_code(negative) == Some(code) {
        return if negative { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let code = code & format.magnitude_mask();
    let hidden = 1u64 << (format.precision - 1);
    let (field, rest) = (code / hidden, code % hidden);
    let has_zero = format.specials != Specials::Scale;
    let (units, field) = match field {
        0 if has_zero => (rest, 1),
        _ => (rest + hidden, field as i32),
    };
    let x = scaled(units as f64, field - format.bias - (format.precision as i32 - 1));
    if negative { -x } else { x }
}

struct Converter {
    fault: Fault,
    ask: Project,
    from: Format,
    to: Format,
}

impl Converter {
    fn mode(&self) -> RoundingMode {
        let asked = self.ask.rounding;
        match self.fault {
            Fault::Mode(from, to) if asked == from => to,
            Fault::OnlyMode(mode) if asked.is_stochastic() || !mode.is_stochastic() => mode,
            _ => asked,
        }
    }

    fn goes_up(
        &self,
        mode: RoundingMode,
        v: f64,
        is_odd: bool,
        negative: bool,
        random: u64,
    ) -> bool {
        let bits = self.ask.random_bits;
        let (whole, n) = (pow2(bits as i32), random as f64);
        if let Fault::Ties(ties) = self.fault
            && v == 0.5
            && matches!(mode, NearestEven | NearestAway)
        {
            return [false, !is_odd, !negative, negative][ties as usize];
        }
        match mode {
            TowardZero => false,
            Up => !negative,
            Down => negative,
            NearestEven => v > 0.5 || v == 0.5 && is_odd,
            NearestAway => v >= 0.5,
            ToOdd => !is_odd,
            _ if matches!(self.fault, Fault::Exceeds) => (v * whole).floor() + n > whole,
            _ if matches!(self.fault, Fault::Against) => (v * whole).floor() >= n,
            StochasticA => (v * whole).floor() + n >= whole,
            StochasticB => (v * whole * 2.0).floor() + 2.0 * n + 1.0 >= 2.0 * whole,
            StochasticC => (v * whole).round_ties_even() + n >= whole,
        }
    }

    /// Rounds a magnitude above 0 to a quantum.
    fn rounded(&self, x: f64, negative: bool, random: u64, quantum: i32) -> Rounded {
        let units = scaled(x, -quantum);
        let (cut, v) = (units.floor(), units - units.floor());
        let is_odd = match self.to.precision {
            1 => cut != 0.0 && (quantum + self.to.bias) & 1 == 1,
            _ => cut % 2.0 == 1.0,
        };
        let mut mode = self.mode();
        let min = pow2(self.to.min_exponent());
        if matches!(self.fault, Fault::CutSubnormals) && x < min {
            mode = TowardZero;
        }
        let up = match v == 0.0 {
            true => {
                let bits = self.ask.random_bits;
                matches!(self.fault, Fault::ExactMoves) && bits > 0 && random + 1 == 1 << bits
            }
            false => self.goes_up(mode, v, is_odd, negative, random),
        };
        Rounded { units: cut + f64::from(u8::from(up)), quantum, cut }
    }

    fn code(&self, place: usize, given: u64) -> u64 {
        let (fault, to) = (self.fault, &self.to);
        let from = match fault {
            Fault::BiasFrom(more) => &Format { bias: self.from.bias + more, ..self.from.clone() },
            _ => &self.from,
        };
        let mut x = number(from, given);
        let negative = x.is_sign_negative() && !x.is_nan();
        let randoms = self.ask.random.codes();
        let mut random = randoms.get(place).copied().unwrap_or(0);
        if let (Fault::Random(changed), false) = (fault, randoms.is_empty()) {
            random = changed(random, randoms, place, self.ask.random_bits, negative);
        }
        if let Fault::Through(precision, low, high, cut) = fault {
            x = narrowed(x, precision, (low, high), cut);
        }
        if matches!(fault, Fault::FlushInput) && x.abs() < pow2(from.min_exponent()) {
            x *= 0.0;
        }
        if matches!(fault, Fault::NegativeZeroed) && negative {
            return 0;
        }
        if x.is_nan() {
            let right = to.nan_code().unwrap_or(0);
            let negative = given & self.from.sign_bit() != 0 && !self.from.is_p3109();
            return match fault {
                Fault::Nan(wrong) => wrong(to, if negative { to.sign_bit() } else { 0 }),
                Fault::Code(wrong) => wrong(right),
                _ => right,
            };
        }
        let right = self.number_or_infinity(x, random);
        let sign = if negative && to.signed { to.sign_bit() } else { 0 };
        match fault {
            Fault::Infinity(wrong) if x.is_infinite() => wrong(to, sign),
            Fault::NegativeNan if negative && x != 0.0 => to.nan_code().unwrap_or(right),
            Fault::SignLost if !to.is_nan(right) => right & to.magnitude_mask(),
            Fault::Code(wrong) => wrong(right),
            Fault::Rounded(more)
                if x.is_finite() && number(to, right) != x && !to.is_nan(right) =>
            {
                let magnitude = (right & to.magnitude_mask()) as i64 + more;
                match (0..=to.magnitude_mask() as i64).contains(&magnitude) {
                    true => magnitude as u64 | right & to.sign_bit(),
                    false => right,
                }
            }
            _ => right,
        }
    }

    fn number_or_infinity(&self, x: f64, random: u64) -> u64 {
        let (fault, to) = (self.fault, &self.to);
        let negative = x.is_sign_negative();
        let sign = if negative && to.signed { to.sign_bit() } else { 0 };
        let zero = if to.has_negative_zero() { sign } else { 0 };
        let largest = number(to, to.largest_code());
        if x.is_infinite() {
            return self.beyond(negative, true);
        }
        if x == 0.0 {
            return match fault {
                Fault::ZeroSignLost => 0,
                Fault::ZeroSignKept => sign,
                _ => zero,
            };
        }
        let (size, min) = (x.abs(), pow2(to.min_exponent()));
        if matches!(fault, Fault::FlushFirst) && size < min
            || matches!(fault, Fault::ZeroBelow) && size < number(to, 1)
        {
            return zero;
        }
        if matches!(fault, Fault::TestedFirst) && (size > largest || negative && !to.signed) {
            return self.beyond(negative, false);
        }
        let quantum = to.quantum(exponent(size));
        let mut rounded = self.rounded(size, negative, random, quantum);
        if matches!(fault, Fault::RoundTwice) && size < min {
            let first =
                self.rounded(size, negative, random, exponent(size) - (to.precision as i32 - 1));
            let once = scaled(first.units, first.quantum);
            rounded = self.rounded(once, negative, random, to.quantum(exponent(once)));
        }
        let value = scaled(rounded.units, rounded.quantum);
        let is_held = if negative && !to.signed { value == 0.0 } else { value <= largest };
        let hidden = 1u64 << (to.precision - 1);
        let code = encoded(value, to);
        if let Some(lost) = self.lost_carry(&rounded, code, is_held) {
            return lost | sign;
        }
        if !is_held {
            if let Fault::Beyond(wrong) = fault {
                return wrong(to, sign | code << 16);
            }
            return self.beyond(negative, false);
        }
        if code == 0 {
            return match fault {
                Fault::UnderflowSignLost => 0,
                Fault::ZeroSignKept => sign,
                Fault::ZeroSignLost => 0,
                _ => zero,
            };
        }
        if matches!(fault, Fault::FlushResult) && code < hidden {
            return zero;
        }
        code | sign
    }

    /// What is left of a code whose carry into the exponent is lost, if this one has a carry.
    fn lost_carry(&self, rounded: &Rounded, code: u64, is_held: bool) -> Option<u64> {
        let Fault::Carry(kind) = self.fault else { return None };
        let hidden = 1u64 << (self.to.precision - 1);
        let value = scaled(rounded.units, rounded.quantum);
        let is_carried = rounded.units > rounded.cut
            && rounded.cut > 0.0
            && exponent(value) > exponent(rounded.cut) + rounded.quantum;
        if !is_carried || code < hidden {
            return None;
        }
        let lost = code - hidden;
        let applies = match kind {
            0 => is_held && lost >= hidden,
            1 => is_held,
            2 => true,
            _ => is_held && lost / hidden % 2 == 1,
        };
        applies.then_some(lost & self.to.magnitude_mask())
    }

    /// What is beyond the largest number.
    fn beyond(&self, negative: bool, is_infinite: bool) -> u64 {
        let to = &self.to;
        let sign = if negative && to.signed { to.sign_bit() } else { 0 };
        let clipped = if negative && !to.signed { 0 } else { to.largest_code() | sign };
        let infinity = to.infinity_code(negative);
        let nan = to.nan_code().unwrap_or(clipped);
        let saturation = match self.fault {
            Fault::OnlySaturation(Saturation::Propagate) if !to.is_p3109() => self.ask.saturation,
            Fault::OnlySaturation(saturation) => saturation,
            _ => self.ask.saturation,
        };
        let edition = match self.fault {
            Fault::OnlyEdition(edition) => edition,
            _ => self.ask.edition,
        };
        let mode = self.mode();
        let inward = !is_infinite
            && (mode == TowardZero || mode == Up && negative || mode == Down && !negative);
        let is_report = edition == Edition::Report4;
        match saturation {
            Saturation::Finite => clipped,
            Saturation::Propagate if is_infinite => infinity.unwrap_or(clipped),
            Saturation::Propagate => clipped,
            _ if inward => clipped,
            _ if negative && !to.signed => nan,
            _ if to.specials == Specials::Finite => {
                if is_report {
                    clipped
                } else {
                    nan
                }
            }
            _ if mode == ToOdd && !is_infinite => match (to.specials, to.signed) {
                (Specials::Extended, false) if is_report => clipped,
                (Specials::Extended, _) => infinity.unwrap_or(clipped),
                _ if to.largest_code() % 2 == 1 => clipped,
                _ => infinity.unwrap_or(nan),
            },
            _ => infinity.unwrap_or(nan),
        }
    }
}

/// The code of a number of the format, or of one beyond it with a longer exponent.
fn encoded(x: f64, to: &Format) -> u64 {
    if x == 0.0 {
        return 0;
    }
    // 2^1024, to which the largest float64 is rounded, is infinite here; its exponent is 1024 all the same.
    let e = exponent(x).max(to.min_exponent());
    let units = match x.is_infinite() {
        true => 1 << (to.precision - 1),
        false => scaled(x, (to.precision as i32 - 1) - e) as u64,
    };
    (((e - to.min_exponent()) as u64) << (to.precision - 1)) + units
}

/// Rounds to a number with fewer bits, to nearest even or by cutting, with exponents from `low` to `high`.
fn narrowed(x: f64, precision: u32, (low, high): (i32, i32), cut: bool) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let quantum = exponent(x.abs()).max(low) - (precision as i32 - 1);
    let units = scaled(x, -quantum);
    let y = scaled(if cut { units.trunc() } else { units.round_ties_even() }, quantum);
    match exponent(y.abs()) > high {
        true if cut => {
            scaled((pow2(precision as i32) - 1.0) * x.signum(), high - (precision as i32 - 1))
        }
        true => f64::INFINITY * x,
        false if y == 0.0 => 0.0f64.copysign(x),
        false => y,
    }
}

/// The codes that a converter with a fault makes. `only`: the only target with the fault; `None`: all have it.
fn converted(ask: &Project, fault: Fault, only: Option<&'static str>) -> Vec<u8> {
    let fault = if only.is_some_and(|only| only != ask.to) { Fault::None } else { fault };
    let named = |name: &str| Format::named(name).expect("a format");
    let (from, mut to) = (named(&ask.from), named(&ask.to));
    let width = Conversion::width(to.bits);
    match fault {
        Fault::BiasTo(more) => to.bias += more,
        Fault::WriteAs(name) if named(name).bits == to.bits => to = named(name),
        _ => {}
    }
    let converter = Converter { fault, ask: ask.clone(), from, to };
    let codes = ask.input.codes().iter().enumerate();
    let bytes = |(place, &code)| converter.code(place, code).to_le_bytes().into_iter().take(width);
    codes.flat_map(bytes).collect()
}

fn found(fault: Fault, only: Option<&'static str>) -> Vec<Finding> {
    found_by(&of_suite(Suite::Projections), |question, _| {
        Some(match question {
            Question::Project(ask) if TARGETS.contains(&&*ask.to) => {
                Reply::Output(Returned::of_bytes(converted(ask, fault, only)))
            }
            _ => Reply::Unsupported("another target".into()),
        })
    })
}

/// Zero with this sign, where the format has it.
fn zero(to: &Format, sign: u64) -> u64 {
    if to.has_negative_zero() { sign & to.sign_bit() } else { 0 }
}

/// Each fault, and what the gate says of it.
#[rustfmt::skip]
const FAULTS: &[(Fault, &str)] = &[
    (Fault::Ties(0), "ties are rounded toward zero"),
    (Fault::Ties(1), "ties are rounded to odd"),
    (Fault::Ties(2), "ties are rounded up"),
    (Fault::Ties(3), "ties are rounded down"),
    (Fault::OnlyEdition(Edition::July2026), "the rules are those of p3109-july-2026"),
    (Fault::OnlyEdition(Edition::Report4), "the rules are those of p3109-4.0"),
    (Fault::TestedFirst, "the range is tested before rounding"),
    (Fault::Beyond(|to, sign| to.largest_code() | sign & to.sign_bit()), "a number beyond the largest becomes the largest"),
    (Fault::Beyond(|to, _| to.nan_code().unwrap_or(0)), "a number beyond the largest becomes NaN"),
    (Fault::Beyond(zero), "a number beyond the largest becomes zero"),
    (Fault::Beyond(|to, code| code >> 16 & to.magnitude_mask() | code & to.sign_bit()), "the upper bits of the exponent are lost"),
    (Fault::Infinity(|to, _| to.nan_code().unwrap_or(0)), "infinity becomes NaN"),
    (Fault::Infinity(|to, sign| to.largest_code() | sign), "infinity becomes the largest number"),
    (Fault::Infinity(zero), "infinity becomes zero"),
    (Fault::Nan(|to, _| to.infinity_code(false).unwrap_or(to.largest_code())), "NaN"),
    (Fault::Nan(|to, sign| to.largest_code() | sign), "NaN becomes the largest number"),
    (Fault::Nan(zero), "NaN becomes zero"),
    (Fault::FlushResult, "subnormal results are flushed to zero"),
    (Fault::FlushFirst, "numbers below the smallest normal one are flushed to zero before rounding"),
    (Fault::FlushInput, "subnormal inputs are taken for zero"),
    (Fault::RoundTwice, "subnormal results are rounded twice"),
    (Fault::CutSubnormals, "subnormal results are rounded toward zero"),
    (Fault::ZeroBelow, "numbers below the smallest one become zero"),
    (Fault::Carry(0), "the carry into the exponent is lost between binades"),
    (Fault::Carry(1), "and from the subnormal numbers"),
    (Fault::Carry(2), "the carry into the exponent is lost everywhere"),
    (Fault::Carry(3), "the carry is or-ed into the exponent"),
    (Fault::Random(|r, _, _, n, _| (0..n).fold(0, |out, at| out << 1 | r >> at & 1)), "the random bits are taken in reverse order"),
    (Fault::Random(|r, _, _, _, _| r / 2 * 2), "the lowest random bit is not used"),
    (Fault::Random(|r, _, _, n, _| r % (1 << (n - 1))), "the highest random bit is not used"),
    (Fault::Random(|r, _, _, _, _| r / 2), "the random number is taken as its half"),
    (Fault::Random(|r, _, _, n, _| 2 * r % (1 << n)), "the random number is doubled"),
    (Fault::Random(|r, _, _, n, _| (r + 1) % (1 << n)), "one is added to the random number"),
    (Fault::Random(|r, _, _, n, _| (1 << n) - 1 - r), "the random number is complemented"),
    (Fault::Random(|r, _, _, n, negative| if negative { (1 << n) - 1 - r } else { r }), "complemented where the input is negative"),
    (Fault::Random(|_, all, at, _, _| all[(at + all.len() - 1) % all.len()]), "the random number of the element before"),
    (Fault::Random(|_, all, at, _, _| all[(at + 1) % all.len()]), "the random number of the element after"),
    (Fault::Random(|_, all, _, _, _| all[0]), "the random number of the first element"),
    (Fault::Exceeds, "must exceed one"),
    (Fault::Against, "the fraction is compared with the random number"),
    (Fault::ExactMoves, "numbers that the format holds move"),
    (Fault::SignLost, "the sign is lost"),
    (Fault::ZeroSignLost, "zero loses its sign"),
    (Fault::ZeroSignKept, "zero keeps a sign that the format lacks"),
    (Fault::UnderflowSignLost, "what is rounded to zero loses its sign"),
    (Fault::NegativeZeroed, "negative numbers become zero"),
    (Fault::NegativeNan, "negative numbers become NaN"),
    (Fault::BiasTo(1), "the bias of the result is one too large"),
    (Fault::BiasTo(-1), "the bias of the result is one too small"),
    (Fault::BiasFrom(1), "the bias of the input is one too large"),
    (Fault::BiasFrom(-1), "the bias of the input is one too small"),
    (Fault::Through(24, -126, 127, false), "the number is rounded to float32 first"),
    (Fault::Through(11, -14, 15, false), "the number is rounded to float16 first"),
    (Fault::Through(8, -126, 127, false), "the number is rounded to bfloat16 first"),
    (Fault::Through(11, -126, 127, false), "the number is rounded to tf32 first"),
    (Fault::Through(8, -126, 127, true), "the number is cut to bfloat16 first"),
    (Fault::Code(|code| code & !1), "the lowest bit of the result is lost"),
    (Fault::Code(|_| 0), "every result is zero"),
    (Fault::Rounded(1), "a code one too large"),
    (Fault::Rounded(-1), "a code one too small"),
];

/// These, and one mode or saturation in place of another.
#[rustfmt::skip]
fn faults() -> Vec<(Fault, &'static str)> {
    let mut all = FAULTS.to_vec();
    for (mode, said) in [
        (NearestEven, "the rounding is nearest-even"), (NearestAway, "the rounding is nearest-away"),
        (TowardZero, "the rounding is toward-zero"), (Up, "the rounding is up"), (Down, "the rounding is down"),
        (ToOdd, "the rounding is to-odd"), (StochasticA, "the rounding is stochastic-a"),
        (StochasticB, "the rounding is stochastic-b"), (StochasticC, "the rounding is stochastic-c"),
    ] {
        all.push((Fault::OnlyMode(mode), said));
        for asked in RoundingMode::ALL {
            if asked != mode && (asked.is_stochastic() || !mode.is_stochastic()) {
                all.push((Fault::Mode(asked, mode), said));
            }
        }
    }
    for (saturation, said) in [
        (Saturation::Finite, "the saturation is finite"), (Saturation::Propagate, "the saturation is propagate"),
        (Saturation::None, "the saturation is none"),
    ] {
        all.push((Fault::OnlySaturation(saturation), said));
    }
    all
}

/// Faults of one target alone.
#[rustfmt::skip]
const OF_ONE: [(Fault, &str, &str); 12] = [
    (Fault::WriteAs("float8e4m3"), "float8e4m3fn", "the result is written as float8e4m3"),
    (Fault::WriteAs("float8e4m3fnuz"), "float8e4m3fn", "the result is written as float8e4m3fnuz"),
    (Fault::WriteAs("float8e4m3fn"), "float8e4m3fnuz", "the result is written as float8e4m3fn"),
    (Fault::WriteAs("float8e5m2fnuz"), "float8e5m2", "the result is written as float8e5m2fnuz"),
    (Fault::WriteAs("float8e5m2"), "binary8p3se", "the result is written as float8e5m2"),
    (Fault::WriteAs("bfloat16"), "float16", "the result is written as bfloat16"),
    (Fault::Carry(0), "float8e4m3fn", "the carry into the exponent is lost between binades"),
    (Fault::FlushResult, "float16", "subnormal results are flushed to zero"),
    (Fault::TestedFirst, "float8e4m3fn", "the range is tested before rounding"),
    (Fault::OnlyMode(NearestAway), "float8e5m2", "the rounding is nearest-away"),
    (Fault::OnlySaturation(Saturation::Finite), "float8e4m3fn", "the saturation is finite"),
    (Fault::BiasTo(1), "float8e4m3fnuz", "the bias of the result is one too large"),
];

#[test]
fn a_right_converter_has_no_finding() {
    let found = found(Fault::None, None);
    let sentences: Vec<&str> = found.iter().map(|it| &*it.example.sentence).collect();
    assert!(found.is_empty(), "{sentences:#?}");
}

/// Every converter fails, and of at least nine in ten the gate says what it does and says nothing else.
#[test]
fn faults_of_converters_are_named() {
    let of_one = OF_ONE.into_iter().map(|(fault, only, said)| (fault, Some(only), said));
    let of_all = faults().into_iter().map(|(fault, said)| (fault, None, said));
    let (mut all, mut named, mut wrong) = (0, 0, Vec::new());
    for (fault, only, said) in of_all.chain(of_one) {
        let found = found(fault, only);
        let causes: Vec<&str> = found.iter().filter_map(|it| it.cause.as_deref()).collect();
        assert!(!found.is_empty(), "{fault:?} {only:?} passes");
        all += 1;
        let is_named = !causes.is_empty() && causes.iter().all(|it| it.contains(said));
        named += u32::from(is_named && causes.len() == found.len());
        if !is_named || causes.len() < found.len() {
            let unnamed =
                found.iter().find(|it| it.cause.is_none()).map(|it| it.example.sentence.as_str());
            wrong.push(format!("{fault:?} {only:?}: {causes:?}, {unnamed:?}"));
        }
    }
    println!("{named} of {all} converters are named; not: {wrong:#?}");
    assert!(all > 100 && 10 * named >= 9 * all, "{named} of {all}: {wrong:#?}");
}
