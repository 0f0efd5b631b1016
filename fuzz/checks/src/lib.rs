//! The assertions of the fuzz targets, without the engine that feeds them, so that the same inputs
//! replay on stable Rust. A target is an input type, decoded from bytes by `arbitrary`, and a
//! `check_*` function, which panics if something is wrong.
//!
//! | target | asserts |
//! |---|---|
//! | [`cast`](check_cast) | elements over any request are what the oracle expects, alone and in slices on every backend; refusals agree |
//! | [`slices`](check_slices) | slices of any length and alignment, on every backend, equal their elements, which are what the oracle expects; nothing else is written |
//! | [`packed`](check_packed) | the three statements of packing agree; padding is written zero and never read |
//! | [`vector_file`](check_vector_file) | a good file survives a round trip, a bad one is named in one line |
//! | [`parse`](check_parse) | any text to any dtype is what the oracle expects, or open and an error |
//! | [`print`](check_print) | the text of any code is what the oracle expects, and reads back |
//! | [`promote`](check_promote) | rule and table of promotion agree, and on what becomes of both operands |
//! | [`bitcast`](check_bitcast) | shapes of bitcasts agree, and no bit is lost |
//! | [`block`](check_block) | blocks of any profile have the scale and the elements that the oracle gives, and stand for its numbers |
//! | [`protocol`](check_protocol) | messages survive a round trip, broken ones are named in one line; memory stays bounded |

mod block;
mod cast;
mod input;
mod judge;
mod memory;
mod mutate;
mod mutate_text;
mod packed;
mod prepared;
mod protocol;
mod seeds;
mod shape;
mod slices;
mod text;
mod typed;
mod vector_file;

pub use block::{BlockInput, check_block};
pub use cast::{CastInput, check_cast, regression, restated};
pub use input::{
    AttributesInput, Choice, DTypeInput, NUMBERS, RequestInput, decode, is_one_of, is_worth_keeping,
};
pub use mutate::mutate_request;
pub use mutate_text::{mutate_code, mutate_file, mutate_messages, mutate_numeral};
pub use packed::{PackedInput, check_packed};
pub use protocol::{AnswerInput, Conversation, ProtocolInput, SupportedInput, check_protocol};
pub use seeds::{Seed, dictionary, seeds};
pub use shape::{BitcastInput, PromoteInput, check_bitcast, check_promote};
pub use slices::{SlicesInput, check_slices};
pub use text::{ParseInput, PrintInput, check_parse, check_print};
pub use vector_file::{
    Edit, FileInput, GroupInput, OutcomeInput, TestInput, VectorFileInput, check_vector_file,
};

use arbitrary::Result;

/// A fuzz target: its name, and the function that runs one input.
pub type Target = (&'static str, fn(&[u8]) -> Result<()>);

/// Every fuzz target.
pub const TARGETS: [Target; 10] = [
    ("cast", |bytes| decode(bytes).map(|input| check_cast(&input))),
    ("slices", |bytes| decode(bytes).map(|input| check_slices(&input))),
    ("packed", |bytes| decode(bytes).map(|input| check_packed(&input))),
    ("vector_file", |bytes| decode(bytes).map(|input| check_vector_file(&input))),
    ("parse", |bytes| decode(bytes).map(|input| check_parse(&input))),
    ("print", |bytes| decode(bytes).map(|input| check_print(&input))),
    ("promote", |bytes| decode(bytes).map(|input| check_promote(&input))),
    ("bitcast", |bytes| decode(bytes).map(|input| check_bitcast(&input))),
    ("block", |bytes| decode(bytes).map(|input| check_block(&input))),
    ("protocol", |bytes| decode(bytes).map(|input| check_protocol(&input))),
];
