//! docs/blocks.md: what each rule makes of the blocks that tell them apart.

use super::gfloat::{self, EXACT};
use super::torchao;
use castproof_quantised::block::{block_elements, block_scale, block_size, quantise};
use castproof_vectors::{BlockProfile, DType, Outcome};
use std::fmt::Write as _;

const HEAD: &str = "\
# Blocks that share a scale

You have two libraries that quantise one block of numbers to different bytes, and want to know which rule each of them follows.

```sh
castproof quantize --elements float8e4m3fn 464 1 0.001
```

prints the scale and the elements of the block under each rule, side by side. Rules that agree share a column. Find the column with your bytes.
`--file block.npy` reads the numbers from a file (`.npy`, JSON, text, a column of CSV with `--column`), `--rule mx-rceil` adds the texts of that rule,
`--from bfloat16` takes numbers of another dtype, `--json` prints codes for a program. The other way, a code or a number of the elements under a scale:

```sh
castproof dequantize --elements float8e4m3fn --scale 0x80 0x76 0.5
```

MXFP8, MXFP6 and MXFP4 give 32 numbers one scale, a power of two. The specification of OCP recommends how it follows from the
largest magnitude of the block, but does not demand it, and libraries choose otherwise. So two of them disagree on
`[464, 1, 0.001]` in float8e4m3fn, and both can be right:

- the scale 1 (`0x7f`) gives 448, 1 and 2^-9: 464 is beyond the largest element, 448, and is clamped to it;
- the scale 2 (`0x80`) gives 448, 1 and 0: half of 464 is a tie, which rounds to 224, and half of 0.001 rounds to 0.

A rule that never clamps (`mx-ceil`, `mx-rceil`) takes 2. A rule that clamps (`mx-floor`, `mx-even`) takes 1, and so does
`mx-rfit`, because 464 still rounds to 448.

## Twelve blocks that tell the rules apart

A cell has the scale, then the elements, all as codes in hex; *open* where the scale is NaN. What the row does not write is zero.
";

/// The blocks: what people call their numbers, the dtype of the elements, the codes of float32.
const BLOCKS: [(&str, DType, &[u64]); 12] = [
    ("448, 1, 0.001", DType::Float8E4M3FN, &[0x43e0_0000, 0x3f80_0000, 0x3a83_126f]),
    ("464, 1, 0.001", DType::Float8E4M3FN, &[0x43e8_0000, 0x3f80_0000, 0x3a83_126f]),
    ("464.00003, 1, 0.001", DType::Float8E4M3FN, &[0x43e8_0001, 0x3f80_0000, 0x3a83_126f]),
    ("496, 1, 0.001", DType::Float8E4M3FN, &[0x43f8_0000, 0x3f80_0000, 0x3a83_126f]),
    ("6.0000005, 0.75", DType::Float4E2M1, &[0x40c0_0001, 0x3f40_0000]),
    ("7, 1.5, 0.25", DType::Float4E2M1, &[0x40e0_0000, 0x3fc0_0000, 0x3e80_0000]),
    ("16 - 2^-20, 1", DType::Float4E2M1, &[0x417f_ffff, 0x3f80_0000]),
    ("2^-118 - 2^-142", DType::Float8E4M3FN, &[0x047f_ffff]),
    ("448 * 2^-127 * (1 + 2^-23 / 1.75)", DType::Float8E4M3FN, &[0x0460_0001]),
    ("1.75 * 2^127, 2^125", DType::Float4E2M1, &[0x7f60_0000, 0x7e00_0000]),
    ("2^-127", DType::Float8E4M3FN, &[0x0040_0000]),
    ("infinity, 1", DType::Float8E4M3FN, &[0x7f80_0000, 0x3f80_0000]),
];

/// The profile of TransformerEngine, and the exact one of the same rule.
const TE: [[BlockProfile; 2]; 1] = [[BlockProfile::MxTe, BlockProfile::MxRceil]];

