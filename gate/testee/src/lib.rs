//! Implementations under test: one in this process, all others behind a pipe.
//!
//! Without the default features only the other end is left: what a testee in Rust needs to answer
//! behind a pipe ([`serve`], [`protocol`]).
#![deny(unsafe_code)]

#[cfg(feature = "start")]
pub mod adapter;
#[cfg(feature = "builtin")]
pub mod builtin;
#[cfg(feature = "builtin")]
mod builtin_blocks;
#[cfg(feature = "builtin")]
mod builtin_gguf;
#[cfg(feature = "builtin")]
mod builtin_layout;
#[cfg(feature = "builtin")]
mod builtin_linear;
#[cfg(feature = "builtin")]
mod builtin_projection;
#[cfg(feature = "start")]
mod connection;
mod form;
#[cfg(feature = "start")]
mod group;
#[cfg(feature = "start")]
mod guarded;
#[cfg(feature = "start")]
pub mod judged;
#[cfg(feature = "start")]
pub mod launch;
#[cfg(feature = "start")]
pub mod library;
#[cfg(feature = "start")]
mod library_blocks;
mod limits;
mod part;
#[cfg(feature = "start")]
pub mod pipes;
#[cfg(feature = "start")]
pub mod process;
pub mod protocol;
mod question;
#[cfg(feature = "start")]
pub mod release;
pub mod serve;
#[cfg(feature = "start")]
pub mod subject;
mod testee;
#[cfg(feature = "start")]
mod within;

pub use form::{Chain, Codes, Feature, Form, Layout};
#[cfg(feature = "start")]
pub use guarded::Guarded;
pub use limits::Limits;
pub use part::Part;
pub use question::elements;
#[cfg(feature = "start")]
pub use subject::{Subject, start};
#[cfg(feature = "start")]
pub use testee::Make;
pub use testee::{BROKE_PROTOCOL, Identity, Reply, Returned, Testee};
#[cfg(feature = "start")]
pub use within::Within;
