//! From failing tests to findings.

use super::computed::{Rewritten, computed, family};
use super::key::{Key, OF_NAN, error_key, is_nan, key_of, place_key, place_of, refusal};
use super::rank::{Rank, example_of, plain_rank, rank};
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_methods::Casts;
use castproof_results::asked::{Asked, Side};
use castproof_results::finding::{Example, Finding, Kind, Range};
use castproof_results::{
    Deviation, Failure, Misplaced, Remark, RemarkKey, Results, SuiteRun, Varying,
};
use castproof_vectors::{Attributes, DType, Element, Question, Suite};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The flag of tests that are drawn from the seed of a run.
pub const DRAWN: &str = "drawn";

/// Hex digits of an id; twice as many if two findings would have the same id.
const ID_DIGITS: usize = 6;

/// Returns everything that is wrong: numbers before texts before errors before refusals; then the
/// notices. Within these, findings that no baseline expects come first, then those that touch most of
/// the domain.
pub fn findings(results: &Results) -> Vec<Finding> {
    let mut gathered = Gathered::default();
    gathered.failures(results);
    let (of_cast_like, others): (Vec<_>, Vec<_>) =
        results.misplaced.iter().partition(|found| found.asked.suite == Suite::OnnxCastlike);
    for found in others.into_iter().chain(of_cast_like) {
        gathered.place(found);
    }
    for (key, remark) in results.remarks.iter().filter(|(key, _)| key.verdict.is_bad()) {
        gathered.remark(key, remark);
    }
    for run in &results.suites {
        for deviation in run.deviations.iter().filter(|it| it.verdict.is_bad()) {
            gathered.deviation(run, deviation);
        }
    }
    gathered.left_out(results);
    for found in &results.varying {
        gathered.varying(found);
    }
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for key in gathered.groups.keys() {
        *ids.entry(key.id(ID_DIGITS)).or_default() += 1;
    }
    let finish = |(key, group): (Key, Group)| {
        let alone = ids.get(&key.id(ID_DIGITS)) == Some(&1);
        let id = key.id(if alone { ID_DIGITS } else { 2 * ID_DIGITS });
        group.finish(&key, id, results)
    };
    let mut found: Vec<(f64, Finding)> = gathered.groups.into_iter().map(finish).collect();
    found.sort_by(|(touch, one), (other_touch, other)| {
        let order = |finding: &Finding| (finding.kind, !finding.is_new());
        let ties = (Reverse(one.failing), &one.id).cmp(&(Reverse(other.failing), &other.id));
        let size = match one.kind {
            Kind::Refusal => (one.suite, &one.versions).cmp(&(other.suite, &other.versions)),
            _ => other_touch.total_cmp(touch),
        };
        order(one).cmp(&order(other)).then(size).then(ties)
    });
    found.into_iter().map(|(_, finding)| finding).collect()
}

#[derive(Default)]
struct Gathered {
    groups: BTreeMap<Key, Group>,
    /// The keys of failing casts, by what was asked, the input and what came back.
    casts: BTreeMap<(Asked, Element, String), Key>,
}

#[derive(Default)]
struct Group {
    pairs: BTreeSet<(DType, Side)>,
    versions: BTreeSet<u32>,
    attributes: BTreeSet<Attributes>,
    alternatives: Vec<String>,
    /// Does `CastLike` give the same?
    has_cast_like: bool,
    /// Tests that pass although the cause would have failed them.
    contradicted: u64,
    /// Failing tests of which the cause would have made something else.
    otherwise: u64,
    /// The casts in a row that are rewritten, by the name of the rewrite, and those that are only known to be rewritten
    /// within longer rows.
    chains: BTreeMap<String, BTreeSet<Casts>>,
    within: BTreeMap<String, BTreeSet<Casts>>,
    failing: u64,
    /// Failing tests that the baseline expects, and its reason below.
    expected: u64,
    reason: Option<String>,
    /// The best example so far, by its rank.
    example: Option<(Rank, Example, Option<String>)>,
}

