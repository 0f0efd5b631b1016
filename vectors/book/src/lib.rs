//! The book: every answer of every cast, in two forms. The binary form is what programs carry and look
//! answers up in; the JSON form is what programs in other languages read.
//!
//! A program with the book does not need the oracle. Only `cargo xtask generate book` writes the
//! book.
#![forbid(unsafe_code)]

mod atlas;
mod binary;
mod chain;
mod compose;
mod contents;
mod nans;
mod parsed;
mod reader;
mod record;
mod row;
mod witnesses;

pub use atlas::{ATLAS_FORMAT, AtlasFile, ChainRecord, atlas_spec};
pub use binary::{BINARY_FORMAT, FIRST_BINARY_FORMAT, encode};
pub use chain::{ChainDifference, CodeRun, ComparedChain};
pub use compose::{ChainPieces, Composer, Reached};
pub use contents::{Contents, SourceAnswer};
pub use nans::Nans;
pub use reader::{BOOK_BYTES, Book};
pub use record::{
    BOOK_FORMAT, BookAnswer, BookFile, BookPiece, FIRST_BOOK_FORMAT, FOURTH_BOOK_FORMAT,
    PracticeRecord, RequestRecord, SECOND_BOOK_FORMAT, THIRD_BOOK_FORMAT,
};
pub use witnesses::{CHAINS_FORMAT, ChainsFile, WitnessRecord};
