//! A script that asks a testee behind a pipe: it starts the command and speaks the protocol, with
//! nothing but Python's standard library.

use super::case::{Case, Graph};
use super::literal::{python, python_value};
use super::script::{input_line, verdict};
use castproof_testee::launch::Launch;
use castproof_testee::protocol::PROTOCOL;
use castproof_vectors::{Attributes, DType, Spec};
use serde_json::{Map, Value, json};

/// Returns the script that asks the testee of this launch.
pub(super) fn text(case: &Case, launch: &Launch) -> String {
    let input = match case.from {
        DType::String => format!("INPUT = json.dumps([{}]).encode()\n", python(&case.input.text())),
        _ => input_line(case, true),
    };
    Script {
        title: format!("{}: {}", case.title(), case.extent_words()),
        what: "cast",
        request: request(case),
        input,
        output: match case.to {
            DType::String => "json.loads(data)[0]",
            _ => "data",
        },
        // Where a refusal is due, an exception is what the end of the script expects.
        refused: match case.is_refusal() {
            true => "raise RuntimeError(answer.get(\"message\"))",
            false => Script::ENDS,
        },
        verdict: verdict(case, true),
    }
    .text(launch)
}

/// A script that starts a testee and asks it once.
pub(super) struct Script {
    /// What it asks, for people.
    pub(super) title: String,
    /// The kind of what it asks for. Its function in Python has this name.
    pub(super) what: &'static str,
    /// The request, without its number and the length of its payload.
    pub(super) request: Value,
    /// The lines that set `INPUT`, the payload.
    pub(super) input: String,
    /// What the function returns of `data`, the payload of the answer.
    pub(super) output: &'static str,
    /// What the function does if `answer` is none.
    pub(super) refused: &'static str,
    /// The lines that call the function and judge.
    pub(super) verdict: String,
}

impl Script {
    /// Ends the script with what the testee said.
    pub(super) const ENDS: &str = "sys.exit(f\"got {answer['status']}: {answer.get('message')}\")";

    /// Returns the script for the testee of this launch.
    pub(super) fn text(&self, launch: &Launch) -> String {
        let Script { title, what, request, input, output, refused, verdict } = self;
        let words = launch.command.iter().map(|word| python(&word.to_string_lossy()));
        let folder = launch.folder.as_ref();
        format!(
            "# {title}.\n# Starts COMMAND and asks it for this {what}, as castproof does.\n\
             import json, subprocess, sys\n\n\
             COMMAND = [{command}]\nFOLDER = {folder}  # where it is started; None: here\n\
             REQUEST = {asked}\n{input}\n\
             def {what}():\n    \
             pipe = subprocess.PIPE\n    \
             testee = subprocess.Popen(COMMAND, cwd=FOLDER, stdin=pipe, stdout=pipe)\n\n    \
             def say(message, payload=b\"\"):\n        \
             testee.stdin.write(json.dumps(message).encode() + b\"\\n\" + payload)\n        \
             testee.stdin.flush()\n\n    \
             def hear():\n        \
             line = testee.stdout.readline()\n        \
             return json.loads(line) if line else sys.exit(\"got nothing: the testee ended\")\n\n    \
             say({{\"hello\": {protocol}}})\n    \
             hear()\n    \
             say({{\"seq\": 1, **REQUEST, \"bytes\": len(INPUT)}}, INPUT)\n    \
             answer = hear()\n    \
             if answer[\"status\"] != \"ok\":\n        \
             testee.kill()\n        \
             {refused}\n    \
             data = testee.stdout.read(answer[\"bytes\"])\n    \
             say({{\"bye\": True}})\n    \
             return {output}\n\n{verdict}",
            command = words.collect::<Vec<_>>().join(", "),
            folder = folder.map_or("None".into(), |it| python(&it.to_string_lossy())),
            asked = python_value(request),
            protocol = python(PROTOCOL),
        )
    }
}

/// Returns the request without its number and its payload.
fn request(case: &Case) -> Value {
    let given = |attributes: &Attributes| {
        let mut given = Map::new();
        if let Some(on) = attributes.saturate {
            given.insert("saturate".into(), u8::from(on).into());
        }
        if let Some(mode) = attributes.round_mode {
            given.insert("roundMode".into(), mode.name().into());
        }
        given
    };
    let mut request = Map::new();
    let mut put = |name: &str, value: Value| request.insert(name.into(), value);
    let (from, to) = (case.from.name(), case.to.name());
    match &case.graph {
        Graph::Chain { operators, constant, .. } => {
            let (dtypes, attributes) = case.steps();
            if !operators.is_empty() {
                put("operators", json!(operators));
            }
            put("op", "chain".into());
            put("dtypes", dtypes.iter().map(|dtype| dtype.name()).collect());
            put("attributes", json!(attributes.iter().map(given).collect::<Vec<_>>()));
            if *constant {
                put("input", "constant".into());
            }
        }
        Graph::Cast | Graph::CastLike => {
            let like = case.graph == Graph::CastLike;
            put("op", if like { "castlike" } else { "cast" }.into());
            put("from", from.into());
            put("to", to.into());
            for (name, value) in given(&case.attributes) {
                put(&name, value);
            }
        }
    }
    match case.spec {
        Spec::Onnx { opset, .. } => put("opset", opset.into()),
        Spec::Profile(profile) => put("profile", profile.name().into()),
    };
    put("shape", json!([case.count]));
    Value::Object(request)
}
