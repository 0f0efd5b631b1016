//! Sizes from which casts take another path. All were measured.

/// Size in bytes from which an output is written past the caches: half of a last-level cache of 32
/// MiB, which the output and an equally large input fill together.
pub(crate) const STREAM_FROM: usize = 16 << 20;

/// Number of elements from which making a table first pays off.
pub(crate) const TABLE_FROM: usize = 4096;

/// Number of elements from which a cast is shared among threads.
#[cfg(feature = "rayon")]
pub(crate) const PARALLEL_FROM: usize = 4 * PIECE;

/// Elements that a thread takes at a time: a multiple of 8, so that each piece begins at a byte.
#[cfg(feature = "rayon")]
pub(crate) const PIECE: usize = 1 << 16;

/// Bytes of a block of elements in their widest form on the way: few enough for the first-level
/// cache, and enough elements to begin and end at whole bytes.
pub(crate) const BLOCK_BYTES: usize = 4096;

/// Bytes of a block where the whole slice fits in it.
pub(crate) const SMALL_BLOCK_BYTES: usize = 256;

/// The same for slices of a few elements.
pub(crate) const TINY_BLOCK_BYTES: usize = 64;
