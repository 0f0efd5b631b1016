//! From failing tests to findings.

use super::{Example, Finding, Kind, Range};
use crate::asked::{Asked, Side};
use crate::diagnosis::ABSENT;
use crate::place::Place;
use crate::results::{Deviation, Failure, Misplaced, Remark, RemarkKey, Results, SuiteRun};
use castproof_check::numeral::decimal;
use castproof_check::verdict::{Verdict, thousands};
use castproof_check::words;
use castproof_methods::{Casts, Rewrite};
use castproof_vectors::{
    Attributes, DType, Element, OutcomeRecord, Question, Suite, landmarks, sha256_hex,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Hex digits of an id; twice as many if two findings would have the same id.
const ID_DIGITS: usize = 6;

/// The end of a subject without a known cause where only NaN is wrong.
const OF_NAN: &str = " of NaN";

/// How many characters of a message distinguish errors.
const MESSAGE: usize = 80;

/// Returns everything that is wrong: numbers before texts before errors before refusals. Within
/// these, findings that no baseline expects come first, then those that touch most of the domain.
pub fn findings(results: &Results) -> Vec<Finding> {
    let mut gathered = Gathered::default();
    gathered.failures(results);
    for found in &results.misplaced {
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

/// What distinguishes one finding from another; the same in every run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    kind: Kind,
    suite: Suite,
    /// The pair, the target of a family, the version, the place, the rule or the message.
    subject: String,
    cause: Option<String>,
}

impl Key {
    fn id(&self, digits: usize) -> String {
        let Key { kind, suite, subject, cause } = self;
        let cause = cause.as_deref().unwrap_or_default();
        let text = format!("{}\n{}\n{subject}\n{cause}", suite.name(), word(*kind));
        format!("F-{}", &sha256_hex(text.as_bytes())[..digits])
    }
}

/// Returns the word of a kind from which ids are made. It never changes, because ids of files of
/// before stay valid.
const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Numeric => "Numeric",
        Kind::Place => "Place",
        Kind::Default => "Default",
        Kind::Text => "Text",
        Kind::Chain => "Chain",
        Kind::Question => "Question",
        Kind::Error => "Error",
        Kind::Refusal => "Refusal",
    }
}

#[derive(Default)]
struct Gathered {
    groups: BTreeMap<Key, Group>,
}

#[derive(Default)]
struct Group {
    pairs: BTreeSet<(DType, Side)>,
    versions: BTreeSet<u32>,
    attributes: BTreeSet<Attributes>,
    alternatives: Vec<String>,
    chains: BTreeSet<Casts>,
    failing: u64,
    /// Failing tests that the baseline expects, and its reason below.
    expected: u64,
    reason: Option<String>,
    /// The best example so far, by its rank.
    example: Option<(Rank, Example, Option<String>)>,
}

/// The rank of an example, the smallest first: tests that the baseline does not expect, pairs with
/// float32, newer versions, no attributes, positive numbers, few characters, then the order of the
/// text.
type Rank = (bool, bool, Reverse<u32>, bool, bool, usize, String);

