//! A shared library under test, called by the C function that `castproof.h` declares.
//!
//! The gate never loads a library itself: it starts `castproof testee --library FILE`, which does,
//! so that a crash ends only that child.
#![allow(unsafe_code, reason = "a foreign function can be called in no other way")]

use super::judged;
use super::launch::Launch;
use super::library_blocks::{self, QuantizeFunction};
use super::limits::Limits;
use super::testee::{Identity, Reply, Returned, Testee};
use anyhow::{Context, Result, bail};
use castproof_io::output::not_regular;
use castproof_io::program::Program;
use castproof_vectors::{OneLine, Operator, Profile, Question, Request, Spec, packed_len};
use libloading::Library as Loaded;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::Path;
use std::ptr;

/// The size of the buffer for a message, in bytes.
const MESSAGE: usize = 512;

/// `struct castproof_request` of `castproof.h`.
#[repr(C)]
struct CRequest {
    op: *const c_char,
    from: *const c_char,
    to: *const c_char,
    opset: c_int,
    saturate: c_int,
    round_mode: *const c_char,
    count: usize,
    input_bytes: usize,
    output_bytes: usize,
    profile: *const c_char,
}

/// `castproof_cast` of `castproof.h`.
type CastFunction = unsafe extern "C" fn(
    request: *const CRequest,
    input: *const c_void,
    output: *mut c_void,
    message: *mut c_char,
    message_size: usize,
) -> c_int;

/// `castproof_profiles` and `castproof_limits` of `castproof.h`.
type TextFunction = unsafe extern "C" fn() -> *const c_char;

/// Returns how to start the child that loads this library.
///
/// # Errors
/// If the path names something other than a file, or this program cannot find itself.
pub fn launch(path: &Path) -> Result<Launch> {
    let place = || format!("library {}", path.display());
    // For a pipe, the child would wait for its writer.
    if let Some(problem) = not_regular(&fs::metadata(path).with_context(place)?) {
        bail!("{}: {problem}, not a regular file", place());
    }
    let words = [Path::new("testee"), Path::new("--library"), path];
    let words = words.map(|word| word.as_os_str().to_owned());
    let command = [&Program::this()?.command[..], &words].concat();
    let name = Some(format!("--library {}", path.display()));
    Ok(Launch { command, folder: None, name })
}

/// A loaded library.
pub struct Library {
    identity: Identity,
    digest: Option<OneLine>,
    cast: CastFunction,
    profiles: Vec<Profile>,
    limits: Limits,
    quantize: Option<QuantizeFunction>,
    /// Keeps the code of `cast` loaded.
    _loaded: Loaded,
}

impl Library {
    /// Loads the library and looks up `castproof_cast`.
    ///
    /// # Errors
    /// If it cannot be loaded, has no such function, or states limits that are none.
    pub fn load(path: &Path) -> Result<Library> {
        let place = || format!("library {}", path.display());
        // A bare name would be searched in the system's folders instead of the current one.
        let file = path.canonicalize().with_context(place)?;
        let before = judged::mapped(None);
        // SAFETY: loading runs the library's initialisers. That is what the user asks for, in a
        // process that does nothing else.
        let loaded = unsafe { Loaded::new(&file) }.with_context(place)?;
        // SAFETY: the symbol has the type that `castproof.h` declares; the library's author vouches.
        let cast = unsafe { loaded.get::<CastFunction>(b"castproof_cast\0") };
        let cast = *cast.with_context(|| format!("{} has no castproof_cast", place()))?;
        let profiles = profiles(&loaded);
        let limits = limits(&loaded).with_context(place)?;
        // SAFETY: as for `castproof_cast`.
        let quantize = unsafe { loaded.get::<QuantizeFunction>(b"castproof_quantize\0") };
        let quantize = quantize.ok().map(|function| *function);
        let name = path.file_stem().map_or("library".into(), |stem| stem.display().to_string());
        // The libraries that this one loads answer with it.
        let more = judged::mapped(None).into_iter().filter(|other| !before.contains(other));
        let digest = judged::of_files([file].into_iter().chain(more))
            .ok()
            .map(|files| judged::digest(files.into_iter().chain(judged::environment())));
        let (name, version, language) = (name.into(), "library".into(), "c".into());
        let identity = Identity { name, version, language };
        Ok(Library { identity, digest, cast, profiles, limits, quantize, _loaded: loaded })
    }
}

