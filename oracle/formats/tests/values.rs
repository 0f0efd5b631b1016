//! Projections that were worked out by hand, or run elsewhere: the values that the rules name.

use castproof_formats::{
    Edition, Format, Open, Projection, RandomBits, Rounding, Saturation, decode, project,
};
use castproof_oracle::read_wide;
use {Rounding::*, Saturation::*};

fn format(name: &str) -> Format {
    Format::named(name).unwrap_or_else(|error| panic!("{error}"))
}

fn of(number: &str, name: &str, projection: &Projection) -> Result<u64, Open> {
    let value = read_wide(number).unwrap_or_else(|| panic!("{number}"));
    project(&value, &format(name), projection)
}

fn with(rounding: Rounding, saturation: Saturation) -> Projection {
    Projection { rounding, saturation, ..Projection::default() }
}

/// By the text of July.
fn later(rounding: Rounding, saturation: Saturation) -> Projection {
    Projection { edition: Edition::July2026, ..with(rounding, saturation) }
}

/// PJ-13: with a precision of 1, ties go to the even exponent code.
#[test]
fn one_bit_of_precision() {
    for (number, rounding, code) in [
        ("1.5", NearestEven, 0x80),
        ("3", NearestEven, 0x82),
        ("0x1p-128", NearestEven, 0x00),
        ("0x1.8p-127", NearestEven, 0x02),
        ("1.5", NearestAway, 0x81),
        ("3", NearestAway, 0x82),
        ("1.25", ToOdd, 0x81),
        ("1.5", ToOdd, 0x81),
        ("3", ToOdd, 0x81),
    ] {
        let got = of(number, "binary8p1uf", &with(rounding, None));
        assert_eq!(got, Ok(code), "{number} {rounding:?}");
    }
}

/// PJ-15, PJ-16 and PJ-05.
#[test]
fn rounded_first_then_tested() {
    for (number, name, rounding, code) in [
        ("-0x1p-20", "binary8p4uf", NearestEven, 0x00),
        ("-0x1p-20", "binary8p4uf", Down, 0xff),
        ("55296", "binary8p4ue", NearestEven, 0xfe),
        ("55295", "binary8p4ue", NearestEven, 0xfd),
        ("232", "binary8p4se", NearestEven, 0x7e),
        ("232.001", "binary8p4se", NearestEven, 0x7f),
        ("1e-300", "binary8p4se", ToOdd, 0x01),
        ("-1e-300", "binary8p4se", ToOdd, 0x81),
        ("-1e-300", "binary8p4se", NearestEven, 0x00),
        ("-0.0", "binary8p4se", NearestEven, 0x00),
    ] {
        let got = of(number, name, &with(rounding, None));
        assert_eq!(got, Ok(code), "{number} {name} {rounding:?}");
    }
}

/// Section 2.2: the largest number, and what lies one unit beyond it.
#[test]
fn beyond_the_largest_number() {
    for (name, largest, value, next, none, july, zero, of_infinity) in [
        ("binary8p4se", 0x7e, "224", "240", 0x7f, 0x7f, 0x7e, [0x7e, 0x7f]),
        ("binary8p4sf", 0x7f, "240", "256", 0x7f, 0x80, 0x7f, [0x7f, 0x7f]),
        ("binary8p4ue", 0xfd, "53248", "57344", 0xfe, 0xfe, 0xfd, [0xfd, 0xfe]),
        ("binary8p4uf", 0xfe, "57344", "61440", 0xfe, 0xff, 0xfe, [0xfe, 0xfe]),
    ] {
        assert_eq!(format(name).largest_code(), largest, "{name}");
        assert_eq!(decode(&format(name), largest), read_wide(value), "{name}");
        assert_eq!(of(next, name, &with(NearestEven, None)), Ok(none), "{name}");
        assert_eq!(of(next, name, &later(NearestEven, None)), Ok(july), "{name}, July");
        assert_eq!(of(next, name, &with(TowardZero, None)), Ok(zero), "{name}");
        for (saturation, code) in [Finite, Propagate].into_iter().zip(of_infinity) {
            let got = of("inf", name, &with(NearestEven, saturation));
            assert_eq!(got, Ok(code), "{name} {saturation:?}");
        }
    }
    for name in ["binary8p4ue", "binary8p4uf"] {
        assert_eq!(of("-1", name, &with(NearestEven, Finite)), Ok(0x00), "{name}");
        assert_eq!(of("-1", name, &with(NearestEven, None)), Ok(0xff), "{name}");
        assert_eq!(of("-1", name, &with(TowardZero, None)), Ok(0x00), "{name}");
        assert_eq!(of("-inf", name, &with(TowardZero, None)), Ok(0xff), "{name}");
    }
    // To odd, the largest code of an unsigned extended format is odd, and the editions differ.
    assert_eq!(of("1e9", "binary8p4ue", &with(ToOdd, None)), Ok(0xfd));
    assert_eq!(of("1e9", "binary8p4ue", &later(ToOdd, None)), Ok(0xfe));
    assert_eq!(of("1e9", "binary8p4se", &with(ToOdd, None)), Ok(0x7f));
}

