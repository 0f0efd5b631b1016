//! The attestation: which conversions were asked in full, and with what result.

use crate::record::{Digest, Tested};
use anyhow::{Context, Result, bail};
use castproof_io::input;
use castproof_io::output::Output;
use castproof_testee::Identity;
use castproof_vectors::{Conversion, Edition, OneLine};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The `format` member.
pub(crate) const ATTESTATION: &str = "castproof-attestation/1";

/// An attestation, as it is written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Attestation {
    pub(super) format: String,
    pub(super) heading: Heading,
    /// When it was written, in UTC.
    pub(super) date: OneLine,
    pub(super) operations: Vec<Operation>,
    /// Digest of this file with zeros in this place.
    pub(super) seal: Digest,
}

/// What is attested, and of whom.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Heading {
    /// Version of this program.
    pub(super) tool: OneLine,
    /// The text whose rules hold.
    pub(super) edition: OneLine,
    /// Who was asked.
    pub(super) testee: Identity,
    /// Which build of it was asked.
    pub(super) tested: Tested,
}

impl Heading {
    pub(super) fn edition(&self) -> Result<Edition> {
        let found = Edition::ALL.into_iter().find(|it| it.name() == &*self.edition);
        found.with_context(|| format!("unknown edition '{}'", self.edition))
    }
}

/// One conversion that was asked in full.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Operation {
    /// Its name in P3109: `Convert<Binary8p3se, Binary8p4se, (NearestTiesToEven, SatFinite)>`.
    pub(super) identifier: OneLine,
    /// How many operands it has; a stochastic rounding has one for each code and random number.
    pub(super) operands: u64,
    /// How many results were wrong.
    pub(super) wrong: u64,
    /// Digest of all results, in the order of the operands; each in 8 bytes, and of several NaNs the one that is due.
    pub(super) digest: Digest,
    /// The first wrong results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) examples: Vec<Example>,
    /// What the testee does otherwise, where one known way gives every result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<OneLine>,
    /// Why it was not asked to the end; nothing is attested then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<OneLine>,
}

impl Operation {
    /// Gives every operand the result that is due?
    pub(super) fn is_right(&self) -> bool {
        self.wrong == 0 && self.stopped.is_none()
    }

    /// The conversion.
    ///
    /// # Errors
    /// If it has another name.
    pub(super) fn conversion(&self, edition: Edition) -> Result<Conversion> {
        let read: Conversion = self.identifier.parse().map_err(anyhow::Error::msg)?;
        Ok(Conversion { edition, ..read })
    }
}

/// A wrong result.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Example {
    pub(super) input: OneLine,
    /// The random number, for a rounding that takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) random: Option<u64>,
    pub(super) got: OneLine,
    pub(super) expected: OneLine,
}

const NO_SEAL: Digest = Digest([0; 32]);

impl Attestation {
    /// Seals it.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub(super) fn sealed(mut self) -> Result<Attestation> {
        self.seal = NO_SEAL;
        self.seal = Digest::of(self.text()?.as_bytes());
        Ok(self)
    }

    /// Writes it whole, or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, output: Output) -> Result<()> {
        output.commit(self.text()?)
    }

    /// Reads an attestation and checks its seal.
    ///
    /// # Errors
    /// If it is none, or was edited.
    pub(crate) fn read(path: &Path, text: &str) -> Result<Attestation> {
        let name = path.display();
        let foreign =
            || format!("{name} is no attestation; name a file that castproof attest wrote");
        let value: serde_json::Value = serde_json::from_str(text).with_context(foreign)?;
        input::counts(&value).with_context(foreign)?;
        let mut read: Attestation = serde_json::from_value(value).with_context(foreign)?;
        if read.format != ATTESTATION {
            bail!("{name}: its format is '{}', not {ATTESTATION}", read.format);
        }
        let seal = read.seal;
        if read.text()? != text {
            bail!("{name} was edited: it is not as this program writes it");
        }
        read.seal = NO_SEAL;
        if Digest::of(read.text()?.as_bytes()) != seal {
            bail!("{name} was edited: its seal does not match");
        }
        read.seal = seal;
        Ok(read)
    }

    fn text(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
