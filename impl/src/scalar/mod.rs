//! The scalar reference: one element at a time, source to the unpacked form, and from there to the
//! target. Slow and plain; the loops are tested against it.

mod by_mode;
mod decode;
mod encode;
mod integer;
mod power_of_two;
mod unpacked;

use crate::Error;
use crate::format::{Float32, FloatFormat, Format, Specials, by_format};
use crate::rules::{Nan, Rules, SameDType};
use crate::values::{format_of, signedness};
use castproof_vectors::DType;
pub(crate) use integer::widen;
pub(crate) use unpacked::{Class, Unpacked};

/// Unpacks a code.
pub(crate) type Decode = fn(u64) -> Unpacked;
/// Packs a value into a code.
pub(crate) type Encode = fn(&Rules, &Unpacked) -> u64;

/// A cast of single codes, its functions chosen.
pub(crate) struct Scalar {
    route: Route,
    rules: Rules,
}

enum Route {
    /// The code stays what it is.
    Identity,
    /// Infinity, which has this code without its sign, becomes the largest finite value; other
    /// codes stay.
    Saturate { infinity: u64, sign: u64 },
    /// Integer to integer: sign-extend from the source's width, keep the target's bits (II-02).
    Wrap { bits: u32, signed: bool, mask: u64 },
    /// Everything else goes through the unpacked form.
    Value { decode: Decode, encode: Encode },
    /// Through float32, to which the value is rounded first.
    Twice { decode: Decode, encode: Encode },
    /// As `Value`, between floats of which NaN has a sign and a payload.
    Floats { decode: Decode, encode: Encode, from: Format, to: Format },
}

impl Scalar {
    /// # Errors
    /// [`Error::NotNumeric`] for string, complex and quantized dtypes.
    pub(crate) fn new(from: DType, to: DType, rules: Rules) -> Result<Scalar, Error> {
        let (source, target) = (codec(from)?, codec(to)?);
        let (decode, encode) = (source.decode, target.encode);
        let value = match (format_of(from), format_of(to)) {
            (Some(from), Some(to)) if has_payload(from) && has_payload(to) => {
                Route::Floats { decode, encode, from, to }
            }
            _ if rules.rounds_first(from, to) => Route::Twice { decode, encode },
            _ => Route::Value { decode, encode },
        };
        let route = if from == to {
            match (rules.same_dtype(from), format_of(from)) {
                (SameDType::Kept, _) => Route::Identity,
                (SameDType::InfinitySaturates, Some(format)) => {
                    Route::Saturate { infinity: format.exponent_mask(), sign: format.sign() }
                }
                _ => value,
            }
        } else {
            match (signedness(from), signedness(to)) {
                (Some(signed), Some(_)) if !rules.integers_saturate => {
                    Route::Wrap { bits: from.bits(), signed, mask: to.code_mask() }
                }
                _ => value,
            }
        };
        Ok(Scalar { route, rules })
    }

    /// The target code of a source code.
    pub(crate) fn convert(&self, code: u64) -> u64 {
        match self.route {
            Route::Identity => code,
            // The largest finite value lies just below infinity.
            Route::Saturate { infinity, sign } => code - u64::from(code & !sign == infinity),
            Route::Wrap { bits, signed, mask } => widen(bits, signed, code) & mask,
            Route::Value { decode, encode } => encode(&self.rules, &decode(code)),
            Route::Twice { decode, encode } => {
                let first = encode::floats::<Float32>(&self.rules, &decode(code));
                encode(&self.rules, &decode::floats::<Float32>(first))
            }
            Route::Floats { decode, encode, from, to } => {
                let value = decode(code);
                match (value.class, self.rules.nan) {
                    (Class::Nan, Nan::Positive) => to.nan(),
                    (Class::Nan, Nan::Payload) => quieted(from, to, code),
                    _ => encode(&self.rules, &value),
                }
            }
        }
    }
}

/// Does NaN of this format have a sign and a payload?
fn has_payload(format: Format) -> bool {
    format.specials == Specials::Ieee && format.significand_bits >= 7
}

/// NaN with its sign and the upper bits of its payload, quiet.
fn quieted(from: Format, to: Format, code: u64) -> u64 {
    let payload = code & !from.exponent_mask() & from.magnitude_mask();
    let kept = match from.significand_bits.checked_sub(to.significand_bits) {
        Some(lost) => payload >> lost,
        None => payload << (to.significand_bits - from.significand_bits),
    };
    let sign = if code & from.sign() != 0 { to.sign() } else { 0 };
    sign | to.nan() | kept
}

/// How the codes of a dtype are unpacked and packed.
#[derive(Clone, Copy)]
pub(crate) struct Codec {
    pub(crate) decode: Decode,
    pub(crate) encode: Encode,
}

/// Returns the functions of a dtype. This is the list of what the crate can cast.
///
/// # Errors
/// [`Error::NotNumeric`] for string, complex and quantized dtypes.
pub(crate) fn codec(dtype: DType) -> Result<Codec, Error> {
    Ok(match dtype {
        DType::Bool => Codec { decode: decode::bools, encode: encode::bools },
        DType::Int2 => integers::<2, true>(),
        DType::Uint2 => integers::<2, false>(),
        DType::Int4 => integers::<4, true>(),
        DType::Uint4 => integers::<4, false>(),
        DType::Int8 => integers::<8, true>(),
        DType::Uint8 => integers::<8, false>(),
        DType::Int16 => integers::<16, true>(),
        DType::Uint16 => integers::<16, false>(),
        DType::Int32 => integers::<32, true>(),
        DType::Uint32 => integers::<32, false>(),
        DType::Int64 => integers::<64, true>(),
        DType::Uint64 => integers::<64, false>(),
        DType::Float8E8M0 => Codec { decode: power_of_two::decode, encode: power_of_two::encode },
        _ => {
            return by_format!(
                dtype,
                F => Ok(floats::<F>()),
                else Err(Error::NotNumeric { dtype })
            );
        }
    })
}

fn integers<const BITS: u32, const SIGNED: bool>() -> Codec {
    Codec { decode: integer::decode::<BITS, SIGNED>, encode: integer::encode::<BITS, SIGNED> }
}

fn floats<F: FloatFormat>() -> Codec {
    Codec { decode: decode::floats::<F>, encode: encode::floats::<F> }
}

/// The value of a float64.
#[cfg(feature = "std")]
pub(crate) fn float64(bits: u64) -> Unpacked {
    decode::floats::<crate::format::Float64>(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_numeric_dtype_has_a_codec() {
        for &dtype in DType::NUMERIC {
            assert!(codec(dtype).is_ok(), "impl/src/scalar/mod.rs lacks {dtype}");
        }
    }
}
