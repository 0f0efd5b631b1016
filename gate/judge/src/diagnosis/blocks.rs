//! What a quantiser of blocks does: the methods that give every answer of blocks that are asked alike.
//!
//! The scale and the elements are explained apart. The scale follows from the numbers alone, and an
//! element from its number and the scale that came back. So two changes of each are tried, and what
//! zero, infinity and NaN make of the scale is read off the answers.

use crate::blocks::block_of;
use castproof_check::verdict::Verdict;
use castproof_methods::blocks::{
    BlockChange, Enters, GroupMethod, Largest, NAN_ELEMENTS, NanScale, Numbers, PowerMethod,
    StepMethod, element_changes, group_changes, scale_changes, step_changes,
};
use castproof_quantised::block::block_size;
use castproof_results::diagnosis::MOST_ALTERNATIVES;
use castproof_testee::Returned;
use castproof_vectors::{BlockProfile, DType, QuantizeBlock, landmarks};
use std::collections::BTreeSet;
use std::mem::discriminant;

/// A block as it was asked, and what came back.
#[derive(Clone, Debug)]
pub struct SeenBlock {
    /// The question.
    pub block: QuantizeBlock,
    /// The numbers.
    pub numbers: Numbers,
    /// The code of the scale that came back.
    pub scale: u64,
    /// The codes of the elements that came back.
    pub elements: Vec<u64>,
    /// Is the answer wrong?
    pub fails: bool,
}

impl SeenBlock {
    /// Reads an answer; `None` if it is no scale with elements.
    pub fn new(block: &QuantizeBlock, returned: &Returned, verdict: Verdict) -> Option<SeenBlock> {
        let (scale, elements) = block_of(block, &returned.bytes)?;
        let numbers = Numbers::new(block.from, block.codes().ok()?)?;
        let fails = verdict == Verdict::Fail;
        Some(SeenBlock { block: block.clone(), numbers, scale, elements, fails })
    }

    /// Does a method of a profile give this answer?
    pub fn is_of(&self, method: &PowerMethod) -> bool {
        let element =
            |(&code, got): (&u64, &u64)| match method.element(&self.numbers, code, self.scale) {
                Some(due) => due == *got,
                None => is_nan(self.block.scale, self.scale),
            };
        method.scale(&self.numbers) == self.scale
            && self.numbers.codes().iter().zip(&self.elements).all(element)
    }

    /// Does a method with a scale of the tensor give this answer?
    pub fn is_of_steps(&self, method: &StepMethod) -> bool {
        let SeenBlock { block, numbers, .. } = self;
        let tensor = block.largest.map_or(0, |code| code.value());
        let Some((due, codes)) = method.quantise((block.from, block.to), numbers, tensor) else {
            return false;
        };
        self.is((due, &codes))
    }

    /// Does a method of groups give this answer?
    pub fn is_of_group(&self, method: &GroupMethod) -> bool {
        let given = method.quantise(self.block.to, &self.numbers);
        given.is_some_and(|(due, codes)| self.is((due, &codes)))
    }

    /// Are these its scale and its elements, but for the open ones?
    fn is(&self, (due, codes): (u64, &[Option<u64>])) -> bool {
        let SeenBlock { block, scale, elements, .. } = self;
        let has_scale = due == *scale || is_nan(block.scale, due) && is_nan(block.scale, *scale);
        has_scale && codes.iter().zip(elements).all(|(due, got)| due.is_none_or(|due| due == *got))
    }
}

/// Says what a quantiser does otherwise than a profile, if a method is known that gives all of these
/// answers, the right ones included. Where methods that are not the same all do, each is said. The
/// blocks have the same dtypes.
pub fn explain(profile: BlockProfile, seen: &[SeenBlock]) -> Option<String> {
    let seen = failing_first(seen);
    let block = &seen.first()?.block;
    if let Some(base) = PowerMethod::of(profile, block.to) {
        let methods = power_methods(base, &seen);
        let words = methods.iter().map(|(method, shows)| method.words(&base, *shows).join("; "));
        let said: Vec<String> = words.collect();
        return (!said.is_empty()).then(|| said.join("; or: "));
    }
    if let Some(base) = GroupMethod::of(profile) {
        return Some(group_method(base, &seen)?.words(&base).join("; "));
    }
    let base = StepMethod::of(profile)?;
    Some(step_method(base, &seen)?.words(&base).join("; "))
}

