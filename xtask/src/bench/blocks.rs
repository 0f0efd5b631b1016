//! Rows of blocks, quantised and decoded, beside a plain loop over crates, numpy with ml_dtypes and torchao.

use super::aligned::Aligned;
use super::machine::Machine;
use super::measure::{self, SIZES, read_and_write, summary};
use super::python::Python;
use castproof_impl::{BlockDequantizer, BlockFormat, BlockProfile, BlockQuantizer, packed_len};
use castproof_vectors::DType::{self, Float4E2M1, Float8E4M3FN, Float32};
use std::hint::black_box;
use std::time::Duration;

/// The number of turns that each contender gets.
const TURNS: usize = 5;

/// What is quantised from float32.
const QUANTISED: [(BlockProfile, DType); 6] = [
    (BlockProfile::MxFloor, Float8E4M3FN),
    (BlockProfile::MxRceil, Float8E4M3FN),
    (BlockProfile::MxFloor, Float4E2M1),
    (BlockProfile::MxRceil, Float4E2M1),
    (BlockProfile::Nvfp4Torchao, Float4E2M1),
    (BlockProfile::Nvfp4Te, Float4E2M1),
];

/// What is decoded to float32.
const DECODED: [(BlockFormat, DType); 3] = [
    (BlockFormat::Mx, Float8E4M3FN),
    (BlockFormat::Mx, Float4E2M1),
    (BlockFormat::Nvfp4, Float4E2M1),
];

/// The largest magnitude that the sample can have.
const LARGEST: f32 = 64.0;

/// Quantises or decodes a row once.
type Call<'a> = Box<dyn FnMut() + 'a>;

/// Times each row at both sizes, or at the smaller one alone, and prints a table.
///
/// # Errors
/// If the plain loop quantises the sample otherwise, or Python cannot be asked.
pub(super) fn blocks(cached: bool) -> Result<String, String> {
    let sizes = if cached { &SIZES[..1] } else { &SIZES[..] };
    let mut pythons = Python::start_all()?;
    let machine = Machine::new();
    let versions: Vec<String> = pythons
        .iter()
        .flat_map(|it| &it.peers)
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    println!(
        "{machine}\nmedians of {TURNS} turns; a loop over microfloat, {}",
        versions.join(", ")
    );
    println!("{HEAD}");
    for &elements in sizes {
        let numbers = measure::sample(Float32, elements)?;
        for (profile, to) in QUANTISED {
            quantised((profile, to), numbers.bytes(), elements, &mut pythons)?;
        }
        for (format, from) in DECODED {
            decoded((format, from), numbers.bytes(), elements)?;
        }
    }
    Ok(format!("{} rows", sizes.len() * (QUANTISED.len() + DECODED.len())))
}

const HEAD: &str =
    "row                                      elements  Gelem/s spread roofline  times the peers";

fn quantised(
    (profile, to): (BlockProfile, DType),
    numbers: &[u8],
    elements: usize,
    pythons: &mut [Python],
) -> Result<(), String> {
    let quantizer = BlockQuantizer::new(profile, Float32, to).map_err(text)?;
    let size = quantizer.block_size();
    let mut scales = Aligned::new(0, elements.div_ceil(size));
    let mut codes = Aligned::new(0, packed_len(to, elements).map_err(text)?);
    quantizer.run(numbers, elements, LARGEST, &mut scales, &mut codes).map_err(text)?;
    let floats: Vec<f32> =
        numbers.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let floats = Aligned::copy(&floats, 0.0);
    let (mut plain_scales, mut plain_codes) =
        (Aligned::new(0, scales.len()), Aligned::new(0, codes.len()));
    let plain = plain(profile, to);
    plain(&floats, &mut plain_scales, &mut plain_codes);
    if scales[..] != plain_scales[..] || codes[..] != plain_codes[..] {
        return Err(format!("{} to {to}: the plain loop gives something else", profile.name()));
    }
    let ours: Call<'_> = Box::new(|| {
        let done = quantizer.run(black_box(numbers), elements, LARGEST, &mut scales, &mut codes);
        black_box(done).unwrap_or_default();
    });
    let theirs: Call<'_> =
        Box::new(|| plain(black_box(&floats), &mut plain_scales, &mut plain_codes));
    let written = elements.div_ceil(size) + packed_len(to, elements).map_err(text)?;
    let mut row = Row::new(format!("{} float32 -> {to}", profile.name()), elements);
    row.time((ours, theirs), (numbers, written), |repeats| {
        let mut times = Vec::new();
        for python in &mut *pythons {
            times.extend(python.time_blocks(profile.name(), to, elements, repeats)?);
        }
        Ok(times)
    })?;
    row.print();
    Ok(())
}

