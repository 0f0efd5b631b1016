//! The public question: what must this request make of this code?

use crate::decode::decode;
use crate::format::{CodeKind, kind};
use crate::resolved::Resolved;
use crate::rules;
use crate::spec::{Record, record};
use crate::value::Value;
use castproof_vectors::{DType, Element, Expectation, Outcome, Request, RoundMode, RuleId};
use std::fmt;

/// Why the oracle does not answer: the question itself is malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeError {
    /// The code has bits above the width of the dtype.
    TooWide {
        /// The code.
        code: u64,
        /// The dtype that it should be of.
        dtype: DType,
    },
    /// The elements of the dtype are not single codes.
    NotNumeric(DType),
    /// The dtype has codes, but the element is not one.
    NoCode(DType),
    /// The specification has no casts of elements, or no such version.
    Spec(String),
}

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodeError::TooWide { code, dtype } => write!(
                f,
                "code {code:#x} does not fit {dtype}: a code of {dtype} has {} bits, at most {}",
                dtype.bits(),
                dtype.hex(dtype.code_mask())
            ),
            CodeError::NotNumeric(dtype) => write!(
                f,
                "{dtype} elements are not single codes; numeric casts are answered here, from and to {}",
                DType::NUMERIC.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
            ),
            CodeError::NoCode(dtype) => {
                write!(f, "an element of {dtype} is a code: write 0x and hex digits, like 0x3c01")
            }
            CodeError::Spec(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for CodeError {}

/// Returns what `request` must make of the element `code`.
///
/// A request that the specification refuses (a dtype that it does not cast, an attribute that it
/// lacks) expects [`Outcome::Reject`], with the rule.
///
/// # Errors
/// If `code` is wider than the source dtype, a dtype is not numeric, or the operator set has no
/// such operator.
pub fn cast(request: &Request, code: u64) -> Result<Expectation, CodeError> {
    Caster::new(request)?.cast(code)
}

/// A request made ready for many codes.
pub struct Caster {
    source: DType,
    record: &'static Record,
    ready: Ready,
}

enum Ready {
    Refused(RuleId),
    Rules {
        resolved: Resolved,
        ignored: Option<RuleId>,
        also_up: Option<AlsoUp>,
    },
    /// From string. The request is that of a cast from float64, whose rules a numeral follows.
    FromText {
        resolved: Resolved,
        also_up: Option<AlsoUp>,
    },
    ToText(CodeKind),
    TextToText,
}

/// The same request with round mode up, whose results are right too, and the rule that says so.
type AlsoUp = (Resolved, RuleId);

impl Caster {
    /// Looks up the specification and the formats, once.
    ///
    /// # Errors
    /// As [`cast`], except for errors of the code.
    pub fn new(request: &Request) -> Result<Caster, CodeError> {
        let record = record(request.spec).map_err(CodeError::Spec)?;
        let (source, target, attributes) = (request.from, request.to, request.attributes);
        if let Some(rule) = record.refusal((source, target), attributes) {
            return Ok(Caster { source, record, ready: Ready::Refused(rule) });
        }
        let numeric = |dtype| kind(dtype).ok_or(CodeError::NotNumeric(dtype));
        let from_text = source == DType::String;
        if target == DType::String {
            let ready = if from_text { Ready::TextToText } else { Ready::ToText(numeric(source)?) };
            return Ok(Caster { source, record, ready });
        }
        let from = if from_text { DType::Float64 } else { source };
        let resolved = Resolved {
            from,
            to: target,
            source: numeric(from)?,
            target: numeric(target)?,
            record,
            saturate: attributes.saturate.unwrap_or(record.saturate.default),
            round_mode: attributes.round_mode.unwrap_or(record.round_mode.default),
            given_mode: record.concerning((source, target), attributes).round_mode,
        };
        let drops_mode = record.drops_round_mode.filter(|_| resolved.round_mode != RoundMode::Up);
        let also_up = drops_mode
            .map(|rule| (Resolved { round_mode: RoundMode::Up, ..resolved.clone() }, rule));
        let ready = if from_text {
            Ready::FromText { resolved, also_up }
        } else {
            Ready::Rules { ignored: ignored(record, request), resolved, also_up }
        };
        Ok(Caster { source, record, ready })
    }

    /// Returns what the request must make of the element `code`.
    ///
    /// # Errors
    /// If `code` is wider than the source dtype, or the source is string.
    pub fn cast(&self, code: u64) -> Result<Expectation, CodeError> {
        if code & !self.source.code_mask() != 0 && self.source != DType::String {
            return Err(CodeError::TooWide { code, dtype: self.source });
        }
        let (resolved, ignored, also_up) = match &self.ready {
            Ready::Refused(rule) => return Ok(refused(*rule)),
            Ready::FromText { .. } | Ready::TextToText => {
                return Err(CodeError::NotNumeric(self.source));
            }
            Ready::ToText(kind) => return Ok(rules::to_text(self.record, self.source, kind, code)),
            Ready::Rules { resolved, ignored, also_up } => (resolved, ignored, also_up),
        };
        let mut answer = element(resolved, code);
        if let Some((up, rule)) = also_up {
            answer = either(answer, element(up, code), *rule);
        }
        if let Some(rule) = ignored {
            answer.rule = *rule;
        }
        Ok(answer)
    }
}

impl Caster {
    /// Returns what the request must make of an element, which may be a string.
    ///
    /// # Errors
    /// If the source has codes, and the element is not one of them.
    pub fn cast_element(&self, element: &Element) -> Result<Expectation, CodeError> {
        match &self.ready {
            Ready::FromText { resolved, also_up } => {
                let text = element.text();
                let answer = rules::from_text(resolved, &text);
                Ok(match also_up {
                    Some((up, rule)) => either(answer, rules::from_text(up, &text), *rule),
                    None => answer,
                })
            }
            Ready::TextToText => Ok(rules::same_text(self.record, element.text())),
            Ready::Refused(rule) if self.source == DType::String => Ok(refused(*rule)),
            _ => self.cast(element.as_code().ok_or(CodeError::NoCode(self.source))?),
        }
    }

    /// What the specification says.
    pub(crate) fn record(&self) -> &'static Record {
        self.record
    }

    /// Does the specification refuse the request for every element?
    pub fn is_refused(&self) -> bool {
        matches!(self.ready, Ready::Refused(_))
    }

    /// Would rounding to float32 first change the answer? Used for the flags of test vectors.
    pub fn rounds_twice(&self, code: u64) -> bool {
        let Ready::Rules { resolved, .. } = &self.ready else { return false };
        if !rules::wider_than_float32(&resolved.source) || resolved.from == resolved.to {
            return false;
        }
        let Some(value) = decode(&resolved.source, code) else { return false };
        rules::via_float32(&value).is_some_and(|first| {
            rules::by_target(resolved, &first).expect != rules::by_target(resolved, &value).expect
        })
    }
}

