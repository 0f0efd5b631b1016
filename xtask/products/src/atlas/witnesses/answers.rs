//! The answers of single casts, made ready for millions of elements.

use castproof_book::Book;
use castproof_check::numeral::value;
use castproof_methods::Step;
use castproof_vectors::{DType, Formula, NEWEST, Outcome, Request, Stretch, landmarks, stretches};
use std::collections::HashMap;
use std::rc::Rc;

/// The most codes of which a cast may return any.
pub(super) const MOST: usize = 4;

/// What a cast makes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Came {
    /// This code, which is no NaN.
    Code(u64),
    /// A NaN.
    Nan,
    /// One of these codes, which may stand there more than once.
    Several([u64; MOST]),
    /// The result is undefined.
    Open,
    /// The cast is refused.
    Refused,
}

/// The number of habits.
pub(super) const HABITS: usize = WitnessHabit::ALL.len();

impl Came {
    /// Is this another result? Where there are several, whether one of them is right too is seen
    /// later.
    pub(super) fn differs(self, right: Came) -> bool {
        let is_certain = |came| !matches!(came, Came::Open | Came::Refused);
        is_certain(self) && is_certain(right) && self != right
    }
}

/// What implementations make of a number that an integer dtype does not hold. A rewrite may make a
/// defined result undefined; it is noticed only if the witness is told from each of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WitnessHabit {
    /// Zero.
    Zero,
    /// The nearest end of the range.
    Nearest,
    /// The smallest integer.
    Smallest,
    /// The largest integer.
    Largest,
    /// The low bits of the number.
    LowBits,
    /// The low bits of the number as int32, which is the smallest int32 where it does not fit.
    LowBitsOfInt32,
    /// The same of int64.
    LowBitsOfInt64,
}

impl WitnessHabit {
    /// Every habit.
    pub const ALL: [WitnessHabit; 7] = [
        WitnessHabit::Zero,
        WitnessHabit::Nearest,
        WitnessHabit::Smallest,
        WitnessHabit::Largest,
        WitnessHabit::LowBits,
        WitnessHabit::LowBitsOfInt32,
        WitnessHabit::LowBitsOfInt64,
    ];

    /// Returns what an undefined cast of an element gives.
    pub fn result(self, from: DType, code: u64, to: DType) -> u64 {
        self.of_number(value(from, code).unwrap_or(f64::NAN), to)
    }

    /// Returns what an undefined cast of a number gives.
    fn of_number(self, number: f64, to: DType) -> u64 {
        let mask = to.code_mask();
        if !to.is_integer() {
            return if self == WitnessHabit::Largest { mask } else { 0 };
        }
        let sign = if to.is_signed() { 1 << (to.bits() - 1) } else { 0 };
        let (smallest, largest) = (sign, mask & !sign);
        let fits = |bits: i32| number.abs() < 2_f64.powi(bits - 1);
        match self {
            WitnessHabit::Zero => 0,
            WitnessHabit::Smallest => smallest,
            WitnessHabit::Largest => largest,
            WitnessHabit::Nearest if number.is_nan() => 0,
            WitnessHabit::Nearest => {
                if number < 0.0 {
                    smallest
                } else {
                    largest
                }
            }
            WitnessHabit::LowBits if number.is_finite() => low_bits(number) & mask,
            WitnessHabit::LowBitsOfInt32 if fits(32) => number as i64 as u64 & mask,
            WitnessHabit::LowBitsOfInt32 => i32::MIN as u64 & mask,
            WitnessHabit::LowBitsOfInt64 if fits(64) => number as i64 as u64 & mask,
            WitnessHabit::LowBits | WitnessHabit::LowBitsOfInt64 => i64::MIN as u64 & mask,
        }
    }
}

/// Returns the low 64 bits of a number without its fraction.
fn low_bits(number: f64) -> u64 {
    // Beyond 2^127 the last bit of a float64 is far above the lowest 64.
    if number.abs() < 2_f64.powi(127) { number as i128 as u64 } else { 0 }
}

/// One cast.
pub(super) struct Cast {
    from: DType,
    to: DType,
    stretches: Vec<Stretch>,
}

impl Cast {
    /// Its answers.
    pub(super) fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Returns the stretch of an element.
    pub(super) fn stretch(&self, code: u64) -> &Stretch {
        &self.stretches[self.stretches.partition_point(|stretch| stretch.last < code)]
    }

    /// Returns the codes of one and of minus one, if the source has them.
    pub(super) fn ones(&self) -> Vec<u64> {
        let values = landmarks(self.from).map(|it| &it.values);
        let named = ["one", "minus one"].into_iter().filter_map(|name| values?.get(name));
        named.map(|(code, _)| code.value()).collect()
    }

