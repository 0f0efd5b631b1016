//! The specification that a cast follows.

use super::operator::Operator;
use super::profile::Profile;
use super::version::{resolve, versions};
use std::fmt;
use std::str::FromStr;

/// A specification of casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spec {
    /// An operator of ONNX in a model of an operator set. The newest version of the operator that
    /// is not above the operator set is in force.
    Onnx {
        /// The operator.
        op: Operator,
        /// The operator set of the model.
        opset: u32,
    },
    /// A specification other than ONNX's.
    Profile(Profile),
}

impl Spec {
    /// ONNX `Cast` in this operator set.
    pub const fn cast(opset: u32) -> Spec {
        Spec::Onnx { op: Operator::Cast, opset }
    }

    /// ONNX `CastLike` in this operator set.
    pub const fn cast_like(opset: u32) -> Spec {
        Spec::Onnx { op: Operator::CastLike, opset }
    }

    /// Returns the operator of ONNX; `None` for a profile.
    pub const fn op(self) -> Option<Operator> {
        match self {
            Spec::Onnx { op, .. } => Some(op),
            Spec::Profile(_) => None,
        }
    }

    /// Returns the operator set of the model; `None` for a profile.
    pub const fn opset(self) -> Option<u32> {
        match self {
            Spec::Onnx { opset, .. } => Some(opset),
            Spec::Profile(_) => None,
        }
    }

    /// Returns the name of the specification in the rule book, without version: `onnx-cast`,
    /// `rust-as`.
    pub const fn family(self) -> &'static str {
        match self {
            Spec::Onnx { op: Operator::Cast, .. } => CAST,
            Spec::Onnx { op: Operator::CastLike, .. } => CAST_LIKE,
            Spec::Profile(profile) => profile.name(),
        }
    }

    /// Returns the specification with the version that is in force as its operator set.
    ///
    /// # Errors
    /// The same as those of [`Spec::version`].
    pub fn in_force(self) -> Result<Spec, String> {
        Ok(match self {
            Spec::Onnx { op, opset } => Spec::Onnx { op, opset: resolve(op, opset)? },
            Spec::Profile(_) => self,
        })
    }

    /// Returns the version of the operator that is in force; `None` for a specification without
    /// versions.
    ///
    /// # Errors
    /// If the operator set has no version of the operator, or is not known.
    pub fn version(self) -> Result<Option<u32>, String> {
        match self {
            Spec::Onnx { op, opset } => resolve(op, opset).map(Some),
            Spec::Profile(_) => Ok(None),
        }
    }
}

const CAST: &str = "onnx-cast";
const CAST_LIKE: &str = "onnx-castlike";

impl fmt::Display for Spec {
    /// `onnx-cast-19`, `rust-as`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family())?;
        self.opset().map_or(Ok(()), |opset| write!(f, "-{opset}"))
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(name: &str) -> Result<Spec, String> {
        if let Ok(profile) = name.parse() {
            return Ok(Spec::Profile(profile));
        }
        for (family, op) in [(CAST, Operator::Cast), (CAST_LIKE, Operator::CastLike)] {
            let version = name.strip_prefix(family).and_then(|rest| rest.strip_prefix('-'));
            let Some(version) = version else { continue };
            let known = versions(op);
            let opset = version.parse().ok().filter(|version| known.contains(version));
            let opset = opset.ok_or_else(|| {
                format!("{op} has no version {version}; its versions are {known:?}")
            })?;
            return Ok(Spec::Onnx { op, opset });
        }
        let profiles = Profile::ALL.map(Profile::name);
        let mean = super::names::did_you_mean(&name.to_lowercase(), profiles.map(|it| (it, it)));
        let profiles = profiles.join(", ");
        Err(format!(
            "unknown specification '{name}'; known are {CAST}-VERSION, {CAST_LIKE}-VERSION, {profiles}{mean}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let onnx = [(Operator::Cast, 19), (Operator::CastLike, 25)];
        let specs = onnx.map(|(op, opset)| Spec::Onnx { op, opset });
        for spec in specs.into_iter().chain(Profile::ALL.map(Spec::Profile)) {
            assert_eq!(spec.to_string().parse(), Ok(spec));
        }
        for (name, said) in [
            ("onnx-cast-20", "Cast has no version 20"),
            ("onnx-cast-x", "no version x"),
            ("onnx-cast", "unknown specification"),
            ("cast-19", "known are onnx-cast-VERSION"),
        ] {
            assert!(name.parse::<Spec>().unwrap_err().contains(said), "{name}");
        }
    }

    #[test]
    fn the_version_in_force_is_the_newest_not_above_the_operator_set() {
        assert_eq!(Spec::cast(22).version(), Ok(Some(21)));
        assert_eq!(Spec::cast(22).in_force(), Ok(Spec::cast(21)));
        assert_eq!(Spec::cast_like(28).version(), Ok(Some(25)));
        assert_eq!(Spec::Profile(Profile::NumpyAstype).version(), Ok(None));
        assert!(Spec::cast_like(14).version().is_err());
    }
}
