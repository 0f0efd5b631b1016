//! Casts in a row: chains.

use crate::{Attributes, DType, Element, StepOperator, element_count};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// Two or more casts of one element in a row, as one graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CastChain {
    /// Dtypes of the input, of the tensors between the casts, and of the output; at least three.
    #[serde(deserialize_with = "three_or_more")]
    pub dtypes: Vec<DType>,
    /// The attributes that are given to each cast, one set a cast; none: no cast has any.
    #[serde(default)]
    pub attributes: Vec<Attributes>,
    /// What each step does; none: every step is a `Cast`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<StepOperator>,
    /// Is the input a constant of the model?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
    /// The shape of the tensor. The elements of all tests of the chain with this shape stand in it one after the other, and
    /// again from the first until it is full; of a scalar, one in each. Absent: the tensor is a row of exactly those elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<u64>>,
    /// The element.
    pub input: Element,
}

/// Reads the dtypes of a chain. Every file is refused here, results too, so that nothing behind it meets a chain without
/// ends.
fn three_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<DType>, D::Error> {
    let dtypes = Vec::<DType>::deserialize(from)?;
    match dtypes.len() {
        3.. => Ok(dtypes),
        few => Err(D::Error::custom(format!("a chain of {few} dtypes: name three or more"))),
    }
}

impl CastChain {
    /// The most elements of a tensor.
    pub const MOST_ELEMENTS: usize = 1 << 16;

    /// Returns the dtypes of input and output.
    pub fn ends(&self) -> (DType, DType) {
        (self.dtypes[0], self.dtypes[self.dtypes.len() - 1])
    }

    /// Returns the dtypes of each cast, and the attributes that it is given.
    pub fn casts(&self) -> impl Iterator<Item = (DType, DType, Attributes)> {
        let given = self.attributes.iter().copied().chain(std::iter::repeat(Attributes::default()));
        let pairs = self.dtypes.iter().zip(self.dtypes.iter().skip(1));
        pairs.zip(given).map(|((&from, &to), given)| (from, to, given))
    }

    /// Are the bytes of a tensor read as another dtype in one of the steps?
    pub fn has_bitcast(&self) -> bool {
        self.operators.contains(&StepOperator::Bitcast)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let (dtypes, sets) = (self.dtypes.len(), self.attributes.len());
        check_operators(&self.dtypes, &self.attributes, &self.operators)?;
        if sets != 0 && sets != dtypes - 1 {
            return Err(format!(
                "a chain of {dtypes} dtypes with {sets} sets of attributes: give one set for each cast, or none"
            ));
        }
        if let Some(shape) = &self.shape {
            match element_count(shape) {
                Ok(1..=Self::MOST_ELEMENTS) => {}
                _ => {
                    return Err(format!(
                        "a chain of a tensor of shape {shape:?}: give one of 1 to {} elements",
                        Self::MOST_ELEMENTS
                    ));
                }
            }
        }
        self.input.check(self.dtypes[0])
    }
}

/// Checks the operators of the steps of a chain against its dtypes and attributes.
///
/// # Errors
/// If there is not one for each step, a bitcast is between dtypes of two widths, or it has attributes.
pub fn check_operators(
    dtypes: &[DType],
    attributes: &[Attributes],
    operators: &[StepOperator],
) -> Result<(), String> {
    if operators.is_empty() {
        return Ok(());
    }
    if operators.len() + 1 != dtypes.len() {
        return Err(format!(
            "a chain of {} dtypes with {} operators: give one for each step, or none",
            dtypes.len(),
            operators.len()
        ));
    }
    for (at, _) in operators.iter().enumerate().filter(|(_, it)| **it == StepOperator::Bitcast) {
        let (from, to) = (dtypes[at], dtypes[at + 1]);
        if !from.is_numeric() || !to.is_numeric() || from.bits() != to.bits() {
            return Err(format!(
                "a chain with a bitcast from {from} to {to}: name two numeric dtypes of the same width"
            ));
        }
        if attributes.get(at).is_some_and(|given| *given != Attributes::default()) {
            return Err(format!(
                "a chain with a bitcast with attributes, from {from} to {to}: give {{}} there"
            ));
        }
    }
    Ok(())
}

