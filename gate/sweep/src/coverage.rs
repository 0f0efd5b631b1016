//! Which codes of a request are swept, as a sequence that every shard and every resumed run
//! counts in the same way.
//!
//! Sources of up to 32 bits: every code, in order. Wider ones: the ends of every stretch, the
//! binades of the source, the breakpoints of the target, and codes drawn from a fixed seed.

use castproof_check::random;
use castproof_vectors::{DType, Formula, Request, Shift, Stretch};

/// Up to this number of breakpoints of a request, all of them are swept.
const MOST_BREAKPOINTS: u64 = 1 << 32;

/// For more: breakpoints of a stretch that are swept at each end, and breakpoints that are drawn.
const BREAKPOINTS_AT_AN_END: u64 = 1 << 15;
const BREAKPOINTS_DRAWN: u64 = 1 << 20;

/// Codes that are drawn from a stretch with one answer, and from one that follows the source's
/// significand.
const DRAWN_CONSTANT: u64 = 1 << 12;
const DRAWN_SHIFT: u64 = 1 << 20;

/// The seed of the draws; a certificate names it.
pub const SEED: u64 = 0x00ca_5790_0f00_0001;

/// The codes around a breakpoint: itself and two on each side.
const AROUND: u64 = 5;

/// Elements of a block, the unit that is compared and digested at once. It is a multiple of 4, so
/// that blocks of packed elements end with a byte. Blocks of breakpoints hold whole groups of five
/// codes.
const EVERY_BLOCK: u64 = 1 << 14;
const BOUNDARY_BLOCK: u64 = AROUND << 12;

/// Blocks of a chunk, the unit of work, of shards and of the journal.
const BLOCKS: u64 = 1 << 10;

/// The swept codes of a request.
pub(super) struct Coverage {
    segments: Vec<Segment>,
    /// The number of elements.
    pub(super) elements: u64,
    /// Is every code of the source among them?
    pub(super) exhaustive: bool,
    /// Breakpoints of the target in the source.
    pub(super) breakpoints: u64,
    /// Breakpoints that are swept, without the drawn ones.
    pub(super) breakpoints_swept: u64,
    /// Elements of a block.
    pub(super) block: u64,
    /// Elements of a chunk; only the last one may have fewer.
    pub(super) chunk: u64,
}

/// Elements from one stretch.
struct Segment {
    stretch: usize,
    /// The number of elements in the segments before.
    start: u64,
    elements: u64,
    walk: Walk,
}

#[derive(Clone, Copy)]
enum Walk {
    /// `first` and the codes after it.
    Every { first: u64 },
    /// Five codes around `first`, around `first + stride`, and so on.
    Around { first: u64, stride: u64 },
    /// Codes of the stretch.
    Drawn { seed: u64 },
    /// Five codes around some of the `count` breakpoints.
    DrawnAround { first: u64, stride: u64, count: u64, seed: u64 },
}

