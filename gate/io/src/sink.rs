//! Text that others wrote, made harmless for the place where it is shown. The words of a testee, a
//! file or a name are data, and stay data in a terminal, a log, a page or a report.
//!
//! [`line()`] is applied where such text enters: from the protocol, from standard error, and from
//! files. What keeps it has the type [`Line`], which cannot hold anything else. Each place that gives
//! characters a meaning has its own function here.

pub use castproof_vectors::{Line, one_line as line};
use serde_json::Value;
use std::path::Path;

/// Returns the name of a file for people.
pub fn path(path: &Path) -> Line {
    path.display().to_string().into()
}

/// Returns a word of a command line for a POSIX shell, quoted where it must be.
pub fn word(text: &str) -> Line {
    shell_words::quote(text).into_owned().into()
}

/// Returns the name of a file as a word of a command line.
pub fn path_word(path: &Path) -> Line {
    word(&path.display().to_string())
}

/// Replaces every string of a JSON value by what [`line()`] returns for it.
pub fn lines(value: &mut Value) {
    match value {
        Value::String(text) => *text = line(text),
        Value::Array(values) => values.iter_mut().for_each(lines),
        Value::Object(members) => members.values_mut().for_each(lines),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
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
