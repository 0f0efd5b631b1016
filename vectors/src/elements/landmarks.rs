//! Landmark values of the dtypes, transcribed from the specifications: the third, independent
//! statement of each format. Tests compare `oracle` and `impl` with them, and the gate reads from
//! here which codes are NaN.

use super::hex::Hex;
use crate::DType;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// `spec/landmarks/<dtype>.json`
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Landmarks {
    /// The dtype.
    pub dtype: DType,
    /// Where the values were read.
    pub source: String,
    /// Codes that are valid elements: inclusive ranges.
    pub valid: Vec<[Hex; 2]>,
    /// Codes that are NaN: inclusive ranges.
    pub nan: Vec<[Hex; 2]>,
    /// Codes that are quiet NaN: inclusive ranges. Empty where no specification divides the NaN codes.
    #[serde(default)]
    pub quiet_nan: Vec<[Hex; 2]>,
    /// Codes of the infinities, positive first.
    pub infinity: Vec<Hex>,
    /// Named values as `[code, exact value]`; the value is an integer, a decimal, or a product
    /// like `-1.75 * 2^-16`.
    pub values: BTreeMap<String, (Hex, String)>,
}

impl Landmarks {
    /// Is this code a NaN?
    pub fn is_nan(&self, code: u64) -> bool {
        within(&self.nan, code)
    }

    /// Is this code a quiet NaN?
    pub fn is_quiet_nan(&self, code: u64) -> bool {
        within(&self.quiet_nan, code)
    }

    /// Is this code a valid element of the dtype?
    pub fn is_valid(&self, code: u64) -> bool {
        within(&self.valid, code)
    }
}

fn within(ranges: &[[Hex; 2]], code: u64) -> bool {
    ranges.iter().any(|[first, last]| (first.value()..=last.value()).contains(&code))
}

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/spec/landmarks");

/// The landmarks of every numeric dtype, by the dtype's discriminant.
static ALL: LazyLock<Vec<Landmarks>> = LazyLock::new(|| {
    let read = |&dtype: &DType| {
        let name = format!("{dtype}.json");
        let file = FILES
            .get_file(&name)
            .unwrap_or_else(|| panic!("no file vectors/spec/landmarks/{name}"));
        let landmarks: Landmarks = serde_json::from_slice(file.contents())
            .unwrap_or_else(|error| panic!("landmark file {name}: {error}"));
        assert_eq!(landmarks.dtype, dtype, "landmark file {name} speaks of another dtype");
        landmarks
    };
    DType::NUMERIC.iter().map(read).collect()
});

/// Returns the landmarks of a numeric dtype; `None` for string and complex.
pub fn landmarks(dtype: DType) -> Option<&'static Landmarks> {
    ALL.get(dtype as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_numeric_dtype_has_its_landmarks() {
        for &dtype in DType::NUMERIC {
            let landmarks = landmarks(dtype).expect("numeric");
            assert!(landmarks.values.len() >= 2, "{dtype} has too few values");
            assert!(landmarks.values.values().all(|(code, _)| landmarks.is_valid(code.value())));
        }
        assert!(landmarks(DType::String).is_none());
    }
}
