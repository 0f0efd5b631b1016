//! Elements as bytes: little-endian, over the flattened tensor. Sub-byte elements are packed from
//! the least significant bits up, and the last byte is filled with zeros (P-01 to P-09). Strings
//! are a JSON array.
//!
//! This is the transport of the gate. `impl` has its own packing, and `oracle` says what packing
//! means; a test in `oracle` compares all three.

use super::element::Element;
use crate::DType;

/// Returns the number of bytes that `count` elements take.
///
/// # Errors
/// If the dtype has no fixed width or the size does not fit in memory.
pub fn packed_len(dtype: DType, count: usize) -> Result<usize, String> {
    if dtype.bits() == 0 {
        return Err(format!(
            "elements of {dtype} have no fixed width: give a numeric or complex dtype"
        ));
    }
    count
        .checked_mul(dtype.bits() as usize)
        .map(|bits| bits.div_ceil(8))
        .ok_or_else(|| format!("{count} elements of {dtype} do not fit in memory"))
}

/// Returns the number of elements of a tensor of this shape. It is 0 if one side is 0, however long
/// the others are.
///
/// # Errors
/// If they do not fit in memory.
pub fn element_count(shape: &[u64]) -> Result<usize, String> {
    if shape.contains(&0) {
        return Ok(0);
    }
    shape
        .iter()
        .try_fold(1u64, |count, &side| count.checked_mul(side))
        .and_then(|count| usize::try_from(count).ok())
        .ok_or_else(|| format!("shape {shape:?} does not fit in memory"))
}

/// Returns the number of bytes of a tensor of this shape.
///
/// # Errors
/// If it does not fit in memory, or the dtype has no fixed width.
pub fn tensor_len(dtype: DType, shape: &[u64]) -> Result<usize, String> {
    packed_len(dtype, element_count(shape)?)
}

/// Returns the payload of elements of a numeric dtype or of string.
///
/// # Errors
/// If an element is not an element of the dtype.
pub fn pack_elements(dtype: DType, elements: &[Element]) -> Result<Vec<u8>, String> {
    if dtype == DType::String {
        return serde_json::to_vec(elements).map_err(|error| error.to_string());
    }
    let code = |element: &Element| {
        element
            .as_code()
            .ok_or_else(|| format!("'{element}' is not a code of {dtype}: write 0x and hex digits"))
    };
    pack(dtype, &elements.iter().map(code).collect::<Result<Vec<u64>, String>>()?)
}

/// Returns the `count` elements of a payload.
///
/// # Errors
/// If the payload holds another number of elements, or is not a JSON array of strings where it must
/// be.
pub fn unpack_elements(dtype: DType, bytes: &[u8], count: usize) -> Result<Vec<Element>, String> {
    if dtype != DType::String {
        let codes = unpack(dtype, bytes, count)?;
        return Ok(codes.into_iter().map(|code| Element::code(code, dtype)).collect());
    }
    let elements: Vec<Element> = serde_json::from_slice(bytes)
        .map_err(|error| format!("a payload of strings must be a JSON array: {error}"))?;
    if elements.len() != count {
        return Err(format!("the payload must hold {count} strings, not {}", elements.len()));
    }
    Ok(elements)
}

/// Packs codes of a numeric dtype. Bits above the dtype's width are dropped.
///
/// # Errors
/// If the dtype has no fixed width of at most 64 bits.
pub fn pack(dtype: DType, codes: &[u64]) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; packed_len(numeric(dtype)?, codes.len())?];
    let bits = dtype.bits() as usize;
    match bits {
        8 => write::<1>(&mut bytes, codes),
        16 => write::<2>(&mut bytes, codes),
        32 => write::<4>(&mut bytes, codes),
        64 => write::<8>(&mut bytes, codes),
        _ => {
            for (index, code) in codes.iter().enumerate() {
                let (byte, shift) = (index * bits / 8, index * bits % 8);
                let field = (code & dtype.code_mask()) << shift;
                #[cfg(castproof_plant)]
                let field = planted_field(dtype, (index, codes.len()), field);
                bytes[byte] |= field as u8;
                if shift + bits > 8 {
                    bytes[byte + 1] |= (field >> 8) as u8;
                }
            }
        }
    }
    Ok(bytes)
}

/// Writes codes of `N` bytes. Each width has its own loop because one loop for all widths copies
/// byte by byte.
fn write<const N: usize>(bytes: &mut [u8], codes: &[u64]) {
    for (element, code) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(codes) {
        element.copy_from_slice(&code.to_le_bytes()[..N]);
    }
}

/// Reads codes of `N` bytes.
fn read<const N: usize>(bytes: &[u8]) -> Vec<u64> {
    let wide = |element: &[u8; N]| {
        let mut code = [0; 8];
        code[..N].copy_from_slice(element);
        u64::from_le_bytes(code)
    };
    bytes.as_chunks().0.iter().map(wide).collect()
}

