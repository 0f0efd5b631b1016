//! Measures whether the default gate notices an optimiser that rewrites a chain only in some tensors, in some versions or
//! for some values, or only where strings, `CastLike` or a bitcast are in it. The parameters follow from a seed.

mod families;

use super::Planting;
use super::score::{Fate, score};
use castproof::fuzz::Random;
use castproof::gate::{self, Options};
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{
    DType, Element, Request, StepOperator, Suite, pack_elements, unpack_elements,
};
use families::{FAMILIES, Fault};
use rayon::prelude::*;

/// Faults of each family by default.
const EACH: usize = 3;

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault survives without a reason; or what could not be carried out.
pub fn graphs(planting: &Planting) -> Result<String, String> {
    let mut random = Random::new(planting.seed);
    let mut planted = Vec::new();
    for (family, draws) in FAMILIES {
        planted.extend((0..planting.each.unwrap_or(EACH)).map(|_| (family, draws(&mut random))));
    }
    let fates: Result<Vec<Fate>, String> = planted.par_iter().map(fate).collect();
    score("graphs", planting.seed, &fates?, planting.list)
}

fn fate((family, fault): &(&'static str, Fault)) -> Result<Fate, String> {
    let options = Options { suites: vec![Suite::OnnxChain], threads: 1, ..Options::default() };
    let mut testee = Planted { inner: Builtin::new(), fault };
    let (_, file) = gate::results(&options, &mut testee).map_err(|error| format!("{error:#}"))?;
    Ok(Fate { family, name: fault.to_string(), is_killed: !file.passed, beyond: None })
}

/// The built-in testee, which has the fault in its chains.
struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Chain, Feature::Shapes, Feature::ChainCastlike, Feature::ChainBitcast]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let dtypes = &chain.dtypes;
        let last = dtypes.len() - 1;
        let dropped: Vec<usize> = match self.fault {
            Fault::Dropped(dropped) if dropped.is_in(chain, count, input) => (1..last).collect(),
            Fault::Beside { is_long } if *is_long == (last > 2) => {
                (1..last).filter(|&at| is_beside_text(dtypes, at)).collect()
            }
            Fault::Between { source, instead } if *source == dtypes[0] => {
                let mut other = chain.clone();
                let between = other.dtypes[1..last].iter_mut();
                between.filter(|it| **it == DType::String).for_each(|it| *it = *instead);
                return self.inner.chain(&other, count, input);
            }
            Fault::Like { source } if source.is_none_or(|it| it == dtypes[0]) => {
                (1..last).filter(|&at| operator(chain, at) == StepOperator::CastLike).collect()
            }
            Fault::Bits { held, is_cast } => {
                let bitcast = (0..last).find(|&step| is_bitcast_of(*held, chain, step));
                return self.without_bitcast(bitcast, *is_cast, chain, (count, input));
            }
            Fault::Digits(digits) => return self.with_digits(*digits, chain, count, input),
            _ => Vec::new(),
        };
        self.inner.chain(&without(chain, &dropped), count, input)
    }
}

/// Returns a chain without the dtypes at these places.
fn without(chain: &Chain, dropped: &[usize]) -> Chain {
    let kept: Vec<usize> = (0..chain.dtypes.len()).filter(|at| !dropped.contains(at)).collect();
    let steps = || kept[1..].iter().map(|&at| at - 1);
    Chain {
        dtypes: kept.iter().map(|&at| chain.dtypes[at]).collect(),
        attributes: steps().map(|step| chain.attributes[step]).collect(),
        operators: steps().map(|step| operator(chain, step)).collect(),
        ..chain.clone()
    }
}

/// Returns what a step does.
fn operator(chain: &Chain, step: usize) -> StepOperator {
    chain.operators.get(step).copied().unwrap_or_default()
}

/// Does a step read the bytes of this dtype as another, or of any?
fn is_bitcast_of(held: Option<DType>, chain: &Chain, step: usize) -> bool {
    operator(chain, step) == StepOperator::Bitcast && held.is_none_or(|it| it == chain.dtypes[step])
}

impl Planted<'_> {
    /// Carries out a chain whose bitcast in this step is a cast, or is dropped.
    fn without_bitcast(
        &mut self,
        step: Option<usize>,
        is_cast: bool,
        chain: &Chain,
        (count, input): (usize, &[u8]),
    ) -> Reply {
        let Some(step) = step else { return self.inner.chain(chain, count, input) };
        let mut other = chain.clone();
        other.operators[step] = StepOperator::Cast;
        let is_last = step + 1 == other.operators.len();
        if !is_cast {
            other = without(&other, &[if is_last { step } else { step + 1 }]);
        }
        self.inner.chain(&other, count, input)
    }

    /// Casts one by one, and cuts the texts between to so many digits.
    fn with_digits(&mut self, digits: usize, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let mut held = input.to_vec();
        for (at, (step, attributes)) in chain.dtypes.windows(2).zip(&chain.attributes).enumerate() {
            if at > 0 && step[0] == DType::String {
                held = cut(&held, count, digits);
            }
            let request = Request::cast(step[0], step[1], chain.opset).with(*attributes);
            match self.inner.cast(&request, count, &held) {
                Reply::Output(output) => held = output,
                other => return other,
            }
        }
        Reply::Output(held)
    }
}

/// Is this a numeric dtype beside a string?
fn is_beside_text(dtypes: &[DType], at: usize) -> bool {
    dtypes[at] != DType::String && [dtypes[at - 1], dtypes[at + 1]].contains(&DType::String)
}

/// Writes each number of a tensor of strings with so many significant digits.
fn cut(texts: &[u8], count: usize, digits: usize) -> Vec<u8> {
    let elements = unpack_elements(DType::String, texts, count).unwrap_or_default();
    let cut = elements.iter().map(|element| match element.text().parse::<f64>() {
        Ok(number) if number.is_finite() => Element::from(format!("{:.*e}", digits - 1, number)),
        _ => element.clone(),
    });
    pack_elements(DType::String, &cut.collect::<Vec<_>>()).unwrap_or_default()
}
