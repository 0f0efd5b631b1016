//! The public entry: a cast and the three ways to run it.

use crate::dispatch::{Converter, kernel};
use crate::packed::{Packing, packed_len};
use crate::unpacked::Unpacked;
use crate::{Element, Error};
use castproof_vectors::{DType, RoundMode};

/// Elements that go through together; a multiple of 4, so that every block of packed elements
/// starts at a byte, and small enough for the stack and the first-level cache.
const BLOCK: usize = 192;

/// A validated cast; cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    from: DType,
    to: DType,
    rules: Rules,
}

/// The parts of a request that change the meaning of some casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) opset: u32,
    pub(crate) saturate: bool,
    pub(crate) round_mode: RoundMode,
}

impl Cast {
    /// A cast by the newest rules: opset 28, `saturate` on, `round_mode` up.
    ///
    /// # Errors
    /// [`Error::NotNumeric`] for string and complex.
    pub fn new(from: DType, to: DType) -> Result<Cast, Error> {
        kernel(from)?;
        kernel(to)?;
        let rules = Rules { opset: 28, saturate: true, round_mode: RoundMode::Up };
        Ok(Cast { from, to, rules })
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
    /// exactly [`packed_len`] bytes. No alignment is asked for.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if a slice has another length, [`Error::TooMany`] if `count` elements
    /// fit in no slice. Nothing is written then.
    pub fn run(&self, input: &[u8], count: usize, output: &mut [u8]) -> Result<(), Error> {
        check_bytes("input", self.from, count, input.len())?;
        check_bytes("output", self.to, count, output.len())?;
        let converter = Converter::new(self.from, self.to, self.rules)?;
        let (source, target) = (Packing::of(self.from), Packing::of(self.to));
        let mut codes = [0; BLOCK];
        let mut values = [Unpacked::ZERO; BLOCK];
        let blocks = input
            .chunks(source.bytes(BLOCK))
            .zip(output.chunks_mut(target.bytes(BLOCK)))
            .zip((0..count).step_by(BLOCK));
        for ((input, output), done) in blocks {
            let codes = &mut codes[..BLOCK.min(count - done)];
            source.load(input, codes);
            converter.convert(codes, &mut values);
            target.store(codes, output);
        }
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
        let mut codes = [code];
        Converter::new(self.from, self.to, self.rules)?.convert(&mut codes, &mut [Unpacked::ZERO]);
        Ok(codes[0])
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
        let converter = Converter::new(self.from, self.to, self.rules)?;
        let mut codes = [0; BLOCK];
        let mut values = [Unpacked::ZERO; BLOCK];
        for (input, output) in input.chunks(BLOCK).zip(output.chunks_mut(BLOCK)) {
            let codes = &mut codes[..input.len()];
            for (code, element) in codes.iter_mut().zip(input) {
                *code = element.to_code();
            }
            converter.convert(codes, &mut values);
            for (element, code) in output.iter_mut().zip(&*codes) {
                *element = T::from_code(*code);
            }
        }
        Ok(())
    }
}

fn check_bytes(side: &'static str, dtype: DType, count: usize, actual: usize) -> Result<(), Error> {
    let expected = packed_len(dtype, count)?;
    if actual != expected {
        return Err(Error::ByteLength { side, dtype, count, expected, actual });
    }
    Ok(())
}

fn check_element(side: &'static str, expected: DType, actual: DType) -> Result<(), Error> {
    if actual != expected {
        return Err(Error::ElementType { side, expected, actual });
    }
    Ok(())
}
