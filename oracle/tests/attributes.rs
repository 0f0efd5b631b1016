//! The attributes of profiles: which a request may give, and what they change.

use castproof_oracle::{attribute_sets_of, cast, concerning};
use castproof_vectors::{Attributes, DType, Outcome, Profile, Request, RoundMode, Spec};

/// A request of a profile, with attributes as requests write them.
fn request(profile: Profile, from: DType, to: DType, attributes: &str) -> Request {
    let mut given = Attributes::default();
    for word in attributes.split_whitespace() {
        match word.split_once('=').expect("a name and a value") {
            ("saturate", value) => given.saturate = Some(value == "1"),
            (_, mode) => given.round_mode = Some(mode.parse().expect("a round mode")),
        }
    }
    Request::new(Spec::Profile(profile), from, to).with(given)
}

fn assert_rows(profile: Profile, from: DType, to: DType, rows: &[(u64, &str, u64, &str)]) {
    for &(code, attributes, expected, rule) in rows {
        let request = request(profile, from, to, attributes);
        let answer = cast(&request, code).expect("a code of the source");
        let got = (answer.expect, answer.rule.as_str());
        assert_eq!(got, (Outcome::Code(expected), rule), "{request} of {code:#x}");
    }
}

/// What the headers of CUDA 13.5 gave on a host.
#[test]
fn float8_of_cuda_with_and_without_saturation() {
    use DType::{Float8E4M3FN, Float8E5M2, Float16, Float32, Float64};
    assert_rows(
        Profile::CudaCvt,
        Float32,
        Float8E4M3FN,
        &[
            (0x43e8_0000, "saturate=0", 0x7e, "CU-10"), // 464, a tie
            (0x43e8_0001, "saturate=0", 0x7f, "CU-28"),
            (0xc3e8_0001, "saturate=0", 0xff, "CU-28"),
            (0x43e8_0001, "saturate=1", 0x7e, "CU-11"),
            (0x43e8_0001, "", 0x7e, "CU-11"),
            (0xff80_0000, "saturate=0", 0xff, "CU-28"),
            (0xffc0_0000, "saturate=0", 0x7f, "CU-13"),
        ],
    );
    assert_rows(
        Profile::CudaCvt,
        Float64,
        Float8E5M2,
        &[
            (0x40ed_ffff_ffff_ffff, "saturate=0", 0x7b, "CU-10"), // below 61440, a tie
            (0x40ee_0000_0000_0000, "saturate=0", 0x7c, "CU-28"),
            (0xc0ee_0000_0000_0000, "saturate=0", 0xfc, "CU-28"),
            (0x7ff0_0000_0000_0000, "saturate=0", 0x7c, "CU-28"),
            (0x7ff0_0000_0000_0000, "saturate=1", 0x7b, "CU-11"),
        ],
    );
    let rows = [(0x5f40, "saturate=0", 0x7e, "CU-10"), (0x5f41, "saturate=0", 0x7f, "CU-28")];
    assert_rows(Profile::CudaCvt, Float16, Float8E4M3FN, &rows);
}

