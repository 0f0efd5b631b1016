//! The codes of a matrix in the order in which they lie, lowest bits first.

use castproof_vectors::{CodeLayout, LayoutForm};

/// Takes the place of the code in each slot of a layout, from the first to the last; `None` is a slot without a code.
type Take<'a> = &'a mut dyn FnMut(Option<usize>);

/// Goes over the slots of a layout that is not made of lines of words.
pub(super) fn each_slot(layout: CodeLayout, rows: usize, columns: usize, take: Take<'_>) {
    use LayoutForm::*;
    let count = rows * columns;
    let matrix = Matrix { rows, columns };
    match layout.form() {
        NibblesLow => {
            (0..count.next_multiple_of(2)).for_each(|it| take((it < count).then_some(it)));
        }
        NibblesHigh => {
            (0..count.next_multiple_of(2))
                .map(|it| it ^ 1)
                .for_each(|it| take((it < count).then_some(it)));
        }
        NibblesLowRows => {
            for row in 0..rows {
                (0..columns.next_multiple_of(2)).for_each(|column| take(matrix.code(row, column)));
            }
        }
        NibblesSplit16 => halves(count, 8, take),
        NibblesSplit32 => halves(count, 16, take),
        Awq => {
            // Even columns fill the lower half of a word, odd ones the upper half.
            for first in (0..count).step_by(8) {
                (0..8).for_each(|slot| take(Some(first + slot % 4 * 2 + slot / 4)));
            }
        }
        Marlin => marlin(layout, matrix, take),
        Float32Mn => {
            for column in 0..columns {
                (0..rows.next_multiple_of(4)).for_each(|row| take(matrix.code(row, column)));
            }
        }
        Ue8m0Mn | Ue8m0MnKernel => {
            for first in (0..columns).step_by(4) {
                for row in 0..rows.next_multiple_of(4) {
                    (first..first + 4).for_each(|column| take(matrix.code(row, column)));
                }
            }
        }
        form => tiles(matrix, tile_rows(form).unwrap_or(8), take),
    }
}

#[derive(Clone, Copy)]
struct Matrix {
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// The place of a code; `None` behind the last row or column.
    fn code(&self, row: usize, column: usize) -> Option<usize> {
        (row < self.rows && column < self.columns).then_some(row * self.columns + column)
    }
}

/// Low and high nibbles are the halves of a block.
fn halves(count: usize, half: usize, take: Take<'_>) {
    for first in (0..count).step_by(2 * half) {
        for low in first..first + half {
            take(Some(low));
            take(Some(low + half));
        }
    }
}

/// Tiles of four columns. One of 128 rows has rows 0, 32, 64 and 96 beside each other; one of 8 has its rows in their order.
fn tiles(matrix: Matrix, rows: usize, take: Take<'_>) {
    let apart = if rows == 128 { 32 } else { rows };
    for top in (0..matrix.rows).step_by(rows) {
        for left in (0..matrix.columns).step_by(4) {
            for first in top..top + apart {
                for row in (first..top + rows).step_by(apart) {
                    (left..left + 4).for_each(|column| take(matrix.code(row, column)));
                }
            }
        }
    }
}

/// Tiles of 16 x 64. Each of 32 threads holds two columns, 8 apart, of each of four groups of 16 columns: of a column the rows 2t,
/// 2t + 1, 2t + 8 and 2t + 9.
fn marlin(layout: CodeLayout, matrix: Matrix, take: Take<'_>) {
    for top in (0..matrix.rows).step_by(16) {
        for left in (0..matrix.columns).step_by(64) {
            for thread in 0..32 {
                for group in 0..4 {
                    let code = |of_column: usize, of_row: usize| {
                        let row = top + thread % 4 * 2 + [0, 1, 8, 9][of_row];
                        matrix.code(row, left + 16 * group + thread / 4 + 8 * of_column)
                    };
                    if layout.bits() == 4 {
                        // Eight codes a word: the even ones, then the odd ones.
                        for odd in [0, 1] {
                            for of_column in [0, 1] {
                                take(code(of_column, odd));
                                take(code(of_column, odd + 2));
                            }
                        }
                    } else {
                        for of_column in [0, 1] {
                            [0, 2, 1, 3]
                                .into_iter()
                                .for_each(|of_row| take(code(of_column, of_row)));
                        }
                    }
                }
            }
        }
    }
}

/// The rows of a tile of scales.
pub(super) fn tile_rows(form: LayoutForm) -> Option<usize> {
    use LayoutForm::*;
    match form {
        Swizzle128x4 | Swizzle128x4Any | Swizzle128x4One => Some(128),
        Swizzle8x4 | Swizzle8x4Any => Some(8),
        _ => None,
    }
}
