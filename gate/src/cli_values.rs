//! The values that the options of the command line take.

use castproof::arrange::Arrangements;
use castproof::export::Format;
use castproof::gate::Matrices;
use castproof_vectors::{DType, Elements, Operand, Operator, Profile};
use std::time::Duration;

pub(crate) fn parse_pair(text: &str) -> Result<(DType, DType), String> {
    let (from, to) =
        text.split_once(':').ok_or_else(|| format!("'{text}' is no pair; write FROM:TO"))?;
    Ok((from.parse()?, to.parse()?))
}

pub(crate) fn parse_arrangements(text: &str) -> Result<Arrangements, String> {
    match text {
        "none" => Ok(Arrangements::None),
        "newest" => Ok(Arrangements::Newest),
        "all" => Ok(Arrangements::All),
        _ => Err(format!("unknown '{text}'; known are newest, all, none")),
    }
}

pub(crate) fn parse_large(text: &str) -> Result<usize, String> {
    /// Four times the count that an index of 31 bits reaches.
    const MOST: usize = 1 << 33;
    let count = text.parse().ok().filter(|count| *count <= MOST);
    count.ok_or_else(|| format!("it must be a number from 0 to {MOST}"))
}

pub(crate) fn parse_matrices(text: &str) -> Result<Matrices, String> {
    match text {
        "newest" => Ok(Matrices::Newest),
        "all" => Ok(Matrices::All),
        "none" => Ok(Matrices::None),
        _ => Err(format!("unknown '{text}'; known are newest, all, none")),
    }
}

pub(crate) fn parse_format(text: &str) -> Result<Format, String> {
    match text {
        "jsonl" => Ok(Format::Jsonl),
        "onnx-backend" => Ok(Format::OnnxBackend),
        "partition" => Ok(Format::Partition),
        _ => Err(format!("unknown format '{text}'; known are jsonl, onnx-backend, partition")),
    }
}

pub(crate) fn parse_tensor(text: &str) -> Result<DType, String> {
    let alias = castproof_oracle::ALIASES.iter().find(|(alias, _)| *alias == text);
    alias.map_or_else(|| text.parse(), |(_, dtype)| Ok(*dtype))
}

pub(crate) fn parse_operand(text: &str) -> Result<Operand, String> {
    let named = parse_tensor(text).map(Operand::Tensor);
    named.or_else(|_| text.parse())
}

pub(crate) fn parse_operator(text: &str) -> Result<Operator, String> {
    match text {
        "cast" => Ok(Operator::Cast),
        "castlike" => Ok(Operator::CastLike),
        _ => Err(format!("unknown operator '{text}'; known are cast, castlike")),
    }
}

pub(crate) fn parse_flag(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("it must be 0 or 1".into()),
    }
}

pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it must be a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("it must be a number of seconds above 0".into()),
    }
}

pub(crate) fn parse_profile(name: &str) -> Result<Profile, String> {
    let profile: Profile = name.parse()?;
    match profile.elements() {
        Elements::Numeric(_) => Ok(profile),
        Elements::Complex => {
            Err(format!("{name} casts complex dtypes alone; ask with --suite complex-cast"))
        }
    }
}
