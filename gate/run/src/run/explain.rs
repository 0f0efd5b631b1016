//! Gathers what was executed, and explains what deviates.

use super::by_place;
use crate::graph::{Graph, Observed};
use crate::series::{Case, Series, What};
use castproof_arrange::varying;
use castproof_check::verdict::Verdict;
use castproof_judge::diagnosis::blocks::{self, SeenBlock};
use castproof_judge::diagnosis::gguf;
use castproof_judge::diagnosis::layouts;
use castproof_judge::diagnosis::linear::{self, Answered};
use castproof_judge::diagnosis::projections;
use castproof_judge::diagnosis::texts::TextCase;
use castproof_judge::diagnosis::{Observation, diagnose, fingerprint};
use castproof_judge::finding::touch;
use castproof_judge::judge::{Expected, Got};
use castproof_judge::recognition::recognise;
use castproof_judge::scope::Judgement;
use castproof_results::Results;
use castproof_results::asked::Asked;
use castproof_testee::{Returned, Testee};
use castproof_vectors::{Attributes, BlockProfile, Element, QuantizeBlock, Request, sha256_hex};
use std::collections::{BTreeMap, BTreeSet};

/// What one series executed.
#[derive(Default)]
pub(super) struct Seen<'a> {
    /// Casts of numbers; results that several operator versions share are kept once.
    numbers: Vec<Observation>,
    /// Casts from and to strings.
    texts: BTreeSet<TextCase>,
    /// Casts in a row.
    chains: Vec<Observed>,
    /// Blocks, each with the id of its test.
    blocks: Vec<(String, SeenBlock)>,
    /// Nodes of linear quantisation, and blocks that were decoded.
    nodes: Vec<Answered<'a>>,
    /// The results of undefined elements: codes as 8 bytes each, texts as they are.
    undefined: BTreeMap<Asked, Vec<u8>>,
}

impl<'a> Seen<'a> {
    /// Notes the result of an undefined element.
    pub(super) fn note_undefined(&mut self, asked: Asked, got: &Element) {
        let undefined = self.undefined.entry(asked).or_default();
        match got.as_code() {
            Some(code) => undefined.extend(code.to_le_bytes()),
            None => undefined.extend(got.text().bytes()),
        }
    }

    /// Notes the casts of one request; the tests are those from `first` on.
    pub(super) fn note(
        &mut self,
        (series, first): (&Series<'_>, usize),
        request: Request,
        got: &[Got],
        verdicts: Vec<Verdict>,
    ) {
        let cases = &series.cases[first..first + got.len()];
        let Request { from, to, attributes, .. } = request;
        let elements = elements(cases, got);
        if !from.is_numeric() || !to.is_numeric() {
            for ((input, got), verdict) in elements.zip(verdicts) {
                let (input, got) = (input.clone(), got.clone());
                self.texts.insert(TextCase { from, to, attributes, input, got, verdict });
            }
            return;
        }
        let codes = elements.filter_map(|(input, got)| input.as_code().zip(got.as_code()));
        let (inputs, got): (Vec<u64>, Vec<u64>) = codes.unzip();
        if !self.numbers.iter().any(|seen| seen.inputs == inputs && seen.got == got) {
            self.numbers.push(Observation { request, inputs, got, verdicts });
        }
    }

    /// Notes the answer to a block.
    pub(super) fn note_block(
        &mut self,
        id: &str,
        block: &QuantizeBlock,
        returned: &Returned,
        verdict: Verdict,
    ) {
        self.blocks.extend(SeenBlock::new(block, returned, verdict).map(|seen| (id.into(), seen)));
    }

    /// Notes the answer of a node of linear quantisation, or of a decoder of blocks.
    pub(super) fn note_node(&mut self, node: Answered<'a>) {
        self.nodes.push(node);
    }

    /// Notes the results of a chain; its tests are those from `first` on.
    pub(super) fn note_chain(
        &mut self,
        (series, first): (&Series<'_>, usize),
        graph: Graph,
        got: &[Got],
        verdicts: Vec<Verdict>,
    ) {
        let cases = &series.cases[first..first + got.len()];
        let ids = cases.iter().map(|case| case.id.to_string()).collect();
        let elements = elements(cases, got);
        let is_shaped = matches!(series.what, What::Chain(chain) if chain.shape.is_some());
        if graph.has_text() {
            let texts = elements.map(|(input, got)| (input.clone(), got.clone())).collect();
            let (inputs, got) = (Vec::new(), Vec::new());
            self.chains.push(Observed { graph, is_shaped, ids, inputs, got, texts, verdicts });
            return;
        }
        let codes = elements.filter_map(|(input, got)| input.as_code().zip(got.as_code()));
        let (inputs, got) = codes.unzip();
        let texts = Vec::new();
        self.chains.push(Observed { graph, is_shaped, ids, inputs, got, texts, verdicts });
    }
}

/// Returns inputs and results of the tests whose result is an element.
fn elements<'a>(
    cases: &'a [Case<'_>],
    got: &'a [Got],
) -> impl Iterator<Item = (&'a Element, &'a Element)> {
    cases.iter().zip(got).filter_map(|(case, got)| match (&case.due, got) {
        (Expected::Element { input, .. }, Got::Element(got)) => Some((*input, got)),
        _ => None,
    })
}