    /// Returns what the cast makes of an element.
    pub(super) fn of(&self, code: u64) -> Came {
        let code = match &self.stretch(code).formula {
            Formula::Shift(shift) => shift.expected(code, (self.from.bits(), self.to.bits())),
            Formula::Constant(Outcome::Code(code)) => *code,
            Formula::Constant(Outcome::AnyNan | Outcome::QuietNan) => return Came::Nan,
            Formula::Constant(Outcome::OneOf(codes)) => {
                assert!(codes.len() <= MOST, "a result is one of {} codes", codes.len());
                return Came::Several(std::array::from_fn(|at| codes[at.min(codes.len() - 1)]));
            }
            Formula::Constant(Outcome::Any) => return Came::Open,
            Formula::Constant(Outcome::Reject | Outcome::Text(_)) => return Came::Refused,
        };
        told(self.to, code)
    }

    /// Does the same for the result of a cast before it.
    pub(super) fn after(&self, came: Came) -> Came {
        match came {
            Came::Code(code) => self.of(code),
            Came::Nan => nan(self.from).map_or(Came::Open, |code| self.of(code)),
            Came::Several(codes) => {
                let results = codes.map(|code| self.of(code));
                if results.iter().all(|it| *it == results[0]) {
                    return results[0];
                }
                if results.contains(&Came::Open) {
                    return Came::Open;
                }
                match self.stands_for(results[0]) {
                    Some(first) => {
                        Came::Several(results.map(|it| self.stands_for(it).unwrap_or(first)))
                    }
                    None => results[0],
                }
            }
            Came::Open | Came::Refused => came,
        }
    }

    /// Returns a code for a result of this cast; of a NaN the first.
    fn stands_for(&self, result: Came) -> Option<u64> {
        match result {
            Came::Code(code) | Came::Several([code, ..]) => Some(code),
            Came::Nan => nan(self.to),
            Came::Open | Came::Refused => None,
        }
    }

    /// Returns the code that stands for the result of a cast before this one: of several the one
    /// whose result is undefined, if there is one.
    fn code_of(&self, came: Came) -> u64 {
        match came {
            Came::Several(codes) => {
                let is_open = |code: &u64| self.of(*code) == Came::Open;
                codes.into_iter().find(is_open).unwrap_or(codes[0])
            }
            Came::Code(code) => code,
            Came::Nan => nan(self.from).unwrap_or(0),
            Came::Open | Came::Refused => 0,
        }
    }

    /// Returns the code that the cast makes of a code, if what is undefined becomes what this habit
    /// says.
    fn by_habit(&self, code: u64, habit: WitnessHabit) -> u64 {
        match self.of(code) {
            Came::Code(code) | Came::Several([code, ..]) => code,
            Came::Nan => nan(self.to).unwrap_or(0),
            Came::Open | Came::Refused => habit.result(self.from, code, self.to),
        }
    }
}

/// Returns whether this is a NaN or another code.
pub(super) fn told(dtype: DType, code: u64) -> Came {
    match landmarks(dtype).is_some_and(|it| it.is_nan(code)) {
        true => Came::Nan,
        false => Came::Code(code),
    }
}

/// Returns the first NaN of a dtype.
fn nan(dtype: DType) -> Option<u64> {
    landmarks(dtype)?.nan.first().map(|[first, _]| first.value())
}

/// What casts in a row make of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Results {
    /// This, whatever an implementation does where a result is undefined.
    One(Came),
    /// By habit, in the order of [`WitnessHabit::ALL`].
    ByHabit([u64; HABITS]),
}

/// Returns what casts in a row make of a code.
pub(super) fn results(casts: &[Rc<Cast>], code: u64) -> Results {
    let Some((first, rest)) = casts.split_first() else {
        return Results::One(Came::Code(code));
    };
    let mut came = first.of(code);
    let mut before = code;
    for (at, cast) in std::iter::once(first).chain(rest).enumerate() {
        if at > 0 {
            before = cast.code_of(came);
            came = cast.after(came);
        }
        if came == Came::Open {
            // The number takes longer than all that is made of it.
            let number = value(cast.from, before).unwrap_or(f64::NAN);
            let by_habit = WitnessHabit::ALL.map(|habit| {
                let result = habit.of_number(number, cast.to);
                casts[at + 1..].iter().fold(result, |code, cast| cast.by_habit(code, habit))
            });
            return Results::ByHabit(by_habit);
        }
    }
    Results::One(came)
}

/// The casts of the newest version. Each is read once.
#[derive(Default)]
pub(super) struct Answers {
    read: HashMap<Step, Option<Rc<Cast>>>,
}

impl Answers {
    /// Returns a cast; `None` if it is refused or is not in the book.
    pub(super) fn cast(&mut self, step: Step) -> Option<Rc<Cast>> {
        if let Some(known) = self.read.get(&step) {
            return known.clone();
        }
        let Step { from, to, attributes } = step;
        let request = Request::cast(from, to, NEWEST).with(attributes);
        let pieces = Book::carried().pieces(&request).ok();
        let cast = pieces.map(|pieces| Rc::new(Cast { from, to, stretches: stretches(&pieces) }));
        // A request is refused either as a whole or not at all.
        let is_refused = |cast: &Rc<Cast>| matches!(cast.of(0), Came::Refused);
        let cast = cast.filter(|cast| !is_refused(cast));
        self.read.insert(step, cast.clone());
        cast
    }
}
