//! The codes of NaN cast to another dtype: one answer for all, or payloads that are kept.

use super::ask::Ask;
use crate::format::{CodeKind, NanEncoding};
use castproof_vectors::{Formula, Outcome, Piece, Shift};

/// Adds the pieces of a run of codes that are not numbers. What becomes of a NaN may differ between
/// signalling ones, the one without payload and the others.
pub(super) fn pieces(ask: &Ask, (first, last): (u64, u64), pieces: &mut Vec<Piece>) {
    let CodeKind::Float(format) = &ask.source else {
        return pieces.push(ask.constant(first, last));
    };
    let mut starts = vec![first];
    if format.nan == NanEncoding::TopBinade {
        let quiet = first | 1 << (format.significand_bits - 1);
        // The run begins behind the code of infinity.
        starts.extend(
            [quiet - 1, quiet].into_iter().filter(|code| (first + 1..=last).contains(code)),
        );
    }
    for (place, &start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).map_or(last, |next| next - 1);
        pieces.push(piece(ask, start, end));
    }
}

/// The piece of NaN codes that have one answer, or whose payload is shifted.
fn piece(ask: &Ask, first: u64, last: u64) -> Piece {
    let constant = ask.constant(first, last);
    let code = |code| match ask.caster.cast(code).expect("a code of the source").expect {
        Outcome::Code(code) => Some(code),
        _ => None,
    };
    let (CodeKind::Float(source), CodeKind::Float(target)) = (&ask.source, &ask.target) else {
        return constant;
    };
    let (Some(low), Some(high)) = (code(first), code(last)) else { return constant };
    if low == high {
        return constant;
    }
    let bits = source.significand_bits as i32 - target.significand_bits as i32;
    let count = if bits > 0 { first >> bits } else { first << -bits };
    let base = low.wrapping_sub(count) & ask.request.to.code_mask();
    let shift = Shift { origin: 0, descending: false, bits, nearest: false, base, subtract: false };
    Piece { formula: Formula::Shift(shift), ..constant }
}
