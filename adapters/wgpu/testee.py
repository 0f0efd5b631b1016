"""wgpu on lavapipe as a castproof testee: value constructors of WGSL, such as `i32(x)`, in a compute shader."""

import functools
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import wgpu  # noqa: E402
from castproof_testee import ELEMENT_BITS, Request  # noqa: E402

# The scalar types of WGSL.
NAMES = {"bool": "bool", "int32": "i32", "uint32": "u32", "float16": "f16", "float32": "f32"}

# A bool has no place in a buffer, so that there it is a number: the shader makes a bool of it, and a number of the result.
IN_BUFFERS = NAMES | {"bool": "u32"}
BITS_IN_BUFFERS = ELEMENT_BITS | {"bool": 32}

# The shader of a chain is one expression of all its casts.
SHADER = """
{extension}
@group(0) @binding(0) var<storage, read> x: array<{source}>;
@group(0) @binding(1) var<storage, read_write> y: array<{target}>;
@compute @workgroup_size({group}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    if id.x < arrayLength(&x) {{
        y[id.x] = {result};
    }}
}}
"""
GROUP = 256


@functools.cache
def device() -> wgpu.GPUDevice:
    """Returns lavapipe, which runs shaders of Vulkan on the processor."""
    for found in wgpu.gpu.enumerate_adapters_sync():
        if (found.info["backend_type"], found.info["adapter_type"]) == ("Vulkan", "CPU"):
            return found.request_device_sync(required_features=["shader-f16"])
    raise RuntimeError("there is no lavapipe; Debian and Ubuntu have it as mesa-vulkan-drivers: ./setup.sh --adapters wgpu")


@functools.cache
def pipeline(dtypes: tuple[str, ...]) -> wgpu.GPUComputePipeline:
    """Compiles the shader of the casts between dtypes."""
    result = "x[id.x]"
    for name in dtypes:  # The first makes a bool of a number, and is the type that x has otherwise.
        result = f"{NAMES[name]}({result})"
    source, target = IN_BUFFERS[dtypes[0]], IN_BUFFERS[dtypes[-1]]
    extension = "enable f16;" if "float16" in dtypes else ""
    code = SHADER.format(extension=extension, source=source, target=target, result=f"{target}({result})", group=GROUP)
    module = device().create_shader_module(code=code)
    return device().create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})


def cast(request: Request, payload: bytes) -> bytes:
    """Runs the casts of a request, of which a chain has several, as one shader."""
    array_cast.check_request(request)
    count = len(payload) * 8 // ELEMENT_BITS[request.source]
    if request.source == "bool":
        payload = b"".join(bytes((code, 0, 0, 0)) for code in payload)
    size = -(-count * BITS_IN_BUFFERS[request.target] // 32) * 4  # A buffer has whole 4 bytes.
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [
        device().create_buffer_with_data(data=payload + bytes(-len(payload) % 4), usage=usage),
        device().create_buffer(size=size, usage=usage),
    ]
    run = pipeline(request.dtypes)
    entries = [{"binding": number, "resource": {"buffer": buffer}} for number, buffer in enumerate(buffers)]
    commands = device().create_command_encoder()
    step = commands.begin_compute_pass()
    step.set_pipeline(run)
    step.set_bind_group(0, device().create_bind_group(layout=run.get_bind_group_layout(0), entries=entries))
    step.dispatch_workgroups(-(-count // GROUP))
    step.end()
    device().queue.submit([commands.finish()])
    output = bytes(device().queue.read_buffer(buffers[1]))
    return output[::4] if request.target == "bool" else output[: count * ELEMENT_BITS[request.target] // 8]


if __name__ == "__main__":
    device()
    castproof_testee.serve(
        STREAM,
        "wgpu",
        version("wgpu"),
        cast,
        array_cast.casts(list(NAMES)),
        features=("shapes",),
        chain=cast,
        limits={"empty": False},  # A buffer of a shader is not empty.
    )
