//! Memory between two pages without access, and the signals that an access to them raises.

use super::asking::last_words;
use crate::trespass::Trespass;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

/// The signals that an access to such a page raises.
const SIGNALS: [i32; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The signals that end a program, and what raised them.
const ENDS: [(i32, &str); 3] = [
    (libc::SIGABRT, "the kernel ends the program, as by `abort` or a failed assertion"),
    (libc::SIGFPE, "a trap of arithmetic, as of an integer divided by zero"),
    (libc::SIGILL, "an instruction that this processor does not have"),
];

/// The signals that have our handler during a watch.
const HANDLED: [i32; SIGNALS.len() + ENDS.len()] =
    [SIGNALS[0], SIGNALS[1], ENDS[0].0, ENDS[1].0, ENDS[2].0];

/// How many watches there can be at once; one more waits until one of them ends.
const WATCHES: usize = 16;

/// Pages of a watch: before and after the input, before and after the output.
const PAGES: usize = 4;

/// First addresses of the pages of all watches; 0: there is none.
static STARTS: [[AtomicUsize; PAGES]; WATCHES] =
    [const { [const { AtomicUsize::new(0) }; PAGES] }; WATCHES];

/// What was done to each page: nothing, read (or a first attempt to write), written.
static TOUCHED: [[AtomicI32; PAGES]; WATCHES] =
    [const { [const { AtomicI32::new(0) }; PAGES] }; WATCHES];

/// The pages of each watch's input that must not be written now: first address and end; 0: there are none.
static INPUTS: [[AtomicUsize; 2]; WATCHES] =
    [const { [const { AtomicUsize::new(0) }; 2] }; WATCHES];

/// Where the first write to these pages was; 0: nowhere.
static WRITTEN: [AtomicUsize; WATCHES] = [const { AtomicUsize::new(0) }; WATCHES];

/// Which watches there are, and the handlers that the first of them replaced.
static STATE: Mutex<State> =
    Mutex::new(State { is_taken: [false; WATCHES], before: [None; HANDLED.len()] });

/// Tells a thread that waits that a watch has ended.
static ENDED: Condvar = Condvar::new();

/// The message before a fault outside these pages ends the process.
const FAR: &str = "a fault far from both buffers, or a load or store that needs them aligned";

/// The message before a signal that no access raised ends the process.
const SENT: &str = "a signal of faults that was sent, as by `raise`";

fn page_size() -> usize {
    static SIZE: OnceLock<usize> = OnceLock::new();
    // SAFETY: asks for a constant of the system.
    *SIZE.get_or_init(|| unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize)
}

struct State {
    is_taken: [bool; WATCHES],
    before: [Option<libc::sigaction>; HANDLED.len()],
}

impl State {
    fn is_idle(&self) -> bool {
        !self.is_taken.contains(&true)
    }

    /// Installs the handler. That of a framework for signals that end a program stays, since it has words of its own.
    ///
    /// # Errors
    /// If the system refuses it.
    fn install(&mut self) -> io::Result<()> {
        page_size(); // so that the handler finds it
        for (signal, before) in HANDLED.into_iter().zip(&mut self.before) {
            // SAFETY: both structures are valid for the call; the handler does nothing but what
            // is allowed in one (see `on_signal`).
            let old = unsafe { exchange(signal)? };
            *before = Some(old)
                .filter(|_| SIGNALS.contains(&signal) || old.sa_sigaction == libc::SIG_DFL);
            if before.is_none() {
                // SAFETY: puts back what was there before.
                unsafe { libc::sigaction(signal, &raw const old, ptr::null_mut()) };
            }
        }
        Ok(())
    }

    /// Puts back the handlers that were there before.
    fn restore(&mut self) {
        for (signal, before) in HANDLED.into_iter().zip(&mut self.before) {
            if let Some(before) = before.take() {
                // SAFETY: puts back what was there before.
                unsafe { libc::sigaction(signal, &raw const before, ptr::null_mut()) };
            }
        }
    }
}

/// Makes our handler that of a signal. Returns the one before.
///
/// # Errors
/// If the system refuses it.
///
/// # Safety
/// The signal is one of [`HANDLED`].
unsafe fn exchange(signal: i32) -> io::Result<libc::sigaction> {
    // SAFETY: both structures are valid for the call; the handler does nothing but what is allowed in
    // one (see `on_signal`).
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let mut old: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, &raw const action, &raw mut old) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(old)
    }
}

