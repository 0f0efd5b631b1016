//! Measures whether the gate detects rewritten chains of casts. Every rewrite is planted at every
//! chain of the built-in testee, and judged by the tests that the gate asks of it by default.
//! Nothing is run but the casts.

use super::Planting;
use castproof::chains::Chosen;
use castproof::ends::by_ends;
use castproof::testee::builtin::Builtin;
use castproof_book::{Book, ChainRecord, Composer};
use castproof_check::fuzz::{Draw, Random};
use castproof_check::verdict::{Verdict, judge};
use castproof_impl::Cast;
use castproof_methods::{Casts, Rewrite, Rewritten, Step, rewritten};
use castproof_products::atlas::witnesses::WitnessHabit;
use castproof_vectors::{
    AnswerRecord, Attributes, DType, Expectation, Formula, NEWEST, Outcome, Question, QuestionTest,
    Request, landmarks, pack, packed_len, unpack,
};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::rc::Rc;

/// The most codes of a source that show whether a mutant that no test fails is wrong at all, unless
/// every code is taken.
const PROBES: usize = 3_000;

/// The widest source of which every code is taken on demand.
const WHOLE_BITS: u32 = 16;

/// How many codes with an undefined result are tried with each habit.
const OPEN: usize = 200;

/// How many pairs of dtypes stand in for the one in the middle of each chain.
const PAIRS: usize = 4;

/// The number of survivors that are listed for each class.
const LISTED: usize = 20;

/// A kind of rewrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// A cast is dropped, or both are merged.
    Dropped,
    /// Attributes are lost or exchanged.
    Attributes,
    /// Another dtype stands in the middle.
    Middle,
    /// The input is taken through another dtype.
    Through,
    /// The dtype in the middle is taken through another one.
    Onward,
    /// Two dtypes stand in the middle. No witness is chosen for it, and it may survive: it shows what
    /// the witnesses are worth beyond the rewrites that they are chosen for.
    Two,
    /// Within a chain of three a cast is dropped, or attributes are lost. Its codes are chosen among drawn ones, so a
    /// rewrite that few codes show may survive.
    Within,
    /// Within a chain of three another dtype stands for one. Codes are chosen for three other dtypes alone.
    OthersWithin,
}

/// The classes that no test must let survive.
const ALL_KILLED: [Class; 5] =
    [Class::Dropped, Class::Attributes, Class::Middle, Class::Through, Class::Onward];

/// Of these classes so many of a hundred wrong mutants are killed at least.
const AT_LEAST: [(Class, usize); 2] = [(Class::Within, 97), (Class::OthersWithin, 97)];

const CLASSES: [(Class, &str); 8] = [
    (Class::Dropped, "dropped"),
    (Class::Attributes, "attributes"),
    (Class::Middle, "in the middle"),
    (Class::Through, "input through"),
    (Class::Onward, "middle through"),
    (Class::Two, "two in the middle"),
    (Class::Within, "within three"),
    (Class::OthersWithin, "others in three"),
];

/// What became of the mutants of one class.
#[derive(Clone, Default)]
struct Counts {
    killed: usize,
    same: usize,
    survivors: Vec<String>,
}

/// Plants every rewrite at every chain.
///
/// # Errors
/// If the book contradicts itself, or a mutant survives.
pub fn chains(planting: &Planting) -> Result<String, String> {
    let groups = by_ends();
    let of_source =
        |group: &&Vec<&ChainRecord>| planting.from.is_none_or(|it| group[0].dtypes[0] == it);
    let groups: Vec<_> = groups.iter().filter(of_source).collect();
    // Chains with one source share its codes and results.
    let sources = groups.chunk_by(|one, other| one[0].dtypes[0] == other[0].dtypes[0]);
    let sources: Vec<_> =
        sources.flat_map(|groups| groups.chunks(groups.len().div_ceil(2))).collect();
    let counts: Vec<BTreeMap<Class, Counts>> = sources
        .par_iter()
        .map(|groups| of_source_dtype(groups, planting))
        .collect::<Result<_, String>>()?;
    let mut all: BTreeMap<Class, Counts> = BTreeMap::new();
    for (class, counts) in counts.into_iter().flatten() {
        let sum = all.entry(class).or_default();
        sum.killed += counts.killed;
        sum.same += counts.same;
        sum.survivors.extend(counts.survivors);
    }
    conclude(&all, planting.list)
}

