//! Where in slices a kernel is wrong whose single elements are wrong already.
//!
//! A single element is the tail of a vector loop. A kernel that truncates in its tail alone gives the same wrong codes
//! as one that truncates everywhere, until a wrong code is asked at every place of slices of many counts: with a vector
//! of 8 elements and a count of 19, elements 16 to 18 are wrong and the other 16 are right.

use std::fmt;

/// Elements of the vectors whose tails are known.
const VECTORS: [usize; 7] = [2, 4, 8, 16, 32, 64, 128];

/// Where codes are wrong that are wrong alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere else: an output of one element keeps what was there before.
    Unwritten,
    /// In the elements behind the last whole vector of so many.
    Tail(usize),
    /// In slices of at most so many elements.
    Short(usize),
    /// In some elements of slices.
    Some,
}

impl Place {
    /// Names the place that explains every element of every slice, of which these are the wrong ones. `None`: all of them.
    pub(crate) fn named(slices: &[Vec<bool>]) -> Option<Place> {
        let are = |is_wrong: &dyn Fn(usize, usize) -> bool| {
            slices.iter().all(|slice| {
                let count = slice.len();
                slice.iter().enumerate().all(|(index, &wrong)| wrong == is_wrong(count, index))
            })
        };
        if are(&|_, _| true) {
            return None;
        }
        let is_tail = |vector: usize| are(&|count, index| index >= count / vector * vector);
        if let Some(vector) = VECTORS.into_iter().find(|&vector| is_tail(vector)) {
            return Some(Place::Tail(vector));
        }
        let longest = slices.iter().filter(|slice| slice.contains(&true)).map(Vec::len).max();
        let most = longest.unwrap_or(0);
        Some(if are(&|count, _| count <= most) { Place::Short(most) } else { Place::Some })
    }
}

impl fmt::Display for Place {
    /// ` in the tail of 8, and right before it`, or `: left unwritten`, to follow `12 of 60 codes are wrong`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Unwritten => f.write_str(": left unwritten"),
            Place::Tail(vector) => write!(f, " in the tail of {vector}, and right before it"),
            Place::Short(1) => f.write_str(" alone, and right in slices"),
            Place::Short(most) => {
                write!(f, " in slices of up to {most} elements, and right in longer ones")
            }
            Place::Some => f.write_str(" at some places of slices, and right at others"),
        }
    }
}
