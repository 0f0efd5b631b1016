//! `castproof plan`: which loops Castproof's own implementation runs a cast through, and why.

use anyhow::{Result, bail};
use castproof_check::words;
use castproof_impl::{Backend, Cast, InstructionSet, Plan};
use castproof_lookup::element::element;
use castproof_vectors::DType;

/// Returns the plan of a pair, by the newest rules, for the backend named, or else for the backend
/// that casts use on this machine.
///
/// # Errors
/// If a dtype is not numeric, or the instruction set is unknown or not of this machine's kind.
pub fn text(from: DType, to: DType, backend: Option<&str>) -> Result<String> {
    let set = match backend {
        None => Backend::from_env()?.instruction_set(),
        Some(name) => named(name)?,
    };
    Ok(Plan::new(from, to, set)?.to_string())
}

/// Returns what the loops of this machine give for numbers or codes, one a line: `0x43e80000 (464) gives 0x5f40 (464)`.
/// `nearest`: a number that the input dtype does not hold is rounded.
///
/// # Errors
/// If a text is not an element of the input dtype.
pub fn results((from, to): (DType, DType), inputs: &[String], nearest: bool) -> Result<String> {
    if inputs.is_empty() {
        return Ok(String::new());
    }
    let cast = Cast::new(from, to)?;
    let line = |input: &String| -> Result<String> {
        let code = element(from, input, nearest)?.code;
        let got = cast.code(code)?;
        Ok(format!("{} gives {}\n", words::value(from, code), words::value(to, got)))
    };
    inputs.iter().map(line).collect()
}

fn named(name: &str) -> Result<InstructionSet> {
    let Some(set) = InstructionSet::ALL.into_iter().find(|set| set.name() == name) else {
        let known = InstructionSet::ALL.map(InstructionSet::name).join(", ");
        bail!("unknown backend '{name}'; known are {known}");
    };
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_of_machines_that_are_not_here_are_printed_too() {
        let plan = text(DType::Float32, DType::Float8E4M3FN, Some("portable")).expect("numeric");
        assert!(plan.starts_with("float32 to float8e4m3fn on portable: "), "{plan}");
        assert!(plan.contains("\n  1. float32 -> float8e4m3fn: float::Narrow, "), "{plan}");
        if cfg!(target_arch = "x86_64") {
            let plan = text(DType::Float32, DType::Int8, Some("avx512")).expect("of the target");
            assert!(plan.contains("avx512::float_to_narrow_integer::f32_to_i8"), "{plan}");
        }
    }

    #[test]
    fn what_has_no_plan_is_named() {
        let error = text(DType::Float32, DType::Int8, Some("mmx")).expect_err("no backend");
        assert!(error.to_string().starts_with("unknown backend 'mmx'; known are portable, "));
        let error = text(DType::String, DType::Int8, None).expect_err("not numeric");
        assert!(error.to_string().starts_with("no cast for string elements"), "{error}");
    }
}
