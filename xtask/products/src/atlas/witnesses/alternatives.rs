//! The attributes of the casts of a chain.

use castproof_oracle::attribute_sets;
use castproof_vectors::{Attributes, DType, NEWEST, RoundMode};

/// Returns the attributes with which a cast to a dtype is asked: none, and sets that give each
/// attribute that matters another value than its default.
pub(super) fn alternatives(to: DType) -> Vec<Attributes> {
    let sets = attribute_sets(to, NEWEST);
    let has_modes = sets.iter().any(|it| it.round_mode.is_some());
    let is_unusual = |it: &Attributes| match it.round_mode {
        None => !has_modes && it.saturate == Some(false),
        Some(RoundMode::Nearest) => it.saturate == Some(false),
        Some(RoundMode::Down) => it.saturate.is_none(),
        Some(RoundMode::Up | RoundMode::TowardZero | RoundMode::NearestAway) => false,
    };
    let unusual = sets.into_iter().filter(is_unusual);
    std::iter::once(Attributes::default()).chain(unusual).collect()
}
