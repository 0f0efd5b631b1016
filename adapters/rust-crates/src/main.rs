//! Serves the crates over the testee protocol.

use castproof::testee::protocol::FrameError;
use castproof::testee::serve::serve;
use castproof_rust_crates::Crates;
use std::io::{self, BufWriter};

fn main() -> Result<(), FrameError> {
    let output = &mut BufWriter::new(io::stdout().lock());
    serve(&mut Crates::new(), &mut io::stdin().lock(), output)
}
