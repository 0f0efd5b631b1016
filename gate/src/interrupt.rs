//! Whether the user wants the program to stop. It is asked wherever something may take long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The longest time between two looks, where the program waits.
pub const LOOK: Duration = Duration::from_millis(100);

static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The flag that a handler of Ctrl-C sets.
pub fn flag() -> &'static Arc<AtomicBool> {
    &REQUESTED
}

/// Does the user want the program to stop?
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
