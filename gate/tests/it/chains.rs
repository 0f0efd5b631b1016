//! Planted optimisers: each drops, merges or folds casts wrongly, while every cast alone is right.
//! The suite `onnx-chain` finds all of them.

use castproof::Verdict;
use castproof::arrange::Arrangements;
use castproof::finding::{Finding, Kind};
use castproof::findings;
use castproof::gate::{self, Options};
use castproof::read_results;
use castproof::report::diff;
use castproof::results::ResultsFile;
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_methods::Folding;
use castproof_vectors::{Attributes, DType, Request, Suite, pack, unpack};

/// Rewrites a chain as a broken optimiser does. The result is the dtypes after the first, each with
/// the attributes of its step; `None`: the chain stays as it is.
pub(crate) type Rewrites = fn(&Chain) -> Option<Vec<(DType, Attributes)>>;

/// Castproof's own implementation, except that it rewrites chains.
pub(crate) struct Optimiser {
    pub(crate) inner: Builtin,
    pub(crate) rewrites: Rewrites,
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
pub(crate) fn steps(chain: &Chain) -> Vec<(DType, Attributes)> {
    chain.dtypes[1..].iter().copied().zip(chain.attributes.iter().copied()).collect()
}

/// Returns the steps without the first. The second takes the input.
pub(crate) fn direct(chain: &Chain) -> Vec<(DType, Attributes)> {
    steps(chain)[1..].to_vec()
}

/// Has the chain three casts or more?
pub(crate) fn longer(chain: &Chain) -> bool {
    chain.dtypes.len() > 3
}

pub(crate) const DROPPED: &str = "the dtype in the middle dropped";
const FLOAT32_FIRST: &str = "the input taken through float32";

/// Optimisers, each with a text that its report must contain, and the rewrite that must be named.
const PLANTED: [(&str, Rewrites, &str, &str); 13] = [
    (
        "every step between is dropped",
        |chain| steps(chain).last().map(|last| vec![*last]),
        "float32 -> int8 -> float32",
        DROPPED,
    ),
    (
        "a cast and its inverse are dropped",
        |chain| (chain.dtypes[0] == chain.dtypes[2]).then(|| direct(chain)),
        "float32 -> float16 -> float32",
        DROPPED,
    ),
    (
        "a narrower float between is dropped",
        |chain| (chain.dtypes[1] == DType::Float16).then(|| direct(chain)),
        "float32 -> float16 -> float64",
        DROPPED,
    ),
    (
        "bfloat16 between is dropped before integers",
        |chain| (chain.dtypes[1..3] == [DType::Bfloat16, DType::Int32]).then(|| direct(chain)),
        "float32 -> bfloat16 -> int32",
        DROPPED,
    ),
    (
        "truth is taken too late",
        |chain| (chain.dtypes[1] == DType::Bool).then(|| direct(chain)),
        "float16 -> bool -> int32",
        DROPPED,
    ),
    (
        "an integer between is not truncated to",
        |chain| (chain.dtypes[1] == DType::Int64).then(|| direct(chain)),
        "float32 -> int64 -> float32",
        DROPPED,
    ),
    (
        "attributes are lost in a graph",
        |chain| Some(steps(chain).into_iter().map(|(to, _)| (to, Attributes::default())).collect()),
        "float8e4m3fn saturate=0",
        "the attributes of the casts lost",
    ),
    (
        "one pair of dtypes only",
        |chain| (chain.dtypes[..2] == [DType::Int64, DType::Float64]).then(|| direct(chain)),
        "int64 -> float64 -> ",
        DROPPED,
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
        // Numbers are the same if float64 is computed as float32, but not the texts that may follow.
        FLOAT32_FIRST,
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
        FLOAT32_FIRST,
    ),
    (
        "a constant and its inverse are dropped",
        |chain| (chain.constant && chain.dtypes[1] == DType::Float8E5M2).then(|| direct(chain)),
        "of the constant",
        DROPPED,
    ),
    (
        "4-bit integers between are dropped",
        |chain| [DType::Int4, DType::Uint4].contains(&chain.dtypes[1]).then(|| direct(chain)),
        "int8 -> int4 -> int8",
        DROPPED,
    ),
    (
        "int64 between is computed as int32",
        |chain| {
            (chain.dtypes[1] == DType::Int64).then(|| {
                let mut steps = steps(chain);
                steps[0].0 = DType::Int32;
                steps
            })
        },
        "float64 -> int64 -> uint32",
        "int64 in the middle computed as int32",
    ),
];

/// Of each kind of dtypes some. The dtypes between the ends are any.
const ENDS: [DType; 10] = [
    DType::Float64,
    DType::Float32,
    DType::Float16,
    DType::Float8E4M3FN,
    DType::Int64,
    DType::Int32,
    DType::Uint32,
    DType::Int8,
    DType::Bool,
    DType::String,
];

/// What came of an optimiser.
pub(crate) struct Gated {
    pub(crate) passed: bool,
    /// Each failing question with its answer.
    pub(crate) report: String,
    announced: u64,
    file: ResultsFile,
}

impl Gated {
    /// Returns the findings about chains.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let all = findings(&self.file.results).into_iter();
        all.filter(|it| it.kind == Kind::Chain).collect()
    }
}