/// The profiles that a library says it takes, if it says so. Names that are not known here may be those of a
/// later version.
fn profiles(loaded: &Loaded) -> Vec<Profile> {
    let names = said(loaded, b"castproof_profiles\0").unwrap_or_default();
    names.split(',').filter_map(|name| name.trim().parse().ok()).collect()
}

/// The limits that a library states, if it does.
///
/// # Errors
/// If they are none.
fn limits(loaded: &Loaded) -> Result<Limits> {
    let Some(text) = said(loaded, b"castproof_limits\0") else { return Ok(Limits::default()) };
    let limits: Limits = serde_json::from_str(&text)
        .with_context(|| format!("castproof_limits returns '{text}', which states no limits"))?;
    match limits.problem() {
        None => Ok(limits),
        Some(problem) => bail!("castproof_limits states none that a tensor keeps: {problem}"),
    }
}

/// The text that a function of this name returns, which may be absent.
fn said(loaded: &Loaded, name: &[u8]) -> Option<String> {
    // SAFETY: the symbol has the type that `castproof.h` declares; the library's author vouches.
    let function = unsafe { loaded.get::<TextFunction>(name) }.ok()?;
    // SAFETY: as for the symbol: it may be called, and returns a text that ends with a zero, or null.
    let text = unsafe {
        let text = function();
        if text.is_null() { return None } else { CStr::from_ptr(text) }
    };
    Some(text.to_string_lossy().into_owned())
}

impl Testee for Library {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn digest(&self) -> Option<OneLine> {
        self.digest.clone()
    }

    fn profiles(&self) -> Vec<Profile> {
        self.profiles.clone()
    }

    fn limits(&self) -> Limits {
        self.limits.clone()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let mut output = match packed_len(request.to, count) {
            Ok(bytes) => vec![0; bytes],
            Err(problem) => return Reply::Unsupported(problem), // the C function carries no strings
        };
        self.call(request, count, input, &mut output).map(|()| output)
    }

    fn cast_into(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) -> Option<Reply<()>> {
        Some(self.call(request, count, input, output))
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        match (self.quantize, question) {
            (Some(function), Question::QuantizeBlock(block)) => {
                library_blocks::quantize(function, &block.into())
            }
            (Some(function), Question::QuantizeTensor(tensor)) => {
                library_blocks::quantize(function, tensor)
            }
            _ => Reply::Unsupported("the library has no such function".into()),
        }
    }
}

impl Library {
    fn call(&self, request: &Request, count: usize, input: &[u8], output: &mut [u8]) -> Reply<()> {
        let word = |text: &str| CString::new(text).unwrap_or_default();
        let (op, opset, profile) = match request.spec {
            Spec::Onnx { op: Operator::Cast, opset } => ("cast", opset, None),
            Spec::Onnx { op: Operator::CastLike, opset } => ("castlike", opset, None),
            Spec::Profile(profile) => ("cast", 0, Some(word(profile.name()))),
        };
        let op = word(op);
        let (from, to) = (word(request.from.name()), word(request.to.name()));
        let round_mode = request.attributes.round_mode.map(|mode| word(mode.name()));
        let described = CRequest {
            op: op.as_ptr(),
            from: from.as_ptr(),
            to: to.as_ptr(),
            opset: opset as c_int,
            saturate: request.attributes.saturate.map_or(-1, c_int::from),
            round_mode: round_mode.as_ref().map_or(ptr::null(), |mode| mode.as_ptr()),
            count,
            input_bytes: input.len(),
            output_bytes: output.len(),
            profile: profile.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
        };
        let mut message = vec![0; MESSAGE];
        // SAFETY: every pointer is valid for the length that stands beside it until the call
        // returns, and none is kept; what the library does with them is on trial here.
        let status = unsafe {
            (self.cast)(
                &described,
                input.as_ptr().cast(),
                output.as_mut_ptr().cast(),
                message.as_mut_ptr().cast(),
                MESSAGE,
            )
        };
        let end = message.iter().position(|&byte| byte == 0).unwrap_or(MESSAGE);
        let said = String::from_utf8_lossy(&message[..end]).into_owned();
        match status {
            0 => Reply::Output(()),
            1 => Reply::Unsupported(said),
            _ => Reply::Error(said),
        }
    }
}
