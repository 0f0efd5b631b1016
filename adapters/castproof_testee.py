"""Serves a cast implementation over `castproof-testee/1` on standard input and output.

A testee is a few lines:

    stream = castproof_testee.claim_stdio()     # before importing anything that may print
    castproof_testee.serve(stream, "my-runtime", "1.2.3", cast)

`cast(request, elements)` takes a `Request` and the input elements, and returns the output elements:
packed little-endian bytes, or a list of `str` for dtype string. Casts from and to string are
unsupported unless `serve` is called with `strings=True`. `cast` raises `Unsupported` if the
implementation says that it does not have the cast. Every other exception is reported as an error of
that request, and the testee goes on.
`features` lists what else a testee takes, in the words of the protocol. A request that needs a
feature that is not listed never reaches `cast`. A testee that runs several casts as one graph
passes `chain`, which is called like `cast`.
`profiles` lists the profiles, beside ONNX, whose casts a testee takes. A request of a profile has
`profile`, and no `opset`.
A testee that also answers questions (promotion, bitcast, complex casts) passes `ask(question,
payload)`, which takes the header as a dict and returns the members of the answer and its payload.
"""

import gc
import itertools
import json
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

PROTOCOL = "castproof-testee/1"

# Storage bits of one element, as the protocol packs it.
ELEMENT_BITS = {
    "bool": 8,
    "int2": 2,
    "uint2": 2,
    "int4": 4,
    "uint4": 4,
    "int8": 8,
    "uint8": 8,
    "int16": 16,
    "uint16": 16,
    "int32": 32,
    "uint32": 32,
    "int64": 64,
    "uint64": 64,
    "float4e2m1": 4,
    "float6e2m3": 6,
    "float6e3m2": 6,
    "float8e4m3fn": 8,
    "float8e4m3fnuz": 8,
    "float8e5m2": 8,
    "float8e5m2fnuz": 8,
    "float8e8m0": 8,
    "float16": 16,
    "bfloat16": 16,
    "float32": 32,
    "float64": 64,
}



class _Modules(FileFinder):
    """Finds the modules of this folder. Its folders are adapters named after runtimes, and no modules of those names.

    Without it `import torch` finds the folder `torch` where PyTorch is not installed, and a library
    that looks for PyTorch takes it for PyTorch.
    """

    def find_spec(self, fullname, target=None):
        found = super().find_spec(fullname, target)
        return None if found is None or found.loader is None else found


_HERE = str(Path(__file__).resolve().parent)
sys.path_importer_cache[_HERE] = _Modules(_HERE, (SourceFileLoader, SOURCE_SUFFIXES))

# The dtype whose elements are not codes of a fixed width.
STRING = "string"

# The operations that are not ONNX casts of one tensor.
LINEAR = ("quantize-linear", "dequantize-linear", "dynamic-quantize-linear")
BLOCKS = ("quantize-block", "dequantize-block", "dequantize-gguf", "quantize-gguf")
LAYOUTS_OF_CODES = ("pack", "unpack")
QUESTIONS = ("promote", "operands", "bitcast", "complexcast", *BLOCKS, *LAYOUTS_OF_CODES, *LINEAR)

# The largest piece that is read from a pipe. Reading in pieces takes no memory for bytes that were
# announced but never sent. Most payloads are one piece, which is not copied.
READ_SIZE = 1 << 24

# The most characters of a message. Some runtimes quote a refused text, however long it is.
LONGEST_MESSAGE = 1000


# The layouts of a tensor, with the ranks that each can have. The longest shape has rank 6.
CONTIGUOUS = "contiguous"
LAYOUT_RANKS = {
    CONTIGUOUS: range(7),
    "strided": range(1, 6),
    "reversed": range(1, 6),
    "transposed": range(2, 3),
    "broadcast": range(1, 6),
    "offset": range(6),
}
LAYOUTS = tuple(LAYOUT_RANKS)[1:]

