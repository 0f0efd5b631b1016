//! Measures whether the gate notices faults of ONNX's linear quantisation: in the arithmetic of a quotient or a product, for some
//! scales, zero points and results, and by where an element stands. The parameters follow from a seed.

mod families;
mod planted;

use super::Planting;
use super::score::{Fate, score};
use castproof::fuzz::Random;
use castproof::gate::{self, Options};
use castproof_vectors::{DType, Suite};
use families::{FAMILIES, Fault, Setting, controls};
use planted::Planted;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The quantised dtypes in which faults are planted, beside float32.
const SETTINGS: [DType; 5] = [DType::Int8, DType::Uint8, DType::Int16, DType::Uint16, DType::Int4];

/// Without a number, of so many faults of a family one is planted, and the first one always.
const SHARE: usize = 3;

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives without a reason; or what could not be carried out.
pub fn linear(planting: &Planting) -> Result<String, String> {
    let mut random = Random::new(planting.seed);
    let mut planted = Vec::new();
    for small in SETTINGS {
        for (family, draws) in FAMILIES {
            for _ in 0..planting.each.unwrap_or(1) {
                let fault = draws(&Setting::of(small), &mut random);
                planted.extend(fault.map(|fault| (family, small, fault)));
            }
        }
    }
    let mut of_family = BTreeMap::from(FAMILIES.map(|(family, _)| (family, 0)));
    planted.retain(|(family, _, _)| {
        let number = of_family.entry(family).or_default();
        *number += 1;
        planting.each.is_some() || *number % SHARE == 1
    });
    // A family may have faults in one dtype alone.
    if let Some((family, _)) = of_family.iter().find(|(_, count)| **count == 0) {
        return Err(format!("no fault of the family '{family}' was planted"));
    }
    for small in SETTINGS {
        for control in controls(&Setting::of(small)) {
            let control = ("control", small, control);
            if fate(&control, planting.seed)?.is_killed {
                return Err(format!("a kernel without a fault fails: {}, {small}", control.2.name));
            }
        }
    }
    let fates: Result<Vec<Fate>, String> =
        planted.par_iter().map(|planted| fate(planted, planting.seed)).collect();
    score("linear", planting.seed, &fates?, planting.list)
}

fn fate((family, small, fault): &(&'static str, DType, Fault), seed: u64) -> Result<Fate, String> {
    let pair = fault.does.pair(*small);
    let suites = vec![Suite::OnnxQuantize];
    let options = Options { suites, pairs: vec![pair], seed, ..Options::default() };
    let ran = gate::results(&options, &mut Planted::new(fault, *small));
    let (_, file) = ran.map_err(|error| format!("{error:#}"))?;
    let name = format!("{} [{} -> {}]", fault.name, pair.0, pair.1);
    Ok(Fate { family, name, is_killed: !file.passed, beyond: fault.beyond })
}
