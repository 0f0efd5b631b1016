//! Requests that are prepared once per process: their pieces, the codes that matter, and the cast
//! on every backend. Batches of codes are drawn from them and judged.

use crate::judge::{Judge, implementation};
use castproof_book::Book;
use castproof_check::fuzz::{Draw, Random};
use castproof_impl::{Backend, Cast};
use castproof_oracle::partition::partition;
use castproof_vectors::{Request, piece_of};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A request between numeric dtypes that is not refused, prepared for many batches.
pub(crate) struct Prepared {
    pub(crate) request: Request,
    /// The request in words; it seeds the batches.
    pub(crate) name: String,
    /// The cast whose single codes are judged.
    pub(crate) cast: Cast,
    /// The same cast on each backend of this machine.
    pub(crate) backends: Vec<Cast>,
    judge: Judge,
    draw: Draw,
}

/// The largest number of pieces that are kept; beyond it, all are dropped and made again.
const MOST_PIECES: usize = 4 << 20;

thread_local! {
    static KEPT: RefCell<(HashMap<Request, Rc<Prepared>>, usize)> = RefCell::default();
}

/// Prepares the request, or returns it as it was kept.
pub(crate) fn prepared(request: &Request) -> Rc<Prepared> {
    KEPT.with_borrow_mut(|(kept, pieces)| {
        if let Some(prepared) = kept.get(request) {
            return Rc::clone(prepared);
        }
        let prepared = Rc::new(Prepared::new(*request));
        *pieces += prepared.draw.pieces().len();
        if *pieces > MOST_PIECES {
            kept.clear();
            *pieces = prepared.draw.pieces().len();
        }
        kept.insert(*request, Rc::clone(&prepared));
        prepared
    })
}

impl Prepared {
    fn new(request: Request) -> Prepared {
        let cast = implementation(&request);
        let backends = Backend::available().map(|backend| cast.backend(backend)).collect();
        // The book already has the answers that the oracle takes long to compute, but for fewer
        // sets of attributes.
        let pieces = Book::carried()
            .pieces(&request)
            .or_else(|_| partition(&request))
            .unwrap_or_else(|error| panic!("{request}: {error}"));
        let draw = Draw::new(request, pieces);
        let name = request.to_string();
        Prepared { request, name, cast, backends, judge: Judge::new(request), draw }
    }

    /// Returns a batch of codes, drawn from the answers.
    pub(crate) fn draw(&self, random: &mut Random, count: usize) -> Vec<u64> {
        self.draw.batch(random, count)
    }

    /// Panics unless `got` is what the pieces expect of a code, and with `ask_oracle` also what the
    /// oracle expects.
    pub(crate) fn assert_expected(&self, code: u64, got: u64, ask_oracle: bool) {
        let piece = piece_of(self.draw.pieces(), code);
        let Request { from, to, .. } = self.request;
        let expected = piece.recommends(from, to, code, got)
            || self.judge.admits(&piece.expectation(from, to, code).expect, got);
        // The pieces come from the oracle too. If they reject the code, the oracle says what is
        // expected and why.
        if !expected || ask_oracle {
            self.judge.assert_admitted(code, got);
            assert!(expected, "{}: pieces and oracle disagree on {code:#x}", self.request);
        }
    }

    /// Returns the codes with 0, which every cast has, in place of those that trap, each of which must be an
    /// error alone. `None` if none traps.
    pub(crate) fn without_traps(&self, codes: &[u64]) -> Option<Vec<u64>> {
        let replaced = codes.iter().map(|&code| {
            let traps = self.draw.is_refused_at(code);
            assert!(!traps || self.cast.code(code).is_err(), "{}: {code:#x} traps", self.request);
            if traps { 0 } else { code }
        });
        Some(replaced.collect()).filter(|replaced: &Vec<u64>| replaced != codes)
    }

    /// Returns what each code gives alone. The pieces judge every result; the oracle judges the
    /// first one too. No code may trap.
    pub(crate) fn alone(&self, batch: &[u64]) -> Vec<u64> {
        let alone = batch.iter().enumerate().map(|(index, &code)| {
            let got = self.cast.code(code);
            let got = got.unwrap_or_else(|error| panic!("{}: {error}", self.request));
            self.assert_expected(code, got, index == 0);
            got
        });
        alone.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType;

    #[test]
    fn a_wrong_code_is_named() {
        let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 19);
        let prepared = prepared(&request);
        let wrong = || prepared.assert_expected(0x43e8_0001, 0x7d, false);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wrong));
        let message = panic.expect_err("0x7e is due");
        let message = message.downcast_ref::<String>().expect("a formatted message");
        assert!(message.contains("0x43e80001 gives 0x7d"), "{message}");
    }
}
