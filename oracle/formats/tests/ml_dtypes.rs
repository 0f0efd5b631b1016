//! ml_dtypes as a witness of FM-01 to FM-11, bfloat16 and float16: every code decoded, and every code of bfloat16 cast to them.

use castproof_formats::{Format, Projection, Specials, Value, decode, project};
use castproof_oracle::read;
use std::path::Path;
use std::process::Command;

#[test]
fn every_code_and_every_cast_of_bfloat16() {
    let (mut decoded, mut cast) = (0, 0);
    let text = said();
    let bfloat16 = Format::named("bfloat16").expect("a format");
    let sources: Vec<Value> =
        (0..1 << 16).map(|code| decode(&bfloat16, code).expect("a code")).collect();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let format = Format::named(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        match kind {
            "decode" => {
                for (code, word) in (0..).zip(words) {
                    let got = decode(&format, code).unwrap_or_else(|| panic!("{name} {code:#x}"));
                    let due = read(word).expect("a number");
                    assert!(alike(&got, &due), "{name} {code:#x}: {got:?}, ml_dtypes {word}");
                    decoded += 1;
                }
            }
            _ => cast += casts(&format, &sources, words),
        }
    }
    // 8 formats of 8 bits, 2 of 6, 1 of 4, 2 of 16.
    assert_eq!(decoded, 8 * 256 + 2 * 64 + 16 + 2 * 65_536);
    // Of 12 formats all codes, and of 3 of them, which have no NaN, all but 254.
    assert_eq!(cast, 12 * 65_536 - 3 * 254);
}

/// Compares what codes of bfloat16 become, and returns how many were compared.
fn casts<'a>(format: &Format, sources: &[Value], words: impl Iterator<Item = &'a str>) -> usize {
    // ml_dtypes rounds to powers of two in a way of its own: 2^-127 + 2^-149 becomes 2^-126.
    if format.specials == Specials::Scale {
        return 0;
    }
    let mut count = 0;
    for (value, word) in sources.iter().zip(words) {
        let got = u64::from_str_radix(word, 16).expect("a code");
        let Ok(due) = project(value, format, &Projection::default()) else {
            // NaN becomes -0 there.
            assert!(format.specials == Specials::None && matches!(value, Value::Nan { .. }));
            continue;
        };
        let is_right = got == due || (format.is_nan(got) && format.is_nan(due));
        assert!(is_right, "{} of {value:?}: {due:#x}, ml_dtypes {got:#x}", format.name);
        count += 1;
    }
    count
}

/// Are they the same value? A NaN is like any other.
fn alike(one: &Value, other: &Value) -> bool {
    one == other || matches!((one, other), (Value::Nan { .. }, Value::Nan { .. }))
}

fn said() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = here.join("../../.venv/bin/python");
    assert!(python.exists(), "there is no .venv with ml_dtypes: run ./setup.sh");
    let output = Command::new(python)
        .arg(here.join("tests/ml_dtypes_formats.py"))
        .output()
        .expect("the Python of .venv does not start: run ./setup.sh");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "tests/ml_dtypes_formats.py: {error}");
    String::from_utf8(output.stdout).expect("text")
}
