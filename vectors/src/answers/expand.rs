//! The result of one code of a shifted piece: integers only, without std and without dependencies.

/// Results that follow the source's significand. With c for the code and d for the distance:
///
/// d = c - origin (or origin - c where `descending`), in the bits of the source's width;
/// q = d >> bits, rounded as `nearest` says; or d << -bits where `bits` is negative;
/// result = base + q (or base - q where `subtract`), in the bits of the target's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shift {
    /// The code from which distances are measured; it need not belong to the piece.
    pub origin: u64,
    /// Do distances grow towards smaller codes?
    pub descending: bool,
    /// Bits to drop, or to append if negative; from -63 to 63.
    pub bits: i32,
    /// Are dropped bits rounded to nearest, a tie to the even result? If not, they are cut off.
    pub nearest: bool,
    /// The result at distance 0.
    pub base: u64,
    /// Do results fall as the distance grows?
    pub subtract: bool,
}

impl Shift {
    /// Returns what is expected of a code. `widths` are the bits of the source and of the target.
    pub const fn expected(&self, code: u64, widths: (u32, u32)) -> u64 {
        let distance = self.distance(code, widths.0);
        if self.bits <= 0 {
            return self.result(distance << -self.bits, widths.1);
        }
        let carry = self.nearest && carries(distance, self.bits as u32, self.base);
        self.result((distance >> self.bits) + carry as u64, widths.1)
    }

    /// Returns the result if the dropped bits are cut off.
    pub const fn truncated(&self, code: u64, widths: (u32, u32)) -> u64 {
        Shift { nearest: false, ..*self }.expected(code, widths)
    }

    /// Returns the result after a first rounding that drops `first` bits, fewer than
    /// [`Shift::bits`].
    pub const fn twice(&self, code: u64, first: u32, widths: (u32, u32)) -> u64 {
        let distance = self.distance(code, widths.0);
        let once = (distance >> first) + carries(distance, first, 0) as u64;
        let rest = self.bits as u32 - first;
        self.result((once >> rest) + carries(once, rest, self.base) as u64, widths.1)
    }

    /// Returns the neighbour that a tie is not rounded to; `None` if the dropped bits are no tie.
    pub const fn across_tie(&self, code: u64, widths: (u32, u32)) -> Option<u64> {
        if self.bits <= 0 {
            return None;
        }
        let distance = self.distance(code, widths.0);
        if distance & ((1 << self.bits) - 1) != 1 << (self.bits - 1) {
            return None;
        }
        let carry = self.nearest && carries(distance, self.bits as u32, self.base);
        Some(self.result((distance >> self.bits) + !carry as u64, widths.1))
    }

    /// Are all dropped bits 0?
    pub const fn is_exact(&self, code: u64, from_bits: u32) -> bool {
        self.bits <= 0 || self.distance(code, from_bits) & ((1 << self.bits) - 1) == 0
    }

    /// How many codes the code is beyond the origin.
    pub const fn distance(&self, code: u64, from_bits: u32) -> u64 {
        let (a, b) = if self.descending { (self.origin, code) } else { (code, self.origin) };
        a.wrapping_sub(b) & (u64::MAX >> (64 - from_bits))
    }

    const fn result(&self, count: u64, to_bits: u32) -> u64 {
        let count = if self.subtract { count.wrapping_neg() } else { count };
        self.base.wrapping_add(count) & (u64::MAX >> (64 - to_bits))
    }
}

/// Does rounding `value` to nearest, dropping its last `bits` bits, add one? A tie goes to the
/// result that is even after `base` is added.
pub const fn carries(value: u64, bits: u32, base: u64) -> bool {
    let (dropped, half) = (value & ((1 << bits) - 1), 1 << (bits - 1));
    let odd = base.wrapping_add(value >> bits) & 1 == 1;
    dropped > half || (dropped == half && odd)
}
