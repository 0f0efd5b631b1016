//! A map as a list of JSON objects, each with the members of a key and of its value.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// A key and its value as one object.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Row<K, V> {
    #[serde(flatten)]
    key: K,
    #[serde(flatten)]
    value: V,
}

pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
    map: &BTreeMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(map.iter().map(|(key, value)| Row { key, value }))
}

pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: DeserializeOwned + Ord,
    V: DeserializeOwned,
    D: Deserializer<'de>,
{
    let rows = Vec::<Row<K, V>>::deserialize(deserializer)?;
    Ok(rows.into_iter().map(|row| (row.key, row.value)).collect())
}
