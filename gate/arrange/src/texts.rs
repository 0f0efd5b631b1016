//! Arranges casts from and to strings. Texts have no padding bits and no buffers of the gate, so
//! they are asked in tensors of many counts, shapes and layouts, and beside one another. Others are drawn.

use super::cause::{Judged, cause};
use super::codes::{Coded, Codes, in_turn};
use super::plan::{Arrangement, formed};
use super::text_drawn;
use super::wording::{Silent, described, misplaced, runs};
use crate::ask::{Said, cast, error};
use castproof_check::arrange::Filling;
use castproof_check::fuzz::Random;
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_judge::finding::failing::Failing;
use castproof_judge::judge::judge_element;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_results::{Arranged, Misplaced};
use castproof_testee::Testee;
use castproof_vectors::{
    DType, Element, Outcome, OutcomeRecord, Request, Test, pack_elements, unpack_elements,
};

/// Most elements of one request. The number is odd, so that in a long tensor each element stands at
/// every position.
const MOST: usize = 31;

/// Every count up to this one is asked.
const COUNTS: usize = 33;

/// Further counts.
const BLOCKS: [usize; 7] = [63, 64, 65, 67, 130, 257, 1025];

/// Most elements of a tensor in a form.
const LONGEST_FORM: usize = 1100;

/// A count above those at which kernels change their loop; odd, like a count of one.
const MANY: usize = 131;

/// One request from or to strings.
struct Texts<'a> {
    request: Request,
    strict: bool,
    /// From it forms are drawn.
    seed: u64,
    testee: &'a mut dyn Testee,
    tally: Arranged,
    /// The elements that are cast. A code of [`Codes`] is the place of an element here.
    inputs: Vec<Element>,
    /// What the testee returns for each element where that is right; an equal result need not be
    /// judged again.
    usual: Vec<Option<Element>>,
}

/// Arranges the tests of a request that the testee gets right alone or among equal elements. The
/// first other test is a finding, except those that may be refused and those that are `failing` in
/// the tensors of the vectors, too.
pub(super) fn run(
    request: Request,
    asked: Asked,
    tests: &[&Test],
    (failing, strict, seed): (&Failing, bool, u64),
    testee: &mut dyn Testee,
) -> (Arranged, Vec<Misplaced>) {
    let chosen: Vec<&Test> = in_turn(tests).into_iter().take(MOST).collect();
    let inputs = chosen.iter().map(|test| test.input.clone()).collect();
    let (tally, usual) = (Arranged::default(), vec![None; chosen.len()]);
    let mut texts = Texts { request, strict, seed, testee, tally, inputs, usual };
    let coded = (0u64..).zip(&chosen).map(|(number, test)| Coded::of(test, number));
    let (mut right, mut found) = (Vec::new(), Vec::new());
    for mut coded in coded {
        coded.is_right_alone = texts.wrong(&coded, 1).is_none();
        match coded.is_right_alone {
            true => right.push(coded),
            false => match texts.wrong(&coded, MANY) {
                None => right.push(coded),
                Some(_) if may_be_refused(&coded) => {}
                Some((verdict, wrong)) => {
                    let input = &texts.inputs[coded.code as usize];
                    let is_shown = match verdict {
                        Verdict::Fail => failing.shows(input, &coded.clause),
                        _ => failing.has_errors,
                    };
                    if found.is_empty() && !is_shown {
                        found.push(texts.only_here(&coded, &wrong, asked));
                    }
                }
            },
        }
    }
    if let Some(codes) = Codes::new(DType::Uint8, right) {
        found.extend(texts.arrange(&codes, asked));
    }
    let Texts { testee, mut tally, .. } = texts;
    let drawn = (failing, strict, seed);
    let drawn = text_drawn::run(&request, asked, drawn, (testee, &mut tally));
    // A fault of place that is found already shows among drawn texts, too.
    let is_new = |it: &Misplaced| it.place == Place::BeyondVectors || found.is_empty();
    let drawn: Vec<Misplaced> = drawn.into_iter().filter(is_new).collect();
    found.extend(drawn);
    (tally, found)
}

/// May an implementation refuse the text, because the result is undefined or a refusal is
/// tolerated?
fn may_be_refused(coded: &Coded) -> bool {
    coded.expect == Outcome::Any || coded.tolerate == Some(Outcome::Reject)
}

