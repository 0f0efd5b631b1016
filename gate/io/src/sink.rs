//! Text that others wrote, made harmless for the place where it is shown. The words of a testee, a
//! file or a name are data, and stay data in a terminal, a log, a page or a report.
//!
//! [`line()`] is applied where such text enters: from the protocol, from standard error, and from
//! files. Each place that gives characters a meaning has its own function here.

use castproof_vectors::sha256_hex;
use serde_json::Value;

/// The longest text that is shown, in characters.
const LONGEST: usize = 1000;

/// Returns a text on one line, without control sequences and commands: control and format
/// characters are written as escapes, and so is the start of a command of a CI log. A long text is
/// cut; its length and the start of its digest follow.
pub fn line(text: &str) -> String {
    let mut shown = String::new();
    let rest = text.trim_start();
    let mut chars = text.chars();
    if rest.starts_with("::") {
        shown.push_str("\\u{3a}");
        chars = rest[1..].chars();
    }
    for c in chars.by_ref().take(LONGEST) {
        if is_harmless(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
    }
    if chars.next().is_some() {
        let digest = &sha256_hex(text.as_bytes())[..12];
        shown += &format!("... ({} characters, {digest})", text.chars().count());
    }
    // `##[` is a command anywhere in a line.
    shown.replace("##[", "##\\u{5b}").replace("##vso[", "##vso\\u{5b}")
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

/// Is the character shown as itself, and does it change nothing around it?
fn is_harmless(c: char) -> bool {
    /// Format characters, characters that are invisible or turn the direction of text, line
    /// separators, and code points that are not characters.
    const HARMFUL: [(u32, u32); 16] = [
        (0xad, 0xad),
        (0x600, 0x605),
        (0x61c, 0x61c),
        (0x6dd, 0x6dd),
        (0x70f, 0x70f),
        (0x115f, 0x1160),
        (0x180e, 0x180e),
        (0x200b, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x206f),
        (0xe000, 0xf8ff),
        (0xfdd0, 0xfdef),
        (0xfeff, 0xfeff),
        (0xfff9, 0xfffb),
        (0x1d173, 0x1d17a),
        (0xe0000, 0x10_ffff),
    ];
    #[cfg(castproof_plant)]
    if c == '\u{7f}' && castproof_vectors::plant::is_planted("delete-in-a-message") {
        return true;
    }
    let code = u32::from(c);
    let is_none = code & 0xfffe == 0xfffe;
    !(c.is_control()
        || is_none
        || HARMFUL.iter().any(|&(first, last)| (first..=last).contains(&code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_text_is_left() {
        for (text, shown) in [
            ("a b", "a b"),
            ("größer 数 ±", "größer 数 ±"),
            ("a\nPASS  1 tests", "a\\u{a}PASS  1 tests"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("\u{202e}abc", "\\u{202e}abc"),
            ("\u{fffe}", "\\u{fffe}"),
            ("::error::x", "\\u{3a}:error::x"),
            ("  ::stop-commands::x", "\\u{3a}:stop-commands::x"),
            ("x ##[error]y", "x ##\\u{5b}error]y"),
        ] {
            assert_eq!(line(text), shown);
        }
    }

    #[test]
    fn long_texts_are_cut_and_stay_apart() {
        let [one, other] = ["a", "b"].map(|end| line(&("x".repeat(1 << 20) + end)));
        assert!(one.len() < 1100 && one.contains("... (1048577 characters, "), "{one}");
        assert_ne!(one, other);
        assert_eq!(line(&line("\u{1b}x")), line("\u{1b}x"));
    }
}
