//! Which values a target has, for specifications that say no more than that.

use crate::encode;
use crate::format::{CodeKind, NanEncoding};
use crate::number::Integer;
use crate::resolved::Resolved;
use crate::round::{self, MagnitudeRounding};
use crate::value::Value;

/// Does the target have the value? An integer has a float if it has its integral part. Everything is true or
/// false.
pub(crate) fn has(request: &Resolved, value: &Value) -> bool {
    match (&request.target, value) {
        (CodeKind::Bool, _) => true,
        (CodeKind::Integer(format), Value::Finite { negative, magnitude }) => {
            let rounded = round::to_integer(magnitude, MagnitudeRounding::TowardZero);
            let number =
                if *negative { Integer::from(-&rounded.count) } else { rounded.count.clone() };
            let drops_fraction = matches!(request.source, CodeKind::Float(_));
            encode::in_range(format, &number) && (drops_fraction || rounded.is_exact())
        }
        (CodeKind::Integer(_), _) => false,
        (CodeKind::Float(format), Value::Nan { .. }) => format.nan != NanEncoding::None,
        (CodeKind::Float(format), Value::Infinite { .. }) => format.infinities,
        (CodeKind::Float(format), Value::Finite { magnitude, .. }) => {
            let rounded = round::to_format(magnitude, format, MagnitudeRounding::TowardZero);
            rounded.is_exact() && encode::magnitude(format, &rounded) <= format.largest_code()
        }
    }
}
