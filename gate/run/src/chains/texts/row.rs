//! What a row of casts gives that has strings in it.
//!
//! A number may be written in many ways: 0.1 of float32 as `0.1` and as `0.100000001490116`. So what follows from a string between
//! two casts is due only where every text gives it that is right: `int32 > string > float16` of 5 is 5, `float32 > string > float16` of 0.1
//! is what all of 0.09999999, 0.1 and 0.10000001 become, and `float32 > string > float64` of 0.1 may be any of many numbers.

use castproof_book::Composer;
use castproof_check::numeral::decimal;
use castproof_oracle::Caster;
use castproof_vectors::{DType, DTypeClass, Element, Expectation, Outcome, Request};
use std::collections::HashMap;

/// Casts elements in a row, as the specification says.
pub(super) struct Rows<'a, 'b> {
    composer: &'a mut Composer<'b>,
    /// Those from and to strings.
    casters: HashMap<Request, Option<Caster>>,
}

/// What a row of casts has made of an element so far.
enum Held {
    Element(Element),
    /// Any text that is read back as this code.
    Written(DType, u64),
}

impl<'a, 'b> Rows<'a, 'b> {
    pub(super) fn new(composer: &'a mut Composer<'b>) -> Rows<'a, 'b> {
        Rows { composer, casters: HashMap::new() }
    }

    /// Returns what is due of casts in a row; `None` where they leave it open.
    ///
    /// # Errors
    /// If the book contradicts itself.
    pub(super) fn due(
        &mut self,
        requests: &[Request],
        element: &Element,
    ) -> Result<Option<Expectation>, String> {
        let mut held = Held::Element(element.clone());
        for (number, request) in requests.iter().enumerate() {
            let due = match &held {
                Held::Element(element) => self.cast(request, element)?,
                Held::Written(from, code) => self.read(request, *from, *code)?,
            };
            let Some(due) = due else { return Ok(None) };
            if number + 1 == requests.len() {
                let is_decided = !matches!(due.expect, Outcome::Any | Outcome::Reject);
                let is_text = matches!(due.expect, Outcome::Text(_));
                let is_right = is_decided && (is_text || request.to != DType::String);
                return Ok(Some(due).filter(|_| is_right));
            }
            held = match (due.expect, held) {
                (Outcome::Text(_), Held::Element(Element::Code(code))) => {
                    Held::Written(request.from, code.value())
                }
                (Outcome::Code(code), _) if due.tolerate.is_none() => {
                    Held::Element(Element::code(code, request.to))
                }
                _ => return Ok(None),
            };
        }
        Ok(None)
    }

    /// Returns what an implementation gives that writes the fewest digits; `None` where the result is open.
    ///
    /// # Errors
    /// If the book contradicts itself.
    pub(super) fn given(
        &mut self,
        requests: &[Request],
        element: &Element,
    ) -> Result<Option<Element>, String> {
        let mut element = element.clone();
        for request in requests {
            let due = self.cast(request, &element)?;
            element = match (due.map(|it| it.expect), element.as_code()) {
                (Some(Outcome::Text(_)), Some(code)) => decimal(request.from, code).into(),
                (Some(Outcome::Code(code)), _) => Element::code(code, request.to),
                _ => return Ok(None),
            };
        }
        Ok(Some(element))
    }

    /// Returns what a cast gives of any text that is right for a code; `None` where two such texts differ.
    fn read(
        &mut self,
        request: &Request,
        from: DType,
        code: u64,
    ) -> Result<Option<Expectation>, String> {
        let due = self.cast(request, &decimal(from, code).into())?;
        let is_one =
            |it: &Expectation| it.tolerate.is_none() && matches!(it.expect, Outcome::Code(_));
        let Some(due) = due.filter(is_one) else { return Ok(None) };
        // An integer has one value, and what is read as the dtype that was written is the same again.
        if !from.is_float() || request.to == from {
            return Ok(Some(due));
        }
        // The texts of a float lie between its neighbours, and reading does not fall as they grow.
        for neighbour in neighbours(from, code) {
            let other = self.cast(request, &decimal(from, neighbour).into())?;
            if other.is_none_or(|it| it.expect != due.expect) {
                return Ok(None);
            }
        }
        Ok(Some(due))
    }

    fn cast(
        &mut self,
        request: &Request,
        element: &Element,
    ) -> Result<Option<Expectation>, String> {
        if let (Some(code), true) = (element.as_code(), request.to != DType::String) {
            return self.composer.in_turn(&[*request], code);
        }
        let caster =
            self.casters.entry(*request).or_insert_with(|| Caster::new(request).ok()).as_ref();
        Ok(caster.and_then(|caster| caster.cast_element(element).ok()))
    }
}

/// Returns the codes of the next smaller and the next greater magnitude; of zero those of the smallest magnitude.
fn neighbours(dtype: DType, code: u64) -> [u64; 2] {
    let sign = match dtype.class() {
        DTypeClass::Float => 1 << (dtype.bits() - 1),
        _ => 0,
    };
    match code & !sign {
        0 => [1, sign | 1],
        _ => [code - 1, code + 1],
    }
}
