//! RISC-V's conversions to float8: values that riscv-isa-sim gave, which also runs as the witness where its files can be
//! fetched. Of overflow in a mode that goes toward zero, it gives the first of two codes.

use castproof_oracle::cast;
use castproof_vectors::{Attributes, DType, Outcome, Profile, Request, RoundMode, Spec};

use RoundMode::{Down, Nearest, NearestAway, TowardZero, Up};

/// The results to float8e4m3fn and to float8e5m2, each without saturation and with it.
type Results = [u64; 4];

fn given(number: f32, mode: Option<RoundMode>) -> Results {
    let result = |to, saturate| {
        let attributes = Attributes { saturate, round_mode: mode };
        let spec = Spec::Profile(Profile::RiscvOfp8);
        let request = Request::new(spec, DType::Float32, to).with(attributes);
        match cast(&request, number.to_bits().into()).expect("a code").expect {
            Outcome::Code(code) => code,
            Outcome::OneOf(codes) => {
                assert_eq!(
                    codes.last(),
                    Some(&if number < 0.0 { 0xfe } else { 0x7f }),
                    "{request}"
                );
                codes[usize::from(number < 0.0)]
            }
            other => panic!("{request}: {other:?}"),
        }
    };
    let both = |to| [result(to, Some(false)), result(to, Some(true))];
    let [four, five] = [DType::Float8E4M3FN, DType::Float8E5M2].map(both);
    assert_eq!(
        result(DType::Float8E4M3FN, None),
        four[0],
        "without saturation if nothing is given"
    );
    [four[0], four[1], five[0], five[1]]
}

#[test]
fn codes_are_those_of_the_simulator() {
    const BEYOND: Results = [0x7f, 0x7e, 0x7c, 0x7b];
    const INWARD: Results = [0x7e, 0x7e, 0x7b, 0x7b];
    let rows: [(f32, [Results; 5]); 7] = [
        // 464 is midway between 448 and 480, and in float8e5m2 near 448.
        (
            464.0,
            [
                [0x7e, 0x7e, 0x5f, 0x5f],
                [0x7e, 0x7e, 0x5f, 0x5f],
                [0x7e, 0x7e, 0x5f, 0x5f],
                [0x7f, 0x7e, 0x60, 0x60],
                [0x7f, 0x7e, 0x5f, 0x5f],
            ],
        ),
        (1e9, [BEYOND, INWARD, INWARD, BEYOND, BEYOND]),
        (
            -1e9,
            [
                [0x7f, 0xfe, 0xfc, 0xfb],
                [0xfe, 0xfe, 0xfb, 0xfb],
                [0x7f, 0xfe, 0xfc, 0xfb],
                [0xfe, 0xfe, 0xfb, 0xfb],
                [0x7f, 0xfe, 0xfc, 0xfb],
            ],
        ),
        (f32::INFINITY, [BEYOND; 5]),
        (-f32::NAN, [[0x7f; 4]; 5]),
        (-1e-9, [[0x80; 4], [0x80; 4], [0x81; 4], [0x80; 4], [0x80; 4]]),
        (1e-9, [[0; 4], [0; 4], [0; 4], [1; 4], [0; 4]]),
    ];
    for (number, by_mode) in rows {
        for (mode, expected) in
            [Nearest, TowardZero, Down, Up, NearestAway].into_iter().zip(by_mode)
        {
            assert_eq!(given(number, Some(mode)), expected, "{number} {}", mode.name());
        }
        assert_eq!(given(number, None), by_mode[0], "{number} without a mode");
    }
}
