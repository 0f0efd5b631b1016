"""Serves a cast implementation over `castproof-testee/1` on standard input and output.

A testee is a few lines:

    stream = castproof_testee.claim_stdio()     # before importing anything that may print
    castproof_testee.serve(stream, "my-runtime", "1.2.3", cast)

where `cast(request, elements)` takes a `Request` and the input elements, and returns the output
elements: packed little-endian bytes, or of dtype string a list of `str`. Strings come only to who
calls `serve` with `strings=True`; otherwise casts from and to string are unsupported. `cast` raises
`Unsupported` for what the implementation does not have; every other exception is reported as an
error of that request, and the testee goes on.
A testee that also answers questions (promotion, bitcast, complex casts) passes `ask(question,
payload)`, which takes the header as a dict and returns the members of the answer and its payload.
"""

import json
import math
import os
import sys
from dataclasses import dataclass

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

# The dtype whose elements are no codes of a fixed width.
STRING = "string"

# The operations that are no casts of one tensor by ONNX.
QUESTIONS = ("promote", "operands", "bitcast", "complexcast")

# A pipe is read in pieces, so that a wrong byte count costs no memory that was never sent.
READ_SIZE = 1 << 20

# Characters of a message. Some runtimes quote the text that they refuse, however long it is.
LONGEST_MESSAGE = 1000


class Unsupported(Exception):
    """The implementation does not have the requested cast; the text says why."""


class BadRequest(Exception):
    """A request that the protocol does not allow."""


class StreamEnded(Exception):
    """The gate closed the pipe in the middle of a message."""


@dataclass(frozen=True)
class Request:
    """One cast of one tensor. `saturate` and `round_mode` are None where not to be set."""

    op: str
    source: str
    target: str
    opset: int
    saturate: int | None
    round_mode: str | None
    shape: tuple[int, ...]

    @classmethod
    def parse(cls, header: dict) -> "Request":
        """Reads a request header; raises BadRequest with one line that names the member."""
        shape = _member(header, "shape", list)
        if not all(type(size) is int and size >= 0 for size in shape):
            raise BadRequest(f"shape is {shape}; it must hold sizes of 0 or more")
        request = cls(
            op=_member(header, "op", str),
            source=_member(header, "from", str),
            target=_member(header, "to", str),
            opset=_member(header, "opset", int),
            saturate=_member(header, "saturate", int, required=False),
            round_mode=_member(header, "roundMode", str, required=False),
            shape=tuple(shape),
        )
        if request.op not in ("cast", "castlike"):
            raise BadRequest(f"op is '{request.op}'; known are cast, castlike")
        for dtype in (request.source, request.target):
            if dtype not in ELEMENT_BITS and dtype != STRING:
                known = ", ".join([*ELEMENT_BITS, STRING])
                raise BadRequest(f"unknown dtype '{dtype}'; known are {known}")
        if request.opset < 1:
            raise BadRequest(f"opset is {request.opset}; it must be 1 or more")
        return request

    @property
    def has_strings(self) -> bool:
        """Is one side of the cast string?"""
        return STRING in (self.source, self.target)

    def unpack(self, payload: bytes) -> bytes | list[str]:
        """The input elements of a payload; raises BadRequest if they are not as many as due."""
        elements = _texts(payload) if self.source == STRING else payload
        due, unit = self._due(self.source)
        if len(elements) != due:
            raise BadRequest(
                f"shape {list(self.shape)} of {self.source} takes {due} {unit}, not {len(elements)}"
            )
        return elements

    def pack(self, elements: bytes | list[str]) -> bytes:
        """The payload of output elements; raises RuntimeError if they are not as many as due."""
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
        """How long the elements are, and in what."""
        count = math.prod(self.shape)
        if dtype == STRING:
            return count, "strings"
        return -(-count * ELEMENT_BITS[dtype] // 8), "bytes"


def _texts(payload: bytes) -> list[str]:
    try:
        texts = json.loads(payload.decode())
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"strings are a JSON array as payload: {first_line(error)}") from error
    if type(texts) is not list or not all(type(text) is str for text in texts):
        raise BadRequest("strings are a JSON array as payload, of strings alone")
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        # JSON can spell half of a surrogate pair, of which no string consists.
        raise BadRequest(f"a string is no Unicode text: {first_line(error)}") from error
    return texts


