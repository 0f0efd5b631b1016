//! `restate FILE OUT` reads an input of `cast` that fails, writes the one to OUT that asks for the
//! failing code alone, and prints what it means, as names of regressions end.

use castproof_fuzz::restated;
use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [file, out] = &arguments[..] else { return Err("name a file and where to write".into()) };
    let (meaning, bytes) = restated(&fs::read(file)?)?;
    fs::write(out, bytes)?;
    println!("{meaning}");
    Ok(())
}
