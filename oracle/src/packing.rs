//! The definition of packing (P-01 to P-09): element `i` of width `b` is in bits `b*i` and up of
//! one large integer, which is stored least significant byte first.

use crate::number::Integer;
use castproof_vectors::DType;

/// Returns the bytes of a tensor of these codes; padding bits are zero.
pub fn pack(dtype: DType, codes: &[u64]) -> Vec<u8> {
    let bits = dtype.bits();
    let mut whole = Integer::new();
    for &code in codes.iter().rev() {
        whole = (whole << bits) + (code & dtype.code_mask());
    }
    let byte = |low: u32| Integer::from(Integer::from(&whole >> low).keep_bits_ref(8)).to_u64();
    let count = (codes.len() as u32 * bits).div_ceil(8);
    (0..count).map(|index| byte(8 * index).expect("8 bits") as u8).collect()
}

#[cfg(test)]
mod tests {
    use castproof_vectors::random::Random;

    #[test]
    fn the_transport_packs_as_defined() {
        for &dtype in castproof_vectors::DType::NUMERIC {
            for count in 0..20 {
                let codes = Random::new(1).numbers().map(|number| number & dtype.code_mask());
                let codes: Vec<u64> = codes.take(count).collect();
                let packed = super::pack(dtype, &codes);
                assert_eq!(castproof_vectors::pack(dtype, &codes), Ok(packed), "{dtype} {count}");
            }
        }
    }
}
