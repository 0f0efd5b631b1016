//! `castproof diff-spec`: where two specifications differ, for people.

pub mod between;
pub mod versions;
