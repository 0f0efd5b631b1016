//! Measures whether the default gate notices faults of values: a kernel that is wrong in one binade, or from the
//! exponent on at which a shift by the width of a word and more is taken modulo that width. The parameters follow from
//! a seed.

mod fault;
mod planted;

use super::Planting;
use super::score::{Fate, score};
use castproof::fuzz::{Draw, Random};
use castproof::gate;
use castproof::source::Pair;
use castproof_oracle::attribute_sets;
use castproof_vectors::{Attributes, DType, Formula, Level, NEWEST, Operator, Request, versions};
use fault::{Does, Fault, Parts};
use planted::Planted;
use rayon::prelude::*;

/// Sources that are too wide for every code to be asked.
const WIDE: [DType; 6] =
    [DType::Float32, DType::Float64, DType::Int32, DType::Int64, DType::Uint32, DType::Uint64];

/// Of so many pairs, one has a fault of a family by default.
const EVERY: usize = 4;

/// How often a fault is drawn again that is not wrong, as those are whose results are open.
const TRIES: usize = 40;

/// Draws the parameters of a fault of a pair.
type Draws = fn((DType, DType), &mut Random) -> Option<Fault>;

const FAMILIES: [(&str, Draws); 5] = [
    ("one field", |pair, random| Some(of_field(pair, false, random))),
    ("one field and sign", |pair, random| Some(of_field(pair, true, random))),
    ("a shift modulo the width", |pair, random| {
        Some(Fault::new(Does::Modulo(*random.one_of(&[32, 64])), pair))
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
    Fault::new(Does::Field { field, sign }, pair)
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
pub fn values(planting: &Planting) -> Result<String, String> {
    let mut random = Random::new(planting.seed);
    let mut turn = random.below(EVERY);
    let mut faults: Vec<(&'static str, Fault)> = Vec::new();
    let is_asked = |dtype: &DType, filter: Option<DType>| filter.is_none_or(|it| it == *dtype);
    for from in WIDE.into_iter().filter(|it| is_asked(it, planting.from)) {
        for to in DType::NUMERIC.iter().copied().filter(|it| is_asked(it, planting.to)) {
            for (number, (family, draws)) in FAMILIES.into_iter().enumerate() {
                turn += 1;
                if planting.each.is_none() && !(turn + number).is_multiple_of(EVERY) {
                    continue;
                }
                for _ in 0..planting.each.unwrap_or(1) {
                    let drawn = (0..TRIES).find_map(|_| {
                        draws((from, to), &mut random).filter(|it| is_wrong(it, &mut random))
                    });
                    faults.extend(drawn.map(|fault| (family, fault)));
                }
            }
        }
    }
    let fates: Result<Vec<Fate>, String> = faults.par_iter().map(fate).collect();
    score("values", planting.seed, &fates?, planting.list)
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
    let results = gate::count_pair(&pair, &mut Planted::new(fault));
    let results = results.map_err(|error| format!("{error:#}"))?;
    let is_killed = results.sum(|_| true).fails();
    Ok(Fate { family, name: fault.name(), is_killed, beyond: None })
}
