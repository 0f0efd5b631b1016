//! Text that others wrote, on one line and without commands.

use super::digest::sha256_hex;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// What a testee or a file says, as it may be printed anywhere: on one line, without control
/// sequences and commands. There is no way to make one but through [`one_line`], reading included.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct OneLine(String);

impl From<String> for OneLine {
    fn from(text: String) -> OneLine {
        OneLine(one_line(&text))
    }
}

impl From<&str> for OneLine {
    fn from(text: &str) -> OneLine {
        OneLine(one_line(text))
    }
}

impl Deref for OneLine {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OneLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for OneLine {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// The longest text that is shown, in characters.
const LONGEST: usize = 1000;

/// Characters beyond those that are shown too if the text then ends: a text that was cut, with what
/// follows it, is not cut again.
const SLACK: usize = 80;

/// Returns a text on one line, without control sequences and commands: control and format
/// characters are written as escapes, and so is the start of a command of a CI log. A long text is
/// cut; its length and the start of its digest follow. What this returns it returns unchanged.
pub fn one_line(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0;
    let mut cut = None;
    for (at, c) in text.char_indices() {
        if length >= LONGEST && cut.is_none() {
            cut = Some(shown.len());
        }
        if length > LONGEST + SLACK {
            break;
        }
        // `::` begins a command at the start of a line, `##[` and `##vso[` anywhere.
        let is_command = c == ':' && shown.trim().is_empty() && text[at..].starts_with("::")
            || c == '[' && (shown.ends_with("##") || shown.ends_with("##vso"));
        let before = shown.len();
        if is_harmless(c) && !is_command {
            shown.push(c);
            length += 1;
        } else {
            shown.extend(c.escape_unicode());
            length += shown.len() - before;
        }
    }
    if let Some(end) = cut.filter(|_| length > LONGEST + SLACK) {
        shown.truncate(end);
        let digest = &sha256_hex(text.as_bytes())[..12];
        shown += &format!("... ({} characters, {digest})", text.chars().count());
    }
    shown
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
    if c == '\u{7f}' && crate::plant::is_planted("delete-in-a-message") {
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
    use super::{OneLine, one_line};

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
            ("  ::stop-commands::x", "  \\u{3a}:stop-commands::x"),
            ("x ##[a ##vso[b", "x ##\\u{5b}a ##vso\\u{5b}b"),
            ("x ##[error]y", "x ##\\u{5b}error]y"),
        ] {
            assert_eq!(one_line(text), shown);
        }
    }

    #[test]
    fn a_line_is_harmless_wherever_it_comes_from() {
        let hostile = "\u{1b}[2J\n::error::forged";
        let read: OneLine = serde_json::from_value(hostile.into()).expect("a text");
        for line in [read, hostile.into(), hostile.to_string().into()] {
            assert_eq!(line.to_string(), "\\u{1b}[2J\\u{a}::error::forged");
        }
    }

    #[test]
    fn long_texts_are_cut_and_stay_apart() {
        let [one, other] = ["a", "b"].map(|end| one_line(&("x".repeat(1 << 20) + end)));
        assert!(one.len() < 1100 && one.contains("... (1048577 characters, "), "{one}");
        assert_ne!(one, other);
        for text in
            ["\u{1b}x", &"\u{1b}".repeat(5000), &"##[".repeat(5000), &"x".repeat(1081), &one]
        {
            let once = one_line(text);
            assert_eq!(one_line(&once), once);
            assert!(once.chars().count() <= super::LONGEST + super::SLACK + 1, "{once}");
        }
    }
}