fn decoded(
    (format, from): (BlockFormat, DType),
    numbers: &[u8],
    elements: usize,
) -> Result<(), String> {
    let decoder = BlockDequantizer::new(format, from, Float32).map_err(text)?;
    let profile = match format {
        BlockFormat::Mx => BlockProfile::MxFloor,
        BlockFormat::Nvfp4 => BlockProfile::Nvfp4Te,
        BlockFormat::Fp8 => BlockProfile::Fp8Deepgemm,
        BlockFormat::Fp8Ue8m0 => BlockProfile::Fp8DeepgemmUe8m0,
    };
    let quantizer = BlockQuantizer::new(profile, Float32, from).map_err(text)?;
    let size = decoder.block_size();
    let mut scales = Aligned::new(0, elements.div_ceil(size));
    let mut codes = Aligned::new(0, packed_len(from, elements).map_err(text)?);
    quantizer.run(numbers, elements, LARGEST, &mut scales, &mut codes).map_err(text)?;
    let (mut output, mut plain_output) =
        (Aligned::new(0, 4 * elements), Aligned::new(0.0, elements));
    decoder.run(&codes, elements, &scales, &mut output).map_err(text)?;
    let plain = plain_decoding(format, from);
    plain(&scales, &codes, &mut plain_output);
    let same = output.as_chunks().0.iter().zip(plain_output.iter());
    if same.into_iter().any(|(ours, theirs)| f32::from_le_bytes(*ours) != *theirs) {
        return Err(format!("{} from {from}: the plain loop gives something else", format.name()));
    }
    let ours: Call<'_> = Box::new(|| {
        let done = decoder.run(black_box(&codes), elements, black_box(&scales), &mut output);
        black_box(done).unwrap_or_default();
    });
    let theirs: Call<'_> =
        Box::new(|| plain(black_box(&scales), black_box(&codes), &mut plain_output));
    let mut row = Row::new(format!("{} {from} -> float32", format.name()), elements);
    row.time((ours, theirs), (&codes, 4 * elements), |_| Ok(vec![]))?;
    row.print();
    Ok(())
}

/// What was measured of a row.
struct Row {
    name: String,
    elements: usize,
    ours: Vec<Duration>,
    roofline: Vec<Duration>,
    peers: Vec<(String, Vec<Duration>)>,
}

impl Row {
    fn new(name: String, elements: usize) -> Row {
        let peers = vec![("loop".to_string(), vec![])];
        Row { name, elements, ours: vec![], roofline: vec![], peers }
    }

    /// Gives each contender its turns. `read` is the input, `written` the bytes of the output. `python`
    /// returns the times of peers for so many repetitions.
    fn time(
        &mut self,
        (mut ours, mut theirs): (Call<'_>, Call<'_>),
        (read, written): (&[u8], usize),
        mut python: impl FnMut(usize) -> Result<Vec<(String, Duration)>, String>,
    ) -> Result<(), String> {
        let mut idle = Aligned::new(0, written);
        for _ in 0..TURNS {
            self.ours.push(measure::time(self.elements, &mut ours));
            let mut both = || read_and_write(black_box(read), &mut idle);
            self.roofline.push(measure::time(self.elements, &mut both));
            self.peers[0].1.push(measure::time(self.elements, &mut theirs));
            for (name, time) in python(measure::repeats(self.elements))? {
                match self.peers.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, times)) => times.push(time),
                    None => self.peers.push((name, vec![time])),
                }
            }
        }
        Ok(())
    }

    fn print(&mut self) {
        let (middle, spread) = summary(&mut self.ours);
        let roofline = summary(&mut self.roofline).0 / middle;
        let peers: Vec<String> = self
            .peers
            .iter_mut()
            .map(|(name, times)| format!("{:.1} {name}", summary(times).0 / middle))
            .collect();
        println!(
            "{:<38} {:>10} {:>8.2} {:>5.0}% {roofline:>8.2}  {}",
            self.name,
            self.elements,
            self.elements as f64 / middle / 1e9,
            100.0 * spread,
            peers.join(", "),
        );
    }
}

/// A loop that finds the scale of each block and rounds number by number with microfloat.
type Plain = fn(&[f32], &mut [u8], &mut [u8]);

fn plain(profile: BlockProfile, to: DType) -> Plain {
    match (profile, to == Float4E2M1) {
        (BlockProfile::MxRceil, false) => |numbers, scales, codes| {
            mx(numbers, scales, |amax| above(amax / 448.0), |at, x| codes[at] = float8(x));
        },
        (BlockProfile::MxRceil, true) => |numbers, scales, codes| {
            mx(numbers, scales, |amax| above(amax / 6.0), |at, x| put(codes, at, float4(x)));
        },
        (BlockProfile::Nvfp4Torchao, _) => |numbers, scales, codes| {
            let tensor = LARGEST / 2688.0;
            nvfp4(numbers, scales, codes, |amax| {
                let code = float8((amax / 6.0 / tensor).max(0.015625));
                (code, 1.0 / tensor / microfloat::f8e4m3fn::from_bits(code).to_f32())
            });
        },
        (BlockProfile::Nvfp4Te, _) => |numbers, scales, codes| {
            let tensor = 2688.0 / LARGEST;
            nvfp4(numbers, scales, codes, |amax| {
                let code = float8(amax * (tensor * (1.0 / 6.0)));
                let stored = microfloat::f8e4m3fn::from_bits(code).to_f32();
                (code, 1.0 / (stored * (1.0 / tensor)))
            });
        },
        (_, false) => |numbers, scales, codes| {
            mx(numbers, scales, |amax| exponent(amax) - 8, |at, x| codes[at] = float8(x));
        },
        (_, true) => |numbers, scales, codes| {
            mx(numbers, scales, |amax| exponent(amax) - 2, |at, x| put(codes, at, float4(x)));
        },
    }
}

