//! Quantisers with a scale of the tensor, NVFP4: what is known to happen around the steps of a profile.

use super::catalogue::NumberRead;
use super::numbers::Numbers;
use castproof_oracle::decode;
use castproof_oracle::format::float_format;
use castproof_quantised::block::{block_scale, has_tensor_scale, quantise};
use castproof_vectors::{BlockProfile, DType, Outcome};

/// The largest magnitude of a tensor whose scale is 1, 448 times 6: 2688 as float32.
const PLAIN: u64 = 0x4528_0000;

/// A quantiser with a scale of the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepMethod {
    /// The profile whose steps it takes.
    pub steps: BlockProfile,
    /// Is the scale of the tensor taken for 1?
    pub plain: bool,
    /// How numbers are read.
    pub read: NumberRead,
    /// Are subnormal scales stored as zero, after elements were made with them?
    pub flushes: bool,
    /// The scale of a block of zeros, if that is none of the steps.
    pub zero: Option<u64>,
}

/// A step along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepChange {
    /// The axis of the profile.
    Steps(BlockProfile),
    /// The axis of the tensor.
    Plain,
    /// The axis of numbers.
    Read(NumberRead),
    /// The axis of subnormal scales.
    Flushes,
}

/// Returns what is known to happen, the likelier first.
pub fn step_changes() -> &'static [StepChange] {
    &[
        StepChange::Steps(BlockProfile::Nvfp4Te),
        StepChange::Steps(BlockProfile::Nvfp4Torchao),
        StepChange::Plain,
        StepChange::Read(NumberRead::NanAsZero),
        StepChange::Read(NumberRead::Flushed),
        StepChange::Read(NumberRead::Bfloat16),
        StepChange::Flushes,
    ]
}

impl StepMethod {
    /// Returns the method that a profile specifies; `None` if it has no scale of the tensor.
    pub fn of(profile: BlockProfile) -> Option<StepMethod> {
        let (plain, read, flushes, zero) = (false, NumberRead::AsIs, false, None);
        has_tensor_scale(profile).then_some(StepMethod {
            steps: profile,
            plain,
            read,
            flushes,
            zero,
        })
    }

    /// Returns the method with one change.
    #[must_use]
    pub fn with(mut self, change: StepChange) -> StepMethod {
        match change {
            StepChange::Steps(profile) => self.steps = profile,
            StepChange::Plain => self.plain = true,
            StepChange::Read(read) => self.read = read,
            StepChange::Flushes => self.flushes = true,
        }
        self
    }

    /// Returns scale and elements, open ones as `None`; `None` if the profile does not quantise this.
    pub fn quantise(
        &self,
        (from, to): (DType, DType),
        numbers: &Numbers,
        tensor: u64,
    ) -> Option<(u64, Vec<Option<u64>>)> {
        let codes: Vec<u64> =
            numbers.codes().iter().map(|&code| numbers.read(code, self.read)).collect();
        let tensor = if self.plain { PLAIN } else { tensor };
        let answer = quantise(self.steps, (from, to), &codes, Some(tensor)).ok()?;
        let element = |outcome: &Outcome| match outcome {
            Outcome::Code(code) => Some(*code),
            _ => None,
        };
        let elements: Vec<Option<u64>> =
            answer.elements.iter().map(|(outcome, _)| element(outcome)).collect();
        let scales = float_format(block_scale(self.steps))?;
        let scale = match self.zero {
            Some(zero) if numbers.is_zero() => zero,
            _ if self.flushes && answer.scale >> scales.significand_bits == 0 => 0,
            _ => answer.scale,
        };
        // Under NaN elements are open.
        let is_nan = decode::is_nan(&scales, scale);
        Some((scale, elements.into_iter().map(|code| code.filter(|_| !is_nan)).collect()))
    }
}
