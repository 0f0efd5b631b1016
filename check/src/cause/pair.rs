//! The two dtypes of a cast, with what wrong methods need to know of them.

use crate::draw::Draw;
use crate::numeral::{code_at, ends, ordinal, value};
use castproof_vectors::{Attributes, DType, Outcome, Request, landmarks};
use std::cmp::Ordering;
use std::rc::Rc;

/// Signed integers and their unsigned counterparts.
const SIGNS: [(DType, DType); 6] = [
    (DType::Int2, DType::Uint2),
    (DType::Int4, DType::Uint4),
    (DType::Int8, DType::Uint8),
    (DType::Int16, DType::Uint16),
    (DType::Int32, DType::Uint32),
    (DType::Int64, DType::Uint64),
];

/// Dtypes that stand between the two of a cast where a kernel casts twice.
const BETWEEN: [DType; 4] = [DType::Float32, DType::Float16, DType::Bfloat16, DType::Float64];

/// The dtypes of a cast, and their facts. A place is the number of a value among all of its dtype.
pub(super) struct Pair<'a> {
    pub(super) from: DType,
    pub(super) to: DType,
    draw: &'a Draw,
    /// The answers of the same request from an integer of the same width with or without a sign.
    sibling: Option<Rc<Draw>>,
    /// The answers of the same request from float64.
    float64: Option<Rc<Draw>>,
    /// Each dtype between both, with the answers of the cast to it and of the cast from it.
    between: Vec<(DType, Rc<Draw>, Rc<Draw>)>,
    /// First and last place of the target's values; infinities are the ends of floats that have them.
    ends: (i128, i128),
    /// The places of the target's largest and smallest finite values.
    pub(super) finite: (i128, i128),
    /// The places of the smallest normal values of source and target; `None`: there are no subnormal values.
    pub(super) normal: (Option<i128>, Option<i128>),
}

