// Builds ONNX models of casts with onnx-proto. The model of a request has exactly the opset of the
// request.
import proto from "onnx-proto";

const { onnx } = proto;

// ONNX's number of each dtype.
export const ONNX_TYPES = {
  bool: 9, int2: 26, uint2: 25, int4: 22, uint4: 21, int8: 3, uint8: 2, int16: 5, uint16: 4,
  int32: 6, uint32: 12, int64: 7, uint64: 13, float4e2m1: 23, float6e2m3: 27, float6e3m2: 28,
  float8e4m3fn: 17, float8e4m3fnuz: 18, float8e5m2: 19, float8e5m2fnuz: 20, float8e8m0: 24,
  float16: 10, bfloat16: 16, float32: 1, float64: 11, string: 8,
};
// The oldest IR version that allows each operator set.
const IR_VERSIONS = { 9: 4, 10: 5, 11: 6, 12: 7, 15: 8, 19: 9, 21: 10, 23: 11, 24: 12, 25: 13, 28: 14 };
// First opset in which `to` is a number. In older opsets it is the name of the type.
const FIRST_OPSET_WITH_NUMERIC_TO = 6;
const [INT, STRING] = [2, 3]; // kinds of attributes

const NAMES = { float32: "FLOAT", float64: "DOUBLE" };

// Builds the model of a request: `y = Cast(x)`, `y = CastLike(x, like)`, or a chain of casts. The
// nodes have only the attributes that the request gives. `constant` is the TensorProto of the
// input, or null.
export function model({ op, dtypes, steps, opset, shape }, constant) {
  const known = Object.keys(IR_VERSIONS).map(Number).filter((since) => since <= opset);
  const dimensions = shape.map((size, axis) => (constant ? { dimValue: size } : { dimParam: `size${axis}` }));
  const input = constant ? [] : [value("x", dtypes[0], dimensions)];
  if (op === "castlike") input.push(value("like", dtypes[1], [{ dimParam: "any" }]));
  return onnx.ModelProto.encode({
    irVersion: known.length ? IR_VERSIONS[Math.max(...known)] : 3,
    opsetImport: [{ domain: "", version: opset }],
    graph: {
      name: op,
      node: steps.map((given, step) => node(op, dtypes, given, step, steps.length, opset)),
      input,
      output: [value("y", dtypes.at(-1), dimensions)],
      initializer: constant ? [constant] : [],
    },
  }).finish();
}

// Returns elements, packed bytes or texts, as the initializer `x`.
export function constantOf({ dtypes, shape }, elements) {
  const tensor = { name: "x", dataType: ONNX_TYPES[dtypes[0]], dims: shape };
  if (dtypes[0] === "string") return { ...tensor, stringData: elements.map((text) => Buffer.from(text)) };
  return { ...tensor, rawData: elements };
}

function value(name, dtype, dim) {
  return { name, type: { tensorType: { elemType: ONNX_TYPES[dtype], shape: { dim } } } };
}

function node(op, dtypes, given, step, count, opset) {
  const to = dtypes[step + 1];
  const attribute = [];
  if (op !== "castlike") {
    const name = Buffer.from(NAMES[to] ?? to.toUpperCase());
    const numeric = opset >= FIRST_OPSET_WITH_NUMERIC_TO;
    attribute.push(numeric ? { name: "to", i: ONNX_TYPES[to], type: INT } : { name: "to", s: name, type: STRING });
  }
  if ("saturate" in given) attribute.push({ name: "saturate", i: given.saturate, type: INT });
  if ("roundMode" in given) {
    attribute.push({ name: "round_mode", s: Buffer.from(given.roundMode), type: STRING });
  }
  const names = [step === 0 ? "x" : `step${step}`, step === count - 1 ? "y" : `step${step + 1}`];
  if (op === "castlike") return { opType: "CastLike", input: ["x", "like"], output: ["y"], attribute };
  return { opType: "Cast", input: [names[0]], output: [names[1]], attribute };
}
