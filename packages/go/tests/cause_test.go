package tests

import (
	"math"
	"math/bits"
	"os"
	"regexp"
	"strings"
	"testing"

	castproof "github.com/castproof/castproof/packages/go"
)

// A kernel of elements of so many bits.
func coded(from, to int, element func(code uint64) uint64) castproof.Kernel {
	return func(in, out []byte, n int) {
		for i := 0; i < n; i++ {
			code := uint64(0)
			for at := from/8 - 1; at >= 0; at-- {
				code = code<<8 | uint64(in[i*from/8+at])
			}
			result := element(code)
			for at := 0; at < to/8; at++ {
				out[i*to/8+at] = byte(result >> (8 * at))
			}
		}
	}
}

var widths = map[string]int{
	"bool": 8, "int8": 8, "uint8": 8, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64,
	"float8e4m3fn": 8, "float8e4m3fnuz": 8, "float8e5m2": 8, "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
}

func single(code uint64) float64 { return float64(math.Float32frombits(uint32(code))) }

func coding(number float64) uint64 { return uint64(math.Float32bits(float32(number))) }

func f16(code uint64) uint64 { return uint64(float16(uint32(code), 0, 0)) }

func bf16(code uint64) uint64 { return uint64(bfloat16(uint32(code), 0, 0)) }

// A number within the range of an integer, as Rust clamps it; NaN is 0.
func clamped(number, low, high float64) uint64 {
	if math.IsNaN(number) {
		return 0
	}
	return uint64(int64(math.Max(low, math.Min(high, math.Trunc(number)))))
}

func i32(number float64) uint64 { return clamped(number, -1<<31, 1<<31-1) }

// float8e5m2 is the upper half of float16.
func e5m2(code uint64) float64 {
	exponent, fraction := int(code>>2&31), float64(code&3)
	value := math.Ldexp(4+fraction, exponent-17)
	switch {
	case exponent == 31 && fraction > 0:
		return math.NaN()
	case exponent == 31:
		value = math.Inf(1)
	case exponent == 0:
		value = math.Ldexp(fraction, -16)
	}
	return math.Copysign(value, []float64{1, -1}[code>>7])
}

// float8e4m3fn with what its NaN becomes.
func e4m3fn(code uint64, nan float64) float64 {
	exponent, fraction := int(code>>3&15), float64(code&7)
	value := math.Ldexp(8+fraction, exponent-10)
	if exponent == 0 {
		value = math.Ldexp(fraction, -9)
	}
	if code&0x7f == 0x7f {
		value = nan
	}
	return math.Copysign(value, []float64{1, -1}[code>>7])
}

// Shifts the significand of a float32 by the low bits of the distance.
func shifted(code uint64, mask int, right uint64) uint64 {
	exponent, significand := int(code>>23&255), code&0x7fffff
	if exponent >= 150 {
		return right
	}
	if exponent > 0 {
		significand |= 0x800000
	} else {
		exponent = 1
	}
	whole := significand >> ((150 - exponent) & mask)
	if single(code) < 0 {
		return -whole
	}
	return whole
}

// Is a float32 rounded up in magnitude to float16?
func isRoundedUp(code, result uint64) bool {
	back := math.Ldexp(float64(1024+result&1023), int(result>>10&31)-25)
	return back > math.Abs(single(code))
}

func when(is bool, yes, no uint64) uint64 {
	if is {
		return yes
	}
	return no
}

func isNumber(code uint64) bool { return !isNaN(uint32(code)) }

type planted struct {
	from, to, words, due string
	element              func(code uint64) uint64
}

