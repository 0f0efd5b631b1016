//! The tables of blocks, their page, and the libraries that are compared with them.

mod deepgemm;
mod draw;
mod gfloat;
mod gguf;
mod layouts;
mod package;
mod page;
mod torchao;

pub use package::install as install_package;

use crate::book::{compressed, same};
use crate::repository::{check_weight, default_data, vectors_crate, write_whole};
use castproof_quantised::block::{
    block_elements, block_scale, block_size, boundaries, breakpoints, has_free_scale, nan_element,
    smallest_divisor,
};
use castproof_vectors::{
    BLOCKS_FORMAT, BlockProfile, BlocksFile, DType, ElementTable, Hex, MidpointRecord, ScaleTable,
};
use rayon::prelude::*;
use std::path::PathBuf;

/// The maximum size of the compressed file, in bytes.
const HEAVIEST: usize = 100_000;

fn path() -> PathBuf {
    default_data().join("blocks.json.gz")
}

fn page_path() -> PathBuf {
    vectors_crate().with_file_name("docs").join("blocks.md")
}

/// Writes the tables and docs/blocks.md.
pub(crate) fn generate() -> Result<String, String> {
    let (text, said) = text()?;
    let compressed = compressed(&text)?;
    check_weight("file of blocks", &compressed, HEAVIEST)?;
    write_whole(&path(), &compressed)?;
    write_whole(&page_path(), page::text()?)?;
    Ok(format!("{said}; {} bytes compressed", compressed.len()))
}

/// Computes the tables and docs/blocks.md again and compares them.
pub(crate) fn check() -> Result<String, String> {
    let (text, said) = text()?;
    same(&path(), &text, "blocks")?;
    let page = page_path();
    let kept = std::fs::read_to_string(&page).map_err(|it| format!("{}: {it}", page.display()))?;
    match kept == page::text()? {
        true => Ok(format!("{said}, and docs/blocks.md, are up to date")),
        false => {
            Err(format!("{}: is out of date; run cargo xtask generate blocks", page.display()))
        }
    }
}

/// Runs the libraries that are witnesses of blocks, and compares them.
///
/// # Errors
/// If one cannot be run, or gives something else.
pub fn witness() -> Result<String, String> {
    Ok([
        torchao::witness()?,
        deepgemm::witness()?,
        layouts::witness()?,
        gfloat::witness()?,
        gguf::witness()?,
    ]
    .join("; "))
}

/// The profiles that fix a scale which is a power of two, with each dtype of elements.
fn powers() -> Vec<(BlockProfile, DType)> {
    let is_fixed = |it: &BlockProfile| smallest_divisor(*it).is_some() && !has_free_scale(*it);
    let all = BlockProfile::ALL.into_iter().filter(is_fixed);
    all.flat_map(|profile| block_elements(profile).iter().map(move |&to| (profile, to))).collect()
}

/// Returns the file as text, one line for each table, and a summary of it.
fn text() -> Result<(String, String), String> {
    let scales: Vec<ScaleTable> = powers()
        .into_par_iter()
        .map(|(profile, element)| scale_table(profile, element))
        .collect::<Result<_, String>>()?;
    let elements: Vec<ElementTable> =
        block_elements(BlockProfile::MxFloor).iter().map(|&to| element_table(to)).collect();
    let steps: usize = scales.iter().map(|table| table.steps.len()).sum();
    let said = format!("{} tables of scales with {steps} steps", scales.len());
    let lines = |tables: Vec<String>| tables.join(",\n");
    let scales = lines(scales.iter().map(line).collect());
    let elements = lines(elements.iter().map(line).collect());
    let text = format!(
        "{{\"format\":\"{BLOCKS_FORMAT}\",\"scales\":[\n{scales}\n],\"elements\":[\n{elements}\n]}}\n"
    );
    // What is written must be read.
    serde_json::from_str::<BlocksFile>(&text).map_err(|error| error.to_string())?;
    Ok((text, said))
}

fn line(record: &impl serde::Serialize) -> String {
    serde_json::to_string(record).expect("records serialise")
}