/// Gates an optimiser.
pub(crate) fn gate(rewrites: Rewrites) -> Gated {
    gate_testee(&mut Optimiser { inner: Builtin::new(), rewrites })
}

/// Gates a testee by the chains with ends of [`ENDS`] and by all chains there and back, which are a sixth of all.
pub(crate) fn gate_testee(testee: &mut dyn Testee) -> Gated {
    let pairs = ENDS.iter().flat_map(|from| ENDS.iter().map(|to| (*from, *to)));
    let there_and_back = DType::ALL.iter().filter(|it| !ENDS.contains(it)).map(|it| (*it, *it));
    let gated = gate_pairs(testee, pairs.chain(there_and_back).collect());
    assert!(gated.announced > 15_000, "{} questions", gated.announced);
    gated
}

/// Gates a testee by the chains with these ends; none: all of them.
fn gate_pairs(testee: &mut dyn Testee, pairs: Vec<(DType, DType)>) -> Gated {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options {
        suites: vec![Suite::OnnxChain],
        pairs,
        arrangements: Arrangements::None,
        json: Some(folder.path().join("results.json")),
        ..Options::default()
    };
    let passed = gate::run(&options, testee, &mut Vec::new()).expect("a run");
    let file = read_results(&folder.path().join("results.json")).expect("a results file");
    let [suite] = &file.results.suites[..] else { panic!("one suite ran") };
    let announced = suite.announced;
    let failing = suite.deviations.iter().filter(|it| it.verdict == Verdict::Fail);
    let told: Vec<String> = failing.map(|it| format!("{}: gave {}", it.question, it.got)).collect();
    let report = told.join("\n");
    Gated { passed, report, announced, file }
}

#[test]
fn an_optimiser_that_changes_nothing_passes() {
    let mut optimiser = Optimiser { inner: Builtin::new(), rewrites: |_| None };
    let Gated { passed, report, announced, .. } = gate_pairs(&mut optimiser, Vec::new());
    assert!(passed && report.is_empty(), "{report}");
    assert!(announced > 200_000, "{announced} questions");
}

#[test]
fn planted_optimisers_are_found() {
    for (name, rewrites, told, cause) in PLANTED {
        let gated = gate(rewrites);
        let Gated { passed, report, .. } = &gated;
        assert!(!passed, "{name} passes:\n{report}");
        assert!(report.contains(told), "{name}: no '{told}' in\n{report}");
        let found = gated.findings();
        let causes: Vec<Option<&str>> = found.iter().map(|it| it.cause.as_deref()).collect();
        assert_eq!(causes, [Some(cause)], "{name} is one finding with its cause");
        let computed = found[0].computed.as_deref().unwrap_or_default();
        assert!(computed.contains(" is computed as "), "{name}: {computed}");
    }
}

/// A finding says which chains become what, with letters for the dtypes that differ.
#[test]
fn a_finding_says_what_the_chains_are_computed_as() {
    let gated = gate(|chain| {
        let is_ours = chain.dtypes[..2] == [DType::Float64, DType::Int64];
        is_ours.then(|| {
            let mut steps = steps(chain);
            steps[0].0 = DType::Int32;
            steps
        })
    });
    let found = gated.findings();
    let [finding] = &found[..] else { panic!("{} findings", found.len()) };
    let computed = finding.computed.as_deref().unwrap_or_default();
    let told = "float64 > int64 > X is computed as float64 > int32 > X: ";
    assert!(computed.starts_with(told), "{computed}");
}

