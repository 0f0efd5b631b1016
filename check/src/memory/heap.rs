//! Memory without pages that are watched, for systems on which there are none.

use super::line::LINE;
use crate::trespass::Trespass;
use castproof_vectors::Request;
use std::io;

/// Bytes around a buffer that a kernel may overwrite without harm to others.
const AROUND: usize = 4096;

/// Watches nothing.
pub(super) struct Watch;

impl Watch {
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn begin() -> io::Result<Watch> {
        Ok(Watch)
    }

    #[expect(clippy::unused_self, reason = "as on Unix")]
    pub(super) fn region(&self, _: usize) -> io::Result<Region> {
        Region::open(0)
    }

    pub(super) fn clear(&self) {}

    pub(super) fn touched(&self) -> Option<Trespass> {
        None
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn reinstall(&self) -> io::Result<bool> {
        Ok(false)
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn protect(&self, _: &Region, _: std::ops::Range<usize>) -> io::Result<()> {
        Ok(())
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn unprotect(&self, _: &Region) -> io::Result<Option<usize>> {
        Ok(None)
    }
}

/// Memory of the heap. It begins and ends at a multiple of 64 bytes.
pub(super) struct Region {
    _memory: Vec<[u64; 8]>,
    base: *mut u8,
    inside: usize,
}

impl Region {
    fn open(length: usize) -> io::Result<Region> {
        let lines = (length.next_multiple_of(AROUND) + AROUND) / LINE;
        let mut memory: Vec<[u64; 8]> = Vec::new();
        let too_long = |_| io::Error::from(io::ErrorKind::OutOfMemory);
        memory.try_reserve_exact(lines + 1).map_err(too_long)?;
        memory.resize(lines + 1, [0; 8]);
        let start = memory.as_mut_ptr().cast::<u8>();
        let base = start.wrapping_add(start.align_offset(LINE));
        Ok(Region { _memory: memory, base, inside: lines * LINE })
    }

    pub(super) fn grow(&mut self, length: usize) -> io::Result<()> {
        *self = Region::open(length)?;
        Ok(())
    }

    pub(super) fn base(&self) -> *mut u8 {
        self.base
    }

    pub(super) fn writable(&self) -> *mut u8 {
        self.base
    }

    pub(super) fn inside(&self) -> usize {
        self.inside
    }

    #[expect(clippy::unused_self, reason = "as on Unix")]
    pub(super) fn end_at(&mut self, length: usize) -> bool {
        length == 0
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn close(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Does nothing: no handler of the end of a program is known here.
#[derive(Debug)]
pub struct Asking(());

impl Asking {
    /// Begins.
    pub fn begin() -> Asking {
        Asking(())
    }

    #[expect(clippy::unused_self, clippy::needless_pass_by_ref_mut, reason = "as on Unix")]
    pub(crate) fn calls(&mut self, _: &Request, _: usize) {}
}
