//! Repository chores: `cargo xtask --help`.
#![deny(unsafe_code)]

mod bench;
mod decimals;
mod dist;
mod formats;
mod fuzz_score;
mod keep;
mod recordings;
mod site;
mod witnesses;

use castproof_impl::Backend;
use castproof_mutants as mutants;
use castproof_products::repository::default_data;
use castproof_products::{blocks, check, generate};
use castproof_vectors::{DType, Level};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Repository chores.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Test vectors.
    #[command(subcommand)]
    Vectors(Vectors),
    /// Make what is generated from the repository alone, or check that it is up to date.
    #[command(after_help = castproof_products::table())]
    Generate {
        /// Only these products. Without names: all.
        names: Vec<String>,
        /// Only check.
        #[arg(long)]
        check: bool,
    },
    /// Blocks that share a scale: the libraries that are compared with the profiles, and times.
    #[command(subcommand)]
    Blocks(BlocksChore),
    /// Read decimals beside ties of every float dtype, in every mode, with the implementation, the
    /// oracle and CPython's fractions, and compare the results.
    Decimals {
        /// How many numerals of 20 to 800 digits to read, after every tie of up to 16 bits.
        #[arg(long, default_value_t = 2_000_000)]
        count: u64,
        /// Of so many neighbouring ties of dtypes beyond 8 bits one is taken.
        #[arg(long, value_name = "N", default_value_t = 1)]
        stride: usize,
    },
    /// Fill a folder with everything that a release offers: programs, wheels with their bills of materials,
    /// archives of npm, C, Go, of the vectors and of ONNX's node tests, release notes, and SHA256SUMS of all of
    /// them. It fails if one of them names a folder of this machine.
    Dist {
        /// Only these parts, separated by commas: program, python, npm, c, go, vectors, onnx, notes. Files of
        /// other parts stay as they are.
        #[arg(long, value_name = "PART", value_delimiter = ',')]
        only: Vec<String>,
        /// Programs and libraries for these targets, separated by commas. By default Linux builds for x86-64
        /// and aarch64, and another machine for itself.
        #[arg(long, value_name = "TARGET", value_delimiter = ',')]
        target: Vec<String>,
        /// The folder.
        #[arg(long, value_name = "DIR", default_value = "dist")]
        out: PathBuf,
    },
    /// Build the page of answers: one file, index.html, that loads nothing else and needs no server. Needs npm and Python.
    Site {
        /// The folder.
        #[arg(long, value_name = "DIR", default_value = "dist/site")]
        out: PathBuf,
    },
    /// Plant faults in the implementation, one at a time, and measure how soon the fuzz targets
    /// find each. Needs cargo-fuzz and a nightly toolchain. Run it on one core, with nothing else
    /// running.
    FuzzScore {
        /// CPU seconds after which a fault counts as not found.
        #[arg(long, default_value_t = 60)]
        limit: u64,
        /// Only this fault of fuzz/plants.txt.
        #[arg(long)]
        only: Option<String>,
        /// Only this many of them.
        #[arg(long)]
        some: Option<usize>,
        /// Also write the table to this file.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Keep an input that makes a fuzz target fail: make it small with libFuzzer's tmin, name it,
    /// and put it into fuzz/regressions. A cast is also added to the vectors, with the flag
    /// regression. Needs cargo-fuzz and a nightly toolchain.
    Keep {
        /// The file, like fuzz/artifacts/cast/crash-0123.
        file: PathBuf,
        /// What was wrong, in lower-case words joined by _; the name of the file begins with it.
        #[arg(long)]
        about: String,
        /// What was wrong, in a sentence for the vectors [default: the words of --about].
        #[arg(long)]
        note: Option<String>,
        /// The fuzz target [default: the folder of the file].
        #[arg(long)]
        target: Option<String>,
    },
    /// Plant wrong implementations of every request, and count those that the committed vectors
    /// detect. Fails if they miss a wrong method, a wrong default or a moved end of an answer.
    Mutants(Mutants),
    /// Record again what runtimes answer to all questions of the gate, into adapters/NAME/recording.bin.
    /// Installs nothing, and names the runtimes that are not installed.
    Recordings {
        /// Only these adapters, each NAME or NAME/VARIANT. Without names: all, and the variants that have a
        /// recording already.
        names: Vec<String>,
    },
    /// Run gfloat and compare it with the formats of IEEE P3109 (a draft) and their projections. Installs
    /// what it needs.
    Formats,
    /// Run the witnesses of profiles, compare them with the oracle code by code, and write
    /// docs/witnesses.md. Installs what they need.
    Witnesses {
        /// Only the witness of this profile.
        name: Option<String>,
    },
    /// Time casts, compared with a loop that only reads and writes the same bytes and with other
    /// crates. Everything is checked first, then timed in turns. All pairs take about ten minutes
    /// on one backend.
    Bench {
        /// Only this pair, as in float32:float8e4m3fn [default: every numeric pair].
        #[arg(long, value_parser = bench::parse_pair)]
        pair: Option<(DType, DType)>,
        /// Only the 13 pairs of docs/speed.md, with --peers, on one thread. Takes less than a
        /// minute. Fails if a peer cannot be asked, never because of a time.
        #[arg(long, conflicts_with = "pair")]
        quick: bool,
        /// Only 16,384 elements, which the caches hold. All pairs take two minutes on one backend.
        #[arg(long)]
        cached: bool,
        /// Only 16,777,216 elements, which lie in memory, on one thread with fewer turns.
        #[arg(long, conflicts_with_all = ["quick", "cached"])]
        long: bool,
        /// The backends to time in turns, separated by commas, as in avx512,avx2,portable [default:
        /// the one that casts use].
        #[arg(long = "backend", value_name = "NAME", value_delimiter = ',', value_parser = bench::parse_backend)]
        backends: Vec<Backend>,
        /// Also compare the ratios to that loop with those of an older file of --json.
        #[arg(long, value_name = "OLD.json")]
        against: Option<PathBuf>,
        /// Also write the results to this file.
        #[arg(long)]
        json: Option<PathBuf>,
        /// Also write a heat map of the ratios to this file, as a page for browsers.
        #[arg(long)]
        html: Option<PathBuf>,
        /// Also time ONNX Runtime, numpy and, where its adapter is installed, torch, one thread
        /// each, without the overhead of a call.
        #[arg(long)]
        peers: bool,
    },
    /// Time casts in WebAssembly, without vectors and with simd128, in Node, beside typed arrays, a loop of
    /// JavaScript and @petamoriken/float16. Results are checked first. Takes two minutes.
    BenchWasm {
        /// Compile the casts in a quarter of the time, at level 1, and time each for a millisecond: the times then mean nothing, and
        /// only the results are compared with those of the peers.
        #[arg(long)]
        quick: bool,
    },
}

