//! Compares torchao's `to_blocked` and `from_blocked`, on the CPU, with the layout of 128 x 4 scales.

use super::package;
use super::torchao::python;
use castproof_quantised::layout::{pack, packed_bytes, unpack};
use castproof_vectors::random::Random;
use castproof_vectors::{Bytes, CodeLayout, LaidOut};

/// Rows and columns that are asked, each with each: none, one and several whole tiles, and what is left of one.
const ROWS: [u64; 10] = [1, 31, 32, 33, 96, 127, 128, 129, 200, 300];
const COLUMNS: [u64; 8] = [1, 2, 3, 4, 5, 7, 8, 17];

/// Runs torchao and compares it.
///
/// # Errors
/// If it gives something else.
pub(super) fn witness() -> Result<String, String> {
    let Some(python) = python() else { return Ok("to_blocked was not compared".into()) };
    let layout = CodeLayout::named("swizzle-128x4").ok_or("there is no swizzle-128x4")?;
    let mut random = Random::new(128);
    let (mut lines, mut due) = (Vec::new(), Vec::new());
    for shape in ROWS.into_iter().flat_map(|rows| COLUMNS.map(|columns| vec![rows, columns])) {
        let said = |error: castproof_quantised::QuestionError| error.to_string();
        let mut ask = |bytes: usize| {
            let input = (0..bytes).map(|_| (random.number() >> 24) as u8).collect();
            LaidOut { layout, shape: shape.clone(), input: Bytes(input) }
        };
        let codes = ask((shape[0] * shape[1]) as usize);
        let packed = ask(packed_bytes(&codes).map_err(said)?);
        due.push(pack(&codes).map_err(said)?.0.bytes.to_string());
        due.push(unpack(&packed).map_err(said)?.0.bytes.to_string());
        lines.push(format!("pack {} {} {}", shape[0], shape[1], codes.input));
        lines.push(format!("unpack {} {} {}", shape[0], shape[1], packed.input));
    }
    let got = package::answers("layout", &python, &lines)?;
    let differs = lines.iter().zip(due.iter().zip(&got)).find(|(_, (due, got))| due != got);
    match differs {
        Some((line, _)) => {
            let asked: Vec<&str> = line.split(' ').take(3).collect();
            Err(format!("torchao differs from swizzle-128x4 in {}", asked.join(" ")))
        }
        None => {
            Ok(format!("torchao 0.18.0: {} matrices of 128 x 4 scales, no difference", due.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::torchao::root;
    use castproof_vectors::CodeLayout;

    /// The page has a row for each layout, or for each form with the widths of its codes.
    #[test]
    fn the_page_lists_every_layout() {
        let page = std::fs::read_to_string(root().join("docs/layouts.md")).expect("the page");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
        for layout in CodeLayout::ALL {
            let name = layout.name();
            let stem = name.rsplit_once('-').map_or(name, |(stem, _)| stem);
            let (whole, of_stem) = (format!("`{name}`"), format!("| `{stem}"));
            let is_listed = |row: &&str| {
                let end = name.rsplit_once('-').map(|(_, end)| format!("`-{end}`"));
                let is_short = end.is_some_and(|end| row.contains(&end));
                let is_between = stem == "ct" && row.contains("`ct-1` .. `ct-8`");
                row.contains(&whole) || row.starts_with(&of_stem) && (is_short || is_between)
            };
            assert!(rows.iter().any(is_listed), "docs/layouts.md lacks {name}");
        }
    }
}
