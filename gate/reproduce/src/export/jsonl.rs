//! JSON lines: one test per line.

use anyhow::Result;
use castproof_vectors::{Attributes, DType, Element, OutcomeRecord, VectorFile};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    op: &'static str,
    from: DType,
    to: DType,
    opsets: &'a [u32],
    attributes: Attributes,
    input: &'a Element,
    expect: &'a OutcomeRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerate: Option<&'a OutcomeRecord>,
    clause: &'a str,
    flags: &'a [String],
}

/// Writes the tests of a pair, those of one operator version only if one is named.
pub(super) fn write(file: &VectorFile, opset: Option<u32>, out: &mut dyn Write) -> Result<()> {
    for group in &file.groups {
        if opset.is_some_and(|opset| !group.opsets.contains(&opset)) {
            continue;
        }
        for test in &group.tests {
            let line = Line {
                id: &test.id,
                op: "cast",
                from: file.from,
                to: file.to,
                opsets: &group.opsets,
                attributes: group.attributes,
                input: &test.input,
                expect: &test.expect,
                tolerate: test.tolerate.as_ref(),
                clause: &test.clause,
                flags: &test.flags,
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}
