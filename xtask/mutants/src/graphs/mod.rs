//! Measures whether the default gate notices an optimiser that rewrites a chain only in some tensors, in some versions or
//! for some values. The parameters follow from a seed.

mod families;

use super::score::{Fate, score};
use castproof::fuzz::Random;
use castproof::gate::{self, Options};
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{Request, Suite};
use families::{FAMILIES, Fault};
use rayon::prelude::*;

/// What to plant.
pub struct Job {
    /// The seed of the parameters.
    pub seed: u64,
    /// Faults of each family.
    pub each: usize,
    /// Print every fault?
    pub list: bool,
}

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives without a reason; or what could not be carried out.
pub fn graphs(job: &Job) -> Result<String, String> {
    let mut random = Random::new(job.seed);
    let mut planted = Vec::new();
    for (family, draws) in FAMILIES {
        planted.extend((0..job.each).map(|_| (family, Fault::of(draws(&mut random), &mut random))));
    }
    let fates: Result<Vec<Fate>, String> = planted.par_iter().map(fate).collect();
    score("graphs", job.seed, &fates?, job.list)
}

fn fate((family, fault): &(&'static str, Fault)) -> Result<Fate, String> {
    let options = Options { suites: vec![Suite::OnnxChain], threads: 1, ..Options::default() };
    let mut testee = Planted { inner: Builtin::new(), fault };
    let (_, file) = gate::results(&options, &mut testee).map_err(|error| format!("{error:#}"))?;
    Ok(Fate { family, name: fault.to_string(), is_killed: !file.passed, beyond: None })
}

/// The built-in testee, which drops all dtypes between where the fault is.
struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Chain, Feature::Shapes]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let last = chain.attributes.last().copied().unwrap_or_default();
        if !self.fault.is_in(chain, count, input) {
            return self.inner.chain(chain, count, input);
        }
        let (from, to) = chain.ends();
        self.inner.cast(&Request::cast(from, to, chain.opset).with(last), count, input)
    }
}
