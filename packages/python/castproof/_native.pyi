from typing import Protocol

import numpy as np
from numpy.typing import NDArray

class Ask(Protocol):
    @property
    def name(self) -> str: ...
    def __call__(self, shape: tuple[int, ...], layout: str, payload: bytes, /) -> bytes: ...

class AskBlocks(Protocol):
    @property
    def name(self) -> str: ...
    def __call__(
        self,
        shape: tuple[int, ...],
        axis: int,
        source: str,
        target: str,
        largest: int | None,
        payload: bytes,
        /,
    ) -> bytes: ...

class AskLinear(Protocol):
    @property
    def name(self) -> str: ...
    def __call__(
        self,
        shape: tuple[int, ...],
        scale_shape: tuple[int, ...],
        axis: int | None,
        block_size: int | None,
        elements: bytes,
        scales: bytes,
        zero_points: bytes,
        /,
    ) -> bytes: ...

class Cast:
    def __new__(
        cls,
        source: str,
        target: str,
        spec: str | None,
        saturate: int | None,
        round_mode: str | None,
    ) -> Cast: ...

def dtypes() -> list[tuple[str, int]]: ...
def dtype(name: str) -> str: ...
def elements(name: str, texts: list[str], nearest: bool) -> list[int]: ...
def cast(cast: Cast, input: NDArray[np.uint8], output: NDArray[np.uint8]) -> None: ...
def expect(
    cast: Cast,
    inputs: NDArray[np.uint8],
    expected: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    rules: NDArray[np.uint16],
) -> list[str]: ...
def admits(
    cast: Cast,
    inputs: NDArray[np.uint8],
    results: NDArray[np.uint8],
    strict: bool,
    admitted: NDArray[np.bool_],
) -> None: ...
def check(
    ask: Ask,
    cast: Cast,
    *,
    features: list[str],
    limits: str,
    level: str,
    strict: bool,
    json: str | None,
) -> tuple[bool, str, dict[str, int]]: ...
def block_rule(name: str) -> tuple[int, str, bool, list[str], list[str]]: ...
def block_format(name: str) -> tuple[int, str, list[str]]: ...
def quantize(
    name: str,
    source: str,
    target: str,
    numbers: NDArray[np.uint8],
    row: int,
    largest: int | None,
    scales: NDArray[np.uint8],
    elements: NDArray[np.uint8],
    undefined: NDArray[np.bool_],
) -> list[str]: ...
def dequantize(
    name: str,
    source: str,
    target: str,
    elements: NDArray[np.uint8],
    scales: NDArray[np.uint8],
    row: int,
    numbers: NDArray[np.uint8],
    undefined: NDArray[np.bool_],
) -> None: ...
def check_blocks(
    ask: AskBlocks,
    rule: str,
    source: str,
    targets: list[str],
    *,
    level: str,
    strict: bool,
    json: str | None,
) -> tuple[bool, str, dict[str, int]]: ...
def check_linear(
    ask: AskLinear,
    quantises: bool,
    source: str,
    target: str,
    scales: list[str],
    saturate: bool,
    *,
    level: str,
    strict: bool,
    json: str | None,
) -> tuple[bool, str, dict[str, int]]: ...
def main(words: list[str], python: str, file: str, adapters: str) -> int: ...
