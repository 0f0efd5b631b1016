//! The results that casts in a row must return: the answers of all steps, composed.

use super::Book;
use super::nans::{Nans, of_nans};
use castproof_vectors::{
    Attributes, DType, Expectation, Landmarks, Outcome, Piece, Request, landmarks, piece_of,
};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Answers casts in a row from the pieces of a book. Each request is read once.
pub struct Composer<'b> {
    book: &'b Book,
    read: HashMap<Request, Rc<[Piece]>>,
}

/// The results that casts in a row can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// These codes.
    pub codes: BTreeSet<u64>,
    /// Any NaN of a class.
    pub nan: Nans,
    /// Anything: a step is undefined.
    pub any: bool,
    /// A refusal.
    pub refused: bool,
}

impl<'b> Composer<'b> {
    /// Makes a composer that has not read any request yet.
    pub fn new(book: &'b Book) -> Composer<'b> {
        Composer { book, read: HashMap::new() }
    }

    /// Returns the pieces of a request.
    ///
    /// # Errors
    /// The same as those of [`Book::pieces`].
    pub fn pieces(&mut self, request: &Request) -> Result<Rc<[Piece]>, String> {
        if let Some(pieces) = self.read.get(request) {
            return Ok(Rc::clone(pieces));
        }
        let pieces: Rc<[Piece]> = self.book.pieces(request)?.into();
        self.read.insert(*request, Rc::clone(&pieces));
        Ok(pieces)
    }

    /// Returns what two casts in a row must make of a code, as [`in_turn`](Composer::in_turn) does.
    ///
    /// # Errors
    /// If the book does not hold both requests.
    pub fn expected(
        &mut self,
        [a, b, c]: [DType; 3],
        [first, second]: [Attributes; 2],
        opset: u32,
        code: u64,
    ) -> Result<Option<Expectation>, String> {
        let step = Request::cast(a, b, opset).with(first);
        self.in_turn(&[step, Request::cast(b, c, opset).with(second)], code)
    }

    /// Returns what casts in a row must make of a code, as [`ChainPieces::expected`] does. For many codes of the same casts a
    /// [`chain`](Composer::chain) is faster.
    ///
    /// # Errors
    /// If there is no request, or the book does not hold all of them.
    pub fn in_turn(
        &mut self,
        requests: &[Request],
        code: u64,
    ) -> Result<Option<Expectation>, String> {
        Ok(self.chain(requests)?.expected(code))
    }

    /// Returns casts in a row, each with its pieces, so that many codes are answered with one look-up.
    ///
    /// # Errors
    /// If there is no request, or the book does not hold all of them.
    pub fn chain(&mut self, requests: &[Request]) -> Result<ChainPieces, String> {
        if requests.is_empty() {
            return Err("a chain without a cast".into());
        }
        let cast = |request: &Request| {
            let pieces = self.pieces(request)?;
            Ok(PiecesOfCast { pair: (request.from, request.to), pieces })
        };
        let casts: Result<Vec<PiecesOfCast>, String> = requests.iter().map(cast).collect();
        Ok(ChainPieces { casts: casts? })
    }
}

/// Casts in a row, each with its pieces.
#[derive(Clone, Debug)]
pub struct ChainPieces {
    casts: Vec<PiecesOfCast>,
}

/// One cast of a chain.
#[derive(Clone, Debug)]
struct PiecesOfCast {
    pair: (DType, DType),
    pieces: Rc<[Piece]>,
}

impl ChainPieces {
    /// Returns what the casts must make of a code. Every result is permitted that can follow a
    /// permitted result of the cast before; those that follow the recommended results are expected.
    /// If one cast is undefined, all are. The rule is that of the first cast, because an optimiser
    /// that drops this cast breaks it. Returns `None` if no expectation can express the result: some
    /// codes beside any NaN are expected, and further ones are tolerated.
    pub fn expected(&self, code: u64) -> Option<Expectation> {
        let (mut code, mut at, mut rule) = (code, 0, None);
        // Most casts have one result, which needs no sets.
        while let Some(PiecesOfCast { pair: (from, to), pieces }) = self.casts.get(at) {
            let due = piece_of(pieces, code).expectation(*from, *to, code);
            rule = rule.or(Some(due.rule));
            let Expectation { expect: Outcome::Code(next), tolerate: None, .. } = due else {
                break;
            };
            (code, at) = (next, at + 1);
        }
        let rule = rule?;
        if at == self.casts.len() {
            return Some(Expectation { expect: Outcome::Code(code), tolerate: None, rule });
        }
        let given = Reached { codes: [code].into(), ..Reached::default() };
        let (mut expected, mut permitted) = (given.clone(), given);
        for PiecesOfCast { pair, pieces } in &self.casts[at..] {
            expected = expected.after(*pair, pieces);
            permitted = permitted.at_most_after(*pair, pieces);
        }
        let (expect, tolerate) = said(expected, &permitted)?;
        Some(Expectation { expect, tolerate, rule })
    }
}

/// Returns what a cast makes of a class of NaN codes.
fn after_nan(nan: Nans, b: DType, c: DType, next: &[Piece]) -> Vec<Expectation> {
    let (Some(between), Some(target)) = (landmarks(b), landmarks(c)) else { return vec![] };
    let mut outcomes = Vec::new();
    for [first, last] in nan.ranges(between) {
        for piece in next {
            let (code, end) = (piece.first.max(first.value()), piece.last.min(last.value()));
            if code <= end {
                let expect = of_nans(&piece.formula, (code, end), (b, target));
                outcomes.push(Expectation { expect, ..piece.expectation(b, c, code) });
            }
        }
    }
    outcomes
}

/// Returns what is expected, and what else is tolerated.
fn said(expected: Reached, permitted: &Reached) -> Option<(Outcome, Option<Outcome>)> {
    let Reached { codes, nan, any, refused } = expected;
    if any {
        return Some((Outcome::Any, None));
    }
    if refused {
        return Some((Outcome::Reject, None));
    }
    let further: Vec<u64> = permitted.codes.difference(&codes).copied().collect();
    let expected_nan = if codes.is_empty() { nan } else { Nans::Nothing };
    let further_nan = permitted.nan.outcome().filter(|_| permitted.nan > expected_nan);
    let tolerate = match (permitted.any, further_nan, further.is_empty()) {
        (true, ..) => Some(Outcome::Any),
        (_, Some(nan), true) => Some(nan),
        (_, Some(_), false) => return None,
        (_, None, false) => Some(Outcome::one_of(further)),
        (_, None, true) => None,
    };
    let expect = match expected_nan.outcome() {
        Some(nan) => nan,
        None if codes.is_empty() => return None,
        None => Outcome::one_of(codes),
    };
    Some((expect, tolerate))
}

impl Reached {
    /// Adds what one cast may return.
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Code(code) => {
                self.codes.insert(*code);
            }
            Outcome::OneOf(codes) => self.codes.extend(codes),
            Outcome::AnyNan | Outcome::QuietNan => self.nan = self.nan.max(Nans::of(outcome)),
            Outcome::Any => self.any = true,
            Outcome::Reject | Outcome::Text(_) => self.refused = true,
        }
    }

    /// Returns what a cast that has these pieces is expected to make of these results.
    pub fn after(&self, pair: (DType, DType), pieces: &[Piece]) -> Reached {
        self.next(pair, pieces, |next, it| next.add(&it.expect))
    }

    /// Returns what a cast that has these pieces may make of these results, what is tolerated included.
    fn at_most_after(&self, pair: (DType, DType), pieces: &[Piece]) -> Reached {
        self.next(pair, pieces, |next, it| {
            next.add(&it.expect);
            it.tolerate.iter().for_each(|outcome| next.add(outcome));
        })
    }

    fn next(
        &self,
        (from, to): (DType, DType),
        pieces: &[Piece],
        add: impl Fn(&mut Reached, &Expectation),
    ) -> Reached {
        let mut next = Reached { any: self.any, refused: self.refused, ..Reached::default() };
        for &code in &self.codes {
            add(&mut next, &piece_of(pieces, code).expectation(from, to, code));
        }
        after_nan(self.nan, from, to, pieces).iter().for_each(|it| add(&mut next, it));
        next
    }

    /// May casts with these results return everything that casts with the others may?
    pub fn admits(&self, others: &Reached, to: &Landmarks) -> bool {
        let holds = |code: &u64| self.codes.contains(code) || self.nan.holds(to, *code);
        self.any
            || !others.any
                && self.refused == others.refused
                && self.nan >= others.nan
                && others.codes.iter().all(holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::NEWEST;

    fn composed(dtypes: [DType; 3], code: u64) -> Option<Expectation> {
        let mut composer = Composer::new(Book::carried());
        composer.expected(dtypes, Default::default(), NEWEST, code).expect("numeric")
    }

    #[test]
    fn steps_are_composed() {
        use DType::*;
        for (dtypes, code, expect) in [
            // 2.5 is truncated to 2, and stays 2.
            ([Float32, Int8, Float32], 0x4020_0000, Outcome::Code(0x4000_0000)),
            // 0.5 is true, which is 1; directly it would be 0.
            ([Float16, Bool, Int32], 0x3800, Outcome::Code(1)),
            // A NaN stays a NaN, with any code.
            ([Float32, Float16, Float32], 0x7fc0_1234, Outcome::AnyNan),
            ([Float32, Float16, Float4E2M1], 0x7fc0_1234, Outcome::Code(7)),
            // Beyond float16, so infinity, which is saturated.
            ([Float32, Float16, Float8E4M3FN], 0x4980_0000, Outcome::Code(0x7e)),
            // -0 is code 0 in between, so its sign is lost.
            ([Float32, Int32, Float32], 0x8000_0000, Outcome::Code(0)),
            // A value out of range is undefined, and so is what follows.
            ([Float32, Int8, Float32], 0x4f00_0000, Outcome::Any),
        ] {
            let found = composed(dtypes, code).expect("an expectation");
            assert_eq!(found.expect, expect, "{dtypes:?} {code:#x}");
        }
    }

    /// Checks every code of every chain of small dtypes: the composed expectation is that of the
    /// second step for the code that the first step gives.
    #[test]
    fn chains_are_what_their_steps_are_one_by_one() {
        use DType::*;
        let small = [Bool, Int4, Uint4, Float4E2M1, Float8E5M2FNUZ, Float8E8M0, Int8];
        let mut composer = Composer::new(Book::carried());
        let mut counted = 0;
        for a in small {
            for b in small {
                for c in small {
                    for code in 0..=a.code_mask() {
                        let step = composer.pieces(&Request::cast(a, b, NEWEST)).expect("a cast");
                        let next = composer.pieces(&Request::cast(b, c, NEWEST)).expect("a cast");
                        let step = piece_of(&step, code).expectation(a, b, code);
                        let Outcome::Code(between) = step.expect else { continue };
                        let due = piece_of(&next, between).expectation(b, c, between).expect;
                        let found = composer
                            .expected([a, b, c], Default::default(), NEWEST, code)
                            .expect("numeric");
                        assert_eq!(found.map(|it| it.expect), Some(due), "{a} {b} {c} {code:#x}");
                        counted += 1;
                    }
                }
            }
        }
        assert!(counted > 10_000, "only {counted} codes were compared");
    }
}
