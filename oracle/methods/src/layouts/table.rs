//! The wrong layouts that are known, for each layout.

use super::wrong::{Batch, Bit, Fill, Kept, Wrong};
use castproof_quantised::layout::{Rest, Sides, Stored, law};
use castproof_vectors::{CodeLayout, LayoutForm};

/// A wrong layout with its words.
pub(super) type Row = (String, Wrong);

/// What kinds of faults a layout can have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Nibbles,
    Words,
    Marlin,
    Tiles(u64),
    Columns,
}

fn family(layout: CodeLayout) -> Family {
    use LayoutForm::*;
    match layout.form() {
        NibblesLow | NibblesLowRows | NibblesHigh | NibblesSplit16 | NibblesSplit32 => {
            Family::Nibbles
        }
        Marlin => Family::Marlin,
        Swizzle128x4 | Swizzle128x4Any | Swizzle128x4One => Family::Tiles(128),
        Swizzle8x4 | Swizzle8x4Any => Family::Tiles(8),
        Ue8m0Mn | Ue8m0MnKernel | Float32Mn => Family::Columns,
        _ => Family::Words,
    }
}

/// The wrong layouts of a layout.
pub(super) fn rows(layout: CodeLayout) -> Vec<Row> {
    let mut rows = others(layout);
    rows.extend(of_bits(layout));
    rows.extend(of_axes(layout));
    match family(layout) {
        Family::Nibbles => {}
        Family::Words => rows.extend(of_words(layout)),
        Family::Marlin => rows.extend(of_marlin(layout)),
        Family::Tiles(tile) => {
            rows.extend(of_padding(layout, [tile, 4]));
            rows.extend(of_scales(layout));
            rows.extend(of_tiles(layout, tile));
        }
        Family::Columns => {
            rows.extend(of_padding(layout, [4, if layout.bits() == 8 { 4 } else { 1 }]));
            rows.extend(of_scales(layout));
            rows.extend(of_columns(layout));
        }
    }
    rows
}

fn row(words: &str, wrong: Wrong) -> Row {
    (words.into(), wrong)
}

/// The layout that puts codes where this one does: two differ in their padding alone, or in what they have for a zero point 0.
fn base(form: LayoutForm) -> LayoutForm {
    use LayoutForm::*;
    match form {
        Swizzle128x4Any | Swizzle128x4One => Swizzle128x4,
        Swizzle8x4Any => Swizzle8x4,
        Ue8m0MnKernel => Ue8m0Mn,
        GptqZerosV1 => GptqZerosV1Field,
        form => form,
    }
}

/// Layouts that are taken for each other: of nibbles in bytes, of words, of scales.
fn kin(layout: CodeLayout) -> u8 {
    match family(layout) {
        Family::Nibbles => 0,
        Family::Words | Family::Marlin => 1,
        Family::Tiles(_) | Family::Columns => 2,
    }
}

/// Each other layout of its kind with codes of as many bits. Left out are those that are the same wherever the layout is asked.
fn others(layout: CodeLayout) -> Vec<Row> {
    use LayoutForm::*;
    let form = layout.form();
    let has_zeros = matches!(form, GptqZerosV2 | GptqZerosV1 | GptqZerosV1Word | GptqZerosV1Field);
    let is_said = |other: LayoutForm| match other {
        // Its nibbles are those of the other one, swapped.
        NibblesLow => form != NibblesHigh,
        NibblesHigh => form != NibblesLow,
        // The same as nibbles-low where a row is whole bytes.
        NibblesLowRows => matches!(form, NibblesLow | NibblesHigh),
        GptqZerosV1Word => has_zeros && form != GptqZerosV1,
        GptqZerosV1Field => has_zeros && base(form) != other,
        _ => base(other) == other && base(form) != other,
    };
    let others = CodeLayout::ALL.into_iter().filter(|it| {
        let is_kin = it.bits() == layout.bits() && kin(*it) == kin(layout);
        is_kin && *it != layout && is_said(it.form())
    });
    others.map(|it| (format!("the codes lie as {it} has them"), Wrong::right(it))).collect()
}

