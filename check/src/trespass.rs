//! What a kernel does beside writing its output.

/// What a kernel did beside writing its output.
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
    /// It replaced the handler of faults, which hides what it reads and writes outside.
    Handler,
    /// It left other settings of floating-point arithmetic than it found.
    Environment,
}

impl Trespass {
    /// Every trespass.
    pub const ALL: [Trespass; 7] = [
        Trespass::Read { after: true },
        Trespass::Read { after: false },
        Trespass::Wrote { after: true },
        Trespass::Wrote { after: false },
        Trespass::Input,
        Trespass::Handler,
        Trespass::Environment,
    ];

    /// Returns the name for people: `written outside, after the end`
    pub const fn name(self) -> &'static str {
        match self {
            Trespass::Read { after: true } => "read outside, after the end",
            Trespass::Read { after: false } => "read outside, before the start",
            Trespass::Wrote { after: true } => "written outside, after the end",
            Trespass::Wrote { after: false } => "written outside, before the start",
            Trespass::Input => "written over the input",
            Trespass::Handler => "the handler of SIGSEGV or SIGBUS replaced at every call",
            Trespass::Environment => "the settings of floating-point arithmetic left changed",
        }
    }
}
