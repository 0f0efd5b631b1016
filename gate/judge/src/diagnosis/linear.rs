//! What an implementation of ONNX's linear quantisation, or a decoder of blocks, does: the methods that give every wrong element of nodes of
//! one operator and pair of dtypes, and contradict no right one.

use castproof_check::verdict::admits_code;
use castproof_methods::linear::{
    DynamicChange, DynamicMethod, Given, LinearChange, LinearMethod, LinearOperator, Node,
    READINGS, changes, dynamic_changes,
};
use castproof_results::diagnosis::MOST_ALTERNATIVES;
use castproof_vectors::{AnswerRecord, DType, Outcome, OutcomeRecord, Question, landmarks, unpack};
use std::collections::BTreeMap;
use std::mem::discriminant;

/// The test of a node, and what came back.
pub struct Answered<'a> {
    /// The id of the test.
    pub id: &'a str,
    /// The question.
    pub question: &'a Question,
    /// What is due.
    pub expect: &'a AnswerRecord,
    /// What is accepted besides.
    pub tolerate: Option<&'a AnswerRecord>,
    /// What came back.
    pub bytes: Vec<u8>,
    /// Is the answer wrong?
    pub fails: bool,
}

/// A node as it was asked, and what came back.
struct SeenNode<'a> {
    id: &'a str,
    /// The dtypes of input and output.
    dtypes: [DType; 2],
    /// Is one of its parts wrong?
    fails: bool,
    asked: Asked,
    parts: Vec<Part>,
}

enum Asked {
    Linear(Box<Node>),
    /// The numbers of `DynamicQuantizeLinear`.
    Dynamic(Vec<u64>),
}

/// An element of an answer; of `DynamicQuantizeLinear` also the scale and the zero point, which come first.
struct Part {
    dtype: DType,
    got: u64,
    /// The readings that admit a code.
    due: Vec<Outcome>,
}

impl Part {
    /// Is this the code that came back? Every NaN is the same.
    fn is(&self, code: u64) -> bool {
        let is_nan = |code| landmarks(self.dtype).is_some_and(|it| it.is_nan(code));
        code == self.got || is_nan(code) && is_nan(self.got)
    }

    fn admits(&self, code: u64) -> bool {
        self.due.iter().any(|due| admits_code(self.dtype, due, code))
    }
}

impl Answered<'_> {
    /// Returns the operator and the dtypes of input and output; `None` if the question is no node.
    fn kernel(&self) -> Option<(&'static str, [DType; 2])> {
        match self.question {
            Question::QuantizeLinear(it) => Some(("QuantizeLinear", [it.from, it.to])),
            Question::DequantizeLinear(it) => Some(("DequantizeLinear", [it.from, it.to])),
            Question::DynamicQuantizeLinear(_) => {
                Some(("DynamicQuantizeLinear", [DType::Float32, DType::Uint8]))
            }
            Question::DequantizeBlock(it) => Some((it.format.name(), [it.from, it.to])),
            _ => None,
        }
    }

    /// Is it the answer to a question that can be explained?
    pub fn is_node(&self) -> bool {
        let is_other = matches!(
            self.question,
            Question::DequantizeGguf(_)
                | Question::QuantizeGguf(_)
                | Question::Project(_)
                | Question::Pack(_)
                | Question::Unpack(_)
        );
        self.kernel().is_some() || is_other
    }

    /// Reads the answer; `None` if it has another length.
    fn seen(&self) -> Option<SeenNode<'_>> {
        let Answered { question, bytes, .. } = self;
        let dtypes = self.kernel()?.1;
        let (asked, got) = match question {
            Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear) => {
                let quantises = matches!(question, Question::QuantizeLinear(_));
                let operator =
                    if quantises { LinearOperator::Quantise } else { LinearOperator::Dequantise };
                let got = unpack(linear.to, bytes, linear.count()).ok()?;
                (Asked::Linear(Box::new(Node::new(linear, operator)?)), got)
            }
            Question::DequantizeBlock(blocks) => {
                let got = unpack(blocks.to, bytes, blocks.count().ok()?).ok()?;
                (Asked::Linear(Box::new(Node::of_blocks(blocks)?)), got)
            }
            Question::DynamicQuantizeLinear(dynamic) => {
                let (scale, rest) = bytes.split_first_chunk::<4>()?;
                let scale = u64::from(u32::from_le_bytes(*scale));
                let got = std::iter::once(scale).chain(rest.iter().map(|&code| code.into()));
                (Asked::Dynamic(dynamic.codes().ok()?), got.collect())
            }
            _ => return None,
        };
        let readings = std::iter::once(self.expect).chain(self.tolerate);
        let readings: Vec<_> = readings.map(|it| due(question, it)).collect::<Option<_>>()?;
        let part = |(at, got): (usize, u64)| {
            let all = readings.iter().map(|reading| reading.get(at));
            let all: Vec<&(DType, Outcome)> = all.collect::<Option<_>>()?;
            let dtype = all.first()?.0;
            Some(Part { dtype, got, due: all.into_iter().map(|it| it.1.clone()).collect() })
        };
        let parts: Vec<Part> = got.into_iter().enumerate().map(part).collect::<Option<_>>()?;
        let fails = self.fails && parts.iter().any(|part| !part.admits(part.got));
        Some(SeenNode { id: self.id, dtypes, fails, asked, parts })
    }
}

