//! Words for the tensors and elements of findings of places.

use super::plan::Arrangement;
use crate::ask::Said;
use crate::tensor::Way;
use castproof_check::verdict::Verdict;
use castproof_results::asked::Asked;
use castproof_results::place::{Place, TensorCounts};
use castproof_results::{Arranged, Misplaced};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the counts of these tensors; there is at least one.
pub(super) fn counts_of(tensors: &[Arrangement]) -> TensorCounts {
    let is_scalar =
        |tensor: &Arrangement| matches!(&tensor.way, Way::Formed(form) if form.shape.is_empty());
    if tensors.iter().all(is_scalar) {
        return TensorCounts::Scalar;
    }
    let counts: BTreeSet<usize> = tensors.iter().map(|tensor| tensor.count).collect();
    let (first, last) = (counts.first(), counts.last());
    let (first, last) = first.copied().zip(last.copied()).unwrap_or_default();
    match counts.len() {
        ..=1 => TensorCounts::One(first),
        counts => TensorCounts::Several { counts, first, last },
    }
}

/// `, strided in shape [5, 13]`; empty for a contiguous tensor of rank 1.
pub(super) fn described(way: &Way) -> String {
    if *way == Way::Plain { String::new() } else { format!(", {}", way.layout()) }
}

/// `elements 0, 16..18`, at most four runs.
pub(super) fn runs(indices: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &index in indices {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => runs.push((index, index)),
        }
    }
    let shown = runs.iter().take(4).map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}..{last}"),
    });
    let shown: Vec<String> = shown.collect();
    let more = if runs.len() > 4 { " and more" } else { "" };
    let noun = if indices.len() == 1 { "element" } else { "elements" };
    format!("{noun} {}{more}", shown.join(", "))
}

/// After this many crashes and timeouts the rest of a request is not asked.
const MOST_DEATHS: u64 = 3;

/// Tensors that were not answered, by what was said instead.
#[derive(Default)]
pub(super) struct Silent {
    tensors: BTreeMap<Said, Vec<Arrangement>>,
    /// How often the testee crashed or timed out.
    deaths: u64,
}

impl Silent {
    /// Notes a tensor without an answer. The testee may refuse any tensor except a plain one as
    /// unsupported.
    pub(super) fn note(&mut self, tensor: Arrangement, said: Said, tally: &mut Arranged) {
        let may_refuse = matches!(tensor.way, Way::Formed(_) | Way::DirtyPadding);
        if said.0 == Verdict::Unsupported && may_refuse {
            tally.unsupported += 1;
            return;
        }
        self.deaths += u64::from(said.0 > Verdict::Error);
        self.tensors.entry(said).or_default().push(tensor);
    }

    /// Did the testee die so often that the rest of the request is not asked?
    pub(super) fn is_given_up(&self) -> bool {
        self.deaths >= MOST_DEATHS
    }

    pub(super) fn findings(&self, asked: Asked) -> impl Iterator<Item = Misplaced> {
        self.tensors.iter().map(move |(said, tensors)| unanswered(asked, said, tensors))
    }
}

/// Makes the finding of tensors that were not answered; there is at least one.
pub(super) fn unanswered(
    asked: Asked,
    (verdict, message): &Said,
    tensors: &[Arrangement],
) -> Misplaced {
    let counts = counts_of(tensors);
    let of_memory = message.strip_prefix("memory: ").and_then(|place| place.parse().ok());
    let (place, sentence) = match of_memory {
        Some(place) => {
            let sentence = format!("{place}, {counts}");
            (place, sentence)
        }
        None => {
            let sentence = format!("{}: {message}, {counts}", verdict.name());
            (Place::Unanswered(*verdict, counts), sentence)
        }
    };
    misplaced(asked, place, &tensors[0], sentence)
}

/// Makes a finding that names no element yet.
pub(super) fn misplaced(
    asked: Asked,
    place: Place,
    tensor: &Arrangement,
    sentence: String,
) -> Misplaced {
    Misplaced {
        asked,
        place,
        sentence,
        count: tensor.count as u64,
        layout: tensor.way.layout(),
        index: None,
        input: None,
        got: None,
        expect: None,
        clause: None,
        codes: Vec::new(),
        done: None,
        known: None,
    }
}
