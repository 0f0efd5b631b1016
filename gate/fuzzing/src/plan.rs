//! The sequence of tensors: each follows only from the seed and its number, not from the answers of
//! the testee or the number of threads.

use anyhow::{Result, anyhow, bail};
use castproof_arrange::forms::forms;
use castproof_arrange::tensor::{Tensor, Way, padding};
use castproof_check::arrange::{EVERY, scale};
use castproof_check::fuzz::{Draw, Random};
use castproof_methods::Step;
use castproof_run::graph::Graph;
use castproof_run::made::is_answered;
use castproof_testee::{Feature, Form, Layout};
use castproof_vectors::{
    Attributes, DType, NEWEST, Operator, Request, RoundMode, Spec, Suite, element_count, resolve,
    type_set, versions,
};

/// Most tensors have a count up to this one: enough for two vectors of 64 elements and a tail.
const COUNTS: usize = 130;

/// The largest count of most of the others. One tensor of some thousands goes beyond it.
const LONGEST: usize = 1 << 13;

/// The largest count of all.
const LARGEST: usize = 1 << 17;

/// Of so many tensors `CastLike` is asked for one, the one of this number.
const LIKE: (u64, u64) = (8, 5);

/// Most elements of a chain.
const CHAIN: usize = 64;

/// The pair whose casts change nothing.
const STRINGS: (DType, DType) = (DType::String, DType::String);

/// The constant parts of a sequence.
pub(super) struct Sequence {
    seed: u64,
    suite: Suite,
    pairs: Vec<Vec<Vec<Request>>>,
    /// The requests of `CastLike` of each pair; none for a profile.
    likes: Vec<Vec<Vec<Request>>>,
    features: Vec<Feature>,
}

/// A chain whose elements follow from the answers of its first cast.
pub(super) struct Drawn {
    pub(super) graph: Graph,
    pub(super) codes: Vec<u64>,
}

impl Sequence {
    /// Plans all requests of these pairs in a suite of casts, except those that must be refused; no
    /// named pair means every pair.
    ///
    /// # Errors
    /// If the operator set or the profile has no such pair, it is strings to strings, or an operator set is named for
    /// a profile.
    pub(super) fn new(
        seed: u64,
        (suite, named): (Suite, &[(DType, DType)]),
        opset: Option<u32>,
        features: Vec<Feature>,
    ) -> Result<Sequence> {
        if named.contains(&STRINGS) {
            bail!("string:string copies texts; fuzzing draws numerals, so name a numeric dtype");
        }
        if suite != Suite::OnnxCast && opset.is_some() {
            bail!("{} has no versions; leave --opset out", suite.name());
        }
        let only = opset.map(|opset| resolve(Operator::Cast, opset)).transpose();
        let only = only.map_err(|error| anyhow!(error))?;
        let specs = match only.zip(opset) {
            Some((_, opset)) => vec![Spec::cast(opset)],
            None => suite.specs(versions(Operator::Cast)),
        };
        let every = || DType::NUMERIC.iter().copied().chain([DType::String]);
        let pairs = || every().flat_map(|from| every().map(move |to| (from, to)));
        let wanted: Vec<(DType, DType)> = match named {
            [] => pairs().filter(|pair| *pair != STRINGS).collect(),
            named => named.to_vec(),
        };
        let like_specs: Vec<Spec> = match (suite, opset) {
            (Suite::OnnxCast, Some(opset)) => vec![opset],
            (Suite::OnnxCast, None) => versions(Operator::CastLike).to_vec(),
            _ => Vec::new(),
        }
        .into_iter()
        .filter(|&opset| resolve(Operator::CastLike, opset).is_ok())
        .map(|opset| Spec::Onnx { op: Operator::CastLike, opset })
        .collect();
        let (mut pairs, mut likes) = (Vec::new(), Vec::new());
        for (from, to) in wanted {
            let of_pair = requests((from, to), &specs);
            if of_pair.is_empty() && !named.is_empty() {
                let whose =
                    opset.map_or_else(|| suite.name().into(), |opset| format!("opset {opset}"));
                bail!("{whose} has no cast from {from} to {to}");
            }
            if !of_pair.is_empty() {
                pairs.push(of_pair);
                let is_text = [from, to].contains(&DType::String);
                let specs = if is_text { &[][..] } else { &like_specs };
                likes.push(requests((from, to), specs));
            }
        }
        Ok(Sequence { seed, suite, pairs, likes, features })
    }

