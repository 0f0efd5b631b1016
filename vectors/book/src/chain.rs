//! Two casts in a row compared with one direct cast: where dropping the step between changes a
//! result.
//!
//! Nothing is sampled. Over a run of codes where each of the three casts keeps its formula, the
//! results either lie in ranges that do not meet, or are constant, or repeat with a period that is
//! a power of two. A run without any of these properties is halved.

use super::Book;
use super::nans::{Nans, of_nans};
use castproof_vectors::{
    DType, Formula, Hex, Landmarks, NEWEST, Outcome, Piece, Request, Shift, Stretch, Tolerate,
    carries, landmarks, stretches,
};

/// Codes of a run: their number, and the first and the last of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeRun {
    /// How many there are.
    pub count: u128,
    /// The first and the last of them.
    pub ends: Option<(u64, u64)>,
}

/// What changes for the codes of a run when the step between is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainDifference {
    /// Codes where the direct cast may return what the two in a row may not.
    pub differ: CodeRun,
    /// Codes where the two in a row leave the result open.
    pub open: CodeRun,
}

/// A cast from `a` to `b` to `c`, and the direct cast from `a` to `c`, without attributes.
pub struct ComparedChain {
    /// The three dtypes.
    pub dtypes: [DType; 3],
    first: Vec<Stretch>,
    second: Vec<Stretch>,
    direct: Vec<Stretch>,
    between: &'static Landmarks,
    target: &'static Landmarks,
}

impl CodeRun {
    fn all(first: u64, last: u64) -> CodeRun {
        CodeRun { count: u128::from(last - first) + 1, ends: Some((first, last)) }
    }

    fn then(self, next: CodeRun) -> CodeRun {
        let ends = match (self.ends, next.ends) {
            (Some((first, _)), Some((_, last))) => Some((first, last)),
            (one, other) => one.or(other),
        };
        CodeRun { count: self.count + next.count, ends }
    }

    /// Repeats the codes `times` in all, each repetition `period` codes after the one before.
    fn repeated(self, times: u64, period: u64) -> CodeRun {
        let ends = self.ends.map(|(first, last)| (first, last + (times - 1) * period));
        CodeRun { count: self.count * u128::from(times), ends }
    }
}

impl ChainDifference {
    fn then(self, next: ChainDifference) -> ChainDifference {
        ChainDifference { differ: self.differ.then(next.differ), open: self.open.then(next.open) }
    }
}

/// The permitted results of one code or one run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Allowed {
    /// Everything: the result is left open.
    All,
    /// These codes, and those of a class of NaN.
    Some { codes: Vec<u64>, nan: Nans },
    /// The request is refused.
    Refused,
}

impl ComparedChain {
    /// Reads the three casts from a book, at the newest version.
    ///
    /// # Errors
    /// If a dtype is not numeric.
    pub fn new(book: &Book, dtypes: [DType; 3]) -> Result<ComparedChain, String> {
        let [a, b, c] = dtypes;
        ComparedChain::of(
            book,
            [(a, b), (b, c), (a, c)].map(|(from, to)| Request::cast(from, to, NEWEST)),
        )
    }

    /// Reads three casts from a book: from `a` to `b`, from `b` to `c`, and from `a` to `c`.
    ///
    /// # Errors
    /// If the book does not have one of the requests, or as those of [`ComparedChain::of_pieces`].
    pub fn of(book: &Book, requests: [Request; 3]) -> Result<ComparedChain, String> {
        ComparedChain::of_pieces(requests, |request| book.pieces(request))
    }

    /// Reads the same three casts as [`ComparedChain::of`] from whoever knows the pieces of a request.
    ///
    /// # Errors
    /// If a dtype is not numeric, a request has no pieces, or one of them is open for single codes within a piece, which
    /// a chain cannot tell apart.
    pub fn of_pieces(
        [first, second, direct]: [Request; 3],
        pieces: impl Fn(&Request) -> Result<Vec<Piece>, String>,
    ) -> Result<ComparedChain, String> {
        let (dtypes, b, c) = ([first.from, first.to, second.to], first.to, second.to);
        let read = |request: &Request| {
            let pieces = pieces(request)?;
            if pieces.iter().any(|piece| piece.tolerate == Tolerate::AnyIfInexact) {
                return Err(format!(
                    "{request} is open wherever it is not exact, so no step is compared with it: name another profile"
                ));
            }
            Ok(stretches(&pieces))
        };
        let numeric = |dtype| {
            landmarks(dtype).ok_or_else(|| format!("{dtype} is not numeric: name a numeric dtype"))
        };
        Ok(ComparedChain {
            dtypes,
            first: read(&first)?,
            second: read(&second)?,
            direct: read(&direct)?,
            between: numeric(b)?,
            target: numeric(c)?,
        })
    }

