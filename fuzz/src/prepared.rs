//! Requests made ready once a process: their pieces, the codes that matter, the cast on every
//! backend; batches of codes drawn from them, and judged.

use crate::judge::{Judge, implementation};
use crate::random::Random;
use castproof_impl::{Backend, Cast};
use castproof_oracle::partition::partition;
use castproof_vectors::{Formula, Outcome, Piece, Request, Shift};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A request between numeric dtypes that some version has, ready for many batches.
pub(crate) struct Prepared {
    pub(crate) request: Request,
    /// The cast whose single codes are judged.
    pub(crate) cast: Cast,
    /// The same on each backend of this machine.
    pub(crate) backends: Vec<Cast>,
    judge: Judge,
    pieces: Vec<Piece>,
}

/// A code and the piece that it is of.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) code: u64,
    piece: usize,
}

/// Pieces that are kept at most; then all are made anew.
const MOST_PIECES: usize = 4 << 20;

thread_local! {
    static KEPT: RefCell<(HashMap<Request, Rc<Prepared>>, usize)> = RefCell::default();
}

/// The request made ready, or as it was kept.
pub(crate) fn prepared(request: &Request) -> Rc<Prepared> {
    KEPT.with_borrow_mut(|(kept, pieces)| {
        if let Some(prepared) = kept.get(request) {
            return Rc::clone(prepared);
        }
        let prepared = Rc::new(Prepared::new(*request));
        *pieces += prepared.pieces.len();
        if *pieces > MOST_PIECES {
            kept.clear();
            *pieces = prepared.pieces.len();
        }
        kept.insert(*request, Rc::clone(&prepared));
        prepared
    })
}

impl Prepared {
    fn new(request: Request) -> Prepared {
        let cast = implementation(&request);
        let backends = Backend::available().map(|backend| cast.backend(backend)).collect();
        let pieces = partition(&request).unwrap_or_else(|error| panic!("{request}: {error}"));
        Prepared { request, cast, backends, judge: Judge::new(request), pieces }
    }

    /// A batch of codes: a run of ends of pieces, then ties and their neighbours, ends with one bit
    /// flipped, any codes of a piece, and any codes at all.
    pub(crate) fn draw(&self, random: &mut Random, count: usize) -> Vec<Drawn> {
        let ends = self.pieces.len() * 4;
        let first = random.below(ends);
        let run = count / 2;
        let mut drawn: Vec<Drawn> = (0..run).map(|step| self.end((first + step) % ends)).collect();
        while drawn.len() < count {
            let code = match random.below(8) {
                0..4 => self.in_piece(random),
                4 | 5 => self.end(random.below(ends)).code ^ 1 << random.below(64),
                6 => 1 << random.below(64),
                _ => random.next(),
            };
            drawn.push(self.find(code & self.request.from.code_mask()));
        }
        drawn
    }

    /// Four to a piece: its ends and what lies beside them.
    fn end(&self, index: usize) -> Drawn {
        let piece = index / 4;
        let Piece { first, last, .. } = self.pieces[piece];
        let code = match index % 4 {
            0 => first,
            1 => first.saturating_add(1).min(last),
            2 => last.saturating_sub(1).max(first),
            _ => last,
        };
        Drawn { code, piece }
    }

    /// A code of some piece; where results are rounded, a tie, what lies beside it, or a tie with one
    /// far bit.
    fn in_piece(&self, random: &mut Random) -> u64 {
        let piece = &self.pieces[random.below(self.pieces.len())];
        let Piece { first, last, .. } = *piece;
        let any = first + random.next() % (last - first).saturating_add(1).max(1);
        let Formula::Shift(Shift { origin, descending, bits, .. }) = piece.formula else {
            return any;
        };
        let Ok(shift @ 1..64) = u32::try_from(bits) else { return any };
        let distance = if descending { origin.wrapping_sub(any) } else { any.wrapping_sub(origin) };
        let half = 1_u64 << (shift - 1);
        let below = match random.below(6) {
            0 => half,
            1 => half - 1,
            2 => half + 1,
            3 => half | 1 << random.below(shift as usize),
            4 => 2 * half - 1,
            _ => 0,
        };
        let low = (half << 1).wrapping_sub(1);
        let distance = distance & !low | below & low;
        let code =
            if descending { origin.wrapping_sub(distance) } else { origin.wrapping_add(distance) };
        code & self.request.from.code_mask()
    }

