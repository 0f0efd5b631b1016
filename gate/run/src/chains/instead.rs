//! The rows of casts by which a broken optimiser replaces another.

use castproof_methods::{Rewrite, Rewritten, Step, rewritten};

/// Returns the rows of casts to which those of some rewrites change this one, each once.
pub(super) fn instead(steps: &[Step], is_asked: impl Fn(Rewrite) -> bool) -> Vec<Vec<Step>> {
    let mut all: Vec<Vec<Step>> = Vec::new();
    for Rewritten { rewrite, steps: left, .. } in rewritten(steps) {
        if is_asked(rewrite) && left != steps && !all.contains(&left) {
            all.push(left);
        }
    }
    all
}
