//! Programs in C and Rust that pass one element to a function of the user's.

use super::case::Case;
use super::literal::{self, list};
use anyhow::{Result, bail};
use castproof_vectors::{DType, packed_len};

/// Returns `reproduce.c`, to be linked with `void cast(const void *, void *, size_t)`.
pub(super) fn c(case: &Case) -> Result<String> {
    let Parts { bytes, mask, size, right, .. } = Parts::of(case)?;
    let right: Vec<String> =
        right.iter().map(|[first, last]| format!("{{{first:#x}ULL, {last:#x}ULL}}")).collect();
    Ok(format!(
        "/* {title}: one element. Prints what came back and what is due; exits with 1 if they differ.\n   \
         cc reproduce.c kernel.c && ./a.out */\n\
         #include <stdio.h>\n#include <string.h>\n\n\
         /* Yours: casts count elements, packed and little-endian. */\n\
         void cast(const void *input, void *output, size_t count);\n\n\
         int main(void)\n{{\n    \
         static const unsigned char input[] = {{{bytes}}}; /* {input} */\n    \
         static const unsigned long long right[][2] = {{{right}}}; /* first and last code */\n    \
         unsigned char output[{size}];\n    unsigned long long got = 0;\n    size_t i;\n\n    \
         memset(output, 0xa5, sizeof output);\n    cast(input, output, 1);\n    \
         for (i = sizeof output; i-- > 0;)\n        got = got << 8 | output[i];\n    got &= {mask:#x}ULL;\n    \
         printf(\"got 0x%0{digits}llx (recorded: %s), expected %s\\n\", got, {seen}, {due});\n    \
         for (i = 0; i < sizeof right / sizeof right[0]; i++)\n        \
         if (right[i][0] <= got && got <= right[i][1])\n            return 0;\n    return 1;\n}}\n",
        title = case.title(),
        bytes = list(&bytes),
        input = case.input_words(),
        right = right.join(", "),
        digits = case.to.bits().div_ceil(4),
        seen = literal::c(&case.got_words()),
        due = literal::c(&case.expect_words()),
    ))
}

/// Returns `reproduce.rs`, which needs a `kernel.rs` beside it with
/// `pub fn cast(&[u8], &mut [u8], usize)`.
pub(super) fn rust(case: &Case) -> Result<String> {
    let Parts { bytes, mask, size, right, .. } = Parts::of(case)?;
    let right: Vec<String> =
        right.iter().map(|[first, last]| format!("({first:#x}, {last:#x})")).collect();
    Ok(format!(
        "// {title}: one element. Prints what came back and what is due; exits with 1 if they differ.\n\
         // rustc reproduce.rs && ./reproduce\n\n\
         // Yours: pub fn cast(input: &[u8], output: &mut [u8], count: usize), elements packed and little-endian.\n\
         mod kernel;\n\n\
         fn main() {{\n    \
         let input = [{bytes}]; // {input}\n    \
         let right: &[(u64, u64)] = &[{right}]; // first and last code\n    \
         let mut output = [0xa5; {size}];\n    kernel::cast(&input, &mut output, 1);\n    \
         let got = output.iter().rev().fold(0, |code: u64, &byte| code << 8 | u64::from(byte)) & {mask:#x};\n    \
         println!(\"got 0x{{got:0{digits}x}} (recorded: {{}}), expected {{}}\", {seen}, {due});\n    \
         let is_right = right.iter().any(|&(first, last)| (first..=last).contains(&got));\n    \
         std::process::exit(i32::from(!is_right));\n}}\n",
        title = case.title(),
        bytes = list(&bytes),
        input = case.input_words(),
        right = right.join(", "),
        digits = case.to.bits().div_ceil(4),
        seen = literal::rust(&case.got_words()),
        due = literal::rust(&case.expect_words()),
    ))
}

/// The parts of a case that both languages need.
struct Parts {
    bytes: Vec<u8>,
    /// The bits of an element of the target.
    mask: u64,
    /// Bytes of the output.
    size: usize,
    right: Vec<[u64; 2]>,
}

impl Parts {
    fn of(case: &Case) -> Result<Parts> {
        if [case.from, case.to].contains(&DType::String) {
            bail!("C and Rust programs hold no strings; name a form with --as onnx");
        }
        case.must_be_one_cast()?;
        if case.is_refusal() {
            bail!("{} is a cast to be refused, which a function cannot; give --as onnx", case.id);
        }
        let size = packed_len(case.to, 1).map_err(anyhow::Error::msg)?;
        let mask = u64::MAX >> (64 - case.to.bits());
        Ok(Parts { bytes: case.input_bytes(), mask, size, right: case.right_codes() })
    }
}
