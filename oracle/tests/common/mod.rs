//! What the laws and the witnesses share.

use castproof_oracle::{Caster, NEWEST};
use castproof_vectors::{Attributes, DType, Outcome, Request, landmarks};

/// Does this code fulfil the outcome? NaN and valid codes are those of the landmarks, so the
/// oracle is not asked about itself.
pub(crate) fn admits(outcome: &Outcome, to: DType, code: u64) -> bool {
    let landmarks = landmarks(to).expect("a numeric dtype");
    outcome.admits(code, |code| landmarks.is_nan(code), |code| landmarks.is_valid(code))
}

/// Codes of `from` in the reach of `to`. Uniform codes of a wide source nearly all overflow a
/// narrow target; these start from a number of the target.
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

    /// The code nearest to a random number of the target, with as many of its low bits replaced
    /// as a random width says: next to that number, in its binade, or far away.
    pub(crate) fn code(&self, random: [u64; 2]) -> u64 {
        let number = random[0] & if self.to == DType::Bool { 1 } else { self.to.code_mask() };
        let answer = self.back.cast(number).expect("the code fits");
        let Outcome::Code(code) = answer.expect else { return random[1] & self.from.code_mask() };
        let width = (random[0] >> 32) % u64::from(self.from.bits());
        code ^ (random[1] & ((1 << width) - 1))
    }
}