    /// Returns what changes for the codes from `first` to `last` when the step is dropped.
    pub fn difference(&self, first: u64, last: u64) -> ChainDifference {
        let mut difference = ChainDifference::default();
        let mut next = first;
        loop {
            // A run where each cast has one formula: from here to the nearer end.
            let (step, direct) = (at(&self.first, next), at(&self.direct, next));
            let end = step.last.min(direct.last).min(last);
            difference = difference.then(self.run(next, end, &step.formula, &direct.formula));
            if end == last {
                return difference;
            }
            next = end + 1;
        }
    }

    /// Returns the same as [`ComparedChain::difference`], computed code by code; for tests.
    pub fn difference_by_code(&self, first: u64, last: u64) -> ChainDifference {
        (first..=last).fold(ChainDifference::default(), |sum, code| sum.then(self.one(code)))
    }

    fn one(&self, code: u64) -> ChainDifference {
        let [a, b, c] = self.dtypes;
        let between = at(&self.first, code).formula.expect(a, b, code);
        let direct = at(&self.direct, code).formula.expect(a, c, code);
        self.compared(&self.after(&between), &direct, code, code)
    }

    /// Compares a run in which all codes have the same permitted results in both ways.
    fn compared(
        &self,
        chain: &Allowed,
        direct: &Outcome,
        first: u64,
        last: u64,
    ) -> ChainDifference {
        let (mut difference, all) = (ChainDifference::default(), CodeRun::all(first, last));
        if *chain == Allowed::All {
            difference.open = all;
        } else if !self.admits(chain, direct) {
            difference.differ = all;
        }
        difference
    }

    /// May the two in a row return everything that the direct cast may?
    fn admits(&self, chain: &Allowed, direct: &Outcome) -> bool {
        let (codes, nan) = match chain {
            Allowed::All => return true,
            Allowed::Refused => return *direct == Outcome::Reject,
            Allowed::Some { codes, nan } => (codes, *nan),
        };
        let holds = |code: &u64| codes.contains(code) || nan.holds(self.target, *code);
        match direct {
            Outcome::Code(code) => holds(code),
            Outcome::OneOf(codes) => codes.iter().all(holds),
            Outcome::AnyNan | Outcome::QuietNan => nan >= Nans::of(direct),
            Outcome::Any | Outcome::Reject | Outcome::Text(_) => false,
        }
    }

    /// Returns what the second cast may make of the permitted results of the first.
    fn after(&self, between: &Outcome) -> Allowed {
        let [_, b, c] = self.dtypes;
        let of = |code: u64| at(&self.second, code).formula.expect(b, c, code);
        let outcomes: Vec<Outcome> = match between {
            Outcome::Code(code) => vec![of(*code)],
            Outcome::OneOf(codes) => codes.iter().map(|&code| of(code)).collect(),
            Outcome::AnyNan | Outcome::QuietNan => self.after_nan(Nans::of(between)),
            Outcome::Any => return Allowed::All,
            Outcome::Reject | Outcome::Text(_) => return Allowed::Refused,
        };
        let (mut codes, mut nan) = (Vec::new(), Nans::Nothing);
        for outcome in outcomes {
            match outcome {
                Outcome::Code(code) => codes.push(code),
                Outcome::OneOf(more) => codes.extend(more),
                Outcome::AnyNan | Outcome::QuietNan => nan = nan.max(Nans::of(&outcome)),
                Outcome::Any => return Allowed::All,
                Outcome::Reject | Outcome::Text(_) => return Allowed::Refused,
            }
        }
        Allowed::Some { codes, nan }
    }

    /// Returns what the second cast makes of a class of NaN codes.
    fn after_nan(&self, nan: Nans) -> Vec<Outcome> {
        let (mut outcomes, pair) = (Vec::new(), (self.dtypes[1], self.target));
        for [first, last] in nan.ranges(self.between) {
            let (first, last) = (first.value(), last.value());
            let meets = |it: &&Stretch| it.first <= last && first <= it.last;
            outcomes.extend(
                self.second
                    .iter()
                    .filter(meets)
                    .map(|it| of_nans(&it.formula, (it.first.max(first), it.last.min(last)), pair)),
            );
        }
        outcomes
    }

