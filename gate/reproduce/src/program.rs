//! Programs in C and Rust that pass one element, or a tensor of equal elements, to a function of the
//! user's.

use super::case::{Case, Graph};
use super::literal::{self, list};
use anyhow::{Result, bail};
use castproof_vectors::{Attributes, DType, NEWEST, packed_len};

/// Returns `reproduce.c`, which calls the function of `castproof.h`.
pub(super) fn c(case: &Case, command: &str) -> Result<String> {
    let Parts { pattern, sizes, last, bits, mask, right } = Parts::of(case)?;
    let right: Vec<String> =
        right.iter().map(|[first, last]| format!("{{{first:#x}ULL, {last:#x}ULL}}")).collect();
    let Attributes { saturate, round_mode } = case.attributes;
    Ok(format!(
        "/* {title}: {extent}. Prints what came back and what is due; exits with 1 if they differ.\n   \
         {command} */\n\
         #include <stdio.h>\n#include <string.h>\n\n\
         enum {{ COUNT = {count} }};\n\n\
         /* As castproof.h declares them. */\n\
         struct castproof_request {{\n    const char *op, *from, *to;\n    int opset, saturate;\n    \
         const char *round_mode;\n    size_t count, input_bytes, output_bytes;\n}};\n\
         int castproof_cast(const struct castproof_request *request, const void *input, void *output,\n                   \
         char *message, size_t message_size);\n\n\
         int main(void)\n{{\n    \
         static const unsigned char pattern[] = {{{pattern}}}; /* {input} */\n    \
         static const unsigned long long right[][2] = {{{right}}}; /* first and last code */\n    \
         static unsigned char input[{from}], output[{to}];\n    \
         static const struct castproof_request request = {{\n        \
         {op}, {from_name}, {to_name}, {opset}, {saturate}, {round_mode}, COUNT, sizeof input, sizeof output}};\n    \
         char message[512] = \"\";\n    \
         unsigned long long got = 0;\n    size_t at, i;\n    int is_right = 0, status;\n\n    \
         for (i = 0; i < sizeof input; i++)\n        input[i] = pattern[i % sizeof pattern];\n    \
         input[sizeof input - 1] &= {last:#x};\n    \
         memset(output, 0xa5, sizeof output);\n    \
         status = castproof_cast(&request, input, output, message, sizeof message);\n    \
         if (status != 0) {{\n        \
         printf(\"got status %d: %s, expected %s\\n\", status, message, {due});\n        return 1;\n    }}\n    \
         for (at = 0; at < COUNT; at++) {{\n        got = 0;\n        \
         for (i = (at * {bits} + {bits} + 7) / 8; i-- > at * {bits} / 8;)\n            \
         got = got << 8 | output[i];\n        \
         got = got >> at * {bits} % 8 & {mask:#x}ULL;\n        is_right = 0;\n        \
         for (i = 0; i < sizeof right / sizeof right[0]; i++)\n            \
         is_right |= right[i][0] <= got && got <= right[i][1];\n        \
         if (!is_right)\n            break;\n    }}\n    \
         is_right &= (output[sizeof output - 1] & {padding:#x}) == 0;\n    \
         printf(\"element %d of %d: got 0x%0{digits}llx (recorded: %s), expected %s\\n\",\n           \
         (int)(at < COUNT ? at : COUNT - 1), COUNT, got, {seen}, {due});\n    return !is_right;\n}}\n",
        title = case.title(),
        extent = case.extent_words(),
        count = case.count,
        pattern = list(&pattern),
        input = case.input_words(),
        right = right.join(", "),
        from = sizes[0],
        to = sizes[1],
        op = literal::c(if case.graph == Graph::CastLike { "castlike" } else { "cast" }),
        from_name = literal::c(case.from.name()),
        to_name = literal::c(case.to.name()),
        opset = case.spec.opset().unwrap_or(NEWEST),
        saturate = saturate.map_or(-1, i32::from),
        round_mode = round_mode.map_or("NULL".into(), |mode| literal::c(mode.name())),
        padding = case.padding(),
        digits = case.to.bits().div_ceil(4),
        seen = literal::c(&case.got_words()),
        due = literal::c(&case.expect_words()),
    ))
}

