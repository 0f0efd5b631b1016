//! Small files as numpy reads them: a zip archive of arrays that are stored as they are. Its first member is a text
//! with what the first lines of the other forms say.

use super::form::Head;
use super::texts::width;
use super::value::Value;
use castproof_vectors::{DType, Request};
use flate2::Crc;

/// The member with the first lines.
pub(crate) const HEAD: &str = "header.txt";

/// The arrays, by the names of their members.
const INPUT: &str = "input.npy";
const EXPECTED: &str = "expected.npy";
const RIGHT: &str = "right.npy";

/// 1980-01-01, the first day that zip knows.
const DAY: u16 = 0x21;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// Does the file begin as an archive?
pub(crate) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL)
}

/// Returns the archive.
pub(crate) fn bytes(request: &Request, head: &Head, values: &[Value]) -> Vec<u8> {
    let right = values.iter().flat_map(|it| it.right).flatten();
    let codes = |code: fn(&Value) -> u64| values.iter().map(code).collect::<Vec<u64>>();
    let count = values.len();
    let header = head.lines().join("\n")
        + "\nCodes are unsigned integers. A result is right from right[i, 0] to right[i, 1], or from right[i, 2] to \
           right[i, 3].\n";
    archive(&[
        (HEAD, header.into_bytes()),
        (INPUT, array(request.from, &format!("{count},"), &codes(|it| it.input))),
        (EXPECTED, array(request.to, &format!("{count},"), &codes(|it| it.expected))),
        (RIGHT, array(request.to, &format!("{count}, 4"), &right.collect::<Vec<u64>>())),
    ])
}

/// An array of codes in version 1.0 of the format of `.npy`.
fn array(dtype: DType, shape: &str, codes: &[u64]) -> Vec<u8> {
    let size = width(dtype) as usize / 8;
    let order = if size == 1 { '|' } else { '<' };
    let mut header =
        format!("{{'descr': '{order}u{size}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The data begin at a multiple of 64; the magic, the version and the length take 10 bytes.
    let end = (10 + header.len() + 1).next_multiple_of(64);
    header += &" ".repeat(end - 10 - header.len() - 1);
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(codes.iter().flat_map(|code| code.to_le_bytes()[..size].to_vec()));
    bytes
}

fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let offset = bytes.len() as u32;
        let length = (content.len() as u32).to_le_bytes();
        // The version that is needed, no flags, stored, time, day.
        let common = [10, 0, 0, 0, DAY].map(u16::to_le_bytes).concat();
        let sum = crc32(content).to_le_bytes();
        let name_length = (name.len() as u16).to_le_bytes();
        let common = [&common[..], &sum, &length, &length, &name_length, &[0, 0]].concat();
        bytes.extend([LOCAL, &common, name.as_bytes(), content].concat());
        let made_by = 10_u16.to_le_bytes();
        // No comment, the first disk, no attributes.
        let rest = [&[0; 10][..], &offset.to_le_bytes(), name.as_bytes()].concat();
        directory.extend([CENTRAL, &made_by, &common, &rest].concat());
    }
    let count = (members.len() as u16).to_le_bytes();
    let (length, offset) = (directory.len() as u32, bytes.len() as u32);
    bytes.extend(directory);
    let ends = [&length.to_le_bytes()[..], &offset.to_le_bytes()].concat();
    bytes.extend([END, &[0; 4], &count, &count, &ends, &[0; 2]].concat());
    bytes
}

/// The sum of zip.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// What an archive holds: its first lines, and the codes of each array.
pub(crate) struct Held {
    pub(crate) head: String,
    pub(crate) input: Vec<u64>,
    pub(crate) expected: Vec<u64>,
    pub(crate) right: Vec<u64>,
}

/// Reads an archive that [`bytes`] has written; `None` if it is another one, or damaged.
pub(crate) fn read(bytes: &[u8]) -> Option<Held> {
    let head = String::from_utf8(member(bytes, HEAD)?.to_vec()).ok()?;
    let [input, expected, right] = [INPUT, EXPECTED, RIGHT].map(|name| codes(member(bytes, name)?));
    Some(Held { head, input: input?, expected: expected?, right: right? })
}

/// Returns the content of a stored member whose sum is right.
fn member<'a>(bytes: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let mut rest = bytes;
    while let Some(after) = rest.strip_prefix(LOCAL) {
        let number = |at: usize| Some(u16::from_le_bytes(after.get(at..at + 2)?.try_into().ok()?));
        let long = |at: usize| Some(u32::from_le_bytes(after.get(at..at + 4)?.try_into().ok()?));
        let (method, sum, length) = (number(4)?, long(10)?, long(14)? as usize);
        let name_end = 26 + usize::from(number(22)?);
        let begin = name_end + usize::from(number(24)?);
        let content = after.get(begin..begin.checked_add(length)?)?;
        if after.get(26..name_end)? == wanted.as_bytes() {
            return (method == 0 && crc32(content) == sum).then_some(content);
        }
        rest = &after[begin + length..];
    }
    None
}

/// Returns the unsigned integers of an array.
fn codes(array: &[u8]) -> Option<Vec<u64>> {
    let length = u16::from_le_bytes(array.get(8..10)?.try_into().ok()?);
    let data = array.get(10 + usize::from(length)..)?;
    let header = std::str::from_utf8(array.get(10..10 + usize::from(length))?).ok()?;
    let size = [1, 2, 4, 8].into_iter().find(|size| header.contains(&format!("u{size}'")))?;
    let code = |bytes: &[u8]| bytes.iter().rev().fold(0, |code, byte| code << 8 | u64::from(*byte));
    data.len().is_multiple_of(size).then(|| data.chunks_exact(size).map(code).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the sum, as every list of such sums has it.
    #[test]
    fn the_sum_is_that_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_broken_archive_is_none() {
        let whole =
            archive(&[(HEAD, b"text".to_vec()), (INPUT, array(DType::Int8, "2,", &[1, 2]))]);
        assert_eq!(member(&whole, INPUT).and_then(codes), Some(vec![1, 2]));
        for end in 0..whole.len() {
            let _ = read(&whole[..end]);
        }
        let at = whole.windows(4).position(|it| it == b"text").expect("it is there");
        let mut broken = whole;
        broken[at] = b'T';
        assert_eq!(member(&broken, HEAD), None);
    }
}
