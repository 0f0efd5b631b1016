//! Blocks: numbers that share a scale, as MX formats, NVFP4 and groups of FP8 have them.

use crate::arch::{Body, Compute, Ready, Stores, compiled};
use crate::block_group::Groups;
use crate::block_power::{LEADING, over_power, power_up};
use crate::cast::Cast;
use crate::format::Format;
use crate::kernels::INFINITY;
use crate::kernels::block::{Divide, Largest, Multiply};
use crate::packed::{byte_len, check_bytes};
use crate::rules::Rules;
use crate::values::format_of;
use crate::{Backend, Error};
use castproof_vectors::{BlockProfile, DType, Profile};

/// Numbers that are quantised at once: whole blocks, whose packed elements end with a byte.
const AT_ONCE: usize = 1024;

/// The most blocks among them.
const BLOCKS: usize = AT_ONCE / 16;

/// Quantises rows of blocks by the rules of a profile.
///
/// ```
/// use castproof_impl::{BlockProfile, BlockQuantizer, DType};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let numbers: Vec<u8> = [464.0_f32, 1.0, 0.001].iter().flat_map(|x| x.to_le_bytes()).collect();
/// let (mut scales, mut elements) = ([0; 1], [0; 3]);
/// for (profile, scale, due) in [
///     (BlockProfile::MxFloor, 0x7f, [0x7e, 0x38, 0x01]),
///     (BlockProfile::MxCeil, 0x80, [0x76, 0x30, 0x00]),
/// ] {
///     let quantizer = BlockQuantizer::new(profile, DType::Float32, DType::Float8E4M3FN)?;
///     quantizer.run(&numbers, 3, 0.0, &mut scales, &mut elements)?;
///     assert_eq!((scales, elements), ([scale], due));
/// }
/// # Ok(())
/// # }
/// ```
pub struct BlockQuantizer {
    profile: BlockProfile,
    from: DType,
    way: Way,
    scales: Scales,
    /// To float32, which holds every number. `None`: from float32.
    widen: Option<Cast>,
    /// The largest magnitude of each block.
    largest: Ready<Compute>,
    multiply: Ready<Compute>,
    /// From float32, which holds every product that decides an element. A NaN becomes 6 in float4e2m1
    /// (NV-10), and 0x7f where the way says so (MX-24).
    narrow: Cast,
}

/// What a profile chooses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The scale is a power of two (MX-01).
    Power {
        /// When its exponent is that of the largest magnitude plus one, less that of elements.
        up: Up,
        /// A release of torchao: infinity counts as 2^128, numbers are divided by at least 2^-126
        /// (MX-09, MX-18).
        is_torchao: bool,
    },
    /// The scale is a power of two that follows from a product with the inverse of the largest element, as
    /// TransformerEngine has it (MX-21).
    Product,
    /// NVFP4 with a scale of the tensor that decodes (NV-03).
    Decodes,
    /// NVFP4 with a scale of the tensor that encodes (NV-07).
    Encodes,
    /// Groups of 128 numbers (FB-01).
    Group(Groups),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Up {
    /// Never (MX-04).
    Never,
    /// Unless the magnitude is a power of two (MX-05).
    UnlessPower,
    /// If the magnitude is beyond the largest element (MX-06).
    Beyond,
    /// If it rounds to the next power of two, a half up (MX-07).
    RoundsToPower,
    /// If it rounds beyond the largest element (MX-10).
    RoundsBeyond,
}

impl Way {
    const fn of(profile: BlockProfile) -> Way {
        use BlockProfile::*;
        let (up, is_torchao) = match profile {
            MxFloor | MxOcp => (Up::Never, false),
            MxCeil => (Up::UnlessPower, false),
            MxRceil => (Up::Beyond, false),
            MxEven => (Up::RoundsToPower, false),
            MxRfit => (Up::RoundsBeyond, false),
            MxTorchaoFloor => (Up::Never, true),
            MxTorchaoCeil => (Up::UnlessPower, true),
            MxTorchaoEven => (Up::RoundsToPower, true),
            Nvfp4Torchao => return Way::Decodes,
            Nvfp4Te => return Way::Encodes,
            MxTe => return Way::Product,
            Fp8Deepgemm => return Way::Group(Groups::DEEPGEMM),
            Fp8DeepgemmUe8m0 => return Way::Group(Groups::DEEPGEMM_UE8M0),
            Fp8VllmGroup => return Way::Group(Groups::VLLM),
            Fp8SglGroup => return Way::Group(Groups::SGLANG),
            Fp8TeBlock => return Way::Group(Groups::TRANSFORMER_ENGINE),
        };
        Way::Power { up, is_torchao }
    }

