//! The book: every answer of every cast in one small file.
//!
//! A program with the book does not need the oracle. Only `cargo xtask book generate` writes the
//! book.

mod atlas;
mod chain;
mod compose;
mod reader;
mod record;
mod witnesses;

pub use atlas::{ATLAS_FORMAT, AtlasFile, ChainRecord, atlas_spec};
pub use chain::{Chain, Codes, Difference};
pub use compose::Composer;
pub use reader::{BOOK_BYTES, Book};
pub use record::{
    BOOK_FORMAT, BookAnswer, BookFile, BookPiece, FIRST_BOOK_FORMAT, PracticeRecord, RequestRecord,
    SECOND_BOOK_FORMAT, THIRD_BOOK_FORMAT,
};
pub use witnesses::{CHAINS_FORMAT, ChainsFile, WitnessRecord};