/// RO-02, and what RISC-V's softfloat gives. Each row: a number, the rounding, and the codes of float8e4m3fn without and with
/// saturation, then those of float8e5m2.
#[test]
fn floats_of_ocp() {
    for (number, rounding, codes) in [
        ("464", NearestEven, [0x7e, 0x7e, 0x5f, 0x5f]),
        ("464", TowardZero, [0x7e, 0x7e, 0x5f, 0x5f]),
        ("464", Up, [0x7f, 0x7e, 0x60, 0x60]),
        ("464", NearestAway, [0x7f, 0x7e, 0x5f, 0x5f]),
        ("1e9", NearestEven, [0x7f, 0x7e, 0x7c, 0x7b]),
        ("1e9", TowardZero, [0x7e, 0x7e, 0x7b, 0x7b]),
        ("1e9", Down, [0x7e, 0x7e, 0x7b, 0x7b]),
        ("-1e9", Down, [0x7f, 0xfe, 0xfc, 0xfb]),
        ("-1e9", Up, [0xfe, 0xfe, 0xfb, 0xfb]),
        ("inf", TowardZero, [0x7f, 0x7e, 0x7c, 0x7b]),
        ("-1e-9", Down, [0x81, 0x81, 0x81, 0x81]),
        ("-1e-9", NearestEven, [0x80, 0x80, 0x80, 0x80]),
        ("1e-9", Up, [0x01, 0x01, 0x01, 0x01]),
    ] {
        let names = ["float8e4m3fn", "float8e4m3fn", "float8e5m2", "float8e5m2"];
        let asked = names.into_iter().zip([None, Finite, None, Finite]).zip(codes);
        for ((name, saturation), code) in asked {
            let got = of(number, name, &with(rounding, saturation));
            assert_eq!(got, Ok(code), "{number} {name} {rounding:?} {saturation:?}");
        }
    }
}

/// Section 5: the four vectors that tell 22 wrong methods of stochastic rounding.
#[test]
fn random_bits_that_tell_wrong_methods() {
    for (number, random, code) in [
        ("-0x1.1p-14", 0xf8, 0x81),
        ("-0x1.1p-14", 0xf7, 0x80),
        ("0x1.8p-17", 0xfe, 0x00),
        ("0x1.e02p-6", 0xff, 0x10),
        ("0x1.c02p+8", 0xff, 0x7e),
    ] {
        let bits = RandomBits::new(8, random).expect("8 bits");
        let got = of(number, "float8e4m3fn", &with(StochasticA(bits), Finite));
        assert_eq!(got, Ok(code), "{number} {random:#x}");
    }
}

/// PJ-06 to PJ-09: of all random numbers, A sends floor(v * 2^N) up; an exact number never moves.
#[test]
fn how_many_random_numbers_go_up() {
    // 1 + v/8 with v = 85/256; with 4 bits, v * 16 is 5.3: A sends 5 up, B too (10.6 cut to 10, and a half), C 5.
    // With v = 91/256, v * 16 is 5.69: A sends 5 up, B cuts 11.4 to 11, which makes 6, and C rounds to 6.
    for (number, ups) in [("0x1.0aap0", [5, 5, 5]), ("0x1.0b6p0", [5, 6, 6]), ("1.125", [0, 0, 0])]
    {
        let mut counts = [0; 3];
        let floor = if number == "1.125" { 0x39 } else { 0x38 };
        for random in 0..16 {
            let bits = RandomBits::new(4, random).expect("4 bits");
            for (count, rounding) in counts.iter_mut().zip(Rounding::stochastic(bits)) {
                *count +=
                    of(number, "float8e4m3fn", &with(rounding, None)).expect("a code") - floor;
            }
        }
        assert_eq!(counts, ups, "{number}");
    }
    for (count, number) in [(0, 0), (64, 0), (4, 16)] {
        assert!(RandomBits::new(count, number).is_err(), "{count} {number}");
    }
}

/// What neither rounding nor saturation decides is said, and no code is invented.
#[test]
fn what_is_open_is_refused() {
    for (number, name, saturation, open) in [
        ("nan", "float4e2m1", None, Open::Nan),
        ("0", "float8e8m0", None, Open::Zero),
        ("0x1p-200", "float8e8m0", None, Open::Zero),
        ("-1", "float8e8m0", Finite, Open::Sign),
        ("-inf", "ue5m3", Finite, Open::Sign),
        ("1", "float16", Propagate, Open::Propagate),
    ] {
        assert_eq!(of(number, name, &with(NearestEven, saturation)), Err(open), "{number} {name}");
    }
    assert_eq!(of("-0.0", "ue5m3", &with(NearestEven, None)), Ok(0));
    assert_eq!(of("inf", "float6e3m2", &with(NearestEven, None)), Ok(0x1f));
    assert_eq!(of("114688", "ue5m3", &with(NearestEven, None)), Ok(0xfe));
    assert_eq!(of("0x1p-17", "ue5m3", &with(NearestEven, None)), Ok(0x01));
}

/// Numbers far beyond those of the dtypes: the widest exponents are those of 16 bits without sign and with a precision of 1.
#[test]
fn the_widest_exponents() {
    for (number, code) in [
        ("0x1p-32767", 0x0001),
        ("0x1p5000", 0x9388),
        ("0x1p32766", 0xfffe),
        ("1e9863", 0xfffc),
        ("1e9864", 0xfffe),
    ] {
        assert_eq!(of(number, "binary16p1uf", &with(NearestEven, None)), Ok(code), "{number}");
    }
    assert_eq!(of("1e9999999", "binary16p1ue", &with(NearestEven, None)), Ok(0xfffe));
}