    /// Returns the number of requests.
    pub(super) fn requests(&self) -> usize {
        self.pairs.iter().chain(&self.likes).flatten().map(Vec::len).sum()
    }

    /// Returns the request of a tensor, and the random numbers for the rest of it. At least half of
    /// the requests are of the newest version, and at least half are without attributes.
    pub(super) fn request(&self, number: u64) -> (Request, Random) {
        let seed = self.seed.to_le_bytes().into_iter().chain(number.to_le_bytes());
        let mut random = Random::of(seed);
        let pair = random.below(self.pairs.len());
        let is_like = number % LIKE.0 == LIKE.1 && !self.likes[pair].is_empty();
        let of_pair = if is_like { &self.likes[pair] } else { &self.pairs[pair] };
        let newest = of_pair.len() - 1;
        let version = if random.below(2) == 0 { newest } else { random.below(of_pair.len()) };
        let of_version = &of_pair[version];
        // The first request is the one without attributes.
        let request = if random.below(2) == 0 { &of_version[0] } else { random.one_of(of_version) };
        (*request, random)
    }

    /// Is a chain asked instead of a tensor? One in eight is, if the testee takes chains. Chains are
    /// graphs of ONNX, so none has casts of a profile.
    pub(super) fn is_chain(&self, number: u64) -> bool {
        let takes_chains = self.features.contains(&Feature::Chain);
        number % 8 == 7 && takes_chains && self.suite == Suite::OnnxCast
    }

    /// Makes a chain that starts with a request from [`Sequence::request`].
    pub(super) fn chain(&self, draw: &Draw, mut random: Random) -> Drawn {
        let Request { spec, from, to, attributes } = *draw.request();
        let opset = spec.opset().unwrap_or(NEWEST);
        let set = resolve(Operator::Cast, opset)
            .map_or_else(|_| Vec::new(), |version| type_set(Operator::Cast, version));
        let last: Vec<DType> =
            DType::NUMERIC.iter().copied().filter(|it| set.contains(it)).collect();
        let second =
            Step { from: to, to: *random.one_of(&last), attributes: Attributes::default() };
        let steps = vec![Step { from, to, attributes }, second];
        let graph = Graph { steps, operators: Vec::new(), opset };
        let count = 1 + random.below(CHAIN);
        let mut codes = draw.batch(&mut random, count);
        codes.sort_unstable();
        codes.dedup();
        Drawn { graph, codes }
    }

    /// Makes a tensor for a request from [`Sequence::request`].
    pub(super) fn tensor(&self, draw: &Draw, mut random: Random) -> Tensor {
        let request = *draw.request();
        let random = &mut random;
        if random.below(6) == 0 {
            let mut forms = forms((request.from, request.to), &self.features, random);
            forms.retain(|form| element_count(&form.shape).is_ok_and(|count| count <= LONGEST));
            if !forms.is_empty() {
                return formed(draw, random.one_of(&forms).clone(), random);
            }
        }
        let count = count(random);
        let codes = filled(draw, count, random);
        let is_dirty = padding(request.from, codes.len()) != 0 && random.below(4) == 0;
        let way = if is_dirty { Way::DirtyPadding } else { Way::Plain };
        Tensor { way, ..Tensor::plain(request, codes) }
    }
}

/// Returns the requests of a pair by specification, of which the newest version is the last. The first
/// request of each has no attribute.
fn requests((from, to): (DType, DType), specs: &[Spec]) -> Vec<Vec<Request>> {
    let of_spec = |&spec: &Spec| {
        let with = |attributes| Request::new(spec, from, to).with(attributes);
        attributes().into_iter().map(with).filter(is_answered).collect::<Vec<_>>()
    };
    specs.iter().map(of_spec).filter(|requests| !requests.is_empty()).collect()
}

/// Returns every combination of attributes, given or left out; the first gives none. Most
/// specifications refuse some.
fn attributes() -> Vec<Attributes> {
    let modes = [None].into_iter().chain(RoundMode::ALL.map(Some));
    let with = |round_mode| {
        [None, Some(false), Some(true)].map(|saturate| Attributes { saturate, round_mode })
    };
    modes.flat_map(with).collect()
}

fn count(random: &mut Random) -> usize {
    match random.below(16) {
        0 => random.below(8),
        1..=12 => 1 + random.below(COUNTS),
        13 => beside(random, LONGEST),
        14 => scale(random, COUNTS, EVERY),
        _ if random.below(500) == 0 => scale(random, LONGEST, LARGEST),
        _ => scale(random, EVERY, LONGEST),
    }
}

