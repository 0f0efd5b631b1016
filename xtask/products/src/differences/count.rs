//! For how many codes two pieces give different defined results.

use castproof_check::verdict::admits;
use castproof_vectors::{DType, Formula, Outcome, Piece, Shift, Tolerate, landmarks};

/// Codes of a run, both ends included.
pub(super) type Run = (u64, u64);

/// Returns how many codes of the run have results that exclude each other, or have one in one piece and trap
/// in the other. A result that one piece leaves open is not counted.
///
/// # Errors
/// If the pieces follow the significand in two ways that this function cannot compare.
pub(super) fn differing(
    pieces: [&Piece; 2],
    (from, to): (DType, DType),
    run: Run,
) -> Result<u128, String> {
    let all = u128::from(run.1 - run.0) + 1;
    let of_shift = |shift: &Shift, outcome: &Outcome| match outcome {
        Outcome::Code(code) => Ok(all - equal(shift, *code, (from, to), run)),
        Outcome::OneOf(codes) => {
            Ok(all - codes.iter().map(|code| equal(shift, *code, (from, to), run)).sum::<u128>())
        }
        Outcome::AnyNan | Outcome::QuietNan => {
            let landmarks = landmarks(to).ok_or("a target without landmarks")?;
            let ends = [run.0, run.1].map(|code| shift.expected(code, (from.bits(), to.bits())));
            match ends.map(|code| admits(outcome, code, landmarks)) {
                [true, true] => Ok(0),
                [false, false] => Ok(all),
                _ => Err(format!("{from} to {to}: some codes of {run:x?} become such NaN")),
            }
        }
        Outcome::Any => Ok(0),
        // A cast that traps has no result.
        Outcome::Reject => Ok(all),
        Outcome::Text(_) => Err(format!("{from} to {to} is no cast of codes")),
    };
    let formulas = pieces.map(|piece| &piece.formula);
    let is_open_in_part = |piece: &&&Piece| piece.tolerate == Tolerate::AnyIfInexact;
    if formulas[0] != formulas[1]
        && let Some(piece) = pieces.iter().find(is_open_in_part)
    {
        return differing_where_exact(piece, pieces, (from, to), run);
    }
    match formulas {
        [one, other] if one == other => Ok(0),
        [Formula::Constant(one), Formula::Constant(other)] => {
            Ok(if exclude(one, other, to)? { all } else { 0 })
        }
        [Formula::Shift(shift), Formula::Constant(outcome)]
        | [Formula::Constant(outcome), Formula::Shift(shift)] => of_shift(shift, outcome),
        [Formula::Shift(one), Formula::Shift(other)] => {
            // The same steps from another base differ everywhere.
            let steps = |shift: &Shift| Shift { base: 0, ..*shift };
            if steps(one) == steps(other) && !one.nearest {
                return Ok(all);
            }
            unequal([one, other], (from, to), run)
                .ok_or_else(|| format!("{from} to {to}: {one:x?} and {other:x?} at {run:x?}"))
        }
    }
}

/// The most codes of a run that are asked one by one.
const MOST_ASKED: u64 = 1 << 16;

/// The same where a piece is open but for the codes that are exact. These few are asked one by one.
fn differing_where_exact(
    piece: &Piece,
    pieces: [&Piece; 2],
    (from, to): (DType, DType),
    run: Run,
) -> Result<u128, String> {
    let Formula::Shift(shift) = &piece.formula else { return Ok(0) };
    let unit = 1u64 << shift.bits.max(0);
    let step = run.0.wrapping_sub(run.0.wrapping_sub(shift.origin) % unit);
    let steps = (run.1.wrapping_sub(step) / unit).saturating_add(1);
    if steps > MOST_ASKED {
        return Err(format!("{from} to {to}: {steps} codes of {run:x?} are exact"));
    }
    let mut found = 0;
    for code in (0..=steps).map(|number| step.wrapping_add(number.wrapping_mul(unit))) {
        if (run.0..=run.1).contains(&code) && shift.is_exact(code, from.bits()) {
            let [one, other] = pieces.map(|piece| piece.expectation(from, to, code).expect);
            found += u128::from(exclude(&one, &other, to)?);
        }
    }
    Ok(found)
}

