"""How users quantise rows of blocks in Python, for `cargo xtask blocks bench`.

numpy rounds elements with ml_dtypes, torch with torchao if it is there. Each element has a byte in numpy, also one of
4 bits. The peers may round or treat special numbers otherwise; what is timed has moderate numbers.
"""

import functools

import numpy as np

LARGEST = np.float32(64)
MAX = {"float8e4m3fn": 448.0, "float4e2m1": 6.0}
EXPONENT = {"float8e4m3fn": 8, "float4e2m1": 2}


def seconds(job, peers, beyond):
    """Returns the seconds of one quantisation by each of the peers that has the profile."""
    times = {}
    for name, prepare in PEERS.items():
        if name[0] not in peers:
            continue
        row = prepare(job["profile"], job["to"], job["elements"])
        if row is not None:
            alone = prepare(job["profile"], job["to"], 32)
            times[name[1]] = max(beyond(alone, row, job["repeats"]), 1e-12)
    return times


@functools.lru_cache(maxsize=2)
def sample(elements):
    return np.random.default_rng(1).uniform(-64, 64, elements).astype(np.float32)


@functools.lru_cache(maxsize=4)
def numpy_row(profile, to, elements):
    import ml_dtypes

    dtype = {"float8e4m3fn": ml_dtypes.float8_e4m3fn, "float4e2m1": ml_dtypes.float4_e2m1fn}[to]
    numbers = sample(elements)

    def mx():
        blocks = numbers.reshape(-1, 32)
        amax = np.max(np.abs(blocks), axis=1, keepdims=True)
        if profile == "mx-floor":
            power = np.frexp(amax)[1] - 1 - EXPONENT[to]
        else:
            fraction, power = np.frexp(amax / np.float32(MAX[to]))
            power = power - (fraction == 0.5)
        power = np.clip(power, -127, 127)
        scales = (power + 127).astype(np.uint8)
        scaled = np.clip(np.ldexp(blocks, -power), -MAX[to], MAX[to])
        return scales, scaled.astype(dtype)

    def nvfp4():
        blocks = numbers.reshape(-1, 16)
        amax = np.max(np.abs(blocks), axis=1, keepdims=True)
        tensor = LARGEST / np.float32(2688)
        scales = np.clip(amax / np.float32(6) / tensor, 2**-6, 448).astype(ml_dtypes.float8_e4m3fn)
        factor = np.float32(1) / tensor / scales.astype(np.float32)
        return scales, (blocks * factor).astype(dtype)

    return nvfp4 if profile.startswith("nvfp4") else mx


@functools.lru_cache(maxsize=4)
def torchao_row(profile, to, elements):
    try:
        import torch
        from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor
    except ImportError:
        return None
    numbers = torch.from_numpy(sample(elements)).reshape(1, -1)
    if profile == "nvfp4-torchao":
        tensor = nvfp4_tensor.per_tensor_amax_to_scale(torch.tensor([float(LARGEST)]))
        return lambda: nvfp4_tensor.nvfp4_quantize(numbers, 16, tensor)
    scaling = {"mx-floor": "FLOOR", "mx-rceil": "RCEIL"}.get(profile)
    if scaling is None:
        return None
    scaling = mx_tensor.ScaleCalculationMode[scaling]
    elements_of = {"float8e4m3fn": torch.float8_e4m3fn, "float4e2m1": torch.float4_e2m1fn_x2}
    return lambda: mx_tensor.to_mx(numbers, elements_of[to], 32, scaling)


# By the peer that must be asked for, and the name of the time.
PEERS = {("numpy", "numpy"): numpy_row, ("torch", "torchao"): torchao_row}
