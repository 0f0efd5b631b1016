//! What the vectors show to be wrong in a request, so that an arrangement does not report it again.

use crate::diagnosis::reproduced;
use crate::silent;
use castproof_check::verdict::Verdict;
use castproof_results::asked::{Asked, Side};
use castproof_results::{Failure, Results};
use castproof_vectors::{Attributes, Element, Profile, Request, Test};
use std::collections::{BTreeMap, BTreeSet};

/// What the vectors show to be wrong in a request.
pub struct Failing {
    asked: Asked,
    /// The wrong elements, by input.
    wrong: BTreeMap<Element, Wrong>,
    /// The codes of the vectors of each rule by which some fail without a known cause.
    codes: BTreeMap<String, BTreeSet<u64>>,
    /// The methods of which some gives the wrong elements of the pair that have a cause.
    methods: BTreeSet<String>,
    /// Were some failures left out, of this request or of another one of the pair?
    is_cut: bool,
    /// Is there a wrong element of the pair without a cause?
    has_unexplained: bool,
    /// Were some tests not answered with elements? It is not known which ones.
    pub has_errors: bool,
    /// The same of the requests that differ only in their attributes.
    others: Vec<Failing>,
    /// The profile that judges open results.
    silent_as: Option<Profile>,
}

struct Wrong {
    rule: String,
    got: Element,
    is_explained: bool,
}

impl Failing {
    /// Collects what the vectors show to be wrong in a request, and in those that differ only in
    /// their attributes. These are the tests of each set of attributes.
    pub fn of(
        asked: &Asked,
        sets: &BTreeMap<Attributes, Vec<&Test>>,
        results: &Results,
        silent_as: Option<Profile>,
    ) -> Failing {
        let none = Vec::new();
        let own = sets.get(&asked.attributes).unwrap_or(&none);
        let others = sets.iter().filter(|(attributes, _)| **attributes != asked.attributes);
        let others = others.map(|(&attributes, tests)| {
            Failing::alone(&Asked { attributes, ..*asked }, tests, results)
        });
        Failing { others: others.collect(), silent_as, ..Failing::alone(asked, own, results) }
    }

    fn alone(asked: &Asked, tests: &[&Test], results: &Results) -> Failing {
        // A test that fails in another version is due in this one too, which may have been asked a share.
        let ids: BTreeSet<&str> = tests.iter().map(|test| test.id.as_str()).collect();
        let of_request = results.failures.iter().filter(|failure| {
            let Failure { suite, from, to, attributes, opsets, id, .. } = failure;
            (*suite, *from, *attributes) == (asked.suite, asked.from, asked.attributes)
                && Side::from(*to) == asked.to
                && asked.opset.is_none_or(|it| opsets.contains(&it) || ids.contains(id.as_str()))
        });
        let wrong = |failure: &Failure| {
            let (rule, got) = (failure.clause.clone(), failure.got.clone());
            (failure.input.clone(), Wrong { rule, got, is_explained: failure.cause.is_some() })
        };
        let of_pair = results.diagnoses.iter().filter(|it| {
            it.suite == asked.suite && (it.from, Side::from(it.to)) == (asked.from, asked.to)
        });
        let causes = of_pair.clone().flat_map(|it| &it.causes);
        let methods = causes.flat_map(|it| std::iter::once(&it.method).chain(&it.alternatives));
        let mut of_pair = of_pair.filter(|it| it.verdict == Verdict::Fail);
        let wrong: BTreeMap<Element, Wrong> = of_request.map(wrong).collect();
        let unexplained = wrong.values().filter(|it| !it.is_explained);
        let mut codes: BTreeMap<String, BTreeSet<u64>> =
            unexplained.map(|it| (it.rule.clone(), BTreeSet::new())).collect();
        for test in tests {
            if let Some(codes) = codes.get_mut(&test.clause) {
                codes.extend(test.input.as_code());
            }
        }
        let counts = results.cells.get(asked).map(|cell| cell.counts).unwrap_or_default();
        Failing {
            asked: *asked,
            wrong,
            codes,
            methods: methods.cloned().collect(),
            is_cut: results.failures_left_out > 0,
            has_unexplained: of_pair.any(|it| {
                it.causes.iter().map(|cause| cause.reproduced).sum::<u64>() < it.deviations
            }),
            has_errors: counts.bad() > counts.of(Verdict::Fail),
            others: Vec::new(),
            silent_as: None,
        }
    }

    /// Do the vectors show that this input is cast wrong? If some failures were left out, another
    /// input that fails by the same rule counts too.
    pub fn shows(&self, input: &Element, rule: &str) -> bool {
        self.wrong.contains_key(input) || self.is_cut && self.breaks(rule)
    }

    /// Do the vectors show that some input is cast wrong by this rule?
    pub fn breaks(&self, rule: &str) -> bool {
        self.wrong.values().any(|wrong| wrong.rule == rule)
    }

