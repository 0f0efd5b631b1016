//! The message that asks for codes of a format by parameters to be converted.

use super::frame::{FrameError, write_with_payload};
use super::message::MAX_PAYLOAD;
use crate::form::Codes;
use castproof_vectors::{Conversion, Edition, RoundingMode, Saturation, element_count, one_line};
use serde::{Deserialize, Serialize};
use std::io::Write;

/// The operation.
pub(super) const PROJECT: &str = "project";

/// Its line. The payload is the codes, then the random numbers of a stochastic rounding, each little-endian in 1, 2, 4 or 8 bytes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProjectHeader {
    seq: u64,
    op: String,
    from: String,
    to: String,
    rounding: String,
    saturation: String,
    /// The text of P3109 that holds; absent: the report 4.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edition: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    random_bits: Option<u32>,
    shape: Vec<u64>,
    bytes: u64,
}

/// Sends codes that are to be converted.
///
/// # Errors
/// If writing fails.
pub fn write_project(
    writer: &mut impl Write,
    seq: u64,
    conversion: &Conversion,
    codes: &Codes,
) -> Result<(), FrameError> {
    let payload = [&codes.given[..], &codes.random].concat();
    let header = ProjectHeader {
        seq,
        op: PROJECT.into(),
        from: conversion.from.clone(),
        to: conversion.to.clone(),
        rounding: conversion.rounding.name().into(),
        saturation: conversion.saturation.name().into(),
        edition: (conversion.edition != Edition::default())
            .then(|| conversion.edition.name().into()),
        random_bits: conversion.rounding.is_stochastic().then_some(conversion.random_bits),
        shape: vec![codes.count as u64],
        bytes: payload.len() as u64,
    };
    write_with_payload(writer, &header, &payload)
}

/// Reads the line of a conversion whose payload has so many bytes. Returns it with the number of codes and the bytes of their
/// random numbers.
pub(super) fn parse_project(
    line: &str,
    payload: usize,
) -> Result<(Conversion, usize, usize), String> {
    let header: ProjectHeader = serde_json::from_str(line)
        .map_err(|error| one_line(&format!("it is no conversion: {error}")))?;
    let unknown = |what: &str, name: &str| format!("unknown {what} '{name}'; see the protocol");
    let rounding = RoundingMode::ALL.into_iter().find(|it| it.name() == header.rounding);
    let rounding = rounding.ok_or_else(|| unknown("rounding", &header.rounding))?;
    let saturation = Saturation::ALL.into_iter().find(|it| it.name() == header.saturation);
    let saturation = saturation.ok_or_else(|| unknown("saturation", &header.saturation))?;
    let edition = match &header.edition {
        None => Edition::default(),
        Some(name) => {
            let found = Edition::ALL.into_iter().find(|it| it.name() == name);
            found.ok_or_else(|| unknown("edition", name))?
        }
    };
    let random_bits = header.random_bits.unwrap_or(0);
    if rounding.is_stochastic() != (1..=63).contains(&random_bits) {
        return Err(format!("{random_bits} random bits do not go with {}", rounding.name()));
    }
    let count = element_count(&header.shape)?;
    let width = if random_bits == 0 { 0 } else { Conversion::width(random_bits) };
    let random = count.saturating_mul(width);
    // The width of a code follows from the format, which the testee knows.
    if random > payload || count > MAX_PAYLOAD {
        return Err(format!("{count} codes with random numbers do not fit in {payload} bytes"));
    }
    let ProjectHeader { from, to, .. } = header;
    Ok((Conversion { from, to, rounding, random_bits, saturation, edition }, count, random))
}