/// Returns the simplest method with a scale of the tensor that gives these answers.
fn step_method(base: StepMethod, seen: &[&SeenBlock]) -> Option<StepMethod> {
    let changed = combined(step_changes(), discriminant);
    let methods = changed.map(|changes| changes.iter().fold(base, |it, change| it.with(*change)));
    let mut methods =
        methods.map(|method| StepMethod { zero: zero_scale(&method, seen), ..method });
    methods.find(|method| seen.iter().all(|seen| seen.is_of_steps(method)))
}

/// Returns the simplest method of groups that gives these answers.
fn group_method(base: GroupMethod, seen: &[&SeenBlock]) -> Option<GroupMethod> {
    let changed = combined(group_changes(), discriminant);
    let methods = changed.map(|changes| changes.iter().fold(base, |it, change| it.with(*change)));
    let zeros: Vec<&&SeenBlock> = seen.iter().filter(|seen| seen.numbers.is_zero()).collect();
    let first = zeros.first().map(|seen| seen.scale);
    let first = first.filter(|first| zeros.iter().all(|seen| seen.scale == *first));
    let others = || seen.iter().filter(|seen| !seen.numbers.is_zero());
    let mut methods = methods.filter(|method| others().all(|seen| seen.is_of_group(method)));
    // A scale of zeros that is none of the steps is a change of its own.
    methods.find_map(|method| {
        let with = GroupMethod { zero: first, ..method };
        [method, with].into_iter().find(|it| zeros.iter().all(|seen| seen.is_of_group(it)))
    })
}

/// Says which rule a quantiser follows, by the profile that is nearest to it and what it does
/// otherwise; `None` if none is known.
pub fn follows(seen: &[SeenBlock]) -> Option<String> {
    let seen = failing_first(seen);
    let QuantizeBlock { to, largest, block_size: asked, .. } = seen.first()?.block;
    let of_size = |it: &BlockProfile| block_size(*it) as u64 == asked;
    let words = BlockProfile::ALL.into_iter().filter(of_size).filter_map(|profile| {
        if let Some(base) = GroupMethod::of(profile) {
            return follows_group(base, profile, &seen);
        }
        match largest {
            None => follows_power(PowerMethod::of(profile, to)?, profile, &seen),
            Some(_) => follows_steps(StepMethod::of(profile)?, profile, &seen),
        }
    });
    Some(words.min_by_key(Vec::len)?.join("; "))
}

/// Says what a quantiser does otherwise than a profile whose scale is a power of two.
fn follows_power(
    base: PowerMethod,
    profile: BlockProfile,
    seen: &[&SeenBlock],
) -> Option<Vec<String>> {
    let (method, shows_nan) = power_methods(base, seen).into_iter().next()?;
    let own = match (method.exponent == base.exponent, method.exponent.profile(base.to)) {
        (true, _) => Some(profile.name().to_string()),
        (false, None) => None,
        (false, Some(_)) => return None, // said by that profile itself
    };
    Some(own.into_iter().chain(method.words(&base, shows_nan)).collect())
}

/// Says what a quantiser does otherwise than a profile of groups whose scales have the dtype that came back.
fn follows_group(
    base: GroupMethod,
    profile: BlockProfile,
    seen: &[&SeenBlock],
) -> Option<Vec<String>> {
    let is_byte = seen.first()?.block.scale == DType::Float8E8M0;
    let method = (is_byte == base.is_byte).then(|| group_method(base, seen)).flatten()?;
    Some(std::iter::once(profile.name().to_string()).chain(method.words(&base)).collect())
}

