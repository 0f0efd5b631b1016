//! A kernel over slices as the checks call it, and what can be wrong with a slice beside its elements.

use crate::Trespass;
use crate::kernel::{Failed, failed};
use crate::memory::{Rooms, Stand};

/// The bits that fill an output before a call. An element that keeps them in every call was not written.
pub(crate) const FILLS: [u64; 4] =
    [0xa5a5_a5a5_a5a5_a5a5, 0x5a5a_5a5a_5a5a_5a5a, 0x9696_9696_9696_9696, 0x6969_6969_6969_6969];

pub(crate) fn rooms() -> Result<Rooms, Failed> {
    Rooms::open().or_else(|error| failed(format!("no memory for the buffers: {error}")))
}

/// A kernel over slices.
pub(crate) trait Kernel {
    /// Is the code one of an element of the input's type?
    fn takes(&self, code: u64) -> bool;

    /// The bytes of which each buffer begins at a multiple.
    fn steps(&self) -> [usize; 2];

    /// Casts one element, in so many copies, and returns the first. What is wrong beside it is told of slices.
    fn alone(&mut self, code: u64, copies: usize) -> u64;

    /// Casts a slice whose buffers stand there.
    ///
    /// # Errors
    /// What is wrong beside the elements.
    fn slice(&mut self, codes: &[u64], stands: [Stand; 2]) -> Result<Vec<u64>, Fault>;
}

/// What is wrong with a slice beside its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    Outside(Trespass),
    Unwritten,
    Padding,
    NoMemory,
}

impl Fault {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fault::Outside(trespass) => trespass.name(),
            Fault::Unwritten => "left unwritten",
            Fault::Padding => "unused bits of the output are not zero",
            Fault::NoMemory => "no memory for the buffers",
        }
    }
}

/// Calls with one fill, and with the others as long as something may have been left unwritten. Where a result
/// is open, a kernel may give another one each time, and by chance that of a fill: a byte of some million
/// in two calls, and not in four.
pub(crate) fn filled<T: PartialEq>(
    fills: &[T; 4],
    mut call: impl FnMut(&T) -> Result<Vec<T>, Fault>,
) -> Result<Vec<T>, Fault> {
    let [first, others @ ..] = fills;
    let output = call(first)?;
    let mut kept: Vec<usize> = (0..output.len()).filter(|&at| output[at] == *first).collect();
    for fill in others {
        if kept.is_empty() {
            return Ok(output);
        }
        let again = call(fill)?;
        kept.retain(|&at| again.get(at) == Some(fill));
    }
    if kept.is_empty() { Ok(output) } else { Err(Fault::Unwritten) }
}
