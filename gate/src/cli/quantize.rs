//! `castproof quantize`, `dequantize`, `quantize-linear` and `dequantize-linear`.

use super::asked::unmarked;
use super::print::print;
use super::values::{Flag, parse_block_format, parse_block_profile, parse_dtype};
use crate::blocks::{self, Dequantize, FileNumbers, Gguf, NodeAsked};
use anyhow::{Context, Result, bail};
use castproof_lookup::block::BlockAsked;
use castproof_lookup::linear::QuantizationNode;
use castproof_vectors::{BlockFormat, BlockProfile, DType, GgufType, NEWEST};
use clap::Args;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// `castproof quantize`
#[derive(Args)]
pub(super) struct Quantize {
    /// The numbers, or codes in full width, in their order. What the dtype of the numbers does not hold is
    /// rounded to nearest even.
    #[arg(value_name = "NUMBER")]
    numbers: Vec<String>,
    /// Dtype of the elements.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype, required_unless_present = "gguf")]
    elements: Option<DType>,
    /// Make blocks of this type of GGUF, like Q4_0: its bytes, and what each element stands for.
    #[arg(long, value_name = "TYPE", conflicts_with_all = ["elements", "rules", "all", "largest"])]
    gguf: Option<GgufType>,
    /// Only this rule, like mx-rceil, with the texts that decide. Can be repeated.
    #[arg(long = "rule", value_name = "NAME", value_parser = parse_block_profile)]
    rules: Vec<BlockProfile>,
    /// Every rule that has such elements, which is the default.
    #[arg(long, conflicts_with = "rules")]
    all: bool,
    /// Dtype of the numbers: float32, unless the file says another.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    from: Option<DType>,
    /// For NVFP4: the largest magnitude of the whole tensor; that of the numbers by default.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    largest: Option<String>,
    /// Read the numbers of this file: .npy, a JSON array, or text; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "numbers")]
    file: Option<PathBuf>,
    /// The file is CSV: read the column with this heading.
    #[arg(long, value_name = "HEADING", requires = "file")]
    column: Option<String>,
    /// Print a JSON object for each block and rule.
    #[arg(long)]
    json: bool,
}

impl Quantize {
    pub(super) fn run(&self) -> Result<bool> {
        let read = match &self.file {
            Some(path) => file(path, self.column.as_deref())?,
            None => FileNumbers { dtype: None, texts: words(&self.numbers) },
        };
        if let Some(kind) = self.gguf {
            if let Some(dtype) = self.from.or(read.dtype).filter(|it| *it != DType::Float32) {
                bail!("{kind} is made from float32, not from {dtype}: convert the numbers");
            }
            return print(&blocks::gguf_made(kind, self.json, &read.texts)?);
        }
        let to = self.elements.context("write the dtype of the elements behind --elements")?;
        let from = match (self.from, read.dtype) {
            (Some(from), Some(dtype)) if from != dtype => {
                bail!("the file holds {dtype}, not {from}: leave --from out, or convert the array")
            }
            (from, dtype) => from.or(dtype).unwrap_or(DType::Float32),
        };
        let asked = BlockAsked {
            rules: self.rules.clone(),
            from,
            to,
            largest: self.largest.as_deref().map(unmarked).map(String::from),
        };
        let asked = blocks::Quantize { asked, json: self.json };
        print(&blocks::quantize(&asked, &read.texts)?)
    }
}

/// `castproof dequantize`
#[derive(Args)]
pub(super) struct DequantizeBlock {
    /// The elements: codes in full width, or numbers that the dtype of the elements holds. With --gguf the bytes of whole
    /// blocks, as hex digits.
    #[arg(value_name = "ELEMENT")]
    codes: Vec<String>,
    /// Dtype of the elements.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype, required_unless_present = "gguf")]
    elements: Option<DType>,
    /// The scale: a code, or a number that the dtype of scales holds.
    #[arg(long, value_name = "SCALE", required_unless_present = "gguf")]
    scale: Option<String>,
    /// Decode blocks of this type of GGUF, like Q4_K, which hold their scales.
    #[arg(long, value_name = "TYPE", conflicts_with_all = ["elements", "scale", "format"])]
    gguf: Option<GgufType>,
    /// mx, whose scales are float8e8m0, or nvfp4, whose scales are float8e4m3fn.
    #[arg(long, value_name = "NAME", default_value = "mx", value_parser = parse_block_format)]
    format: BlockFormat,
    /// Dtype of the numbers.
    #[arg(long, value_name = "DTYPE", default_value = "float32", value_parser = parse_dtype)]
    to: DType,
    /// Print a JSON object for each element.
    #[arg(long)]
    json: bool,
}

