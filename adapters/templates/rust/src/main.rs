//! A castproof testee in Rust. Put your kernel where `uint8_to_float32` is.
//!
//! ```sh
//! castproof gate --testee 'cargo run --quiet --package castproof-template' --from uint8 --to float32
//! ```

use castproof_testee::serve::serve;
use castproof_testee::{Feature, Form, Identity, Reply, Testee};
use castproof_vectors::{DType, Profile, Request};
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

/// The kernel under test. Input and output are packed and little-endian.
fn uint8_to_float32(input: &[u8]) -> Vec<u8> {
    input.iter().flat_map(|&code| f32::from(code).to_le_bytes()).collect()
}

/// Does the request have an attribute that its operator set does not have yet? Such a request must
/// be refused. The profiles here have no attributes.
fn has_new_attribute(request: &Request) -> bool {
    let opset = request.spec.opset().unwrap_or(0);
    let attributes = request.attributes;
    (attributes.saturate.is_some() && opset < 19) || (attributes.round_mode.is_some() && opset < 24)
}

struct Template(Identity);

impl Testee for Template {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn cast(&mut self, request: &Request, _count: usize, input: &[u8]) -> Reply {
        match (request.from, request.to) {
            (DType::Uint8, DType::Float32) if !has_new_attribute(request) => {
                Reply::Output(uint8_to_float32(input))
            }
            _ => Reply::Unsupported("no such cast".into()),
        }
    }

    /// Tensors of any shape, because only the number of elements matters here.
    fn features(&self) -> Vec<Feature> {
        vec![Feature::Shapes]
    }

    /// The specifications other than ONNX's that the kernel follows, as `castproof gate --profile NAME`
    /// asks for them.
    fn profiles(&self) -> Vec<Profile> {
        vec![Profile::RustAs]
    }

    /// Only the shapes that `features` lists are asked.
    fn cast_formed(&mut self, request: &Request, _form: &Form, input: &[u8]) -> Reply {
        self.cast(request, input.len(), input)
    }
}

fn main() -> ExitCode {
    let identity = ["rust-template", "1", "rust"].map(Into::into);
    let [name, version, language] = identity;
    let mut testee = Template(Identity { name, version, language });
    match serve(&mut testee, &mut BufReader::new(stdin()), &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rust-template: {error}");
            ExitCode::FAILURE
        }
    }
}