// Each method of the package is planted. Those after ", or " give the same results as the first.
var plantedKernels = []planted{
	{"float8e5m2", "float32", "", "subnormal input flushed to zero", func(x uint64) uint64 {
		return when(x&0x7c == 0, x&0x80<<24, coding(e5m2(x)))
	}},
	{"float32", "float16", "", "subnormal result flushed to zero", func(x uint64) uint64 {
		return when(f16(x)&0x7c00 == 0, f16(x)&0x8000, f16(x))
	}},
	{"float32", "float16", "", "zero below the smallest subnormal, before rounding", func(x uint64) uint64 {
		return when(math.Abs(single(x)) < math.Ldexp(1, -24), f16(x)&0x8000, f16(x))
	}},
	{"float64", "float16", "spec=cuda-cvt", "rounded through float32", func(x uint64) uint64 {
		number := math.Float64frombits(x)
		return when(math.IsNaN(number), 0x7e00, f16(coding(number)))
	}},
	{"float32", "float8e4m3fn", "", "rounded through float16", func(x uint64) uint64 {
		number := float64(0)
		if y := f16(x); y&0x7c00 == 0x7c00 {
			number = math.Inf(1)
		} else {
			number = math.Ldexp(float64(y&1023+1024), int(y>>10&31)-25)
			if y&0x7c00 == 0 {
				number = math.Ldexp(float64(y&1023), -24)
			}
		}
		return when(isNumber(x), uint64(saturated(math.Float32bits(float32(number))))|x>>24&0x80, 0x7f)
	}},
	{"float32", "float8e4m3fn", "", "rounded through bfloat16", func(x uint64) uint64 { return uint64(saturated(uint32(bf16(x) << 16))) }},
	{"int64", "float32", "", "rounded through float64", func(x uint64) uint64 { return coding(float64(int64(x))) }},
	{"float32", "bfloat16", "", "rounded toward zero, or low half of the source dropped", func(x uint64) uint64 {
		return when(isNumber(x), x>>16, bf16(x))
	}},
	{"float32", "bfloat16", "", "rounded away from zero", func(x uint64) uint64 {
		return when(isNumber(x), (x+0xffff)>>16, bf16(x))
	}},
	{"float8e5m2", "int32", "", "rounded toward minus infinity", func(x uint64) uint64 { return i32(math.Floor(e5m2(x))) }},
	{"float8e5m2", "int32", "", "rounded toward plus infinity", func(x uint64) uint64 { return i32(math.Ceil(e5m2(x))) }},
	{"float8e5m2", "int32", "", "rounded to the nearest integer, ties to even", func(x uint64) uint64 { return i32(math.RoundToEven(e5m2(x))) }},
	{"float8e5m2", "int32", "", "rounded to the nearest integer, ties away from zero", func(x uint64) uint64 { return i32(math.Round(e5m2(x))) }},
	{"float32", "bfloat16", "", "ties rounded away from zero", func(x uint64) uint64 {
		return when(isNumber(x), (x+0x8000)>>16, bf16(x))
	}},
	{"float32", "float16", "", "the carry of the significand lost", func(x uint64) uint64 {
		y := f16(x)
		isPower := y&0x3ff == 0 && y&0x7fff > 0x400 && math.Abs(single(x)) < 65504
		return when(isPower && isRoundedUp(x, y), y-0x400, y)
	}},
	{"float32", "float16", "", "the carry from subnormal to normal lost", func(x uint64) uint64 {
		y := f16(x)
		return when(y&0x7fff == 0x400 && isRoundedUp(x, y), y-0x400, y)
	}},
	{"float32", "int64", "", "a shift modulo 64", func(x uint64) uint64 {
		return shifted(x, 63, clamped(single(x), math.MinInt64, math.Nextafter(1<<63, 0)))
	}},
	{"float32", "int32", "", "a shift modulo 32", func(x uint64) uint64 { return shifted(x, 31, i32(single(x))) }},
	{"int32", "int8", "", "out of range clamped", func(x uint64) uint64 { return clamped(float64(int32(x)), -128, 127) }},
	{"float32", "int8", "spec=rust-as", "out of range wrapped", func(x uint64) uint64 {
		if number := single(x); isNumber(x) && !math.IsInf(number, 0) {
			return i32(math.Mod(number, 256))
		}
		return clamped(single(x), -128, 127)
	}},
	{"float32", "uint32", "", "through the signed integer of the same width, which saturates", func(x uint64) uint64 { return i32(single(x)) }},
	{"float32", "uint32", "", "through the signed integer of the same width, beyond which only the highest bit is set", func(x uint64) uint64 {
		return when(single(x) >= 1<<31, 1<<31, i32(single(x)))
	}},
	{"uint8", "float32", "", "sign extended where there is none", func(x uint64) uint64 { return coding(float64(int8(x))) }},
	{"int8", "float32", "", "sign not extended", func(x uint64) uint64 { return coding(float64(x)) }},
	{"float8e5m2", "float32", "", "sign of zero lost", func(x uint64) uint64 { return when(x == 0x80, 0, coding(e5m2(x))) }},
	{"int8", "float32", "", "negative numbers become zero", func(x uint64) uint64 { return when(x > 127, 0, coding(float64(x))) }},
	{"bool", "int32", "", "true becomes all ones", func(x uint64) uint64 { return -x }},
	{"int32", "float32", "", "low half of the source dropped", func(x uint64) uint64 { return coding(float64(int32(x) &^ 0xffff)) }},
	{"int64", "int32", "", "the other half of the code", func(x uint64) uint64 { return x >> 32 }},
	{"uint8", "float32", "", "code copied", func(x uint64) uint64 { return x }},
	{"uint16", "float32", "", "bytes of the input swapped", func(x uint64) uint64 {
		return coding(float64(bits.ReverseBytes16(uint16(x))))
	}},
	{"uint8", "float32", "", "bytes of the output swapped", func(x uint64) uint64 {
		return uint64(bits.ReverseBytes32(math.Float32bits(float32(x))))
	}},
	{"uint8", "int8", "", "every bit of the result inverted", func(x uint64) uint64 { return ^x }},
	{"float8e5m2", "bool", "", "truth inverted; NaN taken for false", func(x uint64) uint64 { return when(x&0x7f == 0, 1, 0) }},
	{"float8e5m2", "bool", "", "truth taken from the code, or truth taken from the lowest byte", func(x uint64) uint64 { return when(x != 0, 1, 0) }},
	{"float8e5m2", "bool", "", "truth taken from the integral part", func(x uint64) uint64 { return when(math.Abs(e5m2(x)) < 1, 0, 1) }},
	{"int32", "bool", "", "truth taken from the lowest byte", func(x uint64) uint64 { return when(x&255 != 0, 1, 0) }},
	{"int8", "bool", "", "truth taken from the lowest bit", func(x uint64) uint64 { return x & 1 }},
	{"float8e5m2", "bool", "", "truth taken from the lowest bit of the integral part", func(x uint64) uint64 {
		if math.IsNaN(e5m2(x)) || math.IsInf(e5m2(x), 0) {
			return 1
		}
		return i32(e5m2(x)) & 1
	}},
	{"float8e5m2", "float16", "", "NaN becomes infinity", func(x uint64) uint64 { return when(math.IsNaN(e5m2(x)), 0x7c00, x<<8) }},
	{"float8e5m2", "float16", "", "NaN becomes the largest", func(x uint64) uint64 { return when(math.IsNaN(e5m2(x)), 0x7bff, x<<8) }},
	{"float8e5m2", "float32", "", "NaN becomes zero", func(x uint64) uint64 { return when(math.IsNaN(e5m2(x)), 0, coding(e5m2(x))) }},
	{"float32", "bfloat16", "", "NaN cut off to infinity", func(x uint64) uint64 { return when(isNumber(x), bf16(x), x>>16) }},
	{"float32", "bfloat16", "", "NaN rounded as if it were a number", func(x uint64) uint64 { return uint64(rounded(uint32(x))) }},
	{"float64", "float32", "spec=wasm-sat", "a signalling NaN stays signalling", func(x uint64) uint64 {
		payload := x & (1<<52 - 1)
		if x>>52&0x7ff != 0x7ff || payload == 0 || payload>>51 == 1 {
			return uint64(math.Float32bits(float32(math.Float64frombits(x))))
		}
		return x>>63<<31 | 0x7f800000 | when(payload>>29 == 0, 1, payload>>29)
	}},
	{"float8e4m3fn", "float32", "", "NaN read as a number", func(x uint64) uint64 { return coding(e4m3fn(x, 480)) }},
	{"float8e4m3fnuz", "float32", "", "NaN becomes zero, or NaN read as -0", func(x uint64) uint64 {
		return when(x == 0x80, 1<<31, coding(e4m3fn(x, 480)/2))
	}},
	{"float8e5m2", "bool", "", "NaN taken for false", func(x uint64) uint64 { return when(x&0x7f == 0 || math.IsNaN(e5m2(x)), 0, 1) }},
}

