//! Is the testee a bare kernel: a function that casts and knows no versions of `Cast`?

use castproof_judge::scope::{Edition, Scope};
use castproof_testee::{Reply, Testee};
use castproof_vectors::{DType, Request, Suite, packed_len};

/// The line that a run of a bare kernel prints.
pub(crate) const NOTE: &str = "The testee refuses nothing that a version of Cast refuses, so it is \
    judged as a bare kernel, as with --kernel: by the newest version, without refusals.";

/// What the search for a refusal found.
#[derive(Default)]
pub(crate) struct Search {
    /// Does the testee accept every request that was asked of it though a version refuses it?
    pub(crate) is_kernel: bool,
    /// Why the run fails: the testee died or did not answer during the search, and may not do so
    /// again.
    pub(crate) fault: Option<String>,
}

/// Asks for the pairs that the testee casts in each version that lacks them, one element of each. The
/// first refusal ends the search, so a runtime that knows versions is asked little.
pub(crate) fn search(scope: &Scope, testee: &mut dyn Testee) -> Search {
    let accepts = &mut |request| match first_code(request, testee) {
        Reply::Output(_) => Ok(true),
        Reply::Unsupported(_) | Reply::Error(_) => Ok(false),
        Reply::Crash(why) | Reply::Timeout(why) => {
            Err(format!("{request}, asked for one zero before the tests, failed: {why}"))
        }
    };
    match is_kernel(scope, accepts) {
        Ok(is_kernel) => Search { is_kernel, fault: None },
        Err(fault) => Search { is_kernel: false, fault: Some(fault) },
    }
}

fn is_kernel(
    scope: &Scope,
    accepts: &mut dyn FnMut(Request) -> Result<bool, String>,
) -> Result<bool, String> {
    if scope.kernel || scope.filters.opset.is_some() || scope.casts != Some(Suite::OnnxCast) {
        return Ok(false);
    }
    let is_numeric = |(from, to): &&(DType, DType)| from.is_numeric() && to.is_numeric();
    let mut accepted = 0;
    for &pair in scope.pairs.iter().filter(is_numeric) {
        let (inside, outside): (Vec<Edition>, Vec<Edition>) =
            scope.editions.iter().copied().partition(|edition| edition.casts(pair));
        let (Some(newest), false) = (inside.last(), outside.is_empty()) else { continue };
        if !accepts(Request::new(newest.spec, pair.0, pair.1))? {
            continue; // the testee lacks the pair
        }
        for edition in outside {
            if !accepts(Request::new(edition.spec, pair.0, pair.1))? {
                return Ok(false);
            }
            accepted += 1;
        }
    }
    Ok(accepted > 0)
}

fn first_code(request: Request, testee: &mut dyn Testee) -> Reply {
    match packed_len(request.from, 1) {
        Ok(bytes) => testee.cast(&request, 1, &vec![0; bytes]),
        Err(problem) => Reply::Error(problem),
    }
}

#[cfg(test)]
mod tests {
    use crate::gate::{Options, run};
    use castproof_testee::builtin::Builtin;
    use castproof_testee::{Identity, Reply, Testee};
    use castproof_vectors::{DType, NEWEST, Operator, Request, Spec};

    /// Casts by the newest version, whichever was asked for, except that it refuses `refused`.
    struct Kernel {
        inner: Builtin,
        refused: Option<u32>,
    }

    impl Testee for Kernel {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            if request.spec.opset() == self.refused && self.refused.is_some() {
                return Reply::Unsupported("this version".into());
            }
            let spec = Spec::Onnx { op: Operator::Cast, opset: NEWEST };
            self.inner.cast(&Request { spec, ..*request }, count, input)
        }
    }

    fn gate(refused: Option<u32>) -> (bool, String) {
        let pairs = vec![(DType::Float32, DType::Float8E4M3FN)];
        let options = Options { pairs, threads: 1, ..Options::default() };
        let mut out = Vec::new();
        let mut kernel = Kernel { inner: Builtin::new(), refused };
        let passed = run(&options, &mut kernel, &mut out).expect("a run");
        (passed, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn a_testee_that_refuses_nothing_is_a_kernel() {
        let (passed, text) = gate(None);
        assert!(passed, "{text}");
        assert!(text.contains(super::NOTE) && text.contains("REDUCED: --pair"), "{text}");
        assert!(text.contains("--kernel"), "{text}");
    }

    #[test]
    fn a_testee_that_refuses_something_is_held_to_every_version() {
        let (passed, text) = gate(Some(1));
        assert!(!passed, "{text}");
        assert!(!text.contains(super::NOTE), "{text}");
    }

    /// Dies at the second request, and is right otherwise.
    struct DiesOnce {
        inner: Builtin,
        asked: usize,
    }

    impl Testee for DiesOnce {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            self.asked += 1;
            if self.asked == 2 {
                return Reply::Crash("died of signal: 11".into());
            }
            self.inner.cast(request, count, input)
        }
    }

    #[test]
    fn a_death_before_the_tests_fails_the_run() {
        let pairs = vec![(DType::Float32, DType::Float8E4M3FN)];
        let options = Options { pairs, threads: 1, ..Options::default() };
        let mut out = Vec::new();
        let mut testee = DiesOnce { inner: Builtin::new(), asked: 0 };
        let passed = run(&options, &mut testee, &mut out).expect("a run");
        let text = String::from_utf8(out).expect("text");
        assert!(!passed && text.contains("before the tests"), "{text}");
    }
}
