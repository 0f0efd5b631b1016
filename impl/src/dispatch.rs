//! The one place where dtypes become loops: which loop decodes, which encodes, chosen once per
//! call. A faster body for a pair of dtypes belongs here, as another [`Route`].

use crate::cast::Rules;
use crate::format::{
    BFloat16, Float4E2M1, Float6E2M3, Float6E3M2, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2,
    Float8E5M2FNUZ, Float16, Float32, Float64, FloatFormat,
};
use crate::unpacked::Unpacked;
use crate::{Error, decode, encode, integer, power};
use castproof_vectors::DType;

/// Unpacks codes; both slices have the same length.
type Decode = fn(&[u64], &mut [Unpacked]);
/// Packs values into codes; both slices have the same length.
type Encode = fn(&Rules, &[Unpacked], &mut [u64]);

/// A cast with its loops chosen.
pub(crate) struct Converter {
    route: Route,
    rules: Rules,
}

enum Route {
    /// Every code stays what it is (FF-11).
    Identity,
    /// Integer to integer: sign-extend from the source's width, keep the target's bits (II-02).
    Wrap { from: DType, signed: bool, mask: u64 },
    /// Everything else goes through the unpacked form.
    Value { decode: Decode, encode: Encode },
}

impl Converter {
    /// # Errors
    /// [`Error::NotNumeric`] for string and complex.
    pub(crate) fn new(from: DType, to: DType, rules: Rules) -> Result<Converter, Error> {
        let (source, target) = (kernel(from)?, kernel(to)?);
        // A bool byte may hold more than 0 and 1; float8e5m2 infinities saturate (F8-S08).
        let may_change = from == DType::Bool || (from == DType::Float8E5M2 && rules.saturate);
        let route = match (source.integer, target.integer) {
            _ if from == to && !may_change => Route::Identity,
            (Some(Integer { signed }), Some(_)) => {
                Route::Wrap { from, signed, mask: to.code_mask() }
            }
            _ => Route::Value { decode: source.decode, encode: target.encode },
        };
        Ok(Converter { route, rules })
    }

    /// Replaces source codes by target codes. `values` is room for at least as many values.
    pub(crate) fn convert(&self, codes: &mut [u64], values: &mut [Unpacked]) {
        match self.route {
            Route::Identity => {}
            Route::Wrap { from, signed, mask } => integer::wrap(from.bits(), signed, mask, codes),
            Route::Value { decode, encode } => {
                let values = &mut values[..codes.len()];
                decode(codes, values);
                encode(&self.rules, values, codes);
            }
        }
    }
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

/// The loops of a dtype: the list of what this crate can cast.
///
/// # Errors
/// [`Error::NotNumeric`] for string and complex.
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
        DType::String | DType::Complex64 | DType::Complex128 => {
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