# Features that a testee can list in its hello. `serve` adds `chain` if it gets a `chain`.
FEATURES = ("shapes", "constant", "chain", *LAYOUTS, "in-place", "chain-castlike", "chain-bitcast")

# The members of a request.
MEMBERS = {"seq", "op", "opset", "shape", "bytes", "input"}
CAST_MEMBERS = MEMBERS | {"from", "to", "saturate", "roundMode", "layout", "inPlace", "profile"}
CHAIN_MEMBERS = MEMBERS | {"dtypes", "attributes", "operators"}
# What a step of a chain does.
STEP_OPERATORS = ("cast", "castlike", "bitcast")

# Exceptions by which Python says that a call was wrong. They do not say that a cast is missing.
WRONG_CALLS = (TypeError, ValueError, LookupError, AttributeError, NameError, AssertionError)


class Unsupported(Exception):
    """The implementation does not have the requested cast; the text says why.

    The implementation itself must say so, before or instead of the cast. If it does so by an
    exception, that exception is the cause. A cause among `WRONG_CALLS` is reported as an error.
    """


class BadRequest(Exception):
    """A request that the protocol does not allow."""


class StreamEnded(Exception):
    """The gate closed the pipe in the middle of a message."""


@dataclass(frozen=True)
class Attributes:
    """The attributes of one cast; None if an attribute is not given."""

    saturate: int | None = None
    round_mode: str | None = None

    @classmethod
    def parse(cls, members: dict) -> "Attributes":
        """Reads the attributes among the members of an object."""
        saturate = _member(members, "saturate", int, required=False)
        return cls(saturate, _member(members, "roundMode", str, required=False))


