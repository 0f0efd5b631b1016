//! Which wrong method gives the results of a kernel, where one does.
//!
//! A method is named only if it gives every wrong result that was seen, and contradicts no right one. It speaks of no NaN: wrong
//! results of NaN are said apart. The names are those of the findings of `castproof gate`, which knows more methods.

use crate::numeral::{code_at, decimal, ends, ordinal, value};
use crate::verdict::admits;
use castproof_vectors::{DType, Outcome, landmarks};
use std::cmp::Ordering;

/// One element that was asked.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) input: u64,
    pub(crate) got: u64,
    pub(crate) due: Outcome,
    pub(crate) is_wrong: bool,
}

/// The dtypes of a cast, and their facts.
struct Pair {
    from: DType,
    to: DType,
    /// First and last place of the target's values; infinities are the ends of floats that have them.
    ends: (i128, i128),
    /// The places of the target's largest and smallest finite values.
    finite: (i128, i128),
    /// The place of the smallest normal value; `None`: the target has no subnormal values.
    normal: Option<i128>,
}

/// What a wrong method gives for an element whose right result is one code; `None`: what is due.
type Method = fn(&Pair, u64, i128) -> Option<i128>;

const METHODS: [(&str, Method); 9] = [
    ("subnormal result flushed to zero", |pair, _, due| {
        let normal = pair.normal?;
        let magnitude = if due < 0 { -1 - due } else { due };
        (0 < magnitude && magnitude < normal).then_some(if due < 0 { -1 } else { 0 })
    }),
    ("rounded toward zero", |pair, input, due| {
        let beyond = pair.compare_magnitudes(due, input) == Some(Ordering::Greater);
        beyond.then_some(if due < 0 { due + 1 } else { due - 1 })
    }),
    ("rounded away from zero", |pair, input, due| {
        let within = pair.compare_magnitudes(due, input) == Some(Ordering::Less);
        let away = if due < 0 { due - 1 } else { due + 1 };
        (within && pair.has(away)).then_some(away)
    }),
    ("rounded toward minus infinity", |pair, input, due| {
        (pair.compare(due, input) == Some(Ordering::Greater)).then_some(due - 1)
    }),
    ("rounded toward plus infinity", |pair, input, due| {
        let below = pair.compare(due, input) == Some(Ordering::Less);
        (below && pair.has(due + 1)).then_some(due + 1)
    }),
    ("ties rounded away from zero", |pair, input, due| {
        let away = if due < 0 { due - 1 } else { due + 1 };
        let is_within = pair.compare_magnitudes(due, input) == Some(Ordering::Less);
        (is_within && pair.has(away) && pair.is_tie(input, due, away)).then_some(away)
    }),
    ("out of range clamped", |pair, input, _| pair.beyond(input)),
    ("out of range wrapped", |pair, input, _| {
        pair.beyond(input)?;
        let bits = pair.to.bits();
        let whole = integral(pair.from, input)?;
        ordinal(pair.to, (whole as u64) & pair.to.code_mask())
            .filter(|_| bits < 64 && !pair.to.is_float())
    }),
    ("low half of the source dropped", |pair, input, _| {
        let (wide, narrow) = (pair.from.bits(), pair.to.bits());
        (wide == 2 * narrow).then(|| ordinal(pair.to, input >> narrow))?
    }),
];

/// Returns what is known of the wrong results: the methods that give all of them, which inputs are wrong; nothing if
/// nothing is wrong.
pub(crate) fn cause((from, to): (DType, DType), seen: &[Seen]) -> Option<String> {
    let wrong: Vec<&Seen> = seen.iter().filter(|it| it.is_wrong).collect();
    let first = wrong.first()?;
    if seen.len() > 1 && seen.iter().all(|it| it.got == first.got) {
        return Some(format!("always the same result, {}", decimal(to, first.got)));
    }
    let source = landmarks(from)?;
    let is_nan = |it: &&Seen| source.is_nan(it.input);
    let range = range(from, wrong.iter().filter(|it| !is_nan(it)).map(|it| it.input));
    let nan = wrong.iter().any(is_nan);
    let Some(range) = range else { return Some("NaN".into()) };
    let names = methods((from, to), seen).join(", or ");
    Some(match (names.is_empty(), nan) {
        (true, false) => range,
        (true, true) => format!("{range}, and NaN"),
        (false, false) => format!("{names}: {range}"),
        (false, true) => format!("{names}: {range}; NaN is wrong too"),
    })
}