/// Elements of one stretch within a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) stretch: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Coverage {
    /// Plans what is swept of a request with these stretches.
    pub(super) fn new(request: &Request, stretches: &[Stretch]) -> Coverage {
        let exhaustive = request.from.bits() <= 32;
        let block = if exhaustive { EVERY_BLOCK } else { BOUNDARY_BLOCK };
        let mut coverage = Coverage {
            segments: Vec::new(),
            elements: 0,
            exhaustive,
            breakpoints: stretches
                .iter()
                .map(|stretch| breakpoints(stretch, request.to).count)
                .sum(),
            breakpoints_swept: 0,
            block,
            chunk: block * BLOCKS,
        };
        for (index, stretch) in stretches.iter().enumerate() {
            if exhaustive {
                let elements = stretch.last - stretch.first + 1;
                coverage.push(index, elements, Walk::Every { first: stretch.first });
            } else {
                coverage.boundaries(index, stretch, request);
            }
        }
        if exhaustive {
            coverage.breakpoints_swept = coverage.breakpoints;
        }
        coverage
    }

    /// Returns the number of chunks.
    pub(super) fn chunks(&self) -> u64 {
        self.elements.div_ceil(self.chunk)
    }

    /// Returns the first element and the number of elements of a chunk.
    pub(super) fn chunk_range(&self, chunk: u64) -> (u64, u64) {
        let first = chunk * self.chunk;
        (first, self.chunk.min(self.elements - first))
    }

    fn push(&mut self, stretch: usize, elements: u64, walk: Walk) {
        if elements > 0 {
            self.segments.push(Segment { stretch, start: self.elements, elements, walk });
            self.elements += elements;
        }
    }

    fn boundaries(&mut self, index: usize, stretch: &Stretch, request: &Request) {
        let Stretch { first, last, .. } = *stretch;
        let span = last - first;
        if span < 4 * AROUND {
            self.push(index, span + 1, Walk::Every { first });
            self.breakpoints_swept += breakpoints(stretch, request.to).count;
            return;
        }
        self.push(index, AROUND, Walk::Every { first });
        self.push(index, AROUND, Walk::Every { first: last - (AROUND - 1) });
        for (first, stride, count) in binades(stretch, request.from) {
            self.push(index, AROUND * count, Walk::Around { first, stride });
        }
        let seed = SEED.wrapping_add((index as u64) << 32);
        self.breakpoints(index, &breakpoints(stretch, request.to), seed);
        let drawn = match stretch.formula {
            Formula::Constant(_) => DRAWN_CONSTANT,
            Formula::Shift(_) => DRAWN_SHIFT,
        };
        self.push(index, drawn.min(span), Walk::Drawn { seed });
    }

    fn breakpoints(&mut self, index: usize, found: &Breakpoints, seed: u64) {
        let Breakpoints { first, stride, count } = *found;
        if self.breakpoints <= MOST_BREAKPOINTS || count <= 2 * BREAKPOINTS_AT_AN_END {
            self.push(index, AROUND * count, Walk::Around { first, stride });
            self.breakpoints_swept += count;
            return;
        }
        let end = BREAKPOINTS_AT_AN_END;
        self.push(index, AROUND * end, Walk::Around { first, stride });
        let late = first.wrapping_add((count - end).wrapping_mul(stride));
        self.push(index, AROUND * end, Walk::Around { first: late, stride });
        let walk = Walk::DrawnAround { first, stride, count, seed };
        self.push(index, AROUND * BREAKPOINTS_DRAWN, walk);
        self.breakpoints_swept += 2 * end;
    }

    /// Fills `codes` with the codes of the elements from `first` on. `runs` tells which of them
    /// come from which stretch.
    pub(super) fn fill<W: Word>(
        &self,
        stretches: &[Stretch],
        first: u64,
        codes: &mut [W],
        runs: &mut Vec<Run>,
    ) {
        runs.clear();
        let mut segment = self.segments.partition_point(|segment| segment.start <= first) - 1;
        let mut done = 0;
        while done < codes.len() {
            let Segment { stretch, start, elements, walk } = &self.segments[segment];
            let skipped = first + done as u64 - start;
            let take = (elements - skipped).min((codes.len() - done) as u64) as usize;
            walk.fill(&stretches[*stretch], skipped, &mut codes[done..done + take]);
            match runs.last_mut() {
                Some(run) if run.stretch == *stretch => run.end += take,
                _ => runs.push(Run { stretch: *stretch, start: done, end: done + take }),
            }
            done += take;
            segment += 1;
        }
    }
}

impl Walk {
    /// Fills `codes` with the codes of the elements from `skipped` on.
    fn fill<W: Word>(self, stretch: &Stretch, skipped: u64, codes: &mut [W]) {
        match self {
            Walk::Every { first } => {
                let first = first + skipped;
                for (offset, code) in codes.iter_mut().enumerate() {
                    *code = W::cut(first.wrapping_add(offset as u64));
                }
            }
            Walk::Around { first, stride } => {
                around(stretch, skipped, codes, |step| {
                    first.wrapping_add(step.wrapping_mul(stride))
                });
            }
            Walk::Drawn { seed } => {
                let span = stretch.last - stretch.first;
                for (offset, code) in codes.iter_mut().enumerate() {
                    let drawn = random::at(seed.wrapping_add(skipped + offset as u64));
                    *code = W::cut(stretch.first + scaled(drawn, span));
                }
            }
            Walk::DrawnAround { first, stride, count, seed } => {
                around(stretch, skipped, codes, |step| {
                    let step = scaled(random::at(seed.wrapping_add(step)), count);
                    first.wrapping_add(step.wrapping_mul(stride))
                });
            }
        }
    }
}