/// Returns `reproduce.rs`, which needs a `kernel.rs` beside it with
/// `pub fn cast(&[u8], &mut [u8], usize)`.
pub(super) fn rust(case: &Case) -> Result<String> {
    let Parts { pattern, sizes, last, bits, mask, right } = Parts::of(case)?;
    let right: Vec<String> =
        right.iter().map(|[first, last]| format!("({first:#x}, {last:#x})")).collect();
    Ok(format!(
        "// {title}: {extent}. Prints what came back and what is due; exits with 1 if they differ.\n\
         // rustc reproduce.rs && ./reproduce\n\n\
         // Yours: pub fn cast(input: &[u8], output: &mut [u8], count: usize), elements packed and little-endian.\n\
         mod kernel;\n\n\
         const COUNT: usize = {count};\n\n\
         fn main() {{\n    \
         let pattern = [{pattern}]; // {input}\n    \
         let right: &[(u64, u64)] = &[{right}]; // first and last code\n    \
         let mut input: Vec<u8> = pattern.iter().copied().cycle().take({from}).collect();\n    \
         input[{from} - 1] &= {last:#x};\n    \
         let mut output = vec![0xa5; {to}];\n    kernel::cast(&input, &mut output, COUNT);\n    \
         let got = |at: usize| {{\n        \
         let bytes = &output[at * {bits} / 8..(at * {bits} + {bits} + 7) / 8];\n        \
         let code = bytes.iter().rev().fold(0, |code: u64, &byte| code << 8 | u64::from(byte));\n        \
         code >> (at * {bits} % 8) & {mask:#x}\n    }};\n    \
         let is_right = |code: u64| right.iter().any(|&(first, last)| (first..=last).contains(&code));\n    \
         let wrong = (0..COUNT).find(|&at| !is_right(got(at)));\n    \
         let at = wrong.unwrap_or(COUNT - 1);\n    \
         println!(\"element {{at}} of {{COUNT}}: got 0x{{:0{digits}x}} (recorded: {{}}), expected {{}}\", got(at), {seen}, {due});\n    \
         std::process::exit(i32::from(wrong.is_some()));\n}}\n",
        title = case.title(),
        extent = case.extent_words(),
        count = case.count,
        pattern = list(&pattern),
        input = case.input_words(),
        right = right.join(", "),
        from = sizes[0],
        to = sizes[1],
        digits = case.to.bits().div_ceil(4),
        seen = literal::rust(&case.got_words()),
        due = literal::rust(&case.expect_words()),
    ))
}

/// The parts of a case that both languages need.
struct Parts {
    /// The bytes that the input repeats.
    pattern: Vec<u8>,
    /// Bytes of the input and of the output.
    sizes: [usize; 2],
    /// The bits that the last byte of the input uses.
    last: u8,
    /// Bits of an element of the target.
    bits: u32,
    /// These bits, as a mask.
    mask: u64,
    right: Vec<[u64; 2]>,
}

impl Parts {
    fn of(case: &Case) -> Result<Parts> {
        if [case.from, case.to].contains(&DType::String) {
            bail!("C and Rust programs hold no strings; name a form with --as onnx");
        }
        if case.graph != Graph::CastLike {
            case.must_be_one_cast()?;
        }
        if case.is_refusal() {
            bail!("{} is a cast to be refused, which a function cannot; give --as onnx", case.id);
        }
        let len = |dtype| packed_len(dtype, case.count).map_err(anyhow::Error::msg);
        let used = case.count * case.from.bits() as usize % 8;
        Ok(Parts {
            pattern: case.repeats(true).0,
            sizes: [len(case.from)?, len(case.to)?],
            last: if used == 0 { 0xff } else { (1 << used) - 1 },
            bits: case.to.bits(),
            mask: u64::MAX >> (64 - case.to.bits()),
            right: case.right_codes(),
        })
    }
}