/// What the headers of CUDA 13.5 gave on a host.
#[test]
fn float8e8m0_of_cuda_has_two_attributes() {
    use DType::{Float8E8M0, Float32, Float64};
    assert_rows(
        Profile::CudaCvt,
        Float32,
        Float8E8M0,
        &[
            (0x7f08_0000, "", 0xfe, "CU-20"), // 1.0625 * 2^127
            (0x7f08_0000, "saturate=0", 0xff, "CU-20"),
            (0x7f08_0000, "saturate=0 round_mode=up", 0xff, "CU-20"),
            (0x7f08_0000, "saturate=0 round_mode=down", 0xfe, "CU-20"),
            (0x7f80_0000, "saturate=0 round_mode=down", 0xff, "CU-20"),
            (0x3fc0_0000, "round_mode=up", 0x80, "CU-17"), // 1.5
            (0x3fc0_0000, "round_mode=down", 0x7f, "CU-29"),
            (0xc040_0000, "saturate=1 round_mode=down", 0x80, "CU-18"), // -3
            (0x0000_0000, "saturate=0 round_mode=down", 0x00, "CU-19"),
            (0x0000_0001, "saturate=0", 0x00, "CU-19"),
            (0x7fc0_0000, "saturate=0", 0xff, "CU-21"),
            // cudaRoundNearest: the arithmetic middle goes up, at the low end too.
            (0x3fc0_0000, "round_mode=nearest", 0x80, "CU-31"), // 1.5
            (0x3fbf_ffff, "round_mode=nearest", 0x7f, "CU-31"),
            (0x0060_0000, "round_mode=nearest", 0x01, "CU-31"), // 1.5 * 2^-127
            (0x005f_ffff, "round_mode=nearest", 0x00, "CU-31"),
            (0x7f3f_ffff, "saturate=0 round_mode=nearest", 0xfe, "CU-20"),
            (0x7f40_0000, "saturate=0 round_mode=nearest", 0xff, "CU-20"), // 1.5 * 2^127
            (0x7f40_0000, "saturate=1 round_mode=nearest", 0xfe, "CU-20"),
        ],
    );
    assert_rows(
        Profile::CudaCvt,
        Float64,
        Float8E8M0,
        &[
            (0x47f0_0000_0000_0000, "saturate=0 round_mode=down", 0xfe, "CU-30"), // 2^128
            (0x47f0_0000_0000_0000, "saturate=0 round_mode=up", 0xff, "CU-20"),
            (0x47ef_ffff_ffff_ffff, "saturate=0 round_mode=down", 0xfe, "CU-20"),
            (0x7ff0_0000_0000_0000, "saturate=0 round_mode=down", 0xff, "CU-20"),
            (0x47f0_0000_0000_0000, "saturate=0 round_mode=nearest", 0xff, "CU-20"),
        ],
    );
    // The header's comment says NaN where its code makes 2^127: ledger D-34.
    let asked = request(Profile::CudaCvt, Float64, Float8E8M0, "saturate=0 round_mode=down");
    let answer = cast(&asked, 0x47f0_0000_0000_0000).expect("a code");
    assert_eq!(answer.tolerate, Some(Outcome::Code(0xff)));
}

/// ECMAScript 2025 has Float16Array. Numbers are rounded once: 1 + 2^-11 + 2^-52 is no tie.
#[test]
fn float16_of_javascript() {
    use DType::{Float16, Float64, Int8, Int64, Uint32};
    let profile = Profile::JsTypedArray;
    let once = [
        (0x3ff0_0200_0000_0001, "", 0x3c01, "JS-06"),
        (0x40ef_fc00_0000_0000, "", 0x7bff, "JS-06"), // 65504
        (0x40ef_fe00_0000_0000, "", 0x7c00, "JS-06"), // 65520
    ];
    assert_rows(profile, Float64, Float16, &once);
    assert_rows(profile, Float16, Int8, &[(0x5c80, "", 0x20, "JS-01"), (0x7c00, "", 0, "JS-02")]); // 288, infinity
    assert_rows(profile, Uint32, Float16, &[(65520, "", 0x7c00, "JS-09")]);
    let big = cast(&request(profile, Float16, Int64, ""), 0).expect("a code");
    assert_eq!((big.expect, big.rule.as_str()), (Outcome::Reject, "JS-05"));
}