    fn has(self, from: DType, to: DType) -> bool {
        use DType::*;
        let has_elements = match self {
            Way::Product => matches!(to, Float8E4M3FN | Float8E5M2),
            Way::Power { .. } => {
                matches!(to, Float8E4M3FN | Float8E5M2 | Float6E3M2 | Float6E2M3 | Float4E2M1)
            }
            Way::Decodes | Way::Encodes => to == Float4E2M1,
            Way::Group(_) => to == Float8E4M3FN,
        };
        let has_float16 = matches!(self, Way::Power { is_torchao: false, .. } | Way::Product);
        has_elements && (matches!(from, Float32 | Bfloat16) || from == Float16 && has_float16)
    }

    const fn size(self) -> usize {
        match self {
            Way::Power { .. } | Way::Product => 32,
            Way::Decodes | Way::Encodes => 16,
            Way::Group(_) => 128,
        }
    }

    /// The dtype of scales, as far as its width goes.
    const fn scale(self) -> DType {
        match self {
            Way::Group(groups) if groups.has_float32() => DType::Float32,
            _ => DType::Uint8,
        }
    }

    const fn takes_short(self) -> bool {
        match self {
            Way::Power { is_torchao, .. } => !is_torchao,
            Way::Group(groups) => groups.takes_short(),
            _ => false,
        }
    }
}

/// How the scales of blocks follow from their largest magnitudes.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant, reason = "a quantiser has one, and is made once")]
enum Scales {
    /// By the exponent of the magnitude.
    Powers {
        /// Added to the bits of a magnitude, so that it carries into the exponent where the scale is one more.
        carry: u32,
        /// The exponent of the largest element.
        max_exponent: u32,
        /// The scale is NaN above this magnitude.
        last: u32,
        /// The smallest code of the scale that numbers are divided by.
        smallest_divisor: u32,
    },
    /// By the product of the magnitude with this number.
    Products { inverse: f32 },
    /// Those of groups.
    Groups {
        groups: Groups,
        /// The largest number of the source.
        most: f32,
    },
    /// By steps of float32.
    Steps {
        encodes: bool,
        /// To float8e4m3fn.
        store: Cast,
        /// Back to float32.
        load: Cast,
    },
}

impl BlockQuantizer {
    /// Makes the quantisation of blocks of `from` to elements of `to`.
    ///
    /// # Errors
    /// [`Error::NoBlock`] if the profile does not have these dtypes.
    pub fn new(profile: BlockProfile, from: DType, to: DType) -> Result<BlockQuantizer, Error> {
        let way = Way::of(profile);
        let none = Error::NoBlock { profile, from, to };
        let format = format_of(to).filter(|_| way.has(from, to)).ok_or(none)?;
        let widen =
            (from != DType::Float32).then(|| Cast::new(from, DType::Float32)).transpose()?;
        let narrow = match way {
            Way::Product => Cast::of_profile(Profile::CudaCvt, DType::Float32, to)?,
            Way::Group(groups) if groups.drops_nan() => {
                Cast::of_profile(Profile::CudaCvt, DType::Float32, to)?
            }
            _ => Cast::new(DType::Float32, to)?,
        };
        let scales = Scales::new(way, from, &format)?;
        let (largest, multiply) = match way {
            Way::Power { .. } => (ready::<Largest<32, true>>(), ready::<Multiply<32>>()),
            // TransformerEngine's largest magnitude leaves NaN out (MX-23, NV-09).
            Way::Product => (ready::<Largest<32, false>>(), ready::<Multiply<32>>()),
            Way::Decodes => (ready::<Largest<16, true>>(), ready::<Multiply<16>>()),
            Way::Encodes => (ready::<Largest<16, false>>(), ready::<Multiply<16>>()),
            Way::Group(groups) => {
                let largest = match groups.drops_nan() {
                    true => ready::<Largest<128, false>>(),
                    false => ready::<Largest<128, true>>(),
                };
                let apply = match groups.divides() {
                    true => ready::<Divide<128>>(),
                    false => ready::<Multiply<128>>(),
                };
                (largest, apply)
            }
        };
        Ok(BlockQuantizer { profile, from, way, scales, widen, largest, multiply, narrow })
    }

