# A conversion to bf16 between two others is dropped in IREE on the CPU.
import sys
from iree import compiler, runtime
import numpy
def run(*types, of):
    steps = " ".join(f"%{n} = stablehlo.convert %{n - 1} : ({types[n - 1]}) -> {types[n]}" for n in range(1, len(types)))
    text = f"func.func @f(%0: {types[0]}) -> {types[-1]} {{ {steps} return %{len(types) - 1} : {types[-1]} }}"
    options = ["--iree-llvmcpu-target-cpu=generic", "--iree-input-demote-f64-to-f32=false"]
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=options)
    return runtime.load_vm_flatbuffer(code, driver="local-sync").f(of).to_host()
pairs = (("i16", "i16", "int16"), ("f32", "f16", "float32"))
got = [int(run(f"tensor<{a}>", "tensor<bf16>", f"tensor<{b}>", of=numpy.array(257, dtype))) for a, b, dtype in pairs]
print(f"257 of i16 to bf16 to i16: got {got[0]}, expected 256; 257 of f32 to bf16 to f16: got {got[1]}, expected 256")
sys.exit(got != [256, 256])
