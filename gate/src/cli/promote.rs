//! `castproof promote`: the dtype of two operands.

use super::asked::unmarked;
use super::print::print;
use super::values::{parse_dtype, parse_operand};
use crate::ask;
use anyhow::Result;
use castproof_vectors::{DType, Operand};
use clap::Args;

/// `castproof promote`
#[derive(Args)]
pub(super) struct Promote {
    /// Dtype of a tensor.
    #[arg(value_parser = parse_dtype)]
    pub(crate) tensor: DType,
    /// The other operand.
    #[arg(value_parser = parse_operand)]
    pub(crate) with: Operand,
    /// An element of the tensor: a number, or a code like 0x3c01. A complex element has two parts, like
    /// 1+2j or 0x3f800000,0x00000000.
    #[arg(value_name = "CODE", requires = "other_code")]
    pub(crate) code: Option<String>,
    /// An element of the other operand. A Python int counts as int64, a Python float as
    /// float64.
    #[arg(value_name = "OTHER_CODE")]
    pub(crate) other_code: Option<String>,
    /// Round numbers that the dtypes do not hold to the nearest that they hold.
    #[arg(long)]
    pub(crate) nearest: bool,
}

impl Promote {
    pub(super) fn run(&self) -> Result<bool> {
        let Promote { tensor, with, code, other_code, nearest } = self;
        print(&match (code, other_code) {
            (Some(left), Some(right)) => {
                ask::promote_elements(*tensor, *with, [unmarked(left), unmarked(right)], *nearest)?
            }
            _ => ask::promote(*tensor, *with),
        })
    }
}
