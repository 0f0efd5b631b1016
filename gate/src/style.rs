//! Colours of the terminal, if it has them.

use anstyle::{AnsiColor, Style};
use std::fmt;
use std::io;

/// Does standard output take colours? Pipes do not, and a user may forbid them (`NO_COLOR`).
pub fn standard_output_has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// How texts are coloured; by default they are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Palette {
    /// Are there colours?
    pub(crate) on: bool,
}

impl Palette {
    pub(crate) fn good(self, text: impl fmt::Display) -> String {
        self.paint(AnsiColor::Green.on_default().bold(), text)
    }

    pub(crate) fn bad(self, text: impl fmt::Display) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    pub(crate) fn strong(self, text: impl fmt::Display) -> String {
        self.paint(Style::new().bold(), text)
    }

    pub(crate) fn faint(self, text: impl fmt::Display) -> String {
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
