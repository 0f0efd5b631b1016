//! What the repository holds of the book, as bytes; the crate `castproof-book` reads them.

/// The binary book.
pub static BOOK: &[u8] = include_bytes!("../../data/book.bin");

/// The atlas of chains, compressed by gzip.
pub static ATLAS: &[u8] = include_bytes!("../../data/atlas.json.gz");

/// The witnesses of chains, compressed by gzip.
pub static CHAINS: &[u8] = include_bytes!("../../data/chains.json.gz");