fn conclude(all: &BTreeMap<Class, Counts>, list: bool) -> Result<String, String> {
    let mut text = String::new();
    let mut survived = 0;
    for (class, name) in CLASSES {
        let Some(counts) = all.get(&class) else { continue };
        if ALL_KILLED.contains(&class) {
            survived += counts.survivors.len();
        }
        for line in counts.survivors.iter().take(if list { usize::MAX } else { LISTED }) {
            let _ = writeln!(text, "survived, {name}: {line}");
        }
    }
    for (class, name) in CLASSES {
        let Some(Counts { killed, same, survivors }) = all.get(&class) else { continue };
        let planted = killed + survivors.len();
        let _ = writeln!(
            text,
            "{name:<17} {killed:>8} killed of {planted:>8} planted; apart: {same} not wrong"
        );
    }
    text += "not wrong: no code was found where it differs from every result that is allowed";
    for (class, least) in AT_LEAST {
        let Some(Counts { killed, survivors, .. }) = all.get(&class) else { continue };
        if killed * 100 < least * (killed + survivors.len()) {
            return Err(format!("{text}\nof three casts less than {least} of 100 are killed"));
        }
    }
    match survived {
        0 => Ok(text),
        _ => Err(format!("{text}\n{survived} rewrites of chains survive")),
    }
}

fn of_source_dtype(
    groups: &[&Vec<&ChainRecord>],
    planting: &Planting,
) -> Result<BTreeMap<Class, Counts>, String> {
    let mut testee = Builtin::new();
    let mut chosen = Chosen::new(&testee);
    let mut planter = Planter::new(groups[0][0].dtypes[0], planting);
    let mut all: BTreeMap<Class, Counts> = BTreeMap::new();
    for group in groups {
        planter.rows.clear();
        for record in *group {
            let file = chosen.questions(&[record], &mut testee).map_err(|it| format!("{it:#}"))?;
            for tests in file.tests.chunk_by(|one, next| steps_of(one) == steps_of(next)) {
                let steps = steps_of(&tests[0]);
                let tests: Vec<Tested> = tests.iter().filter_map(Tested::of).collect();
                match steps[..] {
                    [first, second] => planter.plant_all(first, second, &tests, &mut all)?,
                    _ => planter.plant_within(&steps, &tests, &mut all)?,
                }
            }
        }
    }
    Ok(all)
}

fn steps_of(test: &QuestionTest) -> Vec<Step> {
    match &test.ask {
        Question::Chain(chain) => Step::of_chain(chain),
        _ => Vec::new(),
    }
}

/// One test: a code, and what is admitted.
struct Tested {
    code: u64,
    expect: Outcome,
    tolerate: Option<Outcome>,
}

impl Tested {
    fn of(test: &QuestionTest) -> Option<Tested> {
        let Question::Chain(chain) = &test.ask else { return None };
        Some(Tested {
            code: chain.input.as_code()?,
            expect: test.expect.outcome()?,
            tolerate: test.tolerate.as_ref().and_then(AnswerRecord::outcome),
        })
    }

    fn admits(&self, to: DType, result: u64) -> bool {
        let Some(to) = landmarks(to) else { return true };
        judge(&self.expect, self.tolerate.as_ref(), result, to, false) != Verdict::Fail
    }
}

/// A cast by the implementation, and the codes whose result the rules leave open.
struct Planted {
    cast: Cast,
    open: Vec<(u64, u64)>,
    /// Results of single codes.
    known: RefCell<HashMap<u64, u64>>,
}

impl Planted {
    fn of(&self, code: u64) -> Option<u64> {
        if let Some(known) = self.known.borrow().get(&code) {
            return Some(*known);
        }
        let result = self.cast.code(code).ok()?;
        self.known.borrow_mut().insert(code, result);
        Some(result)
    }

    fn is_open(&self, code: u64) -> bool {
        let at = self.open.partition_point(|(_, last)| *last < code);
        self.open.get(at).is_some_and(|(first, _)| *first <= code)
    }
}

/// Results of casts in a row: those of the implementation, and whether the rules left one open.
type Row = Rc<Vec<(u64, bool)>>;

/// Plants rewrites at the chains of one source.
struct Planter {
    composer: Composer<'static>,
    casts: HashMap<Step, Option<Rc<Planted>>>,
    /// Codes of the source, also those that no witness was chosen from.
    probes: Vec<u64>,
    /// Rows of one cast, and those of more casts to the target at hand.
    first: HashMap<Step, Option<Row>>,
    rows: HashMap<Vec<Step>, Option<Row>>,
    random: Random,
}