impl SeenNode<'_> {
    /// Returns what nodes of the same dtypes that are asked alike have in common.
    fn alike(&self) -> Option<AskedAlike> {
        match &self.asked {
            Asked::Linear(node) => {
                let it = &node.question;
                let lie = (it.scale_shape.len(), it.block_size.is_some());
                Some((it.scale, it.precision, it.opset, lie))
            }
            Asked::Dynamic(_) => None,
        }
    }
}

/// Returns the dtype of each part of an answer, and what is due of it.
fn due(question: &Question, record: &AnswerRecord) -> Option<Vec<(DType, Outcome)>> {
    let all = |dtype, elements: &[OutcomeRecord]| {
        elements.iter().map(move |it| (dtype, it.outcome())).collect::<Vec<_>>()
    };
    match (question, record) {
        (
            Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear),
            AnswerRecord::Linear(answer),
        ) => Some(all(linear.to, &answer.elements)),
        (Question::DequantizeBlock(blocks), AnswerRecord::Numbers(answer)) => {
            Some(answer.numbers.due().iter().map(|due| (blocks.to, due.clone())).collect())
        }
        (Question::DynamicQuantizeLinear(_), AnswerRecord::Dynamic(answer)) => {
            let scale = (DType::Float32, answer.scale.outcome());
            let zero_point = (DType::Uint8, answer.zero_point.outcome());
            let elements = all(DType::Uint8, &answer.elements);
            Some([scale, zero_point].into_iter().chain(elements).collect())
        }
        _ => None,
    }
}

/// The dtype of the scales, the precision, the version, and how the scales lie: their rank, and whether in blocks.
type AskedAlike = (DType, Option<DType>, u32, (usize, bool));

/// Returns the words of changes, if the method that has them gives the answers of nodes.
type Fits<'k, C> = dyn Fn(&[C], &[SeenNode<'_>]) -> Option<String> + 'k;

/// What is known to happen to an operator. `C` is a change along one axis of its method.
struct Known<'k, C, A> {
    changes: Vec<C>,
    /// The axis of a change.
    axis: fn(&C) -> A,
    /// The words of these changes, if the method that has them gives the answers of these nodes.
    fits: &'k Fits<'k, C>,
}

/// Nodes that are asked alike.
struct Alike<'n, 'a, C> {
    nodes: &'n [SeenNode<'a>],
    /// The ids of those that fail and are not explained yet.
    failing: Vec<&'a str>,
    /// The changes that explain them, the likelier first, each with its words.
    by: Vec<(Vec<C>, String)>,
}

/// Explains nodes that fail. Returns the ids of the failing nodes that a method explains, each with its words. Methods are
/// sought for nodes that are asked alike, and those are preferred that explain most nodes of an operator.
pub fn explain<'a>(answered: &'a [Answered<'a>]) -> Vec<(&'a str, String)> {
    let mut by_kernel: BTreeMap<_, Vec<&Answered<'_>>> = BTreeMap::new();
    for it in answered {
        by_kernel.entry(it.kernel()).or_default().push(it);
    }
    // Kernels of one operator mostly share a fault, and the dtypes of one tell methods apart that those of another do not.
    let mut by_operator: BTreeMap<_, Vec<&Answered<'_>>> = BTreeMap::new();
    for (kernel, mut nodes) in by_kernel {
        if nodes.iter().any(|it| it.fails) {
            by_operator.entry(kernel.map(|it| it.0)).or_default().append(&mut nodes);
        }
    }
    let mut causes = Vec::new();
    for nodes in by_operator.into_values() {
        let mut nodes: Vec<SeenNode<'_>> = nodes.into_iter().filter_map(Answered::seen).collect();
        // Most methods are ruled out by what fails, and the shorter node shows it sooner.
        nodes.sort_by_key(|node| (node.dtypes, node.alike(), !node.fails, node.parts.len()));
        match nodes.first().map(|node| &node.asked) {
            Some(Asked::Linear(node)) => causes.extend(of_linear(node.operator, &nodes)),
            Some(Asked::Dynamic(_)) => causes.extend(of_dynamic(&nodes)),
            None => {}
        }
    }
    causes
}

