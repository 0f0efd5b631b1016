//! Lookup tables.

/// The result for every byte: 256 consecutive entries of one or two bytes.
#[repr(align(64))]
pub(crate) struct Table(pub(crate) [u8; 512]);
