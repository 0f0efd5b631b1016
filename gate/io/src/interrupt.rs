//! Whether the user wants the program to stop. Every operation that may take long checks it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The longest time between two checks while the program waits.
pub const LOOK: Duration = Duration::from_millis(100);

static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returns the flag that the handler of Ctrl-C sets.
pub fn flag() -> &'static Arc<AtomicBool> {
    &REQUESTED
}

/// Does the user want the program to stop?
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