/// A pass may be right for two casts and wrong for what it left of them. Each of these is found in chains of three alone,
/// and named.
#[test]
fn what_goes_wrong_in_longer_chains_alone_is_found_and_named() {
    let within: [(Rewrites, &str); 5] = [
        (|chain| longer(chain).then(|| direct(chain)), DROPPED),
        (|chain| longer(chain).then(|| steps(chain)[2..].to_vec()), DROPPED),
        (|chain| longer(chain).then(|| [&steps(chain)[..1], &steps(chain)[2..]].concat()), DROPPED),
        (
            |chain| (longer(chain) && chain.dtypes[0] == chain.ends().1).then(Vec::new),
            "all casts dropped",
        ),
        (
            |chain| {
                let bare = steps(chain).into_iter().map(|(to, _)| (to, Attributes::default()));
                longer(chain).then(|| bare.collect())
            },
            "the attributes of the casts lost",
        ),
    ];
    for (number, (rewrites, cause)) in within.into_iter().enumerate() {
        let found = gate(rewrites).findings();
        let causes: Vec<Option<&str>> = found.iter().map(|it| it.cause.as_deref()).collect();
        assert_eq!(causes, [Some(cause)], "{number}: one finding with its cause");
        let computed = found[0].computed.as_deref().unwrap_or_default();
        let is_said = cause == "all casts dropped" || computed.ends_with(" within longer chains");
        assert!(is_said, "{number}: {computed}");
    }
}

/// A compiler without tensors of some dtypes computes each as another. That is one fault.
#[test]
fn dtypes_that_are_computed_as_others_are_one_finding() {
    let rewrites: Rewrites = |chain| {
        let other = match chain.dtypes[1] {
            DType::Int16 | DType::Uint16 => DType::Int32,
            DType::Uint8 => DType::Int8,
            _ => return None,
        };
        let mut steps = steps(chain);
        steps[0].0 = other;
        Some(steps)
    };
    let gated = gate_pairs(&mut Optimiser { inner: Builtin::new(), rewrites }, Vec::new());
    let found = gated.findings();
    let [finding] = &found[..] else { panic!("{} findings", found.len()) };
    assert_eq!(finding.cause.as_deref(), Some("dtypes in the middle computed as others"));
    let computed = finding.computed.as_deref().unwrap_or_default();
    for told in
        ["uint16 > C is computed as A > int32 > C", "A > uint8 > C is computed as A > int8 > C"]
    {
        assert!(computed.contains(told), "{computed}");
    }
}

/// Folding changes only the results of constants. Tensors are right.
#[test]
fn what_folding_does_to_constants_is_named() {
    struct Folder(Builtin, Folding);
    impl Testee for Folder {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn features(&self) -> Vec<Feature> {
            vec![Feature::Chain, Feature::Constant]
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            self.0.cast(request, count, input)
        }
        fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
            let last = chain.ends().1;
            match self.cast_in_turn(chain, count, input) {
                Reply::Output(output) if chain.constant => {
                    let codes = unpack(last, &output, count).expect("whole elements");
                    let folded: Vec<u64> =
                        codes.into_iter().map(|code| self.1.of(last, code)).collect();
                    Reply::Output(pack(last, &folded).expect("a numeric dtype"))
                }
                other => other,
            }
        }
    }
    for folding in Folding::ALL {
        let gated = gate_testee(&mut Folder(Builtin::new(), folding));
        let causes: Vec<Option<String>> = gated.findings().into_iter().map(|it| it.cause).collect();
        assert!(gated.report.contains("of the constant"), "{folding:?}");
        assert_eq!(causes, [Some(folding.name())]);
    }
}

/// What two faults give is no one's rewrite, and a result that a rewrite does not give stays
/// without a cause.
#[test]
fn a_rewrite_that_does_not_give_every_result_is_no_cause() {
    // The casts are merged, and the result is one more bit off.
    struct Odd(Builtin);
    impl Testee for Odd {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn features(&self) -> Vec<Feature> {
            vec![Feature::Chain]
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            self.0.cast(request, count, input)
        }
        fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
            let reply = self.cast_in_turn(chain, count, input);
            let is_ours = chain.dtypes == [DType::Float32, DType::Int16, DType::Int8];
            match reply {
                Reply::Output(mut output) if is_ours => {
                    output[0] ^= 0x10;
                    Reply::Output(output)
                }
                other => other,
            }
        }
    }
    let gated = gate_testee(&mut Odd(Builtin::new()));
    let causes: Vec<Option<String>> = gated.findings().into_iter().map(|it| it.cause).collect();
    assert!(!gated.passed);
    assert_eq!(causes, [None]);
}

