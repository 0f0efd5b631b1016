//! Framing of `castproof-testee/1`: each message is one line of JSON, followed by a payload of
//! `bytes` bytes if the header says so.
//!
//! This module has both ends. Reading any input never panics, never holds more than [`MAX_LINE`]
//! bytes of a line, and never allocates a payload before its length has been compared with what was
//! asked.

mod frame;
mod gate_end;
mod length;
mod message;
mod project;
mod testee_end;
mod wire;

pub use frame::{FrameError, MAX_LINE};
pub use gate_end::{
    read_answer, read_hello, read_question_answer, went_on, write_bye, write_chain, write_hello,
    write_question, write_request,
};
pub use length::Length;
pub use message::{Hello, Incoming, MAX_PAYLOAD, PROTOCOL, Supported, TesteeAnswer};
pub use project::write_project;
pub use testee_end::{
    read_greeting, read_incoming, write_answer, write_hello_answer, write_question_answer,
};

#[cfg(test)]
mod tests;
