//! What is compared.

use castproof_oracle::{Caster, attribute_sets_of, concerning, default_attributes, partition};
use castproof_vectors::{Attributes, DType, NEWEST, Piece, Profile, Request, RoundMode, Spec};
use std::collections::BTreeMap;

/// What is compared: a specification and the attributes with which it is asked.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) spec: Spec,
    pub(super) attributes: Attributes,
}

/// The pieces of every pair that is cast.
pub(super) type Pieces = BTreeMap<(DType, DType), Vec<Piece>>;

/// The newest ONNX Cast and every profile: by its defaults, and once more with other attributes, if it has
/// any.
pub(super) fn asked() -> Vec<Asked> {
    let with = |spec, attributes| Asked { spec, attributes };
    [Spec::cast(NEWEST)]
        .into_iter()
        .chain(Profile::numeric().map(Spec::Profile))
        .flat_map(|spec| {
            let other = other_attributes(spec).map(|attributes| with(spec, attributes));
            [with(spec, Attributes::default())].into_iter().chain(other)
        })
        .collect()
}

/// The other saturation than that by default, and another round mode: to nearest or down.
fn other_attributes(spec: Spec) -> Option<Attributes> {
    let default = default_attributes(spec);
    let pairs = DType::NUMERIC.iter().flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)));
    let sets: Vec<Attributes> = pairs.flat_map(|pair| attribute_sets_of(spec, pair)).collect();
    let mut saturates = [false, true].into_iter().map(Some);
    let mut modes = [RoundMode::Nearest, RoundMode::Down].into_iter().map(Some);
    let saturate =
        saturates.find(|it| *it != default.saturate && sets.iter().any(|set| set.saturate == *it));
    let round_mode = modes
        .find(|mode| *mode != default.round_mode && sets.iter().any(|set| set.round_mode == *mode));
    let (saturate, round_mode) = (saturate.flatten(), round_mode.flatten());
    (saturate.is_some() || round_mode.is_some()).then_some(Attributes { saturate, round_mode })
}

impl Asked {
    /// The request of a pair; `None` if these attributes do not concern the pair.
    pub(super) fn request(&self, pair: (DType, DType)) -> Option<Request> {
        let attributes = concerning(self.spec, pair, self.attributes);
        let is_concerned =
            attributes != Attributes::default() || self.attributes == Attributes::default();
        let (from, to) = pair;
        is_concerned.then_some(Request { spec: self.spec, from, to, attributes })
    }
}

/// Computes the pieces of a specification.
///
/// # Errors
/// If the oracle cannot cast.
pub(super) fn pieces(asked: &Asked) -> Result<Pieces, String> {
    let pairs =
        || DType::NUMERIC.iter().flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)));
    let mut pieces = Pieces::new();
    for pair in pairs() {
        let Some(request) = asked.request(pair) else { continue };
        if !Caster::new(&request).map_err(|error| error.to_string())?.is_refused() {
            pieces.insert(pair, partition(&request).map_err(|error| error.to_string())?);
        }
    }
    Ok(pieces)
}