impl Gathered {
    fn group(&mut self, key: Key, asked: &Asked) -> &mut Group {
        let is_cast = key.suite == Suite::OnnxCast;
        let group = self.groups.entry(key).or_default();
        group.has_cast_like |= is_cast && asked.suite == Suite::OnnxCastlike;
        group.pairs.insert((asked.from, asked.to));
        group.versions.extend(asked.opset);
        group.attributes.insert(asked.attributes);
        group
    }

    fn failures(&mut self, results: &Results) {
        let alone = sole_causes(results);
        for failure in &results.failures {
            let Failure { from, to, .. } = *failure;
            let cause = failure.cause.as_ref().or_else(|| alone.get(&(from, to)).copied());
            let placed = place_of(failure, results);
            for asked in failure.asked() {
                let key = placed.clone().unwrap_or_else(|| key_of(failure, cause));
                let came = (asked, failure.input.clone(), words::element(to, &failure.got));
                self.casts.insert(came, key.clone());
                let group = self.group(key, &asked);
                group.count(1, failure.known.as_ref());
                if placed.is_none() {
                    let rank = rank(failure, asked.opset.unwrap_or_default());
                    group.offer(rank, || example_of(failure, asked), &failure.clause);
                }
            }
        }
        for diagnosis in &results.diagnoses {
            for cause in &diagnosis.causes {
                for (_, group) in self.groups.iter_mut().filter(|(key, group)| {
                    let of_pair = group.pairs.contains(&(diagnosis.from, diagnosis.to.into()));
                    of_pair && key.cause.as_ref() == Some(&cause.method)
                }) {
                    group.alternatives.clone_from(&cause.alternatives);
                    group.contradicted += cause.contradicted;
                    group.otherwise += cause.otherwise;
                }
            }
        }
    }

    fn place(&mut self, found: &Misplaced) {
        let clause = found.clause.as_deref().unwrap_or_default();
        let key = self.joined(place_key(found));
        let group = self.group(key, &found.asked);
        group.count(1, found.known.as_ref());
        let example = || Example {
            asked: found.asked,
            test: None,
            input: found.input.clone(),
            got: found.got.clone(),
            expect: found.expect.clone(),
            place: Some(found.place.clone()),
            done: found.done.clone(),
            sentence: found.sentence.clone(),
        };
        let rank = plain_rank(found.known.is_some(), &found.asked, &found.sentence);
        group.offer(rank, example, clause);
    }

    /// Adds a notice. Where in a tensor results differ is one habit of all pairs.
    fn varying(&mut self, found: &Varying) {
        let (suite, subject) = (found.asked.suite, found.place.to_string());
        let key = self.joined(Key { kind: Kind::Open, suite, subject, cause: None });
        let group = self.group(key, &found.asked);
        let sentence = found.sentence();
        let rank = plain_rank(false, &found.asked, &sentence);
        let example = || Example {
            asked: found.asked,
            test: None,
            input: Some(found.input.clone()),
            got: Some(found.got.clone()),
            expect: None,
            place: Some(found.place.clone()),
            done: None,
            sentence,
        };
        group.offer(rank, example, &found.clause);
    }

    fn remark(&mut self, key: &RemarkKey, remark: &Remark) {
        let asked = key.asked.at(remark.opsets.last().copied());
        let group = self.group(error_key(key.asked.suite, key.verdict, &key.message), &asked);
        group.versions.extend(&remark.opsets);
        group.failing += remark.tests;
        group.expected += remark.expected;
        if remark.expected > 0 {
            group.reason.get_or_insert_with(|| "the baseline expects it".into());
        }
        let input = remark.input.as_ref();
        let shown = input.map_or(String::new(), |it| words::element(asked.from, it) + ": ");
        let example = || Example {
            asked,
            test: None,
            input: input.cloned(),
            got: None,
            expect: None,
            place: None,
            done: None,
            sentence: format!("{shown}{}: {}", key.verdict.name(), key.message),
        };
        let mut rank = plain_rank(remark.expected >= remark.tests, &asked, &shown);
        rank.1 = input.is_none();
        group.offer(rank, example, "");
    }

