//! Measures whether the default gate notices faults of values: a kernel that is wrong in one binade, or from the
//! exponent on at which a shift by the width of a word and more is taken modulo that width. The parameters follow from
//! a seed.

mod planted;

use super::score::{Fate, score};
use castproof::baseline::Baseline;
use castproof::fuzz::{Draw, Random};
use castproof::gate;
use castproof::source::Pair;
use castproof_oracle::attribute_sets;
use castproof_vectors::{
    Attributes, DType, Formula, Level, NEWEST, Operator, Request, landmarks, versions,
};
use planted::Planted;
use rayon::prelude::*;

/// Sources that are too wide for every code to be asked.
const WIDE: [DType; 6] =
    [DType::Float32, DType::Float64, DType::Int32, DType::Int64, DType::Uint32, DType::Uint64];

/// Of so many pairs, one has a fault of a family by default.
const EVERY: usize = 4;

/// How often a fault is drawn again that is not wrong, as those are whose results are open.
const TRIES: usize = 40;

/// Codes of a fault that show whether it is wrong at all.
const PROBES: usize = 256;

/// What to plant.
pub(crate) struct Job {
    /// Only this source.
    pub(crate) from: Option<DType>,
    /// Only this target.
    pub(crate) to: Option<DType>,
    /// The seed of the parameters.
    pub(crate) seed: u64,
    /// Faults of each family in each pair; 0: one of each in a share of the pairs.
    pub(crate) each: usize,
    /// Print every fault?
    pub(crate) list: bool,
}

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
    /// Only with these attributes.
    pub(super) attributes: Option<Attributes>,
    /// Only in these versions.
    pub(super) versions: Option<(u32, u32)>,
}

/// Where the parts of a number stand.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    bits: u32,
    is_signed: bool,
    /// Bits of the significand; `None` for integers.
    below: Option<u32>,
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
    fn field(self, code: u64) -> (bool, u64) {
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
    fn fields(self) -> u64 {
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
        let [from, to] = [self.pair.0, self.pair.1].map(Parts::of);
        match self.does {
            Does::Field { field, sign } => {
                let (is_negative, of_code) = from.field(code);
                (field == of_code && sign.is_none_or(|it| it == is_negative)).then_some(code)
            }
            Does::Modulo(width) => from.taken_for(code, to, width),
        }
    }

    fn name(&self) -> String {
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
    fn request(&self) -> Request {
        let opset = self.versions.map_or(NEWEST, |(first, _)| first);
        let request = Request::cast(self.pair.0, self.pair.1, opset);
        request.with(self.attributes.unwrap_or_default())
    }

    /// Returns codes that show the fault.
    fn probes(&self, random: &mut Random) -> Vec<u64> {
        let parts = Parts::of(self.pair.0);
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

/// Draws the parameters of a fault of a pair.
type Draws = fn((DType, DType), &mut Random) -> Option<Fault>;

const FAMILIES: [(&str, Draws); 5] = [
    ("one field", |pair, random| Some(of_field(pair, false, random))),
    ("one field and sign", |pair, random| Some(of_field(pair, true, random))),
    ("a shift modulo the width", |pair, random| {
        let does = Does::Modulo(*random.one_of(&[32, 64]));
        Some(Fault { does, pair, attributes: None, versions: None })
    }),
    ("one field with some attributes", |pair, random| {
        let sets: Vec<Attributes> = attribute_sets(pair.1, NEWEST).into_iter().collect();
        let given: Vec<Attributes> =
            sets.into_iter().filter(|it| *it != Attributes::default()).collect();
        let attributes = (!given.is_empty()).then(|| *random.one_of(&given))?;
        Some(Fault { attributes: Some(attributes), ..of_field(pair, true, random) })
    }),
    ("one field of an older version", |pair, random| {
        let older = *random.one_of(&older(pair));
        Some(Fault { versions: Some(older?), ..of_field(pair, true, random) })
    }),
];

fn of_field(pair: (DType, DType), has_sign: bool, random: &mut Random) -> Fault {
    let parts = Parts::of(pair.0);
    let field = random.below(parts.fields() as usize) as u64;
    let sign = (has_sign && parts.is_signed).then(|| random.below(2) == 1);
    Fault { does: Does::Field { field, sign }, pair, attributes: None, versions: None }
}

/// Returns the versions of `Cast`, with the next one, in which the results of a pair differ from those of the newest
/// one. The first is none, for pairs that have no such version.
fn older((from, to): (DType, DType)) -> Vec<Option<(u32, u32)>> {
    let formulas = |opset| {
        let draw = Draw::of(&Request::cast(from, to, opset)).ok().filter(|it| !it.is_refused())?;
        let piece = |it: &castproof_vectors::Piece| -> (u64, u64, Formula) {
            (it.first, it.last, it.formula.clone())
        };
        Some(draw.pieces().iter().map(piece).collect::<Vec<_>>())
    };
    let newest = formulas(NEWEST);
    let versions = versions(Operator::Cast).array_windows();
    let differ =
        versions.filter(|[version, _]| formulas(*version).is_some_and(|it| Some(it) != newest));
    let differ: Vec<_> = differ.map(|&[version, next]| Some((version, next))).collect();
    if differ.is_empty() { vec![None] } else { differ }
}

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives; or what could not be carried out.
pub(crate) fn values(job: &Job) -> Result<String, String> {
    let mut random = Random::new(job.seed);
    let mut turn = random.below(EVERY);
    let mut faults: Vec<(&'static str, Fault)> = Vec::new();
    let is_asked = |dtype: &DType, filter: Option<DType>| filter.is_none_or(|it| it == *dtype);
    for from in WIDE.into_iter().filter(|it| is_asked(it, job.from)) {
        for to in DType::NUMERIC.iter().copied().filter(|it| is_asked(it, job.to)) {
            for (number, (family, draws)) in FAMILIES.into_iter().enumerate() {
                turn += 1;
                if job.each == 0 && !(turn + number).is_multiple_of(EVERY) {
                    continue;
                }
                for _ in 0..job.each.max(1) {
                    let drawn = (0..TRIES).find_map(|_| {
                        draws((from, to), &mut random).filter(|it| is_wrong(it, &mut random))
                    });
                    faults.extend(drawn.map(|fault| (family, fault)));
                }
            }
        }
    }
    let fates: Result<Vec<Fate>, String> = faults.par_iter().map(fate).collect();
    score("values", job.seed, &fates?, job.list)
}

/// Is some result of the fault neither expected nor tolerated?
fn is_wrong(fault: &Fault, random: &mut Random) -> bool {
    let mut planted = Planted::new(fault);
    let request = fault.request();
    let probes = fault.probes(random);
    probes.into_iter().any(|code| planted.is_wrong(&request, code))
}

fn fate((family, fault): &(&'static str, Fault)) -> Result<Fate, String> {
    let (from, to) = fault.pair;
    let pair = Pair { from, to, level: Level::Core, vectors: None };
    let results = gate::run_pair(&pair, &Baseline::default(), &mut Planted::new(fault));
    let results = results.map_err(|error| format!("{error:#}"))?;
    let is_killed = results.sum(|_| true).fails();
    Ok(Fate { family, name: fault.name(), is_killed, beyond: None })
}