    /// How many numbers share a scale.
    pub fn block_size(&self) -> usize {
        self.way.size()
    }

    /// Quantises a row of `count` numbers, whose blocks lie one behind the other. `input` holds the
    /// numbers, little-endian. `largest` is the largest magnitude of the whole tensor, which NVFP4 asks for
    /// and the others do not read. Writes the code of the scale of each block to `scales`, a byte, or four of
    /// float32, little-endian, and the packed elements to `elements`. Under a scale that is NaN the elements are 0.
    ///
    /// # Errors
    /// [`Error::BlockLength`] if the row does not end with a block: MX formats take a short last one
    /// (MX-02), and so does DeepGEMM (FB-04); the others refuse it (MX-03, MX-25, NV-06, FB-05). [`Error::ByteLength`] if `input`, `scales` or
    /// `elements` is not as long as `count` says. Nothing is written then.
    pub fn run(
        &self,
        input: &[u8],
        count: usize,
        largest: f32,
        scales: &mut [u8],
        elements: &mut [u8],
    ) -> Result<(), Error> {
        let size = self.way.size();
        if !count.is_multiple_of(size) && !self.way.takes_short() {
            return Err(Error::BlockLength { profile: self.profile, size, actual: count });
        }
        let to = self.narrow.to();
        check_bytes("input", self.from, count, input.len())?;
        check_bytes("scales", self.way.scale(), count.div_ceil(size), scales.len())?;
        check_bytes("elements", to, count, elements.len())?;
        let length =
            |dtype: DType, count: usize| byte_len(dtype.bits() as usize, count).unwrap_or(0);
        let mut rooms = Rooms::default();
        let inputs = input.chunks(length(self.from, AT_ONCE));
        let outputs = elements.chunks_mut(length(to, AT_ONCE));
        let scales = scales.chunks_mut(length(self.way.scale(), AT_ONCE / size));
        for ((input, scales), output) in inputs.zip(scales).zip(outputs) {
            self.run_some(input, largest, scales, output, &mut rooms)?;
        }
        Ok(())
    }

    /// Quantises at most [`AT_ONCE`] numbers.
    fn run_some(
        &self,
        input: &[u8],
        largest: f32,
        scales: &mut [u8],
        output: &mut [u8],
        rooms: &mut Rooms,
    ) -> Result<(), Error> {
        let (size, width) = (self.way.size(), self.way.scale().bits() as usize / 8);
        let blocks = scales.len() / width;
        let count = input.len() / (self.from.bits() as usize / 8);
        let Rooms { blocks: input_of_loops, magnitudes, products } = rooms;
        let (numbers, factors) = input_of_loops.split_at_mut(4 * blocks * size);
        match &self.widen {
            Some(widen) => widen.run(input, count, &mut numbers[..4 * count])?,
            None => numbers[..4 * count].copy_from_slice(input),
        }
        // Zeros fill a shorter block (MX-02).
        numbers[4 * count..].fill(0);
        let (magnitudes, factors) = (&mut magnitudes[..4 * blocks], &mut factors[..4 * blocks]);
        let products = &mut products[..4 * blocks * size];
        let rules = &Rules::NEWEST;
        self.largest.run(rules, numbers, magnitudes, Stores::Plain);
        self.scales.find(magnitudes, largest, scales, factors)?;
        let used = 4 * blocks * (size + 1);
        self.multiply.run(rules, &input_of_loops[..used], products, Stores::Plain);
        self.narrow.run(&products[..4 * count], count, output)
    }
}