/// What all series executed, by pair.
#[derive(Default)]
pub(super) struct AllSeen<'a> {
    numbers: BTreeMap<Asked, Vec<Observation>>,
    texts: BTreeMap<Asked, BTreeSet<TextCase>>,
    /// Casts in a row.
    pub(super) chains: Vec<Observed>,
    /// Blocks by what is asked alike, each with the id of its test.
    blocks: BTreeMap<(BlockProfile, Asked), Vec<(String, SeenBlock)>>,
    nodes: Vec<Answered<'a>>,
    undefined: BTreeMap<Asked, Vec<u8>>,
}

impl<'a> AllSeen<'a> {
    /// Adds what a series executed.
    pub(super) fn add(&mut self, asked: Asked, mut seen: Seen<'a>) {
        for (asked, codes) in &seen.undefined {
            self.undefined.entry(*asked).or_default().extend(codes);
        }
        self.chains.append(&mut seen.chains);
        self.nodes.append(&mut seen.nodes);
        for (id, seen) in seen.blocks {
            self.blocks.entry((seen.block.profile, asked)).or_default().push((id, seen));
        }
        let of_pair = Asked { attributes: Attributes::default(), ..asked };
        let numbers = self.numbers.entry(of_pair).or_default();
        // A share of an older version mostly repeats what the newest one gave.
        seen.numbers.retain(|seen| !numbers.iter().any(|known| seen.is_part_of(known)));
        numbers.append(&mut seen.numbers);
        self.texts.entry(of_pair).or_default().append(&mut seen.texts);
    }

    /// Explains what deviates, and adds the explanations to the results.
    pub(super) fn explain(
        &mut self,
        judgement: Judgement,
        testee: &mut dyn Testee,
        results: &mut Results,
    ) {
        for (asked, codes) in self.undefined.iter().filter(|(_, codes)| !codes.is_empty()) {
            let cell = results.cells.entry(*asked).or_default();
            cell.undefined_fingerprint = Some(sha256_hex(codes));
        }
        self.name_blocks(results);
        let nodes = std::mem::take(&mut self.nodes);
        name_deviations(&linear::explain(&nodes).into_iter().collect(), results);
        name_deviations(&gguf::explain(&nodes).into_iter().collect(), results);
        name_deviations(&layouts::explain(&nodes).into_iter().collect(), results);
        name_deviations(&projections::explain(&nodes).into_iter().collect(), results);
        name_deviations(&gguf::explain_made(&nodes).into_iter().collect(), results);
        for (asked, cases) in std::mem::take(&mut self.texts) {
            touch::note_texts(&asked, &cases.into_iter().collect::<Vec<_>>(), results);
        }
        for (asked, observed) in self.numbers.iter().filter(|(_, observed)| !observed.is_empty()) {
            let explained = diagnose(asked, observed);
            if explained.iter().all(by_place::is_certain) {
                for explained in explained {
                    touch::note(asked, observed, explained, judgement, testee, results);
                }
            } else {
                let (left, placed) = by_place::taken_out(observed, testee);
                for explained in diagnose(asked, &left) {
                    touch::note(asked, &left, explained, judgement, testee, results);
                }
                by_place::name(asked, &placed, results);
            }
            let varying = varying(asked, observed, judgement.silent_as, testee);
            results.fingerprints.extend(fingerprint(asked, observed, varying.is_some()));
            results.varying.extend(varying);
            results.recognitions.extend(recognise(asked, observed));
        }
    }

    /// Names what explains the blocks that fail, where one method gives all answers that are asked
    /// alike.
    fn name_blocks(&mut self, results: &mut Results) {
        let mut causes: BTreeMap<String, String> = BTreeMap::new();
        for ((profile, _), asked) in std::mem::take(&mut self.blocks) {
            let (ids, seen): (Vec<String>, Vec<SeenBlock>) = asked.into_iter().unzip();
            if !seen.iter().any(|seen| seen.fails) {
                continue;
            }
            if let Some(cause) = blocks::explain(profile, &seen) {
                let failing = ids.into_iter().zip(&seen).filter(|(_, seen)| seen.fails);
                causes.extend(failing.map(|(id, _)| (id, cause.clone())));
            }
        }
        let causes = causes.iter().map(|(id, cause)| (id.as_str(), cause.clone())).collect();
        name_deviations(&causes, results);
    }
}

/// Names what explains failing tests, by their ids.
fn name_deviations(causes: &BTreeMap<&str, String>, results: &mut Results) {
    for deviation in &mut results.deviations {
        if let (Verdict::Fail, Some(cause)) = (deviation.verdict, causes.get(deviation.id.as_str()))
        {
            deviation.cause = Some(cause.clone());
        }
    }
}
