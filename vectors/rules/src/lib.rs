//! The rule book: every numbered statement that an expectation can cite.
//!
//! The entries are in `spec/rules`, one file for each family. `cargo xtask generate rules`
//! generates from them the constants of [`ids`], the table behind [`RuleId::rule`],
//! `data/rules.json` with its schema, and `docs/rules.md`.
#![forbid(unsafe_code)]

mod entry;
mod find;
#[rustfmt::skip]
pub mod ids;
mod record;
#[rustfmt::skip]
mod table;

pub use entry::{Basis, Rule, RuleId, RuleSource, SpecRange};
pub use find::{find_rule, rules};
pub use record::{RULES_FORMAT, RangeRecord, RuleRecord, RulesFile, SourceRecord};
