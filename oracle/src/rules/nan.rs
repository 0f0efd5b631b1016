//! NaN from one float of at least 16 bits to another: its sign and payload.

use super::{exact, one_of, quiet_nan};
use crate::format::{CodeKind, FloatFormat, NanEncoding};
use crate::resolved::Resolved;
use crate::spec::Nan;
use castproof_vectors::Expectation;

/// What becomes of the code of a NaN; `None` if its code does not matter.
pub(crate) fn nan_to_nan(request: &Resolved, code: u64) -> Option<Expectation> {
    let (CodeKind::Float(source), CodeKind::Float(target)) = (&request.source, &request.target)
    else {
        return None;
    };
    let has_payload = |format: &FloatFormat| format.nan == NanEncoding::TopBinade;
    if !has_payload(source) || !has_payload(target) {
        return None;
    }
    let (nan, rule) = request.record.to_float.float.nan;
    let quiet = |format: &FloatFormat| format.top_binade() | 1 << (format.significand_bits - 1);
    Some(match nan {
        // The rules of the target's class decide.
        Nan::Any | Nan::AllOnesIn16Bits(_) => return None,
        Nan::Canonical => exact(quiet(target), rule),
        Nan::CanonicalStays if code & source.magnitude_mask() == quiet(source) => {
            one_of([quiet(target), quiet(target) | target.sign_bit()], rule)
        }
        Nan::CanonicalStays => quiet_nan(rule),
        Nan::Quieted => {
            let payload = code & ((1 << source.significand_bits) - 1);
            let (from, to) = (source.significand_bits, target.significand_bits);
            let kept = if from > to { payload >> (from - to) } else { payload << (to - from) };
            let sign = if code & source.sign_bit() != 0 { target.sign_bit() } else { 0 };
            exact(sign | quiet(target) | kept, rule)
        }
    })
}
