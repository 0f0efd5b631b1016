//! Kinds of wrong implementations, and what became of each.

/// A kind of wrong implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Behaves as one of the wrong methods of the diagnosis.
    Method,
    /// An end of a piece is one code beside its place.
    End,
    /// A piece's answers are one code too high or too low.
    Answer,
    /// A special element has the answer of another.
    Special,
    /// A bit of the source is taken for 0, or for 1.
    Bit,
    /// An absent attribute is taken for another value than its default.
    Default,
}

impl Class {
    pub(crate) const ALL: [(Class, &str); 6] = [
        (Class::Method, "methods"),
        (Class::End, "ends"),
        (Class::Answer, "answers"),
        (Class::Special, "specials"),
        (Class::Bit, "bits"),
        (Class::Default, "defaults"),
    ];

    /// Must every mutant of this class be detected?
    pub(crate) fn is_demanded(self, pieces: usize) -> bool {
        match self {
            Class::Method | Class::Default => true,
            Class::End => pieces <= FEW_PIECES,
            Class::Answer | Class::Special | Class::Bit => false,
        }
    }
}

/// The largest number of pieces at which every moved end must be detected.
pub(crate) const FEW_PIECES: usize = 2_000;

/// The fate of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A test fails it.
    Killed,
    /// No test fails it, though it is wrong; holds a description of it.
    Survived(String),
    /// It differs from the right implementation, but only where another reading is admitted.
    Admitted,
    /// It behaves as the rules do.
    Same,
}
