//! What a kernel does outside its buffers.

/// What a kernel did outside its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trespass {
    /// It read outside its input or output.
    Read {
        /// Beyond the end, or before the start?
        after: bool,
    },
    /// It wrote there.
    Wrote {
        /// Beyond the end, or before the start?
        after: bool,
    },
    /// It wrote over its input.
    Input,
}

impl Trespass {
    /// Every trespass.
    pub const ALL: [Trespass; 5] = [
        Trespass::Read { after: true },
        Trespass::Read { after: false },
        Trespass::Wrote { after: true },
        Trespass::Wrote { after: false },
        Trespass::Input,
    ];

    /// Returns the name for people: `written outside, after the end`
    pub const fn name(self) -> &'static str {
        match self {
            Trespass::Read { after: true } => "read outside, after the end",
            Trespass::Read { after: false } => "read outside, before the start",
            Trespass::Wrote { after: true } => "written outside, after the end",
            Trespass::Wrote { after: false } => "written outside, before the start",
            Trespass::Input => "written over the input",
        }
    }
}
