//! One element at a time: source to the unpacked form, and from there to the target. Slow and plain;
//! the kernels of `plan` are tested against it.

use crate::cast::Rules;
use crate::format::{
    BFloat16, Float4E2M1, Float6E2M3, Float6E3M2, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2,
    Float8E5M2FNUZ, Float16, Float32, Float64, FloatFormat,
};
use crate::unpacked::Unpacked;
use crate::{Error, decode, encode, integer, power};
use castproof_vectors::DType;

/// Unpacks a code.
pub(crate) type Decode = fn(u64) -> Unpacked;
/// Packs a value into a code.
pub(crate) type Encode = fn(&Rules, &Unpacked) -> u64;

/// A cast with its functions chosen.
pub(crate) struct Converter {
    route: Route,
    rules: Rules,
}

enum Route {
    /// The code stays what it is (FF-11).
    Identity,
    /// float8e5m2 to itself under `saturate` (F8-S08).
    SaturateInfinity,
    /// Integer to integer: sign-extend from the source's width, keep the target's bits (II-02).
    Wrap { from: DType, signed: bool, mask: u64 },
    /// Everything else goes through the unpacked form.
    Value { decode: Decode, encode: Encode },
}

impl Converter {
    /// # Errors
    /// [`Error::NotNumeric`] for string, complex and quantized dtypes.
    pub(crate) fn new(from: DType, to: DType, rules: Rules) -> Result<Converter, Error> {
        let (source, target) = (kernel(from)?, kernel(to)?);
        let route = match (source.integer, target.integer) {
            _ if from == to && !rules.change(from) => Route::Identity,
            _ if from == to && from == DType::Float8E5M2 => Route::SaturateInfinity,
            (Some(Integer { signed }), Some(_)) => {
                Route::Wrap { from, signed, mask: to.code_mask() }
            }
            _ => Route::Value { decode: source.decode, encode: target.encode },
        };
        Ok(Converter { route, rules })
    }

    /// The target code of a source code.
    pub(crate) fn convert(&self, code: u64) -> u64 {
        match self.route {
            Route::Identity => code,
            Route::SaturateInfinity => Float8E5M2::FORMAT.saturate_infinity(code),
            Route::Wrap { from, signed, mask } => integer::widen(from.bits(), signed, code) & mask,
            Route::Value { decode, encode } => encode(&self.rules, &decode(code)),
        }
    }
}

/// The function that packs values of a dtype.
///
/// # Errors
/// As [`kernel`].
#[cfg(feature = "std")]
pub(crate) fn encoder(dtype: DType) -> Result<Encode, Error> {
    Ok(kernel(dtype)?.encode)
}

/// The function that unpacks codes of a dtype.
///
/// # Errors
/// As [`kernel`].
#[cfg(feature = "std")]
pub(crate) fn decoder(dtype: DType) -> Result<Decode, Error> {
    Ok(kernel(dtype)?.decode)
}

/// What a dtype is as source and as target.
pub(crate) struct Kernel {
    integer: Option<Integer>,
    decode: Decode,
    encode: Encode,
}

/// That a dtype is an integer.
#[derive(Clone, Copy)]
struct Integer {
    signed: bool,
}

/// The functions of a dtype: the list of what this crate can cast.
///
/// # Errors
/// [`Error::NotNumeric`] for string, complex and quantized dtypes.
pub(crate) fn kernel(dtype: DType) -> Result<Kernel, Error> {
    Ok(match dtype {
        DType::Bool => Kernel { integer: None, decode: decode::bools, encode: encode::bools },
        DType::Int2 => integer_kernel::<2, true>(),
        DType::Uint2 => integer_kernel::<2, false>(),
        DType::Int4 => integer_kernel::<4, true>(),
        DType::Uint4 => integer_kernel::<4, false>(),
        DType::Int8 => integer_kernel::<8, true>(),
        DType::Uint8 => integer_kernel::<8, false>(),
        DType::Int16 => integer_kernel::<16, true>(),
        DType::Uint16 => integer_kernel::<16, false>(),
        DType::Int32 => integer_kernel::<32, true>(),
        DType::Uint32 => integer_kernel::<32, false>(),
        DType::Int64 => integer_kernel::<64, true>(),
        DType::Uint64 => integer_kernel::<64, false>(),
        DType::Float4E2M1 => float_kernel::<Float4E2M1>(),
        DType::Float6E2M3 => float_kernel::<Float6E2M3>(),
        DType::Float6E3M2 => float_kernel::<Float6E3M2>(),
        DType::Float8E4M3FN => float_kernel::<Float8E4M3FN>(),
        DType::Float8E4M3FNUZ => float_kernel::<Float8E4M3FNUZ>(),
        DType::Float8E5M2 => float_kernel::<Float8E5M2>(),
        DType::Float8E5M2FNUZ => float_kernel::<Float8E5M2FNUZ>(),
        DType::Float8E8M0 => Kernel { integer: None, decode: power::decode, encode: power::encode },
        DType::Float16 => float_kernel::<Float16>(),
        DType::Bfloat16 => float_kernel::<BFloat16>(),
        DType::Float32 => float_kernel::<Float32>(),
        DType::Float64 => float_kernel::<Float64>(),
        DType::String
        | DType::Complex64
        | DType::Complex128
        | DType::Qint8
        | DType::Quint8
        | DType::Qint16
        | DType::Quint16
        | DType::Qint32 => {
            return Err(Error::NotNumeric { dtype });
        }
    })
}

fn integer_kernel<const BITS: u32, const SIGNED: bool>() -> Kernel {
    Kernel {
        integer: Some(Integer { signed: SIGNED }),
        decode: integer::decode::<BITS, SIGNED>,
        encode: integer::encode::<BITS, SIGNED>,
    }
}

fn float_kernel<F: FloatFormat>() -> Kernel {
    Kernel { integer: None, decode: decode::floats::<F>, encode: encode::floats::<F> }
}
