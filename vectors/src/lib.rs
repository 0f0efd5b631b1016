//! The words that every part of Castproof shares: dtype labels, requests, outcomes, the vector file
//! format and the landmark values transcribed from the specifications.
//!
//! Labels are shared, facts are not. This crate knows the name, the storage width and the class of a
//! dtype and nothing else about it: bias, precision, NaN codes and overflow are stated three times, in
//! `oracle` as records, in `impl` as bit arithmetic, and here only as transcribed values under
//! `spec/landmarks`.
//!
//! Without the default feature `files` only the labels remain, without `std` and without
//! dependencies.
#![cfg_attr(not(feature = "files"), no_std)]
#![forbid(unsafe_code)]

mod block;
mod dtype;
mod expand;
mod gguf;
mod labels;
mod layout;
pub mod methods;
#[cfg(castproof_plant)]
#[doc(hidden)]
pub mod plant;
mod profile;
mod projection;
pub mod random;
mod round_mode;

pub use block::{BlockFormat, BlockProfile};
pub use dtype::{DType, DTypeClass};
pub use expand::Shift;
pub use gguf::{GgufRecord, GgufType};
pub use labels::{Number, Operand, System};
pub use layout::{CodeLayout, LayoutForm};
pub use profile::{Elements, Profile};
pub use projection::{Edition, RoundingMode, Saturation};
pub use round_mode::RoundMode;

#[cfg(feature = "files")]
mod block_decoding;
#[cfg(feature = "files")]
mod block_layout;
#[cfg(feature = "files")]
mod block_question;
#[cfg(feature = "files")]
mod block_tensor;
#[cfg(feature = "files")]
mod blocks_file;
#[cfg(feature = "book")]
pub mod book;
#[cfg(feature = "files")]
mod bytes;
#[cfg(feature = "files")]
mod conversion;
#[cfg(feature = "files")]
mod defects;
#[cfg(feature = "files")]
mod digest;
#[cfg(feature = "files")]
mod dtypes_file;
#[cfg(feature = "files")]
mod element;
#[cfg(feature = "files")]
mod file;
#[cfg(feature = "files")]
mod gguf_question;
#[cfg(feature = "files")]
mod hex;
#[cfg(feature = "files")]
mod landmarks;
#[cfg(feature = "files")]
mod layout_question;
#[cfg(feature = "files")]
mod linear_question;
#[cfg(feature = "files")]
mod manifest;
#[cfg(feature = "files")]
mod names;
#[cfg(feature = "files")]
mod one_line;
#[cfg(feature = "files")]
mod operator;
#[cfg(feature = "files")]
mod outcome;
#[cfg(feature = "files")]
mod partition_file;
#[cfg(feature = "files")]
mod payload;
#[cfg(feature = "files")]
mod piece;
#[cfg(feature = "files")]
mod projection_question;
#[cfg(feature = "files")]
mod question;
#[cfg(feature = "files")]
mod question_file;
#[cfg(feature = "files")]
mod regressions;
#[cfg(feature = "files")]
mod request;
#[cfg(feature = "files")]
mod rules;
#[cfg(feature = "files")]
mod spec;
#[cfg(feature = "files")]
mod suite;
#[cfg(feature = "files")]
mod version;

#[cfg(feature = "files")]
pub use {
    block_decoding::{DequantizeBlock, NumberCodes, NumbersAnswer},
    block_layout::BlockLayout,
    block_question::{BlockAnswer, BlockChoice, ElementCodes, QuantizeBlock},
    block_tensor::{QuantizeTensor, TensorOfBlocks},
    blocks_file::{BLOCKS_FORMAT, BlocksFile, ElementTable, MidpointRecord, ScaleTable},
    bytes::Bytes,
    conversion::Conversion,
    defects::{Change, Defect, defects},
    digest::{sha256_hex, sha256_hex_of},
    dtypes_file::{
        DTYPES_FORMAT, DTypeKind, DTypeRecord, DTypesFile, FloatRecord, NumberRecord, VersionRecord,
    },
    element::Element,
    file::{FORMAT, FileError, Group, Note, Test, VectorFile, file_name, test_id},
    gguf_question::{DequantizeGguf, GgufBlocks, GgufReadings, QuantizeGguf},
    hex::Hex,
    landmarks::{Landmarks, landmarks},
    layout_question::{LaidOut, LaidOutAnswer, codes_of},
    linear_question::{DynamicAnswer, DynamicLinear, Linear, LinearAnswer, LinearCodes, packed},
    manifest::{Manifest, ManifestEntry},
    names::{OTHER_NAMES, OtherNames, Owner, did_you_mean},
    one_line::{Line, one_line},
    operator::Operator,
    outcome::{Expectation, Notation, Outcome, OutcomeRecord, TextOutcome},
    partition_file::{PARTITION_FORMAT, PartitionFile, PieceRecord, ShiftRecord},
    payload::{
        code_at, element_count, pack, pack_elements, packed_len, tensor_len, unpack,
        unpack_elements,
    },
    piece::{Formula, Piece, Practice, Rules, Stretch, Tolerate, piece_of, stretches},
    projection_question::{DueCodes, FormatCodes, Project, ProjectedAnswer},
    question::{
        AnswerRecord, Bitcast, CastChain, CastLike, ComplexAnswer, ComplexCast, DTypeAnswer,
        ElementAnswer, Operands, OperandsAnswer, Promote, Question, Scalar, TensorAnswer,
    },
    question_file::{QuestionFile, QuestionTest},
    regressions::{Regression, regressions},
    request::{Attributes, Level, Request},
    rules::{
        Basis, RULES_FORMAT, RangeRecord, Rule, RuleId, RuleRecord, RulesFile, Source,
        SourceRecord, SpecRange, find_rule, ids as rule, rules,
    },
    spec::Spec,
    suite::Suite,
    version::{NEWEST, cast_version, resolve, type_set, versions},
};