/// Is there no result that both allow?
fn exclude(one: &Outcome, other: &Outcome, to: DType) -> Result<bool, String> {
    let landmarks = landmarks(to).ok_or("a target without landmarks")?;
    let allows = |outcome: &Outcome, code: u64| admits(outcome, code, landmarks);
    Ok(match (one, other) {
        (Outcome::Any, _) | (_, Outcome::Any) => false,
        // Every NaN is one of any NaN, and every quiet one is both.
        (one, other) if one.nans(landmarks).is_some() && other.nans(landmarks).is_some() => false,
        (Outcome::Reject, other) | (other, Outcome::Reject) => *other != Outcome::Reject,
        (Outcome::Code(code), outcome) | (outcome, Outcome::Code(code)) => !allows(outcome, *code),
        (Outcome::OneOf(codes), outcome) | (outcome, Outcome::OneOf(codes)) => {
            !codes.iter().any(|code| allows(outcome, *code))
        }
        _ => return Err(format!("{one:?} and {other:?} are no results of codes")),
    })
}

/// The distances of a run from the origin of a shift, both ends included.
fn distances(shift: &Shift, from: DType, (first, last): Run) -> (i128, i128) {
    let distance = |code: u64| {
        let (a, b) = if shift.descending { (shift.origin, code) } else { (code, shift.origin) };
        i128::from(a.wrapping_sub(b) & from.code_mask())
    };
    let ends = [distance(first), distance(last)];
    (ends[0].min(ends[1]), ends[0].max(ends[1]))
}

/// Returns how many of these distances lie in stretches of this width that repeat with a period.
fn hits((low, high): (i128, i128), (period, start, width): (i128, i128, i128)) -> u128 {
    let below = |end: i128| {
        let from_start = end - start;
        let (periods, rest) = (from_start.div_euclid(period), from_start.rem_euclid(period));
        periods * width + rest.min(width)
    };
    u128::try_from(below(high + 1) - below(low)).unwrap_or_default()
}

/// Returns how many codes of the run two shifts send to different results. `None` if they do not drop the same
/// bits, or if the result of one grows with the code and that of the other falls.
fn unequal([one, other]: [&Shift; 2], (from, to): (DType, DType), run: Run) -> Option<u128> {
    let unit = 1i128 << one.bits.max(0);
    let is_aligned = i128::from(one.origin.wrapping_sub(other.origin)) % unit == 0;
    let grows = |shift: &Shift| shift.descending == shift.subtract;
    if one.bits <= 0 || one.bits != other.bits || !is_aligned || grows(one) != grows(other) {
        return None;
    }
    // Two steps, since a tie goes to the even result. Between these distances from the origin both results are
    // the same number of steps from the last multiple of the unit: exact, below a tie, a tie, above it.
    let starts = [0, 1, unit / 2, unit / 2 + 1];
    let starts: Vec<i128> =
        starts.into_iter().chain(starts.map(|it| it + unit)).chain([2 * unit]).collect();
    let (low, high) = distances(one, from, run);
    let mut found = 0;
    for stretch in starts.windows(2) {
        let (start, width) = (stretch[0], stretch[1] - stretch[0]);
        let count = hits((low, high), (2 * unit, start, width));
        if count == 0 {
            continue;
        }
        let into = (low - start).rem_euclid(2 * unit);
        let first = if into < width { low } else { low - into + 2 * unit };
        let distance = u64::try_from(first).ok()?;
        let code = match one.descending {
            true => one.origin.wrapping_sub(distance),
            false => one.origin.wrapping_add(distance),
        };
        let [one, other] =
            [one, other].map(|it| it.expected(code & from.code_mask(), (from.bits(), to.bits())));
        found += if one == other { 0 } else { count };
    }
    Some(found)
}