impl Planter {
    fn new(from: DType, planting: &Planting) -> Planter {
        Planter {
            composer: Composer::new(Book::carried()),
            casts: HashMap::new(),
            probes: probes(from, planting),
            first: HashMap::new(),
            rows: HashMap::new(),
            random: Random::new(planting.seed << 8 | from as u64),
        }
    }

    /// Plants every rewrite at a chain of two, with every habit where a result is undefined.
    fn plant_all(
        &mut self,
        first: Step,
        second: Step,
        tests: &[Tested],
        all: &mut BTreeMap<Class, Counts>,
    ) -> Result<(), String> {
        let (right, casts) = ([first, second], Casts::of(first, second));
        for rewrite in Rewrite::all() {
            if let Some(steps) = rewrite.steps(&casts) {
                let counts = all.entry(class_of(rewrite)).or_default();
                self.plant(&right, &steps, tests, counts)?;
            }
        }
        let Casts { dtypes: [a, _, c], attributes: [first, second] } = casts;
        for _ in 0..PAIRS {
            let [one, two] = [(); 2].map(|()| *self.random.one_of(DType::NUMERIC));
            let step = |from, to, attributes| Step { from, to, attributes };
            let none = Attributes::default();
            let steps = [step(a, one, first), step(one, two, none), step(two, c, second)];
            self.plant(&right, &steps, tests, all.entry(Class::Two).or_default())?;
        }
        Ok(())
    }

    /// Plants every rewrite within a longer chain.
    fn plant_within(
        &mut self,
        right: &[Step],
        tests: &[Tested],
        all: &mut BTreeMap<Class, Counts>,
    ) -> Result<(), String> {
        for Rewritten { rewrite, steps, .. } in rewritten(right) {
            let class = match class_of(rewrite) {
                Class::Dropped | Class::Attributes => Class::Within,
                _ => Class::OthersWithin,
            };
            self.plant(right, &steps, tests, all.entry(class).or_default())?;
        }
        Ok(())
    }

    fn plant(
        &mut self,
        right: &[Step],
        steps: &[Step],
        tests: &[Tested],
        counts: &mut Counts,
    ) -> Result<(), String> {
        let (a, to) = (right[0].from, right[right.len() - 1].to);
        let requests: Vec<Request> = right.iter().map(|step| step.request(NEWEST)).collect();
        let fails = |planter: &mut Planter, habit: WitnessHabit| {
            tests.iter().any(|test| {
                planter.one(steps, test.code, habit).is_some_and(|it| !test.admits(to, it))
            })
        };
        let left: Vec<WitnessHabit> =
            WitnessHabit::ALL.into_iter().filter(|it| !fails(self, *it)).collect();
        counts.killed += WitnessHabit::ALL.len() - left.len();
        if left.is_empty() {
            return Ok(());
        }
        let rows = self.row(right).zip(self.row(steps));
        let Some((right_row, wrong_row)) = rows else { return Ok(()) };
        let mut tried = 0;
        let mut survived: Vec<WitnessHabit> = Vec::new();
        for at in 0..self.probes.len() {
            let ((due, is_any), (result, is_open)) = (right_row[at], wrong_row[at]);
            if survived.len() == left.len() || is_any || due == result && !is_open {
                continue;
            }
            tried += usize::from(is_open);
            if is_open && tried > OPEN {
                continue;
            }
            let code = self.probes[at];
            let expected = self.composer.in_turn(&requests, code)?;
            let Some(Expectation { expect, tolerate, .. }) = expected else { continue };
            let test = Tested { code, expect, tolerate };
            for habit in &left {
                let result = if is_open { self.one(steps, code, *habit) } else { Some(result) };
                if result.is_some_and(|it| !test.admits(to, it)) && !survived.contains(habit) {
                    survived.push(*habit);
                    let result = result.map_or_else(String::new, |it| to.hex(it).to_string());
                    counts.survivors.push(format!(
                        "{} as {}: {} becomes {result}{}",
                        shown(a, right),
                        shown(a, steps),
                        a.hex(code),
                        if is_open { format!(", undefined is {habit:?}") } else { String::new() },
                    ));
                }
            }
        }
        counts.same += left.len() - survived.len();
        Ok(())
    }

