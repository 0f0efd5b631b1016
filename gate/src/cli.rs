//! The command line.

use castproof::gate::{Filters, Options, Subject};
use castproof_vectors::{
    Attributes, DType, Level, Number, Operand, Operator, Request, RoundMode, Suite, System,
};
use clap::{ArgGroup, Args, Parser, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

/// Exact expectations of tensor dtype casts, and a gate that holds implementations to them.
///
/// Exit status: 0 all is well, 1 the gate failed, 2 the command could not be carried out.
#[derive(Parser)]
#[command(name = "castproof", version)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Say what to expect of a cast: of one code, or of each line of standard input.
    Expect(Expect),
    /// Show the way of one element: its value, its neighbours in the target, the clause, the
    /// result, and where common wrong methods end.
    Explain(Explain),
    /// Say to which dtype MindSpore promotes two operands: tensor dtypes, or a tensor dtype and
    /// number:bool, number:int or number:float.
    Promote(Promote),
    /// Say what a bitcast makes of a tensor's shape.
    Bitcast(Bitcast),
    /// List what changes its meaning between two versions of Cast, with examples.
    DiffSpec(DiffSpec),
    /// Run test vectors through an implementation and report what differs.
    Gate(Gate),
    /// Serve Castproof's own implementation over the testee protocol.
    Testee,
}

/// `castproof expect`
#[derive(Args)]
#[command(group(ArgGroup::new("input").required(true).args(["from", "from_one"])))]
#[command(group(ArgGroup::new("output").required(true).args(["to", "to_one"])))]
pub(crate) struct Expect {
    /// Input dtype of one element.
    #[arg(value_name = "FROM", requires = "code")]
    from_one: Option<DType>,
    /// The code, like 0x43e80001; of string, the text.
    #[arg(value_name = "CODE", requires = "to_one", allow_hyphen_values = true)]
    pub(crate) code: Option<String>,
    /// Output dtype of the one code.
    #[arg(value_name = "TO")]
    to_one: Option<DType>,
    /// Input dtype of the elements on standard input: a code a line, or a JSON string a line.
    #[arg(long, value_name = "DTYPE", requires = "to")]
    from: Option<DType>,
    /// Output dtype of the elements on standard input.
    #[arg(long, value_name = "DTYPE", requires = "from")]
    to: Option<DType>,
    #[command(flatten)]
    operator: OperatorArgs,
}

/// Which operator, of which version, with which attributes.
#[derive(Args)]
pub(crate) struct OperatorArgs {
    /// Operator set of the model.
    #[arg(long, default_value_t = 28)]
    opset: u32,
    /// The operator: cast or castlike.
    #[arg(long, default_value = "cast", value_parser = parse_operator)]
    op: Operator,
    /// The attribute `saturate`; not given if left out.
    #[arg(long, value_name = "0|1", value_parser = parse_flag)]
    saturate: Option<bool>,
    /// The attribute `round_mode`: up, down or nearest; not given if left out.
    #[arg(long, value_name = "MODE")]
    round_mode: Option<RoundMode>,
}

impl Expect {
    /// The request; `None` if the command line names no dtypes, which clap refuses.
    pub(crate) fn request(&self) -> Option<Request> {
        Some(self.operator.request(self.from.or(self.from_one)?, self.to.or(self.to_one)?))
    }
}

impl OperatorArgs {
    fn request(&self, from: DType, to: DType) -> Request {
        let attributes = Attributes { saturate: self.saturate, round_mode: self.round_mode };
        Request { op: self.op, from, to, opset: self.opset, attributes }
    }
}

