//! Expands stretches to expected elements, at the speed of memory.
//!
//! If an outcome is not a single code, a representative replaces it: the smallest code of a set,
//! the smallest NaN code of the target, and 0 if everything is allowed. Where the cast must be refused, code 0 is
//! asked instead; of a number, as all are whose casts trap, it becomes 0.

use super::coverage::{Run, Word};
use castproof_vectors::{DType, Formula, Hex, Landmarks, Outcome, Shift, Stretch};
use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitXor, Shl, Shr, Sub};

/// Makes the expected elements of block after block.
pub(super) struct Expander {
    target: Target,
    /// Codes of targets below 8 bits, before they are packed.
    narrow: Vec<u8>,
    /// Aligned for every element width.
    bytes: Vec<u64>,
}

/// Facts about the source and the target.
struct Target {
    from: DType,
    dtype: DType,
    /// Represents any NaN; 0 in a dtype without NaN, for which no rule requires one.
    nan: u64,
    /// Represents any quiet NaN, likewise.
    quiet_nan: u64,
}

impl Expander {
    /// Makes an expander for casts from a dtype to that of these landmarks.
    pub(super) fn new(from: DType, landmarks: &Landmarks) -> Expander {
        let first = |ranges: &[[Hex; 2]]| ranges.first().map_or(0, |[first, _]| first.value());
        let (nan, quiet_nan) = (first(&landmarks.nan), first(&landmarks.quiet_nan));
        let target = Target { from, dtype: landmarks.dtype, nan, quiet_nan };
        Expander { target, narrow: Vec::new(), bytes: Vec::new() }
    }

    /// Returns the code that represents an outcome.
    pub(super) fn representative(&self, outcome: &Outcome) -> u64 {
        self.target.representative(outcome)
    }

    /// Returns the expected elements of these codes, packed like the target. `runs` says to
    /// which stretch each code belongs.
    pub(super) fn expand<W: Word>(
        &mut self,
        stretches: &[Stretch],
        codes: &[W],
        runs: &[Run],
    ) -> &[u8] {
        let Expander { target, narrow, bytes } = self;
        let count = codes.len();
        bytes.resize(count, 0);
        match target.dtype.bits() {
            bits @ 0..8 => {
                // The codes are padded with zeros to whole bytes.
                narrow.clear();
                narrow.resize(count.next_multiple_of(4), 0);
                target.runs(stretches, codes, runs, narrow, |code| code as u8, |code| code as u8);
                pack_narrow(bits, narrow, bytemuck::cast_slice_mut(bytes));
            }
            8 => {
                let out: &mut [u8] = bytemuck::cast_slice_mut(bytes);
                target.runs(stretches, codes, runs, out, |code| code as u8, |code| code as u8);
            }
            16 => {
                let out: &mut [u16] = bytemuck::cast_slice_mut(bytes);
                target.runs(stretches, codes, runs, out, |code| code as u16, |code| code as u16);
            }
            32 => {
                let out: &mut [u32] = bytemuck::cast_slice_mut(bytes);
                target.runs(stretches, codes, runs, out, |code| code, |code| code as u32);
            }
            _ => target.runs(stretches, codes, runs, bytes, u64::from, |code| code),
        }
        self.again(count)
    }

    /// Returns the elements of the last expansion, which had `count` elements.
    pub(super) fn again(&self, count: usize) -> &[u8] {
        let bits = self.target.dtype.bits() as usize;
        &bytemuck::cast_slice(&self.bytes)[..(count * bits).div_ceil(8)]
    }
}

impl Target {
    fn representative(&self, outcome: &Outcome) -> u64 {
        match outcome {
            Outcome::Code(code) => *code,
            Outcome::OneOf(codes) => codes.first().copied().unwrap_or(0),
            Outcome::AnyNan => self.nan,
            Outcome::QuietNan => self.quiet_nan,
            // Sweeps have only numeric casts, so no outcome is a text.
            Outcome::Any | Outcome::Reject | Outcome::Text(_) => 0,
        }
    }

    /// Writes one element for each code; `cut32` and `cut64` keep the bits of its width.
    fn runs<W: Word, T: Copy>(
        &self,
        stretches: &[Stretch],
        codes: &[W],
        runs: &[Run],
        out: &mut [T],
        cut32: impl Fn(u32) -> T + Copy,
        cut64: impl Fn(u64) -> T + Copy,
    ) {
        for &Run { stretch, start, end } in runs {
            let (codes, out) = (&codes[start..end], &mut out[start..end]);
            match &stretches[stretch].formula {
                Formula::Constant(outcome) => out.fill(cut64(self.representative(outcome))),
                // Lanes of half the width are twice as fast; they are used if source and result
                // fit.
                Formula::Shift(shift) if size_of::<W>() == 4 && self.dtype.bits() <= 32 => {
                    let steps = Steps::new(shift, self.from, |bits| Wrapping(bits as u32));
                    let mask = self.dtype.code_mask() as u32;
                    steps.run(codes, out, |code| Wrapping(code as u32), |it| cut32(it.0 & mask));
                }
                Formula::Shift(shift) => {
                    let steps = Steps::new(shift, self.from, Wrapping);
                    let mask = self.dtype.code_mask();
                    steps.run(codes, out, Wrapping, |it| cut64(it.0 & mask));
                }
            }
        }
    }
}

