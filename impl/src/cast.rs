//! The public entry: a cast and the three ways to run it.

use crate::arch::view;
use crate::dispatch::{Converter, kernel};
use crate::packed::check_bytes;
use crate::plan;
use crate::{Backend, Element, Error};
use castproof_vectors::{DType, RoundMode};

/// A validated cast; cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    pub(crate) from: DType,
    pub(crate) to: DType,
    pub(crate) rules: Rules,
    /// One that this machine can run.
    pub(crate) backend: Backend,
}

/// The parts of a request that change the meaning of some casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) opset: u32,
    pub(crate) saturate: bool,
    pub(crate) round_mode: RoundMode,
}

impl Rules {
    /// Does a cast from `dtype` to itself change some codes? A bool byte may hold more than 0 and
    /// 1; float8e5m2 infinities saturate (F8-S08).
    pub(crate) fn change(self, dtype: DType) -> bool {
        dtype == DType::Bool || (dtype == DType::Float8E5M2 && self.saturate)
    }
}

impl Cast {
    /// A cast by the newest rules: opset 28, `saturate` on, `round_mode` up.
    ///
    /// # Errors
    /// [`Error::NotNumeric`] for string and complex; those of [`Backend::preferred`].
    pub fn new(from: DType, to: DType) -> Result<Cast, Error> {
        kernel(from)?;
        kernel(to)?;
        let rules = Rules { opset: 28, saturate: true, round_mode: RoundMode::Up };
        Ok(Cast { from, to, rules, backend: Backend::preferred()? })
    }

    /// By the rules of this operator-set version. Only one thing depends on it: infinities to the
    /// float8 FNUZ types under `saturate` are NaN before 24 (F8-S06) and the largest finite value
    /// from then on (F8-S07). Whether the version has the dtypes at all is not asked.
    #[must_use]
    pub fn opset(self, opset: u32) -> Cast {
        Cast { rules: Rules { opset, ..self.rules }, ..self }
    }

    /// Do values beyond the range of a float8 type become its largest finite value? Other targets
    /// ignore it (T-06).
    #[must_use]
    pub fn saturate(self, on: bool) -> Cast {
        Cast { rules: Rules { saturate: on, ..self.rules }, ..self }
    }

    /// How casts to float8e8m0 round. Other targets ignore it (T-07).
    #[must_use]
    pub fn round_mode(self, mode: RoundMode) -> Cast {
        Cast { rules: Rules { round_mode: mode, ..self.rules }, ..self }
    }

    /// Casts `count` elements from packed little-endian `input` to `output`; each must have
    /// exactly [`packed_len`](crate::packed_len) bytes. No alignment is asked for.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if a slice has another length, [`Error::TooMany`] if `count` elements
    /// fit in no slice. Nothing is written then.
    pub fn run(&self, input: &[u8], count: usize, output: &mut [u8]) -> Result<(), Error> {
        check_bytes("input", self.from, count, input.len())?;
        check_bytes("output", self.to, count, output.len())?;
        plan::run(self, count, input, output);
        Ok(())
    }

    /// Casts one element, by code.
    ///
    /// # Errors
    /// [`Error::CodeTooWide`] if bits above the width of the source are set.
    pub fn code(&self, code: u64) -> Result<u64, Error> {
        if code & !self.from.code_mask() != 0 {
            return Err(Error::CodeTooWide { dtype: self.from, code });
        }
        Ok(Converter::new(self.from, self.to, self.rules)?.convert(code))
    }

    /// Casts typed slices of equal length. `S` and `T` fix the dtypes and must be those of the
    /// cast.
    ///
    /// # Errors
    /// [`Error::ElementType`] if they are not, [`Error::SliceLength`] if the lengths differ.
    /// Nothing is written then.
    pub fn run_slice<S: Element, T: Element>(
        &self,
        input: &[S],
        output: &mut [T],
    ) -> Result<(), Error> {
        check_element("input", self.from, S::DTYPE)?;
        check_element("output", self.to, T::DTYPE)?;
        if input.len() != output.len() {
            return Err(Error::SliceLength { input: input.len(), output: output.len() });
        }
        if cfg!(target_endian = "big") {
            // Kernels take little-endian bytes.
            let converter = Converter::new(self.from, self.to, self.rules)?;
            for (target, source) in output.iter_mut().zip(input) {
                *target = T::from_code(converter.convert(source.to_code()));
            }
            return Ok(());
        }
        let (source, target) = (view::bytes(input), view::bytes_mut(output));
        plan::run(self, input.len(), source, target);
        Ok(())
    }

    /// Runs on this backend instead of the preferred one. Results are the same.
    ///
    /// # Errors
    /// [`Error::MissingBackend`] if this machine cannot run it.
    pub fn backend(self, backend: Backend) -> Result<Cast, Error> {
        Ok(Cast { backend: backend.checked()?, ..self })
    }

    /// Does a cast to the same dtype, or between integers of one width, change some codes?
    pub(crate) fn may_change(&self) -> bool {
        self.from == self.to && self.rules.change(self.from)
    }
}

fn check_element(side: &'static str, expected: DType, actual: DType) -> Result<(), Error> {
    if actual != expected {
        return Err(Error::ElementType { side, expected, actual });
    }
    Ok(())
}
