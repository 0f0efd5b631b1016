//! The numeric requests of a version or a profile, in all sets of attributes.

use crate::answers;
use anyhow::{Result, anyhow, bail};
use castproof_oracle::{attribute_sets, attribute_sets_of, profile_pairs};
use castproof_results::Filters;
use castproof_vectors::{
    DType, NEWEST, Operator, Outcome, Profile, Request, Spec, resolve, type_set,
};

/// Returns every numeric request of a version that the filters let through, in all modes.
///
/// # Errors
/// If the operator set is unknown, or there is none.
pub fn requests(filters: Filters) -> Result<Vec<Request>> {
    let opset = filters.opset.unwrap_or(NEWEST);
    let version = resolve(Operator::Cast, opset).map_err(|error| anyhow!(error))?;
    let set = type_set(Operator::Cast, version);
    let kept = |filter: Option<DType>| {
        let fits = move |dtype: &DType| filter.is_none_or(|filter| filter == *dtype);
        set.iter().copied().filter(|dtype| dtype.is_numeric()).filter(fits)
    };
    let mut requests = Vec::new();
    for from in kept(filters.from) {
        for to in kept(filters.to) {
            for attributes in attribute_sets(to, version) {
                requests.push(Request::cast(from, to, opset).with(attributes));
            }
        }
    }
    if requests.is_empty() {
        bail!("Cast-{version} has no numeric pair that the filters let through");
    }
    Ok(requests)
}

/// Returns every request of a profile that it does not refuse and that the filters let through, with
/// each set of attributes that it has for the pair.
///
/// # Errors
/// If there is none, or an operator set is named.
pub fn requests_of(profile: Profile, filters: Filters) -> Result<Vec<Request>> {
    let Filters { from, to, opset } = filters;
    let name = profile.name();
    if opset.is_some() {
        bail!("{name} has no versions; leave --opset out");
    }
    let is_kept = |pair: &(DType, DType)| {
        from.is_none_or(|from| from == pair.0) && to.is_none_or(|to| to == pair.1)
    };
    let pairs = profile_pairs(profile).into_iter().filter(is_kept);
    let mut requests = Vec::new();
    for (from, to) in pairs {
        let request = Request::new(Spec::Profile(profile), from, to);
        if (answers::chosen().cast)(&request, 0)?.expect != Outcome::Reject {
            let sets = attribute_sets_of(request.spec, (from, to)).into_iter();
            requests.extend(sets.map(|attributes| request.with(attributes)));
        }
    }
    if requests.is_empty() {
        bail!("{name} has no pair that the filters let through");
    }
    Ok(requests)
}
