//! A wrong layout: what it makes of codes, and which codes it takes out of bytes.

use castproof_quantised::layout::{Rest, Sides, Stored, bit_place, law};
use castproof_vectors::{CodeLayout, LaidOut};

/// A code by its row and column, and a bit of it.
pub(super) type Bit = (u64, u64, u64);

/// Where the matrices of a batch begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Batch {
    /// Each behind the padding of the one before.
    Padded,
    /// Where they would begin without padding.
    Unpadded,
    /// They are one matrix of all rows.
    Rows,
}

/// What is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// What the specification of a layout says.
    As(Stored),
    /// The code plus 1.
    More,
    /// The code minus 1, but 0 stays 0.
    LessOrZero,
    /// The code minus 1 with all bits above it, so that 0 sets them to the end of the word.
    LessUncut,
}

/// What stands where no code does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    /// A byte.
    Byte(u8),
    /// The code of the last row and column before it, up to these multiples.
    Edge(u64, u64),
    /// What is stored for 0, up to the end of the last word of a row.
    ZeroInRow,
    /// The same of a column.
    ZeroInColumn,
}

/// A layout with a fault.
pub(super) struct Wrong {
    pub(super) multiples: [u64; 2],
    pub(super) bits: u64,
    pub(super) bytes: Box<dyn Fn(Sides) -> u64 + Send + Sync>,
    pub(super) place: Box<dyn Fn(Sides, Bit) -> u64 + Send + Sync>,
    /// Which of the codes that are given stands at a row and a column.
    pub(super) code: fn(Sides, u64, u64) -> u64,
    pub(super) fill: Fill,
    pub(super) kept: Kept,
    pub(super) batch: Batch,
    /// Does it take codes out as it is right?
    pub(super) packs_only: bool,
}

impl Wrong {
    /// The layout as it is right.
    pub(super) fn right(layout: CodeLayout) -> Wrong {
        let law = law(layout);
        let rest = if let Rest::Byte(rest) = law.rest { rest } else { 0 };
        Wrong {
            multiples: law.multiples,
            bits: layout.bits().into(),
            bytes: Box::new(law.bytes),
            place: Box::new(move |s, (r, c, bit)| bit_place(layout, s, (r, c), bit)),
            code: |s, r, c| r * s.columns + c,
            fill: Fill::Byte(rest),
            kept: Kept::As(law.stored),
            batch: Batch::Padded,
            packs_only: false,
        }
    }

    /// The number of matrices, and the sides of each; `None` if it does not take them.
    fn sides(&self, ask: &LaidOut) -> Option<(u64, Sides)> {
        let [batch, rows, columns] = ask.sides().ok()?;
        let (batch, rows) =
            if self.batch == Batch::Rows { (1, batch * rows) } else { (batch, rows) };
        let is_whole = rows % self.multiples[0] == 0 && columns % self.multiples[1] == 0;
        is_whole.then_some((batch, Sides { rows, columns, bits: self.bits }))
    }

    /// The first byte of each matrix, and the bytes of all.
    fn starts(&self, batch: u64, s: Sides) -> (Vec<u64>, u64) {
        let bytes = (self.bytes)(s);
        let step = match self.batch {
            Batch::Unpadded => s.rows * s.columns * s.bits / 8,
            _ => bytes,
        };
        ((0..batch).map(|matrix| matrix * step).collect(), step * (batch - 1) + bytes)
    }

