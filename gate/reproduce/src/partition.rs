//! Partitions as files: every code of a cast in a few kilobytes.

use anyhow::{Context, Result, bail};
use castproof_io::output;
use castproof_io::sink::path;
use castproof_judge::answers;
use castproof_judge::requests::requests;
use castproof_results::Filters;
use castproof_vectors::{
    DType, Formula, Hex, Outcome, OutcomeRecord, PARTITION_FORMAT, PartitionFile, PieceRecord,
    Request, ShiftRecord, Spec, Stretch, stretches,
};
use std::path::Path;

/// Writes the partition of every request that passes the filters; without an opset, the newest.
/// Returns what was written, for people.
///
/// # Errors
/// If no request passes, or a file cannot be written.
pub fn export(filters: Filters, folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let requests = requests(filters)?;
    for request in &requests {
        let Request { from, to, attributes, .. } = request;
        let mut name = format!("{from}__{to}");
        if let Some(on) = attributes.saturate {
            name += &format!("__saturate{}", u8::from(on));
        }
        if let Some(mode) = attributes.round_mode {
            name += &format!("__{}", mode.name());
        }
        output::write(&folder.join(name + ".json"), text(request)?)?;
    }
    Ok(format!("{} partitions under {}", requests.len(), path(folder)))
}

/// Returns the partition of a request as text, one piece per line.
///
/// # Errors
/// If the request is not numeric or its operator set unknown.
pub fn text(request: &Request) -> Result<String> {
    let file = file(request)?;
    let value = serde_json::to_value(&file)?;
    let members = value.as_object().context("a partition is an object")?;
    let mut lines = Vec::new();
    for (key, value) in members.iter().filter(|(key, _)| *key != "pieces") {
        lines.push(format!("  {}: {value},", serde_json::Value::from(key.as_str())));
    }
    let pieces: Result<Vec<String>, _> = file.pieces.iter().map(serde_json::to_string).collect();
    let head = lines.join("\n");
    Ok(format!("{{\n{head}\n  \"pieces\": [\n{}\n]}}\n", pieces?.join(",\n")))
}

/// Returns the partition of a request.
///
/// # Errors
/// If the request is not numeric or its operator set unknown.
pub fn file(request: &Request) -> Result<PartitionFile> {
    let pieces = stretches(&(answers::chosen().pieces)(request)?);
    let Request { spec, from, to, attributes } = *request;
    let Spec::Onnx { op, opset } = spec else {
        bail!("{spec}: a partition file names an operator of ONNX");
    };
    Ok(PartitionFile {
        format: PARTITION_FORMAT.into(),
        op,
        opset,
        from,
        to,
        from_bits: from.bits(),
        to_bits: to.bits(),
        attributes,
        number_of_pieces: pieces.len(),
        pieces: pieces.iter().map(|piece| record(request, piece)).collect(),
    })
}

fn record(request: &Request, stretch: &Stretch) -> PieceRecord {
    let Request { from, to, .. } = *request;
    let (expect, shift) = match &stretch.formula {
        Formula::Constant(outcome) => (Some(OutcomeRecord::new(outcome, to)), None),
        Formula::Shift(shift) => (None, Some(ShiftRecord::new(shift, from, to))),
    };
    PieceRecord {
        first: Hex::new(stretch.first, from),
        last: Hex::new(stretch.last, from),
        expect,
        shift,
        tolerate: stretch.tolerate.as_ref().map(|outcome| OutcomeRecord::new(outcome, to)),
        tolerate_by_code: stretch.tolerate.is_none() && drops_bits(&stretch.formula, to),
    }
}

/// Do the codes of wide targets follow the source's significand here? A constant code of zero
/// counts: below the smallest number all bits are dropped, which leaves zero.
fn drops_bits(formula: &Formula, to: DType) -> bool {
    let below_sign = to.code_mask() >> 1;
    match formula {
        Formula::Shift(_) => true,
        Formula::Constant(Outcome::Code(code)) => to.bits() > 8 && code & below_sign == 0,
        Formula::Constant(_) => false,
    }
}