    fn cast(&mut self, step: Step) -> Option<Rc<Planted>> {
        let made = || {
            let Step { from, to, attributes } = step;
            let request = Request::cast(from, to, NEWEST).with(attributes);
            let pieces = Book::carried().pieces(&request).ok()?;
            let open =
                |it: &&castproof_vectors::Piece| it.formula == Formula::Constant(Outcome::Any);
            let open = pieces.iter().filter(open).map(|it| (it.first, it.last)).collect();
            let refused = pieces.iter().any(|it| it.formula == Formula::Constant(Outcome::Reject));
            let cast = Cast::new(from, to).ok().filter(|_| !refused)?.opset(NEWEST);
            let cast = attributes.saturate.map_or(cast, |on| cast.saturate(on));
            let cast = attributes.round_mode.map_or(cast, |mode| cast.round_mode(mode));
            Some(Rc::new(Planted { cast, open, known: RefCell::default() }))
        };
        self.casts.entry(step).or_insert_with(made).clone()
    }

    /// Casts one code in a row.
    fn one(&mut self, steps: &[Step], code: u64, habit: WitnessHabit) -> Option<u64> {
        let mut code = code;
        for step in steps {
            let planted = self.cast(*step)?;
            code = match planted.is_open(code) {
                true => habit.result(step.from, code, step.to),
                false => planted.of(code)?,
            };
        }
        Some(code)
    }

    /// Casts all probes in a row.
    fn row(&mut self, steps: &[Step]) -> Option<Row> {
        let Some((last, before)) = steps.split_last() else {
            return Some(Rc::new(self.probes.iter().map(|code| (*code, false)).collect()));
        };
        let known = match before {
            [] => self.first.get(last),
            _ => self.rows.get(steps),
        };
        if let Some(known) = known {
            return known.clone();
        }
        let row = self.row(before).and_then(|input| self.onward(*last, &input)).map(Rc::new);
        match before {
            [] => self.first.insert(*last, row.clone()),
            // Rows of three and more casts are of one mutant alone.
            [_] => self.rows.insert(steps.to_vec(), row.clone()),
            _ => None,
        };
        row
    }

    fn onward(&mut self, step: Step, input: &Row) -> Option<Vec<(u64, bool)>> {
        let planted = self.cast(step)?;
        let codes: Vec<u64> = input.iter().map(|(code, _)| *code).collect();
        let packed = pack(step.from, &codes).ok()?;
        let mut output = vec![0; packed_len(step.to, codes.len()).ok()?];
        planted.cast.run(&packed, codes.len(), &mut output).ok()?;
        let results = unpack(step.to, &output, codes.len()).ok()?;
        let open =
            |(result, (code, open)): (u64, &(u64, bool))| (result, *open || planted.is_open(*code));
        Some(results.into_iter().zip(input.iter()).map(open).collect())
    }
}

fn class_of(rewrite: Rewrite) -> Class {
    match rewrite {
        Rewrite::MiddleDropped | Rewrite::BothDropped => Class::Dropped,
        Rewrite::Middle(_) => Class::Middle,
        Rewrite::Through(_) => Class::Through,
        Rewrite::Onward(_) => Class::Onward,
        _ => Class::Attributes,
    }
}

/// Returns `float64 > int8 saturate=0 > float32`.
fn shown(from: DType, steps: &[Step]) -> String {
    let mut text = from.to_string();
    for Step { to, attributes, .. } in steps {
        let _ = write!(text, " > {to}");
        if *attributes != Attributes::default() {
            let _ = write!(text, " {attributes}");
        }
    }
    text
}

/// Returns codes of a dtype. They are drawn with other seeds than those of the gate.
fn probes(from: DType, planting: &Planting) -> Vec<u64> {
    let is_valid = |code: &u64| landmarks(from).is_some_and(|it| it.is_valid(*code));
    if from.bits() <= 8 || planting.every_code && from.bits() <= WHOLE_BITS {
        return (0..=from.code_mask()).filter(is_valid).collect();
    }
    let mut random = Random::new(!(planting.seed << 8 | from as u64));
    let mut codes = Vec::new();
    for &to in DType::NUMERIC {
        let Ok(draw) = Draw::of(&Request::cast(from, to, NEWEST)) else { continue };
        codes.extend(draw.batch(&mut random, PROBES / DType::NUMERIC.len()));
    }
    codes.retain(is_valid);
    codes.sort_unstable();
    codes.dedup();
    codes
}