#[test]
fn integers_of_opencl_round_as_the_mode_says() {
    use DType::{Float32, Float64, Int8, Int64, Uint16};
    const NEAREST: &str = "round_mode=nearest";
    const UP: &str = "round_mode=up";
    const DOWN: &str = "round_mode=down";
    assert_rows(
        Profile::OpenclSat,
        Float32,
        Int8,
        &[
            (0x4020_0000, "", 2, "OL-01"), // 2.5
            (0x4020_0000, NEAREST, 2, "OL-09"),
            (0x4020_0000, UP, 3, "OL-09"),
            (0x4020_0000, DOWN, 2, "OL-09"),
            (0x4060_0000, NEAREST, 4, "OL-09"), // 3.5
            (0xc020_0000, "", 0xfe, "OL-01"),   // -2.5
            (0xc020_0000, NEAREST, 0xfe, "OL-09"),
            (0xc020_0000, UP, 0xfe, "OL-09"),
            (0xc020_0000, DOWN, 0xfd, "OL-09"),
            (0x0000_0001, UP, 1, "OL-09"),
            (0x8000_0001, DOWN, 0xff, "OL-09"),
            (0x8000_0001, UP, 0, "OL-09"),
            (0x42ff_0000, "", 127, "OL-01"), // 127.5
            (0x42ff_0000, UP, 127, "OL-02"),
            (0x42fe_0000, UP, 127, "OL-09"),
            (0xc300_8000, "", 0x80, "OL-01"), // -128.5
            (0xc300_8000, DOWN, 0x80, "OL-02"),
            (0xc300_8000, NEAREST, 0x80, "OL-09"),
            (0x7fc0_0000, DOWN, 0, "OL-02"),
        ],
    );
    assert_rows(
        Profile::OpenclSat,
        Float64,
        Int64,
        &[
            (0x432f_ffff_ffff_ffff, UP, 1 << 52, "OL-09"), // 2^52 - 1/2
            (0x432f_ffff_ffff_ffff, DOWN, (1 << 52) - 1, "OL-09"),
            (0xc32f_ffff_ffff_ffff, DOWN, (1_u64 << 52).wrapping_neg(), "OL-09"),
            (0x43e0_0000_0000_0000, UP, i64::MAX as u64, "OL-02"),
        ],
    );
    let rows = [(0xbf00_0000, DOWN, 0, "OL-02"), (0xbf00_0000, UP, 0, "OL-09")];
    assert_rows(Profile::OpenclSat, Float32, Uint16, &rows);
}

/// What a profile does not have is refused: an attribute of another pair, or another value.
#[test]
fn other_attributes_are_refused() {
    use DType::{Float8E4M3FN, Float8E5M2, Float8E8M0, Float16, Float32, Int8};
    let refused = [
        (Profile::CudaCvt, Float32, Float8E4M3FN, "round_mode=up", "CU-26"),
        (Profile::CudaCvt, Float32, Float8E4M3FN, "saturate=1 round_mode=nearest", "CU-26"),
        (Profile::CudaCvt, Int8, Float8E8M0, "round_mode=nearest", "CU-26"),
        (Profile::CudaCvt, Int8, Float8E4M3FN, "saturate=1", "CU-26"),
        (Profile::CudaCvt, Float8E5M2, Float8E5M2, "saturate=1", "CU-26"),
        (Profile::CudaCvt, Float32, Float16, "saturate=1", "CU-26"),
        (Profile::OpenclSat, Float32, Int8, "saturate=1", "OL-08"),
        (Profile::OpenclSat, Int8, Float32, "round_mode=up", "OL-08"),
        (Profile::RustAs, Float32, Int8, "round_mode=up", "RS-09"),
    ];
    for (profile, from, to, attributes, rule) in refused {
        let request = request(profile, from, to, attributes);
        let answer = cast(&request, 0).expect("a code of the source");
        assert_eq!((answer.expect, answer.rule.as_str()), (Outcome::Reject, rule), "{request}");
    }
}

#[test]
fn sets_of_attributes_are_those_of_the_pair() {
    use DType::{Float8E4M3FN, Float8E8M0, Float32, Float64, Int8, Int32};
    let count = |profile, from, to| attribute_sets_of(Spec::Profile(profile), (from, to)).len();
    assert_eq!(count(Profile::CudaCvt, Float32, Float8E4M3FN), 3);
    assert_eq!(count(Profile::CudaCvt, Float64, Float8E8M0), 3 * 4);
    assert_eq!(count(Profile::CudaCvt, Int8, Float8E4M3FN), 1);
    assert_eq!(count(Profile::OpenclSat, Float64, Int32), 4);
    assert_eq!(count(Profile::OpenclSat, Int8, Int32), 1);
    assert_eq!(count(Profile::RustAs, Float32, Int8), 1);
    let given = Attributes { saturate: Some(false), round_mode: Some(RoundMode::Nearest) };
    let of_pair = |profile, to| concerning(Spec::Profile(profile), (Float32, to), given);
    assert_eq!(of_pair(Profile::RustAs, Int8), Attributes::default());
    assert_eq!(of_pair(Profile::OpenclSat, Int8), Attributes { saturate: None, ..given });
    // Every value is one of it: cudaRoundNearest too.
    assert_eq!(of_pair(Profile::CudaCvt, Float8E8M0), given);
}
