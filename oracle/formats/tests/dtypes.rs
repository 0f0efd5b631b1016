//! The records of formats and those of the oracle's dtypes, which are stated apart, say the same; and every number of a format is
//! projected to its own code.

use castproof_formats::{Format, Projection, Rounding, Value, decode, project};
use castproof_oracle::format::{CodeKind, kind};
use castproof_vectors::DType;
use castproof_vectors::random::Random;

/// Every code of up to 16 bits; of wider formats the powers of two, their neighbours and drawn codes.
fn codes(bits: u32) -> Vec<u64> {
    if bits <= 16 {
        return (0..1 << bits).collect();
    }
    let mask = u64::MAX >> (64 - bits);
    let mut random = Random::new(1);
    let powers = (0..bits).map(|bit| 1u64 << bit);
    let near = powers.flat_map(|it| [it.wrapping_sub(1), it, it + 1, !it]);
    near.chain((0..4_000).map(|_| random.number())).map(|code| code & mask).collect()
}

#[test]
fn every_float_dtype_is_the_format_of_its_name() {
    let mut count = 0;
    for dtype in DType::ALL {
        let Some(known @ CodeKind::Float(_)) = kind(dtype) else { continue };
        let format = Format::named(dtype.name()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(format.bits, dtype.bits(), "{dtype}");
        for code in codes(format.bits) {
            let due = castproof_oracle::decode::decode(&known, code);
            assert_eq!(decode(&format, code), due, "{dtype} {code:#x}");
            returns(&format, code);
        }
        count += 1;
    }
    assert_eq!(count, 12);
}

/// A number of a format is exact, so that every rounding leaves it.
fn returns(format: &Format, code: u64) {
    let value = decode(format, code).expect("a code");
    if matches!(value, Value::Nan { .. }) {
        return;
    }
    for rounding in Rounding::FIXED {
        let projection = Projection { rounding, ..Projection::default() };
        let name = &format.name;
        assert_eq!(project(&value, format, &projection), Ok(code), "{name} {code:#x} {rounding:?}");
    }
}

/// What the processor makes of float64, at and beside ties of float32 and for drawn codes.
#[test]
fn float64_becomes_float32_as_the_processor_has_it() {
    let [from, to] = ["float64", "float32"].map(|name| Format::named(name).expect("a format"));
    let mut codes = codes(64);
    for code in crate::codes(32) {
        let wide = f64::from(f32::from_bits(code as u32)).to_bits();
        let tie = wide ^ (1 << 28);
        codes.extend([wide, tie, tie + 1, tie - 1]);
    }
    for code in codes {
        let due = (f64::from_bits(code) as f32).to_bits();
        let value = decode(&from, code).expect("a code");
        let got = project(&value, &to, &Projection::default()).expect("decided");
        let is_nan = to.is_nan(got) && to.is_nan(due.into());
        assert!(got == u64::from(due) || is_nan, "{code:#x}: {got:#x}, the processor {due:#x}");
    }
}
