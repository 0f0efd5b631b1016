//! Kernels compiled for one instruction set each. All `unsafe` code of the crate is in this folder.
#![allow(unsafe_code)]

pub(crate) mod truncate;
pub(crate) mod view;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::Backend;
use crate::cast::Rules;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{float16_to_float32, float32_to_float16, float32_to_int8};

/// A loop over elements: reads all of the input, writes all of the output. Written once, without
/// regard to instruction sets; `run` is `#[inline(always)]` so that it is compiled for each.
pub(crate) trait Body {
    fn run(rules: &Rules, input: &[u8], output: &mut [u8]);
}

/// A loop compiled for a backend that this machine can run.
#[derive(Clone, Copy)]
pub(crate) struct Step(unsafe fn(&Rules, &[u8], &mut [u8]));

impl Step {
    /// Compiles `B` for `backend`, which the machine must be able to run: every `Backend` inside a
    /// `Cast` has been through `Backend::checked` or `Backend::preferred`.
    pub(crate) fn new<B: Body>(backend: Backend) -> Step {
        debug_assert!(backend.is_available(), "{backend} was not checked");
        match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => Step(x86_64::avx2::<B>),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => Step(x86_64::avx512::<B>),
            _ => Step(B::run),
        }
    }

    /// Runs the loop.
    pub(crate) fn run(self, rules: &Rules, input: &[u8], output: &mut [u8]) {
        // SAFETY: the function asks for nothing but the instruction set of the backend that `self`
        // was made for, and that backend has been found available.
        unsafe { (self.0)(rules, input, output) }
    }
}
