//! Which values a target has, for specifications that say no more than that.

use crate::encode;
use crate::format::{Kind, NanEncoding};
use crate::number::Integer;
use crate::resolved::Resolved;
use crate::round::{self, Rounding};
use crate::value::Value;

/// Does the target have the value? An integer has a float if it has its integral part. Everything is true or
/// false.
pub(crate) fn has(request: &Resolved, value: &Value) -> bool {
    match (&request.target, value) {
        (Kind::Bool, _) => true,
        (Kind::Integer(format), Value::Finite { negative, magnitude }) => {
            let rounded = round::to_integer(magnitude, Rounding::TowardZero);
            let number =
                if *negative { Integer::from(-&rounded.count) } else { rounded.count.clone() };
            let drops_fraction = matches!(request.source, Kind::Float(_));
            encode::in_range(format, &number) && (drops_fraction || rounded.is_exact())
        }
        (Kind::Integer(_), _) => false,
        (Kind::Float(format), Value::Nan { .. }) => format.nan != NanEncoding::None,
        (Kind::Float(format), Value::Infinite { .. }) => format.infinities,
        (Kind::Float(format), Value::Finite { magnitude, .. }) => {
            let rounded = round::to_format(magnitude, format, Rounding::TowardZero);
            rounded.is_exact() && encode::magnitude(format, &rounded) <= format.largest_code()
        }
    }
}