fn refused(rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::Reject, tolerate: None, rule }
}

/// The rule of an attribute that is given and must change nothing.
fn ignored(record: &Record, request: &Request) -> Option<RuleId> {
    let given = request.attributes;
    let heeded = record.concerning((request.from, request.to), given);
    if given.saturate != heeded.saturate {
        record.saturate.ignored
    } else if given.round_mode != heeded.round_mode {
        record.round_mode.ignored
    } else {
        None
    }
}

fn element(resolved: &Resolved, code: u64) -> Expectation {
    let Some(value) = decode(&resolved.source, code) else {
        return rules::any(resolved.record.bool.invalid); // a bool byte other than 0 and 1
    };
    if resolved.from == resolved.to && resolved.from != DType::Bool {
        return rules::same_dtype(resolved, code, &value);
    }
    if let Some(rule) = resolved.record.only_exact.filter(|_| !rules::has(resolved, &value)) {
        return rules::any(rule);
    }
    let of_code = match value {
        Value::Nan { .. } => rules::nan_to_nan(resolved, code),
        _ => None,
    };
    of_code.unwrap_or_else(|| rules::by_target(resolved, &value))
}

/// Either of two answers, by this rule.
fn either(requested: Expectation, up: Expectation, rule: RuleId) -> Expectation {
    if requested == up {
        return requested;
    }
    let (Some(mut codes), Some(more)) = (rules::codes(&requested.expect), rules::codes(&up.expect))
    else {
        return Expectation { rule, ..requested };
    };
    if codes == more {
        return requested;
    }
    codes.extend(more);
    let expect = Outcome::one_of(codes);
    let tolerate = [requested.tolerate, up.tolerate].into_iter().flatten();
    rules::tolerating(Expectation { expect, tolerate: None, rule }, tolerate)
}
