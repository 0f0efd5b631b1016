//! What plans are made of.

use crate::arch::{Compute, Loop};
use castproof_vectors::DType;

/// Loops by their place in the chain.
pub(crate) type Places<T> = [Option<T>; 4];

/// How elements of less than a byte lie in a slice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One behind the other, without gaps.
    Packed,
    /// A byte each, its high bits zero.
    ByteEach,
}

impl Layout {
    /// Bits from one element to the next.
    pub(crate) fn bits(self, dtype: DType) -> u32 {
        match self {
            Layout::Packed => dtype.bits(),
            Layout::ByteEach => dtype.bits().max(8),
        }
    }
}

/// A loop of the chain, and what it writes.
#[derive(Clone, Copy)]
pub(crate) struct Planned {
    pub(crate) computes: Loop<Compute>,
    pub(crate) writes: Lane,
}

/// The form of elements between two loops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Packed elements.
    Packed(DType),
    /// Elements that take a byte at least.
    Unpacked(DType),
    /// float32, rounded to odd where it does not hold the source.
    OddFloat32,
    /// Integers of 6 bits, a byte each.
    Clamped,
}

impl Lane {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Lane::Packed(dtype) => dtype.bits(),
            Lane::Unpacked(dtype) => dtype.bits().max(8),
            Lane::OddFloat32 => 32,
            Lane::Clamped => 8,
        }
    }
}

/// The reason for the choice of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    CodesStay,
    SameDType,
    Replaced,
    Truth,
    Clamped,
    OwnLoop,
    Wide,
    In16Bits,
    LongInteger,
    Resized,
    ThroughFloat32,
}

/// Why no table stands in for loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoTable {
    NothingToDo,
    ManyCodes,
    HardlyAnyWork,
    ComputesAsFast,
}
