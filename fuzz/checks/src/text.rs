//! Strings: reading any text, writing any code.

use crate::input::{AttributesInput, DTypeInput};
use crate::judge::{assert_one_line, is_refused};
use arbitrary::Arbitrary;
use castproof_check::verdict::admits;
use castproof_impl::{FromText, ToText};
use castproof_oracle::{Caster, NEWEST, admits_text};
use castproof_vectors::{DType, Element, Outcome, Request, RoundMode, landmarks, pack, unpack};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

thread_local! {
    static CASTERS: RefCell<HashMap<Request, Rc<Caster>>> = RefCell::default();
}

/// Returns the oracle's cast of a request, prepared once per process.
fn caster(request: &Request) -> Rc<Caster> {
    let new = || {
        let caster = Caster::new(request).unwrap_or_else(|error| panic!("{request}: {error}"));
        Rc::new(caster)
    };
    CASTERS.with_borrow_mut(|kept| Rc::clone(kept.entry(*request).or_insert_with(new)))
}

/// A target, its attributes, and a text.
#[derive(Debug, Arbitrary)]
pub struct ParseInput<'a> {
    to: DTypeInput,
    attributes: AttributesInput,
    /// The text.
    pub text: &'a str,
}

/// Checks reading. A text becomes what the oracle expects. Where the oracle leaves the result open,
/// it becomes an element or an error of one line.
///
/// # Panics
/// If that does not hold.
pub fn check_parse(input: &ParseInput<'_>) {
    let to = input.to.numeric();
    let attributes = input.attributes.attributes();
    // Both must ignore attributes that the target does not have.
    let request = Request::cast(DType::String, to, NEWEST).with(attributes);
    // float8e8m0 has three of the round modes.
    if is_refused(&request) {
        return;
    }
    let caster = caster(&request);
    let element = Element::from(input.text.to_string());
    let answer = caster.cast_element(&element).unwrap_or_else(|error| panic!("{request}: {error}"));
    let cast = FromText::new(to)
        .unwrap_or_else(|error| panic!("{request}: {error}"))
        .saturate(attributes.saturate.unwrap_or(true))
        .round_mode(attributes.round_mode.unwrap_or(RoundMode::Up));
    let target = landmarks(to).expect("numeric dtypes have landmarks");
    let admits = |outcome: &Outcome, code| admits(outcome, code, target);
    match cast.code(input.text) {
        Ok(code) => {
            assert!(
                admits(&answer.expect, code),
                "{request}: {:?} gives {}, expected {:x?} by {}",
                input.text,
                to.hex(code),
                answer.expect,
                answer.rule
            );
            let mut packed = pack(to, &[0]).expect("numeric");
            cast.run([input.text], &mut packed).expect("as alone");
            assert_eq!(unpack(to, &packed, 1), Ok(vec![code]), "{request}: {:?}", input.text);
        }
        Err(error) => {
            assert_eq!(answer.expect, Outcome::Any, "{request}: {:?}: {error}", input.text);
            assert_one_line(&error.to_string());
        }
    }
}

/// A source and a code.
#[derive(Debug, Arbitrary)]
pub struct PrintInput {
    from: DTypeInput,
    code: u64,
}

/// Checks writing. The text of a code is what the oracle expects. The text of a number, other than
/// NaN and float8e8m0, reads back as the code.
///
/// # Panics
/// If that does not hold.
pub fn check_print(input: &PrintInput) {
    let from = input.from.numeric();
    let code = input.code & from.code_mask();
    let request = Request::cast(from, DType::String, NEWEST);
    let caster = caster(&request);
    let answer = caster.cast(code).unwrap_or_else(|error| panic!("{request}: {error}"));
    let packed = pack(from, &[code]).expect("numeric");
    let texts = ToText::new(from).and_then(|cast| cast.run(&packed, 1));
    let texts = texts.unwrap_or_else(|error| panic!("{request}: {error}"));
    let text = texts.get(0).expect("one text");
    assert_eq!(
        admits_text(&answer.expect, from, Some(code), text),
        Some(true),
        "{request}: {} gives {text:?}, expected {:?}",
        from.hex(code),
        answer.expect
    );
    let is_nan = landmarks(from).expect("numeric").is_nan(code);
    if from != DType::Bool && from != DType::Float8E8M0 && !is_nan {
        let back = FromText::new(from).and_then(|cast| cast.saturate(false).code(text));
        assert_eq!(back, Ok(code), "{request}: {text:?} is read back");
    }
}