/// Each profile of a released torchao, and the exact one of the same rule.
const TORCHAO: [[BlockProfile; 2]; 3] = [
    [BlockProfile::MxTorchaoFloor, BlockProfile::MxFloor],
    [BlockProfile::MxTorchaoCeil, BlockProfile::MxCeil],
    [BlockProfile::MxTorchaoEven, BlockProfile::MxEven],
];

const USERS: &str = "
All zeros have the scale `0x00` under each of these rules, and a NaN makes the scale NaN, `0xff`.

## Who uses which

| rule | used by | rounds the scale up when |
|---|---|---|
| `mx-floor` | OCP MX 1.0 section 6.3, torchao's default, microxcaling, gfloat | never |
| `mx-ceil` | torchao `CEIL` | the largest magnitude is no power of two |
| `mx-rceil` | cuBLAS, TransformerEngine, FlashInfer, MLX on CUDA, torchao `RCEIL` | the largest magnitude would be beyond the largest element |
| `mx-even` | Quark, vLLM's MXFP4, aiter, torchao `EVEN` | the largest magnitude rounds up to a power of two |
| `mx-rfit` | TOSA 1.1 | the largest magnitude would round beyond the largest element |

`mx-even` and `mx-rfit` give the same scales but in float8e4m3fn, whose largest significand is not all ones.

These profiles are the rules computed exactly. Libraries add faults and choices of their own, so a byte that differs names the rule
only together with its neighbours. Known ones, read in sources and not run here: a NaN does not enter the largest magnitude
(TransformerEngine, FlashInfer, MLX), infinity has the scale `0xfe` (TransformerEngine, FlashInfer, MLX on CUDA), `floor(log2(x))` in
float32 gives 4 for 16 - 2^-20 (microxcaling), the product with a rounded 1/448 drops the last bit at 448 * 2^-127.

## TransformerEngine

`mx-te` is what TransformerEngine makes of `mx-rceil` at commit d0067d0: read in its sources, not run. It multiplies by the rounded 1/448 or
1/57344, and has elements of float8e4m3fn and float8e5m2. A NaN does not enter the largest magnitude and becomes `0x7f`, so that no scale
is NaN. Of the blocks above, and of one with a NaN, these have other bytes than the exact rule:

| numbers | elements | profile | gives | exact |
|---|---|---|---|---|
";

/// A block of which the rules of TransformerEngine make something else than the exact ones.
const WITH_NAN: (&str, DType, &[u64]) =
    ("NaN, 1", DType::Float8E4M3FN, &[0xffc0_0000, 0x3f80_0000]);

const WITNESSED: &str = "
## torchao 0.18.0

`mx-torchao-floor`, `mx-torchao-ceil`, `mx-torchao-even` and `nvfp4-torchao` are what this release computes on a CPU. `cargo xtask blocks
witness` runs it on every step of every scale, both neighbours, and drawn blocks, and fails on any difference. The adapter `torchao` asks
it in a gate, for the exact rules too: `castproof gate --adapter torchao --suite blocks`. Of the blocks above these have other bytes than the exact rule:

| numbers | elements | profile | gives | exact |
|---|---|---|---|---|
";

const RCEIL: &str = "
Its `RCEIL` is no profile, because it follows from the `log2` of the machine. It is compared with `mx-rceil`, and differs where

";

const GFLOAT: &str = "
## gfloat 0.5.2

gfloat is a witness of the exact rules. `cargo xtask blocks witness` compares it with every test of the suites `blocks` and `blocks-decoded` that
it can answer, and with more than 100,000 drawn blocks: the elements of every exact rule under the scale that is due, the scale of `mx-floor`, and the
numbers that blocks of MX and NVFP4 stand for. It quantises no NVFP4, and fixes no scale but that of `mx-floor`. All elements and all numbers agree. Its
scales differ where

";

const NVFP4: &str = "
## NVFP4

A block is 16 numbers with a scale of float8e4m3fn, beside a scale of the whole tensor that follows from its largest magnitude G. Every step
is rounded to float32, and libraries take the steps in another order, so that ties of the scale part. The first number is the
largest one of its block, the rest are zeros.

