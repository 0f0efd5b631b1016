//! Text as a literal of a language. The text of a results file is data: it stays inside its quotes.

use serde_json::Value;
use std::fmt::Write as _;

/// Returns a Python string, in printable ASCII.
pub(super) fn python(text: &str) -> String {
    quoted(text, |out, c| {
        let _ = write!(out, "\\U{:08x}", u32::from(c));
    })
}

/// Returns a value of JSON in Python: `{"op": "cast", "from": "float32", "shape": [1]}`.
pub(super) fn python_value(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => python(text),
        Value::Array(all) => {
            let all: Vec<String> = all.iter().map(python_value).collect();
            format!("[{}]", all.join(", "))
        }
        Value::Object(all) => {
            let member =
                |(name, it): (&String, &Value)| format!("{}: {}", python(name), python_value(it));
            format!("{{{}}}", all.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns a Rust string, in printable ASCII.
pub(super) fn rust(text: &str) -> String {
    quoted(text, |out, c| {
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// Returns a C string: the bytes of UTF-8. Bytes beyond printable ASCII are octal escapes, which
/// always end after three digits.
pub(super) fn c(text: &str) -> String {
    quoted(text, |out, c| {
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            let _ = write!(out, "\\{byte:03o}");
        }
    })
}

/// Returns the text in double quotes. `escape` writes the characters that some language does not
/// read as plain text: quotes, backslashes, percent signs, braces, question marks (trigraphs),
/// backquotes (fences), controls and everything beyond ASCII.
fn quoted(text: &str, escape: impl Fn(&mut String, char)) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || " !#&()*+,-./:;<=>@[]^_|~".contains(c) {
            out.push(c);
        } else {
            escape(&mut out, c);
        }
    }
    out.push('"');
    out
}

/// Returns bytes as hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns bytes as initialisers of C and Rust: `0x01, 0x00`.
pub(super) fn list(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_leaves_its_quotes() {
        let hostile = "\"\\\n'''{x}%s??/`\u{202e}é*/";
        for literal in [python(hostile), rust(hostile), c(hostile)] {
            let inside = &literal[1..literal.len() - 1];
            assert!(
                inside.is_ascii() && !inside.contains(['"', '\n', '\'', '%', '?', '`']),
                "{literal}"
            );
        }
        for (value, due) in [
            (json!({"op": "cast"}), r#"{"op": "cast"}"#),
            (json!([1, true, null, "}'"]), r#"[1, True, None, "\U0000007d\U00000027"]"#),
            (json!({"\"": {}}), r#"{"\U00000022": {}}"#),
        ] {
            assert_eq!(python_value(&value), due);
        }
        assert_eq!(python("a\"b"), "\"a\\U00000022b\"");
        assert_eq!(rust("a\"b"), "\"a\\u{22}b\"");
        assert_eq!(c("\"1"), "\"\\0421\"");
    }
}
