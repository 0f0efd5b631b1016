//! What is known of one cast of a runtime: as which specification it casts, and the elements that it
//! casts otherwise.

use castproof_vectors::Element;
use std::collections::{BTreeMap, HashMap};

/// Bits of the filter that passes over codes which are not known.
const FILTER: usize = 1 << 14;

/// How often a cast may be taken for one of another specification.
pub(super) const MOST_CHANGES: u8 = 4;

/// What is known of one cast.
#[derive(Clone, Default)]
pub(super) struct Learnt {
    /// The number of the specification among the methods of the recording; 0: the one that is asked.
    pub(super) method: usize,
    /// How often it was changed.
    pub(super) changes: u8,
    codes: HashMap<u64, u64>,
    filter: Vec<u64>,
    /// The same for casts from or to strings.
    pub(super) texts: BTreeMap<Element, Element>,
}

/// The place of a code in the filter.
fn place(code: u64) -> usize {
    (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50) as usize % FILTER
}

impl Learnt {
    /// Begins with a specification.
    pub(super) fn of(method: usize) -> Learnt {
        Learnt { method, ..Learnt::default() }
    }

    /// Is no code known?
    pub(super) fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns what the runtime gives for a code, if it is known.
    pub(super) fn get(&self, code: u64) -> Option<u64> {
        let place = place(code);
        let word = self.filter.get(place / 64).copied().unwrap_or(0);
        if word >> (place % 64) & 1 == 0 { None } else { self.codes.get(&code).copied() }
    }

    /// Learns what the runtime gives for a code.
    pub(super) fn set(&mut self, code: u64, got: u64) {
        if self.filter.is_empty() {
            self.filter = vec![0; FILTER / 64];
        }
        let place = place(code);
        self.filter[place / 64] |= 1 << (place % 64);
        self.codes.insert(code, got);
    }

    /// Begins anew with another specification.
    pub(super) fn change(&mut self, method: usize) {
        let (changes, texts) = (self.changes + 1, std::mem::take(&mut self.texts));
        *self = Learnt { method, changes, texts, ..Learnt::default() };
    }
}