/// What is between the loops.
struct Rooms {
    /// The float32 of whole blocks, then the factor of each.
    blocks: [u8; 4 * (AT_ONCE + BLOCKS)],
    /// The largest magnitude of each block.
    magnitudes: [u8; 4 * BLOCKS],
    /// The float32 that become elements.
    products: [u8; 4 * AT_ONCE],
}

impl Default for Rooms {
    fn default() -> Rooms {
        Rooms {
            blocks: [0; 4 * (AT_ONCE + BLOCKS)],
            magnitudes: [0; 4 * BLOCKS],
            products: [0; 4 * AT_ONCE],
        }
    }
}

impl Scales {
    fn new(way: Way, from: DType, format: &Format) -> Result<Scales, Error> {
        Ok(match way {
            Way::Power { up, is_torchao } => Scales::Powers {
                carry: 2 * LEADING - first_up(up, format),
                max_exponent: format.max_exponent() as u32,
                last: if is_torchao { INFINITY } else { INFINITY - 1 },
                smallest_divisor: u32::from(is_torchao),
            },
            Way::Product => Scales::Products { inverse: 1.0 / largest_number(format) },
            Way::Group(groups) => Scales::Groups { groups, most: largest_of_source(from) },
            Way::Decodes | Way::Encodes => Scales::Steps {
                encodes: way == Way::Encodes,
                store: Cast::new(DType::Float32, DType::Float8E4M3FN)?,
                load: Cast::new(DType::Float8E4M3FN, DType::Float32)?,
            },
        })
    }

    /// Finds the code of each scale, and the factor by which the numbers of its block are multiplied: NaN if the
    /// scale is NaN. `magnitudes` holds the largest magnitude of each block, by the bits of float32.
    fn find(
        &self,
        magnitudes: &[u8],
        largest: f32,
        codes: &mut [u8],
        factors: &mut [u8],
    ) -> Result<(), Error> {
        let (magnitudes, factors) = (magnitudes.as_chunks().0, factors.as_chunks_mut().0);
        match self {
            Scales::Powers { carry, max_exponent, last, smallest_divisor } => {
                for ((magnitude, code), factor) in magnitudes.iter().zip(codes).zip(factors) {
                    let amax = u32::from_le_bytes(*magnitude);
                    #[cfg(castproof_plant)]
                    let carry = &crate::plant::spoil_carry(*carry, amax);
                    // A subnormal magnitude has the field 0 or 1, less than any exponent of a largest
                    // element, so that its scale is the smallest one. That of infinity is 2^128.
                    let power = ((amax + carry) >> 23).saturating_sub(*max_exponent);
                    let is_nan = amax > *last;
                    *code = if is_nan { 0xff } else { power as u8 };
                    // 2 to the power that the divisor is under 1, a normal number. Of the products float32
                    // rounds only those below 2^-126, which become elements that are zero.
                    let bits = (254 - power.max(*smallest_divisor).min(253)) << 23;
                    *factor = (if is_nan { u32::MAX } else { bits }).to_le_bytes();
                }
                Ok(())
            }
            Scales::Products { inverse } => {
                for ((magnitude, code), factor) in magnitudes.iter().zip(codes).zip(factors) {
                    *code = power_up(f32::from_le_bytes(*magnitude) * inverse);
                    *factor = over_power(*code).to_le_bytes();
                }
                Ok(())
            }
            Scales::Groups { groups, most } => {
                groups.find(*most, magnitudes, codes, factors);
                Ok(())
            }
            Scales::Steps { encodes, store, load } => {
                let way =
                    if *encodes { Steps::encoding(largest) } else { Steps::decoding(largest) };
                let mut wanted = [[0; 4]; BLOCKS];
                for (wanted, magnitude) in wanted.iter_mut().zip(magnitudes) {
                    *wanted = way.wanted(f32::from_le_bytes(*magnitude)).to_le_bytes();
                }
                let wanted = &mut wanted[..codes.len()];
                store.run(wanted.as_flattened(), codes.len(), codes)?;
                let mut stored = [[0; 4]; BLOCKS];
                let stored = &mut stored[..codes.len()];
                load.run(codes, codes.len(), stored.as_flattened_mut())?;
                for (place, factor) in factors.iter_mut().enumerate() {
                    let is_nan = f32::from_le_bytes(wanted[place]).is_nan();
                    if is_nan {
                        codes[place] = 0x7f;
                    }
                    let stored = f32::from_le_bytes(stored[place]);
                    *factor = (if is_nan { f32::NAN } else { way.factor(stored) }).to_le_bytes();
                }
                Ok(())
            }
        }
    }
}

