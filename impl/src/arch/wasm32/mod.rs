//! WebAssembly: loops of instructions that compilers do not find on their own.

pub(super) mod simd128;