    /// A code with its piece.
    pub(crate) fn find(&self, code: u64) -> Drawn {
        let piece = self.pieces.partition_point(|piece| piece.last < code);
        Drawn { code, piece }
    }

    /// Panics unless `got` is what is expected of a code.
    pub(crate) fn assert_expected(&self, drawn: Drawn, got: u64) {
        let piece = &self.pieces[drawn.piece];
        let expected = match &piece.formula {
            Formula::Constant(Outcome::Code(code)) => *code == got,
            Formula::Constant(outcome) => self.judge.admits(outcome, got),
            Formula::Shift(shift) => {
                let Request { from, to, .. } = self.request;
                shift.expected(drawn.code, (from.bits(), to.bits())) == got
            }
        };
        // The pieces are the oracle's too; where they say no, it says what is expected and why.
        // A share of what they admit is asked all the same, by the code, so that a crash replays.
        if !expected || drawn.code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58 == 0 {
            self.judge.assert_admitted(drawn.code, got);
            assert!(expected, "{}: pieces and oracle disagree on {drawn}", self.request);
        }
    }

    /// What each code gives on its own, judged.
    pub(crate) fn alone(&self, batch: &[Drawn]) -> Vec<u64> {
        let alone = batch.iter().map(|drawn| {
            let got = self.cast.code(drawn.code);
            let got = got.unwrap_or_else(|error| panic!("{}: {error}", self.request));
            self.assert_expected(*drawn, got);
            got
        });
        alone.collect()
    }
}

impl std::fmt::Display for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "code {:#x} of piece {}", self.code, self.piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType;

    /// What an execution must be able to find: each end of each piece, and ties with one far bit.
    #[test]
    fn ends_and_ties_are_drawn_soon() {
        let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 19);
        let prepared = prepared(&request);
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..400 {
            seen.extend(prepared.draw(&mut Random::new(seed), 256).iter().map(|it| it.code));
        }
        let ends: Vec<u64> =
            prepared.pieces.iter().flat_map(|piece| [piece.first, piece.last]).collect();
        let missed = ends.iter().filter(|end| !seen.contains(end)).count();
        assert_eq!(missed, 0, "of {} ends", ends.len());
        assert!(seen.contains(&0x43e8_0000) && seen.contains(&0x43e8_0001));

        let request = Request::cast(DType::Float64, DType::Float16, 19);
        let prepared = super::prepared(&request);
        let mut far = 0;
        for seed in 0..400 {
            let drawn = prepared.draw(&mut Random::new(seed), 256);
            // A tie of normal numbers, and one of the lower 30 bits.
            let low = |code: u64| code & ((1 << 42) - 1);
            let is_far = |code: u64| {
                let rest = low(code) ^ 1 << 41;
                rest.is_power_of_two() && rest < 1 << 30
            };
            far += drawn.iter().filter(|it| is_far(it.code)).count();
        }
        assert!(far > 100, "{far} ties with one far bit");
    }

    #[test]
    fn a_wrong_code_is_named() {
        let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 19);
        let prepared = prepared(&request);
        let wrong = || prepared.assert_expected(prepared.find(0x43e8_0001), 0x7d);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wrong));
        let message = panic.expect_err("0x7e is due");
        let message = message.downcast_ref::<String>().expect("a formatted message");
        assert!(message.contains("0x43e80001 gives 0x7d"), "{message}");
    }
}
