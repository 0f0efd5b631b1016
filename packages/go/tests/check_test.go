package tests

import (
	"errors"
	"strings"
	"testing"

	castproof "github.com/castproof/castproof/packages/go"
)

func TestRightKernelsPass(t *testing.T) {
	castproof.Check(t, right[0].from, right[0].to, right[0].kernel, right[0].words...)
	for _, tried := range right {
		t.Run(tried.name, func(t *testing.T) {
			summary, err := castproof.Verify(tried.from, tried.to, tried.kernel, tried.words...)
			if err != nil || !summary.Passed || summary.Codes < 200 || summary.Calls < 2000 || summary.Elements < 1000000 {
				t.Error(summary, err)
			}
		})
	}
}

// A kernel that takes some slices only: it is asked for no others, and its faults are found in those.
func TestAKernelWithLimitsIsAskedWithinThem(t *testing.T) {
	limits := castproof.Limits{Elements: 1000, MultipleOf: 8, NoEmpty: true}
	planted := func(isWrong bool) castproof.Kernel {
		return narrow16(func(x uint32, i, n int) uint16 {
			if n == 0 || n%8 != 0 || n > 1000 {
				t.Fatalf("a slice of %d elements", n)
			}
			if isWrong && i == 0 && n > 8 {
				return float16(x, i, n) ^ 1
			}
			return float16(x, i, n)
		})
	}
	summary, err := castproof.VerifyWithin(limits, "float32", "float16", planted(false))
	stated := "limits of the kernel: at most 1000 elements, multiples of 8, no empty slice"
	if err != nil || !strings.Contains(summary.String(), stated) || summary.Calls < 1000 {
		t.Error(summary, err)
	}
	if _, err := castproof.VerifyWithin(limits, "float32", "float16", planted(true)); err == nil {
		t.Error("first elements are wrong")
	}
	for _, none := range []castproof.Limits{{Elements: 1, MultipleOf: 8}, {Elements: -1}} {
		if _, err := castproof.VerifyWithin(none, "float32", "float16", half); err == nil || !strings.Contains(err.Error(), "no slice keeps") {
			t.Error(err)
		} else if none.Elements == 1 && !strings.HasSuffix(err.Error(), ": at most 1 element, multiples of 8") {
			t.Error(err)
		}
	}
}

func TestWrongKernelsAreFound(t *testing.T) {
	for _, tried := range wrong {
		t.Run(tried.name, func(t *testing.T) {
			summary, err := castproof.Verify(tried.from, tried.to, tried.kernel, tried.words...)
			if summary.Passed || !strings.Contains(summary.String(), ": failed; ") {
				t.Error(summary)
			}
			var failed *castproof.Failed
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), tried.due) {
				t.Fatal(err)
			}
			if !strings.Contains(err.Error(), tried.from+" -> "+tried.to) || len(failed.Lines) < 2 {
				t.Error(err)
			}
		})
	}
}

// Each kernel is wrong for one code: beside an end, a tie, a subnormal.
func TestASingleWrongCodeIsFound(t *testing.T) {
	for _, wrong := range []uint32{0x38800000, 0x387fc000, 0x3f801000, 0x3f7ff000, 0x477ff000, 1} {
		planted := narrow16(func(x uint32, i, n int) uint16 {
			if x == wrong {
				return float16(x, i, n) ^ 1
			}
			return float16(x, i, n)
		})
		_, err := castproof.Verify("float32", "float16", planted)
		if err == nil || !strings.Contains(err.Error(), "1 of ") {
			t.Errorf("%#x: %v", wrong, err)
		}
	}
}

func TestBadInputGivesOneClearError(t *testing.T) {
	for _, bad := range []struct {
		from, to, word string
		kernel         castproof.Kernel
		due            string
	}{
		{"float33", "float16", "saturate=1", half, "unknown dtype 'float33'; known are bool, "},
		{"float32", "string", "saturate=1", half, "unknown dtype 'string'"},
		{"float32", "float16", "saturate=1", nil, "the kernel is nil"},
		{"float32", "float16", "saturate=2", half, "saturate is 2"},
		{"float32", "float16", "round_mode=sideways", half, "unknown round_mode 'sideways'; known are down, nearest, nearest-away, toward-zero, up"},
		{"float32", "float16", "spec=onnx-cast-20", half, "unknown spec 'onnx-cast-20'"},
		{"float32", "float16", "saturated", half, "unknown word 'saturated'"},
		{"float32", "float8e4m3fn", "spec=onnx-cast-13", half, "is refused [T-01]"},
		{"float32", "float16", "spec=rust-as", half, "is refused [RS-09]"},
	} {
		_, err := castproof.Verify(bad.from, bad.to, bad.kernel, bad.word)
		var failed *castproof.Failed
		if err == nil || errors.As(err, &failed) || !strings.Contains(err.Error(), bad.due) || strings.Contains(err.Error(), "\n") {
			t.Error(bad, err)
		}
	}
}

