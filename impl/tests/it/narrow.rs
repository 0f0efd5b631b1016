//! Tests the element types that Rust lacks, in slices and one by one.

use crate::common::random;
use castproof_impl::{
    Backend, Cast, DType, Element, Error, F4E2M1, F6E2M3, F6E3M2, F8E4M3FN, F8E4M3FNUZ, F8E5M2,
    F8E5M2FNUZ, F8E8M0, I2, I4, U2, U4, cast_slice, view_as,
};
use half::f16;

/// A type whose elements can be made from codes without the casts under test.
trait Known: Element + PartialEq + std::fmt::Debug {
    fn known(code: u64) -> Self;
}

macro_rules! known {
    ($($type:ty: $make:expr;)*) => {$(
        impl Known for $type {
            fn known(code: u64) -> Self {
                let make: fn(u64) -> Self = $make;
                make(code)
            }
        }
    )*};
}

known! {
    I2: |code| I2::from_bits(code as u8).expect("fits");
    U2: |code| U2::from_bits(code as u8).expect("fits");
    I4: |code| I4::from_bits(code as u8).expect("fits");
    U4: |code| U4::from_bits(code as u8).expect("fits");
    F4E2M1: |code| F4E2M1::from_bits(code as u8).expect("fits");
    F6E2M3: |code| F6E2M3::from_bits(code as u8).expect("fits");
    F6E3M2: |code| F6E3M2::from_bits(code as u8).expect("fits");
    F8E5M2: |code| F8E5M2::from_bits(code as u8);
    bool: |code| code != 0;
    i8: |code| code as u8 as i8;
    u8: |code| code as u8;
    f16: |code| f16::from_bits(code as u16);
    i32: |code| code as u32 as i32;
    f64: f64::from_bits;
}

/// Compares casts of slices, with and without a table and with a tail, with casts of single codes.
/// Returns 1, so that the caller can count pairs. Not inlined: in a release build the compiler overflows its stack
/// over 147 copies in one function.
#[inline(never)]
fn check<S: Known, T: Known>() -> usize {
    let cast = Cast::new(S::DTYPE, T::DTYPE).expect("numeric");
    for count in [0, 1, 3, 7, 64, 130, 5001] {
        let mask = if S::DTYPE == DType::Bool { 1 } else { S::DTYPE.code_mask() };
        let codes: Vec<u64> = random(23).take(count).map(|code| code & mask).collect();
        let input: Vec<S> = codes.iter().map(|code| S::known(*code)).collect();
        let expected: Vec<T> =
            codes.iter().map(|code| T::known(cast.code(*code).expect("fits"))).collect();
        for backend in Backend::available() {
            let mut output = vec![T::known(0); count];
            cast.backend(backend).run_slice(&input, &mut output).expect("equal lengths");
            // NaN is not equal to itself, but its bytes are.
            let same = bytes(&output) == bytes(&expected);
            assert!(same, "{cast:?} on {backend}, {count}: {output:?}, not {expected:?}");
        }
    }
    1
}

fn bytes<T: Element>(slice: &[T]) -> &[u8] {
    view_as(slice).expect("bytes need no alignment")
}

macro_rules! checks {
    ($($narrow:ident)*) => {
        [$(
            checks!(@with $narrow: I2 U2 I4 U4 F4E2M1 F6E2M3 F6E3M2),
            checks!(@both $narrow: F8E5M2 bool i8 u8 f16 i32 f64),
        )*]
    };
    (@with $narrow:ident: $($other:ident)*) => { 0 $(+ check::<$narrow, $other>())* };
    (@both $narrow:ident: $($other:ident)*) => {
        0 $(+ check::<$narrow, $other>() + check::<$other, $narrow>())*
    };
}

#[test]
fn slices_of_less_than_a_byte_equal_single_codes() {
    let pairs: usize = checks!(I2 U2 I4 U4 F4E2M1 F6E2M3 F6E3M2).iter().sum();
    assert_eq!(pairs, 7 * 21);
}

