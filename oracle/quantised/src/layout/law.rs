//! The law of each layout: from row and column of a code to its place, as integer arithmetic.

use castproof_vectors::{CodeLayout, LayoutForm, RuleId, rule};

/// Rows and columns of a matrix, and the bits of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub columns: u64,
    /// Bits of a code.
    pub bits: u64,
}

/// What the bits are that hold no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Every byte that holds no code is this one.
    Byte(u8),
    /// Anything.
    Open,
    /// Anything in the words of rows behind the last one, 0 elsewhere. Words of four columns lie column by column.
    OpenRows,
}

/// What is stored for a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The code.
    Code,
    /// A signed integer plus 2^(bits - 1).
    Offset,
    /// The code minus 1, modulo 2^bits.
    Less,
    /// The code minus 1, which is at least 1.
    LessPositive,
    /// The code; then 1 is subtracted from every field by one subtraction from each word, modulo 2^32.
    LessByWord,
}

/// A layout.
#[derive(Clone, Copy)]
pub struct Law {
    /// Rows and columns must be multiples of these.
    pub multiples: [u64; 2],
    /// Are there batches?
    pub has_batches: bool,
    /// The bytes of a matrix.
    pub bytes: fn(Sides) -> u64,
    /// The lowest bit of the code at a row and a column. Bit 0 is the lowest bit of the first byte, bit 8 that of the next one.
    pub place: fn(Sides, u64, u64) -> u64,
    /// What the bits are that hold no code.
    pub rest: Rest,
    /// What is stored.
    pub stored: Stored,
    /// The rule that says so.
    pub rule: RuleId,
}

/// The bytes of rows that begin with a word of 32 bits each.
fn word_rows(rows: u64, codes: u64, bits: u64) -> u64 {
    rows * 4 * words(codes, bits)
}

/// The words that so many codes take.
fn words(codes: u64, bits: u64) -> u64 {
    (codes * bits).div_ceil(32)
}

/// Row r is a stream of its own, `words` words long.
fn along_columns(s: Sides, r: u64, c: u64) -> u64 {
    r * 32 * words(s.columns, s.bits) + c * s.bits
}

/// Column c is a stream of its own. Its words lie `columns` words apart.
fn along_rows(s: Sides, r: u64, c: u64) -> u64 {
    let bit = r * s.bits;
    (bit / 32 * s.columns + c) * 32 + bit % 32
}

/// The place of a bit in the stream of a column, which goes on in the word below.
///
/// A code of 3 bits at row 10 has bits 30 and 31 in one word and bit 0 of the next, which is `columns` words away.
pub fn bit_place(layout: CodeLayout, s: Sides, (r, c): (u64, u64), bit: u64) -> u64 {
    match layout.form() {
        LayoutForm::Gptq | LayoutForm::CompressedTensorsZeros => {
            let bit = r * s.bits + bit;
            (bit / 32 * s.columns + c) * 32 + bit % 32
        }
        _ => (law(layout).place)(s, r, c) + bit,
    }
}

/// Slot p of a word holds column 8w + o[p]; these are the slots of columns 8w + 0, 1, 2, ...
const AWQ_SLOTS: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// The code that stands in slot n of a tile of Marlin: its row and column in the tile.
pub fn marlin_slot(bits: u64, n: u64) -> (u64, u64) {
    let n = match bits {
        4 => 8 * (n / 8) + [0, 2, 4, 6, 1, 3, 5, 7][(n % 8) as usize],
        _ => 4 * (n / 4) + [0, 2, 1, 3][(n % 4) as usize],
    };
    let (i, j, b, r) = (n / 32, n % 32 / 8, n % 8 / 4, n % 4);
    (2 * (i % 4) + r % 2 + 8 * (r / 2), 16 * j + i / 4 + 8 * b)
}

/// Tiles of 16 x 64 codes, row of tiles by row of tiles. The inverse of [`marlin_slot`], which a test holds to it.
fn marlin(s: Sides, r: u64, c: u64) -> u64 {
    let tile = r / 16 * (s.columns / 64) + c / 64;
    let (r, c) = (r % 16, c % 64);
    let of_row = r % 2 + 2 * (r / 8);
    let n = 32 * (c % 8 * 4 + r % 8 / 2) + 8 * (c / 16) + 4 * (c % 16 / 8) + of_row;
    let slot = match s.bits {
        4 => 8 * (n / 8) + AWQ_SLOTS[(n % 8) as usize],
        _ => 4 * (n / 4) + [0, 2, 1, 3][(n % 4) as usize],
    };
    (tile * 1024 + slot) * s.bits
}

