//! The name of the binary form, and what is said of a damaged book.

/// What the names of all versions of the form begin with.
pub(in super::super) const FAMILY: &str = "castproof-book-binary/";

/// The first line of a book in the binary form.
pub const BINARY_FORMAT: &str = "castproof-book-binary/2";

/// The first line of a book in the binary form without entries of any quiet NaN. Such books are still read.
pub const FIRST_BINARY_FORMAT: &str = "castproof-book-binary/1";

/// The bytes of a checksum.
pub(super) const CHECKSUM: usize = 4;

/// Says that the checksum of a part is wrong.
pub(super) fn damaged(part: &str) -> String {
    format!("the book is damaged: the checksum of {part} is wrong; get the book anew")
}
