//! Numbers, texts and bytes, one behind the other.

/// Why a reading fails.
pub(super) const TOO_SHORT: &str = "it ends too early";

/// Most elements that room is made for before they have been read.
const ROOM: usize = 1 << 16;

/// Writes a number in groups of seven bits, the lowest first; all but the last have the highest bit.
pub(super) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes the length and then the bytes.
pub(super) fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    put_number(bytes, content.len() as u64);
    bytes.extend(content);
}

/// Reads what was written, and never beyond it.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Reader<'a> {
        Reader { rest }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn number(&mut self) -> Result<u64, String> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            let group = u64::from(byte & 0x7f);
            if shift == 63 && group > 1 {
                break;
            }
            number |= group << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number is too large".into())
    }

    /// Reads how many things follow, of which each takes at least one byte.
    pub(super) fn count(&mut self) -> Result<usize, String> {
        let count = usize::try_from(self.number()?).map_err(|_| TOO_SHORT)?;
        if count > self.rest.len() {
            return Err(TOO_SHORT.into());
        }
        Ok(count)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], String> {
        let length = self.count()?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, String> {
        std::str::from_utf8(self.bytes()?).map_err(|_| "a text is not UTF-8".into())
    }

    /// Reads as many things as the count says that stands before them.
    pub(super) fn each<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let count = self.count()?;
        let mut all = Vec::with_capacity(count.min(ROOM));
        for _ in 0..count {
            all.push(read(self)?);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let numbers = [0, 1, 0x7f, 0x80, 0x3fff, 1 << 35, u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| put_number(&mut bytes, number));
        put_bytes(&mut bytes, "text".as_bytes());
        let mut reader = Reader::new(&bytes);
        assert!(numbers.iter().all(|&number| reader.number() == Ok(number)));
        assert_eq!((reader.text(), reader.is_at_end()), (Ok("text"), true));
    }

    #[test]
    fn what_is_cut_or_too_large_is_refused() {
        assert_eq!(Reader::new(&[0x80]).number(), Err(TOO_SHORT.into()));
        assert!(Reader::new(&[0xff; 10]).number().unwrap_err().contains("too large"));
        assert_eq!(Reader::new(&[5, 1]).bytes(), Err(TOO_SHORT.into()));
        assert!(Reader::new(&[1, 0xff]).text().unwrap_err().contains("UTF-8"));
        let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(Reader::new(&most).each(Reader::number), Err(TOO_SHORT.into()));
    }
}