#[inline(always)]
fn mx(
    numbers: &[f32],
    scales: &mut [u8],
    power: impl Fn(f32) -> i32,
    mut write: impl FnMut(usize, f32),
) {
    for (block, (numbers, scale)) in numbers.chunks(32).zip(scales).enumerate() {
        let power = power(largest(numbers)).clamp(-127, 127);
        *scale = (power + 127) as u8;
        let factor = 2f32.powi(-power);
        for (place, number) in numbers.iter().enumerate() {
            write(32 * block + place, number * factor);
        }
    }
}

#[inline(always)]
fn nvfp4(
    numbers: &[f32],
    scales: &mut [u8],
    codes: &mut [u8],
    scale_of: impl Fn(f32) -> (u8, f32),
) {
    for (block, (numbers, scale)) in numbers.chunks(16).zip(scales).enumerate() {
        let (code, factor) = scale_of(largest(numbers));
        *scale = code;
        for (place, number) in numbers.iter().enumerate() {
            put(codes, 16 * block + place, float4(number * factor));
        }
    }
}

fn plain_decoding(format: BlockFormat, from: DType) -> fn(&[u8], &[u8], &mut [f32]) {
    match (format, from == Float4E2M1) {
        (BlockFormat::Mx, false) => |scales, codes, numbers| {
            for ((codes, scale), numbers) in
                codes.chunks(32).zip(scales).zip(numbers.chunks_mut(32))
            {
                let scale = microfloat::f8e8m0fnu::from_bits(*scale).to_f32();
                for (number, code) in numbers.iter_mut().zip(codes) {
                    *number = microfloat::f8e4m3fn::from_bits(*code).to_f32() * scale;
                }
            }
        },
        (BlockFormat::Mx, true) => |scales, codes, numbers| {
            for ((codes, scale), numbers) in
                codes.chunks(16).zip(scales).zip(numbers.chunks_mut(32))
            {
                halves(codes, microfloat::f8e8m0fnu::from_bits(*scale).to_f32(), numbers);
            }
        },
        (BlockFormat::Nvfp4, _) => |scales, codes, numbers| {
            for ((codes, scale), numbers) in codes.chunks(8).zip(scales).zip(numbers.chunks_mut(16))
            {
                halves(codes, microfloat::f8e4m3fn::from_bits(*scale).to_f32(), numbers);
            }
        },
        (BlockFormat::Fp8, _) => |scales, codes, numbers| {
            let scales = scales.as_chunks().0.iter().map(|scale| f32::from_le_bytes(*scale));
            group(scales, codes, numbers);
        },
        (BlockFormat::Fp8Ue8m0, _) => |scales, codes, numbers| {
            let scales = scales.iter();
            let scales = scales.map(|scale| microfloat::f8e8m0fnu::from_bits(*scale).to_f32());
            group(scales, codes, numbers);
        },
    }
}

#[inline(always)]
fn group(scales: impl Iterator<Item = f32>, codes: &[u8], numbers: &mut [f32]) {
    for ((codes, scale), numbers) in codes.chunks(128).zip(scales).zip(numbers.chunks_mut(128)) {
        for (number, code) in numbers.iter_mut().zip(codes) {
            *number = microfloat::f8e4m3fn::from_bits(*code).to_f32() * scale;
        }
    }
}

#[inline(always)]
fn halves(codes: &[u8], scale: f32, numbers: &mut [f32]) {
    for (pair, code) in numbers.chunks_mut(2).zip(codes) {
        pair[0] = microfloat::f4e2m1fn::from_bits(code & 15).to_f32() * scale;
        pair[1] = microfloat::f4e2m1fn::from_bits(code >> 4).to_f32() * scale;
    }
}

fn largest(numbers: &[f32]) -> f32 {
    numbers.iter().fold(0.0, |largest, number| number.abs().max(largest))
}

fn exponent(number: f32) -> i32 {
    (number.to_bits() >> 23) as i32 - 127
}

/// The smallest exponent whose power of two is not below a number.
fn above(number: f32) -> i32 {
    exponent(number) + i32::from(number.to_bits() & 0x7f_ffff != 0)
}

fn float8(number: f32) -> u8 {
    microfloat::f8e4m3fn::from_f32(number.clamp(-448.0, 448.0)).to_bits()
}

fn float4(number: f32) -> u8 {
    microfloat::f4e2m1fn::from_f32(number).to_bits()
}

#[inline(always)]
fn put(codes: &mut [u8], at: usize, code: u8) {
    let byte = &mut codes[at / 2];
    *byte = if at.is_multiple_of(2) { code } else { *byte | code << 4 };
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
