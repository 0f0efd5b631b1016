// Kernels: right ones, and wrong ones, each with one fault of those that kernels have.
package tests

import (
	"encoding/binary"
	"math"
	"unsafe"

	castproof "github.com/castproof/castproof/packages/go"
)

var le = binary.LittleEndian

// Kernels of which each element is a function of the element, its place and the count.

func narrow16(element func(x uint32, i, n int) uint16) castproof.Kernel {
	return func(in, out []byte, n int) {
		for i := 0; i < n; i++ {
			le.PutUint16(out[2*i:], element(le.Uint32(in[4*i:]), i, n))
		}
	}
}

func narrow8(element func(x uint32) uint8) castproof.Kernel {
	return func(in, out []byte, n int) {
		for i := 0; i < n; i++ {
			out[i] = element(le.Uint32(in[4*i:]))
		}
	}
}

func double(element func(x float64) float32) castproof.Kernel {
	return func(in, out []byte, n int) {
		for i := 0; i < n; i++ {
			le.PutUint32(out[4*i:], math.Float32bits(element(math.Float64frombits(le.Uint64(in[8*i:])))))
		}
	}
}

func integer(element func(x int64) int8) castproof.Kernel {
	return func(in, out []byte, n int) {
		for i := 0; i < n; i++ {
			out[i] = byte(element(int64(le.Uint64(in[8*i:]))))
		}
	}
}

// One element.

func isNaN(x uint32) bool { return x&0x7fffffff > 0x7f800000 }

// float32 to bfloat16, without a thought for NaN.
func rounded(x uint32) uint16 { return uint16((x + 0x7fff + x>>16&1) >> 16) }

func bfloat16(x uint32, _, _ int) uint16 {
	if isNaN(x) {
		return 0x7fc0
	}
	return rounded(x)
}

// float32 to float16. Where a sum with 0.5 has the steps of the target, its rounding is the cast's.
func float16(x uint32, _, _ int) uint16 {
	sign, rest := uint16(x>>16&0x8000), x&0x7fffffff
	switch {
	case isNaN(x):
		return sign | 0x7e00
	case rest >= 0x477ff000: // 65520
		return sign | 0x7c00
	case rest < 0x38800000:
		return sign | uint16(math.Float32bits(math.Float32frombits(rest)+0.5)-0x3f000000)
	}
	return sign | uint16((rest-0x38000000+0xfff+rest>>13&1)>>13)
}

// float32 to float8e4m3fn.
func e4m3(x uint32, beyond uint8) uint8 {
	sign, rest := uint8(x>>24&0x80), x&0x7fffffff
	switch {
	case isNaN(x):
		return sign | 0x7f
	case rest > 0x43e80000: // 464
		return sign | beyond
	case rest < 0x3c800000:
		return sign | uint8(math.Float32bits(math.Float32frombits(rest)+16384)-0x46800000)
	}
	return sign | uint8((rest-0x3c000000+0x7ffff+rest>>20&1)>>20)
}

func saturated(x uint32) uint8 { return e4m3(x, 0x7e) }
func open(x uint32) uint8      { return e4m3(x, 0x7f) }

// int8 to int4, two to a byte.
func int4(in, out []byte, n int) {
	for i := 0; i < n; i += 2 {
		out[i/2] = in[i] & 15
		if i+1 < n {
			out[i/2] |= in[i+1] << 4
		}
	}
}

type tried struct {
	name, from, to string
	words          []string
	kernel         castproof.Kernel
	due            string // what the message must say
}

var half = narrow16(float16)

var right = []tried{
	{"bfloat16", "float32", "bfloat16", nil, narrow16(bfloat16), ""},
	{"float16", "float32", "float16", nil, half, ""},
	{"float8e4m3fn", "float32", "float8e4m3fn", []string{"saturate=1"}, narrow8(saturated), ""},
	{"an older version with an attribute", "float32", "float8e4m3fn", []string{"saturate=0", "spec=onnx-cast-19"}, narrow8(open), ""},
	{"int8", "int64", "int8", nil, integer(func(x int64) int8 { return int8(x) }), ""},
	{"float32", "float64", "float32", nil, double(func(x float64) float32 { return float32(x) }), ""},
	{"int4, packed", "int8", "int4", nil, int4, ""},
}

