//! Measures whether the default gate notices faults of place: hundreds of predicates on counts,
//! elements, neighbours, shapes, layouts, memory and history, planted in a right testee.

mod families;
mod fault;
mod planted;

use super::Planting;
use super::read;
use castproof::fuzz::{Draw, Random};
use castproof::gate;
use castproof::place::Place;
use castproof_products::repository::default_data;
use castproof_vectors::{DType, NEWEST, Request, VectorFile};
use families::FAMILIES;
use fault::{Fault, Kinds, Values};
use planted::Planted;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The pairs in which faults are planted: a narrower float, an integer, packed elements, few codes,
/// the widest elements.
const PAIRS: [(DType, DType); 5] = [
    (DType::Float32, DType::Float8E4M3FN),
    (DType::Float32, DType::Int8),
    (DType::Uint4, DType::Float16),
    (DType::Bool, DType::Float32),
    (DType::Float64, DType::Int64),
];

/// One fault, planted in one pair.
struct Mutant<'a> {
    kind: &'static str,
    fault: &'a Fault,
    values: Values,
    pair: (DType, DType),
    in_process: bool,
}

impl Mutant<'_> {
    fn name(&self) -> String {
        let (from, to) = self.pair;
        let way = if self.in_process { "in process" } else { "behind a pipe" };
        format!("{}{} [{from} -> {to}, {way}]", self.fault.name, self.values)
    }
}

/// What became of a mutant.
enum Fate {
    /// The run fails. Does each of its findings name its place?
    Killed {
        named: bool,
    },
    Survived,
    /// It gave no wrong result in the whole run.
    NotShown,
}

/// Faults of each family by default.
const EACH: usize = 3;

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives without a reason; or what could not be carried out.
pub fn places(planting: &Planting) -> Result<String, String> {
    let files: Vec<VectorFile> =
        PAIRS.iter().map(|pair| read(&default_data(), *pair)).collect::<Result<_, _>>()?;
    let mut random = Random::new(planting.seed);
    let mut faults: Vec<(&'static str, Fault)> = Vec::new();
    for (kind, draws) in FAMILIES {
        for draw in *draws {
            faults.extend((0..planting.each.unwrap_or(EACH)).map(|_| (*kind, draw(&mut random))));
        }
    }
    let mutants = mutants(planting, &faults);
    let fates: Vec<Fate> = mutants.par_iter().map(|mutant| fate(mutant, &files)).collect();
    report(planting, &mutants, &fates)
}

/// Returns every fault with every kind of values, in pairs that have such values.
fn mutants<'a>(planting: &Planting, faults: &'a [(&'static str, Fault)]) -> Vec<Mutant<'a>> {
    let mut mutants = Vec::new();
    let mut turn = 0;
    for (kind, fault) in faults {
        for values in Values::EVERY {
            if values != Values::All && !matches!(fault.does, fault::Does::Wrong) {
                continue; // it does not ask for the values
            }
            let applies = |pair: &&(DType, DType)| {
                let is_in_place = fault.name.starts_with("in place");
                has(**pair, values, fault.not_at_zero)
                    && (!is_in_place || pair.0.bits() == pair.1.bits())
            };
            let pairs: Vec<(DType, DType)> = PAIRS.iter().filter(applies).copied().collect();
            if pairs.is_empty() {
                continue;
            }
            let chosen = if planting.every_pair {
                pairs
            } else {
                turn += 1;
                vec![pairs[turn % pairs.len()]]
            };
            for pair in chosen {
                let in_process = fault.in_process || mutants.len() % 2 == 0;
                mutants.push(Mutant { kind, fault, values, pair, in_process });
            }
        }
    }
    mutants
}

/// Does the pair have such values, with a result that is decided?
fn has((from, to): (DType, DType), values: Values, not_at_zero: bool) -> bool {
    let Ok(draw) = Draw::of(&Request::cast(from, to, NEWEST)) else { return false };
    let codes = [draw.named(), draw.batch(&mut Random::new(0), 4096)].concat();
    let kinds = Kinds::of(draw);
    codes.into_iter().any(|code| {
        let is_zero = not_at_zero && kinds.zeros.contains(&code);
        !is_zero && values.hold(&kinds, code) && kinds.is_decided(code)
    })
}

fn fate(mutant: &Mutant<'_>, files: &[VectorFile]) -> Fate {
    let file = files.iter().find(|file| (file.from, file.to) == mutant.pair);
    let mut planted = Planted::new(mutant.fault, mutant.values, mutant.in_process);
    let results = gate::run_newest(file.expect("a pair of the job"), 0, &mut planted);
    let results = results.expect("committed vectors");
    let named = results.misplaced.iter().all(|it| it.place != Place::NotExplained);
    match (results.sum(|_| true).fails(), planted.has_shown) {
        (true, _) => Fate::Killed { named },
        (false, true) => Fate::Survived,
        (false, false) => Fate::NotShown,
    }
}

/// How many mutants of a kind were killed, and survived with and without a reason.
#[derive(Clone, Copy, Default)]
struct Counts {
    killed: usize,
    named: usize,
    excused: usize,
    survived: usize,
}

fn report(planting: &Planting, mutants: &[Mutant<'_>], fates: &[Fate]) -> Result<String, String> {
    let mut text = String::new();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for (mutant, fate) in mutants.iter().zip(fates) {
        let of_kind = counts.entry(mutant.kind).or_default();
        let kind = mutant.kind;
        match (fate, mutant.fault.beyond) {
            (Fate::Killed { named }, _) => {
                of_kind.killed += 1;
                of_kind.named += usize::from(*named);
                if planting.list {
                    let how = if *named { "killed" } else { "killed, without a name" };
                    let _ = writeln!(text, "{how}, {kind}: {}", mutant.name());
                }
            }
            (_, Some(reason)) => {
                of_kind.excused += 1;
                let _ = writeln!(text, "survived, {kind}: {}: {reason}", mutant.name());
            }
            (fate, None) => {
                of_kind.survived += 1;
                let why = match fate {
                    Fate::NotShown => "no tensor shows it",
                    _ => "no wrong element was noticed",
                };
                let _ = writeln!(text, "survived, {kind}: {}: {why}", mutant.name());
            }
        }
    }
    let mut sum = Counts::default();
    for (kind, of_kind) in &counts {
        let Counts { killed, named, excused, survived } = of_kind;
        let planted = killed + excused + survived;
        let _ = writeln!(
            text,
            "{kind:<22} {killed:>5} killed of {planted:>5} planted, {named:>5} by a name; {excused} \
             survive with a reason, {survived} without"
        );
        sum.killed += killed;
        sum.named += named;
        sum.excused += excused;
        sum.survived += survived;
    }
    let planted = sum.killed + sum.excused + sum.survived;
    let Counts { killed, named, .. } = sum;
    let seed = planting.seed;
    let _ = write!(
        text,
        "{killed} of {planted} faults of place killed, {named} by a name of their place, seed {seed}"
    );
    if sum.survived == 0 {
        return Ok(text);
    }
    Err(format!("{text}\n{} faults of place survive without a reason", sum.survived))
}