@dataclass(frozen=True)
class Request:
    """One cast of one tensor, or a chain of casts as one graph.

    It is a cast of ONNX's `opset` or of a `profile`; the other is None.
    `dtypes` are the dtypes of the input, of the tensors between the steps, and of the output.
    `attributes` has those of each step, `operators` what each step of a chain does, one of
    STEP_OPERATORS; it is empty if every step is a cast. `constant` says that the input is a constant of the model.
    """

    op: str
    dtypes: tuple[str, ...]
    attributes: tuple[Attributes, ...]
    opset: int | None
    shape: tuple[int, ...]
    layout: str = CONTIGUOUS
    constant: bool = False
    in_place: bool = False
    profile: str | None = None
    operators: tuple[str, ...] = ()

    @classmethod
    def parse(cls, header: dict) -> "Request":
        """Reads a request header.

        Raises Unsupported for an operation, a member or a value that a later protocol may have,
        and BadRequest, with one line of text, for what no protocol allows.
        """
        op = _member(header, "op", str)
        if op not in ("cast", "castlike", "chain"):
            raise Unsupported(f"op is '{op}'; known are cast, castlike, chain")
        unknown = sorted(set(header) - (CHAIN_MEMBERS if op == "chain" else CAST_MEMBERS))
        if unknown:
            raise Unsupported(f"a {op} with the member '{unknown[0]}' is not known")
        dtypes, attributes = _chain_steps(header) if op == "chain" else _cast_step(header)
        for dtype in dtypes:
            if dtype not in ELEMENT_BITS and dtype != STRING:
                known = ", ".join([*ELEMENT_BITS, STRING])
                raise BadRequest(f"unknown dtype '{dtype}'; known are {known}")
        profile = _member(header, "profile", str, required=False)
        opset = _member(header, "opset", int, required=profile is None)
        if opset is not None and profile is not None:
            raise BadRequest("opset and profile are given; a request has one of them")
        if opset is not None and opset < 1:
            raise BadRequest(f"opset is {opset}; it must be 1 or more")
        source_kind = _member(header, "input", str, required=False)
        if source_kind not in (None, "constant"):
            raise Unsupported(f"input is '{source_kind}'; known is constant")
        shape = _member(header, "shape", list)
        if not all(type(size) is int and size >= 0 for size in shape):
            raise BadRequest(f"shape is {shape}; it must hold sizes of 0 or more")
        layout = _member(header, "layout", str, required=False) or CONTIGUOUS
        in_place = _member(header, "inPlace", bool, required=False) or False
        request = cls(
            op,
            dtypes,
            attributes,
            opset,
            tuple(shape),
            layout,
            source_kind is not None,
            in_place,
            profile,
            _step_operators(header, dtypes),
        )
        request._check_arrangement()
        return request

    def _check_arrangement(self) -> None:
        if self.layout not in LAYOUT_RANKS:
            known = ", ".join(LAYOUT_RANKS)
            raise Unsupported(f"layout is '{self.layout}'; known are {known}")
        if self.layout != CONTIGUOUS and len(self.shape) not in LAYOUT_RANKS[self.layout]:
            raise BadRequest(f"no tensor of shape {list(self.shape)} is {self.layout}")
        if self.in_place and len({ELEMENT_BITS.get(dtype) for dtype in self.dtypes}) > 1:
            raise BadRequest(f"elements of {self.source} and {self.target} differ in width")
        if self.in_place and self.layout == "broadcast":
            raise BadRequest("a broadcast tensor cannot be written over")

    @property
    def source(self) -> str:
        """The dtype of the input."""
        return self.dtypes[0]

    @property
    def target(self) -> str:
        """The dtype of the output."""
        return self.dtypes[-1]

    @property
    def steps(self) -> tuple[tuple[str, str], ...]:
        """What each step does, one of STEP_OPERATORS, and the dtype that it makes."""
        operators = self.operators or ("cast",) * (len(self.dtypes) - 1)
        return tuple(zip(operators, self.dtypes[1:], strict=True))

    @property
    def features(self) -> list[str]:
        """The features that a testee must list to get this request, in the words of the hello."""
        needs = {
            "shapes": len(self.shape) != 1,
            "constant": self.constant,
            "chain": self.op == "chain",
            "chain-castlike": "castlike" in self.operators,
            "chain-bitcast": "bitcast" in self.operators,
            self.layout: self.layout != CONTIGUOUS,
            "in-place": self.in_place,
        }
        return [feature for feature, needed in needs.items() if needed]

    @property
    def has_strings(self) -> bool:
        """Is one of the dtypes string?"""
        return STRING in self.dtypes

    def unpack(self, payload: bytes) -> bytes | list[str]:
        """Returns the input elements of a payload; raises BadRequest if their number is wrong."""
        elements = _texts(payload) if self.source == STRING else payload
        due, unit = self._due(self.source)
        if len(elements) != due:
            raise BadRequest(
                f"shape {list(self.shape)} of {self.source} takes {due} {unit}, not {len(elements)}"
            )
        return elements

    def pack(self, elements: bytes | list[str]) -> bytes:
        """Returns the payload of output elements; raises RuntimeError if their number is wrong."""
        due, unit = self._due(self.target)
        if len(elements) != due:
            raise RuntimeError(
                f"the runtime returned {len(elements)} {unit} where shape {list(self.shape)} "
                f"of {self.target} takes {due}"
            )
        if self.target == STRING:
            return json.dumps(elements, ensure_ascii=False).encode()
        return elements

    def _due(self, dtype: str) -> tuple[int, str]:
        """Returns how long the elements must be, and the unit of that length."""
        count = math.prod(self.shape)
        if dtype == STRING:
            return count, "strings"
        return -(-count * ELEMENT_BITS[dtype] // 8), "bytes"


def _cast_step(header: dict) -> tuple[tuple[str, ...], tuple[Attributes, ...]]:
    """Returns the dtypes and the attributes of one cast."""
    dtypes = _member(header, "from", str), _member(header, "to", str)
    return dtypes, (Attributes.parse(header),)


def _chain_steps(header: dict) -> tuple[tuple[str, ...], tuple[Attributes, ...]]:
    """Returns the dtypes and the attributes of a chain of two or more casts."""
    dtypes, steps = _member(header, "dtypes", list), _member(header, "attributes", list)
    if len(dtypes) < 3 or not all(type(dtype) is str for dtype in dtypes):
        raise BadRequest(f"dtypes is {json.dumps(dtypes)}; it must hold three names or more")
    if len(steps) != len(dtypes) - 1 or not all(type(step) is dict for step in steps):
        raise BadRequest(f"attributes must hold {len(dtypes) - 1} objects, one a step")
    for step in steps:
        unknown = sorted(set(step) - {"saturate", "roundMode"})
        if unknown:
            raise Unsupported(f"a step with the member '{unknown[0]}' is not known")
    return tuple(dtypes), tuple(Attributes.parse(step) for step in steps)


def _step_operators(header: dict, dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what each step of a chain does; empty if every step is a cast."""
    operators = _member(header, "operators", list, required=False) or []
    if operators and len(operators) != len(dtypes) - 1:
        raise BadRequest(f"operators must hold {len(dtypes) - 1} names, one a step")
    for step, operator in enumerate(operators):
        if operator not in STEP_OPERATORS:
            known = ", ".join(STEP_OPERATORS)
            raise Unsupported(f"the operator of a step is {json.dumps(operator)}; known are {known}")
        if operator == "bitcast":
            widths = {ELEMENT_BITS.get(dtype) for dtype in dtypes[step : step + 2]}
            if len(widths) != 1 or None in widths:
                raise BadRequest(f"no bitcast is from {dtypes[step]} to {dtypes[step + 1]}")
    return tuple(operators)


def _texts(payload: bytes) -> list[str]:
    try:
        texts = json.loads(payload.decode())
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"a payload of strings must be a JSON array: {message_of(error)}") from error
    if type(texts) is not list or not all(type(text) is str for text in texts):
        raise BadRequest("a payload of strings must be a JSON array of strings and nothing else")
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        # JSON can write half of a surrogate pair, which no text contains.
        raise BadRequest(f"a string is not a Unicode text: {message_of(error)}") from error
    return texts


class Stream:
    """Messages of the protocol: one JSON line, then as many bytes as its `bytes` member says."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer
        self._unread = b""

    def read_line(self) -> bytes:
        """Returns the next header line; empty at the end of the input."""
        line, self._unread = self._unread, b""
        return line or self._reader.readline()

    def unread(self, line: bytes) -> None:
        """Puts a line back, which `read_line` returns next."""
        self._unread = line

    def has_more(self) -> bool:
        """Has another message been read already, or can it be read without waiting?"""
        try:
            number = self._reader.fileno()
            os.set_blocking(number, False)
        except (OSError, AttributeError):
            return False  # not a pipe, or a system without such pipes
        try:
            return bool(self._unread or self._reader.peek(1))
        finally:
            os.set_blocking(number, True)

    def read_payload(self, size: int) -> bytes:
        """Reads exactly `size` bytes; raises StreamEnded if the input ends before."""
        pieces, missing = [], size
        while missing > 0:
            piece = self._reader.read(min(missing, READ_SIZE))
            if not piece:
                raise StreamEnded(f"the input ended after {size - missing} of {size} payload bytes")
            pieces.append(piece)
            missing -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write(self, header: dict, payload: bytes = b"") -> None:
        """Sends one message."""
        # A message may quote characters that UTF-8 cannot write; they are replaced.
        line = json.dumps(header, ensure_ascii=False).encode(errors="replace")
        self._writer.write(line + b"\n")
        self._writer.write(payload)
        self._writer.flush()


def claim_stdio() -> Stream:
    """Takes standard input and output for the protocol.

    File descriptor 1 becomes standard error, so that nothing that a library prints, even from C++,
    gets between the messages.
    """
    writer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return Stream(sys.stdin.buffer, writer)


def serve(
    stream: Stream,
    name: str,
    version: str,
    cast,
    casts: list | None = None,
    ask=None,
    strings: bool = False,
    features: tuple[str, ...] = (),
    chain=None,
    chains=None,
    profiles: tuple[str, ...] = (),
    limits: dict | None = None,
    project=None,
    conversions: tuple[str, ...] = (),
) -> None:
    """Answers messages until the gate says bye or closes the pipe.

    `casts` lists the casts that exist, as the hello does; without it every cast is tried.
    `ask` answers questions; without it they are unsupported.
    `strings` says that `cast` takes casts from and to string.
    `features` lists what else `cast` takes; `profiles`, the profiles whose casts it takes. `casts`
    does not restrict those. `chain` runs chains; without it they are unsupported.
    `project` converts codes of formats by parameters, for `castproof attest` and the suite `projections`: it takes the header and
    the payload of the request, and returns the codes as bytes. `conversions` names those that it claims.
    `limits` says which tensors `cast` and `chain` take, as the hello does: such as {"multipleOf": 8}.
    `chains` takes a list of requests of chains, with the elements of each, and returns the list of
    their outputs. It gets chains that were sent together, and may make one graph of them, whose
    parts are independent. If it raises, each is given to `chain`.
    """
    listed = [*features, "chain"] if chain else list(features)
    unknown = set(listed) - set(FEATURES)
    assert not unknown, f"the protocol has no features {unknown}"
    hello = {"hello": PROTOCOL, "name": name, "version": version, "language": "python"}
    hello["features"] = listed
    if profiles:
        hello["profiles"] = list(profiles)
    if limits:
        hello["limits"] = limits
    if conversions:
        hello["conversions"] = list(conversions)
    hello["ahead"] = True  # the stream keeps what it has read beyond a request
    pairs = None
    if casts is not None:
        hello["casts"] = casts
        pairs = frozenset((row["from"], target) for row in casts for target in row["to"])
    testee = _Testee(cast, chain, chains, ask, project, strings, frozenset(listed), pairs, frozenset(profiles))
    # Objects made by the imports stay. Without this, each full collection examines all of them.
    gc.freeze()
    try:
        while line := stream.read_line():
            header = _parse_header(line)
            if header is not None and header.get("bye"):
                return
            if header is not None and "hello" in header:
                stream.write(hello)
            elif chains and header is not None and header.get("op") == "chain":
                for answer in _answer_chains(stream, header, testee):
                    stream.write(*answer)
            else:
                stream.write(*_answer(stream, header, testee))
    except (StreamEnded, BrokenPipeError) as error:
        print(f"{name}: the gate went away: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        pass


@dataclass(frozen=True)
class _Testee:
    """The functions and limits given to `serve`, which answer requests."""

    cast: Callable
    chain: Callable | None
    chains: Callable | None
    ask: Callable | None
    project: Callable | None
    strings: bool
    features: frozenset[str]
    pairs: frozenset[tuple[str, str]] | None
    profiles: frozenset[str]

    def answer(
        self, header: dict, payload: bytes, output: bytes | None = None
    ) -> tuple[dict, bytes]:
        """Returns the members of the answer beside status and length, and the payload.

        `output` is that of a chain that was run with others.
        """
        if header.get("op") == "project":
            if self.project is None:
                raise Unsupported("the adapter has no project")
            return {}, self.project(header, payload)
        if header.get("op") in QUESTIONS:
            if self.ask is None:
                raise Unsupported(f"the adapter has no {header['op']}")
            return self.ask(header, payload)
        request, elements = self.request_of(header, payload)
        try:
            if output is None:
                run = self.chain if request.op == "chain" else self.cast
                output = run(request, elements)
        except Unsupported as refusal:
            if isinstance(refusal.__cause__, WRONG_CALLS):
                raise refusal.__cause__ from None
            raise
        return {}, request.pack(output)

    def together(self, read: list[tuple[dict, bytes]]) -> list[bytes | None]:
        """Runs chains together; an output is None if its chain must be run alone."""
        outputs = [None] * len(read)
        taken = []
        for number, (header, payload) in enumerate(read):
            try:
                taken.append((number, self.request_of(header, payload)))
            except (Unsupported, BadRequest):
                pass  # to be said in its own answer
        if len(taken) > 1:
            try:
                made = self.chains([request for _, request in taken])
                for (number, _), output in zip(taken, made, strict=True):
                    outputs[number] = output
            except Exception as error:  # one of them is refused, or fails
                print(f"asked alone, for together: {message_of(error)}", file=sys.stderr)
        return outputs

    def request_of(self, header: dict, payload: bytes) -> tuple[Request, bytes | list[str]]:
        """Returns the request of a header, with its elements, if the testee takes it."""
        request = Request.parse(header)
        for feature in request.features:
            if feature not in self.features:
                raise Unsupported(f"the adapter does not list the feature '{feature}'")
        if request.has_strings and not self.strings:
            raise Unsupported("the adapter carries no strings")
        if request.profile is not None:
            if request.profile not in self.profiles:
                raise Unsupported(f"the hello lists no profile {request.profile}")
            return request, request.unpack(payload)
        for pair in itertools.pairwise(request.dtypes):
            if self.pairs is not None and pair not in self.pairs:
                raise Unsupported("the hello lists no cast from {} to {}".format(*pair))
        return request, request.unpack(payload)


def _parse_header(line: bytes) -> dict | None:
    """Returns the header as a dict, or None if the line is not a JSON object."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) else None


def _answer_chains(stream: Stream, header: dict, testee: _Testee):
    """Answers a chain, and those that were sent with it."""
    read = []
    while True:
        # What is wrong with a message is said where it is answered, which reads no further.
        read.append((header, stream.read_payload(_length(header))))
        if not stream.has_more():
            break
        line = stream.read_line()
        header = _parse_header(line)
        if header is None or header.get("op") != "chain":
            stream.unread(line)
            break
    for (header, payload), output in zip(read, testee.together(read), strict=True):
        yield _answer(stream, header, testee, payload, output)


def _length(header: dict) -> int:
    """Returns how many bytes follow a header; 0 if it does not say so."""
    length = header.get("bytes")
    return length if type(length) is int and length > 0 else 0


def _answer(
    stream: Stream,
    header: dict | None,
    testee: _Testee,
    payload: bytes | None = None,
    output: bytes | None = None,
) -> tuple[dict, bytes]:
    """Answers one request. Reads its payload first, unless it is given, so that the next line is a
    header. `output` is that of a chain that was run with others."""
    if header is None:
        return {"seq": None, "status": "error", "message": "the line is not a JSON object"}, b""
    answer = {"seq": header.get("seq")}
    try:
        length = _member(header, "bytes", int)
        if payload is None:
            payload = stream.read_payload(length)
        members, output = testee.answer(header, payload, output)
    except StreamEnded:
        raise  # there is nobody to answer
    except Unsupported as refusal:
        return answer | {"status": "unsupported", "message": message_of(refusal)}, b""
    except BadRequest as error:
        return answer | {"status": "error", "message": f"bad request: {error}"}, b""
    except Exception as error:  # whatever a runtime raises is an error of this request alone
        message = f"{type(error).__name__}: {message_of(error)}"
        return answer | {"status": "error", "message": message}, b""
    return answer | {"status": "ok", "bytes": len(output)} | members, output


def _member(header: dict, name: str, kind: type, required: bool = True):
    value = header.get(name)
    if value is None and not required:
        return None
    if type(value) is not kind:
        raise BadRequest(f"'{name}' is {json.dumps(value)}; it must be of type {kind.__name__}")
    return value


def message_of(error: BaseException) -> str:
    """Returns the text of an exception on one line, or the name of its class if it has no text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(lines)[:LONGEST_MESSAGE] if lines else type(error).__name__
