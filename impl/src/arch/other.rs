//! Machines without loops of their own: nothing is done by special instructions.

use super::{Lookup, Step};
use crate::Backend;
use castproof_vectors::DType;

pub(crate) fn float16_to_float32(_: Backend) -> Option<Step> {
    None
}

pub(crate) fn float32_to_float16(_: Backend) -> Option<Step> {
    None
}

pub(crate) fn float64_to_float32(_: Backend) -> Option<Step> {
    None
}

pub(crate) fn float64_to_odd_float32(_: Backend) -> Option<Step> {
    None
}

pub(crate) fn integer_to_odd_float32(_: DType, _: Backend) -> Option<Step> {
    None
}

pub(crate) fn pack(_: u32, _: Backend) -> Option<Step> {
    None
}

pub(crate) fn unpack(_: u32, _: Backend) -> Option<Step> {
    None
}

pub(crate) fn lookup(_: usize, _: usize, _: usize, _: Backend) -> Option<Lookup> {
    None
}

pub(crate) fn short(_: DType, _: DType, _: Backend) -> Option<Step> {
    None
}

pub(crate) fn small(_: DType, _: DType, _: Backend) -> Option<Step> {
    None
}

pub(crate) fn truncate(_: DType, _: DType, _: Backend) -> Option<Step> {
    None
}

pub(crate) fn stream(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

pub(crate) fn fence() {}