func TestAPanicOfTheKernelComesOut(t *testing.T) {
	defer func() {
		if said := recover(); said != "mine" {
			t.Error(said)
		}
	}()
	castproof.Verify("float32", "float16", func(in, out []byte, n int) { panic("mine") })
}

// A single element is a tail: the first line says where a code is wrong that is wrong alone, or that nothing is written.
func TestTheFirstLineNamesThePlace(t *testing.T) {
	clamps := func(at func(n, i int) bool) castproof.Kernel {
		return func(in, out []byte, n int) {
			for i, x := range in {
				out[i] = x
				if at(n, i) && x >= 128 {
					out[i] = 0
				}
			}
		}
	}
	for _, tried := range []struct {
		kernel castproof.Kernel
		due    string
	}{
		{clamps(func(n, i int) bool { return i >= n/8*8 }), " codes are wrong in the tail of 8, and right before it: out of range clamped"},
		{clamps(func(n, i int) bool { return i >= n/64*64 }), " codes are wrong in the tail of 64, and right before it: out of range clamped"},
		{clamps(func(n, i int) bool { return n < 12 }), " codes are wrong in slices of up to 11 elements, and right in longer ones: out of range"},
		{clamps(func(n, i int) bool { return n == 1 }), " codes are wrong alone, and right in slices: out of range"},
		{clamps(func(n, i int) bool { return n == 1 || i%5 == 3 }), " codes are wrong at some places of slices, and right at others: out of range"},
		{clamps(func(n, i int) bool { return true }), " codes are wrong: out of range clamped"},
		{func(in, out []byte, n int) {}, " codes are wrong: left unwritten\n"},
		{func(in, out []byte, n int) {
			for i := range out {
				out[i] = 7
			}
		}, " codes are wrong: always the same result, 7\n"},
	} {
		_, err := castproof.Verify("int8", "uint8", tried.kernel)
		if err == nil || !strings.Contains(err.Error(), tried.due) {
			t.Errorf("%q is not in: %v", tried.due, err)
		}
	}
}

// A rule has its text beside its id.
func TestAFindingHasTheTextOfItsRule(t *testing.T) {
	_, err := castproof.Verify("int8", "uint8", func(in, out []byte, n int) {
		for i := range out {
			out[i] = 7
		}
	})
	if err == nil || !strings.Contains(err.Error(), "  [II-01: An integer in range is kept.]") {
		t.Error(err)
	}
}

// Codes have their numbers beside them, and the first line says which inputs are wrong.
func TestAFindingHasNumbersAndTheRangeOfInputs(t *testing.T) {
	constant := func(bytes int) castproof.Kernel {
		return func(in, out []byte, n int) {
			for i := range out[:bytes*n] {
				out[i] = 0x11
			}
		}
	}
	truncated := narrow16(func(x uint32, i, n int) uint16 {
		if x > 0x3f800000 && x < 0x40800000 {
			return uint16(x >> 16)
		}
		return bfloat16(x, i, n)
	})
	lostNaN := narrow16(func(x uint32, i, n int) uint16 {
		if isNaN(x) {
			return 0
		}
		return float16(x, i, n)
	})
	for _, tried := range []struct {
		from, to string
		kernel   castproof.Kernel
		due      []string
	}{
		{"float32", "bfloat16", truncated, []string{" codes are wrong: inputs from 1.", "0x3f808001 (1.0039064) gave 0x3f80 (1), expected 0x3f81 (1.0078125)"}},
		{"float32", "float16", lostNaN, []string{" codes are wrong: NaN becomes zero\n", "(NaN) gave 0x0000 (0), expected any NaN"}},
		{"int8", "uint8", constant(1), []string{" codes are wrong: always the same result, 17\n", "0x00 (0) gave 0x11 (17), expected 0x00 (0)"}},
		{"float16", "float32", constant(4), []string{": always the same result, 1.1443742e-28\n", "0x0001 (6e-8) gave 0x11111111 (1.1443742e-28), expected 0x33800000 (5.9604645e-8)"}},
		{"float8e5m2", "bool", constant(1), []string{"0x01 (1.52587890625e-5) gave 0x11 (invalid), expected 0x01 (true)", "0x07 (0.00011) gave"}},
		{"float8e4m3fnuz", "float64", constant(8), []string{": always the same result, ", "expected 0x3f50000000000000 (0.0009765625)"}},
		{"float8e8m0", "float32", constant(4), []string{": always the same result, 1.1443742e-28\n"}},
	} {
		_, err := castproof.Verify(tried.from, tried.to, tried.kernel)
		for _, due := range tried.due {
			if err == nil || !strings.Contains(err.Error(), due) {
				t.Errorf("%s -> %s: %q is not in: %v", tried.from, tried.to, due, err)
			}
		}
	}
}