| largest of the tensor | number | `nvfp4-te` | `nvfp4-torchao` |
|---|---|---|---|
";

/// Largest magnitudes of tensors and of blocks, as people and as float32 write them.
const TENSORS: [[(&str, u64); 2]; 6] = [
    [("3", 0x4040_0000), ("0.0001373291015625", 0x3910_0000)],
    [("448", 0x43e0_0000), ("0.0224609375", 0x3cb8_0000)],
    [("448", 0x43e0_0000), ("0.0244140625", 0x3cc8_0000)],
    [("2688", 0x4528_0000), ("0.005859375", 0x3bc0_0000)],
    [("2688", 0x4528_0000), ("0", 0)],
    [("1", 0x3f80_0000), ("NaN", 0x7fc0_0000)],
];

const GROUPS: &str = "
## Groups of 128 with a scale of float32

FP8 of DeepSeek-V3 and what runs it gives 128 neighbours of a row one scale of float32, and elements of float8e4m3fn. In DeepSeek's
checkpoints this scale is called `weight_scale_inv`; elements are multiplied by it all the same. Every step is rounded to float32, and
libraries take other steps, so that two of them differ by one unit of a scale, and by one element in about two thousand:

| rule | used by | m is at least | scale | number becomes | NaN | shorter last group |
|---|---|---|---|---|---|---|
| `fp8-deepgemm` | DeepGEMM `per_token_cast_to_fp8` | 1e-4 | m/448 | x * (1/s) | makes the scale NaN | filled with zeros |
| `fp8-deepgemm-ue8m0` | the same with `use_ue8m0`, for Blackwell | 1e-4 | m/448, up to a power of two | x * (1/s) | makes the scale `0xfe` | filled with zeros |
| `fp8-vllm-group` | vLLM `per_token_group_quant_8bit` | 1e-10 | m/448 | x/s, clamped | becomes -448 | refused |
| `fp8-sgl-group` | SGLang `per_token_group_quant_8bit` | 1e-10 | m * (1/448) | x * (448/m) | becomes `0x7f` | refused |
| `fp8-te-block` | TransformerEngine's blocks of 1x128 | - | 1/(448/m) | x * (448/m) | becomes `0x7f` | refused |

m is the largest magnitude of the group. All of it was read in sources at the commits that the rules name, FB-01 to FB-22 of [the rule book](rules.md), and no GPU was asked. `cargo xtask blocks
witness` compares both rules of DeepGEMM with its formula in operations of PyTorch 2.15 on a CPU. On CUDA PyTorch computes m/448 as m * (1/448), so
`fp8-deepgemm` is what a CPU gives. An older DeepGEMM multiplies by 448/m: the gate calls that *numbers are multiplied by 448/m*. What the row does not write is zero; *NaN* is any NaN, *open* any code.

| numbers | `fp8-deepgemm` | `-ue8m0` | `fp8-vllm-group` | `fp8-sgl-group` | `fp8-te-block` |
|---|---|---|---|---|---|
";

/// Groups: what people call their numbers, and their codes of float32.
const OF_GROUPS: [(&str, &[u64]); 11] = [
    ("0, 0", &[0, 0]),
    ("448, 1, -0.001", &[0x43e0_0000, 0x3f80_0000, 0xba83_126f]),
    ("1, 0.3, -0.7", &[0x3f80_0000, 0x3e99_999a, 0xbf33_3333]),
    ("1e-5, 3e-6", &[0x3727_c5ac, 0x3649_539c]),
    ("3.3, 1.7, 0.2", &[0x4053_3333, 0x3fd9_999a, 0x3e4c_cccd]),
    ("2.375, 0.890625", &[0x4018_0000, 0x3f64_0000]),
    ("2.625, -1.265625", &[0x4028_0000, 0xbfa2_0000]),
    ("449, 1", &[0x43e0_8000, 0x3f80_0000]),
    ("infinity, 1", &[0x7f80_0000, 0x3f80_0000]),
    ("NaN, 1", &[0x7fc0_0000, 0x3f80_0000]),
    ("3.4028235e38, 1", &[0x7f7f_ffff, 0x3f80_0000]),
];

