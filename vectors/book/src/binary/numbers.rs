//! Numbers, texts and checksums as the binary form writes them.
//!
//! A number is written in groups of 7 bits, the lowest first; each byte but the last has its highest bit
//! set: 5 is `05`, 300 is `ac 02`. A difference d, from -2^63 to 2^63 - 1, is written as the number 2d, or
//! -2d - 1 if it is negative: 3 is `06`, -3 is `05`.

use flate2::Crc;

/// Appends a number.
pub(super) fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends the difference from one number to another, modulo 2^64.
pub(super) fn put_difference(out: &mut Vec<u8>, from: u64, to: u64) {
    let difference = to.wrapping_sub(from).cast_signed();
    put_number(out, ((difference << 1) ^ (difference >> 63)).cast_unsigned());
}

/// Appends a text: the number of its bytes, then these.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Returns the CRC-32 of the parts in a row, the one that gzip has, lowest byte first.
pub(super) fn checksum(parts: &[&[u8]]) -> [u8; 4] {
    let mut crc = Crc::new();
    parts.iter().for_each(|part| crc.update(part));
    crc.sum().to_le_bytes()
}

/// The bytes that are still to be read.
pub(super) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.0.len()
    }

    /// Reads this many bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (read, rest) = self.0.split_at_checked(count).ok_or("it ends too early")?;
        self.0 = rest;
        Ok(read)
    }

    pub(super) fn number(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.bytes(1)?[0];
            let group = u64::from(byte & 0x7f);
            if group << shift >> shift != group {
                break;
            }
            value |= group << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number has more than 64 bits".into())
    }

    /// Reads a number that counts or indexes something in memory.
    pub(super) fn index(&mut self) -> Result<usize, String> {
        let number = self.number()?;
        usize::try_from(number).map_err(|_| format!("the number {number} is too great"))
    }

    /// Reads a difference, as what is to be added modulo 2^64.
    pub(super) fn difference(&mut self) -> Result<u64, String> {
        let number = self.number()?;
        Ok((number >> 1) ^ (number & 1).wrapping_neg())
    }

    pub(super) fn text(&mut self) -> Result<&'a str, String> {
        let count = self.index()?;
        std::str::from_utf8(self.bytes(count)?).map_err(|_| "a text is not UTF-8".into())
    }

    /// Reads a list: the number of its entries, then these.
    pub(super) fn list<T>(
        &mut self,
        mut entry: impl FnMut(&mut Cursor<'a>) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        // Entries have at least one byte each, so that a foreign number does not fill the memory.
        let count = self.index()?;
        let mut entries = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            entries.push(entry(self)?);
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (value, bytes) in [
            (0, &[0][..]),
            (5, &[5]),
            (0x7f, &[0x7f]),
            (300, &[0xac, 2]),
            (u64::MAX, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ] {
            let mut out = Vec::new();
            put_number(&mut out, value);
            assert_eq!(out, bytes);
            assert_eq!(Cursor::new(bytes).number(), Ok(value));
            let cut = Cursor::new(&bytes[1..]).number();
            assert!(bytes.len() > 1 || cut.is_err(), "{cut:?}");
        }
        let long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        assert_eq!(Cursor::new(&long).number(), Err("a number has more than 64 bits".into()));
    }

    #[test]
    fn differences_are_read_as_they_are_written() {
        for (from, to, bytes) in [
            (7u64, 10, &[6][..]),
            (10, 7, &[5]),
            (u64::MAX, 0, &[2]),
            (0, 1 << 63, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ] {
            let mut out = Vec::new();
            put_difference(&mut out, from, to);
            assert_eq!(out, bytes);
            assert_eq!(Cursor::new(bytes).difference().map(|it| from.wrapping_add(it)), Ok(to));
        }
    }

    #[test]
    fn checksums_are_those_of_gzip() {
        // The check value of the catalogue of CRCs.
        assert_eq!(checksum(&[b"12345", b"6789"]), 0xcbf4_3926_u32.to_le_bytes());
    }
}
