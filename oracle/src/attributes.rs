//! The attributes that a request can have.

use crate::class::Class;
use crate::spec::record;
use castproof_vectors::{Attributes, DType, Spec};

/// Returns every combination of the attributes that matter to a target and that `Cast` of this
/// version has. Each attribute is absent, so that its default holds, or has one of its values. In
/// ONNX the source does not count.
pub fn attribute_sets(to: DType, version: u32) -> Vec<Attributes> {
    attribute_sets_of(Spec::cast(version), (to, to))
}

/// Returns every combination of the attributes that matter to a pair in a specification; the first
/// gives none.
pub fn attribute_sets_of(spec: Spec, pair: (DType, DType)) -> Vec<Attributes> {
    let (mut saturates, mut modes) = (vec![None], vec![None]);
    if let Ok(record) = record(spec) {
        saturates.extend(record.saturate.values_for(pair).iter().copied().map(Some));
        modes.extend(record.round_mode.values_for(pair).iter().copied().map(Some));
    }
    let with =
        |round_mode| saturates.iter().map(move |&saturate| Attributes { saturate, round_mode });
    modes.into_iter().flat_map(with).collect()
}

/// Returns those of the attributes that matter to a pair in a specification.
pub fn concerning(spec: Spec, pair: (DType, DType), given: Attributes) -> Attributes {
    record(spec).map_or_else(|_| Attributes::default(), |record| record.concerning(pair, given))
}

/// Is an attribute that matters to the target absent?
pub fn leaves_out(attributes: Attributes, to: DType) -> bool {
    match Class::of(to) {
        Class::Float8 => attributes.saturate.is_none(),
        Class::Scale => attributes.saturate.is_none() || attributes.round_mode.is_none(),
        _ => false,
    }
}

/// Returns those versions of `Cast` that have the attributes.
pub fn having(attributes: Attributes, versions: &[u32]) -> Vec<u32> {
    let has = |version: &u32| {
        record(Spec::cast(*version)).is_ok_and(|record| {
            (record.saturate.is_known() || attributes.saturate.is_none())
                && (record.round_mode.is_known() || attributes.round_mode.is_none())
        })
    };
    versions.iter().copied().filter(has).collect()
}

/// Returns the values that hold where a request gives no attribute, of the attributes that the specification has.
pub fn default_attributes(spec: Spec) -> Attributes {
    record(spec).map_or_else(
        |_| Attributes::default(),
        |record| Attributes {
            saturate: Some(record.saturate.default).filter(|_| record.saturate.is_known()),
            round_mode: Some(record.round_mode.default).filter(|_| record.round_mode.is_known()),
        },
    )
}
