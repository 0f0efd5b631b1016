//! What goes wrong in a planted kernel: the results of one binade, or those from an exponent on.

use castproof::fuzz::Random;
use castproof_vectors::{Attributes, DType, NEWEST, Request, landmarks};

/// Codes of a fault that show whether it is wrong at all.
const PROBES: usize = 256;

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// The results of one exponent field, or of integers of one length, of one sign or of both.
    Field { field: u64, sign: Option<bool> },
    /// A shift by so many bits and more is taken modulo that width.
    Modulo(u32),
}

/// A fault of the requests of one pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) does: Does,
    pub(super) pair: (DType, DType),
    /// The parts of both dtypes of the pair. They are looked up by name, so this is done once a fault and not once a code.
    pub(super) parts: [Parts; 2],
    /// Only with these attributes.
    pub(super) attributes: Option<Attributes>,
    /// Only in these versions.
    pub(super) versions: Option<(u32, u32)>,
}

/// Where the parts of a number stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) bits: u32,
    pub(super) is_signed: bool,
    /// Bits of the significand; `None` for integers.
    pub(super) below: Option<u32>,
    bias: i64,
}

impl Parts {
    pub(super) fn of(dtype: DType) -> Parts {
        let one = landmarks(dtype).and_then(|it| it.values.get("one"));
        let one = one.map_or(1, |(code, _)| code.value());
        let below = (one > 1).then(|| one.trailing_zeros());
        let bias = below.map_or(0, |below| (one >> below).cast_signed());
        Parts { bits: dtype.bits(), is_signed: dtype.is_signed(), below, bias }
    }

    /// Returns the sign, and the exponent field or the length of an integer.
    pub(super) fn field(self, code: u64) -> (bool, u64) {
        let is_negative = self.is_signed && code >> (self.bits - 1) & 1 == 1;
        let field = match self.below {
            Some(below) => (code & !(u64::from(self.is_signed) << (self.bits - 1))) >> below,
            None => {
                let shift = 64 - self.bits;
                let number = if is_negative {
                    ((code << shift).cast_signed() >> shift).unsigned_abs()
                } else {
                    code
                };
                u64::from(64 - number.leading_zeros())
            }
        };
        (is_negative, field)
    }

    /// Returns how many fields there are, or lengths of integers.
    pub(super) fn fields(self) -> u64 {
        match self.below {
            Some(below) => 1 << (self.bits - below - u32::from(self.is_signed)),
            None => 1 + u64::from(self.bits),
        }
    }

    /// Returns the exponent of the lowest bit of numbers with this field.
    fn lowest(self, field: u64) -> i64 {
        self.below.map_or(0, |below| field.max(1).cast_signed() - self.bias - i64::from(below))
    }

    /// Returns the code with the field that a shift modulo `width` takes it for, if it takes it for another one.
    fn taken_for(self, code: u64, to: Parts, width: u32) -> Option<u64> {
        let below = self.below?;
        let (_, field) = self.field(code);
        let shift = to.lowest(0) - self.lowest(field);
        let lost = shift.unsigned_abs() / u64::from(width) * u64::from(width);
        let taken = if shift > 0 { field.checked_add(lost) } else { field.checked_sub(lost) }?;
        let is_number = |field| (1..self.fields() - 1).contains(&field);
        (lost > 0 && is_number(field) && is_number(taken))
            .then(|| code & !((self.fields() - 1) << below) | taken << below)
    }
}

impl Fault {
    /// A fault of a pair, with any attributes and in any version.
    pub(super) fn new(does: Does, pair: (DType, DType)) -> Fault {
        let parts = [pair.0, pair.1].map(Parts::of);
        Fault { does, pair, parts, attributes: None, versions: None }
    }

    /// Does the fault concern the request?
    pub(super) fn concerns(&self, request: &Request) -> bool {
        let is_version =
            |opset: u32| self.versions.is_none_or(|(first, last)| (first..last).contains(&opset));
        (request.from, request.to) == self.pair
            && self.attributes.is_none_or(|it| it == request.attributes)
            && request.spec.opset().is_some_and(is_version)
    }

    /// Returns what the code is taken for: another code, or itself if its result is wrong.
    pub(super) fn taken(&self, code: u64) -> Option<u64> {
        let [from, to] = self.parts;
        match self.does {
            Does::Field { field, sign } => {
                let (is_negative, of_code) = from.field(code);
                (field == of_code && sign.is_none_or(|it| it == is_negative)).then_some(code)
            }
            Does::Modulo(width) => from.taken_for(code, to, width),
        }
    }

    pub(super) fn name(&self) -> String {
        let (from, to) = self.pair;
        let does = match self.does {
            Does::Field { field, sign: None } => format!("field {field}"),
            Does::Field { field, sign: Some(sign) } => {
                format!("field {field}, {}", if sign { "negative" } else { "positive" })
            }
            Does::Modulo(width) => format!("a shift modulo {width}"),
        };
        let attributes = self.attributes.map_or_else(String::new, |it| format!(", {it}"));
        let versions =
            self.versions.map_or_else(String::new, |(first, _)| format!(", Cast-{first}"));
        format!("{does} [{from} -> {to}{attributes}{versions}]")
    }

    /// Returns a request in which the fault shows.
    pub(super) fn request(&self) -> Request {
        let opset = self.versions.map_or(NEWEST, |(first, _)| first);
        let request = Request::cast(self.pair.0, self.pair.1, opset);
        request.with(self.attributes.unwrap_or_default())
    }

    /// Returns codes that show the fault.
    pub(super) fn probes(&self, random: &mut Random) -> Vec<u64> {
        let parts = self.parts[0];
        let mask = self.pair.0.code_mask();
        let drawn = |random: &mut Random| match (self.does, parts.below) {
            (Does::Field { field, sign }, Some(below)) => {
                let sign = u64::from(sign.unwrap_or(false)) << (parts.bits - 1);
                random.number() & ((1 << below) - 1) | field << below | sign
            }
            (Does::Field { field, sign }, None) => {
                let number = if field == 0 { 0 } else { 1 << (field - 1) };
                let number = number | random.number() & (number.max(1) - 1);
                if sign == Some(true) { number.wrapping_neg() } else { number }
            }
            (Does::Modulo(_), _) => random.number(),
        };
        let codes = (0..PROBES).map(|_| drawn(random) & mask);
        codes.filter(|&code| self.taken(code).is_some()).collect()
    }
}