/// Returns the names of the methods that give every wrong result and contradict no right one.
fn methods(dtypes: (DType, DType), seen: &[Seen]) -> Vec<&'static str> {
    let (Some(pair), Some(source), Some(target)) =
        (Pair::of(dtypes), landmarks(dtypes.0), landmarks(dtypes.1))
    else {
        return vec![];
    };
    let holds = |method: &Method| {
        seen.iter().filter(|it| !source.is_nan(it.input)).all(|it| {
            // No method says what it gives where several results are right.
            let Outcome::Code(due) = it.due else { return !it.is_wrong };
            let Some(due) = ordinal(dtypes.1, due) else { return !it.is_wrong };
            let given = method(&pair, it.input, due).unwrap_or(due);
            let Some(code) = code_at(dtypes.1, given) else { return false };
            it.got == code || !it.is_wrong && admits(&it.due, code, target)
        })
    };
    let is_wrong = |it: &Seen| it.is_wrong && !source.is_nan(it.input);
    if !seen.iter().any(is_wrong) {
        return vec![];
    }
    METHODS.iter().filter(|(_, method)| holds(method)).map(|(name, _)| *name).collect()
}

/// Returns `inputs from -3.4e38 to 3.4e38`, or `the input 1`; `None` without inputs.
fn range(from: DType, inputs: impl Iterator<Item = u64>) -> Option<String> {
    let mut places: Vec<(i128, u64)> =
        inputs.filter_map(|code| ordinal(from, code).map(|place| (place, code))).collect();
    places.sort_unstable();
    let (first, last) = (places.first()?.1, places.last()?.1);
    Some(match first == last {
        true => format!("the input {}", decimal(from, first)),
        false => format!("inputs from {} to {}", decimal(from, first), decimal(from, last)),
    })
}

impl Pair {
    fn of((from, to): (DType, DType)) -> Option<Pair> {
        let ends = ends(to)?;
        let known = landmarks(to)?;
        let is_infinite = |place: i128| {
            code_at(to, place)
                .is_some_and(|code| known.infinity.iter().any(|it| it.value() == code))
        };
        let last = if is_infinite(ends.1) { ends.1 - 1 } else { ends.1 };
        let first = if is_infinite(ends.0) { ends.0 + 1 } else { ends.0 };
        let normal = known.values.get("smallest normal");
        let normal = normal.and_then(|(code, _)| ordinal(to, code.value()));
        Some(Pair { from, to, ends, finite: (first, last), normal })
    }

    fn has(&self, place: i128) -> bool {
        (self.ends.0..=self.ends.1).contains(&place)
    }

    /// The finite end of the target beyond which an input lies.
    fn beyond(&self, input: u64) -> Option<i128> {
        if self.compare(self.finite.1, input) == Some(Ordering::Less) {
            return Some(self.finite.1);
        }
        (self.compare(self.finite.0, input) == Some(Ordering::Greater)).then_some(self.finite.0)
    }

