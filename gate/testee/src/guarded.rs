//! A testee that gets buffers of the gate in every call: for code that nothing else checks while it
//! runs, such as that of a shared library.

use super::limits::Limits;
use super::testee::{Identity, Reply, Returned, Testee};
use castproof_check::Trespass;
use castproof_check::memory::{LINE, Rooms, Stand};
use castproof_vectors::{DType, OneLine, Profile, Question, Request, packed_len};
use std::io;

/// The prefix of the error message for a memory fault.
const MEMORY: &str = "memory: ";

/// The bytes that fill an output before a call. A byte that keeps all of them was not written.
pub(super) const FILLS: [u8; 4] = [0xa5, 0x5a, 0x96, 0x69];

/// The calls that are always made.
const USUAL: usize = 2;

/// Outputs of more bytes are long: a second call would take as long as all others together.
const LONG: usize = 1 << 16;

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

    /// Chooses where the buffers of both calls of the next tensor stand: once they end at a page, once
    /// they begin at one or stand at any address.
    fn stands(&mut self, request: &Request) -> [[Stand; 2]; 2] {
        self.calls += 1;
        let step = self.calls / 4;
        let offset = |dtype: DType, step: usize| {
            let width = (dtype.bits() as usize / 8).max(1);
            Stand::Offset(step * width % LINE)
        };
        let other = match self.calls % 4 {
            0 | 1 => [Stand::First; 2],
            _ => [offset(request.from, step), offset(request.to, step / LINE + 3 * step)],
        };
        let mut stands = [[Stand::Last; 2], other];
        if self.calls.is_multiple_of(2) {
            stands.reverse();
        }
        stands
    }

    /// Calls the testee with two fills, at both stands, and with the others as long as some bytes kept every
    /// fill: where a result is open, a library may give another one each time, and by chance that of a fill.
    /// Returns the first output. A long output without a byte of the first fill was written whole, and then
    /// the second call is left out. `None` if the testee has buffers of its own, or the system has no memory
    /// for others.
    fn call(
        &mut self,
        request: &Request,
        (count, length): (usize, usize),
        input: &[u8],
        stands: [[Stand; 2]; 2],
    ) -> Option<Reply> {
        let (mut first, mut kept) = (Vec::new(), Vec::new());
        for (number, fill) in FILLS.into_iter().enumerate() {
            let inner = &mut self.inner;
            let call =
                |input: &[u8], output: &mut [u8]| inner.cast_into(request, count, input, output);
            let stands = stands[number % stands.len()];
            let called = self.rooms.call(input, (length, fill), stands, call).ok()?;
            match called.result? {
                Reply::Output(()) => {}
                refused => return Some(refused.map(|()| Vec::new())),
            }
            let wrote = (called.input != input).then_some(Trespass::Input);
            if let Some(trespass) = called.trespass.or(wrote) {
                return Some(Reply::Error(format!("{MEMORY}{}", trespass.name())));
            }
            let output = called.output;
            if number == 0 {
                first = output.to_vec();
                kept = places_of(fill, output);
            } else {
                kept.retain(|&at| output[at] == fill);
            }
            let is_told = number + 1 >= USUAL || length > LONG;
            if is_told && kept.is_empty() {
                return Some(Reply::Output(first));
            }
        }
        Some(Reply::Error(format!("{MEMORY}left unwritten")))
    }
}

/// How many bytes are searched at once.
const BLOCK: usize = 64;

/// Returns where a byte stands. It is no part of the generic code above, so that it is compiled here with the level of this
/// crate: an output may have millions of bytes.
fn places_of(byte: u8, output: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    for (block, bytes) in output.chunks(BLOCK).enumerate() {
        // Searched by the standard library's `memchr`, because most blocks have none.
        if bytes.contains(&byte) {
            let of_block = bytes.iter().enumerate().filter(|(_, it)| **it == byte);
            places.extend(of_block.map(|(at, _)| BLOCK * block + at));
        }
    }
    places
}

impl<T: Testee> Testee for Guarded<T> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn digest(&self) -> Option<OneLine> {
        self.inner.digest()
    }

    fn given_up(&self) -> Option<String> {
        self.inner.given_up()
    }

    fn profiles(&self) -> Vec<Profile> {
        self.inner.profiles()
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let length = match packed_len(request.to, count) {
            Ok(length) => length,
            Err(_) => return self.inner.cast(request, count, input),
        };
        let stands = self.stands(request);
        match self.call(request, (count, length), input, stands) {
            Some(reply) => reply,
            None => self.inner.cast(request, count, input),
        }
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.inner.ask(question)
    }
}
