//! The names of what is cast, by what and under which rules: dtypes, specifications, requests.

mod block;
#[cfg(feature = "files")]
mod conversion;
mod dtype;
mod gguf;
mod layout;
pub mod methods;
#[cfg(feature = "files")]
mod names;
mod operand;
#[cfg(feature = "files")]
mod operator;
mod profile;
mod projection;
#[cfg(feature = "files")]
mod request;
mod round_mode;
#[cfg(feature = "files")]
mod spec;
#[cfg(feature = "files")]
mod suite;
#[cfg(feature = "files")]
mod version;

pub use block::{BlockFormat, BlockProfile};
#[cfg(feature = "files")]
pub use conversion::Conversion;
pub use dtype::{DType, DTypeClass};
pub use gguf::{GgufRecord, GgufType};
pub use layout::{CodeLayout, LayoutForm};
#[cfg(feature = "files")]
pub use names::{OTHER_NAMES, OtherNames, Owner, did_you_mean};
pub use operand::{Number, Operand, System};
#[cfg(feature = "files")]
pub use operator::{Operator, StepOperator};
pub use profile::{Elements, Profile};
pub use projection::{Edition, RoundingMode, Saturation};
#[cfg(feature = "files")]
pub use request::{Attributes, Level, Request};
pub use round_mode::RoundMode;
#[cfg(feature = "files")]
pub use spec::Spec;
#[cfg(feature = "files")]
pub use suite::Suite;
#[cfg(feature = "files")]
pub use version::{NEWEST, cast_version, resolve, type_set, versions};