    /// The bytes that it makes; `None` if it takes no such shape.
    pub(super) fn pack(&self, ask: &LaidOut) -> Option<Vec<u8>> {
        let (batch, s) = self.sides(ask)?;
        let codes = ask.codes().ok()?;
        let (starts, size) = self.starts(batch, s);
        let (mut bytes, mut taken) = (vec![0u8; size as usize], vec![0u8; size as usize]);
        for (start, codes) in starts.iter().zip(codes.chunks((s.rows * s.columns) as usize)) {
            let (rows, columns) = self.filled(s);
            for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                let stored = match (r < s.rows && c < s.columns, self.fill) {
                    (true, _) => self.stored(*codes.get((self.code)(s, r, c) as usize)?),
                    (false, Fill::Edge(..)) => {
                        let (r, c) = (r.min(s.rows - 1), c.min(s.columns - 1));
                        self.stored(codes[(r * s.columns + c) as usize])
                    }
                    (false, _) => self.stored(0),
                };
                let first = (self.place)(s, (r, c, 0));
                let uncut = self.kept == Kept::LessUncut && stored >> s.bits != 0;
                let most = if uncut { 32 - first % 32 } else { s.bits };
                for bit in 0..most {
                    let place = if uncut { first + bit } else { (self.place)(s, (r, c, bit)) };
                    let (byte, mask) = ((start + place / 8) as usize, 1 << (place % 8));
                    if stored >> bit & 1 == 1 {
                        *bytes.get_mut(byte)? |= mask;
                    } else if !matches!(self.kept, Kept::LessUncut) {
                        *bytes.get_mut(byte)? &= !mask;
                    }
                    taken[byte] |= mask;
                }
            }
        }
        if let Fill::Byte(rest) = self.fill {
            bytes.iter_mut().zip(&taken).for_each(|(byte, taken)| *byte |= rest & !taken);
        }
        if self.kept == Kept::As(Stored::LessByWord) {
            change_words(&mut bytes, self.bits, u32::wrapping_sub);
        }
        Some(bytes)
    }

    /// Rows and columns that are written.
    fn filled(&self, s: Sides) -> (u64, u64) {
        let whole = |codes: u64| (codes * s.bits).next_multiple_of(32) / s.bits;
        match self.fill {
            Fill::Byte(_) => (s.rows, s.columns),
            Fill::Edge(r, c) => (s.rows.next_multiple_of(r), s.columns.next_multiple_of(c)),
            Fill::ZeroInRow => (s.rows, whole(s.columns)),
            Fill::ZeroInColumn => (whole(s.rows), s.columns),
        }
    }

    /// The codes that it takes out, each in its width; `None` if it takes no such shape, or reads behind the last byte.
    pub(super) fn unpack(&self, ask: &LaidOut) -> Option<Vec<u8>> {
        let (batch, s) = self.sides(ask)?;
        let (starts, _) = self.starts(batch, s);
        let mut bytes = ask.input.0.clone();
        if self.kept == Kept::As(Stored::LessByWord) {
            change_words(&mut bytes, self.bits, u32::wrapping_add);
        }
        let of_one = (s.rows * s.columns) as usize;
        let mut codes = vec![0; of_one * batch as usize];
        for (start, codes) in starts.iter().zip(codes.chunks_mut(of_one)) {
            for (r, c) in (0..s.rows).flat_map(|r| (0..s.columns).map(move |c| (r, c))) {
                let mut stored = 0;
                for bit in 0..s.bits {
                    let place = (self.place)(s, (r, c, bit));
                    let byte = bytes.get((start + place / 8) as usize)?;
                    stored |= u64::from(byte >> (place % 8) & 1) << bit;
                }
                *codes.get_mut((self.code)(s, r, c) as usize)? = self.restored(stored);
            }
        }
        let width = ask.layout.width();
        Some(codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(width)).collect())
    }

    fn stored(&self, code: u64) -> u64 {
        let mask = (1 << self.bits) - 1;
        match self.kept {
            Kept::As(Stored::Code | Stored::LessByWord) => code,
            Kept::As(Stored::Offset) => code ^ (1 << (self.bits - 1)),
            Kept::As(Stored::Less | Stored::LessPositive) => code.wrapping_sub(1) & mask,
            Kept::More => (code + 1) & mask,
            Kept::LessOrZero => code.saturating_sub(1),
            Kept::LessUncut => code.wrapping_sub(1),
        }
    }

    fn restored(&self, stored: u64) -> u64 {
        let mask = (1 << self.bits) - 1;
        match self.kept {
            Kept::As(Stored::Code | Stored::LessByWord) => stored,
            Kept::As(Stored::Offset) => stored ^ (1 << (self.bits - 1)),
            Kept::As(Stored::Less | Stored::LessPositive) => (stored + 1) & mask,
            Kept::More => stored.wrapping_sub(1) & mask,
            Kept::LessOrZero => (stored + 1).min(mask),
            Kept::LessUncut => stored + 1,
        }
    }
}

/// Changes each word by the one that has a 1 in each field.
fn change_words(bytes: &mut [u8], bits: u64, change: fn(u32, u32) -> u32) {
    let ones = u32::MAX / ((1 << bits) - 1);
    for word in bytes.chunks_exact_mut(4) {
        let read = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        word.copy_from_slice(&change(read, ones).to_le_bytes());
    }
}
