//! The witnesses of chains: for every two casts in a row the codes that tell what optimisers make of
//! them from what they are. They are computed from the book.

mod alternatives;
mod answers;
mod choice;
mod codes;
mod rows;

pub use answers::WitnessHabit;

use super::triples::triples;
use crate::book::{compressed, same};
use crate::repository::{default_data, write_whole};
use alternatives::alternatives;
use castproof_book::{CHAINS_FORMAT, ChainsFile, WitnessRecord, atlas_spec};
use castproof_methods::Casts;
use castproof_vectors::Hex;
use choice::Witnesses;
use rayon::prelude::*;
use std::path::PathBuf;

/// The maximum size of the compressed file, in bytes.
const HEAVIEST: usize = 1_000_000;

/// Of so many chains of wide sources the check computes one again. That the committed witnesses tell every rewrite is
/// what `cargo xtask mutants --chains` shows for all of them.
const EVERY: usize = 907;

/// All chains of sources up to this width are computed again.
const CHECKED_BITS: u32 = 4;

fn path() -> PathBuf {
    default_data().join("chains.json.gz")
}

/// Writes the file.
pub(super) fn generate() -> Result<String, String> {
    let records = records(&all())?;
    let compressed = compressed(&text(&records))?;
    if compressed.len() > HEAVIEST {
        return Err(format!(
            "the witnesses weigh {} bytes, more than {HEAVIEST}",
            compressed.len()
        ));
    }
    write_whole(&path(), &compressed)?;
    Ok(format!("{}; {} bytes compressed", said(&records), compressed.len()))
}

/// Computes the witnesses of narrow sources again, and those of some chains of wider ones, and
/// compares them with the file.
pub(super) fn check() -> Result<String, String> {
    let file = ChainsFile::carried();
    same(&path(), &text(&file.chains), "file of witnesses")?;
    let all = all();
    let listed =
        file.chains.iter().map(|it| Casts { dtypes: it.dtypes, attributes: it.attributes });
    if !listed.eq(all.iter().copied()) {
        return Err(format!("{} does not list every chain: {STALE}", path().display()));
    }
    let is_checked = |(number, casts): &(usize, &Casts)| {
        casts.dtypes[0].bits() <= CHECKED_BITS || number % EVERY == 0
    };
    let checked: Vec<(usize, &Casts)> = all.iter().enumerate().filter(is_checked).collect();
    let casts: Vec<Casts> = checked.iter().map(|(_, casts)| **casts).collect();
    for (record, (number, _)) in records(&casts)?.iter().zip(&checked) {
        if *record != file.chains[*number] {
            return Err(format!(
                "{:?} has other witnesses than the book gives: {STALE}",
                record.dtypes
            ));
        }
    }
    Ok(format!("{}; {} chains computed again", said(&file.chains), checked.len()))
}

const STALE: &str = "run cargo xtask generate atlas";

fn said(records: &[WitnessRecord]) -> String {
    let codes: usize = records.iter().map(|it| it.codes.len()).sum();
    format!("{} chains with {codes} witnesses", records.len())
}

/// Returns every chain with every set of attributes that it is asked with.
fn all() -> Vec<Casts> {
    let mut all = Vec::new();
    for dtypes in triples() {
        for first in alternatives(dtypes[1]) {
            let seconds = alternatives(dtypes[2]).into_iter();
            all.extend(seconds.map(|second| Casts { dtypes, attributes: [first, second] }));
        }
    }
    all
}

/// Computes the records of chains. Those with one source share its rows.
fn records(casts: &[Casts]) -> Result<Vec<WitnessRecord>, String> {
    let mut by_ends: Vec<(usize, &Casts)> = casts.iter().enumerate().collect();
    by_ends.sort_by_key(|(_, casts)| (casts.dtypes[0], casts.dtypes[2]));
    let sources: Vec<&[(usize, &Casts)]> =
        by_ends.chunk_by(|(_, one), (_, other)| one.dtypes[0] == other.dtypes[0]).collect();
    let parts: Vec<&[(usize, &Casts)]> =
        sources.into_iter().flat_map(|casts| casts.chunks(casts.len().div_ceil(4))).collect();
    let computed: Vec<Vec<(usize, WitnessRecord)>> = parts
        .into_par_iter()
        .map(|part| {
            let mut witnesses = Witnesses::new();
            let record = |(number, casts): &(usize, &Casts)| {
                let Casts { dtypes, attributes } = **casts;
                let codes = witnesses.of(casts)?;
                let codes = codes.into_iter().map(|code| Hex::new(code, dtypes[0])).collect();
                Ok((*number, WitnessRecord { dtypes, attributes, codes }))
            };
            part.iter().map(record).collect::<Result<_, String>>()
        })
        .collect::<Result<_, String>>()?;
    let mut records: Vec<(usize, WitnessRecord)> = computed.into_iter().flatten().collect();
    records.sort_by_key(|(number, _)| *number);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

fn text(records: &[WitnessRecord]) -> String {
    let line = |record| serde_json::to_string(record).expect("records serialise");
    let lines: Vec<String> = records.iter().map(line).collect();
    let spec = atlas_spec();
    let head = format!("{{\"format\":\"{CHAINS_FORMAT}\",\"spec\":\"{spec}\",\"chains\":[");
    format!("{head}\n{}\n]}}\n", lines.join(",\n"))
}
