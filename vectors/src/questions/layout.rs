//! Where the blocks of a tensor lie.

use crate::element_count;
use std::ops::Range;

/// How a tensor is cut into blocks along an axis. A line is what lies one behind the other along the axis; it
/// ends with a shorter block where the size of a block does not divide it. The scales are a tensor of the
/// same shape, whose side along the axis is the number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    before: usize,
    along: usize,
    behind: usize,
    size: usize,
}

impl BlockLayout {
    /// Makes the layout of a tensor of this shape with blocks of this size.
    ///
    /// # Errors
    /// If the axis is outside of the shape, the size is 0, or the shape holds more than memory does.
    pub fn new(shape: &[u64], axis: u64, size: u64) -> Result<BlockLayout, String> {
        let at = usize::try_from(axis).ok().filter(|&axis| axis < shape.len());
        let at = at.ok_or_else(|| {
            format!("axis {axis} is outside of the shape {shape:?}: name one of its sides")
        })?;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size == 0 {
            return Err(
                "blocks of size 0 hold nothing: give the number of elements of a block".into()
            );
        }
        element_count(shape)?;
        let [before, along, behind] =
            [&shape[..at], &shape[at..=at], &shape[at + 1..]].map(element_count);
        Ok(BlockLayout { before: before?, along: along?, behind: behind?, size })
    }

    /// Returns how many blocks a line has.
    pub fn blocks(&self) -> usize {
        self.along.div_ceil(self.size)
    }

    /// Returns how many scales the tensor has.
    pub fn scales(&self) -> usize {
        self.before * self.blocks() * self.behind
    }

    /// Returns the place of the scale of an element.
    pub fn scale_of(&self, element: usize) -> usize {
        let (row, column) = (element / self.behind / self.along, element % self.behind);
        let block = element / self.behind % self.along / self.size;
        (row * self.blocks() + block) * self.behind + column
    }

    /// Returns the lines: of each the places of its elements, and the places of its scales.
    pub fn lines(&self) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
        let places = |row: usize, column: usize, range: Range<usize>, side: usize| {
            range.map(|at| (row * side + at) * self.behind + column).collect()
        };
        // An empty tensor may have any number of rows.
        let rows = if self.along == 0 || self.behind == 0 { 0 } else { self.before };
        let lines = (0..rows).flat_map(|row| (0..self.behind).map(move |column| (row, column)));
        lines.map(move |(row, column)| {
            let elements = places(row, column, 0..self.along, self.along);
            (elements, places(row, column, 0..self.blocks(), self.blocks()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_scales_of_its_elements() {
        for (shape, axis) in
            [(&[5][..], 0), (&[2, 5], 1), (&[5, 2], 0), (&[3, 5, 2], 1), (&[0, 5], 1)]
        {
            let layout = BlockLayout::new(shape, axis, 2).expect("an axis");
            let mut elements = vec![];
            let mut scales = vec![];
            for (line, its) in layout.lines() {
                assert_eq!((line.len(), its.len()), (5, 3));
                for (at, &element) in line.iter().enumerate() {
                    assert_eq!(layout.scale_of(element), its[at / 2]);
                }
                elements.extend(line);
                scales.extend(its);
            }
            elements.sort_unstable();
            scales.sort_unstable();
            assert_eq!(elements, (0..shape.iter().product::<u64>() as usize).collect::<Vec<_>>());
            assert_eq!(scales, (0..layout.scales()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_empty_tensor_has_no_lines() {
        for (shape, axis) in [(&[u64::MAX, 0][..], 1), (&[u64::MAX, 2, 0], 1), (&[0, u64::MAX], 1)]
        {
            let layout = BlockLayout::new(shape, axis, 2).expect("an axis");
            assert_eq!(layout.lines().count(), 0, "{shape:?}");
        }
    }

    #[test]
    fn what_is_no_layout_is_refused() {
        let refused = |shape: &[u64], axis, size| BlockLayout::new(shape, axis, size).unwrap_err();
        assert!(refused(&[2, 40], 2, 32).contains("axis 2 is outside of the shape [2, 40]"));
        assert!(refused(&[2, 40], 1, 0).contains("blocks of size 0"));
        assert!(!refused(&[u64::MAX, 3], 1, 32).is_empty());
    }
}
