//! Questions about layouts: the codes of a matrix that become bytes, and bytes that become codes.

use crate::{Bytes, CodeLayout, element_count};
use serde::{Deserialize, Serialize};

/// A matrix, or a batch of matrices, in a layout.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LaidOut {
    /// How the codes lie in the bytes.
    pub layout: CodeLayout,
    /// Rows and columns of the codes, and how many matrices before them if it is a batch.
    pub shape: Vec<u64>,
    /// Codes that are packed: row by row, each in as many whole bytes as it needs, little-endian. Or the bytes that are unpacked.
    pub input: Bytes,
}

impl LaidOut {
    /// Returns how many matrices there are, and their rows and columns.
    ///
    /// # Errors
    /// If the shape is not one of matrices, or a side is 0.
    pub fn sides(&self) -> Result<[u64; 3], String> {
        let sides = match self.shape[..] {
            [rows, columns] => [1, rows, columns],
            [batch, rows, columns] => [batch, rows, columns],
            _ => [0, 0, 0],
        };
        if sides.contains(&0) || element_count(&self.shape)? > MOST_CODES {
            return Err(format!(
                "shape {:?} is not one of matrices: give rows and columns of at least 1, before them the number of matrices if they are several, {MOST_CODES} codes at most",
                self.shape
            ));
        }
        Ok(sides)
    }

    /// Returns how many codes there are; 0 if the shape is not one of matrices.
    pub fn count(&self) -> usize {
        self.sides().and_then(|sides| element_count(&sides)).unwrap_or(0)
    }

    /// Returns the codes that are packed.
    ///
    /// # Errors
    /// If there are not as many as the shape says, or one has more bits than the layout.
    pub fn codes(&self) -> Result<Vec<u64>, String> {
        let (layout, width) = (self.layout, self.layout.width());
        self.sides()?;
        let (count, bytes) = (self.count(), self.input.0.len());
        if bytes != count * width {
            return Err(format!(
                "{bytes} bytes of codes, not {}: the shape {:?} has {count} codes of {width} bytes",
                count * width,
                self.shape
            ));
        }
        let codes: Vec<u64> = codes_of(layout, &self.input.0);
        match codes.iter().find(|code| **code >> layout.bits() != 0) {
            Some(code) => Err(format!(
                "the code {code:#x} has more than the {} bits of {layout}",
                layout.bits()
            )),
            None => Ok(codes),
        }
    }

    /// Returns more bytes than any answer has that is worth reading. How many are due is a fact of the layout.
    pub fn most_bytes(&self) -> usize {
        let padded = |side: u64| side.div_ceil(128).saturating_mul(128) as usize;
        let sides = self.sides().unwrap_or([1, 1, 1]);
        let codes =
            padded(sides[1]).saturating_mul(padded(sides[2])).saturating_mul(sides[0] as usize);
        codes.saturating_mul(self.layout.width())
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.sides().map(|_| ())
    }
}

/// The most codes that a question has.
const MOST_CODES: usize = 1 << 28;

/// Returns codes from bytes, each as wide as the layout says.
pub fn codes_of(layout: CodeLayout, bytes: &[u8]) -> Vec<u64> {
    let code = |bytes: &[u8]| bytes.iter().rev().fold(0, |code, byte| code << 8 | u64::from(*byte));
    bytes.chunks(layout.width()).map(code).collect()
}

/// Bytes as an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LaidOutAnswer {
    /// The bytes of the layout, or the codes, each in as many whole bytes as it needs.
    pub bytes: Bytes,
    /// The bits that may be anything, as many bytes; absent if there are none. Such bits are 0 in `bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Bytes>,
}

impl LaidOutAnswer {
    /// Returns the first byte that differs in a bit that is due; `None` if there is none.
    pub fn first_wrong(&self, got: &[u8]) -> Option<usize> {
        let differs = |place: &usize| match (self.bytes.0.get(*place), got.get(*place)) {
            (Some(due), Some(got)) => (due ^ got) & !self.open_at(*place) != 0,
            (due, got) => due != got,
        };
        (0..got.len().max(self.bytes.0.len())).find(differs)
    }

    /// Returns the bits of a byte that may be anything.
    pub fn open_at(&self, place: usize) -> u8 {
        self.open.as_ref().and_then(|open| open.0.get(place).copied()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(layout: &str, shape: &[u64], input: &[u8]) -> LaidOut {
        let layout = layout.parse().expect("a layout");
        LaidOut { layout, shape: shape.to_vec(), input: Bytes(input.to_vec()) }
    }

    #[test]
    fn codes_are_as_many_as_the_shape_says() {
        assert_eq!(ask("awq", &[1, 2], &[15, 0]).codes(), Ok(vec![15, 0]));
        assert_eq!(ask("float32-mn", &[1, 1], &[1, 2, 3, 4]).codes(), Ok(vec![0x0403_0201]));
        for (layout, shape, input, said) in [
            ("awq", &[1, 2][..], &[0x10, 0][..], "the code 0x10 has more than the 4 bits of awq"),
            (
                "awq",
                &[2, 2],
                &[1, 2],
                "2 bytes of codes, not 4: the shape [2, 2] has 4 codes of 1 bytes",
            ),
            ("awq", &[2], &[1, 2], "shape [2] is not one of matrices"),
            ("awq", &[2, 0], &[], "shape [2, 0] is not one of matrices"),
            ("awq", &[1 << 40, 1 << 40], &[], "does not fit in memory"),
        ] {
            let problem = ask(layout, shape, input).codes().expect_err("no codes");
            assert!(problem.contains(said), "{problem}");
        }
    }

    #[test]
    fn open_bits_are_not_compared() {
        let due = LaidOutAnswer { bytes: Bytes(vec![1, 0]), open: Some(Bytes(vec![0, 0xf0])) };
        assert_eq!(due.first_wrong(&[1, 0x30]), None);
        assert_eq!(due.first_wrong(&[1, 0x31]), Some(1));
        assert_eq!(due.first_wrong(&[1]), Some(1));
        assert_eq!(due.first_wrong(&[1, 0, 0]), Some(2));
    }
}