    /// Returns the key of the finding of the casts that has the same subject, if the key is of
    /// `CastLike` and there is such a finding. `CastLike` mostly runs the code of `Cast`.
    fn joined(&self, key: Key) -> Key {
        let as_cast = Key { suite: Suite::OnnxCast, ..key.clone() };
        let has_cast = key.suite == Suite::OnnxCastlike && self.groups.contains_key(&as_cast);
        if has_cast { as_cast } else { key }
    }

    /// Returns the key of the cast that gives what a `CastLike` gives.
    fn as_cast(&self, deviation: &Deviation) -> Option<Key> {
        let Some(Question::CastLike(question)) = deviation.test.as_ref().map(|test| &test.ask)
        else {
            return None;
        };
        let asked = Asked { suite: Suite::OnnxCast, ..deviation.asked? };
        let came = (asked, question.input.clone(), deviation.got.clone());
        (deviation.verdict == Verdict::Fail).then(|| self.casts.get(&came).cloned())?
    }

    fn deviation(&mut self, run: &SuiteRun, deviation: &Deviation) {
        let Deviation { verdict, clause, question, got, .. } = deviation;
        let suite = run.suite;
        let is_refusal = deviation.expected == "a refusal";
        let rewritten = Rewritten::of(deviation);
        let as_cast = self.as_cast(deviation);
        // Of a cast and a `CastLike`, the cast is the example, as the simpler one; so is a chain of two of one of three;
        // of a test of a file and one that was drawn, the former, which every program has.
        let is_drawn =
            deviation.test.as_ref().is_some_and(|test| test.flags.iter().any(|it| it == DRAWN));
        let far =
            as_cast.is_some() || is_drawn || rewritten.as_ref().is_some_and(|it| it.is_within);
        let key = match verdict {
            Verdict::Fail if is_refusal => refusal(suite),
            Verdict::Fail => {
                let is_chain = suite == Suite::OnnxChain;
                let kind = if is_chain { Kind::Chain } else { Kind::Question };
                // A rewrite is one piece of code for all dtypes, and so is a quantiser.
                let done = if is_chain { "rewritten" } else { "quantised" };
                let (subject, cause) = match &deviation.cause {
                    Some(cause) => (done.into(), Some(family(cause, rewritten.as_ref()))),
                    None => (clause.clone(), None),
                };
                Key { kind, suite, subject, cause }
            }
            other => self.joined(error_key(suite, *other, got)),
        };
        let key = as_cast.unwrap_or(key);
        let group = match &deviation.asked {
            Some(asked) => self.group(key, asked),
            None => self.groups.entry(key).or_default(),
        };
        group.count(1, deviation.known.as_ref());
        if let (Some(rewritten), Some(cause)) = (rewritten, &deviation.cause) {
            let chains = if rewritten.is_within { &mut group.within } else { &mut group.chains };
            chains.entry(cause.clone()).or_default().insert(rewritten.casts);
        }
        let nothing =
            Asked { suite, ..Asked::cast((DType::Bool, DType::Bool), Attributes::default()) };
        let asked = deviation.asked.unwrap_or(nothing);
        let example = || Example {
            asked,
            test: Some(deviation.id.clone()),
            input: None,
            got: None,
            expect: None,
            place: None,
            done: None,
            sentence: deviation.to_string(),
        };
        let mut rank = plain_rank(deviation.known.is_some(), &asked, question);
        rank.1 = far;
        group.offer(rank, example, clause);
    }