/// The largest element.
fn largest_number(format: &Format) -> f32 {
    let stored = format.max() as u32 & ((1 << format.significand_bits) - 1);
    let field = format.max_exponent() as u32 + 127;
    f32::from_bits(field << 23 | stored << (23 - format.significand_bits))
}

/// The largest number of a source of groups.
fn largest_of_source(from: DType) -> f32 {
    match from {
        // Seven bits behind the leading one, all set.
        DType::Bfloat16 => f32::from_bits(INFINITY - (1 << 16)),
        _ => f32::MAX,
    }
}

/// The first significand, with its leading bit, whose scale is one more. 2^24 if there is none.
fn first_up(up: Up, format: &Format) -> u32 {
    let largest_bits = format.significand_bits;
    let dropped = 23 - largest_bits;
    // The significand of the largest element, at the same scale.
    let field = format.max() as u32 & ((1 << largest_bits) - 1);
    let largest = (1 << largest_bits | field) << dropped;
    let half = 1 << (dropped - 1);
    match up {
        Up::Never => 2 * LEADING,
        Up::UnlessPower => LEADING + 1,
        Up::Beyond => largest + 1,
        Up::RoundsToPower => 2 * LEADING - half,
        // A tie with the largest stays if the largest is even.
        Up::RoundsBeyond => largest + half + u32::from(field & 1 == 0),
    }
}

/// The steps of NVFP4 under the largest magnitude of a tensor, each rounded to float32.
#[derive(Clone, Copy)]
enum Steps {
    /// `p = G/2688`, the block has `(m/6)/p`, a number is multiplied by `(1/p)/S`.
    Decode { tensor: f32 },
    /// `s = 2688/G`, the block has `m*(s*(1/6))`, a number is multiplied by `1/(S*(1/s))`.
    Encode { tensor: f32 },
}

impl Steps {
    fn decoding(largest: f32) -> Steps {
        Steps::Decode { tensor: largest / (6.0 * 448.0) }
    }

    fn encoding(largest: f32) -> Steps {
        let tensor = at_most_largest(6.0 * 448.0 / largest);
        Steps::Encode { tensor: if largest == 0.0 || tensor == 0.0 { 1.0 } else { tensor } }
    }

    /// The scale of a block before it is stored.
    fn wanted(self, amax: f32) -> f32 {
        match self {
            Steps::Decode { tensor } => {
                let wanted = (amax / 6.0) / tensor;
                if wanted < 1.0 / 64.0 { 1.0 / 64.0 } else { wanted }
            }
            Steps::Encode { tensor } => at_most_largest(amax * (tensor * (1.0 / 6.0))),
        }
    }

    fn factor(self, stored: f32) -> f32 {
        match self {
            Steps::Decode { tensor } => 1.0 / tensor / stored,
            Steps::Encode { tensor } => at_most_largest(1.0 / (stored * (1.0 / tensor))),
        }
    }
}

fn at_most_largest(x: f32) -> f32 {
    if x == f32::INFINITY { f32::MAX } else { x }
}

/// A loop of the backend that casts use.
fn ready<B: Body>() -> Ready<Compute> {
    let backend = Backend::preferred();
    let Some(ready) = compiled::<B>(backend.instruction_set()).ready(backend) else {
        unreachable!("a backend has its own instruction set");
    };
    ready
}
