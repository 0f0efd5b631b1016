//! The files of the repository, and texts in them.

mod blocks;
#[cfg(feature = "book")]
pub mod data;
mod defects;
mod digest;
mod dtypes;
mod file;
mod manifest;
mod one_line;
mod partition;
mod questions;
mod regressions;

pub use blocks::{BLOCKS_FORMAT, BlocksFile, ElementTable, MidpointRecord, ScaleTable};
pub use defects::{Defect, DefectChange, defects};
pub use digest::{sha256_hex, sha256_hex_of};
pub use dtypes::{
    DTYPES_FORMAT, DTypeKind, DTypeRecord, DTypesFile, FloatRecord, NumberRecord, VersionRecord,
};
pub use file::{FORMAT, FileError, Group, Note, Test, VectorFile, file_name, test_id};
pub use manifest::{Manifest, ManifestEntry};
pub use one_line::{OneLine, one_line};
pub use partition::{PARTITION_FORMAT, PartitionFile, PieceRecord, ShiftRecord};
pub use questions::{QuestionFile, QuestionTest};
pub use regressions::{Regression, regressions};