    /// Compares a run in which the first and the direct cast have one formula each.
    fn run(&self, first: u64, last: u64, step: &Formula, direct: &Formula) -> ChainDifference {
        if last - first < 8 {
            return self.difference_by_code(first, last);
        }
        let halves = || {
            let middle = first + (last - first) / 2;
            let low = self.run(first, middle, step, direct);
            low.then(self.run(middle + 1, last, step, direct))
        };
        let [a, b, c] = self.dtypes;
        let direct_image = Image::of(direct, first, last, (a, c));
        let step_image = Image::of(step, first, last, (a, b));
        if let (Image::Same(between), Image::Same(direct)) = (&step_image, &direct_image) {
            return self.compared(&self.after(between), direct, first, last);
        }
        let chain = self.image(&step_image);
        match (&chain, &direct_image) {
            (Some(Reached::Same(chain)), Image::Same(direct)) => {
                return self.compared(chain, direct, first, last);
            }
            (Some(Reached::Same(Allowed::All)), _) => {
                return ChainDifference {
                    open: CodeRun::all(first, last),
                    ..ChainDifference::default()
                };
            }
            _ => {}
        }
        if self.all_nan(chain.as_ref(), &direct_image) {
            return ChainDifference::default();
        }
        if self.apart(&step_image, chain.as_ref(), &direct_image) {
            return ChainDifference {
                differ: CodeRun::all(first, last),
                ..ChainDifference::default()
            };
        }
        match self.period(step, &step_image, chain.as_ref(), direct) {
            Some(period) if (last - first) / 2 >= period => {
                let times = (last - first) / period;
                let once = self.run(first, first + (period - 1), step, direct);
                let repeated = ChainDifference {
                    differ: once.differ.repeated(times, period),
                    open: once.open.repeated(times, period),
                };
                repeated.then(self.run(first + times * period, last, step, direct))
            }
            _ => halves(),
        }
    }
}

/// The results of a formula over a run of codes.
enum Image {
    /// The same outcome for every code.
    Same(Outcome),
    /// Codes from the first to the last of these, ascending or descending.
    Range(u64, u64),
    /// Codes that wrap around within the run.
    Wraps,
}

impl Image {
    fn of(formula: &Formula, first: u64, last: u64, (from, to): (DType, DType)) -> Image {
        let shift = match formula {
            Formula::Constant(outcome) => return Image::Same(outcome.clone()),
            Formula::Shift(shift) => shift,
        };
        let [a, b] = [first, last].map(|code| unmasked(shift, code, from.bits()));
        if a >> to.bits() != b >> to.bits() {
            return Image::Wraps;
        }
        let cut = |value: u128| value as u64 & to.code_mask();
        match (cut(a.min(b)), cut(a.max(b))) {
            (low, high) if low == high => Image::Same(Outcome::Code(low)),
            (low, high) => Image::Range(low, high),
        }
    }
}

/// Returns the result before it is cut to the target's width, modulo 2^128.
fn unmasked(shift: &Shift, code: u64, from_bits: u32) -> u128 {
    let distance = shift.distance(code, from_bits);
    let count = match shift.bits {
        bits @ 1.. => {
            let carry = shift.nearest && carries(distance, bits.unsigned_abs(), shift.base);
            u128::from(distance >> bits) + u128::from(carry)
        }
        bits => u128::from(distance) << bits.unsigned_abs(),
    };
    let base = u128::from(shift.base);
    if shift.subtract { base.wrapping_sub(count) } else { base.wrapping_add(count) }
}

/// The results of the two in a row over a run.
enum Reached {
    Same(Allowed),
    /// A single code for each, between the first and the last of these.
    Range(u64, u64),
}

/// The largest number of stretches of the second cast that are examined one by one.
const MOST_STRETCHES: usize = 256;

impl ComparedChain {
    /// Returns the results of the second cast for the image of the first, if one formula of the
    /// second covers that image.
    fn image(&self, step: &Image) -> Option<Reached> {
        match step {
            Image::Same(outcome) => Some(Reached::Same(self.after(outcome))),
            Image::Range(low, high) => {
                let stretch = at(&self.second, *low);
                if stretch.last < *high { None } else { self.reached(stretch, *low, *high) }
            }
            Image::Wraps => None,
        }
    }

    fn reached(&self, stretch: &Stretch, first: u64, last: u64) -> Option<Reached> {
        let [_, b, c] = self.dtypes;
        match Image::of(&stretch.formula, first, last, (b, c)) {
            Image::Same(_) => Some(Reached::Same(self.after(&Outcome::Code(first)))),
            Image::Range(low, high) => Some(Reached::Range(low, high)),
            Image::Wraps => None,
        }
    }

