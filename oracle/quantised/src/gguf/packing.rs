//! Where the fields of a block that is made lie.

use castproof_vectors::{Bytes, GgufBlocks, GgufType};

/// The bytes of a block, and the bits of each that may be anything.
pub struct Packed {
    kind: GgufType,
    bytes: Vec<u8>,
    open: Vec<u8>,
}

impl Packed {
    /// A block of zeros.
    pub fn new(kind: GgufType) -> Packed {
        let zeros = vec![0; kind.record().bytes];
        Packed { kind, bytes: zeros.clone(), open: zeros }
    }

    /// The block, in which open bits are zeros.
    pub fn into_blocks(self) -> GgufBlocks {
        let Packed { bytes, open, .. } = self;
        let bytes = bytes.iter().zip(&open).map(|(byte, open)| byte & !open).collect();
        let is_open = open.iter().any(|bits| *bits != 0);
        GgufBlocks { blocks: Bytes(bytes), open: is_open.then_some(Bytes(open)) }
    }

    /// A whole byte.
    pub fn byte(&mut self, at: usize, byte: u8) {
        self.bytes[at] = byte;
    }

    /// A code of float16.
    pub fn half(&mut self, at: usize, code: u16) {
        self.bytes[at..at + 2].copy_from_slice(&code.to_le_bytes());
    }

    /// These bits of a byte may be anything.
    pub fn open(&mut self, at: usize, bits: u8) {
        self.open[at] |= bits;
    }

    /// The whole block may be anything.
    pub fn open_all(&mut self) {
        self.open.fill(0xff);
    }

    /// The element at a place of the block; `None`: it may be anything.
    pub fn element(&mut self, place: usize, element: Option<i64>) {
        self.element_at(place, Some(place), element);
    }

    /// The element with its low bits at the place of one element and its fifth bit at that of another, or lost.
    pub fn element_at(&mut self, place: usize, fifth_place: Option<usize>, element: Option<i64>) {
        // Where the nibbles of 2 * half elements begin, and where the fifth bits do.
        let (at, half, fifth) = match self.kind {
            GgufType::Q8_0 => {
                self.bits(2 + place, 0xff, element);
                return;
            }
            GgufType::Q4_1 => (4, 16, None),
            GgufType::Q5_0 => (6, 16, Some(2)),
            GgufType::Q5_1 => (8, 16, Some(4)),
            GgufType::MXFP4 => (1, 16, None),
            GgufType::NVFP4 => (4 + place / 16 * 8, 8, None),
            _ => (2, 16, None),
        };
        let within = place % (2 * half);
        let shift = within / half * 4;
        self.bits(at + within % half, 0x0f << shift, element.map(|it| (it & 15) << shift));
        if let (Some(fifth), Some(place)) = (fifth, fifth_place) {
            let bit = place % 8;
            self.bits(fifth + place / 8, 1 << bit, element.map(|it| (it >> 4) << bit));
        }
    }

    /// The bits of a byte that the mask names.
    fn bits(&mut self, at: usize, mask: u8, bits: Option<i64>) {
        match bits {
            Some(bits) => self.bytes[at] |= bits as u8 & mask,
            None => self.open(at, mask),
        }
    }
}
