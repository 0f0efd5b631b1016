//! The crates half, float8 and microfloat as a castproof testee, and Rust's `as`.
//!
//! The crates have no operator versions, so only the newest is answered. Each cast is one method or
//! `From` of a crate; no cast here combines two. The compiler's casts alone answer the profile
//! `rust-as`.
#![forbid(unsafe_code)]

mod rust_as;

use castproof_testee::{Identity, Reply, Testee};
use castproof_vectors::{Attributes, DType, Profile, Request, RoundMode, Spec, pack, unpack};
use float8::{F8E4M3, F8E5M2};
use half::{bf16, f16};
use microfloat::{
    f4e2m1fn, f6e2m3fn, f6e3m2fn, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0fnu,
};

use DType::*;

/// The operator set that is answered.
const OPSET: u32 = 28;

/// The names of the crates. With one of them the testee answers only by that crate.
pub const CRATES: [&str; 3] = ["half", "float8", "microfloat"];

/// One cast of one crate.
type Kernel = fn(u64) -> u64;

/// A cast with the attributes that it has by nature. Attributes that the target does not have are absent.
struct Row {
    name: &'static str,
    from: DType,
    to: DType,
    attributes: Attributes,
    kernel: Kernel,
}

const fn row(
    name: &'static str,
    from: DType,
    to: DType,
    attributes: Attributes,
    kernel: Kernel,
) -> Row {
    Row { name, from, to, attributes, kernel }
}

/// Returns the float32 of a code.
fn single(code: u64) -> f32 {
    f32::from_bits(code as u32)
}

/// Returns the float64 of a code.
fn double(code: u64) -> f64 {
    f64::from_bits(code)
}

const NONE: Attributes = Attributes { saturate: None, round_mode: None };
/// float8 saturates, as the CUDA header that it follows does; microfloat does not.
const SATURATES: Attributes = Attributes { saturate: Some(true), round_mode: None };
const DOES_NOT: Attributes = Attributes { saturate: Some(false), round_mode: None };
const NEAREST: Attributes =
    Attributes { saturate: Some(false), round_mode: Some(RoundMode::Nearest) };

/// The four casts that every type of the crates has. `$to` are the attributes of a cast to it.
macro_rules! floats {
    ($name:literal, $dtype:ident, $type:ty, $bits:ty, $to:expr) => {
        [
            row($name, Float32, $dtype, $to, |x| <$type>::from_f32(single(x)).to_bits().into()),
            row($name, Float64, $dtype, $to, |x| <$type>::from_f64(double(x)).to_bits().into()),
            row($name, $dtype, Float32, NONE, |x| {
                <$type>::from_bits(x as $bits).to_f32().to_bits().into()
            }),
            row($name, $dtype, Float64, NONE, |x| {
                <$type>::from_bits(x as $bits).to_f64().to_bits()
            }),
        ]
    };
}

/// The types of the crates that are dtypes. If two crates have a dtype, the first one answers.
const FLOATS: [[Row; 4]; 12] = [
    floats!("half", Float16, f16, u16, NONE),
    floats!("half", Bfloat16, bf16, u16, NONE),
    floats!("float8", Float8E4M3FN, F8E4M3, u8, SATURATES),
    floats!("float8", Float8E5M2, F8E5M2, u8, SATURATES),
    floats!("microfloat", Float8E4M3FN, f8e4m3fn, u8, DOES_NOT),
    floats!("microfloat", Float8E5M2, f8e5m2, u8, DOES_NOT),
    floats!("microfloat", Float8E4M3FNUZ, f8e4m3fnuz, u8, DOES_NOT),
    floats!("microfloat", Float8E5M2FNUZ, f8e5m2fnuz, u8, DOES_NOT),
    floats!("microfloat", Float8E8M0, f8e8m0fnu, u8, NEAREST),
    floats!("microfloat", Float6E2M3, f6e2m3fn, u8, NONE),
    floats!("microfloat", Float6E3M2, f6e3m2fn, u8, NONE),
    floats!("microfloat", Float4E2M1, f4e2m1fn, u8, NONE),
];

/// Further casts of some types.
const OTHERS: [Row; 8] = [
    row("half", Int8, Float16, NONE, |x| f16::from(x as i8).to_bits().into()),
    row("half", Uint8, Float16, NONE, |x| f16::from(x as u8).to_bits().into()),
    row("half", Int8, Bfloat16, NONE, |x| bf16::from(x as i8).to_bits().into()),
    row("half", Uint8, Bfloat16, NONE, |x| bf16::from(x as u8).to_bits().into()),
    row("float8", Float16, Float8E4M3FN, SATURATES, |x| {
        F8E4M3::from(f16::from_bits(x as u16)).to_bits().into()
    }),
    row("float8", Float16, Float8E5M2, SATURATES, |x| {
        F8E5M2::from(f16::from_bits(x as u16)).to_bits().into()
    }),
    row("float8", Float8E4M3FN, Float16, NONE, |x| {
        F8E4M3::from_bits(x as u8).to_f16().to_bits().into()
    }),
    row("float8", Float8E5M2, Float16, NONE, |x| {
        F8E5M2::from_bits(x as u8).to_f16().to_bits().into()
    }),
];

