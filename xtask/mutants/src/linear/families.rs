//! Families of faults of linear quantisation. Each function draws the parameters of one fault.

use castproof::fuzz::Random;
use castproof_vectors::DType;

/// A quantised dtype of integers.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) dtype: DType,
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Setting {
    pub(super) fn of(dtype: DType) -> Setting {
        let codes = 1i64 << dtype.bits();
        let low = if dtype.is_signed() { -codes / 2 } else { 0 };
        Setting { dtype, low, high: low + codes - 1 }
    }

    /// The number of a code.
    pub(super) fn number(self, code: u64) -> i64 {
        let code = code as i64;
        if code > self.high { code - (self.high - self.low + 1) } else { code }
    }

    /// A number of this dtype, drawn.
    fn any(self, random: &mut Random) -> i64 {
        self.low + random.below((self.high - self.low + 1) as usize) as i64
    }

    /// What becomes of a quotient, by round to nearest even and saturation.
    fn finished(self, quotient: f64, zero: i64) -> i64 {
        (quotient.round_ties_even() as i64).saturating_add(zero).clamp(self.low, self.high)
    }
}

/// Where an element stands.
pub(super) struct Stands {
    /// Its number in row-major order, of so many, in a tensor of this rank.
    pub(super) at: usize,
    pub(super) count: usize,
    pub(super) rank: usize,
    /// The number of its scale.
    pub(super) scale_at: usize,
    /// Its place along the axis of the scales, and the size of a block; 0 without blocks.
    pub(super) along: usize,
    pub(super) block_size: usize,
}

/// What `DynamicQuantizeLinear` returns.
pub(super) struct Dynamic {
    pub(super) scale: f32,
    pub(super) zero_point: u8,
    pub(super) elements: Vec<u8>,
}

/// The number that a wrong kernel returns for an element, its scale and its zero point; the last is the right one.
type Quantised = Box<dyn Fn(&Stands, (f32, f32, i64), i64) -> i64 + Send + Sync>;
type Decoded = Box<dyn Fn(&Stands, (i64, f32, i64), f32) -> f32 + Send + Sync>;
type Whole = Box<dyn Fn(&[f32]) -> Option<Dynamic> + Send + Sync>;

/// What a fault does.
pub(super) enum Does {
    Quantised(Quantised),
    Decoded(Decoded),
    Dynamic(Whole),
}

impl Does {
    /// The dtypes of input and output.
    pub(super) fn pair(&self, small: DType) -> (DType, DType) {
        match self {
            Does::Quantised(_) => (DType::Float32, small),
            Does::Decoded(_) => (small, DType::Float32),
            Does::Dynamic(_) => (DType::Float32, DType::Uint8),
        }
    }
}

/// A fault of linear quantisation.
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) does: Does,
    /// Why the default gate cannot notice it, if it cannot.
    pub(super) beyond: Option<&'static str>,
}

type Draws = fn(&Setting, &mut Random) -> Option<Fault>;

