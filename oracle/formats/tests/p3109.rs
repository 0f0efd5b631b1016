//! The special codes of all 504 formats of P3109 with 3 to 16 bits, as PF-03 to PF-06 state them.

use castproof_formats::{Format, Projection, Rounding, Value, decode, project};

/// The kinds, with the most that a precision may be less than the width.
const KINDS: [(&str, u32); 4] = [("se", 1), ("sf", 1), ("ue", 0), ("uf", 0)];

#[test]
fn special_codes_of_all_formats() {
    let mut count = 0;
    for bits in 3..=16 {
        for (kind, less) in KINDS {
            for precision in 1..=bits - less {
                let name = format!("Binary{bits}p{precision}{kind}");
                let format = Format::named(&name).unwrap_or_else(|error| panic!("{error}"));
                is_as_stated(&format, kind);
                count += 1;
            }
        }
    }
    assert_eq!(count, 504);
}

fn is_as_stated(format: &Format, kind: &str) {
    let (name, whole, half) = (&format.name, 1u64 << format.bits, 1u64 << (format.bits - 1));
    // NaN, the infinities, and the largest number.
    let (nan, infinities, largest) = match kind {
        "se" => (half, vec![half - 1, whole - 1], half - 2),
        "sf" => (half, vec![], half - 1),
        "ue" => (whole - 1, vec![whole - 2], whole - 3),
        _ => (whole - 1, vec![], whole - 2),
    };
    let at = |code: u64| decode(format, code).expect("a code");
    assert!(matches!(at(nan), Value::Nan { .. }), "{name}");
    assert_eq!(decode(format, whole), None, "{name}");
    for code in &infinities {
        let negative = *code > half && format.signed;
        assert_eq!(at(*code), Value::Infinite { negative }, "{name}");
    }
    assert_eq!(format.largest_code(), largest, "{name}");
    assert!(at(0).is_zero(), "{name}");
    // The numbers rise with the code; a negative code has the magnitude of the one without its sign. Of wide formats, those at the ends.
    let codes = (1..=largest).filter(|code| format.bits <= 8 || *code < 40 || *code + 40 > largest);
    for code in codes {
        let number = at(code).number().unwrap_or_else(|| panic!("{name} {code:#x}"));
        assert!(number > at(code - 1).number().expect("a number"), "{name} {code:#x}");
        if format.signed {
            assert_eq!(at(code + half).number(), Some(-number), "{name} {code:#x}");
        }
        for rounding in Rounding::FIXED {
            let projection = Projection { rounding, ..Projection::default() };
            assert_eq!(project(&at(code), format, &projection), Ok(code), "{name} {code:#x}");
        }
    }
}
