// Package castproof holds kernels that cast between tensor dtypes to exact answers: ONNX Cast in every
// version, and other specifications. The answers are inside.
package castproof

import (
	"fmt"
	"strings"
	"testing"
)

// A Kernel casts n elements, which may be none. Elements are little-endian; those of 2, 4 and 6 bits are
// packed from the lowest bits up, and the unused bits of the last byte must be 0. Both slices begin at
// multiples of an element's bytes.
type Kernel func(in, out []byte, n int)

// A Summary says what was asked of a kernel that passed.
type Summary struct {
	Cast      string // the cast for people
	Codes     int    // codes that were asked alone
	Tolerated int    // those with a result that is tolerated, but not the recommended one
	Calls     int    // calls of the kernel
	Elements  int    // their elements
}

func (s Summary) String() string {
	tolerated := ""
	if s.Tolerated > 0 {
		tolerated = fmt.Sprintf(", %d of them tolerated", s.Tolerated)
	}
	return fmt.Sprintf("%s: passed; %d codes%s; %d elements in %d calls", s.Cast, s.Codes, tolerated, s.Elements, s.Calls)
}

// Failed says what is wrong with a kernel.
type Failed struct {
	Cast  string
	Lines []string // the first says how much is wrong, each other one what
}

func (f *Failed) Error() string {
	return f.Cast + ": " + strings.Join(f.Lines, "\n  ")
}

// Check fails a test if a kernel is wrong. The kernel casts from a dtype to another one, such as "float32"
// and "float8e4m3fn". Words are attributes and the specification, as reports write them: "saturate=0",
// "round_mode=up", "spec=onnx-cast-24". An attribute that is not there is not given; without spec the cast
// is that of the newest version of ONNX Cast. A cast that does not exist ends the test.
func Check(t testing.TB, from, to string, kernel Kernel, words ...string) {
	t.Helper()
	summary, err := Verify(from, to, kernel, words...)
	if failed, is := err.(*Failed); is {
		t.Error(failed)
	} else if err != nil {
		t.Fatal("castproof: " + err.Error())
	} else {
		t.Log(summary)
	}
}

// Verify does what Check does outside of a test. It asks the kernel for codes alone: every code of sources
// up to 16 bits; of wider ones the ends of every piece, ties, their neighbours, and drawn codes. Then it
// asks for the same codes in slices of many lengths that begin at many addresses. The error is a *Failed
// if the kernel is wrong, and another one if the cast cannot be asked. What the kernel panics with comes
// out.
func Verify(from, to string, kernel Kernel, words ...string) (Summary, error) {
	if kernel == nil {
		return Summary{}, fmt.Errorf("the kernel is nil")
	}
	asked, err := requested(from, to, words)
	if err != nil {
		return Summary{}, err
	}
	run := run{cast: asked, kernel: kernel, answers: map[uint64]answer{}, usual: map[uint64]uint64{}}
	if err := run.alone(); err != nil {
		return run.summary, err
	}
	return run.summary, run.slices()
}