pub(super) const FAMILIES: [(&str, Draws); 19] = [
    ("product instead of quotient", |setting, _| {
        let it = *setting;
        quantised("times the rounded reciprocal".into(), move |_, (x, scale, zero), _| {
            it.finished((x * (1.0 / scale)).into(), zero)
        })
    }),
    ("quotient of fewer bits", |setting, random| {
        let (it, bits) = (*setting, 8 + random.below(16) as u32);
        quantised(format!("a quotient of {bits} bits"), move |_, (x, scale, zero), _| {
            it.finished(to_bits(x / scale, bits).into(), zero)
        })
    }),
    ("rounding", |setting, random| {
        let (it, mode) = (*setting, random.below(5));
        let name = ["half away", "toward zero", "down", "half up", "half down"][mode];
        quantised(name.into(), move |_, (x, scale, zero), _| {
            let quotient = f64::from(x / scale);
            let rounded = match mode {
                0 => quotient.round(),
                1 => quotient.trunc(),
                2 => quotient.floor(),
                3 => (quotient + 0.5).floor(),
                _ => (quotient - 0.5).ceil(),
            };
            it.finished(rounded, zero)
        })
    }),
    ("zero point before rounding", |setting, _| {
        let it = *setting;
        quantised("rounded with the zero point".into(), move |_, (x, scale, zero), _| {
            it.finished((x / scale + zero as f32).into(), 0)
        })
    }),
    ("quotient out of a range", |setting, random| {
        let power = [15, 16, 20, 22, 23, 24, 31, 32, 63][random.below(9)];
        let (it, wraps) = (*setting, random.below(2) == 0);
        let most = 2f64.powi(power);
        let name = format!("quotients from 2^{power} {}", if wraps { "wrap" } else { "are low" });
        quantised(name, move |_, (x, scale, zero), right| {
            let quotient = f64::from(x / scale);
            match quotient.abs() >= most {
                true if wraps => it.finished(quotient % most, zero),
                true => it.low,
                false => right,
            }
        })
    }),
    ("clamp", |setting, random| {
        let it = *setting;
        let (low, high) = match random.below(3) {
            0 => (it.low + 1, it.high),
            1 => (it.low, it.high - 1),
            _ => (it.low / 2, it.high / 2),
        };
        let before = random.below(2) == 0;
        let when = if before { "before the zero point is added" } else { "of the result" };
        quantised(
            format!("clamped to {low} and {high} {when}"),
            move |_, (x, scale, zero), right| {
                if !before {
                    return right.clamp(low, high);
                }
                let count = (f64::from(x / scale).round_ties_even() as i64).clamp(low, high);
                (count + zero).clamp(it.low, it.high)
            },
        )
    }),
    ("zero points of a range", |setting, random| {
        let (it, from) = (*setting, setting.any(random));
        let at_most = random.below(2) == 0;
        let name =
            format!("zero points {} {from} count one more", if at_most { "to" } else { "from" });
        quantised(name, move |_, (x, scale, zero), right| {
            let is_in = if at_most { zero <= from } else { zero >= from };
            let wrong = it.finished((x / scale).into(), zero + 1);
            if is_in && zero != 0 { wrong } else { right }
        })
    }),
    ("scales of a binade", |_, random| {
        let field = 1 + random.below(254) as u32;
        quantised(format!("scales of exponent field {field}"), move |_, (_, scale, _), right| {
            if scale.to_bits() >> 23 == field { right ^ 1 } else { right }
        })
    }),
    ("small scales", |setting, random| {
        let (it, most) = (*setting, f32::from_bits((1 + random.below(100) as u32) << 23));
        quantised(format!("scales below {most:e} count as it"), move |_, (x, scale, zero), _| {
            it.finished((x / scale.max(most)).into(), zero)
        })
    }),
    ("result", |setting, random| {
        let step = 1.max((setting.high - setting.low + 1) / 256);
        let from = setting.low
            + random.below(256.min((setting.high - setting.low + 1) as usize)) as i64 * step;
        quantised(format!("results from {from}, {step} of them"), move |_, _, right| {
            if (from..from + step).contains(&right) { right ^ 1 } else { right }
        })
    }),
    ("element from a number on", |_, random| {
        let from = [5, 16, 33, 64, 200, 256, 512, 1024, 2048][random.below(9)];
        quantised(format!("elements from {from} on"), move |it, _, right| {
            right ^ i64::from(it.at >= from)
        })
    }),
    ("tail", |_, random| {
        let of = [8, 16, 32, 64][random.below(4)];
        quantised(format!("the tail of {of}"), move |it, _, right| {
            right ^ i64::from(it.count > of && it.at >= it.count / of * of)
        })
    }),
    ("place along the axis", |_, random| {
        let from = [3, 8, 16, 32, 64][random.below(5)];
        quantised(format!("from place {from} of the axis on"), move |it, _, right| {
            right ^ i64::from(it.block_size == 0 && it.along >= from)
        })
    }),
    ("blocks of a size", |_, random| {
        let size = [16, 32, 64, 128][random.below(4)];
        let (rank, decodes) = (1 + random.below(4), random.below(2) == 0);
        let is_wrong =
            move |it: &Stands| it.block_size == size && it.along >= size && it.rank >= rank.min(3);
        let name = format!("blocks of {size} behind the first, from rank {} on", rank.min(3));
        match decodes {
            false => quantised(name, move |it, _, right| right ^ i64::from(is_wrong(it))),
            true => decoded(name, move |it, _, right| if is_wrong(it) { -right } else { right }),
        }
    }),
    ("rank", |_, random| {
        let (rank, has_scales) = (random.below(5), random.below(2) == 0);
        quantised(
            format!("last element of rank {rank}, scales {has_scales}"),
            move |it, _, right| {
                let is_wrong = it.rank == rank
                    && it.at + 1 == it.count
                    && (it.scale_at > 0) == (has_scales && rank > 0);
                right ^ i64::from(is_wrong)
            },
        )
    }),
    ("decoding", |setting, random| {
        let mode = random.below(5);
        let bits = 8 + random.below(15) as u32;
        let name = match mode {
            0 => "two products and a difference".into(),
            1 => format!("a product of {bits} bits"),
            2 => format!("a difference of {} bits", setting.dtype.bits()),
            3 => "scales below 2^-126 are zero".into(),
            _ => "products below 2^-126 are zero".to_string(),
        };
        let range = setting.high - setting.low + 1;
        let it = *setting;
        decoded(name, move |_, (q, scale, zero), right| match mode {
            0 if right.is_finite() => q as f32 * scale - zero as f32 * scale,
            1 => to_bits(right, bits),
            2 => ((q - zero - it.low).rem_euclid(range) + it.low) as f32 * scale,
            3 if scale < f32::MIN_POSITIVE => right * 0.0,
            4 if right.abs() < f32::MIN_POSITIVE => right * 0.0,
            _ => right,
        })
    }),
    ("decoding of a code", |setting, random| {
        let step = 1.max((setting.high - setting.low + 1) / 256);
        let from = setting.low
            + random.below(256.min((setting.high - setting.low + 1) as usize)) as i64 * step;
        decoded(format!("codes from {from}, {step} of them"), move |_, (q, scale, zero), right| {
            let is_wrong = (from..from + step).contains(&q);
            if is_wrong { (q + 1 - zero) as f32 * scale } else { right }
        })
    }),
    ("decoding by scale and place", |_, random| {
        let field = 1 + random.below(254) as u32;
        let from = [5, 16, 64, 256, 1024, 2048][random.below(6)];
        match random.below(2) {
            0 => decoded(
                format!("scales of exponent field {field}"),
                move |_, (_, scale, _), right| {
                    if scale.to_bits() >> 23 == field { -right } else { right }
                },
            ),
            _ => decoded(format!("elements from {from} on"), move |it, _, right| {
                if it.at >= from { -right } else { right }
            }),
        }
    }),
    ("scale that is found", |setting, random| {
        let (mode, seen) = (random.below(RIGHT), [4, 8, 16, 32][random.below(4)]);
        (setting.dtype == DType::Uint8).then(|| dynamic(mode, seen))
    }),
];