/// Writes five codes around each breakpoint, all inside the stretch.
fn around<W: Word>(
    stretch: &Stretch,
    skipped: u64,
    codes: &mut [W],
    breakpoint: impl Fn(u64) -> u64,
) {
    let (mut step, into) = (skipped / AROUND, skipped % AROUND);
    let head = if into == 0 { 0 } else { (AROUND - into) as usize }.min(codes.len());
    let (head, whole) = codes.split_at_mut(head);
    for (offset, code) in (into..).zip(head.iter_mut()) {
        *code = W::cut(near(stretch, breakpoint(step), offset));
    }
    step += u64::from(into > 0);
    let inside = stretch.first.saturating_add(AROUND / 2)..=stretch.last.saturating_sub(AROUND / 2);
    for codes in whole.chunks_mut(AROUND as usize) {
        let at = breakpoint(step);
        step += 1;
        if inside.contains(&at) && codes.len() == AROUND as usize {
            // The usual case: no code is outside the stretch.
            let below = at.wrapping_sub(AROUND / 2);
            for (offset, code) in (0..).zip(codes) {
                *code = W::cut(below.wrapping_add(offset));
            }
            continue;
        }
        for (offset, code) in (0..).zip(codes) {
            *code = W::cut(near(stretch, at, offset));
        }
    }
}

/// Returns one of the five codes around a breakpoint, or the nearest one inside the stretch.
fn near(stretch: &Stretch, breakpoint: u64, offset: u64) -> u64 {
    // It saturates, because no code lies beyond a stretch at either end of the code space.
    let code = breakpoint.saturating_add(offset).saturating_sub(AROUND / 2);
    code.clamp(stretch.first, stretch.last)
}

/// Codes of a stretch at which the target's code changes, equally spaced.
struct Breakpoints {
    first: u64,
    stride: u64,
    count: u64,
}

fn breakpoints(stretch: &Stretch, to: DType) -> Breakpoints {
    let none = Breakpoints { first: 0, stride: 1, count: 0 };
    let Formula::Shift(Shift { origin, bits, nearest, base, subtract, .. }) = stretch.formula
    else {
        return none;
    };
    let (at, stride) = match bits {
        // A tie lies in the middle of a step.
        1.. => {
            let stride = 1u64 << bits;
            (if nearest { origin.wrapping_add(stride / 2) } else { origin }, stride)
        }
        // If the target is narrower, results wrap at every multiple of its range.
        0 if to.bits() < 64 => {
            (if subtract { base } else { base.wrapping_neg() }, 1u64 << to.bits())
        }
        _ => return none,
    };
    spaced(stretch, at, stride)
}

/// Returns the codes of a stretch that equal `at` modulo `stride`, a power of two.
fn spaced(stretch: &Stretch, at: u64, stride: u64) -> Breakpoints {
    let ahead = at.wrapping_sub(stretch.first) & (stride - 1);
    let room = stretch.last - stretch.first;
    let count = if ahead > room { 0 } else { (room - ahead) / stride + 1 };
    Breakpoints { first: stretch.first.wrapping_add(ahead), stride, count }
}

/// Returns where binades of the source begin inside a stretch: first code, stride, count.
fn binades(stretch: &Stretch, from: DType) -> Vec<(u64, u64, u64)> {
    if from == DType::Float64 {
        let Breakpoints { first, stride, count } = spaced(stretch, 0, 1 << 52);
        return vec![(first, stride, count)];
    }
    let powers = (0..64).map(|exponent| 1u64 << exponent);
    let both = powers.flat_map(|power| [power, power.wrapping_neg()]);
    let inside = both.filter(|code| (stretch.first..=stretch.last).contains(code));
    inside.map(|code| (code, 1, 1)).collect()
}