/// Returns a power of two up to `most`, or a count beside it.
fn beside(random: &mut Random, most: usize) -> usize {
    let power = 1 << (3 + random.below(most.ilog2() as usize - 2));
    power - 1 + random.below(3)
}

/// Returns `count` codes: many different ones, or few, down to one code everywhere.
fn filled(draw: &Draw, count: usize, random: &mut Random) -> Vec<u64> {
    if count == 0 {
        return Vec::new();
    }
    let few = match random.below(8) {
        0 => 1,
        1 => 2,
        2 => 5,
        _ => {
            let mut codes = draw.batch(random, count);
            // The rotation moves the first drawn codes to the body or to the tail.
            codes.rotate_left(random.below(count));
            return codes;
        }
    };
    let few = draw.batch(random, few);
    (0..count).map(|_| *random.one_of(&few)).collect()
}

fn formed(draw: &Draw, form: Form, random: &mut Random) -> Tensor {
    let count = element_count(&form.shape).unwrap_or(0);
    let mut codes = filled(draw, count, random);
    if form.layout == Layout::Broadcast {
        // All rows are the same row.
        let row = element_count(&form.shape[1..]).unwrap_or(1).max(1);
        codes = (0..count).map(|index| codes[index % row]).collect();
    }
    Tensor { way: Way::Formed(form), ..Tensor::plain(*draw.request(), codes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_judge::answers;
    use castproof_vectors::Profile;
    use std::collections::BTreeSet;

    const PAIR: (DType, DType) = (DType::Float32, DType::Float8E4M3FN);

    fn sequence(seed: u64, features: &[Feature]) -> Vec<Tensor> {
        let plan = Sequence::new(seed, (Suite::OnnxCast, &[PAIR]), None, features.to_vec())
            .expect("a plan");
        let tensor = |number| {
            let (request, random) = plan.request(number);
            plan.tensor(&answers::draw(&request).expect("numeric"), random)
        };
        (0..300).map(tensor).collect()
    }

    #[test]
    fn a_seed_gives_one_sequence() {
        assert_eq!(sequence(7, &[]), sequence(7, &[]));
        assert_ne!(sequence(7, &[]), sequence(8, &[]));
    }

    #[test]
    fn tensors_differ_in_all_that_counts() {
        let tensors = sequence(1, &Feature::ALL);
        let requests: BTreeSet<Request> = tensors.iter().map(|tensor| tensor.request).collect();
        let opsets: BTreeSet<_> = requests.iter().map(|it| it.spec.opset()).collect();
        assert_eq!(opsets.len(), 6, "{opsets:?}");
        assert!(requests.iter().any(|it| it.attributes.saturate == Some(false)));
        assert!(requests.iter().all(is_answered));
        let form = |tensor: &Tensor| match &tensor.way {
            Way::Formed(form) => Some(form.clone()),
            _ => None,
        };
        let plain = tensors.iter().filter(|tensor| form(tensor).is_none());
        let counts: BTreeSet<usize> = plain.map(|tensor| tensor.codes.len()).collect();
        assert!(counts.len() > 80 && counts.range(255..).count() > 3, "{counts:?}");
        let layouts = tensors.iter().filter_map(form).map(|it| it.layout.name());
        assert_eq!(layouts.collect::<BTreeSet<_>>().len(), 6);
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let plan_of = |suite, pair, opset| {
            Sequence::new(0, (suite, &[pair]), opset, vec![]).err().map(|it| it.to_string())
        };
        let plan = |pair, opset| plan_of(Suite::OnnxCast, pair, opset);
        let said = plan((DType::String, DType::String), None).expect("an error");
        assert!(said.contains("string:string copies texts"), "{said}");
        assert_eq!(plan((DType::String, DType::Float32), None), None);
        let said = plan(PAIR, Some(13)).expect("an error");
        assert!(said.contains("opset 13 has no cast from float32 to float8e4m3fn"), "{said}");
        let later = NEWEST + 1;
        let said = plan(PAIR, Some(later)).expect("an error");
        assert!(said.contains(&format!("opset {later} is not known")), "{said}");
        assert_eq!(plan(PAIR, Some(22)), None);
        let java = Suite::Profile(Profile::JavaCast);
        let said = plan_of(java, PAIR, None).expect("an error");
        assert!(said.contains("java-cast has no cast from float32 to float8e4m3fn"), "{said}");
        let said = plan_of(java, (DType::Float32, DType::Int8), Some(25)).expect("an error");
        assert!(said.contains("java-cast has no versions"), "{said}");
    }
}
