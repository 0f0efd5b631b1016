//! What the steps of a quantiser share: how a machine takes them, and float32.

use crate::linear::rounded;
use castproof_oracle::Value;
use castproof_oracle::format::FLOAT32;

/// How a machine takes steps that the reference leaves to it. By default each step rounds, and the logarithm is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GgufMachine {
    /// A product and the sum behind it round once (GG-16).
    pub fuses: bool,
    /// A logarithm within one unit of an integer is that integer (GG-13).
    pub rounds_logarithms: bool,
}

/// The value, rounded to float32: one step of a quantiser.
#[expect(clippy::needless_pass_by_value, reason = "so steps read as the formulas do")]
pub fn float32(value: Value) -> Value {
    rounded(&value, &FLOAT32)
}