/// Scales a drawn number to one below `limit`; 0 if `limit` is 0.
pub(super) fn scaled(drawn: u64, limit: u64) -> u64 {
    ((u128::from(drawn) * u128::from(limit)) >> 64) as u64
}

/// The word that holds a source's codes: 32 bits, or 64 for wider sources.
pub(super) trait Word: Copy + Default + Send + bytemuck::Pod {
    /// Keeps the low bits of a code.
    fn cut(code: u64) -> Self;
    /// Returns the code.
    fn code(self) -> u64;
}

impl Word for u32 {
    fn cut(code: u64) -> u32 {
        code as u32
    }
    fn code(self) -> u64 {
        self.into()
    }
}

impl Word for u64 {
    fn cut(code: u64) -> u64 {
        code
    }
    fn code(self) -> u64 {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_oracle::{cast, stretches};
    use castproof_vectors::Outcome;
    use std::collections::HashSet;

    fn codes(request: &Request) -> (Coverage, Vec<u64>) {
        let stretches = stretches(request).expect("a numeric request");
        let coverage = Coverage::new(request, &stretches);
        let (mut codes, mut runs) = (Vec::new(), Vec::new());
        // Parts of an odd length, so that groups of five codes are cut at every place.
        let mut part = vec![0u64; 1009];
        for first in (0..coverage.elements).step_by(part.len()) {
            let count = part.len().min((coverage.elements - first) as usize);
            coverage.fill(&stretches, first, &mut part[..count], &mut runs);
            assert_eq!(runs.last().map(|run| run.end), Some(count));
            for run in &runs {
                let inside = stretches[run.stretch].first..=stretches[run.stretch].last;
                assert!(part[run.start..run.end].iter().all(|code| inside.contains(code)));
            }
            codes.extend(&part[..count]);
        }
        (coverage, codes)
    }

    #[test]
    fn every_code_comes_once_and_in_order() {
        for (from, to) in [(DType::Int16, DType::Float16), (DType::Float8E4M3FN, DType::Int2)] {
            let (coverage, codes) = codes(&Request::cast(from, to, 28));
            assert!(coverage.exhaustive);
            assert!(codes.into_iter().eq(0..=from.code_mask()));
        }
    }

    /// The midpoint of two neighbours of float16 is the midpoint of their float64 codes.
    #[test]
    fn every_tie_comes_with_its_neighbours() {
        let (coverage, codes) = codes(&Request::cast(DType::Float64, DType::Float16, 28));
        assert!(!coverage.exhaustive);
        assert_eq!(coverage.breakpoints, coverage.breakpoints_swept);
        let codes: HashSet<u64> = codes.into_iter().collect();
        let widen = Request::cast(DType::Float16, DType::Float64, 28);
        let wide = |code| match cast(&widen, code).expect("a float16 code").expect {
            Outcome::Code(code) => code,
            other => panic!("{other:?}"),
        };
        for low in 1..0x7bff {
            let tie = (wide(low) + wide(low + 1)) / 2;
            for code in tie - 2..=tie + 2 {
                assert!(codes.contains(&code), "{code:#x}");
                assert!(codes.contains(&(code | 1 << 63)), "{code:#x} negated");
            }
        }
        // The tie above the largest number, and the ends of binades far out of range.
        for code in [0x40ef_fdff_ffff_ffff, 0x40ef_fe00_0000_0000, 0x7fe0_0000_0000_0000, 1, 2] {
            assert!(codes.contains(&code), "{code:#x}");
        }
    }

    #[test]
    fn where_integers_wrap_is_swept() {
        let (coverage, codes) = codes(&Request::cast(DType::Uint64, DType::Int8, 28));
        assert_eq!(coverage.breakpoints, 1 << 56);
        assert!(coverage.breakpoints_swept < coverage.breakpoints);
        let codes: HashSet<u64> = codes.into_iter().collect();
        for code in [0xfe, 0xff, 0x100, 0x101, 0x102, u64::MAX - 0x100, u64::MAX] {
            assert!(codes.contains(&code), "{code:#x}");
        }
    }
}