/// Says what a quantiser does otherwise than a profile with a scale of the tensor.
fn follows_steps(
    base: StepMethod,
    profile: BlockProfile,
    seen: &[&SeenBlock],
) -> Option<Vec<String>> {
    // Other steps are said by their own profile.
    let method = step_method(base, seen).filter(|it| it.steps == profile)?;
    Some(std::iter::once(profile.name().to_string()).chain(method.words(&base)).collect())
}

/// Most methods are ruled out by what fails.
fn failing_first(seen: &[SeenBlock]) -> Vec<&SeenBlock> {
    let mut seen: Vec<&SeenBlock> = seen.iter().collect();
    seen.sort_by_key(|seen| !seen.fails);
    seen
}

/// Returns no change, each change alone, then each two of different axes.
fn combined<'a, T: Copy, A: PartialEq + 'a>(
    changes: &'a [T],
    axis: fn(&T) -> A,
) -> impl Iterator<Item = Vec<T>> + 'a {
    let one = changes.iter().map(|change| vec![*change]);
    let two = changes.iter().enumerate().flat_map(move |(at, first)| {
        let others = changes[at + 1..].iter().filter(move |other| axis(first) != axis(other));
        others.map(move |second| vec![*first, *second])
    });
    std::iter::once(Vec::new()).chain(one).chain(two)
}

fn changed(base: PowerMethod, changes: &[BlockChange]) -> PowerMethod {
    changes.iter().fold(base, |method, change| method.with(*change))
}

/// Returns methods that give these answers, the simplest first, each with whether the answers show what a
/// NaN becomes. Of methods whose scales are the same, the simplest stays.
fn power_methods(base: PowerMethod, seen: &[&SeenBlock]) -> Vec<(PowerMethod, bool)> {
    let size = seen.first().map_or(0, |seen| seen.block.block_size as usize);
    let mut known: Vec<(Enters, Vec<u64>)> = Vec::new();
    let mut found = Vec::new();
    for changes in combined(&scale_changes(size), discriminant) {
        let method = changed(base, &changes);
        let Some(method) = with_specials(method, seen) else { continue };
        let scales = (method.enters, told_by(&method));
        if known.contains(&scales) {
            continue;
        }
        known.push(scales);
        found.extend(with_elements(method, seen));
        if changes.is_empty() || found.len() > MOST_ALTERNATIVES {
            break;
        }
    }
    found
}

/// Returns the scales of largest magnitudes that tell rules apart: every 64th of a binade, with both
/// neighbours, among normal numbers and where the scale is smallest.
fn told_by(method: &PowerMethod) -> Vec<u64> {
    let sixty_fourths = (0..64u64).flat_map(|part| {
        let first = part << 17;
        [first.saturating_sub(1), first, first + 1]
    });
    let codes =
        sixty_fourths.flat_map(|it| [0x41 << 24, 0x0400_0000, 0x7f00_0000].map(|at| at | it));
    let numbers = codes.filter_map(|code| Numbers::new(DType::Float32, vec![code]));
    numbers.map(|it| method.scale_of(&it.largest(Enters::All, method.largest))).collect()
}

/// Returns the method with the change of elements that gives those that came back, and whether they
/// show what a NaN becomes.
fn with_elements(method: PowerMethod, seen: &[&SeenBlock]) -> Option<(PowerMethod, bool)> {
    let Elements { of_nan, of_numbers } = Elements::of(seen);
    let shows_nan = !of_nan.is_empty();
    // What the profile says comes first.
    let elements = method.nan_element.into_iter().chain(NAN_ELEMENTS);
    let mut methods = elements.map(|it| PowerMethod { nan_element: Some(it), ..method });
    let method = match shows_nan {
        true => methods.find(|method| of_nan.iter().all(|it| it.is_of(method)))?,
        false => method,
    };
    let (right, wrong): (Vec<&Element<'_>>, Vec<&Element<'_>>) =
        of_numbers.iter().partition(|it| it.is_of(&method));
    let mut methods = combined(element_changes(), discriminant).map(|it| changed(method, &it));
    let all_are_of = |it: &PowerMethod| wrong.iter().chain(&right).all(|element| element.is_of(it));
    methods.find(all_are_of).map(|method| (method, shows_nan))
}