    /// Does the direct cast surely differ at every code of the run?
    fn apart(&self, step: &Image, chain: Option<&Reached>, direct: &Image) -> bool {
        if let Some(reached) = chain {
            return !self.meets(reached, direct);
        }
        let (low, high) = match step {
            Image::Range(low, high) => (*low, *high),
            _ => (0, self.dtypes[1].code_mask()),
        };
        let start = self.second.partition_point(|stretch| stretch.last < low);
        let end = self.second.partition_point(|stretch| stretch.first <= high);
        let met = &self.second[start..end];
        met.len() <= MOST_STRETCHES
            && met.iter().all(|stretch| {
                let (first, last) = (stretch.first.max(low), stretch.last.min(high));
                match (&stretch.formula, direct) {
                    // A single code never covers an outcome that allows several.
                    (Formula::Shift(_), Image::Same(it)) if !matches!(it, Outcome::Code(_)) => true,
                    _ => self
                        .reached(stretch, first, last)
                        .is_some_and(|it| !self.meets(&it, direct)),
                }
            })
    }

    /// Can a result of the direct cast be a result of the two in a row?
    fn meets(&self, reached: &Reached, direct: &Image) -> bool {
        match (reached, direct) {
            (_, Image::Wraps) | (Reached::Same(Allowed::All), _) => true,
            (Reached::Same(allowed), Image::Same(direct)) => self.admits(allowed, direct),
            (Reached::Same(Allowed::Refused), Image::Range(..)) => false,
            (Reached::Same(Allowed::Some { codes, nan }), Image::Range(low, high)) => {
                let meets =
                    |[first, last]: &[Hex; 2]| first.value() <= *high && *low <= last.value();
                codes.iter().any(|code| (low..=high).contains(&code))
                    || nan.ranges(self.target).iter().any(meets)
            }
            // A single code never covers an outcome that allows several.
            (Reached::Range(low, high), Image::Same(Outcome::Code(code))) => {
                (low..=high).contains(&code)
            }
            (Reached::Range(..), Image::Same(_)) => false,
            (Reached::Range(a, b), Image::Range(low, high)) => a <= high && low <= b,
        }
    }

    /// May the two in a row return every NaN of a class, while the direct cast returns only such NaN?
    fn all_nan(&self, chain: Option<&Reached>, direct: &Image) -> bool {
        let (Some(Reached::Same(Allowed::Some { nan, .. })), Image::Range(low, high)) =
            (chain, direct)
        else {
            return false;
        };
        nan.ranges(self.target).iter().any(|[a, b]| a.value() <= *low && *high <= b.value())
    }

    /// Returns the number of codes after which agreement and difference repeat, if they do.
    fn period(
        &self,
        step: &Formula,
        step_image: &Image,
        chain: Option<&Reached>,
        direct: &Formula,
    ) -> Option<u64> {
        let target_bits = self.dtypes[2].bits();
        let direct_shift = match direct {
            Formula::Shift(shift) => Some(shift),
            Formula::Constant(_) => None,
        };
        if let Some(Reached::Same(_)) = chain {
            // The two in a row have one result; the direct cast repeats the same codes.
            let wraps = direct_shift.is_some_and(|shift| shift.bits == 0);
            return (wraps && target_bits < 64).then(|| 1 << target_bits);
        }
        let Formula::Shift(step) = step else { return None };
        if matches!(step_image, Image::Wraps) {
            // The codes between repeat; the direct cast has one result, or repeats too.
            let again = match direct_shift {
                Some(shift) if shift.bits != 0 => return None,
                Some(_) => target_bits,
                None => 0,
            };
            let bits = self.dtypes[1].bits().max(again);
            return (step.bits == 0 && bits < 64).then(|| 1 << bits);
        }
        let Image::Range(low, high) = step_image else { return None };
        let stretch = at(&self.second, *low);
        let (Formula::Shift(second), Some(direct), true) =
            (&stretch.formula, direct_shift, stretch.last >= *high)
        else {
            return None;
        };
        // Two steps of the coarsest shift, because ties go to even results.
        let both = step.bits + second.bits;
        let bits = step.bits.max(both).max(direct.bits).max(0) + 1;
        let falls = |shift: &Shift| shift.descending != shift.subtract;
        let alike = (falls(step) != falls(second)) == falls(direct) && both == direct.bits;
        (alike && bits < 64).then(|| 1 << bits)
    }
}

/// Returns the stretch of a code.
fn at(stretches: &[Stretch], code: u64) -> &Stretch {
    &stretches[stretches.partition_point(|stretch| stretch.last < code)]
}