    /// Adds failing tests that were counted and not kept to the finding that most of their pair's
    /// failing tests belong to.
    fn left_out(&mut self, results: &Results) {
        let mut kept: BTreeMap<Asked, u64> = BTreeMap::new();
        for failure in &results.failures {
            for asked in failure.asked() {
                *kept.entry(asked).or_default() += 1;
            }
        }
        for (asked, cell) in &results.cells {
            let kept = kept.get(asked).copied().unwrap_or_default();
            let missing = cell.counts.of(Verdict::Fail).saturating_sub(kept);
            if missing == 0 {
                continue;
            }
            let pair = (asked.from, asked.to);
            let of_pair = self.groups.iter_mut().filter(|(key, group)| {
                let version = asked.opset.is_none_or(|opset| group.versions.contains(&opset));
                key.suite == asked.suite && version && group.pairs.contains(&pair)
            });
            if let Some((_, group)) = of_pair.max_by_key(|(_, group)| group.failing) {
                group.failing += missing;
                if cell.expected > kept {
                    group.expected += missing.min(cell.expected - kept);
                }
            }
        }
    }
}

/// Returns the pairs whose failing tests are all explained by one cause. Files of older programs do
/// not name the cause of each test.
fn sole_causes(results: &Results) -> BTreeMap<(DType, DType), &String> {
    let of_casts =
        results.diagnoses.iter().filter(|it| it.suite.is_casts() && it.verdict == Verdict::Fail);
    let alone = of_casts.filter_map(|diagnosis| match &diagnosis.causes[..] {
        [cause] if cause.reproduced == diagnosis.deviations => {
            Some(((diagnosis.from, diagnosis.to), &cause.method))
        }
        _ => None,
    });
    alone.collect()
}

impl Group {
    fn count(&mut self, tests: u64, known: Option<&String>) {
        self.failing += tests;
        if let Some(reason) = known {
            self.expected += tests;
            self.reason.get_or_insert_with(|| reason.clone());
        }
    }

    fn offer(&mut self, rank: Rank, example: impl FnOnce() -> Example, rule: &str) {
        if self.example.as_ref().is_none_or(|(best, ..)| rank < *best) {
            let rule = (!rule.is_empty()).then(|| rule.to_string());
            self.example = Some((rank, example(), rule));
        }
    }