/// Kernels without a fault, calculated as the families calculate. The gate must pass them: else a fault is found for
/// another reason than its own.
pub(super) fn controls(setting: &Setting) -> [Fault; 3] {
    let it = *setting;
    let quantise = quantised("quantising".into(), move |_, (x, scale, zero), _| {
        it.finished((x / scale).into(), zero)
    });
    let decode = decoded("decoding".into(), |_, (q, scale, zero), _| (q - zero) as f32 * scale);
    [quantise.expect("a kernel"), decode.expect("a kernel"), dynamic(RIGHT, 0)]
}

fn quantised(
    name: String,
    wrong: impl Fn(&Stands, (f32, f32, i64), i64) -> i64 + Send + Sync + 'static,
) -> Option<Fault> {
    Some(Fault { name, does: Does::Quantised(Box::new(wrong)), beyond: None })
}

fn decoded(
    name: String,
    wrong: impl Fn(&Stands, (i64, f32, i64), f32) -> f32 + Send + Sync + 'static,
) -> Option<Fault> {
    Some(Fault { name, does: Does::Decoded(Box::new(wrong)), beyond: None })
}

/// Rounds a number to so many significant bits, to nearest, ties away from zero.
fn to_bits(number: f32, bits: u32) -> f32 {
    let dropped = 24 - bits;
    if !number.is_finite() || dropped == 0 {
        return number;
    }
    f32::from_bits((number.to_bits() + (1 << (dropped - 1))) >> dropped << dropped)
}

/// The mode of `DynamicQuantizeLinear` without a fault.
const RIGHT: usize = 7;

/// Returns a fault of `DynamicQuantizeLinear`.
fn dynamic(mode: usize, seen: usize) -> Fault {
    let name = match mode {
        0 => "the range times the rounded reciprocal of 255".into(),
        1 => "the zero point half away from zero".into(),
        2 => "the zero point toward zero".into(),
        3 => "a range without zero".into(),
        4 => "elements by product".into(),
        5 => "elements half away from zero".into(),
        6 => format!("the largest of the first {seen} numbers"),
        _ => "finding a scale".into(),
    };
    let whole = move |numbers: &[f32]| {
        let (first, smallest) = (
            &numbers[..numbers.len().min(seen)],
            numbers.iter().copied().fold(f32::INFINITY, f32::min),
        );
        let largest_of =
            |numbers: &[f32]| numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let largest = largest_of(if mode == 6 { first } else { numbers });
        let (low, high) =
            if mode == 3 { (smallest, largest) } else { (smallest.min(0.0), largest.max(0.0)) };
        let range = high - low;
        let scale = if mode == 0 { range * (1.0 / 255.0) } else { range / 255.0 };
        if !(scale > 0.0 && scale.is_finite()) {
            return None;
        }
        let zero = -low / scale;
        let zero = match mode {
            1 => zero.round(),
            2 => zero.trunc(),
            _ => zero.round_ties_even(),
        };
        let zero = zero.clamp(0.0, 255.0);
        let element = |x: &f32| {
            let quotient = if mode == 4 { x * (1.0 / scale) } else { x / scale };
            let count = if mode == 5 { quotient.round() } else { quotient.round_ties_even() };
            (count + zero).clamp(0.0, 255.0) as u8
        };
        Some(Dynamic {
            scale,
            zero_point: zero as u8,
            elements: numbers.iter().map(element).collect(),
        })
    };
    Fault { name, does: Does::Dynamic(Box::new(whole)), beyond: None }
}