const PROFILES_OF_GROUPS: [BlockProfile; 5] = [
    BlockProfile::Fp8Deepgemm,
    BlockProfile::Fp8DeepgemmUe8m0,
    BlockProfile::Fp8VllmGroup,
    BlockProfile::Fp8SglGroup,
    BlockProfile::Fp8TeBlock,
];

const AFTER_GROUPS: &str = "
```sh
castproof quantize --rule fp8-deepgemm --rule fp8-sgl-group --elements float8e4m3fn 2.375 0.890625
castproof dequantize --format fp8 --elements float8e4m3fn --scale 0x3badb6db 0x7e 0x73
castproof gate --testee builtin --suite blocks --rule fp8-deepgemm   # your program in place of builtin
```

A scale of float32 is a code of 32 bits in every file and answer, little-endian where bytes are asked for. A group is decoded as y = element * scale,
rounded to float32, then to the dtype of the numbers (BD-09). Not asked: blocks of 128x128, scales of a token, a channel or a tensor, columns of groups, FNUZ elements with
their 224, int8, FP4 in groups.
";

const TAIL: &str = "
`nvfp4-te` lets the scale of a small block round to 0, under which every number but zero becomes 6 or -6; `nvfp4-torchao` has no scale below
2^-6. On a GPU torch multiplies by the rounded 1/6 instead of dividing, so `nvfp4-torchao` is what it gives on a CPU.

## Gate a quantiser

```sh
castproof gate --testee builtin --suite blocks   # your program in place of builtin
```

