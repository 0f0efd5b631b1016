//! Methods that mistake codes, formats or places.

use crate::element::MethodElement;
use castproof_oracle::format::CodeKind;
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_vectors::{DType, Outcome, Request};

pub(crate) const INPUT_PLACES: &str = "packed elements of the input in the wrong order";
pub(crate) const OUTPUT_PLACES: &str = "packed elements of the output in the wrong order";

use DType::*;

/// Signed integers and their unsigned counterparts.
const SIGNS: [(DType, DType); 6] = [
    (Int2, Uint2),
    (Int4, Uint4),
    (Int8, Uint8),
    (Int16, Uint16),
    (Int32, Uint32),
    (Int64, Uint64),
];

/// Float formats of one width that are taken for each other.
const SIBLINGS: [(DType, DType); 4] = [
    (Float16, Bfloat16),
    (Float8E4M3FN, Float8E4M3FNUZ),
    (Float8E5M2, Float8E5M2FNUZ),
    (Float6E2M3, Float6E3M2),
];

pub(crate) fn sign_not_extended(element: &MethodElement) -> Option<u64> {
    let (_, unsigned) = SIGNS.into_iter().find(|(signed, _)| *signed == element.request.from)?;
    read_as(element, unsigned)
}

pub(crate) fn sign_extended(element: &MethodElement) -> Option<u64> {
    let (signed, _) = SIGNS.into_iter().find(|(_, unsigned)| *unsigned == element.request.from)?;
    read_as(element, signed)
}

fn read_as(element: &MethodElement, from: DType) -> Option<u64> {
    element.expected(&Request { from, ..element.request }, element.code)
}

fn sibling(dtype: DType) -> Option<DType> {
    SIBLINGS.into_iter().find_map(|(one, other)| match dtype {
        _ if dtype == one => Some(other),
        _ if dtype == other => Some(one),
        _ => None,
    })
}

pub(crate) fn read_as_sibling(element: &MethodElement) -> Option<u64> {
    read_as(element, sibling(element.request.from)?)
}

pub(crate) fn written_as_sibling(element: &MethodElement) -> Option<u64> {
    let to = sibling(element.request.to)?;
    let request = Request { to, ..element.request };
    match (element.answers.cast)(&request, element.code).ok()?.expect {
        Outcome::Code(code) => Some(code),
        _ => None,
    }
}

/// The result that a bias off by `error` gives.
pub(crate) fn scaled(element: &MethodElement, error: i32) -> Option<u64> {
    let (negative, _, format) = element.nearest()?;
    let (_, magnitude) = element.finite().filter(|(_, magnitude)| **magnitude != 0)?;
    let nearest = Nearest::new(&(Rational::from(magnitude) << error), format);
    Some(nearest.clamped(format, negative))
}

pub(crate) fn sign_lost(element: &MethodElement) -> Option<u64> {
    let (negative, magnitude) = element.finite()?;
    if !negative || *magnitude == 0 {
        return None;
    }
    match &element.target {
        CodeKind::Float(format) => Some(element.right()? & !format.sign_bit()),
        CodeKind::Integer(_) => {
            Some(element.right()?.wrapping_neg() & element.request.to.code_mask())
        }
        CodeKind::Bool => None,
    }
}

/// The bits of the input, as they are.
pub(crate) fn copied(element: &MethodElement) -> Option<u64> {
    let differ = element.request.from != element.request.to;
    differ.then_some(element.code & element.request.to.code_mask())
}

/// Every bit is the opposite. Of bool, whose codes are 0 and 1, that is another method.
pub(crate) fn inverted(element: &MethodElement) -> Option<u64> {
    let is_bool = matches!(element.target, CodeKind::Bool);
    (!is_bool).then(|| Some(!element.right()? & element.request.to.code_mask()))?
}

fn swapped(dtype: DType, code: u64) -> Option<u64> {
    (dtype.bits() > 8).then(|| code.swap_bytes() >> (64 - dtype.bits()))
}

pub(crate) fn input_swapped(element: &MethodElement) -> Option<u64> {
    element.expected(&element.request, swapped(element.request.from, element.code)?)
}

pub(crate) fn output_swapped(element: &MethodElement) -> Option<u64> {
    swapped(element.request.to, element.right()?)
}

/// Reads the first element from the highest bits of its byte instead of the lowest. A last byte
/// that is not full is filled with zeros.
pub(crate) fn input_places(elements: &[MethodElement]) -> Vec<Option<u64>> {
    let read = |index: usize, element: &MethodElement| {
        let place = other_place(element.request.from, index)?;
        let code = elements.get(place).map_or(0, |other| other.code);
        element.expected(&element.request, code)
    };
    elements.iter().enumerate().map(|(index, element)| read(index, element)).collect()
}

pub(crate) fn output_places(elements: &[MethodElement]) -> Vec<Option<u64>> {
    let read = |index: usize, element: &MethodElement| {
        let place = other_place(element.request.to, index)?;
        elements.get(place).map_or(Some(0), MethodElement::right)
    };
    elements.iter().enumerate().map(|(index, element)| read(index, element)).collect()
}

/// The place of the element if each byte is filled from the other end.
fn other_place(dtype: DType, index: usize) -> Option<usize> {
    match dtype.bits() {
        2 => Some(index ^ 3),
        4 => Some(index ^ 1),
        _ => None,
    }
}

pub(crate) fn shifted(elements: &[MethodElement]) -> Vec<Option<u64>> {
    let before = elements.iter().map(MethodElement::right);
    std::iter::once(None).chain(before).take(elements.len()).collect()
}

/// The last element stays zero, as in a loop that ends too early.
pub(crate) fn last_lost(elements: &[MethodElement]) -> Vec<Option<u64>> {
    let mut results = vec![None; elements.len()];
    if let Some(last) = results.last_mut() {
        *last = Some(0);
    }
    results
}