impl Pair<'_> {
    pub(super) fn of(draw: &Draw) -> Option<Pair<'_>> {
        let request = *draw.request();
        let Request { from, to, .. } = request;
        let ends = ends(to)?;
        let known = landmarks(to)?;
        let is_infinite = |place: i128| {
            code_at(to, place)
                .is_some_and(|code| known.infinity.iter().any(|it| it.value() == code))
        };
        let last = if is_infinite(ends.1) { ends.1 - 1 } else { ends.1 };
        let first = if is_infinite(ends.0) { ends.0 + 1 } else { ends.0 };
        let sibling = SIGNS.into_iter().find_map(|(signed, unsigned)| match from {
            _ if from == signed => Some(unsigned),
            _ if from == unsigned => Some(signed),
            _ => None,
        });
        let answers = |from: DType| Draw::of(&Request { from, ..request }).ok();
        let between = BETWEEN.into_iter().filter(|it| ![from, to].contains(it)).filter_map(|it| {
            let first = Request { to: it, attributes: Attributes::default(), ..request };
            Some((it, Draw::of(&first).ok()?, answers(it)?))
        });
        Some(Pair {
            from,
            to,
            draw,
            sibling: sibling.and_then(answers),
            float64: Some(DType::Float64).filter(|it| *it != to).and_then(answers),
            between: between.collect(),
            ends,
            finite: (first, last),
            normal: (normal(from), normal(to)),
        })
    }

    /// The code that is due for another input; `None` where it is not a single one.
    pub(super) fn due(&self, input: u64) -> Option<u64> {
        single(self.draw, input)
    }

    /// The code that is due if the input is read with a sign, or without, where it is the other way round.
    pub(super) fn due_of_sibling(&self, input: u64) -> Option<u64> {
        single(self.sibling.as_ref()?, input)
    }

    /// The code that is due for a number.
    pub(super) fn due_of_number(&self, number: f64) -> Option<u64> {
        match self.to {
            DType::Float64 => Some(number.to_bits()),
            _ => single(self.float64.as_ref()?, number.to_bits()),
        }
    }

    /// The code that is due if the input is rounded to another dtype first.
    pub(super) fn due_through(&self, between: DType, input: u64) -> Option<u64> {
        let (_, first, second) = self.between.iter().find(|(dtype, ..)| *dtype == between)?;
        single(second, single(first, input)?)
    }

    pub(super) fn code(&self, place: i128) -> Option<u64> {
        code_at(self.to, place)
    }

    pub(super) fn has(&self, place: i128) -> bool {
        (self.ends.0..=self.ends.1).contains(&place)
    }

    /// The zero of the target: the negative one, if there is one.
    pub(super) fn zero(&self, negative: bool) -> Option<u64> {
        let signed = code_at(self.to, -1).filter(|_| negative && self.to.is_float());
        signed.or_else(|| code_at(self.to, 0))
    }

    /// The next value farther from zero than the due one, on the side of the input.
    pub(super) fn away(&self, input: u64, due: i128) -> Option<i128> {
        let away = if self.is_negative(input)? { due - 1 } else { due + 1 };
        self.has(away).then_some(away)
    }

    pub(super) fn is_negative(&self, input: u64) -> Option<bool> {
        Some(match Number::of(self.from, input)? {
            Number::Integer(number) => number < 0,
            Number::Float(number) => number < 0.0,
        })
    }

    /// The finite end of the target beyond which an input lies.
    pub(super) fn beyond(&self, input: u64) -> Option<i128> {
        if self.compare(self.finite.1, input) == Some(Ordering::Less) {
            return Some(self.finite.1);
        }
        (self.compare(self.finite.0, input) == Some(Ordering::Greater)).then_some(self.finite.0)
    }

    /// Compares a value of the target with an input, exactly.
    pub(super) fn compare(&self, place: i128, input: u64) -> Option<Ordering> {
        let code = code_at(self.to, place)?;
        match (Number::of(self.to, code)?, Number::of(self.from, input)?) {
            (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
            (Number::Float(a), Number::Integer(b)) => beside(a, b),
            (Number::Integer(a), Number::Float(b)) => beside(b, a).map(Ordering::reverse),
        }
    }

    /// Compares the magnitudes of a value of the target and of an input. Both have the same sign, or one is zero.
    pub(super) fn compare_magnitudes(&self, place: i128, input: u64) -> Option<Ordering> {
        let order = self.compare(place, input)?;
        Some(if self.is_negative(input)? { order.reverse() } else { order })
    }

    /// Does an input lie in the middle of two neighbours of the target?
    pub(super) fn is_tie(&self, input: u64, one: i128, other: i128) -> bool {
        let number = |place| {
            let code = code_at(self.to, place)?;
            match Number::of(self.to, code)? {
                Number::Float(number) => Some(number),
                // Beyond 2^52 integers have no halves in float64.
                Number::Integer(number) => (number.abs() < 1 << 52).then_some(number as f64),
            }
        };
        let input = match Number::of(self.from, input) {
            Some(Number::Float(number)) => number,
            Some(Number::Integer(number)) if number.abs() < 1 << 53 => number as f64,
            _ => return false,
        };
        // The middle of two neighbours has one bit more than they; float64 holds it for narrower targets.
        let (Some(one), Some(other)) = (number(one), number(other)) else { return false };
        self.to != DType::Float64 && input == one / 2.0 + other / 2.0
    }

    /// The low bits of the integral part of a finite input, as many as the target has.
    pub(super) fn low_bits(&self, input: u64) -> Option<u64> {
        let whole = match Number::of(self.from, input)? {
            Number::Integer(number) => number,
            // Beyond 2^117 a float64 is a multiple of 2^64.
            Number::Float(number) if number.abs() > 1.0e38 => number.is_finite().then_some(0)?,
            Number::Float(number) => number.trunc() as i128,
        };
        Some(whole as u64 & self.to.code_mask())
    }

    /// The integral part of an input.
    pub(super) fn integral(&self, input: u64) -> Option<i128> {
        match Number::of(self.from, input)? {
            Number::Integer(number) => Some(number),
            Number::Float(number) => (number.abs() < 1.0e30).then(|| number.trunc() as i128),
        }
    }
}

/// The code that is due for an input; `None` where it is not a single one.
fn single(draw: &Draw, input: u64) -> Option<u64> {
    match draw.expectation(input).expect {
        Outcome::Code(code) => Some(code),
        _ => None,
    }
}

/// The place of the smallest normal value: the number of significands of one exponent.
fn normal(dtype: DType) -> Option<i128> {
    let (code, _) = landmarks(dtype)?.values.get("smallest normal")?;
    ordinal(dtype, code.value())
}

/// A value, exactly.
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    fn of(dtype: DType, code: u64) -> Option<Number> {
        match dtype.is_float() {
            true => value(dtype, code).map(Number::Float),
            false => ordinal(dtype, code).map(Number::Integer),
        }
    }
}

/// Compares a float with an integer of at most 64 bits, exactly.
fn beside(float: f64, integer: i128) -> Option<Ordering> {
    const FAR: f64 = 1.0e30;
    match float.partial_cmp(&0.0)? {
        Ordering::Greater if float > FAR => Some(Ordering::Greater),
        Ordering::Less if float < -FAR => Some(Ordering::Less),
        _ => {
            let whole = float.floor();
            let order = (whole as i128).cmp(&integer);
            let has_fraction = float > whole;
            Some(if order == Ordering::Equal && has_fraction { Ordering::Greater } else { order })
        }
    }
}
