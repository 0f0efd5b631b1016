//! The parts of a run: what one testee is asked in one go.

use castproof_vectors::{DType, Suite};
use std::fmt;

/// A part of a run. One testee is asked all of it, in an order that depends on its answers alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// The suite.
    pub suite: Suite,
    /// The pair whose casts it asks, or the ends of its chains; `None`: all questions of the suite.
    pub pair: Option<(DType, DType)>,
    /// Is the testee judged as a bare kernel?
    pub kernel: bool,
    /// The version of a cast that is asked for one zero again and again; `None`: all is asked.
    pub zero: Option<u32>,
}

impl fmt::Display for Part {
    /// `onnx-cast float32 -> int8`, `tf-bitcast`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.suite.name())?;
        if let Some((from, to)) = self.pair {
            write!(f, " {from} -> {to}")?;
        }
        if self.kernel {
            f.write_str(" --kernel")?;
        }
        self.zero.map_or(Ok(()), |version| write!(f, ", zero again, version {version}"))
    }
}