impl Gathered {
    fn group(&mut self, key: Key, asked: &Asked) -> &mut Group {
        let group = self.groups.entry(key).or_default();
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
            for asked in failure.asked() {
                let group = self.group(key_of(failure, cause, &asked), &asked);
                group.count(1, failure.known.as_ref());
                let rank = rank(failure, asked.opset.unwrap_or_default());
                group.offer(rank, || example_of(failure, asked), &failure.clause);
            }
        }
        for diagnosis in &results.diagnoses {
            for cause in &diagnosis.causes {
                for (_, group) in self.groups.iter_mut().filter(|(key, group)| {
                    let of_pair = group.pairs.contains(&(diagnosis.from, diagnosis.to.into()));
                    of_pair && key.cause.as_ref() == Some(&cause.method)
                }) {
                    group.alternatives.clone_from(&cause.alternatives);
                }
            }
        }
    }

    fn place(&mut self, found: &Misplaced) {
        let suite = found.asked.suite;
        let clause = found.clause.as_deref().unwrap_or_default();
        // A place is one fault of all pairs. Codes that are wrong everywhere have only their place
        // in the vectors in common.
        let subject = match &found.place {
            Place::BeyondVectors => format!("{} to {} {clause}", found.place, found.asked.to),
            place => place.to_string(),
        };
        let key = Key { kind: Kind::Place, suite, subject, cause: None };
        let group = self.group(key, &found.asked);
        group.count(1, found.known.as_ref());
        let example = || Example {
            asked: found.asked,
            test: None,
            input: found.input.clone(),
            got: found.got.clone(),
            expect: found.expect.clone(),
            place: Some(found.place.clone()),
            sentence: found.sentence.clone(),
        };
        let rank = plain_rank(found.known.is_some(), &found.asked, &found.sentence);
        group.offer(rank, example, clause);
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
            sentence: format!("{shown}{}: {}", key.verdict.name(), key.message),
        };
        let mut rank = plain_rank(remark.expected >= remark.tests, &asked, &shown);
        rank.1 = input.is_none();
        group.offer(rank, example, "");
    }

    fn deviation(&mut self, run: &SuiteRun, deviation: &Deviation) {
        let Deviation { verdict, clause, question, got, .. } = deviation;
        let suite = run.suite;
        let refusal = suite == Suite::OnnxCastlike && deviation.expected == "a refusal";
        let key = match (verdict, deviation.asked.and_then(|asked| asked.opset)) {
            (Verdict::Fail, Some(version)) if refusal => {
                Key { kind: Kind::Refusal, suite, subject: version.to_string(), cause: None }
            }
            (Verdict::Fail, _) => {
                let is_chain = suite == Suite::OnnxChain;
                let kind = if is_chain { Kind::Chain } else { Kind::Question };
                // A rewrite is one piece of code for all dtypes.
                let (subject, cause) = match &deviation.cause {
                    Some(cause) => ("rewritten".into(), Some(cause.clone())),
                    None => (clause.clone(), None),
                };
                Key { kind, suite, subject, cause }
            }
            _ => error_key(suite, *verdict, got),
        };
        let group = match &deviation.asked {
            Some(asked) => self.group(key, asked),
            None => self.groups.entry(key).or_default(),
        };
        group.count(1, deviation.known.as_ref());
        if let Some(Question::Chain(chain)) = deviation.test.as_ref().map(|test| &test.ask) {
            group.chains.insert(Casts { dtypes: chain.dtypes, attributes: chain.attributes });
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
            sentence: deviation.to_string(),
        };
        group.offer(plain_rank(deviation.known.is_some(), &asked, question), example, clause);
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

fn key_of(failure: &Failure, cause: Option<&String>, asked: &Asked) -> Key {
    let (suite, to) = (failure.suite, failure.to);
    if matches!(failure.expect, OutcomeRecord::Reject(_)) {
        let subject = asked.opset.map_or(suite.name().into(), |opset| opset.to_string());
        return Key { kind: Kind::Refusal, suite, subject, cause: None };
    }
    let texts = [failure.from, to].contains(&DType::String);
    let kind = match cause {
        Some(cause) if cause.starts_with(ABSENT) => Kind::Default,
        _ if texts => Kind::Text,
        _ => Kind::Numeric,
    };
    // One wrong method is usually one piece of code for all sources, so these pairs form one
    // family.
    let subject = match cause {
        Some(_) if failure.from == DType::String => "from string".into(),
        Some(_) => format!("to {to}"),
        None if is_nan(failure.from, &failure.input) => format!("{} to {to}{OF_NAN}", failure.from),
        None => format!("{} to {to}", failure.from),
    };
    Key { kind, suite, subject, cause: cause.cloned() }
}

/// Says what chains are computed as: `float64 > int64 > X is computed as float64 > int32 > X`.
/// Dtypes that differ among the chains are letters.
fn computed(cause: &str, chains: &BTreeSet<Casts>) -> Option<String> {
    let first = chains.first()?;
    let rewrite = Rewrite::named(cause, first)?;
    let varies = |at: usize| chains.iter().any(|it| it.dtypes[at] != first.dtypes[at]);
    let varying = (0..3).filter(|&at| varies(at)).count();
    let letters = if varying == 1 { ["X"; 3] } else { ["A", "B", "C"] };
    let names: [&str; 3] =
        std::array::from_fn(|at| if varies(at) { letters[at] } else { first.dtypes[at].name() });
    let dtypes: BTreeSet<[DType; 3]> = chains.iter().map(|it| it.dtypes).collect();
    let count = match dtypes.len() {
        1 => String::new(),
        more => format!(": {} chains", thousands(more as u64)),
    };
    Some(format!("{} is computed as {}{count}", names.join(" > "), rewrite.path(names)))
}

fn is_nan(dtype: DType, input: &Element) -> bool {
    let code = input.as_code().filter(|_| dtype.is_numeric());
    code.is_some_and(|code| landmarks(dtype).is_some_and(|landmarks| landmarks.is_nan(code)))
}

fn error_key(suite: Suite, verdict: Verdict, message: &str) -> Key {
    // Numbers in a message mostly come from the input.
    let mut plain = String::new();
    for c in message.chars().take(MESSAGE) {
        match c.is_ascii_digit() {
            false => plain.push(c),
            true if plain.ends_with('#') => {}
            true => plain.push('#'),
        }
    }
    Key { kind: Kind::Error, suite, subject: format!("{}: {plain}", verdict.name()), cause: None }
}

fn rank(failure: &Failure, opset: u32) -> Rank {
    let text = match failure.input.as_code() {
        Some(code) if failure.from.is_numeric() => decimal(failure.from, code),
        _ => failure.input.text(),
    };
    let negative = text.starts_with('-') || text.ends_with("NaN") || text.ends_with("Inf");
    let given = failure.attributes != Attributes::default();
    let far = failure.from != DType::Float32 && failure.to != DType::Float32;
    let known = failure.known.is_some();
    (known, far, Reverse(opset), given, negative, text.chars().count(), text)
}

fn plain_rank(known: bool, asked: &Asked, text: &str) -> Rank {
    let given = asked.attributes != Attributes::default();
    let opset = asked.opset.unwrap_or_default();
    (known, false, Reverse(opset), given, false, text.chars().count(), text.into())
}

fn example_of(failure: &Failure, asked: Asked) -> Example {
    Example {
        asked,
        test: Some(failure.id.clone()),
        input: Some(failure.input.clone()),
        got: Some(failure.got.clone()),
        expect: Some(failure.expect.clone()),
        place: None,
        sentence: failure.sentence(),
    }
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
        let cells = results.cells.iter().chain(
            results.suites.iter().filter(|run| run.suite == suite).flat_map(|run| &run.cells),
        );
        let asked = cells.filter(|(asked, _)| {
            asked.suite == suite
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
        let finding = Finding {
            id,
            kind,
            suite,
            pairs: self.pairs.into_iter().collect(),
            versions: self.versions.into_iter().collect(),
            attributes: self.attributes.into_iter().collect(),
            cause: cause.clone(),
            alternatives: self.alternatives,
            computed: cause.as_ref().and_then(|cause| computed(cause, &self.chains)),
            range: range.filter(|_| matches!(kind, Kind::Numeric | Kind::Default)),
            example,
            rule,
            failing: self.failing,
            of,
            known: self.reason.filter(|_| self.expected >= self.failing),
        };
        (share, finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            known: known.then(|| "known".into()),
        }
    }

    /// The ids of files of before: digests of these words.
    #[test]
    fn ids_stay() {
        for (kind, id) in [
            (Kind::Numeric, "F-1c17bf"),
            (Kind::Place, "F-3e3d1b"),
            (Kind::Default, "F-2e8bfe"),
            (Kind::Text, "F-9e3329"),
            (Kind::Chain, "F-44eb95"),
            (Kind::Question, "F-6f4b84"),
            (Kind::Error, "F-1d0321"),
            (Kind::Refusal, "F-a73173"),
        ] {
            let (subject, cause) = ("to float16".into(), Some("rounded toward zero".into()));
            let key = Key { kind, suite: Suite::OnnxCast, subject, cause };
            assert_eq!(key.id(ID_DIGITS), id, "{kind:?}");
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