var wrong = []tried{
	{"truncates", "float32", "bfloat16", nil, narrow16(func(x uint32, i, n int) uint16 {
		if isNaN(x) {
			return 0x7fc0
		}
		return uint16(x >> 16)
	}), "codes are wrong"},
	{"rounds ties up", "float32", "bfloat16", nil, narrow16(func(x uint32, i, n int) uint16 {
		if isNaN(x) {
			return 0x7fc0
		}
		return uint16((x + 0x8000) >> 16)
	}), "codes are wrong"},
	{"rounds twice", "float32", "float8e4m3fn", nil, narrow8(func(x uint32) uint8 {
		return saturated(uint32(bfloat16(x, 0, 1)) << 16)
	}), "codes are wrong"},
	{"never saturates", "float32", "float8e4m3fn", nil, narrow8(open), "expected 0x7e"},
	{"saturates when told not to", "float32", "float8e4m3fn", []string{"saturate=0"}, narrow8(saturated), "expected any NaN"},
	{"rounds NaN", "float32", "bfloat16", nil, narrow16(func(x uint32, i, n int) uint16 { return rounded(x) }), "expected any NaN"},
	{"turns NaN into zero", "float32", "float16", nil, narrow16(func(x uint32, i, n int) uint16 {
		if isNaN(x) {
			return 0
		}
		return float16(x, i, n)
	}), "expected any NaN"},
	{"forgets the low bits", "float64", "float32", nil, double(func(x float64) float32 {
		return float32(math.Float64frombits(math.Float64bits(x) &^ 0xffff))
	}), "codes are wrong"},
	{"loses the sign of zero", "float32", "float16", nil, narrow16(func(x uint32, i, n int) uint16 {
		if x == 0x80000000 {
			return 0
		}
		return float16(x, i, n)
	}), "expected 0x8000"},
	{"flushes subnormals", "float32", "float16", nil, narrow16(func(x uint32, i, n int) uint16 {
		y := float16(x, i, n)
		if y&0x7c00 == 0 {
			return y & 0x8000
		}
		return y
	}), "codes are wrong"},
	{"saturates integers", "int64", "int8", nil, integer(func(x int64) int8 {
		if x < -128 {
			return -128
		} else if x > 127 {
			return 127
		}
		return int8(x)
	}), "codes are wrong"},
	{"reads an absent attribute as nearest", "float32", "float8e8m0", nil, narrow8(func(x uint32) uint8 {
		return uint8((x + 0x400000) >> 23)
	}), "codes are wrong"},
	{"cuts the tail of 8", "float32", "bfloat16", nil, narrow16(func(x uint32, i, n int) uint16 {
		if i >= n/8*8 && n > 8 && !isNaN(x) {
			return uint16(x >> 16)
		}
		return bfloat16(x, i, n)
	}), "element 8 of "},
	{"fails beyond a block", "float32", "float16", nil, narrow16(func(x uint32, i, n int) uint16 {
		y := float16(x, i, n)
		if i == 1024 {
			y ^= 1
		}
		return y
	}), "element 1024 of 10"},
	{"skips the last element", "float32", "float16", nil, func(in, out []byte, n int) {
		if n%4 == 3 {
			n--
		}
		half(in, out, n)
	}, "left unwritten"},
	{"needs alignment", "float32", "float16", nil, func(in, out []byte, n int) {
		half(in, out, n)
		if n > 8 && uintptr(unsafe.Pointer(&in[0]))%32 != 0 {
			out[2*n-2] ^= 1
		}
	}, "right alone"},
	{"writes past the end", "float32", "float16", nil, func(in, out []byte, n int) {
		half(in, out, n)
		if n%8 == 7 { // as a kernel in assembly does
			*(*byte)(unsafe.Add(unsafe.Pointer(&out[0]), 2*n)) = 0
		}
	}, "written outside, in a slice of 7"},
	{"writes into its input", "float32", "float16", nil, func(in, out []byte, n int) {
		half(in, out, n)
		for i := range in {
			in[i] = 0
		}
	}, "written over the input"},
	{"soils unused bits", "int8", "int4", nil, func(in, out []byte, n int) {
		int4(in, out, n)
		if n%2 == 1 {
			out[n/2] |= 0xf0
		}
	}, "unused bits of the output are not zero"},
}
