//! WebAssembly's conversions of relaxed vectors: each has several results for what is not in range.

use super::axes::{End, FloatToInteger, IntegerRow};
use super::machine::{floats_to, truncating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `wasm-relaxed`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let row = |to, rules| IntegerRow { from: &[], to, mode: None, rules };
        let rows = vec![row(&[DType::Int32], SIGNED), row(&[DType::Uint32], UNSIGNED)];
        floats_to(vec![DType::Int32, DType::Uint32], rows, rule::WA_12)
    });
    &RECORD
}

/// The lists of commit c022fb15, the last one that has them. Its prose lists the codes of uint32 here too; its
/// formula has these, and the parameter that chooses has two values.
const SIGNED: FloatToInteger =
    either([&[End::Largest, End::HighBit], &[End::HighBit], &[End::Zero, End::HighBit]]);

const UNSIGNED: FloatToInteger = either([
    &[End::AllOnes, End::AllOnesButLowest, End::HighBit],
    &[End::Zero, End::AllOnes, End::AllOnesButLowest, End::HighBit],
    &[End::Zero, End::AllOnes, End::AllOnesButLowest, End::HighBit],
]);

/// Toward zero, and these results above the range, below it, and of NaN. Today's text lists none of them, so
/// that every other result is tolerated.
const fn either([above, below, nan]: [&'static [End]; 3]) -> FloatToInteger {
    let ends = ([End::UsuallyOneOf(above), End::UsuallyOneOf(below)], rule::WA_13);
    truncating(rule::WA_03, ends, ends, (End::UsuallyOneOf(nan), rule::WA_13))
}

#[cfg(test)]
mod tests {
    use crate::Caster;
    use castproof_vectors::{DType, Outcome, Profile, Request, Spec, rule};

    /// The lists of the formulas of commit c022fb15, for N = 32: 2^31 - 1 and 2^32 - 1 are the saturated results above the
    /// range, -2^31 and 0 below it, and 0 of NaN.
    #[test]
    fn results_are_those_of_the_formulas() {
        let signed: [(u64, &[u64]); 3] = [
            (0x4f00_0000, &[0x7fff_ffff, 0x8000_0000]),
            (0xff80_0000, &[0x8000_0000]),
            (0x7fc0_0000, &[0, 0x8000_0000]),
        ];
        let all = &[0, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
        let unsigned: [(u64, &[u64]); 4] = [
            (0x4f80_0000, &all[1..]),
            (0xbf80_0000, all),
            (0x7fc0_0000, all),
            // -0.5 is 0 without its fraction, which is in range.
            (0xbf00_0000, &[0]),
        ];
        for (to, rows) in [(DType::Int32, &signed[..]), (DType::Uint32, &unsigned[..])] {
            let spec = Spec::Profile(Profile::WasmRelaxed);
            let caster = Caster::new(&Request::new(spec, DType::Float32, to)).expect("a cast");
            for &(code, due) in rows {
                let answer = caster.cast(code).expect("a code");
                assert_eq!(
                    answer.expect,
                    Outcome::one_of(due.iter().copied()),
                    "{code:#x} to {to}"
                );
                // Today's text allows every code where it leaves the result open.
                let is_open = answer.rule == rule::WA_13;
                assert_eq!(answer.tolerate, is_open.then_some(Outcome::Any), "{code:#x} to {to}");
                assert_eq!(is_open, code != 0xbf00_0000, "{code:#x} to {to}");
            }
        }
    }
}
