//! `restate FILE OUT` reads an input of `cast` that fails, writes the one to OUT that asks for the
//! failing code alone, and prints what it means, as names of regressions end; below it what the vectors
//! keep of it, as JSON, where they ask such a cast.

use castproof_fuzz::{regression, restated};
use castproof_vectors::Regression;
use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [file, out] = &arguments[..] else { return Err("name a file and where to write".into()) };
    let (meaning, bytes) = restated(&fs::read(file)?)?;
    fs::write(out, &bytes)?;
    println!("{meaning}");
    if let Some(regression) = regression(&bytes)? {
        println!("{}", Regression::render(&[regression]));
    }
    Ok(())
}
