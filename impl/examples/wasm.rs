//! Casts as a module of WebAssembly that `cargo xtask bench-wasm` times in Node. It needs no unsafe code: both
//! sides share two rooms, and JavaScript asks where they lie.
#![allow(unsafe_code, reason = "names of exports; no pointer is followed here")]

use castproof_impl::{Cast, DType};
use std::cell::RefCell;

thread_local! {
    /// The bytes of the input and of the output.
    static ROOMS: RefCell<[Vec<u8>; 2]> = const { RefCell::new([const { Vec::new() }; 2]) };
}

/// Makes a room as long as this and returns where it lies.
#[unsafe(no_mangle)]
pub extern "C" fn make(room: usize, bytes: usize) -> *const u8 {
    ROOMS.with_borrow_mut(|rooms| rooms[room] = vec![0; bytes]);
    place(room)
}

/// Returns where a room lies, until it is made again.
#[unsafe(no_mangle)]
pub extern "C" fn place(room: usize) -> *const u8 {
    ROOMS.with_borrow(|rooms| rooms[room].as_ptr())
}

/// Casts the input of so many elements `times` times. The dtypes are numbers in the order of `DType::NUMERIC`.
#[unsafe(no_mangle)]
pub extern "C" fn run(from: usize, to: usize, count: usize, times: usize) {
    let cast = Cast::new(DType::NUMERIC[from], DType::NUMERIC[to]).expect("numeric dtypes");
    ROOMS.with_borrow_mut(|[input, output]| {
        for _ in 0..times {
            cast.run(input, count, output).expect("rooms of the right length");
        }
    });
}
