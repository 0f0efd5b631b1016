//! Packs whole tensors. Repeating elements are packed once and copied.

use super::codes::Codes;
use super::plan::{Arrangement, Filling};
use crate::tensor::{Way, padding};
use castproof_vectors::{DType, pack, packed_len};

/// Size in bytes of the parts in which the usual output is compared.
const COMPARED: usize = 1 << 14;

/// Bytes that a buffer keeps between requests: enough for 2^20 elements of 64 bits.
const KEPT: usize = 9 << 20;

/// Tensors of at least this count are built by copying the elements that repeat.
const LONG: usize = 1000;

/// Packs a tensor. `code` gives the element for the place of each code.
///
/// # Errors
/// If they do not fit in memory.
pub(super) fn packed(
    dtype: DType,
    tensor: &Arrangement,
    codes: &Codes,
    code: impl Fn(usize) -> u64,
) -> Result<Vec<u8>, String> {
    let length = packed_len(dtype, tensor.count)?;
    if tensor.count < LONG || !matches!(tensor.filling, Filling::Cycle(_)) {
        let elements: Vec<u64> = tensor.places(codes).map(code).collect();
        return pack(dtype, &elements);
    }
    let turns = turns(dtype, tensor.filling, codes, code)?;
    let mut bytes = Vec::new();
    repeat(&mut bytes, &turns, length);
    bytes.truncate(length);
    if let Some(last) = bytes.last_mut() {
        *last &= !padding(dtype, tensor.count);
    }
    Ok(bytes)
}

/// Buffers of long tensors of all codes in turn. They are kept from request to request, because
/// allocating fresh memory costs more than a cast.
#[derive(Default)]
pub(super) struct Long {
    /// The input of the longest tensor so far. Shorter inputs are prefixes of it.
    input: Vec<u8>,
    /// Whole turns of the usual output.
    usual: Vec<u8>,
}

impl Long {
    /// Is this a tensor of all codes in turn, and long enough to be worth it?
    pub(super) fn is_for(tensor: &Arrangement) -> bool {
        tensor.count >= LONG && tensor.way == Way::Plain && tensor.filling == Filling::Cycle(0)
    }

    /// Forgets the request, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.input.clear();
        self.usual.clear();
    }

    /// Frees memory that only a few runs need.
    pub(super) fn shrink(&mut self) {
        for buffer in [&mut self.input, &mut self.usual] {
            if buffer.capacity() > KEPT {
                *buffer = Vec::new();
            }
        }
    }

    /// Hands the input of a tensor to `call`.
    ///
    /// # Errors
    /// If the input does not fit in memory.
    pub(super) fn with_input<T>(
        &mut self,
        dtype: DType,
        tensor: &Arrangement,
        codes: &Codes,
        call: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, String> {
        let length = packed_len(dtype, tensor.count)?;
        let turns = turns(dtype, tensor.filling, codes, |place| codes.all[place].code)?;
        repeat(&mut self.input, &turns, length);
        // A shorter tensor may end within an element of a longer one; the padding of each is zero.
        let last = length - 1;
        let whole = self.input[last];
        self.input[last] &= !padding(dtype, tensor.count);
        let result = call(&self.input[..length]);
        self.input[last] = whole;
        Ok(result)
    }

    /// Does an output equal the usual output, to the last bit?
    ///
    /// # Errors
    /// If the usual output cannot be packed.
    pub(super) fn is_usual(
        &mut self,
        dtype: DType,
        tensor: &Arrangement,
        codes: &Codes,
        output: &[u8],
    ) -> Result<bool, String> {
        if self.usual.is_empty() {
            let turns = turns(dtype, tensor.filling, codes, |place| codes.all[place].usual)?;
            // As many whole turns as fit in `COMPARED` bytes, which the first-level cache holds.
            self.usual = turns.repeat((COMPARED / turns.len()).max(1));
        }
        let Some((last, rest)) = output.split_last() else { return Ok(tensor.count == 0) };
        let due = self.usual[rest.len() % self.usual.len()] & !padding(dtype, tensor.count);
        let mut parts = rest.chunks(self.usual.len());
        Ok(packed_len(dtype, tensor.count)? == output.len()
            && *last == due
            && parts.all(|part| part == &self.usual[..part.len()]))
    }
}

/// Packs eight turns of the codes, so that they end at a whole byte.
fn turns(
    dtype: DType,
    filling: Filling,
    codes: &Codes,
    code: impl Fn(usize) -> u64,
) -> Result<Vec<u8>, String> {
    let turns = codes.len() * 8;
    let elements: Vec<u64> =
        (0..turns).map(|index| code(filling.place(codes, index, turns))).collect();
    pack(dtype, &elements)
}

/// Repeats the contents of the buffer, or `turns` if it is empty, until it has at least `length`
/// bytes. A lack of memory is the run's and not the testee's, so it ends the program.
fn repeat(buffer: &mut Vec<u8>, turns: &[u8], length: usize) {
    buffer.reserve((length + turns.len()).saturating_sub(buffer.len()));
    if buffer.is_empty() {
        buffer.extend_from_slice(turns);
    }
    while buffer.len() < length {
        // The buffer always holds whole turns, so a copy of its beginning continues it.
        let missing = (length - buffer.len()).next_multiple_of(turns.len());
        buffer.extend_from_within(..missing.min(buffer.len()));
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
                let tensor = Arrangement::plain(count, Filling::Cycle(3));
                let code = |place: usize| place as u64 & dtype.code_mask();
                let elements: Vec<u64> = tensor.places(&codes).map(code).collect();
                let bytes = packed(dtype, &tensor, &codes, code);
                assert_eq!(bytes, pack(dtype, &elements), "{dtype} {count}");
            }
        }
        let mut long = Long::default();
        for count in [LONG, LONG + 1, LONG + 7, 4 * LONG + 3, 40_001, LONG + 2] {
            for dtype in [DType::Uint2, DType::Float6E2M3, DType::Int32] {
                long.clear();
                let tensor = Arrangement::plain(count, Filling::Cycle(0));
                let due = packed(dtype, &tensor, &codes, |place| place as u64).expect("packed");
                let taken = long.with_input(dtype, &tensor, &codes, <[u8]>::to_vec);
                assert_eq!(taken.as_ref(), Ok(&due), "{dtype} {count}");
                assert_eq!(long.is_usual(dtype, &tensor, &codes, &due), Ok(true));
                for place in [0, due.len() / 2, due.len() - 1] {
                    let mut other = due.clone();
                    other[place] ^= 1;
                    assert_eq!(long.is_usual(dtype, &tensor, &codes, &other), Ok(false));
                }
                assert_eq!(long.is_usual(dtype, &tensor, &codes, &due[1..]), Ok(false));
            }
        }
    }
}
