//! The results of casts in a row for all codes of a source. Each is computed once.

use super::answers::{Answers, Came, Cast, HABITS, Results, results};
use super::codes::codes;
use castproof_methods::Step;
use castproof_vectors::DType;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

/// The results of casts in a row, one for each code of a source.
pub(super) struct Row {
    /// The results.
    pub(super) came: Vec<Came>,
    /// The places of the codes whose result is undefined, ascending, and what each habit makes of
    /// them.
    pub(super) open: Vec<(usize, [u64; HABITS])>,
}

/// How many codes are kept of those with the same results: so many of the first, and of the later ones
/// each whose number is a power of two.
const ALIKE: usize = 4;

/// Places of a few codes that have something in common. Beside a tie another result is often
/// tolerated, so codes of which nothing is tolerated are kept apart and come first.
#[derive(Default)]
struct Sample {
    strict: (usize, Vec<usize>),
    lenient: (usize, Vec<usize>),
}

impl Sample {
    fn add(&mut self, at: usize, is_strict: bool) {
        let (count, places) = if is_strict { &mut self.strict } else { &mut self.lenient };
        *count += 1;
        if *count <= ALIKE || count.is_power_of_two() {
            places.push(at);
        }
    }

    fn places(self) -> Vec<usize> {
        [self.strict.1, self.lenient.1].concat()
    }
}

/// Places of codes, each with its result.
type Places<T> = Rc<[(T, Vec<usize>)]>;

/// The codes of a source, and the results of its casts.
struct Source {
    codes: Rc<[u64]>,
    first: HashMap<Step, Option<Rc<Vec<Came>>>>,
    strict: HashMap<Step, Rc<[bool]>>,
    distinct: HashMap<Step, Places<Came>>,
    others: HashMap<[Step; 3], Places<Results>>,
}

/// The rows of the newest version.
#[derive(Default)]
pub(super) struct Rows {
    answers: Answers,
    sources: HashMap<DType, Source>,
    /// Rows of the two dtypes that were asked about last.
    last: HashMap<Vec<Step>, Option<Rc<Row>>>,
    last_ends: Option<(DType, DType)>,
    /// Does the first cast, followed by the second, anywhere differ from the third?
    differs: HashMap<[Step; 3], bool>,
}

impl Rows {
    /// Returns casts; `None` if one is refused.
    pub(super) fn casts(&mut self, steps: &[Step]) -> Option<Vec<Rc<Cast>>> {
        steps.iter().map(|step| self.answers.cast(*step)).collect()
    }

    /// Returns the codes of a source.
    pub(super) fn codes(&mut self, from: DType) -> Rc<[u64]> {
        Rc::clone(&self.source(from).codes)
    }

    fn source(&mut self, from: DType) -> &mut Source {
        let answers = &mut self.answers;
        self.sources.entry(from).or_insert_with(|| Source {
            codes: codes(from, answers).into(),
            first: HashMap::new(),
            strict: HashMap::new(),
            distinct: HashMap::new(),
            others: HashMap::new(),
        })
    }

    /// Returns the results of one or two casts in a row; `None` if one is refused.
    pub(super) fn row(&mut self, steps: &[Step]) -> Option<Rc<Row>> {
        let ends = (steps.first()?.from, steps.last()?.to);
        if self.last_ends != Some(ends) {
            self.last.clear();
            self.last_ends = Some(ends);
        }
        if let Some(known) = self.last.get(steps) {
            return known.clone();
        }
        let row = self.computed(steps).map(Rc::new);
        self.last.insert(steps.to_vec(), row.clone());
        row
    }

    fn computed(&mut self, steps: &[Step]) -> Option<Row> {
        let casts = self.casts(steps)?;
        let first = self.first(steps[0])?;
        let came: Vec<Came> = match casts.get(1) {
            Some(second) => first.iter().map(|came| second.after(*came)).collect(),
            None => first.to_vec(),
        };
        let codes = self.codes(steps[0].from);
        let is_open = |at: &usize| came[*at] == Came::Open;
        let open =
            (0..came.len()).filter(is_open).filter_map(|at| match results(&casts, codes[at]) {
                Results::ByHabit(by_habit) => Some((at, by_habit)),
                Results::One(_) => None,
            });
        let open = open.collect();
        Some(Row { came, open })
    }