    /// Returns, for each wrong element of a tensor, whether the vectors show the same fault. One
    /// fails by the same rule and has the same result, or the cause of the pair gives this element
    /// too. Or the nearest vectors of the rule fail on both sides, without a known cause. Where other
    /// attributes make no difference to an element, what fails with them is the same fault, too.
    pub fn is_alike(
        &self,
        request: &Request,
        elements: (&[u64], &[u64]),
        wrong: &[(usize, &str)],
    ) -> Vec<bool> {
        let mut alike = self.is_alike_here(request, elements, wrong);
        let Ok(own) = silent::draw(request, self.silent_as) else { return alike };
        for other in self.others.iter().filter(|other| !other.wrong.is_empty()) {
            let request_there = request.with(other.asked.attributes);
            let Ok(draw) = silent::draw(&request_there, self.silent_as) else { continue };
            // An attribute that is ignored has a rule of its own, which says so.
            let is_same = |place: usize| {
                let code = elements.0[place];
                let (here, there) = (own.expectation(code), draw.expectation(code));
                (here.expect, here.tolerate) == (there.expect, there.tolerate)
            };
            let rule = |place: usize| draw.expectation(elements.0[place]).rule.as_str();
            let theirs: Vec<(usize, &str)> =
                wrong.iter().map(|&(place, _)| (place, rule(place))).collect();
            let there = other.is_alike_here(request, elements, &theirs);
            for ((alike, there), (place, _)) in alike.iter_mut().zip(there).zip(wrong) {
                *alike |= there && is_same(*place);
            }
        }
        alike
    }

    /// Does the same for the vectors of this request alone.
    fn is_alike_here(
        &self,
        request: &Request,
        (inputs, got): (&[u64], &[u64]),
        wrong: &[(usize, &str)],
    ) -> Vec<bool> {
        let places: Vec<usize> = wrong.iter().map(|(place, _)| *place).collect();
        let reproduced = reproduced(&self.asked, &self.methods, request, (inputs, got), &places);
        let alike = |(&(place, rule), is_reproduced): (&(usize, &str), bool)| {
            let is_open = is_reproduced
                || self.is_cut && self.has_unexplained
                || self.is_between_unexplained(request, inputs[place], rule);
            let got = Element::code(got[place], request.to);
            let mut of_rule = self.wrong.values().filter(|it| it.rule == rule);
            of_rule.any(|it| is_open || it.got == got)
        };
        wrong.iter().zip(reproduced).map(alike).collect()
    }

    /// Do the nearest vectors of this rule, below and above a code or of the code itself, fail
    /// without a known cause?
    fn is_between_unexplained(&self, request: &Request, code: u64, rule: &str) -> bool {
        let Some(codes) = self.codes.get(rule) else { return false };
        let fails = |code: &u64| {
            let wrong = self.wrong.get(&Element::code(*code, request.from));
            wrong.is_some_and(|it| !it.is_explained)
        };
        let below = codes.range(..=code).next_back();
        let above = codes.range(code..).next();
        below.is_none_or(fails) && above.is_none_or(fails)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType;

    /// The vectors of FF-01 are 3, 6 and 20; 3 and 6 fail.
    fn failing(is_explained: bool, is_cut: bool) -> Failing {
        let code = |code| Element::code(code, DType::Uint8);
        let wrong = |got| Wrong { rule: "FF-01".into(), got: code(got), is_explained };
        Failing {
            asked: Asked::cast((DType::Uint8, DType::Uint8), Attributes::default()),
            wrong: [(code(3), wrong(9)), (code(6), wrong(7))].into(),
            codes: [("FF-01".into(), [3, 6, 20].into())].into(),
            methods: BTreeSet::new(),
            is_cut,
            has_unexplained: !is_explained,
            has_errors: false,
            others: Vec::new(),
            silent_as: None,
        }
    }

    #[test]
    fn a_code_is_shown_by_itself_or_where_codes_were_cut_by_its_rule() {
        let shows = |is_cut| {
            let failing = failing(true, is_cut);
            let shows = |input, rule| failing.shows(&Element::code(input, DType::Uint8), rule);
            [shows(3, "FF-02"), shows(4, "FF-01"), shows(4, "FF-02")]
        };
        assert_eq!(shows(false), [true, false, false]);
        assert_eq!(shows(true), [true, true, false]);
    }

    #[test]
    fn a_fault_is_alike_by_rule_and_result_or_between_vectors_without_a_cause() {
        let request = Request::cast(DType::Uint8, DType::Uint8, 28);
        let alike = |failing: Failing| {
            let codes = [(5, 9), (5, 8), (6, 8), (2, 8), (7, 8), (21, 8)];
            let (inputs, got): (Vec<u64>, Vec<u64>) = codes.into_iter().unzip();
            let wrong: Vec<(usize, &str)> = (0..codes.len()).map(|at| (at, "FF-01")).collect();
            let of_rule = failing.is_alike(&request, (&inputs, &got), &wrong);
            let of_other = failing.is_alike(&request, (&inputs, &got), &[(0, "FF-02")]);
            assert_eq!(of_other, [false]);
            of_rule
        };
        let (by_result, between) =
            ([true, false, false, false, false, false], [true, true, true, true, false, false]);
        assert_eq!(alike(failing(true, false)), by_result);
        assert_eq!(alike(failing(true, true)), by_result);
        assert_eq!(alike(failing(false, false)), between);
        assert_eq!(alike(failing(false, true)), [true; 6]);
    }
}
