//! Shapes of drawn tensors of blocks. A quantiser or a decoder may be wrong in long lines, in many lines, in tensors of some
//! rank, in a last block of some length, and right for the tensors of the file, which have nine blocks at most.

use castproof_vectors::random::Random;

/// A long line has at least so many elements, and two blocks for each place of a block, so that a NaN in each second block stands at
/// every place once. Many lines are at least so many.
const LONG: usize = 2048;
const LINES: usize = 65;

/// Lengths of short last blocks are this far apart, so that each range of so many is met.
const APART: usize = 4;

/// What the tensors of one rule and pair of dtypes may look like.
#[derive(Clone, Copy, Default)]
pub(super) struct Allowed {
    size: usize,
    /// May the last block of a line be shorter?
    short: bool,
    /// May blocks lie along another axis than the last one?
    axes: bool,
}

/// A shape to be filled.
pub(super) struct Shape {
    pub(super) sides: Vec<u64>,
    pub(super) axis: u64,
    /// Is it asked twice, with other elements?
    pub(super) twice: bool,
}

impl Allowed {
    /// Allows what a tensor of this shape has.
    pub(super) fn allow(&mut self, shape: &[u64], axis: u64, size: u64) {
        self.size = size as usize;
        self.short |= !shape[axis as usize].is_multiple_of(size);
        self.axes |= axis as usize + 1 < shape.len();
    }

    /// Returns how long a line of so many blocks is: the last one is shorter, if it may be.
    fn line(self, blocks: usize, random: &mut Random) -> u64 {
        let whole = blocks * self.size;
        let less = if self.short { 1 + random.below(self.size - 1) } else { 0 };
        (whole - less) as u64
    }

    /// Returns the shapes of one rule and pair of dtypes.
    pub(super) fn shapes(self, random: &mut Random) -> Vec<Shape> {
        let blocks = (LONG / self.size).max(2 * self.size) + 2 + random.below(8);
        let long = self.line(blocks, random);
        let mut shapes = vec![Shape { sides: vec![long], axis: 0, twice: false }];
        let lines = (LINES + random.below(LINES)) as u64;
        let line = self.line(1 + random.below(2), random);
        let is_across = self.axes && random.below(4) == 0;
        let (sides, axis) = if is_across { ([line, lines], 0) } else { ([lines, line], 1) };
        shapes.push(Shape { sides: sides.to_vec(), axis, twice: false });
        // The numbers of blocks of a line have every rest by 2, 3 and 4.
        for (rank, blocks) in [(2, 4), (3, 3), (4, 2), (2, 5), (3, 4)] {
            let axis = if self.axes { random.below(rank) } else { rank - 1 };
            let mut sides: Vec<u64> = (0..rank).map(|_| 1 + random.below(3) as u64).collect();
            sides[(axis + 1) % rank] = 2 + random.below(2) as u64;
            sides[axis] = self.line(blocks, random);
            shapes.push(Shape { sides, axis: axis as u64, twice: true });
        }
        if self.short {
            let first = 1 + random.below(APART);
            let lengths = (first..self.size).step_by(APART);
            shapes.extend(lengths.map(|length| {
                let sides = vec![(self.size + length) as u64];
                Shape { sides, axis: 0, twice: false }
            }));
        }
        shapes
    }
}