#[derive(Subcommand)]
enum BlocksChore {
    /// Run torchao and gfloat on the CPU and compare them with the profiles, block by block. torchao
    /// is that of ./setup.sh --adapters torchao.
    Witness,
    /// Time rows of blocks, quantised and decoded, beside a loop that only reads and writes, a loop over the
    /// crate microfloat, numpy with ml_dtypes and, where ./setup.sh --adapters torch has been run, torchao.
    /// Results are checked first. Takes about two minutes.
    Bench {
        /// Only 16,384 elements, which the caches hold. Takes a quarter of the time.
        #[arg(long)]
        cached: bool,
    },
}

#[derive(Subcommand)]
enum Vectors {
    /// Write the vector files of a level, with a manifest. An interrupted run continues where it
    /// stopped when the same command is given again.
    Generate {
        /// core, standard or full.
        #[arg(long, default_value = "core")]
        level: Level,
        /// Folder to write to [default for the whole of level core: vectors/data].
        #[arg(long)]
        out: Option<PathBuf>,
        /// Only this source.
        #[arg(long)]
        from: Option<DType>,
        /// Only this target.
        #[arg(long)]
        to: Option<DType>,
        /// Start again instead of continuing.
        #[arg(long)]
        fresh: bool,
    },
    /// Check the committed files: schema, ids, counts, digests, and that they are what the
    /// oracle says today, byte for byte.
    Check {
        /// Folder to check [default: vectors/data].
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match carry_out(Cli::parse().chore) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What `mutants` plants.
#[derive(Args)]
struct Mutants {
    /// Folder of the vectors [default: vectors/data].
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Only this source.
    #[arg(long)]
    from: Option<DType>,
    /// Only this target.
    #[arg(long)]
    to: Option<DType>,
    /// Also print a line for every request, and every survivor.
    #[arg(long)]
    list: bool,
    /// Plant rewrites of chains instead, and count those that the gate detects by default. Fails
    /// if it misses one.
    #[arg(long, conflicts_with_all = ["dir", "to"], group = "planted")]
    chains: bool,
    /// Plant optimisers that rewrite chains only in some tensors, in some versions, for some values or beside strings instead.
    /// Fails if the default gate misses one.
    #[arg(long, conflicts_with_all = ["dir", "from", "to"], group = "planted")]
    graphs: bool,
    /// With --chains: show with every code of sources up to 16 bits whether a rewrite is wrong.
    #[arg(long, requires = "chains")]
    every_code: bool,
    /// Plant faults of values instead: wrong in one exponent field, with one sign, with some attributes, in an older
    /// version; a shift modulo the width of a word. Fails if the default gate misses one.
    #[arg(long, conflicts_with = "dir", group = "planted")]
    values: bool,
    /// Plant faults of readers and writers of numerals instead: octal numbers, many zeros, a point at an end, too
    /// few digits. Fails if the default gate misses one.
    #[arg(long, conflicts_with = "dir", group = "planted")]
    texts: bool,
    /// Plant faults of history instead: attributes, versions and answers that a call leaves for the next one. Fails
    /// if the default gate misses one without a reason.
    #[arg(long, conflicts_with_all = ["dir", "from", "to"], group = "planted")]
    history: bool,
    /// Plant faults of place instead: predicates on counts, elements, neighbours, shapes, layouts,
    /// memory and history, in a right testee. Fails if the default gate misses one without a
    /// reason.
    #[arg(long, conflicts_with_all = ["dir", "from", "to"], group = "planted")]
    places: bool,
    /// Plant faults of quantisers and decoders of blocks instead, by where a block stands in a tensor. Fails if the
    /// default gate misses one without a reason.
    #[arg(long, conflicts_with_all = ["dir", "from", "to"], group = "planted")]
    blocks: bool,
    /// Plant faults of ONNX's QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear instead: of their arithmetic, for
    /// some scales, zero points and results, and by place. Fails if the default gate misses one without a reason.
    #[arg(long, conflicts_with_all = ["dir", "from", "to"], group = "planted")]
    linear: bool,
    /// Plant faults of casts that were reported in public instead. Fails if the gate misses one, or names a wrong cause.
    #[arg(long, conflicts_with_all = ["dir", "seed", "each"], group = "planted")]
    public: bool,
    /// The seed of the parameters of the faults; with --chains that of the codes that show whether a
    /// rewrite is wrong.
    #[arg(long, requires = "planted", default_value_t = 1)]
    seed: u64,
    /// How many faults to draw of each family, with --values, --texts and --linear in each pair [default: 3, with
    /// --texts 1, with --values and --linear 1 in a share of the pairs].
    #[arg(long, requires = "planted")]
    each: Option<usize>,
    /// With --places: plant each fault in every pair [default: in one pair, by turns].
    #[arg(long, requires = "places")]
    every_pair: bool,
}

/// Carries out a chore. Returns its summary, or why it failed.
fn carry_out(chore: Chore) -> Result<String, String> {
    match chore {
        Chore::Vectors(Vectors::Generate { level, out, from, to, fresh }) => {
            let committed = level == Level::Core && from.is_none() && to.is_none();
            match out.or(committed.then(default_data)) {
                Some(out) => {
                    generate::generate(&generate::GenerateJob { level, out, from, to, fresh })
                }
                None => Err("say where to write: --out DIR".into()),
            }
        }
        Chore::Vectors(Vectors::Check { dir }) => check::check(&dir.unwrap_or_else(default_data)),
        Chore::Blocks(BlocksChore::Bench { cached }) => bench::bench_blocks(cached),
        Chore::Blocks(BlocksChore::Witness) => blocks::witness(),
        Chore::Generate { names, check } => castproof_products::products(&names, check),
        Chore::Decimals { count, stride } => decimals::decimals(count, stride.max(1)),
        Chore::Dist { only, target, out } => dist::dist(&dist::Job { only, targets: target, out }),
        Chore::Site { out } => site::site(&out),
        Chore::FuzzScore { limit, only, some, out } => {
            fuzz_score::score(&fuzz_score::Job { limit, only, some, out })
        }
        Chore::Keep { file, about, note, target } => {
            keep::keep(&keep::Job { file, target, about, note })
        }
        Chore::Mutants(mutants) => mutate(mutants),
        Chore::Recordings { names } => recordings::recordings(&names),
        Chore::Formats => formats::witness(),
        Chore::Witnesses { name } => witnesses::witnesses(name.as_deref()),
        Chore::Bench { pair, quick, cached, long, backends, against, json, html, peers } => {
            let sizes = match (cached, long) {
                (true, _) => bench::Sizes::Cached,
                (_, true) => bench::Sizes::Long,
                _ => bench::Sizes::Both,
            };
            bench::bench(&bench::Job { pair, quick, sizes, backends, peers, against, json, html })
        }
        Chore::BenchWasm { quick } => bench::bench_wasm(quick),
    }
}

/// Plants faults of one kind, and says which of them are noticed.
fn mutate(mutants: Mutants) -> Result<String, String> {
    let Mutants { from, to, seed, each, every_pair, every_code, list, .. } = mutants;
    let planting = mutants::Planting { from, to, seed, each, every_pair, every_code, list };
    match mutants {
        Mutants { chains: true, .. } => mutants::chains::chains(&planting),
        Mutants { places: true, .. } => mutants::places::places(&planting),
        Mutants { values: true, .. } => mutants::values::values(&planting),
        Mutants { history: true, .. } => mutants::history::history(&planting),
        Mutants { graphs: true, .. } => mutants::graphs::graphs(&planting),
        Mutants { texts: true, .. } => mutants::texts::texts(&planting),
        Mutants { blocks: true, .. } => mutants::blocks::blocks(&planting),
        Mutants { linear: true, .. } => mutants::linear::linear(&planting),
        Mutants { public: true, .. } => mutants::public::public((from, to), list),
        Mutants { dir, .. } => {
            mutants::mutants(&dir.unwrap_or_else(default_data), (from, to), list)
        }
    }
}