    /// Returns the finding, and how much of the domain it touches.
    fn finish(self, key: &Key, id: String, results: &Results) -> (f64, Finding) {
        let Key { kind, suite, ref cause, .. } = *key;
        let is_of = |it: Suite| it == suite || self.has_cast_like && it == Suite::OnnxCastlike;
        let cells = results
            .cells
            .iter()
            .chain(results.suites.iter().filter(|run| is_of(run.suite)).flat_map(|run| &run.cells));
        let asked = cells.filter(|(asked, _)| {
            is_of(asked.suite)
                && self.pairs.contains(&(asked.from, asked.to))
                && self.attributes.contains(&asked.attributes)
                && asked.opset.is_none_or(|opset| self.versions.contains(&opset))
        });
        let of = asked.map(|(_, cell)| cell.counts.judged()).sum::<u64>().max(self.failing);
        let touched = results.touched.iter().filter(|touched| {
            let pair = (touched.asked.from, touched.asked.to);
            let of_nan = is_nan(pair.0, &touched.range.first);
            touched.asked.suite == suite
                && touched.cause == *cause
                && self.pairs.contains(&pair)
                && (cause.is_some() || of_nan == key.subject.ends_with(OF_NAN))
        });
        let touched: Vec<_> = touched.collect();
        let share = touched.iter().map(|touched| touched.range.share).sum::<f64>();
        let nothing =
            Asked { suite, ..Asked::cast((DType::Bool, DType::Bool), Attributes::default()) };
        let (example, rule) = match self.example {
            Some((_, example, rule)) => (example, rule),
            None => (Example::empty(nothing), None),
        };
        let is_shown =
            |asked: &Asked| asked.from == example.asked.from && asked.to == example.asked.to;
        let range: Option<Range> =
            touched.iter().find(|it| is_shown(&it.asked)).map(|touched| touched.range.clone());
        let names: BTreeSet<&String> = self.chains.keys().chain(self.within.keys()).collect();
        let names: Vec<&String> = names.into_iter().collect();
        let finding = Finding {
            id,
            kind,
            suite,
            pairs: self.pairs.into_iter().collect(),
            versions: self.versions.into_iter().collect(),
            attributes: self.attributes.into_iter().collect(),
            cause: match &names[..] {
                [name] => Some((*name).clone()),
                _ => cause.clone(),
            },
            alternatives: self.alternatives,
            contradicted: self.contradicted,
            otherwise: self.otherwise,
            computed: computed(&self.chains, &self.within),
            range: range.filter(|_| matches!(kind, Kind::Numeric | Kind::Default)),
            example,
            rule,
            failing: self.failing,
            of,
            known: self.reason.filter(|_| self.expected >= self.failing),
            former: vec![],
        };
        (share, finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_results::diagnosis::{Cause, Diagnosis};
    use castproof_results::place::Place;
    use castproof_vectors::{AnswerRecord, CastLike, Outcome, OutcomeRecord, QuestionTest};

    fn misplaced(place: Place, to: DType, clause: &str, known: bool) -> Misplaced {
        Misplaced {
            asked: Asked::cast((DType::Int64, to), Attributes::default()),
            sentence: format!("{place}, {}", if known { "old" } else { "not yet known" }),
            place,
            count: 1,
            layout: "contiguous".into(),
            index: None,
            input: None,
            got: None,
            expect: None,
            clause: Some(clause.into()),
            codes: Vec::new(),
            done: None,
            known: known.then(|| "known".into()),
        }
    }

    fn failing(opsets: &[u32], expect: &Outcome) -> Failure {
        Failure {
            suite: Suite::OnnxCast,
            opsets: opsets.to_vec(),
            from: DType::Float32,
            to: DType::Int4,
            attributes: Attributes::default(),
            id: "cast".into(),
            input: Element::code(0x3f80_0000, DType::Float32),
            got: Element::code(2, DType::Int4),
            expect: OutcomeRecord::new(expect, DType::Int4),
            tolerate: None,
            clause: "I4-01".into(),
            cause: None,
            known: None,
        }
    }

    fn cast_like(opset: u32, got: &str) -> Deviation {
        let (from, to, attributes) = (DType::Float32, DType::Int4, Attributes::default());
        let input = Element::code(0x3f80_0000, from);
        let ask = Question::CastLike(CastLike { from, to, attributes, input });
        let expect = AnswerRecord::Outcome(OutcomeRecord::new(&Outcome::Code(1), to));
        let (id, clause) = ("like".to_string(), "I4-01".to_string());
        Deviation {
            verdict: Verdict::Fail,
            asked: Some(Asked::of(&ask).at(Some(opset))),
            id: id.clone(),
            clause: clause.clone(),
            question: "CastLike float32 -> int4 of \"0x3f800000\"".into(),
            opset: Some(opset),
            got: got.into(),
            expected: "0x1 (1)".into(),
            cause: None,
            known: None,
            test: Some(Box::new(QuestionTest {
                id,
                opsets: vec![opset],
                ask,
                expect,
                tolerate: None,
                clause,
                flags: vec![],
            })),
        }
    }

    /// `CastLike` mostly runs the code of `Cast`. What both get wrong in one way is one fault.
    #[test]
    fn a_cast_like_that_fails_as_the_cast_does_is_no_other_finding() {
        let found = |opset, got| {
            let mut results = Results::default();
            results.failures.push(failing(&[21, 23], &Outcome::Code(1)));
            let deviations = vec![cast_like(opset, got)];
            let run = SuiteRun::new(Suite::OnnxCastlike, 1, BTreeMap::new(), deviations);
            results.suites.push(run);
            let found: Vec<_> =
                findings(&results).into_iter().map(|it| (it.kind, it.failing)).collect();
            found
        };
        assert_eq!(found(23, "0x2 (2)"), [(Kind::Numeric, 3)]);
        let apart = [(Kind::Numeric, 2), (Kind::Question, 1)];
        assert_eq!(found(23, "0x3 (3)"), apart, "another result");
        assert_eq!(found(25, "0x2 (2)"), apart, "a version in which the cast is right");
    }

    /// Where the baseline expects what the cast gives and not what `CastLike` gives, the finding
    /// shows what is new.
    #[test]
    fn a_cast_like_that_no_baseline_expects_is_the_example() {
        let example = |known: Option<&str>| {
            let mut results = Results::default();
            let known = known.map(String::from);
            results.failures.push(Failure { known, ..failing(&[23], &Outcome::Code(1)) });
            let deviations = vec![cast_like(23, "0x2 (2)")];
            let run = SuiteRun::new(Suite::OnnxCastlike, 1, BTreeMap::new(), deviations);
            results.suites.push(run);
            let found = findings(&results);
            (found[0].example.asked.suite, found[0].is_new())
        };
        assert_eq!(example(Some("known")), (Suite::OnnxCastlike, true));
        assert_eq!(example(None), (Suite::OnnxCast, true));
    }

    /// That versions are not told apart is one fault, in however many versions it shows.
    #[test]
    fn what_several_versions_refuse_is_one_finding() {
        let mut results = Results::default();
        for opsets in [&[6, 9][..], &[13]] {
            results.failures.push(failing(opsets, &Outcome::Reject));
        }
        let found = findings(&results);
        let [finding] = &found[..] else { panic!("{} findings", found.len()) };
        assert_eq!((finding.kind, finding.failing), (Kind::Refusal, 3));
        assert_eq!(finding.headline(), "accepts what Cast-6 to Cast-13 refuses");
    }

    /// A method that would have failed what passes is only like the cause.
    #[test]
    fn a_contradicted_cause_explains_nothing() {
        let mut results = Results::default();
        let method = "rounded away from zero".to_string();
        let failure = Failure { cause: Some(method.clone()), ..failing(&[21], &Outcome::Code(1)) };
        results.failures.push(failure);
        for (contradicted, headline) in [
            (0, "rounded away from zero"),
            (2, "like 'rounded away from zero', which would have failed 2 tests that pass"),
        ] {
            let (reproduced, of, alternatives) = (1, 1, vec![]);
            let cause = Cause {
                method: method.clone(),
                reproduced,
                of,
                contradicted,
                otherwise: 0,
                alternatives,
            };
            results.diagnoses = vec![Diagnosis {
                suite: Suite::OnnxCast,
                from: DType::Float32,
                to: DType::Int4,
                verdict: Verdict::Fail,
                deviations: 1,
                passes: 5,
                causes: vec![cause],
            }];
            let finding = &findings(&results)[0];
            assert_eq!(
                (finding.headline(), finding.is_explained()),
                (headline.into(), contradicted == 0)
            );
        }
    }

    /// A place is one finding of all pairs. Codes beyond the vectors are one finding for each target
    /// and rule. The example is one that the baseline does not expect.
    #[test]
    fn places_are_grouped_by_what_they_have_in_common() {
        let mut results = Results::default();
        for (place, to, clause, known) in [
            (Place::Lane { lane: 1, of: 4 }, DType::Int64, "II-01", true),
            (Place::Lane { lane: 1, of: 4 }, DType::Uint64, "II-02", false),
            (Place::BeyondVectors, DType::Int64, "II-01", true),
            (Place::BeyondVectors, DType::Int64, "II-01", false),
            (Place::BeyondVectors, DType::Int64, "II-02", false),
            (Place::BeyondVectors, DType::Uint64, "II-02", true),
        ] {
            results.misplaced.push(misplaced(place, to, clause, known));
        }
        let mut found: Vec<_> = findings(&results)
            .into_iter()
            .map(|it| (it.example.sentence.clone(), it.headline(), it.failing, it.is_new()))
            .collect();
        found.sort();
        let due = [
            ("codes beyond the vectors, not yet known", "codes beyond the vectors", 1, true),
            ("codes beyond the vectors, not yet known", "codes beyond the vectors", 2, true),
            ("codes beyond the vectors, old", "codes beyond the vectors", 1, false),
            ("lane 1 of 4, not yet known", "lane 1 of 4", 2, true),
        ];
        let due = due.map(|(said, headline, failing, is_new)| {
            (said.to_string(), headline.to_string(), failing, is_new)
        });
        assert_eq!(found, due);
    }
}
