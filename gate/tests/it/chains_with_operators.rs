//! Optimisers that are wrong where a chain has a `CastLike` or a bitcast.

use crate::chains::{DROPPED, gate_testee};
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{Request, StepOperator};

/// Makes another chain of one, as a broken optimiser does; `None`: it stays as it is.
type Makes = fn(&Chain) -> Option<Chain>;

/// Castproof's own implementation, except that it makes other chains.
struct OperatorOptimiser {
    inner: Builtin,
    features: Vec<Feature>,
    makes: Makes,
}

impl Testee for OperatorOptimiser {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn features(&self) -> Vec<Feature> {
        self.features.clone()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let other = (self.makes)(chain).unwrap_or_else(|| chain.clone());
        self.inner.chain(&other, count, input)
    }
}

fn optimiser(makes: Makes) -> OperatorOptimiser {
    let features = vec![Feature::Chain, Feature::ChainCastlike, Feature::ChainBitcast];
    OperatorOptimiser { inner: Builtin::new(), features, makes }
}

/// Returns the number of the first step with this operator.
fn step_of(chain: &Chain, operator: StepOperator) -> Option<usize> {
    chain.operators.iter().position(|it| *it == operator)
}

/// Returns a chain without a step. The step after it takes what that one took; without the last step, the step before gives
/// what that one gave.
fn without(chain: &Chain, step: usize) -> Chain {
    let mut other = chain.clone();
    let is_last = step + 1 == chain.attributes.len();
    other.dtypes.remove(if is_last { step } else { step + 1 });
    other.attributes.remove(step);
    other.operators.remove(step);
    other
}

/// Is the bitcast that is left between dtypes of one width?
fn is_possible(chain: &Chain) -> bool {
    let Some(step) = step_of(chain, StepOperator::Bitcast) else { return true };
    chain.dtypes[step].bits() == chain.dtypes[step + 1].bits()
}

#[test]
fn what_an_optimiser_makes_of_a_bitcast_is_found_and_named() {
    let planted: [(&str, Makes); 4] = [
        ("a bitcast computed as a cast", |chain| {
            let mut other = chain.clone();
            other.operators[step_of(chain, StepOperator::Bitcast)?] = StepOperator::Cast;
            Some(other)
        }),
        ("a bitcast dropped", |chain| Some(without(chain, step_of(chain, StepOperator::Bitcast)?))),
        ("the cast before a bitcast dropped", |chain| {
            let step = step_of(chain, StepOperator::Bitcast)?.checked_sub(1)?;
            Some(without(chain, step)).filter(is_possible)
        }),
        ("the cast after a bitcast dropped", |chain| {
            let step = step_of(chain, StepOperator::Bitcast)?;
            let mut other = chain.clone();
            if step + 1 == chain.attributes.len() {
                return None;
            }
            other.dtypes.remove(step + 1);
            other.attributes.remove(step + 1);
            other.operators.remove(step + 1);
            Some(other).filter(is_possible)
        }),
    ];
    for (name, makes) in planted {
        let gated = gate_testee(&mut optimiser(makes));
        assert!(!gated.passed, "{name} passes");
        let found = gated.findings();
        let causes: Vec<Option<&str>> = found.iter().map(|it| it.cause.as_deref()).collect();
        assert_eq!(causes, [Some(name)], "{name}: {}", gated.report);
        assert!(gated.report.contains("by BitCast"), "{name}: {}", gated.report);
    }
}

/// The second of two casts is by `CastLike`; in a chain of casts alone everything is right.
#[test]
fn what_is_dropped_before_a_cast_like_alone_is_found_and_named() {
    let makes: Makes = |chain| {
        let step = step_of(chain, StepOperator::CastLike)?.checked_sub(1)?;
        Some(without(chain, step))
    };
    let gated = gate_testee(&mut optimiser(makes));
    assert!(!gated.passed);
    let causes: Vec<Option<String>> = gated.findings().into_iter().map(|it| it.cause).collect();
    assert_eq!(causes, [Some(DROPPED.to_string())], "{}", gated.report);
    assert!(gated.report.contains("by CastLike"), "{}", gated.report);
}

/// A testee that lists neither is asked for neither.
#[test]
fn operators_are_asked_of_those_that_list_them() {
    let mut testee = OperatorOptimiser {
        features: vec![Feature::Chain],
        ..optimiser(|chain| {
            assert!(chain.operators.is_empty(), "{}", chain.steps_text());
            None
        })
    };
    assert!(gate_testee(&mut testee).passed);
}
