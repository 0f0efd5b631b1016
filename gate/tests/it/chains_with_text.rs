//! Optimisers that are wrong in chains with strings alone: at an end, between, and in chains of three.

use crate::chains::{DROPPED, Optimiser, Rewrites, direct, gate, gate_testee, longer, steps};
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{Attributes, DType, Request};

/// Has the chain strings at one of its ends?
fn has_text(chain: &Chain) -> bool {
    let (from, to) = chain.ends();
    [from, to].contains(&DType::String)
}

/// Each of these is wrong in chains with strings alone.
#[test]
fn what_goes_wrong_with_strings_alone_is_found_and_named() {
    const STRING: DType = DType::String;
    let planted: [(&str, Rewrites); 9] = [
        ("every dtype between", |chain| has_text(chain).then(|| direct(chain))),
        ("after a text", |chain| (chain.dtypes[0] == STRING).then(|| direct(chain))),
        ("before a text", |chain| (chain.ends().1 == STRING).then(|| direct(chain))),
        ("int8 before a text", |chain| {
            (chain.dtypes[1..] == [DType::Int8, STRING]).then(|| direct(chain))
        }),
        ("an integer between", |chain| {
            (has_text(chain) && chain.dtypes[1].is_integer()).then(|| direct(chain))
        }),
        ("one pair before a text", |chain| {
            (chain.dtypes == [DType::Float32, DType::Int32, STRING]).then(|| direct(chain))
        }),
        ("one pair after a text", |chain| {
            (chain.dtypes == [STRING, DType::Float32, DType::Int32]).then(|| direct(chain))
        }),
        ("float16 after a text", |chain| {
            (chain.dtypes[..2] == [STRING, DType::Float16]).then(|| direct(chain))
        }),
        ("bfloat16 before an integer", |chain| {
            (chain.dtypes == [STRING, DType::Bfloat16, DType::Int32]).then(|| direct(chain))
        }),
    ];
    for (name, rewrites) in planted {
        let gated = gate(rewrites);
        assert!(!gated.passed, "{name} passes");
        let found = gated.findings();
        let causes: Vec<Option<&str>> = found.iter().map(|it| it.cause.as_deref()).collect();
        assert_eq!(causes, [Some(DROPPED)], "{name}: {}", gated.report);
        assert!(gated.report.contains("string"), "{name}: {}", gated.report);
    }
}

/// Returns the steps with another dtype for each string between; `None` if there is none.
fn without_text(chain: &Chain, instead: DType) -> Option<Vec<(DType, Attributes)>> {
    let (mut steps, last) = (steps(chain), chain.dtypes.len() - 2);
    let texts = steps[..last].iter_mut().filter(|(to, _)| *to == DType::String);
    let count = texts.map(|step| step.0 = instead).count();
    (count > 0).then_some(steps)
}

/// Each of these takes a string between two numbers through a dtype that holds fewer.
#[test]
fn a_string_between_that_is_computed_as_a_number_is_found_and_named() {
    let planted: [(&str, Rewrites, &str); 4] = [
        ("every one", |chain| without_text(chain, DType::Float64), "float64"),
        (
            "of one pair",
            |chain| {
                let is_pair = chain.dtypes == [DType::Int32, DType::String, DType::Int32];
                is_pair.then(|| without_text(chain, DType::Float32))?
            },
            "float32",
        ),
        (
            "before a narrower float",
            |chain| {
                let is_pair = chain.dtypes == [DType::Float64, DType::String, DType::Float32];
                is_pair.then(|| without_text(chain, DType::Float16))?
            },
            "float16",
        ),
        (
            "in longer chains",
            |chain| longer(chain).then(|| without_text(chain, DType::Int32))?,
            "int32",
        ),
    ];
    for (name, rewrites, instead) in planted {
        let gated = gate(rewrites);
        assert!(!gated.passed, "{name} passes");
        let found = gated.findings();
        let causes: Vec<Option<&str>> = found.iter().map(|it| it.cause.as_deref()).collect();
        let cause = format!("string in the middle computed as {instead}");
        assert_eq!(causes, [Some(&cause[..])], "{name}: {}", gated.report);
    }
}

/// Refuses texts with a negative exponent, as `std::stod` refuses those below every normal number.
struct Stod(Optimiser);

impl Testee for Stod {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn features(&self) -> Vec<Feature> {
        self.0.features()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let is_text = request.from == DType::String;
        match input.windows(2).any(|it| it == b"e-") {
            true if is_text => Reply::Error("out of range".into()),
            _ => self.0.cast(request, count, input),
        }
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        self.0.chain(chain, count, input)
    }
}

/// A text that is refused may not take its chain out of the run.
#[test]
fn texts_that_are_refused_hide_no_others() {
    let rewrites: Rewrites = |chain| {
        (chain.dtypes == [DType::String, DType::Float32, DType::Int32]).then(|| direct(chain))
    };
    let gated = gate_testee(&mut Stod(Optimiser { inner: Builtin::new(), rewrites }));
    assert!(!gated.passed, "{}", gated.report);
    let causes: Vec<Option<String>> = gated.findings().into_iter().map(|it| it.cause).collect();
    assert_eq!(causes, [Some(DROPPED.to_string())], "{}", gated.report);
}