/// The arithmetic that [`Shift`] needs: 32 or 64 bits that wrap.
trait Lane:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitXor<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
}
impl Lane for Wrapping<u32> {}
impl Lane for Wrapping<u64> {}

/// [`Shift`] without branches. A value is negated by `(x ^ ones) - ones`; with zeros instead of
/// ones it stays as it is.
struct Steps<L> {
    origin: L,
    negate_distance: L,
    /// The bits of the source's width.
    width: L,
    left: bool,
    bits: usize,
    dropped: L,
    /// Added to the dropped bits, so that they carry into the result above a tie.
    below_half: L,
    /// Selects the lowest bit of the result: an odd result carries at a tie.
    odd: L,
    base: L,
    negate_count: L,
}

impl<L: Lane> Steps<L> {
    fn new(shift: &Shift, from: DType, lane: impl Fn(u64) -> L) -> Steps<L> {
        let Shift { origin, descending, bits, nearest, base, subtract } = *shift;
        let ones = |set: bool| lane(if set { u64::MAX } else { 0 });
        let (left, bits) = (bits <= 0, bits.unsigned_abs() as usize);
        let half = if nearest { 1u64 << (bits - 1) } else { 1 };
        Steps {
            origin: lane(origin),
            negate_distance: ones(descending),
            width: lane(from.code_mask()),
            left,
            bits,
            dropped: lane((1u64 << bits) - 1),
            below_half: lane(half - 1),
            odd: lane(u64::from(nearest)),
            base: lane(base),
            negate_count: ones(subtract),
        }
    }

    fn run<W: Word, T>(
        &self,
        codes: &[W],
        out: &mut [T],
        lane: impl Fn(u64) -> L,
        cut: impl Fn(L) -> T,
    ) {
        let negated = |it: L, ones: L| (it ^ ones) - ones;
        let distance =
            |code: &W| negated(lane(code.code()) - self.origin, self.negate_distance) & self.width;
        let result = |count: L| cut(self.base + negated(count, self.negate_count));
        if self.left {
            for (out, code) in out.iter_mut().zip(codes) {
                *out = result(distance(code) << self.bits);
            }
            return;
        }
        for (out, code) in out.iter_mut().zip(codes) {
            let distance = distance(code);
            let count = distance >> self.bits;
            let carry = self.below_half + ((count + self.base) & self.odd);
            *out = result(count + (((distance & self.dropped) + carry) >> self.bits));
        }
    }
}

/// Packs codes of 2, 4 or 6 bits, the first one in the least significant bits. Their number is a
/// multiple of four.
fn pack_narrow(bits: u32, codes: &[u8], out: &mut [u8]) {
    let fours = codes.chunks_exact(4);
    match bits {
        2 => {
            for (codes, out) in fours.zip(out) {
                *out = codes[0] | codes[1] << 2 | codes[2] << 4 | codes[3] << 6;
            }
        }
        4 => {
            for (codes, out) in codes.chunks_exact(2).zip(out) {
                *out = codes[0] | codes[1] << 4;
            }
        }
        _ => {
            for (codes, out) in fours.zip(out.chunks_exact_mut(3)) {
                out[0] = codes[0] | codes[1] << 6;
                out[1] = codes[1] >> 2 | codes[2] << 4;
                out[2] = codes[2] >> 4 | codes[3] << 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::coverage::Coverage;
    use super::*;
    use castproof_oracle::{attribute_sets, stretches};
    use castproof_vectors::{Request, landmarks, unpack};

    /// Expanded elements equal what each stretch gives for a single code, for 32- and 64-bit codes.
    #[test]
    fn expanding_agrees_with_the_pieces() {
        for &from in DType::NUMERIC {
            for &to in DType::NUMERIC {
                for attributes in attribute_sets(to, 28) {
                    let request = Request::cast(from, to, 28).with(attributes);
                    let stretches = stretches(&request).expect("a numeric request");
                    let mut expander = Expander::new(from, landmarks(to).expect("numeric"));
                    agree::<u64>(&request, &stretches, &mut expander);
                    if from.bits() <= 32 {
                        agree::<u32>(&request, &stretches, &mut expander);
                    }
                }
            }
        }
    }

    fn agree<W: Word>(request: &Request, stretches: &[Stretch], expander: &mut Expander) {
        let coverage = Coverage::new(request, stretches);
        let mut runs = Vec::new();
        let blocks = coverage.elements.div_ceil(coverage.block);
        for block in [0, 1, blocks / 3, blocks / 2, blocks.saturating_sub(2), blocks - 1] {
            let first = block.min(blocks - 1) * coverage.block;
            // The count is odd, so that packing ends within a byte.
            let count = (coverage.elements - first).min(1531) as usize;
            let mut codes = vec![W::default(); count];
            coverage.fill(stretches, first, &mut codes, &mut runs);
            let bytes = expander.expand(stretches, &codes, &runs).to_vec();
            let got = unpack(request.to, &bytes, count).expect("as many as asked for");
            for run in &runs {
                for index in run.start..run.end {
                    let stretch = &stretches[run.stretch];
                    let code = codes[index].code();
                    assert!((stretch.first..=stretch.last).contains(&code), "{request} {code:#x}");
                    let outcome = stretch.formula.expect(request.from, request.to, code);
                    let expected = expander.representative(&outcome);
                    assert_eq!(got[index], expected, "{request} {code:#x} {stretch:x?}");
                }
            }
        }
    }
}
