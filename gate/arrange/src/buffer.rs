//! Packs whole tensors. Repeating elements are packed once and copied.

use super::codes::Codes;
use super::plan::Arrangement;
use crate::tensor::{Way, padding};
use castproof_check::arrange::Filling;
use castproof_vectors::{DType, pack, packed_len};

/// Size in bytes of the parts in which the usual output is compared.
const COMPARED: usize = 1 << 14;

/// Bytes that a buffer keeps between requests: enough for 2^20 elements of 64 bits.
const KEPT: usize = 9 << 20;

/// Tensors of at least this count are built by copying the elements that repeat.
const LONG: usize = 32;

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
    // The rows of some forms are equal, so that the codes do not go on from one to the next.
    let is_one_row = tensor.row() == tensor.count;
    let (turns, start) = match tensor.filling {
        Filling::Constant(place) if tensor.count >= LONG => (pack(dtype, &[code(place); 8])?, 0),
        Filling::Cycle(_) if tensor.count >= LONG && is_one_row => {
            (turns(dtype, codes, code)?, start(dtype, tensor.filling, codes))
        }
        _ => {
            let elements: Vec<u64> = tensor.places(codes).into_iter().map(code).collect();
            return pack(dtype, &elements);
        }
    };
    let mut bytes = Vec::new();
    repeat(&mut bytes, &turns, start + length);
    bytes.truncate(start + length);
    bytes.drain(..start);
    if let Some(last) = bytes.last_mut() {
        *last &= !padding(dtype, tensor.count);
    }
    Ok(bytes)
}

/// Is this a tensor of all codes in turn? Such tensors are parts of buffers that are kept.
pub(super) fn is_in_turn(tensor: &Arrangement) -> bool {
    let is_flat = matches!(tensor.way, Way::Plain | Way::Placed { .. });
    tensor.count > 0 && is_flat && matches!(tensor.filling, Filling::Cycle(_))
}

/// Buffers of tensors of all codes in turn. They are kept from request to request, because allocating
/// fresh memory costs more than a cast.
#[derive(Default)]
pub(super) struct InTurn {
    pub(super) input: Inputs,
    pub(super) usual: Usual,
}

impl InTurn {
    /// Forgets the request, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.input.restore();
        self.input.bytes.clear();
        self.usual.bytes.clear();
    }

    /// Frees memory that only a few runs need.
    pub(super) fn shrink(&mut self) {
        self.input.restore();
        for buffer in [&mut self.input.bytes, &mut self.usual.bytes] {
            if buffer.capacity() > KEPT {
                *buffer = Vec::new();
            }
        }
    }
}

/// All codes in turn, over and over. Each input is a part of it.
#[derive(Default)]
pub(super) struct Inputs {
    bytes: Vec<u8>,
    /// The byte at the end of the last input as it was before its padding was cleared.
    cut: Option<(usize, u8)>,
}

impl Inputs {
    /// Returns the input of a tensor.
    ///
    /// # Errors
    /// If it does not fit in memory.
    pub(super) fn of(
        &mut self,
        dtype: DType,
        tensor: &Arrangement,
        codes: &Codes,
    ) -> Result<&[u8], String> {
        let length = packed_len(dtype, tensor.count)?;
        self.restore();
        let start = start(dtype, tensor.filling, codes);
        if self.bytes.len() < start + length {
            let turns = turns(dtype, codes, |place| codes.all[place].code)?;
            repeat(&mut self.bytes, &turns, start + length);
        }
        // A shorter tensor may end within an element of a longer one; the padding of each is zero.
        let last = start + length - 1;
        self.cut = Some((last, self.bytes[last]));
        self.bytes[last] &= !padding(dtype, tensor.count);
        Ok(&self.bytes[start..=last])
    }

    /// Puts back what was cleared at the end of the last input.
    fn restore(&mut self) {
        if let Some((last, whole)) = self.cut.take() {
            self.bytes[last] = whole;
        }
    }
}

/// Whole turns of the usual output, twice, so that a comparison can begin anywhere.
#[derive(Default)]
pub(super) struct Usual {
    bytes: Vec<u8>,
}

