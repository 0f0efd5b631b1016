//! Asks a testee for the tests of a series.

use crate::series::{Case, Series, What};
use anyhow::{Context, Result, anyhow};
use castproof_arrange::ask::Said;
use castproof_arrange::shrink;
use castproof_check::verdict::Verdict;
use castproof_judge::judge::{Expected, Got};
use castproof_judge::scope::ScopeEdition;
use castproof_testee::{BROKE_PROTOCOL, Chain, Reply, Testee};
use castproof_vectors::{
    CastChain, Element, Request, element_count, pack_elements, unpack_elements,
};
use std::ops::Range;

/// Returns how many elements the tensor of so many tests has.
fn filled(series: &Series<'_>, tests: usize) -> usize {
    match series.what {
        What::Chain(CastChain { shape: Some(shape), .. }) => {
            element_count(shape).unwrap_or(tests).max(tests)
        }
        _ => tests,
    }
}

/// Returns for each test what was returned for its element; where that stands in the tensor more than once, a wrong
/// result if there is one.
fn worst_of_each(cases: &[Case<'_>], got: Vec<Got>) -> Vec<Got> {
    if got.len() <= cases.len() {
        return got;
    }
    let of = |(first, case): (usize, &Case<'_>)| {
        let mut all = got[first..].iter().step_by(cases.len());
        let is_wrong = |got: &&Got| case.due.judge(got, false) == Verdict::Fail;
        all.find(is_wrong).unwrap_or(&got[first]).clone()
    };
    cases.iter().enumerate().map(of).collect()
}

/// The requests of a series, ready for one operator version after another.
pub(super) struct Requests<'a> {
    series: &'a Series<'a>,
    /// The packed inputs, one entry for each request; empty if each test is a question.
    batches: Vec<Vec<u8>>,
}

impl<'a> Requests<'a> {
    /// Packs the inputs.
    ///
    /// # Errors
    /// If an input is not an element of the series' dtype.
    pub(super) fn new(series: &'a Series<'a>) -> Result<Requests<'a>> {
        let pack_batch = |cases: &[Case<'_>]| {
            let input = |case: &Case<'_>| match &case.due {
                Expected::Element { input, .. } => Some((*input).clone()),
                Expected::Answer { .. } => None,
            };
            let elements: Vec<Element> = cases.iter().filter_map(input).collect();
            let count = filled(series, elements.len());
            let elements: Vec<Element> = elements.into_iter().cycle().take(count).collect();
            pack_elements(series.asked.from, &elements).map_err(|error| anyhow!(error))
        };
        let chunks = series.cases.chunks(series.batch());
        let batches = match series.what {
            What::Cast | What::Chain(_) => chunks.map(pack_batch).collect::<Result<_>>()?,
            What::Question => Vec::new(),
        };
        Ok(Requests { series, batches })
    }

    /// Returns the chain that is asked once, with its number of elements and the packed elements;
    /// `None` if the series is not one request of one chain.
    ///
    /// # Errors
    /// If the chain has no version.
    pub(super) fn only_chain(&self) -> Result<Option<(Chain, usize, Vec<u8>)>> {
        match (self.series.what, &self.series.editions[..], &self.batches[..]) {
            (What::Chain(chain), [edition], [elements]) => {
                let chain = self.chain(chain, *edition)?;
                Ok(Some((chain, filled(self.series, self.series.cases.len()), elements.clone())))
            }
            _ => Ok(None),
        }
    }

    /// Returns the tests of each request.
    pub(super) fn tests(&self) -> impl Iterator<Item = Range<usize>> {
        let (cases, batch) = (self.series.cases.len(), self.series.batch());
        (0..cases).step_by(batch).map(move |first| first..cases.min(first + batch))
    }

    /// Returns the chain that the tests are, with its elements, in this operator set.
    ///
    /// # Errors
    /// If it has no version.
    fn chain(&self, chain: &CastChain, edition: Option<ScopeEdition>) -> Result<Chain> {
        Ok(Chain {
            dtypes: chain.dtypes.clone(),
            attributes: chain.casts().map(|(.., attributes)| attributes).collect(),
            operators: chain.operators.clone(),
            opset: edition
                .and_then(|edition| edition.spec.opset())
                .context("a chain without a version")?,
            constant: chain.constant,
            shape: chain.shape.clone().filter(|shape| shape.len() != 1),
        })
    }

    /// Asks for some tests, which are those of one request. `ahead`: what came back, if it was asked
    /// already. Returns what came back, or the verdict and message that came instead.
    ///
    /// # Errors
    /// If a chain has no version, or a test is neither a cast nor a question.
    pub(super) fn ask(
        &self,
        tests: Range<usize>,
        edition: Option<ScopeEdition>,
        ahead: Option<Reply>,
        testee: &mut dyn Testee,
    ) -> Result<Result<Vec<Got>, Said>> {
        let to = self.series.asked.pair().1;
        let batch = tests.start / self.series.batch();
        let count = filled(self.series, tests.len());
        let reply = match (self.series.what, self.series.request(edition)) {
            (What::Chain(chain), _) => {
                let chain = self.chain(chain, edition)?;
                ahead.unwrap_or_else(|| testee.chain(&chain, count, &self.batches[batch]))
            }
            (_, Some(request)) => testee.cast(&request, tests.len(), &self.batches[batch]),
            (_, None) => {
                let question = self.series.cases[tests.start].question;
                let question = question.context("a test that is neither a cast nor a question")?;
                return Ok(testee.ask(question).told().map(|got| vec![Got::Answer(got)]));
            }
        };
        Ok(reply.told().and_then(|output| {
            let elements = unpack_elements(to, &output, count);
            let elements = elements.map_err(|problem| (Verdict::Error, problem))?;
            let got: Vec<Got> = elements.into_iter().map(Got::Element).collect();
            Ok(worst_of_each(&self.series.cases[tests], got))
        }))
    }

    /// Finds one input that alone causes an error; `None` if there is none. It does not search after
    /// a crash or a broken protocol, because each try would cost a restart of the testee, and
    /// restarts are limited.
    pub(super) fn thrower(
        &self,
        tests: Range<usize>,
        request: Option<&Request>,
        (verdict, message): &Said,
        testee: &mut dyn Testee,
    ) -> Option<Element> {
        if *verdict != Verdict::Error || message.starts_with(BROKE_PROTOCOL) {
            return None;
        }
        let request = request?;
        let inputs = self.series.cases[tests].iter().map(|case| match &case.due {
            Expected::Element { input, .. } => Some((*input).clone()),
            Expected::Answer { .. } => None,
        });
        shrink::one_of(inputs.collect::<Option<_>>()?, |elements| {
            let packed = pack_elements(request.from, elements).ok();
            let said = packed.and_then(|it| testee.cast(request, elements.len(), &it).told().err());
            said.is_some_and(|(verdict, _)| verdict == Verdict::Error)
        })
    }
}
