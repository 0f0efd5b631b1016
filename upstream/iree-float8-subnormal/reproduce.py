# What rounds up to the smallest normal number of a float8 becomes 0 in IREE on the CPU.
import sys
from iree import compiler, runtime
import numpy
def run(*types, of):
    steps = " ".join(f"%{n} = stablehlo.convert %{n - 1} : ({types[n - 1]}) -> {types[n]}" for n in range(1, len(types)))
    text = f"func.func @f(%0: {types[0]}) -> {types[-1]} {{ {steps} return %{len(types) - 1} : {types[-1]} }}"
    options = ["--iree-llvmcpu-target-cpu=generic", "--iree-input-demote-f64-to-f32=false"]
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=options)
    return runtime.load_vm_flatbuffer(code, driver="local-sync").f(of).to_host()
numbers = (("f8E4M3FN", 1.9375 * 2**-7), ("f8E5M2", 1.9375 * 2**-15))
got = [float(run("tensor<f32>", f"tensor<{name}>", of=numpy.float32(number))) for name, number in numbers]
print(f"1.9375 * 2^-7 to f8E4M3FN: got {got[0]}, expected {2**-6}; 1.9375 * 2^-15 to f8E5M2: got {got[1]}, expected {2**-14}")
sys.exit(got != [2**-6, 2**-14])
