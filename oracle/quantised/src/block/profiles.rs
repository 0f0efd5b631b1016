//! The records. A profile that follows another one names what it changes.

use super::record::{
    Apply, BlockRecord, GroupScale, InfiniteProduct, Infinity, Nan, NanElement, Power, PowerScale,
    Ratio, Scale, Short, StepScale, Stored, TensorScale,
};
use castproof_vectors::{BlockProfile, DType, RuleId, rule};

/// The record of a profile.
pub(super) fn record(profile: BlockProfile) -> &'static BlockRecord {
    const FLOOR: BlockRecord = exact(Power::Floor, rule::MX_04);
    const CEIL: BlockRecord = exact(Power::Ceil, rule::MX_05);
    const RCEIL: BlockRecord = exact(Power::CeilOfQuotient, rule::MX_06);
    const EVEN: BlockRecord = exact(Power::FloorOfRounded, rule::MX_07);
    const RFIT: BlockRecord = exact(Power::Fit, rule::MX_10);
    const TORCHAO_FLOOR: BlockRecord = torchao(Power::Floor, rule::MX_04);
    const TORCHAO_CEIL: BlockRecord = torchao(Power::Ceil, rule::MX_05);
    const TORCHAO_EVEN: BlockRecord = torchao(Power::FloorOfRounded, rule::MX_07);
    match profile {
        BlockProfile::MxFloor => &FLOOR,
        BlockProfile::MxCeil => &CEIL,
        BlockProfile::MxRceil => &RCEIL,
        BlockProfile::MxEven => &EVEN,
        BlockProfile::MxRfit => &RFIT,
        BlockProfile::MxTorchaoFloor => &TORCHAO_FLOOR,
        BlockProfile::MxTorchaoCeil => &TORCHAO_CEIL,
        BlockProfile::MxTorchaoEven => &TORCHAO_EVEN,
        BlockProfile::Nvfp4Torchao => &NVFP4_TORCHAO,
        BlockProfile::Nvfp4Te => &NVFP4_TE,
        BlockProfile::MxTe => &MX_TE,
        BlockProfile::MxOcp => &MX_OCP,
        BlockProfile::Fp8Deepgemm => &FP8_DEEPGEMM,
        BlockProfile::Fp8DeepgemmUe8m0 => &FP8_DEEPGEMM_UE8M0,
        BlockProfile::Fp8VllmGroup => &FP8_VLLM_GROUP,
        BlockProfile::Fp8SglGroup => &FP8_SGL_GROUP,
        BlockProfile::Fp8TeBlock => &FP8_TE_BLOCK,
    }
}

const FLOATS: &[DType] = &[DType::Float32, DType::Float16, DType::Bfloat16];

/// The elements of the MX formats that are floats.
const MX_ELEMENTS: &[DType] = &[
    DType::Float8E4M3FN,
    DType::Float8E5M2,
    DType::Float6E3M2,
    DType::Float6E2M3,
    DType::Float4E2M1,
];

/// The exponent of the smallest scale.
const SMALLEST_POWER: i32 = -127;

/// What the exact profiles of MX formats share.
const fn exact(power: Power, rule: RuleId) -> BlockRecord {
    BlockRecord {
        sources: FLOATS,
        elements: MX_ELEMENTS,
        size: 32,
        layout: rule::MX_01,
        lines: rule::MX_19,
        short: (Short::Filled, rule::MX_02),
        nan: (Nan::Enters, rule::MX_14),
        scale: Scale::Power(PowerScale {
            power: (power, rule),
            below: rule::MX_11,
            zero: rule::MX_12,
            infinity: (Infinity::Nan, rule::MX_13),
            smallest_divisor: SMALLEST_POWER,
        }),
        other_scales: None,
        element: rule::MX_16,
        saturated: rule::MX_17,
        under_nan: rule::MX_15,
    }
}

/// What torchao does otherwise.
const fn torchao(power: Power, rule: RuleId) -> BlockRecord {
    BlockRecord {
        sources: &[DType::Float32, DType::Bfloat16],
        lines: rule::MX_20,
        short: (Short::Refused, rule::MX_03),
        scale: Scale::Power(PowerScale {
            power: (power, rule),
            below: rule::MX_11,
            zero: rule::MX_12,
            infinity: (Infinity::NextPower, rule::MX_09),
            smallest_divisor: SMALLEST_POWER + 1,
        }),
        element: rule::MX_18,
        ..exact(power, rule)
    }
}

const MX_OCP: BlockRecord = BlockRecord {
    nan: (Nan::Enters, rule::MX_28),
    scale: Scale::Power(PowerScale {
        power: (Power::Floor, rule::MX_27),
        below: rule::MX_28,
        zero: rule::MX_28,
        infinity: (Infinity::Nan, rule::MX_28),
        smallest_divisor: SMALLEST_POWER,
    }),
    other_scales: Some(rule::MX_27),
    ..exact(Power::Floor, rule::MX_27)
};

