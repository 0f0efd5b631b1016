//! `cargo xtask bench-wasm`: casts in WebAssembly, in Node. `wasm/bench.mjs` checks and times them.

use castproof_products::repository::vectors_crate;
use castproof_vectors::DType;
use std::path::Path;
use std::process::Command;

/// The builds that are timed: a name, and what the compiler is told.
const BUILDS: [(&str, &str); 2] = [("portable", ""), ("simd128", "-C target-feature=+simd128")];

const TARGET: &str = "wasm32-unknown-unknown";

/// What cargo is told where no time is wanted.
const QUICK: [&str; 2] = ["--config", "profile.release.package.castproof-impl.opt-level=1"];

/// Builds the modules, installs the peer, and runs the script, which prints the table.
pub(super) fn wasm(quick: bool) -> Result<String, String> {
    let vectors = vectors_crate();
    let root = vectors.parent().ok_or("the vectors have no folder above them")?;
    let out = root.join("target/bench-wasm");
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    succeed(Command::new("rustup").args(["target", "add", TARGET]))?;
    let mut modules = Vec::new();
    for (name, flags) in BUILDS {
        let target = out.join(name);
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--release", "--package", "castproof-impl"]);
        cargo.args(["--example", "wasm", "--target", TARGET, "--target-dir"]).arg(&target);
        if quick {
            cargo.args(QUICK);
        }
        succeed(cargo.current_dir(root).env("RUSTFLAGS", flags))?;
        modules.push((name, target.join(TARGET).join("release/examples/wasm.wasm")));
    }
    let source = root.join("xtask/src/bench/wasm");
    for file in ["bench.mjs", "package.json", "package-lock.json"] {
        std::fs::copy(source.join(file), out.join(file))
            .map_err(|error| format!("{file}: {error}"))?;
    }
    succeed(
        Command::new("npm").args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&out),
    )?;
    let mut node = Command::new("node");
    node.arg("bench.mjs").current_dir(&out);
    if quick {
        node.arg("--quick");
    }
    node.arg(DType::NUMERIC.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(","));
    node.args(modules.iter().map(|(name, path)| format!("{name}={}", Path::display(path))));
    succeed(&mut node)?;
    let times = if quick { "; the times mean nothing" } else { "" };
    Ok(format!("every pair gave the results of its peers{times}"))
}

/// Runs a command, which prints what it has to say.
fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    let status = command.status().map_err(|error| format!("{name} did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed: {status}")) }
}
