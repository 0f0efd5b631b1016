//! The dtype x dtype picture of one operator version.

use castproof_results::standing::Mark;
use castproof_vectors::DType;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What the symbols of a matrix mean, line by line.
pub(crate) const LEGEND: &str = "\
rows: from, columns: to; . pass  ~ tolerated  X fail  - unsupported  / partly unsupported
E error  C crash  T timeout  ? no test ran  x accepted outside the version's type set
k known failure, in the baseline  ! passed against the baseline  P wrong at some places, or beyond the vectors
& right alone, wrong in a chain of casts";

/// Width of the row labels.
const LABEL: usize = 15;

/// Draws the marks of the pairs in a version. `pairs` are those that the run covers; only their
/// rows and columns are drawn. The requests of a pair that is not `inside` the version must be
/// refused; such a pair is drawn only if that went wrong.
///
/// # Errors
/// If writing fails.
pub(crate) fn draw(
    out: &mut dyn Write,
    inside: impl Fn((DType, DType)) -> bool,
    pairs: &[(DType, DType)],
    marks: &BTreeMap<(DType, DType), Mark>,
) -> io::Result<()> {
    let wrong = |pair: &(DType, DType)| marks.get(pair).is_some_and(|mark| *mark <= Mark::Known);
    let drawn = |pair: &&(DType, DType)| inside(**pair) || wrong(pair);
    let drawn: Vec<_> = pairs.iter().filter(drawn).copied().collect();
    let is_row = |dtype: &DType| drawn.iter().any(|(from, _)| from == dtype);
    let is_column = |dtype: &DType| drawn.iter().any(|(_, to)| to == dtype);
    let rows: Vec<DType> = DType::CAST.iter().copied().filter(is_row).collect();
    let columns: Vec<DType> = DType::CAST.iter().copied().filter(is_column).collect();

    let heads: Vec<Vec<String>> = columns.iter().map(|&dtype| head(dtype)).collect();
    let height = heads.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        let part = |head: &Vec<String>| head.get(line).cloned().unwrap_or_default();
        write_row(out, "", heads.iter().map(part))?;
    }
    for &from in &rows {
        let symbols = columns.iter().map(|&to| {
            let mark = marks.get(&(from, to)).copied().unwrap_or(Mark::Absent);
            match drawn.contains(&(from, to)) {
                true => symbol(mark, inside((from, to))).to_string(),
                false => String::new(),
            }
        });
        write_row(out, from.name(), symbols)?;
    }
    Ok(())
}

fn write_row(
    out: &mut dyn Write,
    label: &str,
    cells: impl Iterator<Item = String>,
) -> io::Result<()> {
    let mut line = format!("{label:LABEL$}");
    for cell in cells {
        line += &format!("{cell:3}");
    }
    writeln!(out, "{}", line.trim_end())
}

/// Cuts the name of a dtype into pieces of two characters that stand below each other:
/// `f8 e4 m3 uz`, `bo ol`, `u 16`.
fn head(dtype: DType) -> Vec<String> {
    let mut short = dtype.name().to_string();
    for (long, abbreviation) in
        [("bfloat", "b"), ("float", "f"), ("uint", "u"), ("int", "i"), ("fnuz", "uz")]
    {
        short = short.replace(long, abbreviation);
    }
    let digits = short.find(|c: char| c.is_ascii_digit()).unwrap_or(short.len());
    if short[digits..].bytes().all(|b| b.is_ascii_digit()) && digits == 1 {
        let (kind, width) = short.split_at(digits);
        return vec![kind.into(), width.into()];
    }
    let letters: Vec<char> = short.chars().collect();
    letters.chunks(2).map(|piece| piece.iter().collect()).collect()
}

/// Returns the symbol of a mark. `inside`: is the pair in the version's type set?
const fn symbol(mark: Mark, inside: bool) -> char {
    match mark {
        Mark::Surprise => '!',
        Mark::Crash => 'C',
        Mark::Timeout => 'T',
        Mark::Error => 'E',
        Mark::Fail if inside => 'X',
        Mark::Fail => 'x',
        Mark::Place => 'P',
        Mark::Chain => '&',
        Mark::Known => 'k',
        Mark::Partly => '/',
        Mark::Tolerated => '~',
        Mark::Undefined | Mark::Pass => '.',
        Mark::Unsupported => '-',
        Mark::Absent => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_every_symbol() {
        for mark in Mark::ALL {
            let shown = symbol(mark, true);
            let entry =
                |line: &str| line.split("  ").any(|it| it.starts_with(&format!("{shown} ")));
            let keys = LEGEND.replace("columns: to; ", "columns: to;  ");
            assert!(keys.lines().any(entry), "{shown} of {mark:?}");
        }
    }

    /// What a symbol means on a terminal it means on the page: `?` is not "no test ran" here and something else there.
    #[test]
    fn no_symbol_means_two_things() {
        for mark in Mark::ALL {
            let there = crate::page::symbol(mark);
            let here = Mark::ALL.into_iter().filter(|&it| symbol(it, true).to_string() == there);
            assert!(here.clone().all(|it| it == mark), "{there} of {mark:?}");
        }
    }

    #[test]
    fn every_head_is_narrow_and_its_own() {
        let heads: Vec<_> = DType::CAST.iter().map(|&dtype| head(dtype)).collect();
        assert!(heads.iter().flatten().all(|piece| piece.len() <= 2), "{heads:?}");
        for (index, head) in heads.iter().enumerate() {
            assert!(!heads[..index].contains(head), "{head:?} stands twice");
        }
        assert_eq!(head(DType::Float8E4M3FNUZ), ["f8", "e4", "m3", "uz"]);
        assert_eq!(head(DType::Uint16), ["u", "16"]);
    }

    #[test]
    fn a_matrix_holds_its_pairs_and_no_more() {
        let set = [DType::Bool, DType::Int8];
        let pairs = [
            (DType::Bool, DType::Int8),
            (DType::Int8, DType::Int8),
            (DType::Int8, DType::Int4),
            (DType::Float64, DType::Float64),
        ];
        let marks = BTreeMap::from([
            (pairs[0], Mark::Pass),
            (pairs[2], Mark::Fail),
            (pairs[3], Mark::Pass),
        ]);
        let mut out = Vec::new();
        let inside = |(from, to)| set.contains(&from) && set.contains(&to);
        draw(&mut out, inside, &pairs, &marks).expect("writes to memory");
        let drawn = String::from_utf8(out).expect("text");
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(
            lines,
            [
                "               i  i",
                "               4  8",
                "bool              .",
                "int8           x  ?",
            ]
        );
    }
}
