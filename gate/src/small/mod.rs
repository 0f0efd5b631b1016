//! Small files that another project keeps: at most N values of one cast, chosen by the wrong methods that they tell,
//! in the form of its language.

mod check;
mod choice;
mod form;
mod npz;
mod texts;
mod value;

pub use check::{Vendored, compare, words_of};
pub use form::{SmallForm, SmallJob};

use anyhow::{Result, bail};
use choice::choose;
use form::{Head, share};

/// The number of values, if none is asked for.
pub const BUDGET: usize = 40;

/// A file is smaller than this, in bytes.
const LARGEST: usize = 100_000;

/// A small file.
pub struct SmallFile {
    /// What the file holds.
    pub content: Vec<u8>,
    /// How many values it has, and which methods they kill.
    pub share: String,
    /// Does a method live that level core kills?
    pub leaves_alive: bool,
}

/// Makes a small file. The same job gives the same bytes.
///
/// # Errors
/// If the request has no values, or the file would not be small.
pub fn make(job: &SmallJob) -> Result<SmallFile> {
    let choice = choose(&job.request, job.budget, |value| job.form.holds(value))?;
    let head = Head::of(job, &choice);
    let content = match job.form {
        SmallForm::Npz => npz::bytes(&job.request, &head, &choice.values),
        form => texts::text(form, &job.request, &head, &choice.values).into_bytes(),
    };
    if content.len() >= LARGEST {
        let (count, size) = (choice.values.len(), content.len());
        bail!(
            "{count} values would take {size} bytes, and a small file has less than {LARGEST}: give a smaller --budget; \
             castproof vectors export --format jsonl writes every vector"
        );
    }
    Ok(SmallFile { content, share: share(&choice), leaves_alive: !choice.alive.is_empty() })
}
