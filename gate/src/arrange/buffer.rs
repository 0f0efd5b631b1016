//! Whole tensors as bytes. What repeats is packed once and copied.

use super::codes::Codes;
use super::plan::{Filling, Tensor, Way};
use castproof_vectors::{DType, pack, packed_len};

/// Elements by which a base grows: one more than any block that every request is asked for.
const BASE: usize = (1 << 16) + 8;

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

/// Input and usual output of the longest tensor of all codes in turn so far, of which shorter ones
/// are the beginnings.
#[derive(Default)]
pub(super) struct Base {
    count: usize,
    input: Vec<u8>,
    usual: Vec<u8>,
}

impl Base {
    /// Can the buffers of this tensor be cut from longer ones?
    pub(super) fn is_for(&self, tensor: &Tensor, from: DType, to: DType) -> bool {
        tensor.count >= LONG
            && tensor.way == Way::Plain
            && tensor.filling == Filling::Cycle(0)
            && [from, to].iter().all(|&dtype| padding(dtype, tensor.count) == 0)
    }

    /// Input and usual output of a tensor.
    ///
    /// # Errors
    /// If they do not fit in memory.
    pub(super) fn cut(
        &mut self,
        tensor: &Tensor,
        codes: &Codes,
        (from, to): (DType, DType),
    ) -> Result<(&[u8], &[u8]), String> {
        if self.count < tensor.count {
            let count = tensor.count.next_multiple_of(BASE);
            let longer = Tensor::plain(count, Filling::Cycle(0));
            self.input = packed(from, &longer, codes, |place| codes.all[place].code)?;
            self.usual = packed(to, &longer, codes, |place| codes.all[place].usual)?;
            self.count = count;
        }
        let [input, usual] = [from, to].map(|dtype| packed_len(dtype, tensor.count));
        Ok((&self.input[..input?], &self.usual[..usual?]))
    }
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
