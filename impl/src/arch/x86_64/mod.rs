//! x86-64: wrappers that compile a loop for AVX2 and AVX-512, and loops of instructions that
//! compilers do not find on their own.

pub(super) mod avx2;
pub(super) mod avx512;