    /// Compares a value of the target with an input, exactly.
    fn compare(&self, place: i128, input: u64) -> Option<Ordering> {
        let code = code_at(self.to, place)?;
        match (Number::of(self.to, code)?, Number::of(self.from, input)?) {
            (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
            (Number::Float(a), Number::Integer(b)) => beside(a, b),
            (Number::Integer(a), Number::Float(b)) => beside(b, a).map(Ordering::reverse),
        }
    }

    /// Compares the magnitudes of a value of the target and of an input. Both have the same sign, or one is zero.
    fn compare_magnitudes(&self, place: i128, input: u64) -> Option<Ordering> {
        let order = self.compare(place, input)?;
        let negative = match Number::of(self.from, input)? {
            Number::Integer(number) => number < 0,
            Number::Float(number) => number < 0.0,
        };
        Some(if negative { order.reverse() } else { order })
    }

    /// Does an input lie in the middle of two neighbours of the target?
    fn is_tie(&self, input: u64, one: i128, other: i128) -> bool {
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

/// The integral part of an input.
fn integral(dtype: DType, code: u64) -> Option<i128> {
    match Number::of(dtype, code)? {
        Number::Integer(number) => Some(number),
        Number::Float(number) => (number.abs() < 1.0e30).then(|| number.trunc() as i128),
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Seen, methods};
    use crate::kernel::check;
    use castproof_impl::Cast;
    use castproof_vectors::DType::{self, Bfloat16, Float16, Float32, Int8, Int32, Int64};

    fn right(from: DType, to: DType) -> impl Fn(u64) -> u64 {
        let cast = Cast::new(from, to).expect("a pair");
        move |code| cast.code(code).expect("a code")
    }

    fn said(found: Result<crate::Checked, crate::Failed>) -> String {
        let text = found.expect_err("it is wrong").to_string();
        text.lines().next().unwrap_or_default().to_string()
    }

    #[test]
    fn a_wrong_method_is_named() {
        let half = right(Float32, Float16);
        let flushes = |x: f32| {
            let code = half(x.to_bits().into()) as u16;
            if code & 0x7c00 == 0 { code & 0x8000 } else { code }
        };
        let first = said(check(Float32, Float16, flushes));
        assert!(
            first.contains("codes are wrong: subnormal result flushed to zero: inputs from"),
            "{first}"
        );

        let first = said(check(Float32, Bfloat16, |x: f32| (x.to_bits() >> 16) as u16));
        assert!(first.contains("rounded toward zero"), "{first}");

        let first = said(check(Int64, Int8, |x: i64| x.clamp(-128, 127) as i8));
        assert!(first.contains("wrong: out of range clamped: inputs from"), "{first}");

        let first = said(check(Float32, Int32, |x: f32| x as i32 as u32 ^ u32::from(x == 1.0)));
        assert!(first.ends_with("wrong: the input 1"), "{first}");

        let first = said(check(Float32, Float16, |_: f32| 0u16));
        assert!(first.ends_with("always the same result, 0"), "{first}");

        let clamps = |x: f32| match half(x.to_bits().into()) as u16 {
            code if code & 0x7fff == 0x7c00 => code - 1,
            code => code,
        };
        let first = said(check(Float32, Float16, clamps));
        assert!(first.contains("inputs from -Inf to Inf"), "{first}");

        let nan = |x: f32| if x.is_nan() { 0 } else { half(x.to_bits().into()) as u16 };
        let first = said(check(Float32, Float16, nan));
        assert!(first.ends_with("wrong: NaN"), "{first}");
    }

    /// NaN has a fault of its own beside flushed subnormal results.
    #[test]
    fn a_wrong_nan_is_said_apart() {
        let half = right(Float32, Float16);
        let two = |x: f32| match half(x.to_bits().into()) as u16 {
            _ if x.is_nan() => 0,
            code if code & 0x7c00 == 0 => code & 0x8000,
            code => code,
        };
        let first = said(check(Float32, Float16, two));
        assert!(first.contains("wrong: subnormal result flushed to zero: inputs from"), "{first}");
        assert!(first.ends_with("; NaN is wrong too"), "{first}");
    }

    /// A wrong result where several are right is explained by no method.
    #[test]
    fn a_wrong_result_among_several_right_ones_rules_methods_out() {
        let element = |input, got, due, is_wrong| Seen { input, got, due, is_wrong };
        let clamped = element(300, 127, Outcome::Code(0x2c), true);
        let all = [clamped, element(1, 1, Outcome::Code(1), false)];
        assert_eq!(methods((Int32, Int8), &all), ["out of range clamped"]);
        let other = element(2, 9, Outcome::OneOf(vec![2, 3]), true);
        assert!(methods((Int32, Int8), &[&all[..], &[other]].concat()).is_empty());
    }

    /// A right result that a method would spoil rules it out.
    #[test]
    fn a_method_that_is_contradicted_is_not_named() {
        let narrow = right(Float32, Bfloat16);
        let mixed = |x: f32| match x.to_bits() >> 23 & 1 {
            0 => (x.to_bits() >> 16) as u16,
            _ => narrow(x.to_bits().into()) as u16,
        };
        let first = said(check(Float32, Bfloat16, mixed));
        assert!(!first.contains("rounded toward zero") && !first.contains("dropped"), "{first}");
    }

    #[test]
    fn ties_are_told_from_rounding() {
        let away = |x: f32| {
            let (bits, sign) = (x.to_bits() & 0x7fff_ffff, (x.to_bits() >> 16) as u16 & 0x8000);
            if x.is_nan() { 0x7fc0 } else { sign | ((bits + 0x8000) >> 16) as u16 }
        };
        let first = said(check(Float32, Bfloat16, away));
        assert!(first.contains("wrong: ties rounded away from zero: "), "{first}");
    }
}