/// Returns a field as a planted fault packs it.
#[cfg(castproof_plant)]
fn planted_field(dtype: DType, (index, count): (usize, usize), field: u64) -> u64 {
    use crate::plant::is_planted;
    let is_last_of_odd = count % 2 == 1 && index + 1 == count;
    match dtype.bits() {
        4 if is_last_of_odd && is_planted("odd-nibble") => field ^ 1,
        // The third of four elements begins in one byte and ends in the next.
        6 if index % 4 == 2 && count > 7 && is_planted("six-bits-across") => field ^ 1 << 8,
        _ => field,
    }
}

/// Unpacks `count` codes of a numeric dtype. Padding bits are not read.
///
/// # Errors
/// If the number of bytes is not exactly that of `count` elements.
pub fn unpack(dtype: DType, bytes: &[u8], count: usize) -> Result<Vec<u64>, String> {
    let expected = packed_len(numeric(dtype)?, count)?;
    if bytes.len() != expected {
        return Err(format!(
            "{count} elements of {dtype} take {expected} bytes, not {}",
            bytes.len()
        ));
    }
    Ok(match dtype.bits() {
        8 => read::<1>(bytes),
        16 => read::<2>(bytes),
        32 => read::<4>(bytes),
        64 => read::<8>(bytes),
        _ => (0..count).map(|index| code_at(dtype, bytes, index)).collect(),
    })
}

/// Returns one code of a payload of a numeric dtype.
///
/// # Panics
/// If the payload has fewer elements.
pub fn code_at(dtype: DType, bytes: &[u8], index: usize) -> u64 {
    let bits = dtype.bits() as usize;
    let (first, last) = (index * bits / 8, (index * bits + bits).div_ceil(8));
    let mut word = [0; 8];
    word[..last - first].copy_from_slice(&bytes[first..last]);
    (u64::from_le_bytes(word) >> (index * bits % 8)) & dtype.code_mask()
}

fn numeric(dtype: DType) -> Result<DType, String> {
    if dtype.is_numeric() {
        Ok(dtype)
    } else {
        Err(format!("elements of {dtype} are not single codes: give a numeric dtype"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_side_of_0_makes_a_tensor_empty() {
        assert_eq!(element_count(&[]), Ok(1));
        assert_eq!(element_count(&[2, 3]), Ok(6));
        assert_eq!(element_count(&[u64::MAX, 3, 0]), Ok(0));
        assert!(element_count(&[u64::MAX, 3]).is_err());
        assert_eq!(tensor_len(DType::Int4, &[5]), Ok(3));
        assert!(tensor_len(DType::Int64, &[1 << 62]).is_err());
    }

    #[test]
    fn known_bytes() {
        // P-01, P-04, P-09: first element in the least significant bits.
        assert_eq!(pack(DType::Int4, &[0x1, 0xf, 0x7]), Ok(vec![0xf1, 0x07]));
        assert_eq!(pack(DType::Uint2, &[1, 2, 3, 0, 1]), Ok(vec![0b0011_1001, 0b01]));
        assert_eq!(pack(DType::Float6E2M3, &[0x3f, 0, 0x3f, 0]), Ok(vec![0x3f, 0xf0, 0x03]));
        assert_eq!(pack(DType::Float32, &[0x3f80_0000]), Ok(vec![0, 0, 0x80, 0x3f]));
    }

    #[test]
    fn unpack_inverts_pack_at_every_count() {
        for &dtype in DType::NUMERIC {
            for count in 0..40 {
                let codes = Random::new(1).numbers().map(|number| number & dtype.code_mask());
                let codes: Vec<u64> = codes.take(count).collect();
                let bytes = pack(dtype, &codes).expect("numeric");
                assert_eq!(unpack(dtype, &bytes, codes.len()), Ok(codes), "{dtype}");
            }
        }
    }

    #[test]
    fn strings_are_a_json_array() {
        let texts: Vec<Element> =
            ["1.5", "", "a\0\"\u{221e}", "0x10"].map(|text| Element::from(text.to_string())).into();
        let bytes = pack_elements(DType::String, &texts).expect("strings");
        assert_eq!(unpack_elements(DType::String, &bytes, 4), Ok(texts));
        assert!(unpack_elements(DType::String, &bytes, 3).unwrap_err().contains("not 4"));
        assert!(unpack_elements(DType::String, b"[1]", 1).unwrap_err().contains("JSON array"));
    }

    #[test]
    fn wrong_lengths_are_named() {
        let error = unpack(DType::Int4, &[0, 0, 0], 3).unwrap_err();
        assert_eq!(error, "3 elements of int4 take 2 bytes, not 3");
        assert!(pack(DType::String, &[]).is_err());
    }
}
