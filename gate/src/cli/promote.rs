//! `castproof promote`: the dtype of two operands.

use super::print::print;
use super::values::{parse_operand, parse_tensor};
use crate::ask;
use anyhow::Result;
use castproof_vectors::{DType, Operand};
use clap::Args;

/// `castproof promote`
#[derive(Args)]
pub(super) struct Promote {
    /// Dtype of a tensor; also short, int, long, half, float, double, cfloat, cdouble.
    #[arg(value_parser = parse_tensor)]
    pub(crate) tensor: DType,
    /// The other operand.
    #[arg(value_parser = parse_operand)]
    pub(crate) with: Operand,
    /// The code of an element of the tensor, like 0x3c01. A complex element has two parts, like
    /// 0x3f800000,0x0.
    #[arg(value_name = "CODE", requires = "other_code")]
    pub(crate) code: Option<String>,
    /// The code of an element of the other operand. A Python int counts as int64, a Python float as
    /// float64.
    #[arg(value_name = "OTHER_CODE")]
    pub(crate) other_code: Option<String>,
}

impl Promote {
    pub(super) fn run(&self) -> Result<bool> {
        let Promote { tensor, with, code, other_code } = self;
        print(&match (code, other_code) {
            (Some(left), Some(right)) => ask::promote_elements(*tensor, *with, [left, right])?,
            _ => ask::promote(*tensor, *with),
        })
    }
}