impl fmt::Display for CastChain {
    /// `float32 -> int8 -> float32 by CastLike of 0x43e80000 in a tensor of shape [7, 5]`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ends().0)?;
        let named = self.operators.iter().copied().chain(std::iter::repeat(StepOperator::Cast));
        for ((_, to, attributes), operator) in self.casts().zip(named) {
            write!(f, " -> {to}{}", operator.suffix())?;
            if attributes != Attributes::default() {
                write!(f, " {attributes}")?;
            }
        }
        let constant = if self.constant { "the constant " } else { "" };
        write!(f, " of {constant}{}", self.input.text())?;
        match &self.shape {
            Some(shape) => write!(f, " in a tensor of shape {shape:?}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain without a first or a last dtype, or with too many sets of attributes, is refused where it is read.
    #[test]
    fn a_chain_has_three_dtypes_and_a_set_of_attributes_for_each_cast() {
        let read = |dtypes: &str, sets: &str| {
            let text = format!(r#"{{"dtypes": {dtypes}, "attributes": {sets}, "input": "0x00"}}"#);
            let chain: CastChain = serde_json::from_str(&text).map_err(|it| it.to_string())?;
            chain.check()
        };
        for (dtypes, sets, said) in [
            ("[]", "[]", Some("a chain of 0 dtypes: name three or more")),
            (r#"["int8", "int4"]"#, "[{}]", Some("a chain of 2 dtypes: name three or more")),
            (r#"["int8", "int4", "int8"]"#, "[{}]", Some("3 dtypes with 1 sets of attributes")),
            (r#"["int8", "int4", "int8"]"#, "[]", None),
            (r#"["int8", "int4", "bool", "int8"]"#, "[{}, {}, {}]", None),
        ] {
            let came = read(dtypes, sets);
            assert_eq!(came.is_err(), said.is_some(), "{dtypes} {sets}: {came:?}");
            assert!(said.is_none_or(|said| came.is_err_and(|it| it.contains(said))), "{dtypes}");
        }
    }

    /// A bitcast keeps the width, and takes no attributes.
    #[test]
    fn a_chain_has_an_operator_for_each_step() {
        let read = |dtypes: &str, members: &str| {
            let text = format!(r#"{{"dtypes": {dtypes}, {members}, "input": "0x00000000"}}"#);
            let chain: CastChain = serde_json::from_str(&text).map_err(|it| it.to_string())?;
            chain.check().map(|()| chain.to_string())
        };
        const DTYPES: &str = r#"["float32", "int32", "int8"]"#;
        let both = r#""operators": ["bitcast", "castlike"]"#;
        let said = read(DTYPES, both).expect("a chain");
        assert!(said.starts_with("float32 -> int32 by BitCast -> int8 by CastLike of "), "{said}");
        for (dtypes, members, problem) in [
            (DTYPES, r#""operators": ["cast"]"#, "3 dtypes with 1 operators"),
            (DTYPES, r#""operators": ["cast", "bitcast"]"#, "a bitcast from int32 to int8"),
            (DTYPES, r#""operators": ["cast", "drop"]"#, "unknown variant `drop`"),
            (r#"["int32", "string", "int8"]"#, both, "a bitcast from int32 to string"),
            (
                DTYPES,
                r#""attributes": [{"saturate": 0}, {}], "operators": ["bitcast", "cast"]"#,
                "a bitcast with attributes",
            ),
        ] {
            let came = read(dtypes, members);
            assert!(came.as_ref().is_err_and(|it| it.contains(problem)), "{members}: {came:?}");
        }
    }
}