/// The crates together, or one of them.
pub struct Crates {
    identity: Identity,
    only: Option<&'static str>,
}

impl Crates {
    /// Returns the crates that this program was built with.
    pub fn new() -> Crates {
        Crates::named("rust-crates", None)
    }

    /// Returns one of [`CRATES`], without Rust's `as`; `None` if there is no such crate here.
    pub fn only(name: &str) -> Option<Crates> {
        let only = CRATES.into_iter().find(|known| *known == name)?;
        Some(Crates::named(&format!("rust-crates {only}"), Some(only)))
    }

    fn named(name: &str, only: Option<&'static str>) -> Crates {
        let identity = Identity {
            name: name.into(),
            version: "half-2.7+float8-0.7+microfloat-0.1".into(),
            language: "rust".into(),
        };
        Crates { identity, only }
    }

    /// Returns the function that casts the elements of a request.
    ///
    /// # Errors
    /// The reason why there is none.
    fn kernel(&self, request: &Request) -> Result<Kernel, std::string::String> {
        if request.spec == Spec::Profile(Profile::RustAs) {
            let kernel = rust_as::kernel(request.from, request.to);
            let kernel = kernel.filter(|_| request.attributes == NONE);
            return kernel.ok_or("`as` has no such cast, and no attributes".into());
        }
        if request.spec != Spec::cast(OPSET) {
            return Err(format!("only Cast of opset {OPSET} is answered"));
        }
        self.row(request).map(|row| row.kernel).ok_or("no crate has this cast".into())
    }

    /// Returns the first row for a request. Its attributes are those of the request, or the defaults
    /// of the operator.
    fn row(&self, request: &Request) -> Option<&'static Row> {
        FLOATS.iter().flatten().chain(&OTHERS).find(|row| {
            let Attributes { saturate, round_mode } = row.attributes;
            let given = &request.attributes;
            (row.from, row.to) == (request.from, request.to)
                && self.only.is_none_or(|only| only == row.name)
                && saturate.is_none_or(|it| it == given.saturate.unwrap_or(true))
                && round_mode.is_none_or(|it| it == given.round_mode.unwrap_or(RoundMode::Up))
        })
    }
}

impl Default for Crates {
    fn default() -> Crates {
        Crates::new()
    }
}

impl Testee for Crates {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn profiles(&self) -> Vec<Profile> {
        if self.only.is_none() { vec![Profile::RustAs] } else { vec![] }
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let kernel = match self.kernel(request) {
            Ok(kernel) => kernel,
            Err(reason) => return Reply::Unsupported(reason),
        };
        let cast = |codes: Vec<u64>| -> Vec<u64> { codes.into_iter().map(kernel).collect() };
        match unpack(request.from, input, count).and_then(|codes| pack(request.to, &cast(codes))) {
            Ok(output) => Reply::Output(output),
            Err(problem) => Reply::Error(problem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks a crate for the cast of one float32, 1000.
    fn thousand(name: &str, to: DType, saturate: Option<bool>) -> Reply {
        let attributes = Attributes { saturate, round_mode: None };
        let request = Request { attributes, ..Request::cast(Float32, to, OPSET) };
        let mut crates = Crates::only(name).expect("a crate");
        crates.cast(&request, 1, &1000f32.to_le_bytes())
    }

    #[test]
    fn two_crates_with_one_dtype_are_told_apart() {
        assert_eq!(thousand("microfloat", Float8E4M3FN, Some(false)), Reply::Output(vec![0x7f]));
        for saturate in [None, Some(true)] {
            assert_eq!(thousand("float8", Float8E4M3FN, saturate), Reply::Output(vec![0x7e]));
            let refused = thousand("microfloat", Float8E4M3FN, saturate);
            assert!(matches!(refused, Reply::Unsupported(_)), "{refused:?}");
        }
        let refused = thousand("half", Float8E4M3FN, Some(true));
        assert!(matches!(refused, Reply::Unsupported(_)), "{refused:?}");
        assert!(Crates::only("serde").is_none());
    }

    #[test]
    fn together_they_answer_with_either_saturation() {
        for dtype in [Float8E4M3FN, Float8E5M2] {
            for saturate in [None, Some(false), Some(true)] {
                let attributes = Attributes { saturate, round_mode: None };
                let request = Request { attributes, ..Request::cast(Float64, dtype, OPSET) };
                let reply = Crates::new().cast(&request, 1, &1f64.to_le_bytes());
                assert!(matches!(reply, Reply::Output(_)), "{request:?}: {reply:?}");
            }
        }
    }
}
