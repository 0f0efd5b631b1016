//! Whole tensors as bytes. What repeats is packed once and copied.

use super::codes::Codes;
use super::plan::{Filling, Tensor};
use castproof_vectors::{DType, pack, packed_len};

/// Tensors from this length on are built by copying what repeats.
const LONG: usize = 1000;

/// The bytes of a tensor whose element at each place is what `code` says of its code's place.
///
/// # Errors
/// If they do not fit in memory.
pub(super) fn packed(
    dtype: DType,
    tensor: &Tensor,
    codes: &Codes,
    code: impl Fn(usize) -> u64,
) -> Result<Vec<u8>, String> {
    let length = packed_len(dtype, tensor.count)?;
    if tensor.count < LONG || !matches!(tensor.filling, Filling::Cycle(_)) {
        let elements: Vec<u64> = tensor.places(codes).map(code).collect();
        return pack(dtype, &elements);
    }
    // Eight turns end at a whole byte.
    let turns = codes.len() * 8;
    let elements: Vec<u64> =
        (0..turns).map(|index| code(tensor.filling.place(codes, index, turns))).collect();
    let turns = pack(dtype, &elements)?;
    let mut bytes = turns.repeat(length.div_ceil(turns.len()));
    bytes.truncate(length);
    if let Some(last) = bytes.last_mut() {
        *last &= !padding(dtype, tensor.count);
    }
    Ok(bytes)
}

/// The bits of the last byte that belong to no element.
pub(super) fn padding(dtype: DType, count: usize) -> u8 {
    match count % 8 * dtype.bits() as usize % 8 {
        0 => 0,
        used => !0 << used,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tensors_are_what_short_ones_are() {
        let codes = Codes::numbered(5);
        for dtype in [DType::Uint2, DType::Int4, DType::Float6E2M3, DType::Int8, DType::Int32] {
            for count in [LONG, LONG + 1, LONG + 7, 4 * LONG + 3] {
                let tensor = Tensor::plain(count, Filling::Cycle(3));
                let code = |place: usize| place as u64 & dtype.code_mask();
                let elements: Vec<u64> = tensor.places(&codes).map(code).collect();
                let bytes = packed(dtype, &tensor, &codes, code);
                assert_eq!(bytes, pack(dtype, &elements), "{dtype} {count}");
            }
        }
        assert_eq!(padding(DType::Int4, 3), 0xf0);
        assert_eq!(padding(DType::Float6E2M3, 1), 0xc0);
        assert_eq!(padding(DType::Float6E2M3, 4), 0);
        assert_eq!(padding(DType::Int8, 3), 0);
    }
}
