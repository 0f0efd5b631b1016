//! Tables of what elements become.

/// What every byte becomes: 256 entries of one or two bytes, one behind the other.
#[repr(align(64))]
pub(crate) struct Table(pub(crate) [u8; 512]);
