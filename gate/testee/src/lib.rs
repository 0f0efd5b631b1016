//! Implementations under test: one in this process, all others behind a pipe.
#![deny(unsafe_code)]

pub mod adapter;
#[cfg(feature = "builtin")]
pub mod builtin;
mod connection;
mod form;
mod group;
#[cfg(unix)]
mod guarded;
pub mod judged;
pub mod launch;
pub mod library;
#[cfg(unix)]
pub mod memory;
pub mod process;
pub mod protocol;
mod question;
pub mod serve;
pub mod subject;
mod testee;
mod trespass;

pub use form::{Chain, Feature, Form, Layout};
#[cfg(unix)]
pub use guarded::Guarded;
pub use question::elements;
pub use subject::{Subject, start};
pub use testee::{BROKE_PROTOCOL, Identity, Make, Reply, Returned, Testee};
pub use trespass::Trespass;
