//! Text that others wrote, on one line and without commands.

use crate::sha256_hex;

/// The longest text that is shown, in characters.
const LONGEST: usize = 1000;

/// Returns a text on one line, without control sequences and commands: control and format
/// characters are written as escapes, and so is the start of a command of a CI log. A long text is
/// cut; its length and the start of its digest follow.
pub fn one_line(text: &str) -> String {
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
    use super::one_line;

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
            assert_eq!(one_line(text), shown);
        }
    }

    #[test]
    fn long_texts_are_cut_and_stay_apart() {
        let [one, other] = ["a", "b"].map(|end| one_line(&("x".repeat(1 << 20) + end)));
        assert!(one.len() < 1100 && one.contains("... (1048577 characters, "), "{one}");
        assert_ne!(one, other);
        assert_eq!(one_line(&one_line("\u{1b}x")), one_line("\u{1b}x"));
    }
}
