//! What is compared.

use castproof_oracle::{Caster, partition};
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

/// The newest ONNX Cast by its defaults, the same without saturation and to nearest, and every
/// profile.
pub(super) fn asked() -> Vec<Asked> {
    let plain = |spec| Asked { spec, attributes: Attributes::default() };
    let other = Attributes { saturate: Some(false), round_mode: Some(RoundMode::Nearest) };
    let onnx = Spec::cast(NEWEST);
    [plain(onnx), Asked { spec: onnx, attributes: other }]
        .into_iter()
        .chain(Profile::numeric().map(|profile| plain(Spec::Profile(profile))))
        .collect()
}

impl Asked {
    /// The request of a pair; `None` if these attributes do not concern the target.
    pub(super) fn request(&self, (from, to): (DType, DType)) -> Option<Request> {
        let mut attributes = self.attributes;
        if attributes != Attributes::default() {
            let sets = castproof_oracle::attribute_sets(to, NEWEST);
            if !sets.contains(&attributes) {
                attributes.round_mode = None;
            }
            if !sets.contains(&attributes) {
                return None;
            }
        }
        Some(Request { spec: self.spec, from, to, attributes })
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