asks for blocks on both sides of steps of the scale and of every midpoint between elements, blocks of special numbers, and
the tensors of NVFP4. Each number of a block decides its scale in some test, and every scale that a rule for
MX formats can give is expected in some. A program that has one rule, whatever rule a question names, is judged by that one: `castproof gate --testee ./testee --rule mx-rceil` asks
both suites of blocks by it alone, and `castproof rules --profile mx-rceil` lists what it says. A run without `--rule` says so where no test of one rule fails and tests of others do. A program answers the operation `quantize-block` of the [protocol](https://github.com/castproof/castproof/blob/main/gate/PROTOCOL.md#questions),
and says `unsupported` to rules that it does not follow. [suites/blocks.json](https://github.com/castproof/castproof/blob/main/vectors/data/suites/blocks.json) holds the same tests for
a reader of your own; [VECTORS.md](https://github.com/castproof/castproof/blob/main/VECTORS.md) says how to read them.

```sh
castproof gate --testee builtin --suite blocks-tensors
```

asks for tensors of several blocks: along each axis, with lines that end with a shorter block, and with many rows. Each block must become what
it becomes alone (MX-19). Quantisers that are right for one block run on into the next row, take the last axis for the one that was
asked, read what a buffer still holds behind a shorter block, or let a NaN out of its block. These tests are
[suites/blocks-tensors.json](https://github.com/castproof/castproof/blob/main/vectors/data/suites/blocks-tensors.json). Others are drawn from the
seed: lines of 2,048 elements and more with a NaN at every place of a block, 65 lines and more, ranks 1 to 4, short last blocks of many lengths.

Where a quantiser is wrong in a block, a finding says what it does, such as *scale as mx-ceil* or *a NaN does not enter the largest magnitude*. It
says so only if one method gives every answer that came back for a profile and a pair of dtypes, the right answers included. Methods
that these blocks do not tell apart are all said.

## Which rule does a quantiser follow?

```sh
castproof recognise --block --testee builtin --to float8e4m3fn,float4e2m1   # your program in place of builtin
```

asks for about fifty blocks of float32 for each dtype of elements, and about a hundred of NVFP4, and compares the answers with the profiles
and with what quantisers are known to do otherwise. It prints a line for each, such as

```text
float8e4m3fn: mx-rceil; infinity gives 0xfe; a NaN does not enter the largest magnitude; a NaN becomes the NaN of elements
float4e2m1: no known rule; nearest is mx-even, first difference at [7, 1.5, 0.25]: scale 0x80, got 0x7f
```

A question about a block names a profile. The questions here name `mx-floor`, or if the program has no such blocks the first other profile that
it answers, and those of NVFP4 `nvfp4-torchao` or `nvfp4-te`; `--as mx-rceil` names one alone. A program that has one rule of its own may
answer by that rule, whatever the profile. Of NVFP4 the line says whose steps the program takes, and what it does otherwise, such as
*nvfp4-te; a subnormal scale is stored as zero*.

## Is a block one of OCP MX at all?

OCP MX 1.0 recommends the scale of `mx-floor`, and allows any other power of two. What belongs to a scale is not free: an element is its number over the scale,
rounded to nearest even and clamped. The profile `mx-ocp` of the suite `blocks` asks for that. The recommended scale passes,
another scale with its own elements is tolerated (MX-27), and an element that belongs to another scale than the one beside it fails: such a quantiser
made its elements with one scale and stored another. Each test lists scales with their elements, the recommended one, one step
smaller, and up to two larger. The gate computes the elements of any other scale: if they are right, the test decides nothing and counts as
undefined, otherwise it fails. NaN is no power of two, so it fails as the scale of numbers. What NaN
and infinity become is open (MX-28). `--strict` demands the recommended scale.

## Gate a decoder

```sh
castproof gate --testee builtin --suite blocks-decoded
```

asks what blocks stand for, in float32, bfloat16 and float16: every scale, and under each the elements where decoders err, zeros,
subnormal numbers, the largest number, infinity and NaN; then tensors of several rows, with blocks along each axis and shorter last
blocks. No rule of quantisation matters here: an element stands for its value times the scale, whoever chose it (BD-01). Decoders take the
scale `0x00` for 0, which is 2^-127, or `0xff` for infinity, which is NaN; they lose subnormal elements, round twice, or take the scale of
another row. A finding says which of these it is, where one method gives every wrong number and contradicts no right one. The operation of the
protocol is `dequantize-block`, the tests are
[suites/blocks-decoded.json](https://github.com/castproof/castproof/blob/main/vectors/data/suites/blocks-decoded.json).

## The tables

[blocks.json.gz](https://github.com/castproof/castproof/blob/main/vectors/data/blocks.json.gz) has for each profile that fixes a power of two as its scale, and each dtype of elements, the first largest magnitude of
every scale, and for each dtype of elements the midpoints at which rounding changes. With them every answer follows without
Castproof: take the last step that is not above the largest magnitude, divide by its power of two, count the midpoints that are passed.
Its [schema](https://github.com/castproof/castproof/blob/main/vectors/data/blocks.schema.json) says how. The rules are in [the rule book](rules.md), from MX-01, NV-01 and FB-01 on.

Made from the oracle by `cargo xtask generate blocks`.
";

/// Writes the page.
pub(super) fn text() -> Result<String, String> {
    let mut text = HEAD.to_string();
    write_page(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn write_page(text: &mut String) -> std::fmt::Result {
    let names = EXACT.map(|profile| format!("`{}`", profile.name())).join(" | ");
    writeln!(text, "\n| numbers | elements | {names} |\n|---|---|---|---|---|---|---|")?;
    for (numbers, to, codes) in BLOCKS {
        let cells = EXACT.map(|profile| cell(profile, to, codes, None)).join(" | ");
        writeln!(text, "| {numbers} | {to} | {cells} |")?;
    }
    text.push_str(USERS);
    differing(text, &TE, &[&BLOCKS[..], &[WITH_NAN]].concat())?;
    text.push_str(WITNESSED);
    differing(text, &TORCHAO, &BLOCKS)?;
    text.push_str(RCEIL);
    for deviation in torchao::DEVIATIONS {
        writeln!(text, "- {}", deviation.reason)?;
    }
    text.push_str(GFLOAT);
    for deviation in gfloat::DEVIATIONS {
        writeln!(text, "- {}", deviation.reason)?;
    }
    text.push_str(NVFP4);
    for [(tensor, tensor_code), (number, code)] in TENSORS {
        let cells = [BlockProfile::Nvfp4Te, BlockProfile::Nvfp4Torchao]
            .map(|it| cell(it, DType::Float4E2M1, &[code], Some(tensor_code)))
            .join(" | ");
        writeln!(text, "| {tensor} | {number} | {cells} |")?;
    }
    text.push_str(GROUPS);
    for (numbers, codes) in OF_GROUPS {
        let cells = PROFILES_OF_GROUPS.map(|it| cell(it, DType::Float8E4M3FN, codes, None));
        writeln!(text, "| {numbers} | {} |", cells.join(" | "))?;
    }
    text.push_str(AFTER_GROUPS);
    text.push_str(TAIL);
    Ok(())
}

/// Writes a row for each block of which a profile makes something else than the exact one beside it.
fn differing(
    text: &mut String,
    profiles: &[[BlockProfile; 2]],
    blocks: &[(&str, DType, &[u64])],
) -> std::fmt::Result {
    for &(numbers, to, codes) in blocks {
        for &[profile, exact] in profiles {
            if !block_elements(profile).contains(&to) {
                continue;
            }
            let [found, due] = [profile, exact].map(|it| cell(it, to, codes, None));
            if found != due {
                let name = profile.name();
                writeln!(text, "| {numbers} | {to} | `{name}` | {found} | {due} |")?;
            }
        }
    }
    Ok(())
}

/// The scale and the elements of the numbers that a row writes.
fn cell(profile: BlockProfile, to: DType, codes: &[u64], tensor: Option<u64>) -> String {
    let mut block = codes.to_vec();
    block.resize(block_size(profile), 0);
    let answer =
        quantise(profile, (DType::Float32, to), &block, tensor).expect("a block of this page");
    let digits = to.hex_digits();
    let elements = answer.elements[..codes.len()].iter().map(|(element, _)| match element {
        Outcome::Code(code) => format!("{code:0digits$x}"),
        Outcome::AnyNan => "NaN".into(),
        _ => "open".into(),
    });
    let elements: Vec<String> = elements.collect();
    let digits = block_scale(profile).hex_digits();
    format!("{:0digits$x}: {}", answer.scale, elements.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page says that its blocks tell the rules apart.
    #[test]
    fn the_blocks_tell_the_rules_apart() {
        for (place, one) in EXACT.iter().enumerate() {
            for other in &EXACT[..place] {
                let differ = |(_, to, codes): &(&str, DType, &[u64])| {
                    cell(*one, *to, codes, None) != cell(*other, *to, codes, None)
                };
                assert!(BLOCKS.iter().any(differ), "{} {}", one.name(), other.name());
            }
        }
    }

    /// What people read is the number of the code.
    #[test]
    fn numbers_are_those_of_their_codes() {
        for (numbers, _, codes) in BLOCKS {
            assert_eq!(numbers.split(", ").count(), codes.len(), "{numbers}");
            for (number, code) in numbers.split(", ").zip(codes) {
                if let Ok(number) = number.parse::<f32>() {
                    assert_eq!(u64::from(number.to_bits()), *code, "{numbers}");
                }
            }
        }
        for (numbers, codes) in OF_GROUPS {
            let parsed = numbers.split(", ").map(|it| it.parse::<f32>().expect("a number"));
            let parsed: Vec<u64> = parsed.map(|it| it.to_bits().into()).collect();
            assert_eq!(parsed, codes, "{numbers}");
        }
        for [(tensor, tensor_code), (number, code)] in TENSORS {
            let bits = |text: &str| text.parse::<f32>().expect("a number").to_bits();
            let codes = [tensor, number].map(|text| u64::from(bits(text)));
            assert_eq!(codes, [tensor_code, code], "{tensor} {number}");
        }
    }
}