impl Usual {
    /// Does an output equal the usual output, to the last bit?
    ///
    /// # Errors
    /// If the usual output cannot be packed.
    pub(super) fn is(
        &mut self,
        dtype: DType,
        tensor: &Arrangement,
        codes: &Codes,
        output: &[u8],
    ) -> Result<bool, String> {
        if self.bytes.is_empty() {
            let turns = turns(dtype, codes, |place| codes.all[place].usual)?;
            // As many whole turns as fit in `COMPARED` bytes, which the first-level cache holds.
            self.bytes = turns.repeat(2 * (COMPARED / turns.len()).max(1));
        }
        let part = self.bytes.len() / 2;
        let usual = &self.bytes[start(dtype, tensor.filling, codes) % part..];
        let Some((last, rest)) = output.split_last() else { return Ok(tensor.count == 0) };
        let due = usual[rest.len() % part] & !padding(dtype, tensor.count);
        let mut parts = rest.chunks(part);
        Ok(packed_len(dtype, tensor.count)? == output.len()
            && *last == due
            && parts.all(|part| part == &usual[..part.len()]))
    }
}

/// Returns the byte of endless turns at which the codes of a filling begin. The number of codes is
/// odd, so each code begins at a whole byte in one of eight turns.
fn start(dtype: DType, filling: Filling, codes: &Codes) -> usize {
    let Filling::Cycle(first) = filling else { return 0 };
    let mut places = (first..).step_by(codes.len());
    places.find(|place| place % 8 == 0).unwrap_or(0) / 8 * dtype.bits() as usize
}

/// Packs eight turns of the codes, so that they end at a whole byte.
fn turns(dtype: DType, codes: &Codes, code: impl Fn(usize) -> u64) -> Result<Vec<u8>, String> {
    let elements: Vec<u64> = (0..8 * codes.len()).map(|index| code(index % codes.len())).collect();
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
    use castproof_testee::{Form, Layout};

    #[test]
    fn long_tensors_are_what_short_ones_are() {
        let codes = Codes::numbered(5);
        for dtype in [DType::Uint2, DType::Int4, DType::Float6E2M3, DType::Int8, DType::Int32] {
            for count in [1, 7, LONG, LONG + 1, LONG + 7, 4 * LONG + 3] {
                let tensor = Arrangement::plain(count, Filling::Cycle(3));
                let code = |place: usize| place as u64 & dtype.code_mask();
                let elements: Vec<u64> = tensor.places(&codes).into_iter().map(code).collect();
                let bytes = packed(dtype, &tensor, &codes, code);
                assert_eq!(bytes, pack(dtype, &elements), "{dtype} {count}");
            }
        }
        let shape = vec![25, 9, 19];
        let broadcast = Form { shape, layout: Layout::Broadcast, ..Form::default() };
        let rows = Arrangement {
            way: Way::Formed(broadcast),
            ..Arrangement::plain(25 * 9 * 19, Filling::Cycle(3))
        };
        let bytes = packed(DType::Int8, &rows, &codes, |place| place as u64).expect("packed");
        assert!(bytes.chunks(9 * 19).all(|row| row == &bytes[..9 * 19]));
        let mut long = InTurn::default();
        for dtype in [DType::Uint2, DType::Float6E2M3, DType::Int32] {
            long.clear();
            for count in [1, LONG, LONG + 1, LONG + 7, 4 * LONG + 3, 40_001, LONG + 2] {
                let tensor = Arrangement::plain(count, Filling::Cycle(count % 5));
                let due = packed(dtype, &tensor, &codes, |place| place as u64).expect("packed");
                assert_eq!(long.input.of(dtype, &tensor, &codes), Ok(&due[..]), "{dtype} {count}");
                assert_eq!(long.usual.is(dtype, &tensor, &codes, &due), Ok(true));
                for place in [0, due.len() / 2, due.len() - 1] {
                    let mut other = due.clone();
                    other[place] ^= 1;
                    assert_eq!(long.usual.is(dtype, &tensor, &codes, &other), Ok(false));
                }
                assert_eq!(long.usual.is(dtype, &tensor, &codes, &due[1..]), Ok(false));
            }
        }
    }
}
