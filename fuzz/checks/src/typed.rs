//! `Cast::run_slice` by dtype instead of by Rust type.

use castproof_impl::{Cast, Element, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0};
use castproof_vectors::DType;
use half::{bf16, f16};

/// Casts codes in typed slices; `None` if a dtype has no Rust type.
///
/// # Panics
/// If the cast refuses slices of its own types and of equal length.
pub(crate) fn typed_codes(
    cast: &Cast,
    (from, to): (DType, DType),
    codes: &[u64],
) -> Option<Vec<u64>> {
    match from {
        DType::Bool => run_to(cast, codes, |code| code != 0, to),
        DType::Int8 => run_to(cast, codes, |code| code as i8, to),
        DType::Uint8 => run_to(cast, codes, |code| code as u8, to),
        DType::Int16 => run_to(cast, codes, |code| code as i16, to),
        DType::Uint16 => run_to(cast, codes, |code| code as u16, to),
        DType::Int32 => run_to(cast, codes, |code| code as i32, to),
        DType::Uint32 => run_to(cast, codes, |code| code as u32, to),
        DType::Int64 => run_to(cast, codes, u64::cast_signed, to),
        DType::Uint64 => run_to(cast, codes, |code| code, to),
        DType::Float8E4M3FN => run_to(cast, codes, |code| F8E4M3FN(code as u8), to),
        DType::Float8E4M3FNUZ => run_to(cast, codes, |code| F8E4M3FNUZ(code as u8), to),
        DType::Float8E5M2 => run_to(cast, codes, |code| F8E5M2(code as u8), to),
        DType::Float8E5M2FNUZ => run_to(cast, codes, |code| F8E5M2FNUZ(code as u8), to),
        DType::Float8E8M0 => run_to(cast, codes, |code| F8E8M0(code as u8), to),
        DType::Float16 => run_to(cast, codes, |code| f16::from_bits(code as u16), to),
        DType::Bfloat16 => run_to(cast, codes, |code| bf16::from_bits(code as u16), to),
        DType::Float32 => run_to(cast, codes, |code| f32::from_bits(code as u32), to),
        DType::Float64 => run_to(cast, codes, f64::from_bits, to),
        DType::Int2
        | DType::Uint2
        | DType::Int4
        | DType::Uint4
        | DType::Float4E2M1
        | DType::Float6E2M3
        | DType::Float6E3M2 => None, // packed elements have no Rust type
        DType::String | DType::Complex64 | DType::Complex128 => None,
        DType::Qint8 | DType::Quint8 | DType::Qint16 | DType::Quint16 | DType::Qint32 => None,
    }
}

/// Chooses the type of the target; the type of the source is already chosen.
fn run_to<S: Element>(
    cast: &Cast,
    codes: &[u64],
    element: fn(u64) -> S,
    to: DType,
) -> Option<Vec<u64>> {
    let input: Vec<S> = codes.iter().copied().map(element).collect();
    match to {
        DType::Bool => run(cast, &input, false, u64::from),
        DType::Int8 => run(cast, &input, 0, |x: i8| x.cast_unsigned().into()),
        DType::Uint8 => run(cast, &input, 0u8, u64::from),
        DType::Int16 => run(cast, &input, 0, |x: i16| x.cast_unsigned().into()),
        DType::Uint16 => run(cast, &input, 0u16, u64::from),
        DType::Int32 => run(cast, &input, 0, |x: i32| x.cast_unsigned().into()),
        DType::Uint32 => run(cast, &input, 0u32, u64::from),
        DType::Int64 => run(cast, &input, 0, i64::cast_unsigned),
        DType::Uint64 => run(cast, &input, 0u64, |x| x),
        DType::Float8E4M3FN => run(cast, &input, F8E4M3FN(0), |x| x.0.into()),
        DType::Float8E4M3FNUZ => run(cast, &input, F8E4M3FNUZ(0), |x| x.0.into()),
        DType::Float8E5M2 => run(cast, &input, F8E5M2(0), |x| x.0.into()),
        DType::Float8E5M2FNUZ => run(cast, &input, F8E5M2FNUZ(0), |x| x.0.into()),
        DType::Float8E8M0 => run(cast, &input, F8E8M0(0), |x| x.0.into()),
        DType::Float16 => run(cast, &input, f16::ZERO, |x| x.to_bits().into()),
        DType::Bfloat16 => run(cast, &input, bf16::ZERO, |x| x.to_bits().into()),
        DType::Float32 => run(cast, &input, 0.0, |x: f32| x.to_bits().into()),
        DType::Float64 => run(cast, &input, 0.0, f64::to_bits),
        DType::Int2
        | DType::Uint2
        | DType::Int4
        | DType::Uint4
        | DType::Float4E2M1
        | DType::Float6E2M3
        | DType::Float6E3M2 => None, // packed elements have no Rust type
        DType::String | DType::Complex64 | DType::Complex128 => None,
        DType::Qint8 | DType::Quint8 | DType::Qint16 | DType::Quint16 | DType::Qint32 => None,
    }
}

fn run<S: Element, T: Element>(
    cast: &Cast,
    input: &[S],
    blank: T,
    code: fn(T) -> u64,
) -> Option<Vec<u64>> {
    let mut output = vec![blank; input.len()];
    cast.run_slice(input, &mut output).expect("its own types and equal lengths");
    Some(output.into_iter().map(code).collect())
}
