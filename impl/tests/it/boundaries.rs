//! Tests every rounding boundary of every float target of up to 16 bits: the tie between any two
//! neighbouring values of the target, and the float64 just below and above it.

use crate::common::{run, value};
use castproof_impl::Cast;
use castproof_vectors::{DType, RoundMode};

/// dtype; largest finite code; threshold above which values overflow; result of overflow with and
/// without saturation; does the threshold itself, a tie, overflow; is there a negative zero.
/// Sources: the table of format constants, F8-S09, F8-N07 to F8-N10, FF-05, F4-03, F6-03.
const TARGETS: [(DType, u64, f64, u64, u64, bool, bool); 9] = [
    (DType::Float8E4M3FN, 0x7e, 464.0, 0x7e, 0x7f, false, true),
    (DType::Float8E4M3FNUZ, 0x7f, 248.0, 0x7f, 0x80, true, false),
    (DType::Float8E5M2, 0x7b, 61440.0, 0x7b, 0x7c, true, true),
    (DType::Float8E5M2FNUZ, 0x7f, 61440.0, 0x7f, 0x80, true, false),
    (DType::Float4E2M1, 0x7, 7.0, 0x7, 0x7, true, true),
    (DType::Float6E2M3, 0x1f, 7.75, 0x1f, 0x1f, true, true),
    (DType::Float6E3M2, 0x1f, 30.0, 0x1f, 0x1f, true, true),
    (DType::Float16, 0x7bff, 65520.0, 0x7c00, 0x7c00, true, true),
    // 2^128 minus half a unit in the last place.
    (DType::Bfloat16, 0x7f7f, 255.5 * (1_u128 << 120) as f64, 0x7f80, 0x7f80, true, true),
];

#[test]
fn neighbours_meet_at_the_tie_which_goes_to_the_even_code() {
    for (to, max, _, _, _, _, negative_zero) in TARGETS {
        let sign = 1 << (to.bits() - 1);
        let cast = Cast::new(DType::Float64, to).expect("numeric");
        let to_code = |x: f64| run(cast, x.to_bits());
        for lower in 0..max {
            let tie = value(to, lower).midpoint(value(to, lower + 1));
            let even = lower + (lower & 1);
            let rows = [(tie.next_down(), lower), (tie, even), (tie.next_up(), lower + 1)];
            for (x, expected) in rows {
                assert_eq!(to_code(x), expected, "{to} {x:e}");
                let unsigned = expected == 0 && !negative_zero;
                let negative = if unsigned { 0 } else { expected | sign };
                assert_eq!(to_code(-x), negative, "{to} {:e}", -x);
            }
        }
    }
}

#[test]
fn overflow_is_asked_of_the_rounded_value() {
    for (to, max, threshold, saturated, other, tie_overflows, _) in TARGETS {
        let sign = 1 << (to.bits() - 1);
        for (saturate, over) in [(true, saturated), (false, other)] {
            let cast = Cast::new(DType::Float64, to).expect("numeric").saturate(saturate);
            let rows = [
                (threshold.next_down(), max),
                (threshold, if tie_overflows { over } else { max }),
                (threshold.next_up(), over),
                (1e300, over),
            ];
            for (x, expected) in rows {
                assert_eq!(run(cast, x.to_bits()), expected, "{to} {x:e} {saturate}");
                let negative = run(cast, (-x).to_bits());
                assert_eq!(negative, expected | sign, "{to} {:e} {saturate}", -x);
            }
        }
    }
}

#[test]
fn float8e8m0_rounds_between_powers_by_the_mode() {
    let power = |exponent: u64| f64::from_bits((exponent + 1023 - 127) << 52);
    let cast = Cast::new(DType::Float64, DType::Float8E8M0).expect("numeric");
    for code in 0..0xfe_u64 {
        let (low, high) = (power(code), power(code + 1));
        let tie = low.midpoint(high);
        let rows = [
            (low, [code, code, code]),
            (low.next_up(), [code + 1, code, code]),
            (tie.next_down(), [code + 1, code, code]),
            (tie, [code + 1, code, code + 1]),
            (high.next_down(), [code + 1, code, code + 1]),
        ];
        for (x, by_mode) in rows {
            for (mode, expected) in RoundMode::CAST.into_iter().zip(by_mode) {
                for saturate in [false, true] {
                    let cast = cast.round_mode(mode).saturate(saturate);
                    assert_eq!(run(cast, x.to_bits()), expected, "{x:e} {mode:?} {saturate}");
                }
            }
        }
    }
}