fn of_linear<'a>(operator: LinearOperator, nodes: &[SeenNode<'a>]) -> Vec<(&'a str, String)> {
    let gives = |method: &LinearMethod, asked: &Asked, at: usize| match asked {
        Asked::Linear(node) => method.element(node, at),
        Asked::Dynamic(_) => Given::Due,
    };
    let fits = |changes: &[LinearChange], nodes: &[SeenNode<'_>]| {
        // A change of the precision replaces the reading.
        let methods = READINGS.into_iter().map(|precision| {
            let base = LinearMethod { precision, ..LinearMethod::RIGHT };
            changes.iter().fold(base, |method, change| method.with(*change))
        });
        let is_of = |method: &LinearMethod| {
            nodes.iter().all(|node| is_given(node, |at| gives(method, &node.asked, at)))
        };
        let method = methods.into_iter().find(is_of)?;
        let is_own = method.precision.is_own() && !changes.is_empty();
        let is_said = changes.iter().any(|it| matches!(it, LinearChange::Precision(_)));
        let precision = [LinearChange::Precision(method.precision)];
        let precision = precision.iter().filter(|_| !is_own && !is_said);
        let words = precision.chain(changes).map(|it| it.words(operator));
        Some(words.collect::<Vec<_>>().join("; "))
    };
    let changes = changes(operator).collect();
    Known { changes, axis: discriminant, fits: &fits }.explain(nodes)
}

fn of_dynamic<'a>(nodes: &[SeenNode<'a>]) -> Vec<(&'a str, String)> {
    let is_of = |method: &DynamicMethod, node: &SeenNode<'_>| {
        let Asked::Dynamic(codes) = &node.asked else { return false };
        let results = method.results(codes);
        is_given(node, |at| match (&results, at) {
            (None, _) => Given::Due,
            (Some((scale, ..)), 0) => Given::Code(*scale),
            (Some((_, zero_point, _)), 1) => Given::Code(*zero_point),
            (Some((.., elements)), _) => elements.get(at - 2).copied().unwrap_or(Given::Due),
        })
    };
    let fits = |changes: &[DynamicChange], nodes: &[SeenNode<'_>]| {
        let method = changes.iter().fold(DynamicMethod::RIGHT, |it, change| it.with(*change));
        let words = || changes.iter().map(|it| it.words()).collect::<Vec<_>>().join("; ");
        nodes.iter().all(|node| is_of(&method, node)).then(words)
    };
    let axis = |change: &DynamicChange| match change {
        DynamicChange::Elements(of) => (discriminant(change), Some(discriminant(of))),
        _ => (discriminant(change), None),
    };
    Known { changes: dynamic_changes().to_vec(), axis, fits: &fits }.explain(nodes)
}

/// Does a method give every wrong part, and nothing wrong where a part is right?
fn is_given(node: &SeenNode<'_>, gives: impl Fn(usize) -> Given) -> bool {
    node.parts.iter().enumerate().all(|(at, part)| match gives(at) {
        Given::Code(code) => part.is(code) || part.admits(code) && part.admits(part.got),
        Given::Due => part.admits(part.got),
        Given::Anything => true,
    })
}

