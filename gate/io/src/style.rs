//! Colours of the terminal, if it has them.

use anstyle::{AnsiColor, Style};
use std::fmt;

/// How texts are coloured; by default they are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// Are there colours?
    pub on: bool,
}

impl Palette {
    /// Paints what is well.
    pub fn good(self, text: impl fmt::Display) -> String {
        self.paint(AnsiColor::Green.on_default().bold(), text)
    }

    /// Paints what is wrong.
    pub fn bad(self, text: impl fmt::Display) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    /// Paints what is to be seen first.
    pub fn strong(self, text: impl fmt::Display) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// Paints what may be overlooked.
    pub fn faint(self, text: impl fmt::Display) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    fn paint(self, style: Style, text: impl fmt::Display) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_a_text_is_itself() {
        assert_eq!(Palette { on: false }.bad("FAIL"), "FAIL");
        let painted = Palette { on: true }.bad("FAIL");
        assert!(painted.contains("FAIL") && painted.contains('\u{1b}'), "{painted:?}");
    }
}
