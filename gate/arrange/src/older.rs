//! Drawn codes in older versions. Where their answers differ from those of the version that is arranged, a kernel of
//! their own may give them, so they are asked for codes beyond the vectors too: Cast-9 casts float32 to float16 with
//! other results than Cast-13, and is asked for a code of every exponent field as well.

use super::drawn;
use super::editions::Arranging;
use super::request::One;
use super::sets::{Edition, note, of_version, seed_of};
use castproof_judge::finding::failing::Failing;
use castproof_judge::silent;
use castproof_results::Results;
use castproof_results::asked::Asked;
use castproof_results::baseline::Baseline;
use castproof_testee::Testee;
use castproof_vectors::{Attributes, Piece, Request, VectorFile};
use std::collections::BTreeMap;

/// The answers of requests that differ only in their version.
type Answers = Vec<(u64, u64, castproof_vectors::Formula)>;

/// Asks for drawn codes in these versions, the newest first, with each set of attributes with which the answers are
/// not those of `newest`, the version that is arranged. Where they are those of a version between, a few of every
/// exponent field are asked.
pub(super) fn run(
    file: &VectorFile,
    (newest, older): (Edition, &[Edition]),
    how: &Arranging,
    baseline: &Baseline,
    testee: &mut dyn Testee,
    results: &mut Results,
) {
    let pair = (file.from, file.to);
    if !pair.0.is_numeric() || !pair.1.is_numeric() {
        return; // texts are drawn in the newest version alone
    }
    let mut known: BTreeMap<Attributes, Vec<Answers>> = BTreeMap::new();
    for (number, &(version, spec)) in older.iter().enumerate() {
        if groups(file, newest.0) == groups(file, version) {
            continue; // the vectors are the same, and so are the answers
        }
        let sets = of_version(file, version);
        for &attributes in sets.keys() {
            let asked = Asked::of_cast(file.suite, pair, attributes).at(version);
            if results.cells.get(&asked).is_none_or(|cell| cell.counts.executed == 0) {
                continue; // a testee may lack attributes; the vectors tell
            }
            let request = Request::new(spec, pair.0, pair.1).with(attributes);
            let Some(own) = answers(&request, how) else { continue };
            let known = known.entry(attributes).or_insert_with(|| {
                let newest = Request { spec: newest.1, ..request };
                answers(&newest, how).into_iter().collect()
            });
            let like = known.iter().position(|answers| *answers == own);
            if like == Some(0) {
                continue;
            }
            let silent_as = how.judgement.silent_as;
            let failing = Failing::of(&asked, &sets, results, silent_as);
            let strict = how.judgement.strict;
            let Some(mut one) = One::new(request, strict, testee, Some(failing)) else { continue };
            one.silent_as = silent_as;
            let seed = seed_of(how.seed, pair, 1 + number);
            let drawn = match like {
                Some(_) => drawn::run_fields(&mut one, seed, asked),
                None => drawn::run(&mut one, seed, asked),
            };
            if like.is_none() {
                known.push(own);
            }
            let tally = one.tally;
            let only_here = drawn.only_here.map(|codes| codes.finding);
            let found = drawn.found.into_iter().chain(only_here).collect();
            note(asked, tally, found, baseline, results);
        }
    }
}

/// Returns the places of the groups of vectors that hold in a version.
fn groups(file: &VectorFile, version: Option<u32>) -> Vec<usize> {
    let holds = |place: &usize| file.groups[*place].holds_in(version);
    (0..file.groups.len()).filter(holds).collect()
}

/// Returns the answers of a request, without the rules that decide them.
fn answers(request: &Request, how: &Arranging) -> Option<Answers> {
    let pieces = silent::pieces(request, how.judgement.silent_as).ok()?;
    let answer = |piece: Piece| (piece.first, piece.last, piece.formula);
    Some(pieces.into_iter().map(answer).collect())
}