const MX_TE: BlockRecord = BlockRecord {
    elements: &[DType::Float8E4M3FN, DType::Float8E5M2],
    lines: rule::MX_26,
    short: (Short::Refused, rule::MX_25),
    nan: (Nan::Dropped { becomes: (NanElement::AllOnes, rule::MX_24) }, rule::MX_23),
    scale: Scale::Power(PowerScale {
        power: (Power::CeilOfProduct, rule::MX_21),
        below: rule::MX_11,
        zero: rule::MX_12,
        infinity: (Infinity::Largest, rule::MX_22),
        smallest_divisor: SMALLEST_POWER,
    }),
    ..exact(Power::CeilOfProduct, rule::MX_21)
};

const NVFP4_TORCHAO: BlockRecord = BlockRecord {
    sources: &[DType::Float32, DType::Bfloat16],
    elements: &[DType::Float4E2M1],
    size: 16,
    layout: rule::NV_01,
    lines: rule::NV_13,
    short: (Short::Refused, rule::NV_06),
    nan: (Nan::Enters, rule::NV_05),
    scale: Scale::Steps(StepScale {
        tensor: TensorScale::Decodes,
        at_least: Some(-6),
        made: rule::NV_03,
    }),
    other_scales: None,
    element: rule::NV_04,
    saturated: rule::NV_12,
    under_nan: rule::NV_05,
};

const NVFP4_TE: BlockRecord = BlockRecord {
    short: (Short::Refused, rule::NV_11),
    nan: (Nan::Dropped { becomes: (NanElement::Largest, rule::NV_10) }, rule::NV_09),
    scale: Scale::Steps(StepScale {
        tensor: TensorScale::Encodes,
        at_least: None,
        made: rule::NV_07,
    }),
    element: rule::NV_08,
    ..NVFP4_TORCHAO
};

/// 1e-4 and 1e-10 as codes of float32.
const TENTH_OF_THOUSANDTH: u64 = 0x38d1_b717;
const TENTH_OF_BILLIONTH: u64 = 0x2edb_e6ff;

const FP8_DEEPGEMM: BlockRecord = BlockRecord {
    sources: &[DType::Float32, DType::Bfloat16],
    elements: &[DType::Float8E4M3FN],
    size: 128,
    layout: rule::FB_01,
    lines: rule::FB_03,
    short: (Short::Filled, rule::FB_04),
    nan: (Nan::Enters, rule::FB_13),
    scale: Scale::Group(GroupScale {
        floor: Some((TENTH_OF_THOUSANDTH, rule::FB_06)),
        ratio: (Ratio::Quotient, rule::FB_08),
        stored: Stored::Float32,
        infinity: rule::FB_15,
        apply: Apply::Reciprocal,
        infinite: InfiniteProduct::Open,
    }),
    other_scales: None,
    element: rule::FB_19,
    saturated: rule::FB_22,
    under_nan: rule::FB_13,
};

const FP8_DEEPGEMM_UE8M0: BlockRecord = BlockRecord {
    nan: (Nan::Enters, rule::FB_14),
    scale: Scale::Group(GroupScale {
        floor: Some((TENTH_OF_THOUSANDTH, rule::FB_06)),
        ratio: (Ratio::Quotient, rule::FB_09),
        stored: Stored::PowerUp,
        infinity: rule::FB_14,
        apply: Apply::Reciprocal,
        infinite: InfiniteProduct::Open,
    }),
    ..FP8_DEEPGEMM
};

const FP8_VLLM_GROUP: BlockRecord = BlockRecord {
    short: (Short::Refused, rule::FB_05),
    nan: (Nan::Dropped { becomes: (NanElement::NegativeLargest, rule::FB_16) }, rule::FB_16),
    scale: Scale::Group(GroupScale {
        floor: Some((TENTH_OF_BILLIONTH, rule::FB_07)),
        ratio: (Ratio::Quotient, rule::FB_08),
        stored: Stored::Float32,
        infinity: rule::FB_16,
        apply: Apply::Quotient,
        infinite: InfiniteProduct::Largest,
    }),
    element: rule::FB_20,
    ..FP8_DEEPGEMM
};

const FP8_SGL_GROUP: BlockRecord = BlockRecord {
    short: (Short::Refused, rule::FB_05),
    nan: (Nan::Dropped { becomes: (NanElement::AllOnes, rule::FB_17) }, rule::FB_17),
    scale: Scale::Group(GroupScale {
        floor: Some((TENTH_OF_BILLIONTH, rule::FB_07)),
        ratio: (Ratio::Product, rule::FB_10),
        stored: Stored::Float32,
        infinity: rule::FB_18,
        apply: Apply::Encode,
        infinite: InfiniteProduct::Largest,
    }),
    element: rule::FB_21,
    ..FP8_DEEPGEMM
};

const FP8_TE_BLOCK: BlockRecord = BlockRecord {
    scale: Scale::Group(GroupScale {
        floor: None,
        ratio: (Ratio::Encode { ends: rule::FB_12 }, rule::FB_11),
        stored: Stored::Float32,
        infinity: rule::FB_12,
        apply: Apply::Encode,
        infinite: InfiniteProduct::Largest,
    }),
    ..FP8_SGL_GROUP
};
