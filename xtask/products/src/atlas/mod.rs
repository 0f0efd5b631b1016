//! The atlas of chains: written from the book, checked against it code by code, and shown on its
//! page.

mod triples;
pub mod witnesses;

use crate::book::{compressed, same};
use crate::repository::{check_weight, default_data, vectors_crate, write_whole};
use castproof_book::{ATLAS_FORMAT, Book, ChainRecord, ComparedChain, atlas_spec};
use castproof_vectors::DType;
use rayon::prelude::*;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use triples::triples;

/// The maximum size of the compressed atlas, in bytes.
const HEAVIEST: usize = 1_000_000;

/// All chains of sources up to this width are also asked code by code.
const ALL_BY_CODE: u32 = 8;

/// Of the chains of 16-bit sources, one in so many is asked code by code. It is prime, so that each source, each middle and
/// each target is among them.
const EVERY: usize = 23;

fn path() -> PathBuf {
    default_data().join("atlas.json.gz")
}

/// Writes the atlas.
pub(crate) fn generate() -> Result<String, String> {
    let (text, said) = text()?;
    let compressed = compressed(&text)?;
    check_weight("atlas", &compressed, HEAVIEST)?;
    write_whole(&path(), &compressed)?;
    write_whole(&page_path(), page(&compressed))?;
    let witnesses = witnesses::generate()?;
    Ok(format!("{said}; {} bytes compressed\n{witnesses}", compressed.len()))
}

/// Generates the atlas again and compares it, then checks the chains of sources of 8 bits, and a sample of those of
/// 16 bits, code by code.
pub(crate) fn check() -> Result<String, String> {
    let (text, said) = text()?;
    same(&path(), &text, "atlas")?;
    check_page()?;
    let book = Book::carried();
    let narrow = triples().into_iter().enumerate().filter(|(number, dtypes)| {
        let bits = dtypes[0].bits();
        bits <= ALL_BY_CODE || bits <= 16 && number % EVERY == 0
    });
    let narrow: Vec<[DType; 3]> = narrow.map(|(_, dtypes)| dtypes).collect();
    narrow.par_iter().try_for_each(|&dtypes| {
        let chain = ComparedChain::new(book, dtypes)?;
        let asked = ChainRecord::of(dtypes, |a, b| chain.difference_by_code(a, b));
        let found = ChainRecord::new(book, dtypes)?;
        if asked != found {
            return Err(format!("the pieces say {found:?}, code by code it is {asked:?}"));
        }
        Ok(())
    })?;
    let witnesses = witnesses::check()?;
    Ok(format!("{said}; {} chains asked code by code\n{witnesses}", narrow.len()))
}

/// The path of the page.
fn page_path() -> PathBuf {
    vectors_crate().with_file_name("docs").join("atlas.html")
}

/// Returns the page: one file with the atlas in it, in the design of the reports.
fn page(atlas: &[u8]) -> String {
    let hex: String = atlas.iter().map(|byte| format!("{byte:02x}")).collect();
    include_str!("page.html")
        .replace("@STYLE@", include_str!("../../../../gate/report/src/page.css"))
        .replace("@SCRIPT@", include_str!("page.js"))
        .replace("@DATA@", &hex)
}

/// Checks that the page shows the atlas beside it.
fn check_page() -> Result<(), String> {
    let read = |path: PathBuf| {
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    if read(page_path())? == page(&read(path())?).into_bytes() {
        return Ok(());
    }
    Err(format!(
        "{} does not show the atlas; run: cargo xtask generate atlas",
        page_path().display()
    ))
}

/// Returns the atlas as text, and a summary of it.
fn text() -> Result<(String, String), String> {
    let book = Book::carried();
    let records: Vec<(ChainRecord, Duration)> = triples()
        .into_par_iter()
        .map(|dtypes| {
            let began = Instant::now();
            Ok((ChainRecord::new(book, dtypes)?, began.elapsed()))
        })
        .collect::<Result<_, String>>()?;
    let slowest = records.iter().max_by_key(|(_, time)| *time);
    let slowest = slowest.map_or(String::new(), |(record, time)| {
        format!("{:?} took {} ms", record.dtypes, time.as_millis())
    });
    let dropped = records.iter().filter(|(record, _)| record.differ == 0).count();
    let lines: Vec<String> = records
        .iter()
        .map(|(record, _)| serde_json::to_string(record).expect("records serialise"))
        .collect();
    let spec = atlas_spec();
    let head = format!("{{\"format\":\"{ATLAS_FORMAT}\",\"spec\":\"{spec}\",\"chains\":[");
    let text = format!("{head}\n{}\n]}}\n", lines.join(",\n"));
    let said = format!(
        "{} chains, of which {dropped} can do without the step between; the slowest: {slowest}",
        lines.len()
    );
    Ok((text, said))
}