class Stream:
    """Messages of the protocol: one JSON line, then as many bytes as its `bytes` member says."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer

    def read_line(self) -> bytes:
        """The next header line; empty at the end of the input."""
        return self._reader.readline()

    def read_payload(self, size: int) -> bytes:
        """Exactly `size` bytes; raises StreamEnded if the input ends before."""
        payload = bytearray()
        while len(payload) < size:
            piece = self._reader.read(min(size - len(payload), READ_SIZE))
            if not piece:
                raise StreamEnded(f"the input ended after {len(payload)} of {size} payload bytes")
            payload += piece
        return bytes(payload)

    def write(self, header: dict, payload: bytes = b"") -> None:
        """Sends one message."""
        # What no UTF-8 can write, in a message that quotes it, is replaced.
        line = json.dumps(header, ensure_ascii=False).encode(errors="replace")
        self._writer.write(line + b"\n" + payload)
        self._writer.flush()


def claim_stdio() -> Stream:
    """Takes standard input and output for the protocol.

    From then on file descriptor 1 leads to standard error, so that nothing a library prints, not
    even from C++, can get between the messages.
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
) -> None:
    """Answers messages until the gate says bye or closes the pipe.

    `casts` names what there is, as the protocol's hello does; without it everything is tried.
    `ask` answers questions beside casts; without it they are unsupported.
    `strings` says that `cast` takes casts from and to string.
    """
    hello = {"hello": PROTOCOL, "name": name, "version": version, "language": "python"}
    if casts is not None:
        hello["casts"] = casts
    try:
        while line := stream.read_line():
            header = _parse_header(line)
            if header is not None and header.get("bye"):
                return
            if header is not None and "hello" in header:
                stream.write(hello)
            else:
                stream.write(*_answer(stream, header, cast, ask, strings))
    except (StreamEnded, BrokenPipeError) as error:
        print(f"{name}: the gate went away: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        pass


def _parse_header(line: bytes) -> dict | None:
    """The header as a dict, or None where the line is no JSON object."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) else None


def _answer(
    stream: Stream, header: dict | None, cast, ask, strings: bool
) -> tuple[dict, bytes]:
    """The answer to one request. Its payload is read first, so that the next line is a header."""
    if header is None:
        return {"seq": None, "status": "error", "message": "the line is no JSON object"}, b""
    answer = {"seq": header.get("seq")}
    try:
        payload = stream.read_payload(_member(header, "bytes", int))
        if header.get("op") in QUESTIONS:
            if ask is None:
                raise Unsupported(f"the adapter has no {header['op']}")
            members, output = ask(header, payload)
            return answer | {"status": "ok", "bytes": len(output)} | members, output
        request = Request.parse(header)
        if request.has_strings and not strings:
            raise Unsupported("the adapter carries no strings")
        output = request.pack(cast(request, request.unpack(payload)))
    except StreamEnded:
        raise  # there is nobody to answer
    except Unsupported as error:
        return answer | {"status": "unsupported", "message": first_line(error)}, b""
    except BadRequest as error:
        return answer | {"status": "error", "message": f"bad request: {error}"}, b""
    except Exception as error:  # whatever a runtime throws is charged to this request alone
        message = f"{type(error).__name__}: {first_line(error)}"
        return answer | {"status": "error", "message": message}, b""
    return answer | {"status": "ok", "bytes": len(output)}, output


def _member(header: dict, name: str, kind: type, required: bool = True):
    value = header.get(name)
    if value is None and not required:
        return None
    if type(value) is not kind:
        raise BadRequest(f"'{name}' is {json.dumps(value)}; it must be of type {kind.__name__}")
    return value


def first_line(error: BaseException) -> str:
    """The first line of an exception's text, or the name of its class if it has no text."""
    lines = str(error).strip().splitlines()
    return lines[0][:LONGEST_MESSAGE] if lines else type(error).__name__
