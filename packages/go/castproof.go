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

// Limits say which slices a kernel takes. The zero value takes all.
type Limits struct {
	Elements   int  // the most elements; 0: any number
	MultipleOf int  // the number of elements is a multiple of this; 0: any number
	NoEmpty    bool // it is given no slice without elements
}

func (l Limits) String() string {
	var all []string
	if l.Elements > 0 {
		all = append(all, fmt.Sprintf("at most %d element%s", l.Elements, pick(l.Elements == 1, "", "s")))
	}
	if l.MultipleOf > 0 {
		all = append(all, fmt.Sprintf("multiples of %d", l.MultipleOf))
	}
	if l.NoEmpty {
		all = append(all, "no empty slice")
	}
	return strings.Join(all, ", ")
}

func (l Limits) step() int { return max(l.MultipleOf, 1) }

func (l Limits) take(count int) bool {
	return count%l.step() == 0 && (l.Elements == 0 || count <= l.Elements) && (count > 0 || !l.NoEmpty)
}

// A Summary says what was asked of a kernel, and whether it passed.
type Summary struct {
	Cast      string // the cast for people
	Codes     int    // codes that were asked alone
	Tolerated int    // those with a result that is tolerated, but not the recommended one
	Calls     int    // calls of the kernel
	Elements  int    // their elements
	Passed    bool   // whether nothing is wrong
	Limits    Limits // of the kernel: nothing is known of other slices
}

func (s Summary) String() string {
	tolerated := ""
	if s.Tolerated > 0 {
		tolerated = fmt.Sprintf(", %d of them tolerated", s.Tolerated)
	}
	verdict := pick(s.Passed, "passed", "failed")
	limits := ""
	if s.Limits != (Limits{}) {
		limits = "; limits of the kernel: " + s.Limits.String()
	}
	return fmt.Sprintf("%s: %s; %d codes%s; %d elements in %d calls%s", s.Cast, verdict, s.Codes, tolerated, s.Elements, s.Calls, limits)
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
	return VerifyWithin(Limits{}, from, to, kernel, words...)
}

// VerifyWithin does what Verify does with a kernel that takes some slices only. Others are not asked; a code is asked
// alone in as many copies as the kernel needs.
func VerifyWithin(limits Limits, from, to string, kernel Kernel, words ...string) (Summary, error) {
	if kernel == nil {
		return Summary{}, fmt.Errorf("the kernel is nil")
	}
	if limits.Elements < 0 || limits.MultipleOf < 0 || limits.Elements > 0 && limits.Elements < limits.MultipleOf {
		return Summary{}, fmt.Errorf("no slice keeps the limits: %s", limits)
	}
	asked, err := requested(from, to, words)
	if err != nil {
		return Summary{}, err
	}
	run := run{cast: asked, limits: limits, kernel: kernel, answers: map[uint64]answer{}, usual: map[uint64]uint64{}}
	err = run.alone()
	if err == nil {
		err = run.slices()
	}
	run.summary.Passed, run.summary.Limits = err == nil, limits
	return run.summary, err
}