/// Bits and bytes in another order.
fn of_bits(layout: CodeLayout) -> Vec<Row> {
    let bits = u64::from(layout.bits());
    let moved = |change: fn(u64) -> u64| {
        let Wrong { place, .. } = Wrong::right(layout);
        Wrong { place: Box::new(move |s, bit| change(place(s, bit))), ..Wrong::right(layout) }
    };
    // The highest bit of a code lies where its lowest one lay, and all bits of the word or byte turn around.
    let turned = |last: u64| {
        let Wrong { place, .. } = Wrong::right(layout);
        let place = move |s, (r, c, bit)| place(s, (r, c, bits - 1 - bit)) ^ last;
        Wrong { place: Box::new(place), ..Wrong::right(layout) }
    };
    let mut rows = Vec::new();
    match bits {
        4 => rows.push(row("the two nibbles of each byte are swapped", turned(7))),
        1..8 => rows.push(row("each byte is filled from its highest bit down", turned(7))),
        _ => {}
    }
    let has_words =
        family(layout) != Family::Nibbles && !matches!(family(layout), Family::Tiles(_));
    if has_words {
        rows.push(row(
            "the bytes of each word of 32 bits lie the highest first",
            moved(|it| it ^ 24),
        ));
        rows.push(row("the halves of each word of 32 bits are swapped", moved(|it| it ^ 16)));
        if bits < 8 {
            rows.push(row("each word of 32 bits is filled from its highest bit down", turned(31)));
        }
    }
    rows
}

/// Rows and columns taken for each other.
fn of_axes(layout: CodeLayout) -> Vec<Row> {
    let right = || Wrong::right(layout);
    let turned = |s: Sides| Sides { rows: s.columns, columns: s.rows, bits: s.bits };
    let (Wrong { place, .. }, Wrong { bytes, multiples: [r, c], .. }) = (right(), right());
    vec![
        row(
            "the codes are read column by column",
            Wrong { code: |s, r, c| c * s.rows + r, ..right() },
        ),
        row(
            "rows and columns change their places",
            Wrong {
                multiples: [c, r],
                bytes: Box::new(move |s| bytes(turned(s))),
                place: Box::new(move |s, (r, c, bit)| place(turned(s), (c, r, bit))),
                ..right()
            },
        ),
    ]
}

fn of_padding(layout: CodeLayout, [r, c]: [u64; 2]) -> Vec<Row> {
    let due = law(layout).rest;
    let fill = |fill| Wrong { fill, packs_only: true, ..Wrong::right(layout) };
    let mut rows = Vec::new();
    if matches!(due, Rest::Open) {
        return rows;
    }
    for byte in [0x00, 0x01, 0x7f, 0x80, 0xff].into_iter().filter(|it| due != Rest::Byte(*it)) {
        rows.push((format!("the padding is {byte:02x}"), fill(Fill::Byte(byte))));
    }
    rows.retain(|(words, _)| due != Rest::OpenRows || !words.ends_with(" 00"));
    rows.push(row("the padding repeats the last row and column", fill(Fill::Edge(r, c))));
    rows
}

/// Scales that lie in no tiles.
fn of_scales(layout: CodeLayout) -> Vec<Row> {
    let (right, bits) = (|| Wrong::right(layout), u64::from(layout.bits()));
    let Wrong { bytes, .. } = right();
    let mut rows = vec![
        row(
            "the codes lie row by row, without padding",
            Wrong {
                bytes: Box::new(move |s| s.rows * s.columns * bits / 8),
                place: Box::new(move |s, (r, c, bit)| (r * s.columns + c) * bits + bit),
                ..right()
            },
        ),
        row(
            "the codes lie column by column, without padding",
            Wrong {
                bytes: Box::new(move |s| s.rows * s.columns * bits / 8),
                place: Box::new(move |s, (r, c, bit)| (c * s.rows + r) * bits + bit),
                ..right()
            },
        ),
    ];
    // Those of float32 are columns taken for rows.
    if bits < 32 {
        rows.push(row(
            "the codes lie row by row, each row padded to a multiple of four",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    (r * s.columns.next_multiple_of(4) + c) * bits + bit
                }),
                bytes: Box::new(move |s| {
                    bytes(s).max(s.rows * s.columns.next_multiple_of(4) * bits / 8)
                }),
                ..right()
            },
        ));
    }
    rows
}

/// Bytes of a tile by its number, and of a place in it.
fn in_tile(number: u64, tile: u64, place: u64, bit: u64) -> u64 {
    8 * (number * 4 * tile + place) + bit
}

