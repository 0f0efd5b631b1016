//! The certificate: what was swept, how, and with what result, sealed against edits.

use super::record::{Asked, CERTIFICATE, Digest, Heading};
use super::state::{Extent, RequestState, State};
use super::work::Shard;
use anyhow::{Context, Result, bail};
use castproof_io::input;
use castproof_io::output::Output;
use castproof_vectors::{NEWEST, OneLine, Spec};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A certificate as it is written.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Certificate {
    format: String,
    pub(super) heading: Heading,
    /// Day on which it was written, in UTC.
    pub(super) date: OneLine,
    /// The processor, and how many threads worked.
    pub(super) machine: OneLine,
    /// The share of the sweep that it is of, as `3/8`. Absent in a certificate of a whole sweep, and in
    /// those of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(super) share: Option<Shard>,
    pub(super) requests: Vec<RequestState>,
    /// Digest of this file with zeros in this place.
    pub(super) seal: Digest,
}

/// The specification that earlier versions named in certificates, whichever operator set was asked.
pub(super) const EARLIER: &str = "ONNX Cast, opset 28";

/// Returns how a certificate names the specification of its requests.
pub(super) fn specification(spec: Spec) -> String {
    match spec {
        Spec::Profile(profile) => profile.name().into(),
        Spec::Onnx { .. } => format!("ONNX Cast, opset {}", spec.opset().unwrap_or(NEWEST)),
    }
}

/// Returns the digest of what a sweep asks. Shares of one sweep ask the same, so that it tells whether two
/// certificates can be compared.
pub(super) fn questions(
    heading: &Heading,
    requests: impl Iterator<Item = (Asked, Extent)>,
) -> Digest {
    let Heading { specification, seed, tensors, .. } = heading;
    let requests: Vec<(Asked, Extent)> = requests.collect();
    // These records are always texts of JSON.
    let text = serde_json::to_vec(&(specification, seed, tensors, requests)).unwrap_or_default();
    Digest::of(&text)
}

const NO_SEAL: Digest = Digest([0; 32]);

impl Certificate {
    /// Makes the certificate of a sweep as far as it has come.
    pub(super) fn new(state: State, share: Shard, date: OneLine, machine: OneLine) -> Certificate {
        let State { heading, requests } = state;
        let share = (share != Shard::WHOLE).then_some(share);
        let (format, seal) = (CERTIFICATE.into(), NO_SEAL);
        Certificate { format, heading, date, machine, share, requests, seal }
    }

    /// Seals and writes the certificate, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(mut self, output: Output) -> Result<()> {
        self.seal = NO_SEAL;
        self.seal = Digest::of(self.text()?.as_bytes());
        output.commit(self.text()?)
    }

    /// Reads a certificate and checks its seal.
    ///
    /// # Errors
    /// If it is not a certificate, or was edited.
    pub(super) fn read(path: &Path, text: &str) -> Result<Certificate> {
        let name = path.display();
        let foreign =
            || format!("{name} is not a certificate; name a file that castproof sweep wrote");
        let value: serde_json::Value = serde_json::from_str(text).with_context(foreign)?;
        input::counts(&value).with_context(foreign)?;
        let mut certificate: Certificate = serde_json::from_str(text).with_context(foreign)?;
        if certificate.format != CERTIFICATE {
            bail!("{name}: its format is '{}', not {CERTIFICATE}", certificate.format);
        }
        let seal = certificate.seal;
        // Written again it must be the same text, so that nothing is ignored in reading.
        if certificate.text()? != text {
            bail!("{name} was edited: it is not as this program writes it");
        }
        certificate.seal = NO_SEAL;
        if Digest::of(certificate.text()?.as_bytes()) != seal {
            bail!("{name} was edited: its seal does not match");
        }
        certificate.seal = seal;
        certificate.state().check().with_context(|| name.to_string())?;
        Ok(certificate)
    }

    /// Returns the sweep that the certificate describes.
    pub(super) fn state(&self) -> State {
        State { heading: self.heading.clone(), requests: self.requests.clone() }
    }

    /// Writes each request on one line, so that two certificates can be compared line by line.
    fn text(&self) -> Result<String> {
        let mut value = serde_json::to_value(self)?;
        let members = value.as_object_mut().context("a certificate is an object")?;
        let requests = members.remove("requests").unwrap_or_default();
        let mut lines = vec!["{".to_string()];
        for key in ["format", "heading", "date", "machine", "share", "seal"] {
            let Some(value) = members.get(key) else { continue };
            lines.push(format!("{}: {value},", serde_json::Value::from(key)));
        }
        lines.push("\"requests\": [".into());
        let requests = requests.as_array().cloned().unwrap_or_default();
        let rows: Vec<String> = requests.iter().map(ToString::to_string).collect();
        lines.push(rows.join(",\n"));
        lines.push("]}\n".into());
        Ok(lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::Sweeper;
    use super::super::prepared::Prepared;
    use super::super::record::{Chunk, Tally};
    use super::super::state::{Event, What};
    use super::super::tensors::Tensors;
    use super::super::verify::verify;
    use super::*;
    use castproof_vectors::{DType, Hex, Request};
    use std::collections::BTreeMap;

    /// A wrong digest under a right seal.
    #[test]
    fn a_forged_digest_is_found() {
        let request = Request::cast(DType::Float16, DType::Int8, 28);
        let prepared = Prepared::new(&request).expect("a numeric request");
        let due = Sweeper::new(&prepared, Tensors::WHOLE).due(0, &BTreeMap::new()).expect("due");
        let heading = Heading {
            tool: "castproof".into(),
            specification: "ONNX Cast".into(),
            testee: castproof_testee::Identity {
                name: "test".into(),
                version: "1".into(),
                language: OneLine::default(),
            },
            seed: Hex::new(0, DType::Uint64),
            tensors: None,
            tested: None,
            questions: None,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("certificate.json");
        for (digest, right) in [(due.expected, true), (Digest::of(b"forged"), false)] {
            let asked = vec![(Asked::from(request), Extent::new(&prepared))];
            let mut state = State::new(heading.clone(), asked);
            let chunk = Chunk {
                chunk: 0,
                codes: 65_536,
                expected: digest,
                observed: digest,
                found: Tally { undefined: due.undefined, ..Tally::default() },
                unanswered: Vec::new(),
                milliseconds: 1,
            };
            state.fold([Event { request: 0, what: What::Chunk(chunk) }]).expect("one chunk");
            Certificate::new(state, Shard::WHOLE, "today".into(), "here".into())
                .write(Output::create(&path).expect("a new file"))
                .expect("written");
            let text = std::fs::read_to_string(&path).expect("text");
            let state = Certificate::read(&path, &text).expect("sealed").state();
            let verified = verify(&state.requests[0], &|| Ok(()));
            assert_eq!(verified.is_ok(), right);
        }
    }
}
