//! Is the testee a bare kernel: a function that casts and knows no versions of `Cast`?

use castproof_judge::scope::{Edition, Scope};
use castproof_oracle::Caster;
use castproof_testee::{Reply, Testee};
use castproof_vectors::{Attributes, DType, Request, RoundMode, Suite, packed_len};

/// The line that a run of a bare kernel prints.
pub(crate) const NOTE: &str = "The testee refuses nothing that a version of Cast refuses, so it is \
    judged as a bare kernel, as with --kernel: by the newest version, without refusals.";

/// Does the testee accept every request of these pairs that a version refuses, of the pairs that it
/// casts? One element of each is asked. The first refusal ends the search, so a runtime that knows
/// versions is asked little.
pub(crate) fn is_kernel(scope: &Scope, testee: &mut dyn Testee) -> bool {
    if scope.kernel || scope.filters.opset.is_some() || scope.casts != Some(Suite::OnnxCast) {
        return false;
    }
    let is_numeric = |(from, to): &&(DType, DType)| from.is_numeric() && to.is_numeric();
    let mut accepted = 0;
    for &pair in scope.pairs.iter().filter(is_numeric) {
        let Some(newest) = scope.editions.iter().rev().find(|edition| edition.casts(pair)) else {
            continue;
        };
        if !matches!(
            first_code(Request::new(newest.spec, pair.0, pair.1), testee),
            Reply::Output(_)
        ) {
            continue; // the testee lacks the pair
        }
        for request in refused(scope, pair) {
            if !matches!(first_code(request, testee), Reply::Output(_)) {
                return false;
            }
            accepted += 1;
        }
    }
    accepted > 0
}

/// Returns requests of a pair that a version refuses: in each version that lacks the pair, and with
/// each attribute in the oldest version that has the pair.
fn refused(scope: &Scope, pair: (DType, DType)) -> Vec<Request> {
    let plain = |edition: &Edition| Request::new(edition.spec, pair.0, pair.1);
    let (inside, outside): (Vec<&Edition>, Vec<&Edition>) =
        scope.editions.iter().partition(|edition| edition.casts(pair));
    let saturate = Attributes { saturate: Some(true), round_mode: None };
    let round_mode = Attributes { saturate: None, round_mode: Some(RoundMode::Up) };
    let given = inside.first().into_iter().flat_map(|edition| {
        [saturate, round_mode].map(|attributes| plain(edition).with(attributes))
    });
    let is_refused =
        |request: &Request| Caster::new(request).is_ok_and(|caster| caster.is_refused());
    outside.into_iter().map(plain).chain(given.filter(is_refused)).collect()
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
        gate_pair((DType::Float32, DType::Float8E4M3FN), refused)
    }

    fn gate_pair(pair: (DType, DType), refused: Option<u32>) -> (bool, String) {
        let pairs = vec![pair];
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

    /// Of a pair that every version has, a version refuses attributes alone.
    #[test]
    fn a_kernel_of_a_pair_of_all_versions_is_one_too() {
        let (passed, text) = gate_pair((DType::Int32, DType::Uint8), None);
        assert!(passed && text.contains(super::NOTE), "{text}");
    }

    #[test]
    fn a_testee_that_refuses_something_is_held_to_every_version() {
        let (passed, text) = gate(Some(1));
        assert!(!passed, "{text}");
        assert!(!text.contains(super::NOTE), "{text}");
    }
}