/// Returns the method with the scales of zero, infinity and NaN that came back, if it then gives the
/// scale of every block.
fn with_specials(mut method: PowerMethod, seen: &[&SeenBlock]) -> Option<PowerMethod> {
    let (mut zero, mut infinity, mut of_nan) = (None, None, Vec::new());
    for seen in seen {
        let largest = seen.numbers.largest(method.enters, method.largest);
        if seen.numbers.has_nan(method.enters) {
            of_nan.push((seen.scale, largest));
        } else if !agrees(&method, &largest, seen.scale, (&mut zero, &mut infinity)) {
            return None;
        }
    }
    let is_code = |code: u64| of_nan.iter().all(|(scale, _)| *scale == code);
    let keeps = matches!(method.nan, NanScale::Code(code) if is_code(code));
    if !keeps {
        let (mut rest_zero, mut rest_infinity) = (zero, infinity);
        let mut rest = of_nan.iter();
        let is_dropped = rest.all(|(scale, largest)| {
            agrees(&method, largest, *scale, (&mut rest_zero, &mut rest_infinity))
        });
        if is_dropped {
            (zero, infinity) = (rest_zero, rest_infinity);
            method.nan = NanScale::Dropped;
        } else {
            let first = of_nan.first()?.0;
            is_code(first).then(|| method.nan = NanScale::Code(first))?;
        }
    }
    method.zero = zero.unwrap_or(method.zero);
    method.infinity = infinity.unwrap_or(method.infinity);
    Some(method)
}

/// Is this the scale of a block with this largest magnitude? Those of zero and of infinity are noted
/// when they come first, and hold from then on.
fn agrees(
    method: &PowerMethod,
    largest: &Largest,
    scale: u64,
    (zero, infinity): (&mut Option<u64>, &mut Option<u64>),
) -> bool {
    match largest {
        Largest::Zero => *zero.get_or_insert(scale) == scale,
        Largest::Infinite => *infinity.get_or_insert(scale) == scale,
        Largest::Finite(_) => method.scale_of(largest) == scale,
    }
}

/// An element that came back for a number under a scale that is one.
#[derive(Clone, Copy)]
struct Element<'a> {
    numbers: &'a Numbers,
    code: u64,
    scale: u64,
    got: u64,
}

impl Element<'_> {
    fn is_of(&self, method: &PowerMethod) -> bool {
        method.element(self.numbers, self.code, self.scale) == Some(self.got)
    }
}

/// The elements that came back, each once.
struct Elements<'a> {
    of_nan: Vec<Element<'a>>,
    of_numbers: Vec<Element<'a>>,
}

impl<'a> Elements<'a> {
    fn of(seen: &[&'a SeenBlock]) -> Elements<'a> {
        let mut known = BTreeSet::new();
        let (mut of_nan, mut of_numbers) = (Vec::new(), Vec::new());
        for SeenBlock { block, numbers, scale, elements, .. } in seen.iter().copied() {
            if is_nan(block.scale, *scale) {
                continue; // its elements are open
            }
            for (&code, &got) in numbers.codes().iter().zip(elements) {
                if known.insert((code, *scale, got)) {
                    let element = Element { numbers, code, scale: *scale, got };
                    let is_of_nan = is_nan(block.from, code);
                    if is_of_nan { of_nan.push(element) } else { of_numbers.push(element) }
                }
            }
        }
        Elements { of_nan, of_numbers }
    }
}

/// Returns the scale of blocks of zeros, if it is always the same one and not what the method gives.
fn zero_scale(method: &StepMethod, seen: &[&SeenBlock]) -> Option<u64> {
    let zeros: Vec<&&SeenBlock> = seen.iter().filter(|seen| seen.numbers.is_zero()).collect();
    let first = zeros.first()?.scale;
    let is_right = zeros.iter().all(|seen| seen.is_of_steps(method));
    (!is_right && zeros.iter().all(|seen| seen.scale == first)).then_some(first)
}

fn is_nan(dtype: DType, code: u64) -> bool {
    landmarks(dtype).is_some_and(|landmarks| landmarks.is_nan(code))
}