/// Returns how many codes of the run the shift sends to `result`.
fn equal(shift: &Shift, result: u64, (from, to): (DType, DType), run: Run) -> u128 {
    let count = result.wrapping_sub(shift.base);
    let count = if shift.subtract { count.wrapping_neg() } else { count } & to.code_mask();
    // The distances that become this count repeat with a period; those of one period are adjacent.
    let bits = shift.bits.unsigned_abs();
    let modulus = 1i128 << to.bits();
    let (period, start, width) = if shift.bits <= 0 {
        if i128::from(count) % (1 << bits) != 0 {
            return 0;
        }
        let period = (modulus >> bits).max(1);
        (period, i128::from(count >> bits) % period, 1)
    } else {
        let (start, width) = (i128::from(count) << bits, 1i128 << bits);
        let half = width / 2;
        match shift.nearest {
            false => (modulus << bits, start, width),
            // A tie goes to the even result.
            true if result & 1 == 0 => (modulus << bits, start - half, width + 1),
            true => (modulus << bits, start - half + 1, width - 1),
        }
    };
    hits(distances(shift, from, run), (period, start, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two shifts differ for so many codes as one by one, whichever way each of them rounds.
    #[test]
    fn codes_that_are_rounded_in_two_ways_are_counted() {
        let (from, to) = (DType::Uint16, DType::Uint16);
        let widths = (from.bits(), to.bits());
        for bits in [1, 2, 3, 7] {
            let shift = |descending, nearest, base| {
                // Both ways from the origin of 8192 the result grows with the code.
                let origin = 8192;
                Shift { origin, descending, bits, nearest, base, subtract: descending }
            };
            let upwards = [(false, 300), (true, 300), (false, 301), (true, 301)]
                .map(|(nearest, base)| shift(false, nearest, base));
            // Toward the origin of the next multiple: rounded up.
            let end = |base| Shift { origin: 16384, ..shift(true, false, base) };
            let steps = 8192u64 >> bits;
            let downwards = [end(300 + steps), end(301 + steps)];
            let all: Vec<Shift> = upwards.into_iter().chain(downwards).collect();
            let falling = Shift { subtract: true, ..all[0] };
            assert_eq!(unequal([&all[0], &falling], (from, to), (8192, 16384)), None);
            for (one, other) in all.iter().flat_map(|one| all.iter().map(move |it| (one, it))) {
                for run in [(8192, 16384), (8195, 9001), (8200, 8200)] {
                    let differs =
                        |code: &u64| one.expected(*code, widths) != other.expected(*code, widths);
                    let due = (run.0..=run.1).filter(differs).count() as u128;
                    let found = unequal([one, other], (from, to), run);
                    assert_eq!(found, Some(due), "{one:?} {other:?} {run:?}");
                }
            }
        }
    }

    /// The closed form counts what counting one by one gives, for every kind of shift.
    #[test]
    fn counts_are_those_of_every_code() {
        let (from, to) = (DType::Uint16, DType::Uint8);
        let widths = (from.bits(), to.bits());
        for bits in [-9, -3, 0, 1, 3, 7] {
            for nearest in [false, true] {
                for (descending, subtract) in [(false, false), (true, false), (false, true)] {
                    let nearest = nearest && bits > 0;
                    let shift = Shift { origin: 77, descending, bits, nearest, base: 5, subtract };
                    let run = if descending { (3, 76) } else { (80, 9000) };
                    for result in 0..=0xff {
                        let codes = run.0..=run.1;
                        let hit = |code: &u64| shift.expected(*code, widths) == result;
                        let due = codes.filter(hit).count() as u128;
                        assert_eq!(
                            equal(&shift, result, (from, to), run),
                            due,
                            "{shift:?} {result}"
                        );
                    }
                }
            }
        }
    }
}
