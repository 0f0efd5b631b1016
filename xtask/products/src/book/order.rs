//! The order of the answers of the book. gzip finds a repeat only within 32 KB, so answers that are
//! alike stand beside each other: it makes packages with the binary book, and the JSON book, smaller.

use std::collections::{BTreeSet, HashMap};

/// What two answers may have in common: lines, and first codes of pieces. Ascending numbers.
type Features = Vec<u32>;

/// Returns the indices of the answers in the order of the book. `answers` holds for each answer the
/// first code and the line of each piece.
///
/// The first answer stays first. Each next one is the most like the one before it of those that are
/// left; the first of several.
pub(super) fn by_likeness(answers: &[&[(String, String)]]) -> Vec<usize> {
    let features = features(answers);
    let mut left: Vec<usize> = (0..answers.len()).collect();
    let mut order = Vec::with_capacity(answers.len());
    let mut next = 0;
    while !left.is_empty() {
        let chosen = left.remove(next);
        order.push(chosen);
        next = 0;
        let mut best = (0, 1);
        for (place, &other) in left.iter().enumerate() {
            let likeness = likeness(&features[chosen], &features[other]);
            // Compares two fractions.
            if likeness.0 * best.1 > best.0 * likeness.1 {
                (best, next) = (likeness, place);
            }
        }
    }
    order
}

/// Numbers the lines and the first codes.
fn features(answers: &[&[(String, String)]]) -> Vec<Features> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |text| -> u32 {
        let next = numbers.len() as u32;
        *numbers.entry(text).or_insert(next)
    };
    let mut all = Vec::with_capacity(answers.len());
    for pieces in answers {
        let mut of: BTreeSet<u32> = BTreeSet::new();
        for (first, line) in *pieces {
            of.extend([number(first), number(line)]);
        }
        all.push(of.into_iter().collect());
    }
    all
}

/// Returns the share of the features of two answers that both have, as a fraction.
fn likeness(one: &Features, other: &Features) -> (usize, usize) {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < one.len() && j < other.len() {
        let (a, b) = (one[i], other[j]);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
        both += usize::from(a == b);
    }
    (both, one.len() + other.len() - both)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes an answer of pieces `first:rest`.
    fn answer(pieces: &[&str]) -> Vec<(String, String)> {
        let piece = |text: &&str| (text[..1].to_owned(), (*text).to_owned());
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn answers_that_are_alike_stand_beside_each_other() {
        let answers = [
            answer(&["0:a", "4:b", "6:c"]),
            answer(&["0:x", "3:y"]),
            answer(&["0:z", "4:x", "6:y"]), // the first codes of 0
            answer(&["0:x", "3:z"]),        // a line and the first codes of 1
            answer(&["0:a", "4:b", "7:c"]), // two lines of 0
            answer(&["9:n"]),               // like nothing
        ];
        let answers: Vec<_> = answers.iter().map(|it| &it[..]).collect();
        assert_eq!(by_likeness(&answers), [0, 4, 2, 1, 3, 5]);
        assert_eq!(by_likeness(&[]), [0; 0]);
    }
}
