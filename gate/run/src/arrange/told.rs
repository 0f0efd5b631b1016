//! Words for the tensors and elements of findings of places.

use super::Said;
use super::plan::{Tensor, Way};
use castproof_check::verdict::Verdict;
use castproof_judge::asked::Asked;
use castproof_judge::place::{Counts, Place};
use castproof_judge::results::Misplaced;
use castproof_testee::Reply;
use std::collections::BTreeSet;

/// `, strided in shape [5, 13]`; empty for a contiguous tensor of rank 1.
pub(super) fn described(way: &Way) -> String {
    match way {
        Way::Plain => String::new(),
        Way::DirtyPadding => ", ones in the padding bits of the input".into(),
        Way::Placed { input, output } => {
            format!(", input {input} and output {output} bytes after a multiple of 64")
        }
        Way::Formed(form) => {
            let constant = if form.constant { ", a constant" } else { "" };
            let in_place = if form.in_place { ", in place" } else { "" };
            let name = form.layout.name();
            format!(", {name} in shape {:?}{constant}{in_place}", form.shape)
        }
    }
}

/// Returns the counts of these tensors; there is at least one.
pub(super) fn counts_of(tensors: &[Tensor]) -> Counts {
    let is_scalar =
        |tensor: &Tensor| matches!(&tensor.way, Way::Formed(form) if form.shape.is_empty());
    if tensors.iter().all(is_scalar) {
        return Counts::Scalar;
    }
    let counts: BTreeSet<usize> = tensors.iter().map(|tensor| tensor.count).collect();
    let (first, last) = (counts.first(), counts.last());
    let (first, last) = first.copied().zip(last.copied()).unwrap_or_default();
    match counts.len() {
        ..=1 => Counts::One(first),
        counts => Counts::Several { counts, first, last },
    }
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

/// Returns the output of a call that may have panicked, or what was said instead.
pub(super) fn told(reply: std::thread::Result<Reply>) -> Result<Vec<u8>, Said> {
    match reply {
        Ok(reply) => reply.told(),
        Err(_) => panicked(),
    }
}

/// Returns the result of a call that panicked.
pub(super) fn panicked() -> Result<Vec<u8>, Said> {
    Err((Verdict::Crash, "it panicked".into()))
}

/// Makes the finding of tensors that were not answered; there is at least one.
pub(super) fn unanswered(asked: Asked, (verdict, message): &Said, tensors: &[Tensor]) -> Misplaced {
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
    tensor: &Tensor,
    sentence: String,
) -> Misplaced {
    let layout = described(&tensor.way);
    let layout = layout.strip_prefix(", ").unwrap_or("contiguous").to_string();
    Misplaced {
        asked,
        place,
        sentence,
        count: tensor.count as u64,
        layout,
        index: None,
        input: None,
        got: None,
        expect: None,
        clause: None,
        codes: Vec::new(),
        known: None,
    }
}
