//! The dtype x dtype picture of one operator version.

use castproof_check::verdict::Verdict;
use castproof_judge::results::Cell;
use castproof_vectors::DType;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What the symbols of a matrix mean, on three lines.
pub(crate) const LEGEND: &str = "\
rows: from, columns: to; . pass  ~ tolerated  X fail  - unsupported  / partly unsupported
E error  C crash  T timeout  ? no test ran  x accepted outside the version's type set
k known failure, in the baseline  ! passed against the baseline  P wrong at some places, or beyond the vectors";

/// Width of the row labels.
const LABEL: usize = 15;

/// Draws the verdicts `by_pair` of a version. `pairs` are those that the run covers; only their
/// rows and columns are drawn. The requests of a pair that is not `inside` the version must be
/// refused; such a pair is drawn only if that went wrong.
///
/// # Errors
/// If writing fails.
pub(crate) fn draw(
    out: &mut dyn Write,
    inside: impl Fn((DType, DType)) -> bool,
    pairs: &[(DType, DType)],
    by_pair: &BTreeMap<(DType, DType), Cell>,
) -> io::Result<()> {
    let wrong = |pair: &(DType, DType)| by_pair.get(pair).is_some_and(|cell| cell.counts.bad() > 0);
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
            let cell = by_pair.get(&(from, to)).cloned().unwrap_or_default();
            match drawn.contains(&(from, to)) {
                true => symbol(&cell, inside((from, to))).to_string(),
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

/// Returns the symbol of the gravest result in a cell. `inside`: is the pair in the version's type
/// set?
fn symbol(cell: &Cell, inside: bool) -> char {
    let counts = &cell.counts;
    if cell.unexpected_passes > 0 {
        return '!';
    }
    if counts.bad() > 0 && cell.unexpected() == 0 && cell.misplaced == 0 {
        return 'k';
    }
    for (verdict, symbol) in [
        (Verdict::Crash, 'C'),
        (Verdict::Timeout, 'T'),
        (Verdict::Error, 'E'),
        (Verdict::Fail, if inside { 'X' } else { 'x' }),
    ] {
        if counts.of(verdict) > 0 {
            return symbol;
        }
    }
    if cell.misplaced > 0 {
        return 'P';
    }
    match (counts.executed > 0, counts.of(Verdict::Unsupported) > 0) {
        (true, true) => '/',
        (false, true) => '-',
        (true, false) if counts.of(Verdict::Tolerated) > 0 => '~',
        (true, false) => '.',
        (false, false) => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(verdicts: &[Verdict]) -> Cell {
        let mut cell = Cell::default();
        for &verdict in verdicts {
            cell.counts.add(verdict, 1);
            cell.counts.executed += u64::from(verdict <= Verdict::Fail);
        }
        cell
    }

    #[test]
    fn the_gravest_verdict_is_shown() {
        use Verdict::*;
        for (verdicts, shown) in [
            (&[Pass, Undefined][..], '.'),
            (&[Undefined], '.'),
            (&[Pass, Tolerated], '~'),
            (&[Pass, Tolerated, Fail], 'X'),
            (&[Pass, Unsupported], '/'),
            (&[Unsupported], '-'),
            (&[Unsupported, Error], 'E'),
            (&[Fail, Timeout], 'T'),
            (&[Fail, Timeout, Crash], 'C'),
            (&[], '?'),
        ] {
            assert_eq!(symbol(&cell(verdicts), true), shown, "{verdicts:?}");
        }
        let known = Cell { expected: 1, ..cell(&[Fail]) };
        assert_eq!(symbol(&known, true), 'k');
        assert_eq!(symbol(&Cell { expected: 1, ..cell(&[Fail, Fail]) }, true), 'X');
        assert_eq!(symbol(&Cell { unexpected_passes: 1, ..known }, true), '!');
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
        let by_pair = BTreeMap::from([
            (pairs[0], cell(&[Verdict::Pass])),
            (pairs[2], cell(&[Verdict::Fail])),
            (pairs[3], cell(&[Verdict::Pass])),
        ]);
        let mut out = Vec::new();
        let inside = |(from, to)| set.contains(&from) && set.contains(&to);
        draw(&mut out, inside, &pairs, &by_pair).expect("writes to memory");
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