impl<C: Copy + PartialEq, A: PartialEq> Known<'_, C, A> {
    /// Explains nodes of one operator, sorted by what is asked alike.
    fn explain<'a>(&self, nodes: &[SeenNode<'a>]) -> Vec<(&'a str, String)> {
        let key = |node: &SeenNode<'_>| (node.dtypes, node.alike());
        let groups = nodes.chunk_by(|one, other| key(one) == key(other));
        let groups = groups.map(|nodes| {
            let failing: Vec<&str> = nodes.iter().filter(|it| it.fails).map(|it| it.id).collect();
            let by = if failing.is_empty() { Vec::new() } else { self.of_alike(nodes) };
            Alike { nodes, failing, by }
        });
        self.name(groups.collect())
    }

    /// Returns what explains all: no change of the right method but its precision, else each single change, else two changes
    /// of different axes.
    fn of_alike(&self, nodes: &[SeenNode<'_>]) -> Vec<(Vec<C>, String)> {
        let fitting = |changes: Vec<C>| {
            let words = (self.fits)(&changes, nodes).filter(|words| !words.is_empty())?;
            Some((changes, words))
        };
        let single = || self.changes.iter().map(|change| vec![*change]);
        let two = || {
            self.changes.iter().enumerate().flat_map(|(at, first)| {
                let others = self.changes[at + 1..].iter();
                let others = others.filter(|second| (self.axis)(first) != (self.axis)(second));
                others.map(|second| vec![*first, *second])
            })
        };
        let found: Vec<_> = fitting(Vec::new()).into_iter().collect();
        if !found.is_empty() {
            return found;
        }
        let found: Vec<_> = single().filter_map(fitting).collect();
        if !found.is_empty() {
            return found;
        }
        two().filter_map(fitting).collect()
    }

    /// Names the cause of each failing node: of the changes that explain it, those that explain most, so that one fault has one
    /// name. Those that explain the same nodes are all said.
    fn name<'a>(&self, mut open: Vec<Alike<'_, 'a, C>>) -> Vec<(&'a str, String)> {
        let mut failing: BTreeMap<[DType; 2], usize> = BTreeMap::new();
        for alike in &open {
            *failing.entry(alike.nodes[0].dtypes).or_default() += alike.failing.len();
        }
        let mut causes = Vec::new();
        loop {
            let mut candidates = self.candidates(&open);
            candidates.iter_mut().for_each(|it| it.keep_likely(&open, &failing));
            // Of equally good ones the first, which is the likeliest.
            let best = candidates.iter().rev().max_by_key(|it| it.failing);
            let Some(best) = best.filter(|it| it.failing > 0) else { return causes };
            let mut words: Vec<&str> = Vec::new();
            for equal in candidates.iter().filter(|it| it.groups == best.groups) {
                if !words.contains(&equal.words) && words.len() < MOST_ALTERNATIVES {
                    words.push(equal.words);
                }
            }
            let words = words.join("; or: ");
            let groups = best.groups.clone();
            for number in groups {
                let failing = std::mem::take(&mut open[number].failing);
                causes.extend(failing.into_iter().map(|id| (id, words.clone())));
            }
        }
    }

    /// Returns all changes that explain groups that are not explained yet.
    fn candidates<'o>(&self, open: &'o [Alike<'_, '_, C>]) -> Vec<Candidate<'o, C>> {
        let mut found: Vec<Candidate<'o, C>> = Vec::new();
        let is_open = |(_, it): &(usize, &Alike<'_, '_, C>)| !it.failing.is_empty();
        for (number, alike) in open.iter().enumerate().filter(is_open) {
            for (changes, words) in &alike.by {
                let failing = alike.failing.len();
                match found.iter_mut().find(|it| it.changes == *changes && it.words == words) {
                    Some(it) => {
                        it.failing += failing;
                        it.groups.push(number);
                    }
                    None => found.push(Candidate {
                        changes: changes.clone(),
                        words,
                        failing,
                        groups: vec![number],
                    }),
                }
            }
        }
        // Two changes explain a group, too, that one of them explains, if the other one does not show in it.
        for candidate in found.iter_mut().filter(|it| it.changes.len() > 1) {
            for (number, alike) in open.iter().enumerate().filter(is_open) {
                let is_new = !candidate.groups.contains(&number);
                if is_new && (self.fits)(&candidate.changes, alike.nodes).is_some() {
                    candidate.failing += alike.failing.len();
                    candidate.groups.push(number);
                }
            }
            candidate.groups.sort_unstable();
        }
        found
    }
}

/// Changes, and what they explain.
struct Candidate<'o, C> {
    changes: Vec<C>,
    words: &'o str,
    /// How many failing nodes.
    failing: usize,
    /// In which groups.
    groups: Vec<usize>,
}

impl<C> Candidate<'_, C> {
    /// Leaves out the groups of dtypes of which less than a quarter is explained: a few nodes fit many methods by chance.
    fn keep_likely(&mut self, open: &[Alike<'_, '_, C>], failing: &BTreeMap<[DType; 2], usize>) {
        let mut explained: BTreeMap<[DType; 2], usize> = BTreeMap::new();
        for &group in &self.groups {
            *explained.entry(open[group].nodes[0].dtypes).or_default() += open[group].failing.len();
        }
        let is_likely = |group: &usize| {
            let dtypes = open[*group].nodes[0].dtypes;
            explained[&dtypes] * 4 >= failing[&dtypes]
        };
        self.groups.retain(is_likely);
        self.failing = self.groups.iter().map(|&group| open[group].failing.len()).sum();
    }
}