fn scale_table(profile: BlockProfile, element: DType) -> Result<ScaleTable, String> {
    let firsts = breakpoints(profile, element).map_err(|error| error.to_string())?;
    let of_nan = nan_element(profile, element).map_err(|error| error.to_string())?;
    let scale = block_scale(profile);
    let step = |(code, first): (u64, Option<u64>)| {
        Some((Hex::new(first?, DType::Float32), Hex::new(code, scale)))
    };
    Ok(ScaleTable {
        profile,
        size: block_size(profile),
        element,
        scale,
        divisor_of_scale0: smallest_divisor(profile).ok_or("no power of two")?,
        nan_element: of_nan.map(|code| Hex::new(code, element)),
        steps: (0..).zip(firsts).filter_map(step).collect(),
    })
}

fn element_table(element: DType) -> ElementTable {
    let midpoints = boundaries(element).unwrap_or_default().into_iter().map(|it| MidpointRecord {
        code: Hex::new(it.code, element),
        midpoint: Hex::new(it.midpoint, DType::Float32),
        taken: it.taken,
    });
    ElementTable { element, midpoints: midpoints.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_quantised::block::quantise;
    use castproof_vectors::Outcome;
    use castproof_vectors::random::Random;

    #[test]
    fn tables_and_page_are_up_to_date() {
        check().expect("up to date");
    }

    /// The scale and the elements of a block as a reader of the file computes them.
    fn read(file: &BlocksFile, table: &ScaleTable, block: &[u64]) -> (u64, Vec<Option<u64>>) {
        let nan = table.nan_element.map(|code| code.value());
        let is_nan = |code: u64| code & 0x7fff_ffff > 0x7f80_0000;
        let entering = block.iter().filter(|code| nan.is_none() || !is_nan(**code));
        let amax = entering.map(|code| code & 0x7fff_ffff).max().unwrap_or(0);
        let step = table.steps.iter().take_while(|(first, _)| first.value() <= amax).last();
        let scale = step.expect("the first step is at zero").1.value();
        let divisor = if scale == 0 { table.divisor_of_scale0 } else { scale as i32 - 127 };
        let found = file.elements.iter().find(|it| it.element == table.element);
        let midpoints = &found.expect("a table").midpoints;
        let sign = 1u64 << (table.element.bits() - 1);
        let element = |code: &u64| {
            if let Some(nan) = nan.filter(|_| is_nan(*code)) {
                return Some(nan);
            }
            // float64 holds every number of float32 over every power, and every midpoint.
            let float = |code: u64| f64::from(f32::from_bits(code as u32));
            let number = float(code & 0x7fff_ffff) * 2f64.powi(-divisor);
            let passed = midpoints.iter().take_while(|it| match float(it.midpoint.value()) {
                midpoint if it.taken => number >= midpoint,
                midpoint => number > midpoint,
            });
            let element = passed.last().map_or(0, |it| it.code.value());
            (scale != 0xff).then_some(element | if code >> 31 == 1 { sign } else { 0 })
        };
        (scale, block.iter().map(element).collect())
    }

    /// Every answer follows from the file.
    #[test]
    fn drawn_blocks_follow_from_the_tables() {
        let file: BlocksFile = serde_json::from_str(&text().expect("tables").0).expect("a file");
        let mut random = Random::new(1);
        for table in &file.scales {
            for round in 0..40u64 {
                let around = (random.below(247) as u64) << 23;
                let draw = |_| {
                    let number = random.number() & 0xffff_ffff;
                    number & 0x807f_ffff | (around + ((number >> 8 & 7) << 23))
                };
                let mut block: Vec<u64> = (0..32).map(draw).collect();
                match round {
                    0 => block[7] = 0x7f80_0000,
                    1 => block[9] = 0xffc0_0000,
                    _ => {}
                }
                let answer = quantise(table.profile, (DType::Float32, table.element), &block, None);
                let answer = answer.expect("a block");
                let due: Vec<Option<u64>> = answer
                    .elements
                    .iter()
                    .map(|(element, _)| match element {
                        Outcome::Code(code) => Some(*code),
                        _ => None,
                    })
                    .collect();
                assert_eq!(read(&file, table, &block), (answer.scale, due), "{:?}", table.profile);
            }
        }
    }
}
