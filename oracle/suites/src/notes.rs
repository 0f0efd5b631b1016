//! What vector files say of the flags of specification defects.

use castproof_vectors::{Note, defects};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the notes of the flags of specification defects that are used.
pub(crate) fn defect_notes(used: &BTreeSet<&str>) -> BTreeMap<String, Note> {
    let used = defects().iter().filter(|defect| used.contains(defect.flag.as_str()));
    used.map(|defect| {
        let bug_type = format!("specification defect {}", defect.id);
        (defect.flag.clone(), Note { description: defect.title.clone(), bug_type })
    })
    .collect()
}