/// `castproof explain`
#[derive(Args)]
pub(crate) struct Explain {
    /// Input dtype.
    from: DType,
    /// The code, like 0x43e80001.
    pub(crate) code: String,
    /// Output dtype.
    to: DType,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Explain {
    pub(crate) fn request(&self) -> Request {
        self.operator.request(self.from, self.to)
    }
}

/// `castproof promote`
#[derive(Args)]
pub(crate) struct Promote {
    /// Dtype of a tensor; also short, int, long, half, float, double, cfloat, cdouble.
    #[arg(value_parser = parse_tensor)]
    pub(crate) tensor: DType,
    /// The other operand.
    #[arg(value_parser = parse_operand)]
    pub(crate) with: Operand,
}

/// `castproof bitcast`
#[derive(Args)]
pub(crate) struct Bitcast {
    /// Dtype of the input.
    #[arg(long, value_name = "DTYPE")]
    pub(crate) from: DType,
    /// Sizes of the input, like 2,3; without it, a scalar.
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) shape: Vec<u64>,
    /// Dtype of the output.
    #[arg(long, value_name = "DTYPE")]
    pub(crate) to: DType,
    /// Whose operator: tensorflow or onnx.
    #[arg(long, default_value = "tensorflow")]
    pub(crate) system: System,
}

/// `castproof diff-spec`
#[derive(Args)]
pub(crate) struct DiffSpec {
    /// The older version, like 23.
    pub(crate) before: u32,
    /// The newer version, like 24.
    pub(crate) after: u32,
}

/// `castproof gate`
#[derive(Args)]
#[command(group(ArgGroup::new("subject").required(true).args(["testee", "adapter"])))]
pub(crate) struct Gate {
    /// `builtin`, or the command of a program that speaks the testee protocol.
    #[arg(long, value_name = "COMMAND")]
    testee: Option<String>,
    /// An adapter of the repository, by the name of its folder.
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// How many vectors: core, standard or full.
    #[arg(long, default_value = "core")]
    level: Level,
    /// Only this suite; may be given again. By default all.
    #[arg(long, value_name = "NAME")]
    suite: Vec<Suite>,
    /// Only casts from this dtype.
    #[arg(long, value_name = "DTYPE")]
    from: Option<DType>,
    /// Only casts to this dtype.
    #[arg(long, value_name = "DTYPE")]
    to: Option<DType>,
    /// Only this operator set.
    #[arg(long)]
    opset: Option<u32>,
    /// A folder of vector files with its manifest, instead of the vectors of a level.
    #[arg(long, value_name = "DIR", conflicts_with = "level")]
    vectors: Option<PathBuf>,
    /// Write a results file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The longest wait for an answer of the testee.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    timeout: Duration,
    /// Threads that read or make vectors while the testee works; by default one a core.
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// How many differing cases to list.
    #[arg(long, value_name = "N", default_value_t = 60)]
    limit_list: usize,
}

impl Gate {
    /// The options of the run; `None` if no testee is named, which clap refuses.
    pub(crate) fn options(self) -> Option<Options> {
        let subject = match (self.testee, self.adapter) {
            (Some(name), _) if name == "builtin" => Subject::Builtin,
            (Some(command), _) => Subject::Command(command),
            (None, adapter) => Subject::Adapter(adapter?),
        };
        let threads = self.threads.or_else(|| available_parallelism().ok());
        Some(Options {
            subject,
            level: self.level,
            vectors: self.vectors,
            suites: if self.suite.is_empty() { Suite::ALL.to_vec() } else { self.suite },
            filters: Filters { from: self.from, to: self.to, opset: self.opset },
            json: self.json,
            timeout: self.timeout,
            threads: threads.map_or(1, NonZeroUsize::get),
            limit_list: self.limit_list,
        })
    }
}

fn parse_tensor(text: &str) -> Result<DType, String> {
    let alias = castproof_oracle::ALIASES.iter().find(|(alias, _)| *alias == text);
    alias.map_or_else(|| text.parse(), |(_, dtype)| Ok(*dtype))
}

fn parse_operand(text: &str) -> Result<Operand, String> {
    let Some(kind) = text.strip_prefix("number:") else {
        return parse_tensor(text).map(Operand::Tensor);
    };
    let number = Number::ALL.into_iter().find(|number| number.name() == kind);
    let number =
        number.ok_or_else(|| format!("unknown number '{kind}'; known are bool, int, float"));
    number.map(Operand::Number)
}

fn parse_operator(text: &str) -> Result<Operator, String> {
    match text {
        "cast" => Ok(Operator::Cast),
        "castlike" => Ok(Operator::CastLike),
        _ => Err(format!("unknown operator '{text}'; known are cast, castlike")),
    }
}

fn parse_flag(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("it must be 0 or 1".into()),
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it must be a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("it must be a number of seconds above 0".into()),
    }
}
