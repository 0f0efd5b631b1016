# A Python float beside a tensor of float64, on the CPU.
import sys
import mindspore
import numpy
mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
one = mindspore.Tensor(numpy.array([1.0]))
got = {"one * 0.1": one * 0.1, "one + 0.1": one + 0.1, "ops.mul(one, 0.1)": mindspore.ops.mul(one, 0.1)}
expected = {"one * 0.1": 0.1, "one + 0.1": 1.1, "ops.mul(one, 0.1)": 0.1}
for name, tensor in got.items():
    print(f"{name} ({tensor.dtype}): got {tensor.asnumpy()[0].item()}, expected {expected[name]}")
sys.exit(any(tensor.asnumpy()[0] != expected[name] for name, tensor in got.items()))