/// Files of older programs name no cause. `diff` finds the same faults in both.
#[test]
fn a_file_without_causes_differs_in_no_finding() {
    let gated = gate(|chain| (chain.dtypes[1] == DType::Bfloat16).then(|| direct(chain)));
    let mut older = gated.file.clone();
    let deviations = older.results.suites.iter_mut().flat_map(|run| &mut run.deviations);
    deviations.for_each(|it| it.cause = None);
    for (before, after) in [(&older, &gated.file), (&gated.file, &older)] {
        let changed = diff(before, after).expect("files of one format").findings;
        assert_eq!((changed.new, changed.gone), (vec![], vec![]));
    }
    let ids = |file: &ResultsFile| findings(&file.results)[0].id.clone();
    assert_ne!(ids(&older), ids(&gated.file), "the finding of an older file keeps its id");
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

/// Drops the casts between only where this holds.
struct Where(Builtin, fn(&Chain, usize, &[u8]) -> bool);

impl Testee for Where {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Chain, Feature::Shapes]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.0.cast(request, count, input)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        if !(self.1)(chain, count, input) {
            return self.0.chain(chain, count, input);
        }
        let ((from, to), last) = (chain.ends(), chain.attributes.len() - 1);
        let request = Request::cast(from, to, chain.opset).with(chain.attributes[last]);
        self.0.cast(&request, count, input)
    }
}

/// Are all values of float32 normal numbers of float16?
fn is_ordinary(chain: &Chain, count: usize, input: &[u8]) -> bool {
    let codes = unpack(DType::Float32, input, count).unwrap_or_default();
    let magnitudes = codes.iter().map(|&code| f32::from_bits(code as u32).abs());
    chain.dtypes[0] == DType::Float32
        && magnitudes.into_iter().all(|it| (6.1035156e-5..=65504.0).contains(&it))
}

/// A chain may be rewritten by the shape, the version or the values, and then only there.
#[test]
fn what_goes_wrong_in_some_tensors_and_versions_is_found_and_named() {
    type IsWrong = fn(&Chain, usize, &[u8]) -> bool;
    let planted: [(&str, IsWrong); 12] = [
        ("from 17 elements", |_, count, _| count >= 17),
        ("from 300 elements of float32", |chain, count, _| {
            count >= 300 && chain.dtypes[0] == DType::Float32
        }),
        ("scalars", |chain, _, _| chain.shape.as_ref().is_some_and(Vec::is_empty)),
        ("rank 2", |chain, _, _| chain.shape.as_ref().is_some_and(|it| it.len() == 2)),
        ("rank 3 there and back", |chain, _, _| {
            chain.shape.as_ref().is_some_and(|it| it.len() == 3)
                && chain.dtypes[0] == *chain.dtypes.last().expect("two or more")
        }),
        ("any rank but 1, through integers", |chain, _, _| {
            chain.shape.is_some() && chain.dtypes[1].is_integer()
        }),
        ("one column", |chain, count, _| chain.shape == Some(vec![count as u64, 1])),
        ("before version 19", |chain, _, _| chain.opset < 19),
        ("version 13, through integers", |chain, _, _| {
            chain.opset == 13 && chain.dtypes[1].is_integer()
        }),
        ("three casts before version 24", |chain, _, _| {
            chain.opset < 24 && chain.dtypes.len() == 4
        }),
        ("three casts in rank 2", |chain, _, _| {
            chain.dtypes.len() == 4 && chain.shape.as_ref().is_some_and(|it| it.len() == 2)
        }),
        ("ordinary values", is_ordinary),
    ];
    for (name, holds) in planted {
        let gated = gate_testee(&mut Where(Builtin::new(), holds));
        assert!(!gated.passed, "{name} passes");
        let causes: Vec<Option<String>> = gated.findings().into_iter().map(|it| it.cause).collect();
        assert_eq!(causes, [Some(DROPPED.to_string())], "{name}: {}", gated.report);
    }
}