#[test]
fn floats_convert_exactly_or_round_or_refuse() {
    assert_eq!(f32::from(F8E4M3FN(0x7e)), 448.0);
    assert_eq!(f64::from(F8E4M3FNUZ(0x01)), 2f64.powi(-10));
    assert!(f32::from(F8E5M2FNUZ(0x80)).is_nan());
    assert_eq!(f32::from(F8E5M2(0xfc)), f32::NEG_INFINITY);
    assert_eq!(f32::from(F8E8M0(0x00)), 2f32.powi(-127));
    assert_eq!(F4E2M1::from_f32(2.5).to_bits(), 0x4);
    assert_eq!(F6E2M3::from_f64(-100.0).to_bits(), 0x3f);
    // Just above a tie. Rounding to float32 first would give the tie.
    assert_eq!(F6E3M2::from_f64(1.125 + 2f64.powi(-40)).to_bits(), 0x0d);
    assert_eq!(F8E4M3FN::try_from(448.0), Ok(F8E4M3FN(0x7e)));
    assert!(F8E4M3FN::try_from(f32::NAN).is_ok_and(|nan| f32::from(nan).is_nan()));
    let refused = Error::NotExact { dtype: DType::Float8E4M3FN };
    for value in [449.0, 464.0, f32::INFINITY, 1e-9] {
        assert_eq!(F8E4M3FN::try_from(value), Err(refused), "{value}");
    }
    assert_eq!(refused.to_string(), "the value is not one of float8e4m3fn: cast it, which rounds");
    // float8e4m3fnuz has no negative zero, and float4e2m1 has no NaN.
    assert!(F8E4M3FNUZ::try_from(-0.0_f32).is_err());
    assert!(F4E2M1::try_from(f32::NAN).is_err() && F4E2M1::try_from(-0.0_f32).is_ok());
}

#[test]
fn every_float_comes_back() {
    for code in 0..=u8::MAX {
        let e4m3 = F8E4M3FN(code);
        let back = F8E4M3FN::try_from(f32::from(e4m3)).expect("exact");
        assert!(back == e4m3 || f32::from(e4m3).is_nan(), "{e4m3:?}");
        assert_eq!(F8E8M0::from_f64(f64::from(F8E8M0(code))), F8E8M0(code));
        let six = F6E3M2::from_bits(code);
        assert_eq!(six.is_some(), code < 64);
        if let Some(six) = six {
            assert_eq!(F6E3M2::try_from(f32::from(six)), Ok(six));
        }
    }
}

#[test]
fn integers_convert_exactly_or_refuse() {
    for value in i8::MIN..=i8::MAX {
        assert_eq!(
            I4::try_from(value).map(i8::from).ok(),
            (-8..8).contains(&value).then_some(value)
        );
        assert_eq!(
            I2::try_from(value).map(i8::from).ok(),
            (-2..2).contains(&value).then_some(value)
        );
    }
    for value in 0..=u8::MAX {
        assert_eq!(U4::try_from(value).map(u8::from).ok(), (value < 16).then_some(value));
        assert_eq!(U2::try_from(value).map(u8::from).ok(), (value < 4).then_some(value));
    }
}

#[test]
fn elements_are_shown_by_their_values() {
    assert_eq!(F8E4M3FN(0x7e).to_string(), "448");
    assert_eq!(format!("{:>8.2}", F8E5M2(0xbe)), "   -1.50");
    assert_eq!(format!("{:?}", F8E4M3FNUZ(0x80)), "F8E4M3FNUZ(0x80: NaN)");
    assert_eq!(format!("{:?} {}", I4::try_from(-8), U2::default()), "Ok(I4(-8)) 0");
    assert_eq!(format!("{:?}", F4E2M1::from_f32(6.0)), "F4E2M1(0x07: 6)");
}

#[test]
fn bytes_that_are_no_codes_are_not_viewed_as_elements() {
    assert!(view_as::<u8, I4>(&[0x0f, 0x00]).is_some());
    assert!(view_as::<u8, I4>(&[0x0f, 0x10]).is_none());
    assert!(view_as::<u8, F6E2M3>(&[0x40]).is_none());
    assert!(view_as::<u8, F8E8M0>(&[0xff]).is_some());
}

#[test]
fn typed_slices_of_unequal_length_are_refused() {
    let mut output = [U4::default(); 2];
    let error = cast_slice::<f32, U4>(&[1.0], &mut output);
    assert_eq!(error, Err(Error::SliceLength { input: 1, output: 2 }));
}
