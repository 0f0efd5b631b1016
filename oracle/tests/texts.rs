//! Casts from and to string: examples of the rules.

use castproof_oracle::Caster;
use castproof_vectors::{DType, Element, OutcomeRecord, Request};

/// Returns the expected outcome, the tolerated outcome and the rule.
fn ask(from: DType, to: DType, opset: u32, input: &str) -> (String, String, &'static str) {
    let caster = Caster::new(&Request::cast(from, to, opset)).expect("dtypes of Cast");
    let answer = caster.cast_element(&Element::from(input.to_string())).expect("an element");
    let json = |outcome| {
        serde_json::to_string(&OutcomeRecord::new(outcome, to)).expect("outcomes serialise")
    };
    (
        json(&answer.expect),
        answer.tolerate.as_ref().map_or(String::new(), json),
        answer.rule.as_str(),
    )
}

#[test]
fn numerals() {
    use DType::*;
    let long = format!("9007199254740993.{}1", "0".repeat(100_000));
    for (to, text, expect, tolerate, rule) in [
        (Float32, "3.14", r#"{"code":"0x4048f5c3"}"#, "", "S-01"),
        (Float32, "1E-45", r#"{"code":"0x00000001"}"#, "", "S-01"),
        // The tie between 1 and its successor, with one more digit. float64 would lose the digit.
        (
            Float32,
            "1.000000059604644775390625000000001",
            r#"{"code":"0x3f800001"}"#,
            r#"{"code":"0x3f800000"}"#,
            "S-01",
        ),
        (Float64, &long, r#"{"code":"0x4340000000000001"}"#, "", "S-01"),
        (Float32, "+Inf", r#"{"code":"0x7f800000"}"#, "", "S-02"),
        (Float32, "-INF", r#"{"code":"0xff800000"}"#, "", "S-03"),
        (Float32, "-inf", r#"{"code":"0xff800000"}"#, "", "S-04"),
        (Float32, "nAn", r#"{"anyNaN":true}"#, "", "S-05"),
        (Float32, "+nan", r#"{"any":true}"#, "", "S-06"),
        (Float32, " 1.5", r#"{"any":true}"#, "", "S-06"),
        (Float32, "-1e400", r#"{"code":"0xff800000"}"#, r#"{"reject":true}"#, "S-07"),
        (
            Float64,
            "1e99999999999",
            r#"{"code":"0x7ff0000000000000"}"#,
            r#"{"reject":true}"#,
            "S-07",
        ),
        (Int8, "-128", r#"{"code":"0x80"}"#, "", "S-08"),
        (Int32, "100.5", r#"{"any":true}"#, "", "S-09"),
        (Int32, "1e5", r#"{"any":true}"#, "", "S-09"),
        (Uint8, "256", r#"{"any":true}"#, "", "S-10"),
        (Int8, "NaN", r#"{"any":true}"#, "", "S-06"),
        (Bool, "0", r#"{"any":true}"#, "", "S-11"),
        (Int4, "7", r#"{"code":"0x7"}"#, "", "S-18"),
        (Float8E4M3FN, "464", r#"{"code":"0x7e"}"#, "", "S-18"),
        (Float8E4M3FN, "1e9", r#"{"code":"0x7e"}"#, "", "S-18"),
        (Float8E8M0, "-1", r#"{"any":true}"#, "", "S-18"),
        (String, "Hello\0", "{\"text\":\"Hello\\u0000\"}", "", "S-17"),
    ] {
        let (got, tolerated, by) = ask(String, to, 28, text);
        assert_eq!((&got[..], &tolerated[..], by), (expect, tolerate, rule), "{to} {text:.40}");
    }
    assert_eq!(ask(String, Float32, 6, "1").2, "T-02");
}

#[test]
fn texts() {
    use DType::*;
    let any = r#"{"roundTrips":true,"notation":"any"}"#;
    let plain = r#"{"roundTrips":true,"notation":"plain"}"#;
    for (from, code, expect, tolerate, rule) in [
        (Bool, "0x01", r#"{"oneOfText":["1","True"]}"#, "", "S-12"),
        (Float32, "0x3dcccccd", plain, any, "S-13"),
        (Float64, "0xfff0000000000000", r#"{"oneOfText":["-INF","-inf"]}"#, "", "S-14"),
        (Float16, "0x8000", r#"{"oneOfText":["-0","-0.0","0","0.0"]}"#, "", "S-15"),
        (Int8, "0x80", r#"{"text":"-128"}"#, any, "S-16"),
        (Bfloat16, "0x7fc0", r#"{"oneOfText":["NaN","nan"]}"#, "", "S-19"),
        (Uint4, "0xf", r#"{"text":"15"}"#, any, "S-19"),
    ] {
        let (got, tolerated, by) = ask(from, String, 28, code);
        assert_eq!((&got[..], &tolerated[..], by), (expect, tolerate, rule), "{from} {code}");
    }
}
