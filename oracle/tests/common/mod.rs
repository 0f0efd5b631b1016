//! Helpers that the laws and the witnesses share.

use castproof_oracle::{Caster, NEWEST};
use castproof_vectors::{Attributes, DType, Outcome, Request, landmarks};

/// Does this code fulfil the outcome? The landmarks say which codes are NaN and which are valid, so
/// this does not depend on the oracle.
pub(crate) fn admits(outcome: &Outcome, to: DType, code: u64) -> bool {
    outcome.admits(code, landmarks(to).expect("a numeric dtype"))
}

/// A generator of codes of `from` near the numbers of `to`. Nearly all uniform codes of a wide
/// source overflow a narrow target.
pub(crate) struct Nearby {
    from: DType,
    to: DType,
    back: Caster,
}

impl Nearby {
    pub(crate) fn new(from: DType, to: DType) -> Nearby {
        let unsaturated = Attributes { saturate: Some(false), round_mode: None };
        let request = Request::cast(to, from, NEWEST).with(unsaturated);
        Nearby { from, to, back: Caster::new(&request).expect("a pair of the newest version") }
    }

    /// Returns the code nearest to a random number of the target, with a random number of its low
    /// bits replaced by random ones. So it lies next to that number, in its binade or far away.
    pub(crate) fn code(&self, random: [u64; 2]) -> u64 {
        let number = random[0] & if self.to == DType::Bool { 1 } else { self.to.code_mask() };
        let answer = self.back.cast(number).expect("the code fits");
        let Outcome::Code(code) = answer.expect else { return random[1] & self.from.code_mask() };
        let width = (random[0] >> 32) % u64::from(self.from.bits());
        code ^ (random[1] & ((1 << width) - 1))
    }
}