fn of_tiles(layout: CodeLayout, tile: u64) -> Vec<Row> {
    let right = || Wrong::right(layout);
    let (Wrong { place, .. }, Wrong { place: of_last, .. }, Wrong { place: of_first, .. }) =
        (right(), right(), right());
    // The place in a tile.
    let inside = move |r: u64, c: u64| match tile {
        128 => r % 32 * 16 + r % 128 / 32 * 4 + c % 4,
        _ => r % 8 * 4 + c % 4,
    };
    let across = move |s: Sides| s.columns.div_ceil(4);
    let mut rows = vec![
        row(
            "the tiles lie column of tiles by column of tiles",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    in_tile(c / 4 * s.rows.div_ceil(tile) + r / tile, tile, inside(r, c), bit)
                }),
                ..right()
            },
        ),
        row(
            "a row of tiles is as long as its whole tiles",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    in_tile(r / tile * (s.columns / 4).max(1) + c / 4, tile, inside(r, c), bit)
                }),
                ..right()
            },
        ),
        row(
            "columns of a tile lie one after the other",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    in_tile(r / tile * across(s) + c / 4, tile, c % 4 * tile + r % tile, bit)
                }),
                ..right()
            },
        ),
        row(
            "all tiles lie on the first one",
            Wrong { place: Box::new(move |s, bit| of_first(s, bit) % (32 * tile)), ..right() },
        ),
        row(
            "the bytes end with the last code, without the padding behind it",
            Wrong {
                bytes: Box::new(move |s| last_byte(&of_last, s) + 1),
                place,
                packs_only: true,
                ..right()
            },
        ),
    ];
    if tile == 128 {
        rows.extend(of_large_tiles(layout));
    }
    rows
}

/// What happens to tiles of 128 x 4 alone, which also come in batches.
fn of_large_tiles(layout: CodeLayout) -> Vec<Row> {
    let right = || Wrong::right(layout);
    let across = |s: Sides| s.columns.div_ceil(4);
    let of_rows = move |rows: u64| {
        Box::new(move |s: Sides, (r, c, bit): Bit| {
            in_tile(r / rows * across(s) + c / 4, rows, r % rows * 4 + c % 4, bit)
        })
    };
    vec![
        row(
            "rows of a tile of 128 x 4 lie one after the other",
            Wrong { place: of_rows(128), ..right() },
        ),
        row(
            "the tiles have 32 rows",
            Wrong {
                bytes: Box::new(move |s| 128 * s.rows.div_ceil(32) * across(s)),
                place: of_rows(32),
                ..right()
            },
        ),
        row(
            "each matrix of a batch begins where it would without padding",
            Wrong { batch: Batch::Unpadded, ..right() },
        ),
        row("a batch is taken for one matrix of all rows", Wrong { batch: Batch::Rows, ..right() }),
    ]
}

/// The last byte that holds a code.
fn last_byte(place: &dyn Fn(Sides, Bit) -> u64, s: Sides) -> u64 {
    let codes = (0..s.rows).flat_map(|r| (0..s.columns).map(move |c| (r, c, 0)));
    codes.map(|code| place(s, code) / 8).max().unwrap_or(0)
}

fn of_columns(layout: CodeLayout) -> Vec<Row> {
    let bits = u64::from(layout.bits());
    let per_word = 32 / bits;
    let aligned = |words: &str, to: u64| {
        row(
            words,
            Wrong {
                bytes: Box::new(move |s| {
                    4 * s.columns.div_ceil(per_word) * s.rows.next_multiple_of(to)
                }),
                place: Box::new(move |s, (r, c, bit)| {
                    32 * (c / per_word * s.rows.next_multiple_of(to) + r)
                        + c % per_word * bits
                        + bit
                }),
                ..Wrong::right(layout)
            },
        )
    };
    let mut rows = vec![aligned("a column has a multiple of 16 words", 16)];
    // Columns of float32 without padding are named above.
    if bits < 32 {
        rows.push(aligned("a column has as many words as there are rows", 1));
    }
    rows
}

/// Streams of words.
fn of_words(layout: CodeLayout) -> Vec<Row> {
    use LayoutForm::*;
    let bits = u64::from(layout.bits());
    let right = || Wrong::right(layout);
    let stored = |kept| Wrong { kept, ..right() };
    let mut rows = Vec::new();
    if 32 % bits != 0 {
        rows.push(row("no code goes on in the next word", uncrossed(layout)));
    }
    match layout.form() {
        CompressedTensors | CompressedTensorsZeros => {
            let fill = match layout.form() {
                CompressedTensors => Fill::ZeroInRow,
                _ => Fill::ZeroInColumn,
            };
            rows.push(row("2^(bits - 1) is not added", stored(Kept::As(Stored::Code))));
            rows.push(row(
                "2^(bits - 1) is added to the padding too",
                Wrong { fill, packs_only: true, ..right() },
            ));
            if layout.form() == CompressedTensors {
                rows.push(row(
                    "a row goes on in the word in which the one before it ends",
                    Wrong {
                        bytes: Box::new(|s| 4 * (s.rows * s.columns * s.bits).div_ceil(32)),
                        place: Box::new(|s, (r, c, bit)| (r * s.columns + c) * s.bits + bit),
                        ..right()
                    },
                ));
            }
        }
        GptqZerosV1 | GptqZerosV1Word | GptqZerosV1Field => {
            rows.push(row("z + 1 is stored for z - 1", stored(Kept::More)));
            if layout.form() != GptqZerosV1 {
                rows.push(row("0 is stored for the zero point 0", stored(Kept::LessOrZero)));
                rows.push(row(
                    "z - 1 is not cut to its bits: -1 sets those above it too",
                    // A code of 8 bits that is taken out fills its byte, which cuts it.
                    Wrong { packs_only: bits == 8, ..stored(Kept::LessUncut) },
                ));
            }
        }
        Awq => rows.extend(of_awq(layout)),
        _ => {}
    }
    rows
}

