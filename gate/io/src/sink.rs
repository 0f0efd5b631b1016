//! Text that others wrote, made harmless for the place where it is shown. The words of a testee, a
//! file or a name are data, and stay data in a terminal, a log, a page or a report.
//!
//! [`line()`] is applied where such text enters: from the protocol, from standard error, and from
//! files. What keeps it has the type [`OneLine`], which cannot hold anything else. Each place that gives
//! characters a meaning has its own function here.

pub use castproof_vectors::{OneLine, one_line as line};
use serde_json::Value;
use std::path::Path;

/// Returns the name of a file for people.
pub fn path(path: &Path) -> OneLine {
    path.display().to_string().into()
}

/// Returns a word of a command line for a POSIX shell, quoted where it must be.
pub fn word(text: &str) -> OneLine {
    shell_words::quote(text).into_owned().into()
}

/// Returns the name of a file as a word of a command line.
pub fn path_word(path: &Path) -> OneLine {
    word(&path.display().to_string())
}

/// Replaces every string of a JSON value by what [`line()`] returns for it. The bytes and codes of a member `test` stay
/// whole, however long they are: they are asked again, and not shown.
pub fn lines(value: &mut Value) {
    replace(value, false);
}

fn replace(value: &mut Value, in_test: bool) {
    match value {
        Value::String(text) if in_test && is_codes(text) => {}
        Value::String(text) => *text = line(text),
        Value::Array(values) => values.iter_mut().for_each(|it| replace(it, in_test)),
        Value::Object(members) => {
            members.iter_mut().for_each(|(name, it)| replace(it, in_test || name == "test"));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Is it what bytes, codes and numbers of a question are written with: `7f80`, `7e..00`, `0x3f nan any`?
fn is_codes(text: &str) -> bool {
    text.bytes().all(|byte| b"0123456789abcdefnanyx. ".contains(&byte))
}

/// Escapes text for Markdown, so that it stays text, also in a table.
pub fn markdown(text: &str) -> String {
    let mut escaped = String::new();
    for c in line(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            // No person is notified.
            '@' => escaped.push_str("&#64;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    // Addresses become links by themselves.
    escaped.replace("://", "&#58;//").replace("www.", "www&#46;")
}

/// Escapes the text of a command in a GitHub log.
pub fn command(text: &str) -> String {
    line(text).replace('%', "%25")
}

/// Escapes a property of a command in a GitHub log.
pub fn property(text: &str) -> String {
    command(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes a message in SARIF, whose text may hold links.
pub fn sarif(text: &str) -> String {
    line(text).replace("](", "] (")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The input of a tensor of 4,096 numbers of float32 has 32,768 digits.
    #[test]
    fn codes_of_a_test_stay_whole() {
        let long = "7f80".repeat(8192);
        let mut value = json!({
            "got": long, "test": {"ask": {"input": long, "numbers": ["0x3f nan any"]}, "clause": "a\u{1b}[1m"}
        });
        lines(&mut value);
        assert!(value["got"].as_str().is_some_and(|text| text.len() < 1100), "{value}");
        assert_eq!(value["test"]["ask"]["input"], long);
        assert_eq!(value["test"]["clause"], "a\\u{1b}[1m");
        let other = "7f80 ".repeat(4096) + "#";
        let mut value = json!({"test": other});
        lines(&mut value);
        assert!(value["test"].as_str().is_some_and(|text| text.len() < 1100), "{value}");
    }
}
