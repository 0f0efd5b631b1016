//! Rust's `as`, which uses the processor's conversions. It is right wherever the cast is
//! defined.

use crate::compare::{agrees, codes};
use castproof_oracle::{Caster, cast};
use castproof_vectors::{DType, Outcome, Profile, Request, Spec};

use DType::*;

const DTYPES: [DType; 11] =
    [Bool, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float32, Float64];

#[test]
fn every_machine_dtype_to_every_other() {
    for from in DTYPES {
        for to in DTYPES {
            if from != to {
                agrees(&Request::cast(from, to, 28), |code| Some(write(to, read(from, code))));
            }
        }
    }
}

/// The profile `rust-as` gives the results of Rust's `as`, also beyond the range and for NaN.
#[test]
fn rust_as_is_what_rust_does() {
    let rust = Spec::Profile(Profile::RustAs);
    for from in DTYPES {
        for to in DTYPES {
            let request = Request::new(rust, from, to);
            let refused = to == Bool || from == Bool && matches!(to, Float32 | Float64);
            assert_eq!(Caster::new(&request).expect("known").is_refused(), refused, "{request}");
            if !refused {
                let defined = |code| cast(&request, code).expect("a code").expect != Outcome::Any;
                assert!(codes(from, to).into_iter().all(defined), "{request} leaves codes open");
                agrees(&request, |code| Some(write(to, read(from, code))));
            }
        }
    }
    for (from, to) in [(Float16, Float32), (Int8, Int4), (Float32, Complex64)] {
        let caster = Caster::new(&Request::new(rust, from, to)).expect("known");
        assert!(caster.is_refused(), "{from} to {to}");
    }
}

/// An element in a machine type that holds it exactly.
enum Machine {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

fn read(from: DType, code: u64) -> Machine {
    match from {
        Bool | Uint8 | Uint16 | Uint32 | Uint64 => Machine::Unsigned(code),
        Float32 => Machine::Float(f32::from_bits(code as u32).into()),
        Float64 => Machine::Float(f64::from_bits(code)),
        _ => {
            let unused = 64 - from.bits();
            Machine::Signed((code << unused) as i64 >> unused)
        }
    }
}

fn write(to: DType, element: Machine) -> u64 {
    let code = match (element, to) {
        (Machine::Signed(x), Bool) => u64::from(x != 0),
        (Machine::Signed(x), Float32) => (x as f32).to_bits().into(),
        (Machine::Signed(x), Float64) => (x as f64).to_bits(),
        (Machine::Signed(x), _) => x as u64,
        (Machine::Unsigned(x), Bool) => u64::from(x != 0),
        (Machine::Unsigned(x), Float32) => (x as f32).to_bits().into(),
        (Machine::Unsigned(x), Float64) => (x as f64).to_bits(),
        (Machine::Unsigned(x), _) => x,
        (Machine::Float(x), Bool) => u64::from(x != 0.0),
        (Machine::Float(x), Float32) => (x as f32).to_bits().into(),
        (Machine::Float(x), Float64) => x.to_bits(),
        (Machine::Float(x), Int8) => x as i8 as u64,
        (Machine::Float(x), Int16) => x as i16 as u64,
        (Machine::Float(x), Int32) => x as i32 as u64,
        (Machine::Float(x), Int64) => x as i64 as u64,
        (Machine::Float(x), Uint8) => u64::from(x as u8),
        (Machine::Float(x), Uint16) => u64::from(x as u16),
        (Machine::Float(x), Uint32) => u64::from(x as u32),
        (Machine::Float(x), _) => x as u64,
    };
    code & to.code_mask()
}
