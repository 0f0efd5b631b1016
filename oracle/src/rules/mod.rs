//! The rules, one file per class of target. Each function follows the order of its section of the
//! specification, and names the rule that decides.

mod accuracy;
mod answer;
mod boolean;
mod by_target;
mod exact;
mod float8;
mod integer;
mod nan;
mod narrow_float;
mod scale;
mod text;
mod twice;
mod wide_float;

pub(crate) use accuracy::within_accuracy;
pub(crate) use answer::{any, any_nan, codes, exact, one_of, quiet_nan, tolerating};
pub(crate) use boolean::to_bool;
pub(crate) use by_target::by_target;
pub(crate) use exact::has;
pub(crate) use float8::{same_dtype, to_float8};
pub(crate) use integer::to_integer;
pub(crate) use nan::nan_to_nan;
pub(crate) use narrow_float::to_narrow_float;
pub(crate) use scale::to_scale;
pub(crate) use text::{from_text, same_text, to_text};
pub(crate) use twice::{rounded_twice, via_float32, via_float64, wider_than_float32};
pub(crate) use wide_float::to_wide_float;