    /// Returns the results of a cast of its source's codes; `None` if it is refused.
    pub(super) fn first(&mut self, step: Step) -> Option<Rc<Vec<Came>>> {
        let cast = self.answers.cast(step);
        let Source { codes, first, .. } = self.source(step.from);
        let results =
            || cast.map(|cast| Rc::new(codes.iter().map(|code| cast.of(*code)).collect()));
        first.entry(step).or_insert_with(results).clone()
    }

    /// Returns for each code of a cast's source whether nothing is tolerated beyond what is expected.
    pub(super) fn strict(&mut self, step: Step) -> Rc<[bool]> {
        if let Some(known) = self.source(step.from).strict.get(&step) {
            return Rc::clone(known);
        }
        let (cast, codes) = (self.answers.cast(step), self.codes(step.from));
        let is_strict =
            |code: &u64| cast.as_ref().is_some_and(|it| it.stretch(*code).tolerate.is_none());
        let strict: Rc<[bool]> = codes.iter().map(is_strict).collect();
        self.source(step.from).strict.insert(step, Rc::clone(&strict));
        strict
    }

    /// Returns the different results of a cast, each with the places of some codes that have it.
    pub(super) fn distinct(&mut self, step: Step) -> Places<Came> {
        if let Some(known) = self.source(step.from).distinct.get(&step) {
            return Rc::clone(known);
        }
        let first = self.first(step).unwrap_or_default();
        let strict = self.strict(step);
        let distinct = grouped(first.iter().copied().enumerate(), &strict);
        self.source(step.from).distinct.insert(step, Rc::clone(&distinct));
        distinct
    }

    /// Returns what the first two casts make of the codes of which the third makes something else,
    /// each with the places of some codes that have both results.
    pub(super) fn others(&mut self, steps: [Step; 3]) -> Places<Results> {
        let source = steps[0].from;
        if let Some(known) = self.source(source).others.get(&steps) {
            return Rc::clone(known);
        }
        let strict = self.strict(steps[2]);
        let others = grouped(self.other(steps), &strict);
        let others: Places<Results> =
            others.iter().map(|((_, results), places)| (*results, places.clone())).collect();
        self.source(source).others.insert(steps, Rc::clone(&others));
        others
    }

    /// Returns the places of the codes of which the first two casts make something else than the third, each with what
    /// is right and what the first two casts make of it.
    fn other(&mut self, steps: [Step; 3]) -> impl Iterator<Item = (usize, (Came, Results))> {
        let casts = self.casts(&steps[..2]).unwrap_or_default();
        let right = self.first(steps[2]).filter(|_| !casts.is_empty()).unwrap_or_default();
        let codes = self.codes(steps[0].from);
        let both = (0..right.len()).map(move |at| (at, (right[at], results(&casts, codes[at]))));
        both.filter(|(_, (right, wrong))| *wrong != Results::One(*right))
    }

    /// Do the first two casts anywhere differ from the third?
    pub(super) fn differs(&mut self, steps: [Step; 3]) -> bool {
        if let Some(known) = self.differs.get(&steps) {
            return *known;
        }
        let differs = self.other(steps).next().is_some();
        self.differs.insert(steps, differs);
        differs
    }
}

/// Groups places by their results, in the order of the first place of each.
pub(super) fn grouped<T: Copy + Eq + Hash>(
    results: impl Iterator<Item = (usize, T)>,
    strict: &[bool],
) -> Places<T> {
    let mut order: HashMap<T, usize> = HashMap::new();
    let mut grouped: Vec<(T, Sample)> = Vec::new();
    // Codes that follow each other often have one result, and a hash takes longer than all that is done with it.
    let mut last = 0;
    for (at, result) in results {
        let number = match grouped.get(last) {
            Some((known, _)) if *known == result => last,
            _ => *order.entry(result).or_insert_with(|| {
                grouped.push((result, Sample::default()));
                grouped.len() - 1
            }),
        };
        last = number;
        grouped[number].1.add(at, strict[at]);
    }
    grouped.into_iter().map(|(result, sample)| (result, sample.places())).collect()
}