/// Watches the pages of two regions. The signal handler is installed as long as there is a watch.
pub(super) struct Watch {
    number: usize,
}

impl Watch {
    /// Begins to watch; waits if there are [`WATCHES`] others.
    ///
    /// # Errors
    /// If the system refuses the handler.
    pub(super) fn begin() -> io::Result<Watch> {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let number = loop {
            match state.is_taken.iter().position(|is_taken| !is_taken) {
                Some(number) => break number,
                None => state = ENDED.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        };
        if state.is_idle()
            && let Err(problem) = state.install()
        {
            state.restore();
            return Err(problem);
        }
        state.is_taken[number] = true;
        Ok(Watch { number })
    }

    /// Maps memory for one of the two buffers, of which this is the number.
    ///
    /// # Errors
    /// If the system has no memory left.
    pub(super) fn region(&self, number: usize) -> io::Result<Region> {
        let pages = [2 * number, 2 * number + 1].map(|page| Page { watch: self.number, page });
        Region::open(pages, number == 0, 0)
    }

    /// Installs the handlers again that a kernel replaced. Returns whether one was.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(super) fn reinstall(&self) -> io::Result<bool> {
        debug_assert!(self.number < WATCHES);
        let mut is_replaced = false;
        for signal in SIGNALS {
            // SAFETY: only asks which handler there is, and puts back ours.
            unsafe {
                let mut now: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, ptr::null(), &raw mut now) != 0 {
                    return Err(io::Error::last_os_error());
                }
                if now.sa_sigaction != on_signal as *const () as usize {
                    exchange(signal)?;
                    is_replaced = true;
                }
            }
        }
        Ok(is_replaced)
    }

    /// Makes the pages of these bytes of the input read-only, as those of an input that is mapped twice are
    /// already.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(super) fn protect(&self, input: &Region, bytes: std::ops::Range<usize>) -> io::Result<()> {
        let page = page_size();
        let bytes = if input.is_twofold() { 0..input.end } else { bytes };
        if bytes.is_empty() {
            return Ok(());
        }
        let first = input.base() as usize + bytes.start / page * page;
        let end = input.base() as usize + bytes.end.next_multiple_of(page);
        let [known_first, known_end] = &INPUTS[self.number];
        known_end.store(end, Ordering::SeqCst);
        known_first.store(first, Ordering::SeqCst);
        if input.is_twofold() {
            return Ok(());
        }
        // SAFETY: the pages lie in our mapping; nothing is written to them until `unprotect`, other than by
        // a kernel, which the handler lets go on.
        if unsafe { libc::mprotect(first as *mut _, end - first, libc::PROT_READ) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Makes an input ready to be filled again. Returns the address of the first write since then.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(super) fn unprotect(&self, input: &Region) -> io::Result<Option<usize>> {
        let [first, end] = &INPUTS[self.number];
        let first = first.swap(0, Ordering::SeqCst);
        if first == 0 {
            return Ok(None);
        }
        let written = Some(WRITTEN[self.number].swap(0, Ordering::SeqCst)).filter(|at| *at != 0);
        if input.is_twofold() && written.is_none() {
            return Ok(None);
        }
        let length = end.load(Ordering::SeqCst) - first;
        // SAFETY: the pages lie in our mapping.
        if unsafe { libc::mprotect(first as *mut _, length, input.access()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(written)
    }

    /// Forgets what was touched.
    pub(super) fn clear(&self) {
        for touched in &TOUCHED[self.number] {
            touched.store(0, Ordering::SeqCst);
        }
    }

    /// Returns what was done to the pages since then; a write counts before a read.
    pub(super) fn touched(&self) -> Option<Trespass> {
        let touched = TOUCHED[self.number].each_ref().map(|it| it.load(Ordering::SeqCst));
        let page = |how: i32| touched.iter().position(|touched| *touched == how);
        let wrote = page(2).map(|page| Trespass::Wrote { after: page % 2 == 1 });
        wrote.or_else(|| page(1).map(|page| Trespass::Read { after: page % 2 == 1 }))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A kernel that panicked has left its input as it was during the call.
        INPUTS[self.number][0].store(0, Ordering::SeqCst);
        WRITTEN[self.number].store(0, Ordering::SeqCst);
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_taken[self.number] = false;
        if state.is_idle() {
            state.restore();
        }
        ENDED.notify_one();
    }
}

/// A page that is watched, as the handler knows it.
#[derive(Clone, Copy)]
struct Page {
    watch: usize,
    page: usize,
}

impl Page {
    fn start(self) -> &'static AtomicUsize {
        &STARTS[self.watch][self.page]
    }

    fn touched(self) -> &'static AtomicI32 {
        &TOUCHED[self.watch][self.page]
    }
}

