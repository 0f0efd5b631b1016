//! Numbers of a file: `.npy`, JSON, a column of CSV, or text.

use anyhow::{Context as _, Result, anyhow, bail};
use castproof_vectors::{DType, unpack};
use serde_json::Value;

/// The numbers of a file, as texts that [`crate::element`] reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNumbers {
    /// Their dtype, where the file says it.
    pub dtype: Option<DType>,
    /// Numbers or codes.
    pub texts: Vec<String>,
}

/// The first bytes of a file of numpy.
const NPY: &[u8] = b"\x93NUMPY";

/// Reads the numbers of a file: an array of numpy (`.npy`), a JSON array, which may be nested, or text with numbers
/// between spaces, commas and ends of lines. `column` names a column of CSV by its heading.
///
/// # Errors
/// One line, if the file is none of them, or has no such column.
pub fn numbers(bytes: &[u8], column: Option<&str>) -> Result<FileNumbers> {
    if bytes.starts_with(NPY) {
        return npy(bytes);
    }
    let text = std::str::from_utf8(bytes).context("it is neither an array of numpy nor text")?;
    let text = text.trim_start_matches('\u{feff}').trim();
    let plain = |texts| Ok(FileNumbers { dtype: None, texts });
    if let Some(column) = column {
        return plain(of_column(text, column)?);
    }
    if text.starts_with('[') {
        let mut texts = Vec::new();
        flatten(
            &serde_json::from_str(text).context("it is no JSON array of numbers")?,
            &mut texts,
        )?;
        return plain(texts);
    }
    let is_between = |c: char| c.is_whitespace() || c == ',' || c == ';';
    plain(text.split(is_between).filter(|it| !it.is_empty()).map(str::to_string).collect())
}

/// Adds the numbers of a JSON value, in their order.
fn flatten(value: &Value, texts: &mut Vec<String>) -> Result<()> {
    match value {
        Value::Array(all) => all.iter().try_for_each(|it| flatten(it, texts)),
        Value::Number(number) => {
            texts.push(number.to_string());
            Ok(())
        }
        Value::String(text) => {
            texts.push(text.clone());
            Ok(())
        }
        other => bail!("{other} in the JSON array is no number"),
    }
}

fn of_column(text: &str, column: &str) -> Result<Vec<String>> {
    let mut lines = text.lines();
    let cells = |line: &str| -> Vec<String> {
        line.split(',').map(|cell| cell.trim().trim_matches('"').to_string()).collect()
    };
    let heads = cells(lines.next().unwrap_or(""));
    let at = heads.iter().position(|head| head == column);
    let at = at.with_context(|| format!("no column '{column}'; there are {}", heads.join(", ")))?;
    let cell = |(index, line): (usize, &str)| {
        cells(line)
            .get(at)
            .cloned()
            .with_context(|| format!("line {} has no column {}", index + 2, at + 1))
    };
    lines.filter(|line| !line.trim().is_empty()).enumerate().map(cell).collect()
}

/// Reads an array of numpy: its head is a literal of a Python dictionary, such as `{'descr': '<f4', 'fortran_order': False,
/// 'shape': (3,), }`.
fn npy(bytes: &[u8]) -> Result<FileNumbers> {
    let cut = || anyhow!("the array of numpy is cut short");
    let (wide, rest) =
        (bytes.get(6).is_some_and(|major| *major > 1), bytes.get(8..).ok_or_else(cut)?);
    let (length, rest) = match wide {
        false => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        true => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
    };
    let (head, data) = rest.split_at_checked(length).ok_or_else(cut)?;
    let head = String::from_utf8_lossy(head);
    let after =
        |key: &str| head.split_once(key).map(|(_, rest)| rest.trim_start_matches([' ', ':']));
    let descr = after("'descr'").and_then(|rest| rest.strip_prefix('\'')?.split_once('\''));
    let descr = descr.context("the array of numpy has no dtype of one number")?.0;
    let dtype = match descr {
        "<f4" => DType::Float32,
        "<f2" => DType::Float16,
        "<f8" => DType::Float64,
        "<i4" => DType::Int32,
        "|i1" => DType::Int8,
        "|u1" => DType::Uint8,
        // How numpy writes the bfloat16 of ml_dtypes.
        "<V2" | "|V2" => DType::Bfloat16,
        other => {
            bail!("arrays of '{other}' are not read; save one of float32, float16 or bfloat16")
        }
    };
    if after("'fortran_order'").is_none_or(|rest| rest.starts_with("True")) {
        bail!("the array is in Fortran's order; save numpy.ascontiguousarray of it");
    }
    let width = dtype.bits() as usize / 8;
    if !data.len().is_multiple_of(width) {
        return Err(cut());
    }
    let codes = unpack(dtype, data, data.len() / width).map_err(|error| anyhow!(error))?;
    let texts = codes.into_iter().map(|code| dtype.hex(code)).collect();
    Ok(FileNumbers { dtype: Some(dtype), texts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, column: Option<&str>) -> Vec<String> {
        numbers(text.as_bytes(), column).expect(text).texts
    }

    #[test]
    fn numbers_of_text() {
        assert_eq!(texts("1, 2.5\n-inf", None), ["1", "2.5", "-inf"]);
        assert_eq!(texts("[[1, 2.5], [\"nan\", -3]]", None), ["1", "2.5", "nan", "-3"]);
        assert_eq!(texts("a,b\n1,2\n3,4\n", Some("b")), ["2", "4"]);
    }

    fn npy_file(descr: &str, data: &[u8]) -> Vec<u8> {
        let head = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}\n");
        let length = (head.len() as u16).to_le_bytes();
        [NPY, &[1, 0], &length, head.as_bytes(), data].concat()
    }

    #[test]
    fn an_array_of_numpy_has_its_dtype() {
        let file = npy_file("<f4", &[0, 0, 0xe8, 0x43, 0, 0, 0x80, 0x3f]);
        let read = numbers(&file, None).expect("an array");
        assert_eq!(read.dtype, Some(DType::Float32));
        assert_eq!(read.texts, ["0x43e80000", "0x3f800000"]);
    }

    #[test]
    fn what_is_no_array_is_said() {
        let file = npy_file("<c8", &[]);
        let said =
            |bytes: &[u8], column| format!("{:#}", numbers(bytes, column).expect_err("wrong"));
        assert!(said(&file, None).contains("arrays of '<c8' are not read"));
        assert!(said(&file[..9], None).contains("cut short"));
        assert!(said(b"[1, true]", None).contains("true in the JSON array is no number"));
        assert!(said(b"a,b\n1,2", Some("c")).contains("no column 'c'; there are a, b"));
    }
}
