//! Rust's `as`: each cast of the profile `rust-as` is one expression of the language.

use castproof_vectors::DType;

use DType::*;

/// One cast, from code to code.
type Kernel = fn(u64) -> u64;

type Row = (DType, DType, Kernel);

/// Returns the cast of a pair; `None` if Rust has none.
pub(crate) fn kernel(from: DType, to: DType) -> Option<Kernel> {
    let mut rows = TO_INTEGERS.iter().flatten().chain(TO_FLOATS.iter().flatten());
    rows.find(|(source, target, _)| (*source, *target) == (from, to)).map(|(.., kernel)| *kernel)
}

/// Casts to every integer. `$value` turns a code into the value of the source.
macro_rules! to_integers {
    ($from:ident, $value:expr) => {
        [
            ($from, Int8, |code| u64::from($value(code) as i8 as u8)),
            ($from, Uint8, |code| u64::from($value(code) as u8)),
            ($from, Int16, |code| u64::from($value(code) as i16 as u16)),
            ($from, Uint16, |code| u64::from($value(code) as u16)),
            ($from, Int32, |code| u64::from($value(code) as i32 as u32)),
            ($from, Uint32, |code| u64::from($value(code) as u32)),
            ($from, Int64, |code| $value(code) as i64 as u64),
            ($from, Uint64, |code| $value(code) as u64),
        ]
    };
}

/// Casts to both floats.
macro_rules! to_floats {
    ($from:ident, $value:expr) => {
        [
            ($from, Float32, |code| u64::from(($value(code) as f32).to_bits())),
            ($from, Float64, |code| ($value(code) as f64).to_bits()),
        ]
    };
}

const TO_INTEGERS: [[Row; 8]; 11] = [
    to_integers!(Bool, |code: u64| code == 1),
    to_integers!(Int8, |code: u64| code as i8),
    to_integers!(Uint8, |code: u64| code as u8),
    to_integers!(Int16, |code: u64| code as i16),
    to_integers!(Uint16, |code: u64| code as u16),
    to_integers!(Int32, |code: u64| code as i32),
    to_integers!(Uint32, |code: u64| code as u32),
    to_integers!(Int64, |code: u64| code as i64),
    to_integers!(Uint64, |code: u64| code),
    to_integers!(Float32, |code: u64| f32::from_bits(code as u32)),
    to_integers!(Float64, f64::from_bits),
];

const TO_FLOATS: [[Row; 2]; 10] = [
    to_floats!(Int8, |code: u64| code as i8),
    to_floats!(Uint8, |code: u64| code as u8),
    to_floats!(Int16, |code: u64| code as i16),
    to_floats!(Uint16, |code: u64| code as u16),
    to_floats!(Int32, |code: u64| code as i32),
    to_floats!(Uint32, |code: u64| code as u32),
    to_floats!(Int64, |code: u64| code as i64),
    to_floats!(Uint64, |code: u64| code),
    to_floats!(Float32, |code: u64| f32::from_bits(code as u32)),
    to_floats!(Float64, f64::from_bits),
];