/// Memory with its two pages. That of an input is mapped twice where the system can do so: once for the kernel, who
/// may only read it, and once for whoever fills it. Taking the right to write away for each call would cost
/// more than most calls, by two calls of the system and faults of pages.
pub(super) struct Region {
    mapping: *mut u8,
    /// The same memory, which can be written there.
    writable: *mut u8,
    /// Bytes between the two pages; a multiple of the size of a page.
    inside: usize,
    /// Where the page after the buffer begins, from the start of the region.
    end: usize,
    /// The page before the buffer, and the one after it.
    pages: [Page; 2],
}

impl Region {
    /// Maps memory for a buffer of `length` bytes.
    ///
    /// # Errors
    /// If the system has no memory left.
    fn open(pages: [Page; 2], is_input: bool, length: usize) -> io::Result<Region> {
        let page = page_size();
        let too_long = || io::Error::from(io::ErrorKind::OutOfMemory);
        let inside = length.checked_next_multiple_of(page).and_then(|it| it.checked_add(page));
        let inside = inside.ok_or_else(too_long)?;
        let all = inside.checked_add(2 * page).ok_or_else(too_long)?;
        let twice = if is_input { map_twice(all) } else { None };
        let [mapping, writable] = match twice {
            Some(both) => both,
            None => [map(all, libc::PROT_READ | libc::PROT_WRITE, None)?; 2],
        };
        let region = Region { mapping, writable, inside, end: inside, pages };
        region.close()?;
        Ok(region)
    }

    /// Maps memory for a longer buffer instead.
    ///
    /// # Errors
    /// If the system has no memory left. The region is as before then.
    pub(super) fn grow(&mut self, length: usize) -> io::Result<()> {
        let length = length.checked_next_power_of_two().unwrap_or(length);
        let longer = Region::open(self.pages, self.pages[0].page == 0, length);
        if longer.is_err() {
            self.close()?; // the pages of this region are watched again
        }
        // The old region must not forget the pages of the new one when it is dropped.
        let mut old = std::mem::replace(self, longer?);
        old.unmap();
        Ok(())
    }

    /// The first byte between the pages.
    pub(super) fn base(&self) -> *mut u8 {
        self.mapping.wrapping_add(page_size())
    }

    /// The same byte, where the memory can be written.
    pub(super) fn writable(&self) -> *mut u8 {
        self.writable.wrapping_add(page_size())
    }

    pub(super) fn inside(&self) -> usize {
        self.inside
    }

    fn is_twofold(&self) -> bool {
        self.mapping != self.writable
    }

    /// The access to what lies between the pages, outside of calls.
    fn access(&self) -> i32 {
        if self.is_twofold() { libc::PROT_READ } else { libc::PROT_READ | libc::PROT_WRITE }
    }

    /// Chooses which page after the first one must not be touched: the one at the end of the region,
    /// or the one where a buffer of `length` bytes from the start ends. Returns whether there is one.
    pub(super) fn end_at(&mut self, length: usize) -> bool {
        let end = if length == 0 { self.inside } else { length };
        if !end.is_multiple_of(page_size()) || end > self.inside {
            return false;
        }
        if end != self.end && self.end < self.inside {
            let page = self.base().wrapping_add(self.end);
            // SAFETY: the page lies in our mapping.
            if unsafe { libc::mprotect(page.cast(), page_size(), self.access()) } != 0 {
                return false;
            }
        }
        self.end = end;
        true
    }

