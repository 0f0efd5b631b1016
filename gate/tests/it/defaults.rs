//! An absent attribute has its default: implementations that take another value fail the gate.

use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Returned, Testee};
use castproof_vectors::{Attributes, DType, Question, Request, RoundMode, Suite};

/// Castproof's own implementation with other defaults of absent attributes.
struct OtherDefaults {
    inner: Builtin,
    saturate: bool,
    round_mode: RoundMode,
}

impl Testee for OtherDefaults {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let Attributes { mut saturate, mut round_mode } = request.attributes;
        let scale = request.to == DType::Float8E8M0;
        if TARGETS.contains(&request.to) {
            saturate = saturate.or((!self.saturate).then_some(false));
        }
        if scale && self.round_mode != RoundMode::Up {
            round_mode = round_mode.or(Some(self.round_mode));
        }
        let attributes = Attributes { saturate, round_mode };
        self.inner.cast(&request.with(attributes), count, input)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.inner.ask(question)
    }
}

/// The targets of which an attribute decides the result.
const TARGETS: [DType; 5] = [
    DType::Float8E4M3FN,
    DType::Float8E4M3FNUZ,
    DType::Float8E5M2,
    DType::Float8E5M2FNUZ,
    DType::Float8E8M0,
];

/// Gates a testee with these defaults at level core. Returns the report if it does not pass.
fn failure(suite: Suite, saturate: bool, round_mode: RoundMode) -> Option<String> {
    let pairs = DType::NUMERIC.iter().flat_map(|&from| TARGETS.map(|to| (from, to)));
    // The questions of CastLike are few, and no filter is for them.
    let pairs = pairs.filter(|_| suite == Suite::OnnxCast);
    let options = Options {
        suites: vec![suite],
        pairs: pairs.collect(),
        arrangements: Arrangements::None,
        limit_list: 3,
        ..Options::default()
    };
    let mut testee = OtherDefaults { inner: Builtin::new(), saturate, round_mode };
    let mut out = Vec::new();
    let passed = gate::run(&options, &mut testee, &mut out).expect("the gate runs");
    (!passed).then(|| String::from_utf8(out).expect("text"))
}

#[test]
fn other_defaults_fail() {
    for suite in [Suite::OnnxCast, Suite::OnnxCastlike] {
        assert_eq!(failure(suite, true, RoundMode::Up), None, "the right defaults pass");
        for (saturate, round_mode) in
            [(false, RoundMode::Up), (true, RoundMode::Nearest), (true, RoundMode::Down)]
        {
            assert!(failure(suite, saturate, round_mode).is_some(), "{saturate} {round_mode:?}");
        }
    }
}

/// Each attribute is left out also where the other one is given.
#[test]
fn every_pair_is_asked_without_each_attribute() {
    use castproof_vectors::{Level, VectorFile};
    let sets = |file: &VectorFile| {
        let refused = |test: &castproof_vectors::Test| test.flags.iter().any(|it| it == "refused");
        let open = file.groups.iter().filter(|group| !group.tests.iter().all(refused));
        open.filter(|group| group.opsets.contains(&28))
            .map(|group| group.attributes)
            .collect::<std::collections::BTreeSet<_>>()
    };
    for &from in DType::CAST {
        for (to, count) in [(DType::Float8E5M2, 3), (DType::Float8E8M0, 12)] {
            let file = castproof_suites::suite(from, to, Level::Core);
            let ignored = usize::from(from == DType::Float32 && to == DType::Float8E5M2);
            assert_eq!(sets(&file).len(), count + ignored, "{from} -> {to}");
            assert!(sets(&file).contains(&Attributes::default()), "{from} -> {to}");
        }
    }
}
