//! Measures whether the default gate notices readers and writers of numerals that are wrong for one kind of numeral:
//! octal numbers, many zeros, a point at an end, too few digits. The parameters follow from a seed.

mod families;
mod planted;

use super::Planting;
use super::score::{Fate, score};
use castproof::answers::Answering;
use castproof::fuzz::Random;
use castproof::gate;
use castproof::source::Pair;
use castproof_vectors::{DType, Element, Level, NEWEST, Outcome, Request};
use families::{FAMILIES, Fault};
use planted::Planted;
use rayon::prelude::*;

/// How often a fault is drawn again that is not wrong in a pair.
const TRIES: usize = 20;

/// Faults of each family by default.
const EACH: usize = 1;

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives; or what could not be carried out.
pub fn texts(planting: &Planting) -> Result<String, String> {
    let mut random = Random::new(planting.seed);
    let numeric = DType::NUMERIC.iter().copied().filter(|it| *it != DType::Bool);
    let pairs = numeric.flat_map(|it| [(DType::String, it), (it, DType::String)]);
    let is_asked = |dtype: DType, filter: Option<DType>| filter.is_none_or(|it| it == dtype);
    let pairs =
        pairs.filter(|(from, to)| is_asked(*from, planting.from) && is_asked(*to, planting.to));
    let mut planted = Vec::new();
    for pair in pairs {
        for (family, draws) in FAMILIES {
            for _ in 0..planting.each.unwrap_or(EACH) {
                let draw = |_| draws(pair, &mut random).filter(|fault| is_wrong(pair, fault));
                planted.extend((0..TRIES).find_map(draw).map(|fault| (family, pair, fault)));
            }
        }
    }
    let fates: Result<Vec<Fate>, String> = planted.par_iter().map(fate).collect();
    score("texts", planting.seed, &fates?, planting.list)
}

/// Does the example of the fault have a result that is decided?
fn is_wrong((from, to): (DType, DType), fault: &Fault) -> bool {
    let Some(example) = &fault.example else { return true };
    let answers = Answering::chosen(&Request::cast(from, to, NEWEST));
    let due = answers.and_then(|answers| answers.element(&Element::Text(example.clone())));
    due.is_ok_and(|due| {
        let is_open = matches!(due.expect, Outcome::Any | Outcome::Reject);
        !is_open && !matches!(due.tolerate, Some(Outcome::Any | Outcome::Reject))
    })
}

fn fate(
    (family, (from, to), fault): &(&'static str, (DType, DType), Fault),
) -> Result<Fate, String> {
    let pair = Pair { from: *from, to: *to, level: Level::Core, vectors: None };
    let results = gate::count_pair(&pair, &mut Planted::new(fault));
    let results = results.map_err(|error| format!("{error:#}"))?;
    let name = format!("{} [{from} -> {to}]", fault.name);
    Ok(Fate { family, name, is_killed: results.sum(|_| true).fails(), beyond: None })
}
