//! Every code at once: a request's answers over the whole code space, as a few pieces.
//!
//! In the order of the codes, the answer of a cast is regular for long stretches: it is the same,
//! or it is the source's significand shifted. The end of a stretch follows from the target's
//! numbers, midpoints and limits, which are computed exactly here and mapped back into the source.
//! The pieces give for 2^32 codes the answers that [`cast`](crate::cast) gives for one, including
//! the rule. The tests compare the two.

mod arm;
mod ask;
mod constant;
mod nan;
mod settle;
mod shifted;

use crate::cast::CodeError;
use arm::{Arm, arms};
use ask::Ask;
use castproof_vectors::{Formula, Outcome, Piece, Request, Shift, Stretch};

/// Returns the pieces of a request: ascending, without gap or overlap, from code 0 to the last code
/// of the source. Neighbours differ in what they expect or tolerate, or in their rules.
///
/// # Errors
/// As [`cast`](crate::cast), except for errors of the code.
pub fn partition(request: &Request) -> Result<Vec<Piece>, CodeError> {
    let ask = Ask::new(request)?;
    if ask.caster.is_refused() {
        return Ok(vec![ask.constant(0, request.from.code_mask())]);
    }
    let mut pieces = Vec::new();
    let arms = arms(&ask.source);
    for arm in &arms {
        if ask.shifts() {
            shifted::pieces(&ask, arm, &mut pieces);
        } else {
            constant::pieces(&ask, arm, &mut pieces);
        }
    }
    specials(&ask, &arms, &mut pieces);
    pieces.sort_by_key(|piece| piece.first);
    Ok(merged(pieces))
}

/// Returns the stretches of a request. A stretch joins neighbouring pieces that differ only in
/// their rules, or in how they tolerate code by code.
///
/// # Errors
/// As [`partition`].
pub fn stretches(request: &Request) -> Result<Vec<Stretch>, CodeError> {
    partition(request).map(|pieces| castproof_vectors::stretches(&pieces))
}

/// Adds the codes outside all arms: infinities, NaN, bool bytes above 1. Each run of them has one
/// answer, except that NaN codes may keep their payload.
fn specials(ask: &Ask, arms: &[Arm], pieces: &mut Vec<Piece>) {
    let mut ranges: Vec<(u64, u64)> = arms.iter().map(Arm::codes).collect();
    ranges.sort_unstable();
    let mask = ask.request.from.code_mask();
    let mut next = Some(0);
    let mut left = Vec::new();
    for (first, last) in ranges {
        if let Some(from) = next.filter(|&from| from < first) {
            left.push((from, first - 1));
        }
        next = last.checked_add(1).filter(|&next| next <= mask);
    }
    left.extend(next.map(|from| (from, mask)));
    for (first, last) in left {
        // If the run has an infinity, it is the first code.
        pieces.push(same(ask, first, first));
        if first < last && ask.request.from != ask.request.to {
            nan::pieces(ask, (first + 1, last), pieces);
        } else if first < last {
            pieces.push(same(ask, first + 1, last));
        }
    }
}

/// Returns the piece of codes that have one answer, or that do not change.
fn same(ask: &Ask, first: u64, last: u64) -> Piece {
    let piece = ask.constant(first, last);
    let unchanged = first < last && piece.formula == Formula::Constant(Outcome::Code(first));
    if unchanged { Piece { formula: Formula::Shift(UNCHANGED), ..piece } } else { piece }
}

/// The formula of codes that do not change.
const UNCHANGED: Shift =
    Shift { origin: 0, descending: false, bits: 0, nearest: false, base: 0, subtract: false };

/// Joins neighbours that agree.
fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(before) if before.agrees(&piece) => before.last = piece.last,
            _ => merged.push(piece),
        }
    }
    merged
}