impl DequantizeBlock {
    pub(super) fn run(&self) -> Result<bool> {
        if let Some(kind) = self.gguf {
            let asked = Gguf { kind, to: self.to, json: self.json };
            return print(&blocks::gguf(asked, &words(&self.codes))?);
        }
        let (elements, scale) = self.elements.zip(self.scale.as_deref()).context(
            "write the dtype of the elements behind --elements and their scale behind --scale",
        )?;
        let asked = Dequantize {
            format: self.format,
            from: elements,
            scale: unmarked(scale).into(),
            to: self.to,
            json: self.json,
        };
        print(&blocks::dequantize(&asked, &words(&self.codes))?)
    }
}

/// What both operators of linear quantisation take.
#[derive(Args)]
struct LinearArgs {
    /// The elements: numbers, or codes in full width.
    #[arg(value_name = "VALUE")]
    values: Vec<String>,
    /// The scale: a number, or a code.
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    scale: String,
    /// Dtype of the scale.
    #[arg(long, value_name = "DTYPE", default_value = "float32", value_parser = parse_dtype)]
    scale_dtype: DType,
    /// The zero point, of the quantised dtype; not given by default.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    zero_point: Option<String>,
    /// The operator set.
    #[arg(long, value_name = "OPSET", default_value_t = NEWEST)]
    opset: u32,
    /// Print a JSON object for each element.
    #[arg(long)]
    json: bool,
}

impl LinearArgs {
    fn node(&self, quantizes: bool, (from, to): (DType, DType)) -> QuantizationNode {
        QuantizationNode {
            quantizes,
            opset: self.opset,
            from,
            scale: (self.scale_dtype, unmarked(&self.scale).into()),
            zero_point: self.zero_point.as_deref().map(unmarked).map(String::from),
            to,
            saturate: true,
            precision: None,
        }
    }
}

/// `castproof quantize-linear`
#[derive(Args)]
pub(super) struct QuantizeLinear {
    #[command(flatten)]
    node: LinearArgs,
    /// Dtype of the input.
    #[arg(long, value_name = "DTYPE", default_value = "float32", value_parser = parse_dtype)]
    from: DType,
    /// Dtype of the output.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    to: DType,
    /// The attribute saturate, for float8.
    #[arg(long, value_name = "0|1", default_value = "1")]
    saturate: Flag,
    /// The attribute precision: the dtype in which the division is computed.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    precision: Option<DType>,
}

impl QuantizeLinear {
    pub(super) fn run(&self) -> Result<bool> {
        let node = QuantizationNode {
            saturate: matches!(self.saturate, Flag::On),
            precision: self.precision,
            ..self.node.node(true, (self.from, self.to))
        };
        let node = NodeAsked { node, json: self.node.json };
        print(&blocks::linear(&node, &words(&self.node.values))?)
    }
}

/// `castproof dequantize-linear`
#[derive(Args)]
pub(super) struct DequantizeLinear {
    #[command(flatten)]
    node: LinearArgs,
    /// Dtype of the input.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    from: DType,
    /// Dtype of the output.
    #[arg(long, value_name = "DTYPE", default_value = "float32", value_parser = parse_dtype)]
    to: DType,
}

impl DequantizeLinear {
    pub(super) fn run(&self) -> Result<bool> {
        let node = self.node.node(false, (self.from, self.to));
        let node = NodeAsked { node, json: self.node.json };
        print(&blocks::linear(&node, &words(&self.node.values))?)
    }
}

/// Returns words without the marks of negative numbers.
fn words(all: &[String]) -> Vec<String> {
    all.iter().map(|word| unmarked(word).to_string()).collect()
}

fn file(path: &Path, column: Option<&str>) -> Result<FileNumbers> {
    let shown = || format!("{}", path.display());
    let bytes = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    blocks::numbers(&bytes.with_context(shown)?, column).with_context(shown)
}
