//! Measures whether the gate notices faults of quantisers and decoders of blocks that depend on where a block stands:
//! in long lines, many rows, tensors of rank 4, short last blocks, beside a NaN. The parameters follow from a seed.

mod families;
mod planted;

use super::Planting;
use super::score::{Fate, score};
use castproof::fuzz::Random;
use castproof::gate::{self, Options};
use castproof_quantised::block::{block_size, takes_short_blocks};
use castproof_suites::questions;
use castproof_vectors::{BlockProfile, DType, Level, Question, Suite};
use families::{FAMILIES, Fault, Setting};
use planted::Planted;
use rayon::prelude::*;

/// The rules and dtypes in which faults are planted: blocks of 16, 32 and 128, packed elements, blocks that may be short.
const SETTINGS: [(BlockProfile, DType, DType); 5] = [
    (BlockProfile::MxFloor, DType::Float32, DType::Float8E4M3FN),
    (BlockProfile::MxRceil, DType::Bfloat16, DType::Float4E2M1),
    (BlockProfile::Nvfp4Te, DType::Float32, DType::Float4E2M1),
    (BlockProfile::MxTorchaoFloor, DType::Float32, DType::Float8E5M2),
    (BlockProfile::Fp8DeepgemmUe8m0, DType::Bfloat16, DType::Float8E4M3FN),
];

/// Faults of each family by default.
const EACH: usize = 3;

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives without a reason; or what could not be carried out.
pub fn blocks(planting: &Planting) -> Result<String, String> {
    let mut random = Random::new(planting.seed);
    let mut planted = Vec::new();
    for (rule, from, to) in SETTINGS {
        let setting = Setting {
            rule,
            from,
            to,
            size: block_size(rule),
            has_short: takes_short_blocks(rule),
            has_axes: has_axes(rule),
        };
        for (family, draws) in FAMILIES {
            for _ in 0..planting.each.unwrap_or(EACH) {
                planted.extend(draws(&setting, &mut random).map(|fault| (family, setting, fault)));
            }
        }
    }
    let fates: Result<Vec<Fate>, String> =
        planted.par_iter().map(|planted| fate(planted, planting.seed)).collect();
    score("blocks", planting.seed, &fates?, planting.list)
}

/// Do tensors of the rule have blocks along another axis than the last one?
fn has_axes(rule: BlockProfile) -> bool {
    questions(Suite::BlocksTensors, Level::Core).tests.iter().any(|test| {
        matches!(&test.ask, Question::QuantizeTensor(it)
            if it.profile == rule && it.axis as usize + 1 < it.shape.len())
    })
}

fn fate(
    (family, setting, fault): &(&'static str, Setting, Fault),
    seed: u64,
) -> Result<Fate, String> {
    let Setting { rule, from, to, .. } = *setting;
    let (suites, rules, pairs) = match fault.decodes {
        false => (vec![Suite::Blocks, Suite::BlocksTensors], vec![rule], (from, to)),
        true => (vec![Suite::BlocksDecoded], vec![], (to, from)),
    };
    let options = Options { suites, rules, pairs: vec![pairs], seed, ..Options::default() };
    let ran = gate::results(&options, &mut Planted::new(fault));
    let (_, file) = ran.map_err(|error| format!("{error:#}"))?;
    let verb = if fault.decodes { "decoding" } else { "quantising" };
    let name = format!("{verb}: {} [{}, {from} -> {to}]", fault.name, rule.name());
    Ok(Fate { family, name, is_killed: !file.passed, beyond: fault.beyond })
}
