//! Does a result that the specification leaves open, or of which it has several, depend on the place of
//! its element? A kernel may convert in another way in the body of a vector loop than in its tail.

use super::cause::{Judged, cause};
use super::codes::{Coded, Codes};
use super::plan::{self, Arrangement};
use super::request::{One, TensorReply, clear_buffers};
use castproof_check::arrange::Filling;
use castproof_check::verdict::Verdict;
use castproof_judge::answers::{self, Answering};
use castproof_judge::diagnosis::Observation;
use castproof_judge::silent::of_profile;
use castproof_methods::{MethodTensor, UndefinedInput};
use castproof_results::Varying;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_testee::Testee;
use castproof_vectors::{Attributes, Element, Outcome, Profile, Request, Spec, landmarks};

/// Most inputs of one class that are asked.
const OF_CLASS: usize = 3;

/// Elements of the tensor that shows whether there is anything to look for: more than two vectors of
/// any machine, and behind the last whole one of any size as many elements as there can be.
const LONG: usize = 64 * 9 + 63;

/// Asks for inputs whose result is open, alone and at many places of tensors. Returns one that gives
/// several results, and where. `silent_as` is the profile that judges what ONNX leaves open.
pub fn varying(
    asked: &Asked,
    observed: &[Observation],
    silent_as: Option<Profile>,
    testee: &mut dyn Testee,
) -> Option<Varying> {
    let is_open = |it: &&Observation| {
        it.verdicts.contains(&Verdict::Undefined) || leaves_a_choice(it, silent_as)
    };
    let mut newest = observed.iter().rev().filter(is_open);
    // Attributes may leave more open, and show less.
    let plain = newest.clone().find(|it| it.request.attributes == Attributes::default());
    let last = plain.or_else(|| newest.next())?;
    let request = last.request;
    let answers = Answering::chosen(&request).ok()?;
    let coded = |code: u64| {
        let due = answers.element(&Element::code(code, request.from)).ok()?;
        Some(Coded::open(code, due.rule.as_str()))
    };
    let codes = Codes::new(request.from, chosen(last).into_iter().filter_map(coded).collect())?;
    let asked = Asked { suite: asked.suite, ..Asked::of_request(&request) };
    One::new(request, false, testee, None)?.varying(codes, asked)
}

/// Is a result a choice of several integers, by a profile?
fn leaves_a_choice(observed: &Observation, silent_as: Option<Profile>) -> bool {
    let Request { spec, from, to, attributes } = observed.request;
    let request = match (spec, silent_as) {
        (Spec::Profile(_), _) => observed.request,
        (_, Some(profile)) => of_profile(profile, (from, to), attributes),
        (_, None) => return false,
    };
    let Ok(answers) = Answering::chosen(&request) else { return false };
    let is_choice = |&code: &u64| {
        let due = answers.element(&Element::code(code, from));
        due.is_ok_and(|due| matches!(due.expect, Outcome::OneOf(_)))
    };
    to.is_integer() && observed.inputs.iter().any(is_choice)
}

/// Chooses inputs whose result is open or a choice, some of each class.
fn chosen(observed: &Observation) -> Vec<u64> {
    let request = &observed.request;
    let Ok(tensor) = MethodTensor::answered_by(answers::chosen(), request, &observed.inputs) else {
        return Vec::new();
    };
    let mut chosen = Vec::new();
    for class in UndefinedInput::ALL {
        let elements = tensor.elements().iter().zip(&observed.inputs);
        let mut of_class: Vec<u64> = elements
            .filter(|(element, _)| element.chosen() == Some(class))
            .map(|(_, &code)| code)
            .collect();
        of_class.sort_unstable();
        of_class.dedup();
        // Evenly spread: near the range and far from it, of both signs.
        let last = of_class.len().saturating_sub(1);
        let spread = (0..OF_CLASS).filter_map(|it| of_class.get(it * last / (OF_CLASS - 1)));
        chosen.extend(spread.copied());
        chosen.dedup();
    }
    chosen
}

impl One<'_> {
    /// Returns an input that gives another result at some places than alone, and where.
    fn varying(&mut self, mut codes: Codes, asked: Asked) -> Option<Varying> {
        self.expect_usual(&mut codes)?;
        clear_buffers();
        let long = Arrangement::plain(LONG, Filling::Cycle(0));
        if !matches!(self.ask(&long, &codes), TensorReply::Elements(wrong) if !wrong.is_empty()) {
            return None;
        }
        let mut plan = plan::tails(&codes, 0);
        plan.push(long);
        // What is not answered here is a finding of its own.
        let (all, _) = self.ask_all(plan.into(), &codes, asked);
        let differing = all.iter().filter(|it| !it.wrong.is_empty());
        let first = differing.min_by_key(|it| it.tensor.count)?;
        let shrunk = self.smallest(first, &codes);
        let shrunk = shrunk.as_ref().unwrap_or(first);
        let place = match self.is_same_again(shrunk, &codes) {
            true => self.exact(cause(&all, &codes), &all, &codes),
            false => Place::NotEveryTime,
        };
        let (index, got) = shrunk.wrong[0];
        let coded = &codes.all[shrunk.tensor.place(&codes, index)];
        let Request { from, to, .. } = self.request;
        Some(Varying {
            asked,
            place,
            count: shrunk.tensor.count as u64,
            index: index as u64,
            input: Element::code(coded.code, from),
            got: Element::code(got, to),
            elsewhere: Element::code(coded.usual, to),
            clause: coded.clause.clone(),
        })
    }

    /// Asks for each code alone. What comes back is then expected of it everywhere. `None` if it is not
    /// answered.
    fn expect_usual(&mut self, codes: &mut Codes) -> Option<()> {
        let target = landmarks(self.request.to)?;
        let alone = |place| Arrangement::plain(1, Filling::Constant(place));
        let alone: Vec<Arrangement> = (0..codes.len()).map(alone).collect();
        let got = self.codes_of_each(&alone, codes).ok()?;
        for (coded, (got, _)) in codes.all.iter_mut().zip(got) {
            coded.usual = got[0];
            // Any NaN is as good as another one, as it is where a result is defined.
            let is_nan = target.is_nan(got[0]);
            coded.expect = if is_nan { Outcome::AnyNan } else { Outcome::Code(got[0]) };
        }
        Some(())
    }

    /// Does a tensor give the same once more?
    fn is_same_again(&mut self, before: &Judged, codes: &Codes) -> bool {
        let again = self.ask(&before.tensor, codes);
        matches!(again, TensorReply::Elements(wrong) if wrong == before.wrong)
    }
}
