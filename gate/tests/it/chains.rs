//! Planted optimisers: each drops, merges or folds casts wrongly, while every cast alone is right.
//! The suite `onnx-chain` finds all of them.

use castproof::Verdict;
use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof::results::ResultsFile;
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{Attributes, DType, Request, Suite};

/// Rewrites a chain as a broken optimiser does. The result is the dtypes after the first, each with
/// the attributes of its step; `None`: the chain stays as it is.
type Rewrites = fn(&Chain) -> Option<Vec<(DType, Attributes)>>;

/// Castproof's own implementation, except that it rewrites chains.
struct Optimiser {
    inner: Builtin,
    rewrites: Rewrites,
}

impl Testee for Optimiser {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Chain, Feature::Constant]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let Some(steps) = (self.rewrites)(chain) else {
            return self.inner.chain(chain, count, input);
        };
        let (mut from, mut elements) = (chain.dtypes[0], input.to_vec());
        for (to, attributes) in steps {
            let request = Request::cast(from, to, chain.opset).with(attributes);
            match self.inner.cast(&request, count, &elements) {
                Reply::Output(output) => (from, elements) = (to, output),
                other => return other,
            }
        }
        Reply::Output(elements)
    }
}

/// Returns the steps of a chain unchanged.
fn steps(chain: &Chain) -> Vec<(DType, Attributes)> {
    chain.dtypes[1..].iter().copied().zip(chain.attributes.iter().copied()).collect()
}

fn direct(chain: &Chain) -> Vec<(DType, Attributes)> {
    vec![(chain.dtypes[2], chain.attributes[1])]
}

/// Optimisers, each with a text that its report must contain.
const PLANTED: [(&str, Rewrites, &str); 12] = [
    ("every step between is dropped", |chain| Some(direct(chain)), "float32 -> int8 -> float32"),
    (
        "a cast and its inverse are dropped",
        |chain| (chain.dtypes[0] == chain.dtypes[2]).then(|| direct(chain)),
        "float32 -> float16 -> float32",
    ),
    (
        "a narrower float between is dropped",
        |chain| (chain.dtypes[1] == DType::Float16).then(|| direct(chain)),
        "float32 -> float16 -> float64",
    ),
    (
        "bfloat16 between is dropped before integers",
        |chain| (chain.dtypes[1..] == [DType::Bfloat16, DType::Int32]).then(|| direct(chain)),
        "float32 -> bfloat16 -> int32",
    ),
    (
        "truth is taken too late",
        |chain| (chain.dtypes[1] == DType::Bool).then(|| direct(chain)),
        "float16 -> bool -> int32",
    ),
    (
        "an integer between is not truncated to",
        |chain| (chain.dtypes[1] == DType::Int64).then(|| direct(chain)),
        "float32 -> int64 -> float32",
    ),
    (
        "attributes are lost in a graph",
        |chain| Some(steps(chain).into_iter().map(|(to, _)| (to, Attributes::default())).collect()),
        "float8e4m3fn saturate=0",
    ),
    (
        "one pair of dtypes only",
        |chain| (chain.dtypes[..2] == [DType::Int64, DType::Float64]).then(|| direct(chain)),
        "int64 -> float64 -> ",
    ),
    (
        "narrowed too early: float32 is put before float64",
        |chain| {
            (chain.dtypes[1] == DType::Float64).then(|| {
                let mut steps = steps(chain);
                steps.insert(0, (DType::Float32, Attributes::default()));
                steps
            })
        },
        "int64 -> float64 -> ",
    ),
    (
        "constants are folded through float32",
        |chain| {
            chain.constant.then(|| {
                let mut steps = steps(chain);
                steps.insert(0, (DType::Float32, Attributes::default()));
                steps
            })
        },
        "of the constant",
    ),
    (
        "a constant and its inverse are dropped",
        |chain| (chain.constant && chain.dtypes[1] == DType::Float8E5M2).then(|| direct(chain)),
        "of the constant",
    ),
    (
        "4-bit integers between are dropped",
        |chain| [DType::Int4, DType::Uint4].contains(&chain.dtypes[1]).then(|| direct(chain)),
        "int8 -> int4 -> int8",
    ),
];

/// Gates an optimiser. Returns whether it passed, and each failing question with its answer.
fn gate(rewrites: Rewrites) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut testee = Optimiser { inner: Builtin::new(), rewrites };
    let options = Options {
        suites: vec![Suite::OnnxChain],
        arrangements: Arrangements::None,
        json: Some(folder.path().join("results.json")),
        ..Options::default()
    };
    let passed = gate::run(&options, &mut testee, &mut Vec::new()).expect("a run");
    let file = ResultsFile::read(&folder.path().join("results.json")).expect("a results file");
    let [suite] = &file.results.suites[..] else { panic!("one suite ran") };
    assert!(suite.announced > 60_000, "{} questions", suite.announced);
    let failing = suite.deviations.iter().filter(|it| it.verdict == Verdict::Fail);
    let told: Vec<String> = failing.map(|it| format!("{}: gave {}", it.question, it.got)).collect();
    (passed, told.join("\n"))
}

#[test]
fn an_optimiser_that_changes_nothing_passes() {
    let (passed, report) = gate(|_| None);
    assert!(passed && report.is_empty(), "{report}");
}

#[test]
fn planted_optimisers_are_found() {
    for (name, rewrites, told) in PLANTED {
        let (passed, report) = gate(rewrites);
        assert!(!passed, "{name} passes:\n{report}");
        assert!(report.contains(told), "{name}: no '{told}' in\n{report}");
    }
}

/// A cast that is wrong alone is no fault of a chain.
#[test]
fn what_is_wrong_step_by_step_is_not_asked() {
    struct Wrong(Builtin);
    impl Testee for Wrong {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn features(&self) -> Vec<Feature> {
            vec![Feature::Chain]
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            // Without the attribute it does not saturate.
            let off = Attributes { saturate: Some(false), ..request.attributes };
            let request = match request.attributes.saturate {
                None if request.to == DType::Float8E4M3FN => request.with(off),
                _ => *request,
            };
            self.0.cast(&request, count, input)
        }
        fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
            self.cast_in_turn(chain, count, input)
        }
    }
    let options = Options { suites: vec![Suite::OnnxChain], ..Options::default() };
    let mut report = Vec::new();
    let passed = gate::run(&options, &mut Wrong(Builtin::new()), &mut report).expect("a run");
    assert!(passed, "{}", String::from_utf8_lossy(&report));
}
