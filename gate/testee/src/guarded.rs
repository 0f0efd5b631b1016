//! A testee that gets buffers of the gate in every call: for code that nothing else checks while it
//! runs, such as that of a shared library.

use super::memory::{LONGEST, Rooms, Stand};
use super::testee::{Identity, Reply, Returned, Testee};
use castproof_vectors::{DType, Line, Question, Request, packed_len};
use std::io;

/// The prefix of the error message for a memory fault.
const MEMORY: &str = "memory: ";

/// The bytes that fill an output before a call; each call is made with both.
const FILLS: [u8; 2] = [0xa5, 0x5a];

/// Addresses are distinguished modulo this many bytes.
const LINE: usize = 64;

/// Calls a testee's [`Testee::cast_into`] with buffers between pages that must not be touched, at
/// addresses that change from call to call by multiples of an element.
pub struct Guarded<T> {
    inner: T,
    rooms: Rooms,
    calls: usize,
}

impl<T: Testee> Guarded<T> {
    /// Wraps a testee that has [`Testee::cast_into`].
    ///
    /// # Errors
    /// If the system has no memory left.
    pub fn new(inner: T) -> io::Result<Guarded<T>> {
        Ok(Guarded { inner, rooms: Rooms::open()?, calls: 0 })
    }

    /// Chooses where the buffers of the next call stand.
    fn stands(&mut self, request: &Request) -> [Stand; 2] {
        self.calls += 1;
        let offset = |dtype: DType, step: usize| {
            let width = (dtype.bits() as usize / 8).max(1);
            Stand::Offset(step * width % LINE)
        };
        match self.calls % 3 {
            0 => [Stand::Last; 2],
            1 => [Stand::First; 2],
            _ => {
                let step = self.calls / 3;
                [offset(request.from, step), offset(request.to, step / LINE + 3 * step)]
            }
        }
    }
}

impl<T: Testee> Testee for Guarded<T> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn digest(&self) -> Option<Line> {
        self.inner.digest()
    }

    fn given_up(&self) -> Option<String> {
        self.inner.given_up()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let length = match packed_len(request.to, count) {
            Ok(length) if length.max(input.len()) <= LONGEST => length,
            _ => return self.inner.cast(request, count, input),
        };
        let stands = self.stands(request);
        let mut outputs = Vec::new();
        for fill in FILLS {
            let inner = &mut self.inner;
            let (reply, output, trespass) =
                self.rooms.call(input, length, fill, stands, |input, output| {
                    inner.cast_into(request, count, input, output)
                });
            match reply {
                None => return self.inner.cast(request, count, input),
                Some(Reply::Output(())) => {}
                Some(refused) => return refused.map(|()| Vec::new()),
            }
            if let Some(trespass) = trespass {
                return Reply::Error(format!("{MEMORY}{}", trespass.name()));
            }
            outputs.push(output);
        }
        let kept = |(first, second): (&u8, &u8)| [*first, *second] == FILLS;
        if outputs[0].iter().zip(&outputs[1]).any(kept) {
            return Reply::Error(format!("{MEMORY}left unwritten"));
        }
        Reply::Output(outputs.swap_remove(0))
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.inner.ask(question)
    }
}
