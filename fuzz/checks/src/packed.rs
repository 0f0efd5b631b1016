//! Packed storage in the transport, the implementation and the oracle.

use crate::input::{Choice, DTypeInput, count_in};
use arbitrary::Arbitrary;
use castproof_impl::Cast;
use castproof_vectors::{DType, pack, packed_len, unpack};

/// Elements of a numeric dtype.
#[derive(Debug, Arbitrary)]
pub struct PackedInput<'a> {
    /// The dtype, a numeric one.
    pub dtype: DTypeInput,
    /// The bytes hold this many more whole elements than are used, so that padding remains.
    pub fewer: Choice<4>,
    /// The elements, packed and little-endian; padding has any value.
    pub bytes: &'a [u8],
}

/// Checks packing. The transport packs as the oracle says, and unpacks its own bytes to the same
/// codes. The implementation, in a cast that changes nothing, writes the same bytes. Both write
/// zero padding and do not read it. A byte too many is refused.
///
/// # Panics
/// If one of these does not hold.
pub fn check_packed(input: &PackedInput<'_>) {
    let dtype = input.dtype.numeric();
    let count = count_in(dtype, input.bytes, input.fewer.0);
    let length = packed_len(dtype, count).expect("the bytes are in memory");
    assert_eq!(castproof_impl::packed_len(dtype, count), Ok(length), "{count} {dtype}");
    let bytes = &input.bytes[..length];
    let other_padding = with_padding_flipped(dtype, bytes, count);

    let codes = unpack(dtype, bytes, count).expect("exactly these bytes");
    assert_eq!(unpack(dtype, &other_padding, count).as_ref(), Ok(&codes), "padding is read");
    let too_long = [bytes, &[0]].concat();
    assert!(unpack(dtype, &too_long, count).is_err(), "{dtype}: a byte too many is taken");

    let packed = pack(dtype, &codes).expect("numeric");
    let defined = castproof_oracle::packing::pack(dtype, &codes);
    assert_eq!(packed, defined, "{count} {dtype}: the transport packs otherwise");
    let unread = packed.last().map_or(0, |last| last & padding(dtype, count));
    assert_eq!(unread, 0, "{count} {dtype}: padding is not zero");
    assert_eq!(unpack(dtype, &packed, count), Ok(codes.clone()), "{dtype}: no round trip");

    // A bool byte other than 0 and 1 becomes 1 (B-08).
    let unchanged = match dtype {
        DType::Bool => codes.iter().map(|&code| u64::from(code != 0)).collect(),
        _ => codes,
    };
    let expected = castproof_oracle::packing::pack(dtype, &unchanged);
    for source in [bytes, &other_padding] {
        assert_eq!(same_dtype(dtype, source, count), expected, "{count} {dtype} from {source:x?}");
    }
}

/// Casts to the same dtype. Without `saturate`, infinities of float8e5m2 stay (F8-S08).
fn same_dtype(dtype: DType, bytes: &[u8], count: usize) -> Vec<u8> {
    let cast = Cast::new(dtype, dtype).expect("numeric").saturate(false);
    let mut output = vec![0xff; bytes.len()];
    cast.run(bytes, count, &mut output).expect("exactly these bytes");
    output
}

fn with_padding_flipped(dtype: DType, bytes: &[u8], count: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(last) = bytes.last_mut() {
        *last ^= padding(dtype, count);
    }
    bytes
}

/// Returns a mask of the bits of the last byte that belong to no element.
fn padding(dtype: DType, count: usize) -> u8 {
    match count * dtype.bits() as usize % 8 {
        0 => 0,
        used => u8::MAX << used,
    }
}