impl Texts<'_> {
    /// Asks for a tensor of `count` equal elements. Returns the verdict and a clause of a sentence
    /// if something is wrong.
    fn wrong(&mut self, coded: &Coded, count: usize) -> Option<Said> {
        let tensor = Arrangement::plain(count, Filling::Constant(0));
        let input = vec![self.inputs[coded.code as usize].clone(); count];
        match self.cast(&tensor, &input) {
            Ok(got) => {
                if let Some(wrong) = got.iter().find(|got| self.is_wrong(coded, got)) {
                    let wrong = words::element(self.request.to, wrong);
                    return Some((Verdict::Fail, format!("gave {wrong}")));
                }
                self.usual[coded.code as usize] = got.into_iter().next();
                None
            }
            Err((verdict, message)) => {
                Some((verdict, format!("ended in {}: {message}", verdict.name())))
            }
        }
    }

    /// Returns the finding of an element that is right only in the tensors of the vectors.
    fn only_here(&self, coded: &Coded, wrong: &str, asked: Asked) -> Misplaced {
        let input = &self.inputs[coded.code as usize];
        let sentence = format!(
            "right in the tensors of the vectors; wrong alone, where {} {wrong}, expected {}, and in \
             a longer tensor",
            words::element(self.request.from, input),
            words::outcome(self.request.to, &coded.expect),
        );
        let alone = Arrangement::plain(1, Filling::Constant(0));
        let place = Place::OtherTensors;
        Misplaced { input: Some(input.clone()), ..misplaced(asked, place, &alone, sentence) }
    }

    /// Asks for every tensor of the plan, and returns the findings.
    fn arrange(&mut self, codes: &Codes, asked: Asked) -> Vec<Misplaced> {
        let pair = (self.request.from, self.request.to);
        let plain = |count| Arrangement::plain(count, Filling::Cycle(count % codes.len()));
        // Elements that are wrong only alone are asked alone once more.
        let places = 0..codes.len();
        let only_alone = places.filter(|&place| !codes.all[place].is_right_alone);
        let alone = only_alone.map(|place| Arrangement::plain(1, Filling::Constant(place)));
        let mut plan: Vec<Arrangement> =
            alone.chain((0..=COUNTS).chain(BLOCKS).map(plain)).collect();
        let drawn = (&mut Random::new(self.seed), true);
        let formed = formed(pair, &codes.kinds, &self.testee.features(), drawn);
        plan.extend(formed.into_iter().filter(|tensor| tensor.count <= LONGEST_FORM));
        let (mut all, mut examples) = (Vec::new(), Vec::new());
        let mut silent = Silent::default();
        for tensor in plan {
            if silent.is_given_up() {
                break;
            }
            self.tally.tensors += 1;
            match self.wrong_in(&tensor, codes) {
                Ok(wrong) => {
                    if let Some((index, got)) = wrong.first() {
                        examples.push((all.len(), *index, got.clone()));
                    }
                    // No code stands for a text.
                    let wrong = wrong.into_iter().map(|(index, _)| (index, u64::MAX)).collect();
                    all.push(Judged { tensor, history: None, wrong });
                }
                Err(said) => silent.note(tensor, said, &mut self.tally),
            }
        }
        let shortest = examples.into_iter().min_by_key(|(place, ..)| all[*place].tensor.count);
        let mut found: Vec<Misplaced> = Vec::new();
        if let Some((place, index, got)) = shortest {
            found.push(self.finding(&all, place, (index, got), codes, asked));
        }
        found.extend(silent.findings(asked));
        found
    }

    /// Returns the wrong elements of a tensor, each with what the testee gave.
    fn wrong_in(
        &mut self,
        tensor: &Arrangement,
        codes: &Codes,
    ) -> Result<Vec<(usize, Element)>, Said> {
        let coded: Vec<&Coded> =
            tensor.places(codes).into_iter().map(|place| &codes.all[place]).collect();
        let input = coded.iter().map(|coded| self.inputs[coded.code as usize].clone());
        let got = self.cast(tensor, &input.collect::<Vec<Element>>())?;
        self.tally.elements += got.len() as u64;
        let got = coded.into_iter().zip(got).enumerate();
        let wrong = got.filter(|(_, (coded, got))| self.is_wrong(coded, got));
        let wrong: Vec<_> = wrong.map(|(index, (_, got))| (index, got)).collect();
        self.tally.wrong += wrong.len() as u64;
        Ok(wrong)
    }

    /// Casts a tensor of these elements.
    fn cast(&mut self, tensor: &Arrangement, input: &[Element]) -> Result<Vec<Element>, Said> {
        let Request { from, to, .. } = self.request;
        let input = pack_elements(from, input).map_err(error)?;
        let output = cast(self.testee, &self.request, (&tensor.way, tensor.count), &input)?;
        unpack_elements(to, &output, tensor.count).map_err(error)
    }

    fn is_wrong(&self, coded: &Coded, got: &Element) -> bool {
        let number = coded.code as usize;
        if self.usual[number].as_ref() == Some(got) {
            return false;
        }
        let pair = (self.request.from, self.request.to);
        let (expect, tolerate) = coded.due();
        let input = &self.inputs[number];
        judge_element(expect, tolerate, pair, (input, got), self.strict) == Verdict::Fail
    }

    /// Returns the finding of wrong elements, with the first wrong element of a tensor as its
    /// example.
    fn finding(
        &self,
        all: &[Judged],
        shown: usize,
        (index, got): (usize, Element),
        codes: &Codes,
        asked: Asked,
    ) -> Misplaced {
        let place = cause(all, codes);
        let Judged { tensor, wrong, .. } = &all[shown];
        let coded = &codes.all[tensor.place(codes, index)];
        let input = self.inputs[coded.code as usize].clone();
        let Request { from, to, .. } = self.request;
        let indices: Vec<usize> = wrong.iter().map(|(index, _)| *index).collect();
        let sentence = format!(
            "{}; wrong in {place}: {} of {}, where {} gave {}, expected {}; {} tensors{}",
            if coded.is_right_alone { "right alone" } else { "right elsewhere" },
            runs(&indices),
            tensor.count,
            words::element(from, &input),
            words::element(to, &got),
            words::outcome(to, &coded.expect),
            all.iter().filter(|it| !it.wrong.is_empty()).count(),
            described(&tensor.way),
        );
        Misplaced {
            index: Some(index as u64),
            input: Some(input.clone()),
            got: Some(got),
            expect: Some(OutcomeRecord::new(&coded.expect, to)),
            clause: Some(coded.clause.clone()),
            codes: vec![input],
            ..misplaced(asked, place, tensor, sentence)
        }
    }
}
