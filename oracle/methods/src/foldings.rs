//! What is done to the results of casts in a row, mostly where constants are folded at compile time.

use crate::special;
use castproof_oracle::format::{
    CodeKind, FloatFormat, IntegerFormat, NanEncoding, ZeroEncoding, kind,
};
use castproof_oracle::{decode, encode};
use castproof_vectors::DType;

/// A change to the results of casts in a row. Compilers keep constants in another form than tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Folding {
    /// An integer beyond the range of this dtype becomes the end of the range.
    Clamped(DType),
    /// Subnormal numbers and negative zero become zero.
    Flushed,
    /// NaN becomes infinity.
    NanLost,
}

impl Folding {
    /// Every change. If two explain the same results, the first is preferred.
    pub const ALL: [Folding; 6] = [
        Folding::Flushed,
        Folding::NanLost,
        Folding::Clamped(DType::Int32),
        Folding::Clamped(DType::Int64),
        Folding::Clamped(DType::Uint32),
        Folding::Clamped(DType::Uint64),
    ];

    /// Returns what the change makes of a result.
    pub fn of(self, dtype: DType, code: u64) -> u64 {
        match (self, kind(dtype)) {
            (Folding::Clamped(range), Some(CodeKind::Integer(format))) => {
                clamped(range, &format, code)
            }
            (Folding::Flushed, Some(CodeKind::Float(format))) => flushed(&format, code),
            (Folding::NanLost, Some(CodeKind::Float(format))) => nan_lost(&format, code),
            _ => code,
        }
    }

    /// Returns what it does, as one short phrase.
    pub fn name(self) -> String {
        match self {
            Folding::Clamped(range) => format!("the result clamped to {range}"),
            Folding::Flushed => "subnormal results and -0 become 0".into(),
            Folding::NanLost => "a result of NaN becomes infinity".into(),
        }
    }
}

/// Returns the end of the range of `range` that an integer is beyond, or the integer.
fn clamped(range: DType, format: &IntegerFormat, code: u64) -> u64 {
    let Some(CodeKind::Integer(range)) = kind(range) else { return code };
    let number = if format.signed { sign_extended(code, format.bits) } else { i128::from(code) };
    let highest = (1_i128 << (range.bits - u32::from(range.signed))) - 1;
    let lowest = if range.signed { -1 - highest } else { 0 };
    let mask = u64::MAX >> (64 - format.bits);
    number.clamp(lowest, highest) as u64 & mask
}

fn sign_extended(code: u64, bits: u32) -> i128 {
    let negative = code >> (bits - 1) & 1 == 1;
    i128::from(code) - if negative { 1 << bits } else { 0 }
}

fn flushed(format: &FloatFormat, code: u64) -> u64 {
    let negative_zero = format.zero == ZeroEncoding::Signed && code == format.sign_bit();
    let is_lost = negative_zero || special::flushed(format, code).is_some();
    if is_lost { 0 } else { code }
}

fn nan_lost(format: &FloatFormat, code: u64) -> u64 {
    let negative = code & format.sign_bit() != 0;
    let has_both = format.infinities && format.nan == NanEncoding::TopBinade;
    if has_both && decode::is_nan(format, code) { encode::infinity(format, negative) } else { code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_changed_where_they_are_beyond() {
        use DType::*;
        for (folding, dtype, code, changed) in [
            (Folding::Clamped(Int32), Uint32, 0xffff_ff80, 0x7fff_ffff),
            (Folding::Clamped(Int32), Uint64, u64::MAX, 0x7fff_ffff),
            (Folding::Clamped(Int32), Int64, 1 << 63, 0xffff_ffff_8000_0000),
            (Folding::Clamped(Int32), Int64, u64::MAX, u64::MAX),
            (Folding::Clamped(Uint32), Int64, u64::MAX, 0),
            (Folding::Clamped(Uint32), Int8, 0x80, 0),
            (Folding::Clamped(Int32), Int8, 0x80, 0x80),
            (Folding::Clamped(Int32), Float32, 0x7f80_0000, 0x7f80_0000),
            (Folding::Flushed, Float32, 0x8000_0000, 0),
            (Folding::Flushed, Float32, 0x007f_ffff, 0),
            (Folding::Flushed, Float32, 0x0080_0000, 0x0080_0000),
            (Folding::Flushed, Float8E4M3FNUZ, 0x80, 0x80),
            (Folding::Flushed, Float8E4M3FNUZ, 0x81, 0),
            (Folding::Flushed, Float8E8M0, 0, 0),
            (Folding::Flushed, Uint8, 0x80, 0x80),
            (Folding::NanLost, Float16, 0x7c01, 0x7c00),
            (Folding::NanLost, Float16, 0xfe00, 0xfc00),
            (Folding::NanLost, Float8E4M3FN, 0x7f, 0x7f),
        ] {
            assert_eq!(folding.of(dtype, code), changed, "{folding:?} of {dtype} {code:#x}");
        }
    }
}
