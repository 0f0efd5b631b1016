//! The unit of places in memory.

/// Addresses are distinguished modulo this many bytes.
pub const LINE: usize = 64;
