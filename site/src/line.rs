//! The number line: an element between two numbers of the target.

use castproof_check::numeral::decimal;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, kind};
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::{Neighbour, Value, neighbours, written};
use castproof_vectors::DType;
use serde_json::{Value as Json, json};
use std::cmp::Ordering;

/// Every dtype ends before 2^FAR, and has no number but zero that is below 2^-FAR.
const FAR: u32 = 2000;

/// One side of an element: a number of the target, or the one that would follow if the target went on.
struct Side {
    value: Rational,
    /// None: the target does not have it.
    code: Option<u64>,
}

/// Returns the numbers of the target on both sides of an element, the tie between them, and where the element stands in
/// thousandths of the way. Beyond the ends of the target one side is the number that would come next: of float8e4m3fn, whose
/// largest is 448, that is 480, and 464 stands at the tie. `None` if the element is no number, or the
/// target is bool, to which nothing is rounded.
pub(crate) fn json((from, to): (DType, DType), code: u64) -> Option<Json> {
    let (source, target) = (kind(from)?, kind(to)?);
    if target == CodeKind::Bool {
        return None;
    }
    let x = decode(&source, code)?.number()?;
    let [below, above] = neighbours(&target, &x);
    let is_exact = below.as_ref().is_some_and(|it| it.distance == 0);
    let value = decimal(from, code);
    if let Some(below) = below.as_ref().filter(|_| is_exact) {
        let at = json!({ "hex": to.hex(below.code), "value": decimal(to, below.code) });
        return Some(json!({ "value": value, "exact": at }));
    }
    let side = |neighbour: Option<Neighbour>, is_upper: bool| match neighbour {
        Some(it) => {
            let value = decode(&target, it.code)?.number()?;
            Some(Side { value, code: Some(it.code) })
        }
        None => next(&target, is_upper).map(|value| Side { value, code: None }),
    };
    let (low, high) = (side(below, false)?, side(above, true)?);
    let shown = |side: &Side| {
        let value = side.code.map_or_else(|| text(&side.value), |code| decimal(to, code));
        json!({ "value": value, "hex": side.code.map(|code| to.hex(code)) })
    };
    let is_far = x < low.value || x > high.value;
    let width = Rational::from(&high.value - &low.value);
    let tie = (Rational::from(&low.value) + &high.value) >> 1;
    let place = (Rational::from(&x - &low.value) * Integer::from(1000)) / &width;
    let place = place.floor().numer().to_i128().filter(|_| !is_far);
    let nearer = match x.cmp(&tie) {
        Ordering::Less => "below",
        Ordering::Equal => "tie",
        Ordering::Greater => "above",
    };
    Some(json!({
        "value": value,
        "below": shown(&low),
        "above": shown(&high),
        "tie": text(&tie),
        "place": place.map(|it| it as i64),
        "nearer": nearer,
    }))
}

/// The longest decimal that stands below the line: 2^128 is `1 * 2^128`, not 39 digits.
const LONGEST: usize = 20;

fn text(number: &Rational) -> String {
    let decimal = written(&Value::from_number(number.clone()));
    if decimal.len() <= LONGEST {
        return decimal;
    }
    let sign = if *number < 0 { "-" } else { "" };
    format!("{sign}{}", castproof_oracle::number(&Rational::from(number.abs_ref())))
}

/// Returns the number that would follow the last one, above or below: as far from it as the one before it, and of powers of two
/// twice the last one. `None` where none would follow: below the smallest power of two.
pub(crate) fn next(target: &CodeKind, is_upper: bool) -> Option<Rational> {
    let last = last(target, is_upper)?;
    let powers = matches!(target, CodeKind::Float(it) if it.significand_bits == 0);
    match (powers, is_upper) {
        (true, true) => return Some(last << 1),
        (true, false) => return None,
        _ => {}
    }
    let before = beside(target, &last, !is_upper)?;
    Some(Rational::from(&last * Integer::from(2)) - before)
}

/// Returns the largest number of a dtype, or the smallest.
pub(crate) fn last(target: &CodeKind, is_upper: bool) -> Option<Rational> {
    let end = Rational::from(1) << FAR as i32;
    let [below, above] = neighbours(target, &if is_upper { end } else { -end });
    number(target, if is_upper { below } else { above })
}

/// Returns the number of a dtype that comes after `x`, above or below it.
pub(crate) fn beside(target: &CodeKind, x: &Rational, is_upper: bool) -> Option<Rational> {
    let step = Rational::from(1) >> FAR as i32;
    let inside = if is_upper { x + &step } else { x - &step };
    let [below, above] = neighbours(target, &inside);
    number(target, if is_upper { above } else { below })
}

fn number(target: &CodeKind, neighbour: Option<Neighbour>) -> Option<Rational> {
    decode(target, neighbour?.code)?.number()
}

/// Returns the next code of the source, above or below, that is a tie between two numbers of the target: halfway between both.
/// `None`: there is none, or the next [`MOST_TIES`] are no numbers of the source.
pub(crate) fn tie((from, to): (DType, DType), code: u64, is_upper: bool) -> Option<u64> {
    let (source, target) = (kind(from)?, kind(to)?);
    let x = decode(&source, code)?.number()?;
    let mut at = match neighbours(&target, &x) {
        [Some(below), _] if is_upper => number(&target, Some(below))?,
        [_, Some(above)] if !is_upper => number(&target, Some(above))?,
        // `x` is a number of the target, or lies beyond the ends.
        [Some(same), None] if same.distance == 0 => x.clone(),
        _ => last(&target, !is_upper)?,
    };
    for _ in 0..MOST_TIES {
        let after = beside(&target, &at, is_upper).or_else(|| next(&target, is_upper))?;
        if after == at {
            return None;
        }
        let tie = (at + &after) >> 1;
        let is_ahead = if is_upper { tie > x } else { tie < x };
        let held = neighbours(&source, &tie)[0].take().filter(|it| it.distance == 0);
        if let Some(held) = held.filter(|_| is_ahead) {
            return Some(held.code);
        }
        let beyond = last(&target, is_upper)?;
        if if is_upper { after > beyond } else { after < beyond } {
            return None;
        }
        at = after;
    }
    None
}

/// Ties that are looked at; from int8 to float64 there is none.
const MOST_TIES: usize = 600;
