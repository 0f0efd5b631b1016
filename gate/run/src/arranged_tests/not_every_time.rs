//! Results that are wrong in some calls.

use crate::gate::{Options, results};
use castproof_results::place::Place;
use castproof_testee::builtin::Builtin;
use castproof_testee::{Identity, Reply, Testee};
use castproof_vectors::random::Random;
use castproof_vectors::{DType, Request};

/// Castproof's own implementation, which spoils an element in one of so many calls.
struct SometimesWrong {
    inner: Builtin,
    random: Random,
    one_of: usize,
}

impl Testee for SometimesWrong {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let mut reply = self.inner.cast(request, count, input);
        if let Reply::Output(output) = &mut reply
            && !output.is_empty()
            && self.random.below(self.one_of) == 0
        {
            let at = self.random.below(output.len());
            output[at] ^= 1;
        }
        reply
    }
}

/// No place is blamed for what is wrong in some calls.
#[test]
fn what_is_wrong_in_some_calls_is_no_fault_of_places() {
    for (one_of, seed) in [(100, 1), (100, 2), (100, 3), (400, 4), (400, 5), (400, 6)] {
        let pairs = vec![(DType::Float32, DType::Float16)];
        let options = Options { pairs, kernel: true, threads: 1, ..Options::default() };
        let mut testee =
            SometimesWrong { inner: Builtin::new(), random: Random::new(seed), one_of };
        let (_, file) = results(&options, &mut testee).expect("a run");
        assert!(!file.passed, "1 of {one_of}, seed {seed}");
        for found in &file.results.misplaced {
            assert_eq!(found.place, Place::NotEveryTime, "1 of {one_of}, seed {seed}: {found}");
        }
    }
}

/// Castproof's own implementation, which spoils the last element of some of its calls with long tensors.
struct WrongInSomeLongCalls {
    inner: Builtin,
    long_calls: usize,
}

impl Testee for WrongInSomeLongCalls {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let mut reply = self.inner.cast(request, count, input);
        if count == LONG {
            self.long_calls += 1;
            if let (Reply::Output(output), true) = (&mut reply, self.long_calls.is_multiple_of(5)) {
                output[2 * LONG - 1] ^= 1;
            }
        }
        reply
    }
}

/// The elements of the longest tensor of level core.
const LONG: usize = 1 << 20;

/// A long tensor that is asked in several calls, of which some are wrong, is told by their number.
#[test]
fn the_wrong_ones_of_many_calls_with_a_long_tensor_are_counted() {
    let options = Options {
        pairs: vec![(DType::Float32, DType::Float16)],
        kernel: true,
        threads: 1,
        long_calls: 16,
        ..Options::default()
    };
    let mut testee = WrongInSomeLongCalls { inner: Builtin::new(), long_calls: 0 };
    let (_, file) = results(&options, &mut testee).expect("a run");
    let found: Vec<String> = file.results.misplaced.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(file.results.misplaced[0].place, Place::NotEveryTime, "{found:?}");
    assert!(found[0].contains("wrong in 3 of 16 calls with the same tensor"), "{found:?}");
}