// What the first line says of a kernel after "codes are wrong: ".
func named(t *testing.T, it planted) string {
	_, err := castproof.Verify(it.from, it.to, coded(widths[it.from], widths[it.to], it.element), strings.Fields(it.words)...)
	if err == nil {
		t.Fatalf("%s -> %s: a kernel passes whose fault is: %s", it.from, it.to, it.due)
	}
	_, said, _ := strings.Cut(strings.Split(err.Error(), "\n")[0], "codes are wrong: ")
	return said
}

// A method is named with those that no code tells from it; of a kernel with the fault in half of the codes it is not.
func TestEachMethodIsNamedAndANearOneIsNot(t *testing.T) {
	for _, it := range plantedKernels {
		said := named(t, it)
		for _, part := range strings.Split(it.due, "; ") {
			if !regexp.MustCompile(`(^|; )` + regexp.QuoteMeta(part) + `(: (the input|inputs from) [^,]*)?(;|$)`).MatchString(said) {
				t.Errorf("%s -> %s, %s: %s", it.from, it.to, it.due, said)
			}
		}
		if widths[it.from] > 8 || it.due == "true becomes all ones" {
			continue
		}
		whole := it.element
		it.element = func(x uint64) uint64 {
			y := whole(x)
			return when(bits.OnesCount64(x)%2 == 0, y, y^1)
		}
		if said := named(t, it); strings.Contains(said, it.due) {
			t.Errorf("%s -> %s, %s, and the lowest bit in half of the codes: %s", it.from, it.to, it.due, said)
		}
	}
}

// Each name is planted.
func TestEachNameIsPlanted(t *testing.T) {
	text, err := os.ReadFile("castproof-go/names.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\tname\w+ += "([^"]*)"$`).FindAllStringSubmatch(string(text), -1)
	if len(names) < 40 {
		t.Errorf("%d names", len(names))
	}
	planted := ""
	for _, it := range plantedKernels {
		planted += "; " + strings.ReplaceAll(it.due, ", or ", "; ") + ";"
	}
	for _, name := range names {
		if !strings.Contains(planted, "; "+name[1]+";") {
			t.Errorf("%q is not planted", name[1])
		}
	}
}