/// As many whole codes a word as there is room for.
fn uncrossed(layout: CodeLayout) -> Wrong {
    use LayoutForm::*;
    let bits = u64::from(layout.bits());
    let per_word = 32 / bits;
    let is_down = matches!(layout.form(), Gptq | CompressedTensorsZeros);
    Wrong {
        bytes: Box::new(move |s| {
            let (lines, codes) = if is_down { (s.columns, s.rows) } else { (s.rows, s.columns) };
            4 * lines * codes.div_ceil(per_word)
        }),
        place: Box::new(move |s, (r, c, bit)| {
            let (word, place) = match is_down {
                true => (r / per_word * s.columns + c, r % per_word),
                false => (r * s.columns.div_ceil(per_word) + c / per_word, c % per_word),
            };
            32 * word + place * bits + bit
        }),
        ..Wrong::right(layout)
    }
}

fn of_awq(layout: CodeLayout) -> Vec<Row> {
    const ORDER: [u64; 8] = [0, 2, 4, 6, 1, 3, 5, 7];
    const SLOTS: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];
    vec![
        row(
            "the order 0 2 4 6 1 3 5 7 is taken the other way round",
            Wrong {
                place: Box::new(|s, (r, c, bit)| {
                    32 * (r * s.columns / 8 + c / 8) + 4 * ORDER[(c % 8) as usize] + bit
                }),
                ..Wrong::right(layout)
            },
        ),
        row(
            "the codes are packed along the rows",
            Wrong {
                multiples: [8, 1],
                place: Box::new(|s, (r, c, bit)| {
                    32 * (r / 8 * s.columns + c) + 4 * SLOTS[(r % 8) as usize] + bit
                }),
                ..Wrong::right(layout)
            },
        ),
    ]
}

fn of_marlin(layout: CodeLayout) -> Vec<Row> {
    let right = || Wrong::right(layout);
    let bits = u64::from(layout.bits());
    let tile = |s: Sides, r: u64, c: u64| r / 16 * (s.columns / 64) + c / 64;
    let Wrong { place, .. } = right();
    let mut rows = vec![
        row(
            "the order of the codes of a word is not changed",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    (tile(s, r, c) * 1024 + marlin_plain(r, c)) * bits + bit
                }),
                ..right()
            },
        ),
        row(
            "the tiles lie column of tiles by column of tiles",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    let of_one = Sides { rows: 16, columns: 64, ..s };
                    let number = c / 64 * (s.rows / 16) + r / 16;
                    number * 1024 * bits + place(of_one, (r % 16, c % 64, bit))
                }),
                ..right()
            },
        ),
        row(
            "the codes of a tile lie row by row",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    (tile(s, r, c) * 1024 + r % 16 * 64 + c % 64) * bits + bit
                }),
                ..right()
            },
        ),
        row(
            "the tiles are not permuted: 16 x 16 codes row by row",
            Wrong {
                place: Box::new(move |s, (r, c, bit)| {
                    let number = r / 16 * (s.columns / 16) + c / 16;
                    (number * 256 + r % 16 * 16 + c % 16) * bits + bit
                }),
                ..right()
            },
        ),
    ];
    if bits == 4 {
        rows.push(marlin_turned(layout));
    }
    rows
}

/// The order of the codes of a word taken the other way round; that of 8 bits is its own inverse.
fn marlin_turned(layout: CodeLayout) -> Row {
    let place = |s: Sides, (r, c, bit): Bit| {
        let (tile, n) = (r / 16 * (s.columns / 64) + c / 64, marlin_plain(r, c));
        let slot = n / 8 * 8 + [0, 2, 4, 6, 1, 3, 5, 7][(n % 8) as usize];
        (tile * 1024 + slot) * 4 + bit
    };
    row(
        "the order 0 2 4 6 1 3 5 7 is taken the other way round",
        Wrong { place: Box::new(place), ..Wrong::right(layout) },
    )
}

/// The slot of a code in its tile of Marlin, before the order of neighbours is changed.
fn marlin_plain(r: u64, c: u64) -> u64 {
    let (r, c) = (r % 16, c % 64);
    32 * (c % 8 * 4 + r % 8 / 2) + 8 * (c / 16) + 4 * (c % 16 / 8) + r % 2 + 2 * (r / 8)
}
