//! Measures whether the default gate notices what one call leaves for the next one: attributes, versions and tables
//! that are kept, answers that are kept for a call that only looks the same. The parameters follow from a seed.

mod families;
mod planted;

use super::Planting;
use super::score::{Fate, score};
use castproof::fuzz::Random;
use castproof::gate;
use castproof::source::Pair;
use castproof_vectors::{DType, Level};
use families::{FAMILIES, Fault, Leaves};
use planted::Planted;
use rayon::prelude::*;

/// The pairs in which faults are planted: targets with attributes, versions that differ, packed and wide elements.
const PAIRS: [(DType, DType); 6] = [
    (DType::Float32, DType::Float8E4M3FN),
    (DType::Float16, DType::Float8E8M0),
    (DType::Float64, DType::Float16),
    (DType::Uint4, DType::Float16),
    (DType::Float32, DType::Int8),
    (DType::Int64, DType::Float8E5M2FNUZ),
];

/// Faults of each family by default.
const EACH: usize = 3;

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives without a reason; or what could not be carried out.
pub fn history(planting: &Planting) -> Result<String, String> {
    let mut random = Random::new(planting.seed);
    let mut planted = Vec::new();
    for pair in PAIRS {
        for (family, draws) in FAMILIES {
            for _ in 0..planting.each.unwrap_or(EACH) {
                planted.extend(draws(pair, &mut random).map(|fault| (family, pair, fault)));
            }
        }
    }
    let fates: Result<Vec<Fate>, String> = planted.par_iter().map(fate).collect();
    score("history", planting.seed, &fates?, planting.list)
}

fn fate(
    (family, (from, to), fault): &(&'static str, (DType, DType), Fault),
) -> Result<Fate, String> {
    // A run asks for some 480 pairs; these are enough for what counts the calls of all.
    let pairs: &[(DType, DType)] = match fault.leaves {
        Leaves::From { of_all: true, .. } => &PAIRS,
        _ => &[(*from, *to)],
    };
    let mut planted = Planted::new(fault, (*from, *to));
    let mut is_killed = false;
    for &(from, to) in pairs {
        let pair = Pair { from, to, level: Level::Core, vectors: None };
        let results = gate::count_pair(&pair, &mut planted);
        is_killed |= results.map_err(|error| format!("{error:#}"))?.sum(|_| true).fails();
    }
    let name = format!("{} [{from} -> {to}]", fault.name);
    Ok(Fate { family, name, is_killed, beyond: fault.beyond })
}