    /// Removes the access to both pages.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(super) fn close(&self) -> io::Result<()> {
        let page = page_size();
        let starts = [self.mapping as usize, self.base() as usize + self.end];
        for (watched, start) in self.pages.into_iter().zip(starts) {
            if watched.start().swap(start, Ordering::SeqCst) == start
                && watched.touched().load(Ordering::SeqCst) == 0
            {
                continue; // it is closed
            }
            // SAFETY: the page lies in our mapping, and no slice reaches into it.
            if unsafe { libc::mprotect(start as *mut _, page, libc::PROT_NONE) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    fn unmap(&mut self) {
        let is_twofold = self.is_twofold();
        let writable = std::mem::replace(&mut self.writable, ptr::null_mut());
        let mapping = std::mem::replace(&mut self.mapping, ptr::null_mut());
        if !mapping.is_null() {
            // SAFETY: our mappings, of which no slice is left.
            unsafe {
                libc::munmap(mapping.cast(), self.inside + 2 * page_size());
                if is_twofold {
                    libc::munmap(writable.cast(), self.inside + 2 * page_size());
                }
            }
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if !self.mapping.is_null() {
            for page in self.pages {
                page.start().store(0, Ordering::SeqCst);
            }
            self.unmap();
        }
    }
}

/// Maps memory of a file, or of nobody else.
///
/// # Errors
/// If the system has no memory left.
fn map(length: usize, access: i32, file: Option<i32>) -> io::Result<*mut u8> {
    let kind = if file.is_some() { libc::MAP_SHARED } else { libc::MAP_PRIVATE | libc::MAP_ANON };
    // SAFETY: a fresh mapping, of which nobody else knows.
    let mapping =
        unsafe { libc::mmap(ptr::null_mut(), length, access, kind, file.unwrap_or(-1), 0) };
    if mapping == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(mapping.cast()) }
}

/// Maps memory once to be read and once to be written. `None` if the system cannot do that.
#[cfg(target_os = "linux")]
fn map_twice(length: usize) -> Option<[*mut u8; 2]> {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    // Programs for a libc of 2012 have no function for this call.
    // SAFETY: it takes a text, and the file that it returns is ours.
    let file = unsafe {
        let name = c"castproof".as_ptr();
        let file = libc::syscall(libc::SYS_memfd_create, name, libc::MFD_CLOEXEC);
        OwnedFd::from_raw_fd(i32::try_from(file).ok().filter(|file| *file >= 0)?)
    };
    // SAFETY: the file is open.
    if unsafe { libc::ftruncate(file.as_raw_fd(), length.try_into().ok()?) } != 0 {
        return None;
    }
    let file = Some(file.as_raw_fd());
    let read = map(length, libc::PROT_READ, file).ok()?;
    let Ok(written) = map(length, libc::PROT_READ | libc::PROT_WRITE, file) else {
        // SAFETY: nobody knows of it.
        unsafe { libc::munmap(read.cast(), length) };
        return None;
    };
    Some([read, written])
}

#[cfg(not(target_os = "linux"))]
fn map_twice(_: usize) -> Option<[*mut u8; 2]> {
    None
}

/// Opens the page that was touched and lets the kernel go on. Any other signal ends the process, as
/// it would without this handler, after a line that names the call.
extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system hands a valid structure to a handler with SA_SIGINFO; `mprotect`, `sigaction`,
    // `raise`, `last_words`, which takes no memory, and loads and stores of atomics are all that is done here.
    unsafe {
        // Where a signal was sent, the place of the address holds who sent it.
        let is_sent = (*info).si_code <= 0;
        let is_access = SIGNALS.contains(&signal);
        if is_access && !is_sent && is_ours((*info).si_addr() as usize) {
            return;
        }
        let end = ENDS.iter().find(|(number, _)| *number == signal);
        // The gate has words of its own for a testee that dies, which begin with the call.
        last_words("", end.map_or(if is_sent { SENT } else { FAR }, |(_, what)| what));
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
        // It waits until the handler returns. An access would fault again by itself.
        libc::raise(signal);
    }
}

/// Notes an access to a page that is watched, and opens it. Returns whether it is one.
///
/// # Safety
/// Called by the handler alone.
unsafe fn is_ours(address: usize) -> bool {
    let size = page_size();
    for (page, touched) in STARTS.as_flattened().iter().zip(TOUCHED.as_flattened()) {
        let start = page.load(Ordering::SeqCst);
        if start != 0 && (start..start + size).contains(&address) {
            let access = match touched.fetch_add(1, Ordering::SeqCst) {
                0 => libc::PROT_READ,
                _ => libc::PROT_READ | libc::PROT_WRITE,
            };
            // SAFETY: the page lies in a mapping of ours.
            return unsafe { libc::mprotect(start as *mut _, size, access) } == 0;
        }
    }
    for ([first, end], written) in INPUTS.iter().zip(&WRITTEN) {
        let (first, end) = (first.load(Ordering::SeqCst), end.load(Ordering::SeqCst));
        if first != 0 && (first..end).contains(&address) {
            let _ = written.compare_exchange(0, address, Ordering::SeqCst, Ordering::SeqCst);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: the pages lie in a mapping of ours.
            return unsafe { libc::mprotect(first as *mut _, end - first, access) } == 0;
        }
    }
    false
}
