//! The gate of profiles that have attributes.

use crate::profiles::{run_of, without_arrangements};
use DType::{Float8E4M3FN, Float8E5M2, Float8E8M0, Float16, Float32, Float64, Int8, Uint64};
use Profile::{CudaCvt, OpenclSat};
use castproof::gate::Options;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Testee};
use castproof_vectors::{Attributes, DType, Profile, Request};
use std::collections::BTreeSet;

/// A kernel that ignores an attribute of a profile fails by the rules of what the attribute changes.
#[test]
fn an_ignored_attribute_is_found() {
    struct Ignores(Builtin);
    impl Testee for Ignores {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn profiles(&self) -> Vec<Profile> {
            self.0.profiles()
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            match self.0.cast(request, count, input) {
                Reply::Output(_) => self.0.cast(&request.with(Attributes::default()), count, input),
                refused => refused,
            }
        }
    }
    for (profile, pair, rules) in [
        (CudaCvt, (Float32, Float8E4M3FN), &["CU-28"][..]),
        (CudaCvt, (Float16, Float8E5M2), &["CU-28"]),
        (CudaCvt, (Float64, Float8E8M0), &["CU-18", "CU-20", "CU-29", "CU-31"]),
        (OpenclSat, (Float32, Int8), &["OL-09"]),
        (OpenclSat, (Float64, Uint64), &["OL-09"]),
    ] {
        let options = Options { pairs: vec![pair], ..without_arrangements() };
        let file = run_of(profile, &mut Ignores(Builtin::new()), options.clone());
        let broken: BTreeSet<&str> =
            file.results.failures.iter().map(|test| test.clause.as_str()).collect();
        assert_eq!(broken, rules.iter().copied().collect(), "{profile:?} {pair:?}");
        let mut failures = file.results.failures.iter();
        let is_given = failures.all(|test| test.attributes != Attributes::default());
        assert!(is_given, "{profile:?} {pair:?}");
        assert!(run_of(profile, &mut Builtin::new(), options).passed, "{profile:?} {pair:?}");
    }
}
