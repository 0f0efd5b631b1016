//! Blocks of a shared library: its function `castproof_quantize`, as `castproof.h` declares it.
#![allow(unsafe_code, reason = "a foreign function can be called in no other way")]

use super::guarded::FILLS;
use super::testee::{Reply, Returned};
use castproof_vectors::{QuantizeTensor, packed_len};
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

/// The size of the buffer for a message, in bytes.
const MESSAGE: usize = 512;

/// Bytes before and after each output that must keep what they hold.
const BESIDE: usize = 128;

/// `struct castproof_blocks` of `castproof.h`.
#[repr(C)]
pub(super) struct CBlocks {
    rule: *const c_char,
    from: *const c_char,
    to: *const c_char,
    scale: *const c_char,
    block_size: usize,
    rank: usize,
    axis: usize,
    shape: *const usize,
    largest: *const f32,
    input_bytes: usize,
    scale_bytes: usize,
    element_bytes: usize,
}

/// `castproof_quantize` of `castproof.h`.
pub(super) type QuantizeFunction = unsafe extern "C" fn(
    blocks: *const CBlocks,
    input: *const c_void,
    scales: *mut u8,
    elements: *mut c_void,
    message: *mut c_char,
    message_size: usize,
) -> c_int;

/// An output between bytes that must stay as they are.
struct Output {
    bytes: Vec<u8>,
    length: usize,
}

impl Output {
    fn new(length: usize, fill: u8) -> Output {
        Output { bytes: vec![fill; length + 2 * BESIDE], length }
    }

    fn start(&mut self) -> *mut u8 {
        self.bytes[BESIDE..].as_mut_ptr()
    }

    fn inside(&self) -> &[u8] {
        &self.bytes[BESIDE..BESIDE + self.length]
    }

    fn is_kept_beside(&self, fill: u8) -> bool {
        let (before, rest) = self.bytes.split_at(BESIDE);
        before.iter().chain(&rest[self.length..]).all(|byte| *byte == fill)
    }
}

/// Quantises a tensor, and does so again with another fill as long as a byte kept each of them, which may be one that was not
/// written. The answer is that of the first call: the scales, then the packed elements.
pub(super) fn quantize(function: QuantizeFunction, question: &QuantizeTensor) -> Reply<Returned> {
    let (mut first, mut kept) = (Vec::new(), Vec::new());
    for (number, fill) in FILLS.into_iter().enumerate() {
        let output = match called(function, question, fill) {
            Reply::Output(output) => output,
            refused => return refused.map(|_| Returned::default()),
        };
        if number == 0 {
            kept = (0..output.len()).collect();
            first.clone_from(&output);
        }
        kept.retain(|&at| output[at] == fill);
        if kept.is_empty() {
            return Reply::Output(Returned { bytes: first, ..Returned::default() });
        }
    }
    Reply::Error("memory: left unwritten".into())
}

/// Calls the function with outputs that hold this byte.
fn called(function: QuantizeFunction, question: &QuantizeTensor, fill: u8) -> Reply<Vec<u8>> {
    let sizes = question.layout().map(|layout| layout.scales());
    let sizes = sizes.and_then(|scales| packed_len(question.scale, scales));
    let sizes = sizes.and_then(|scales| Ok((scales, packed_len(question.to, question.count())?)));
    let (scale_bytes, element_bytes) = match sizes {
        Ok(sizes) => sizes,
        Err(problem) => return Reply::Error(problem),
    };
    // Sides were multiplied to a count already.
    let shape: Vec<usize> = question.shape.iter().map(|&side| side as usize).collect();
    let word = |text: &str| CString::new(text).unwrap_or_default();
    let rule = word(question.profile.name());
    let [from, to, scale] =
        [question.from, question.to, question.scale].map(|dtype| word(dtype.name()));
    let largest = question.largest.map(|code| f32::from_bits(code.value() as u32));
    let input = aligned(&question.input.0);
    let before = input.clone();
    let mut scales = Output::new(scale_bytes, fill);
    let mut elements = Output::new(element_bytes, fill);
    let mut message = vec![0; MESSAGE];
    let described = CBlocks {
        rule: rule.as_ptr(),
        from: from.as_ptr(),
        to: to.as_ptr(),
        scale: scale.as_ptr(),
        block_size: question.block_size as usize,
        rank: shape.len(),
        axis: question.axis as usize,
        shape: shape.as_ptr(),
        largest: largest.as_ref().map_or(ptr::null(), ptr::from_ref),
        input_bytes: question.input.0.len(),
        scale_bytes,
        element_bytes,
    };
    let (its_input, its_message) = (input.as_ptr().cast(), message.as_mut_ptr().cast());
    // SAFETY: every pointer is valid for the length that stands beside it until the call returns, and none is kept; what
    // the library does with them is on trial here.
    let status = unsafe {
        let elements = elements.start().cast();
        function(&described, its_input, scales.start(), elements, its_message, MESSAGE)
    };
    // The library may have written over the input behind the compiler's back.
    if std::hint::black_box(&input) != &before {
        return Reply::Error("memory: written over the input".into());
    }
    if !(scales.is_kept_beside(fill) && elements.is_kept_beside(fill)) {
        return Reply::Error("memory: written outside".into());
    }
    let end = message.iter().position(|&byte| byte == 0).unwrap_or(MESSAGE);
    let said = String::from_utf8_lossy(&message[..end]).into_owned();
    match status {
        0 => Reply::Output([scales.inside(), elements.inside()].concat()),
        1 => Reply::Unsupported(said),
        _ => Reply::Error(said),
    }
}

/// Copies bytes to where numbers of up to 64 bits are aligned, as a kernel expects.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let number = |part: &[u8]| {
        let mut eight = [0; 8];
        eight[..part.len()].copy_from_slice(part);
        u64::from_ne_bytes(eight)
    };
    bytes.chunks(8).map(number).collect()
}
