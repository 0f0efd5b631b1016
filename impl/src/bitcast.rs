//! Bitcasts: the bytes stay, the dtype and perhaps the shape change.

use crate::arch::view;
use crate::{Element, Error};
use castproof_vectors::{DType, System};

/// What a bitcast does to the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reshape {
    /// Nothing.
    Keep,
    /// This size is appended as the last one.
    Append(u64),
    /// The last size is dropped.
    DropLast,
}

/// Returns what a bitcast does to the shape of a tensor. The bytes do not change: view typed slices
/// with [`view_as`]; byte slices need no conversion.
///
/// ```
/// use castproof_impl::{DType, Reshape, System, reshape};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let tf = System::Tensorflow;
/// assert_eq!(reshape(tf, DType::Float32, DType::Uint8, &[3])?, Reshape::Append(4));
/// assert_eq!(reshape(tf, DType::Uint8, DType::Float32, &[3, 4])?, Reshape::DropLast);
/// assert!(reshape(System::Onnx, DType::Float32, DType::Uint8, &[3]).is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::NoBitcast`] if the system lacks one of these dtypes, or a bitcast between these
/// widths; [`Error::LastSize`] if the last size does not fit.
pub fn reshape(system: System, from: DType, to: DType, shape: &[u64]) -> Result<Reshape, Error> {
    let refused = Error::NoBitcast { from, to };
    if !has(system, from) || !has(system, to) {
        return Err(refused);
    }
    let (source, target) = (u64::from(from.bits()), u64::from(to.bits()));
    if source == target {
        return Ok(Reshape::Keep);
    }
    match system {
        System::Onnx => Err(refused),
        System::Tensorflow if source > target => {
            let ratio = source / target;
            #[cfg(castproof_plant)]
            let ratio = crate::plant::spoil_ratio(ratio);
            Ok(Reshape::Append(ratio))
        }
        System::Tensorflow => {
            let ratio = target / source;
            match shape.last() {
                Some(&last) if last == ratio => Ok(Reshape::DropLast),
                _ => Err(Error::LastSize { from, to, ratio }),
            }
        }
    }
}

/// Returns a typed slice as a slice of another element type, without a copy; `None` if the bytes
/// are not aligned for it, are not a whole number of elements, or are not codes of its dtype.
///
/// ```
/// use castproof_impl::view_as;
///
/// let ones: &[u32] = view_as(&[1.0_f32, -1.0]).expect("as strictly aligned");
/// assert_eq!(ones, [0x3f80_0000, 0xbf80_0000]);
/// ```
pub fn view_as<S: Element, T: Element>(slice: &[S]) -> Option<&[T]> {
    view::typed(view::bytes(slice))
}

/// Does the system's operator have this dtype?
fn has(system: System, dtype: DType) -> bool {
    use DType::*;
    match dtype {
        Int8 | Uint8 | Int16 | Uint16 | Int32 | Uint32 | Int64 | Uint64 | Float16 | Bfloat16
        | Float32 | Float64 | Complex64 | Complex128 => true,
        Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => system == System::Tensorflow,
        Bool | Int2 | Uint2 | Int4 | Uint4 | Float4E2M1 | Float8E4M3FN | Float8E4M3FNUZ
        | Float8E5M2 | Float8E5M2FNUZ | Float8E8M0 => system == System::Onnx,
        Float6E2M3 | Float6E3M2 | String => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_keep_their_promises() {
        let words = [0x0001_0001_u32; 3];
        assert_eq!(view_as::<u32, u16>(&words), Some(&[1_u16; 6][..]));
        let bytes = [1_u8; 9];
        assert_eq!(view_as::<u8, bool>(&bytes), Some(&[true; 9][..]));
        assert_eq!(view_as::<u8, bool>(&[2]), None);
        assert_eq!(view_as::<u16, u32>(&[1, 2, 3]), None);
        // Every start and length: aligned and whole, or nothing.
        let wide: &[u8] =
            view_as(&[0x0102_0304_0506_0708_u64; 4]).expect("bytes need no alignment");
        for start in 0..8 {
            for end in start..=wide.len() {
                let part = &wide[start..end];
                let fits = part.as_ptr().cast::<u32>().is_aligned() && part.len().is_multiple_of(4);
                let seen = view_as::<u8, u32>(part);
                assert_eq!(seen.is_some(), fits || part.is_empty(), "{start}..{end}");
                assert_eq!(seen.map_or(0, size_of_val), if fits { part.len() } else { 0 });
            }
        }
    }
}