fn swizzle_128x4(s: Sides, r: u64, c: u64) -> u64 {
    8 * ((r / 128 * s.columns.div_ceil(4) + c / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + c % 4)
}

fn swizzle_8x4(s: Sides, r: u64, c: u64) -> u64 {
    8 * ((r / 8 * s.columns.div_ceil(4) + c / 4) * 32 + r % 8 * 4 + c % 4)
}

/// Rows rounded up to 16 bytes of words.
pub(super) fn aligned(rows: u64) -> u64 {
    4 * rows.div_ceil(4)
}

/// The law of a layout.
pub fn law(layout: CodeLayout) -> Law {
    use LayoutForm::*;
    let plain = Law {
        multiples: [1, 1],
        has_batches: false,
        bytes: |s| (s.rows * s.columns).div_ceil(2),
        place: |s, r, c| 4 * (r * s.columns + c),
        rest: Rest::Open,
        stored: Stored::Code,
        rule: rule::LY_01,
    };
    match layout.form() {
        NibblesLow => plain,
        NibblesLowRows => Law {
            bytes: |s| s.rows * s.columns.div_ceil(2),
            place: |s, r, c| r * 8 * s.columns.div_ceil(2) + 4 * c,
            ..plain
        },
        NibblesHigh => Law {
            place: |s, r, c| {
                let i = r * s.columns + c;
                i / 2 * 8 + 4 * (1 - i % 2)
            },
            ..plain
        },
        NibblesSplit16 => split(plain, [1, 16], |s, r, c| {
            let i = r * s.columns + c;
            i / 16 * 64 + i % 8 * 8 + i % 16 / 8 * 4
        }),
        NibblesSplit32 => split(plain, [1, 32], |s, r, c| {
            let i = r * s.columns + c;
            i / 32 * 128 + i % 16 * 8 + i % 32 / 16 * 4
        }),
        Awq => Law {
            multiples: [1, 8],
            place: |s, r, c| 32 * (r * s.columns / 8 + c / 8) + 4 * AWQ_SLOTS[(c % 8) as usize],
            rule: rule::LY_04,
            ..plain
        },
        Marlin => Law {
            multiples: [16, 64],
            bytes: |s| s.rows * s.columns * s.bits / 8,
            place: marlin,
            rule: rule::LY_09,
            ..plain
        },
        CompressedTensors
        | CompressedTensorsZeros
        | Gptq
        | GptqZerosV2
        | GptqZerosV1
        | GptqZerosV1Word
        | GptqZerosV1Field => of_words(layout, plain),
        _ => of_scales(layout, plain),
    }
}

fn split(plain: Law, multiples: [u64; 2], place: fn(Sides, u64, u64) -> u64) -> Law {
    Law { multiples, place, ..plain }
}

/// Layouts that fill words of 32 bits as a stream.
fn of_words(layout: CodeLayout, plain: Law) -> Law {
    use LayoutForm::*;
    // As many codes as fill whole words: 16 of 2 bits, 32 of 3, 8 of 4, 4 of 8.
    let whole = if layout.bits() == 3 { 32 } else { 32 / u64::from(layout.bits()) };
    let columns = Law {
        bytes: |s| word_rows(s.rows, s.columns, s.bits),
        place: along_columns,
        rest: Rest::Byte(0),
        ..plain
    };
    let rows =
        Law { bytes: |s| word_rows(s.columns, s.rows, s.bits), place: along_rows, ..columns };
    let zeros = Law { multiples: [1, whole], rule: rule::LY_05, ..columns };
    match layout.form() {
        CompressedTensors => Law { stored: Stored::Offset, rule: rule::LY_02, ..columns },
        CompressedTensorsZeros => Law { stored: Stored::Offset, rule: rule::LY_03, ..rows },
        Gptq => Law { multiples: [whole, 1], rule: rule::LY_03, ..rows },
        GptqZerosV2 => Law { rule: rule::LY_03, ..zeros },
        GptqZerosV1 => Law { stored: Stored::LessPositive, ..zeros },
        GptqZerosV1Word => Law { stored: Stored::LessByWord, ..zeros },
        _ => Law { stored: Stored::Less, ..zeros },
    }
}

/// Layouts of scales.
fn of_scales(layout: CodeLayout, plain: Law) -> Law {
    use LayoutForm::*;
    let of_128x4 = Law {
        has_batches: true,
        bytes: |s| 512 * s.rows.div_ceil(128) * s.columns.div_ceil(4),
        place: swizzle_128x4,
        rest: Rest::Byte(0),
        rule: rule::LY_06,
        ..plain
    };
    let of_8x4 = Law {
        has_batches: false,
        bytes: |s| 32 * s.rows.div_ceil(8) * s.columns.div_ceil(4),
        place: swizzle_8x4,
        rule: rule::LY_07,
        ..of_128x4
    };
    let mn = Law {
        has_batches: false,
        bytes: |s| 4 * s.columns.div_ceil(4) * aligned(s.rows),
        place: |s, r, c| 8 * ((c / 4 * aligned(s.rows) + r) * 4 + c % 4),
        rule: rule::LY_08,
        ..of_128x4
    };
    match layout.form() {
        Swizzle128x4 => of_128x4,
        Swizzle128x4Any => Law { rest: Rest::Open, ..of_128x4 },
        Swizzle128x4One => Law { rest: Rest::Byte(0x7f), ..of_128x4 },
        Swizzle8x4 => of_8x4,
        Swizzle8x4Any => Law { rest: Rest::Open, ..of_8x4 },
        Ue8m0Mn => mn,
        Ue8m0MnKernel => Law { rest: Rest::OpenRows, ..mn },
        _ => Law {
            bytes: |s| 4 * s.columns * aligned(s.rows),
            place: |s, r, c| 32 * (c * aligned(s.rows) + r),
            rest: Rest::Open,
            ..mn
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_of_a_tile_of_marlin_has_its_slot() {
        for bits in [4, 8] {
            let sides = Sides { rows: 16, columns: 64, bits };
            for n in 0..1024 {
                let (r, c) = marlin_slot(bits, n);
                assert_eq!(marlin(sides, r, c), n * bits, "{bits} {n}");
            }
        }
    }
}
