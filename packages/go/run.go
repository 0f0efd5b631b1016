package castproof

import (
	"bytes"
	"fmt"
	"math/rand"
	"sort"
	"unsafe"
)

const (
	line    = 64      // addresses are distinguished modulo this many bytes
	near    = 128     // bytes on each side of a buffer that hold a pattern
	beside  = 0x3c    // the pattern
	shown   = 10      // wrong codes or slices that a message shows
	counts  = 1100    // every slice up to this length is asked
	longest = 1 << 16 // and some up to one element more than this
)

// What is said of an element that a kernel does not write.
const unwritten = "left unwritten"

// The bytes that fill an output before a call. What keeps both was not written.
var fills = [2]byte{0xa5, 0x5a}

// A kernel that is being asked.
type run struct {
	cast    *cast
	limits  Limits
	kernel  Kernel
	summary Summary
	answers map[uint64]answer
	usual   map[uint64]uint64 // what each code gives alone
}

// Returns the answer to a code, and what is wrong with a result.
func (r *run) judge(code, got uint64) (is answer, wrong string, err error) {
	is, known := r.answers[code]
	if !known {
		if is, err = r.cast.answer(code); err != nil {
			return is, "", err
		}
		r.answers[code] = is
	}
	if !is.Expect.admits(got, r.cast.to) && (is.Tolerate == nil || !is.Tolerate.admits(got, r.cast.to)) {
		wrong = fmt.Sprintf("%s gave %s, expected %s  [%s]", described(code, r.cast.from), described(got, r.cast.to), is.Expect.text(r.cast.to), ruleText(is.Clause))
	}
	return is, wrong, nil
}

func hex(code uint64, of dtype) string { return fmt.Sprintf("0x%0*x", (of.Bits+3)/4, code) }

// Asks for each code alone.
func (r *run) alone() error {
	r.summary.Cast = r.cast.name
	codes := r.cast.codes()
	var found []string
	var wrong []uint64
	all := make([]seen, 0, len(codes))
	for _, code := range codes {
		out, _ := r.call(repeated(nil, code, r.limits.step()), [2]int{}, 0)
		got := unpack(out, 1, r.cast.to.Bits)[0]
		r.usual[code] = got
		answer, problem, err := r.judge(code, got)
		if err != nil {
			return err
		}
		all = append(all, seen{code, got, answer, problem != ""})
		if problem != "" {
			wrong = append(wrong, code)
			found = append(found, problem)[:least(len(wrong), shown)]
		} else if !answer.Expect.admits(got, r.cast.to) {
			r.summary.Tolerated++
		}
	}
	r.summary.Codes = len(codes)
	if len(wrong) == 0 {
		return nil
	}
	if len(wrong) > shown {
		found = append(found, fmt.Sprintf("and %d more", len(wrong)-shown))
	}
	place, err := r.place(wrong)
	if err != nil {
		return err
	}
	first := fmt.Sprintf("%d of %d codes are wrong%s: ", len(wrong), len(codes), place)
	if place == unwritten {
		// What stands in an element that was not written says nothing about the arithmetic.
		first = fmt.Sprintf("%d of %d codes are wrong: %s", len(wrong), len(codes), unwritten)
	} else {
		first += r.cast.cause(all)
	}
	return &Failed{r.cast.name, append([]string{first}, found...)}
}

// Asks for codes in slices.
func (r *run) slices() error {
	codes := make([]uint64, 0, len(r.usual))
	for code := range r.usual {
		codes = append(codes, code)
	}
	sort.Slice(codes, func(i, j int) bool { return codes[i] < codes[j] })
	special, ordinary := r.cast.chosen(codes)
	random := rand.New(rand.NewSource(2))
	var found []string
	faults, asked := 0, 0
	ask := func(codes []uint64, places [2]int) error {
		asked++
		problem, err := r.slice(codes, places)
		if problem != "" {
			faults++
			found = append(found, problem)[:least(faults, shown/2)]
		}
		return err
	}
	for _, count := range lengths(random) {
		if !r.limits.take(count) {
			continue
		}
		both := arranged(count, special, ordinary, random)
		// A long slice takes as long as all short ones with as many codes.
		for _, codes := range both[:pick(count > counts, 1, 2)] {
			if err := ask(codes, [2]int{random.Intn(line), random.Intn(line)}); err != nil {
				return err
			}
		}
	}
	part, step := 4*1024+61, r.limits.step()
	if r.limits.Elements > 0 {
		part = least(part, r.limits.Elements)
	}
	for part = max(part-part%step, step); len(codes) > 0; codes = codes[least(part, len(codes)):] {
		some := append([]uint64{}, codes[:least(part, len(codes))]...)
		if err := ask(repeated(some, some[0], (step-len(some)%step)%step), [2]int{}); err != nil {
			return err
		}
	}
	if faults == 0 {
		return nil
	}
	return &Failed{r.cast.name, append([]string{fmt.Sprintf("right alone; %d of %d slices are wrong", faults, asked)}, found...)}
}

// Returns codes with so many copies of one more behind them.
func repeated(codes []uint64, code uint64, count int) []uint64 {
	for ; count > 0; count-- {
		codes = append(codes, code)
	}
	return codes
}

// Returns every count up to some, and some around powers of two, in ascending order.
func lengths(random *rand.Rand) (all []int) {
	for count := 0; count <= counts; count++ {
		all = append(all, count)
	}
	for power := 2048; power <= longest; power *= 2 {
		all = append(all, power-1, power, power+1, power+random.Intn(power/2))
	}
	return all
}

// Returns slices of a length: all codes in turn, and one special code among ordinary ones.
func arranged(count int, special, ordinary []uint64, random *rand.Rand) (both [2][]uint64) {
	all := append(append([]uint64{}, special...), ordinary...)
	first := random.Intn(len(all))
	for i := 0; i < count; i++ {
		both[0] = append(both[0], all[(first+i)%len(all)])
		both[1] = append(both[1], all[len(all)-1-(first+i)%max(len(ordinary), 1)])
	}
	if count > 0 && len(special) > 0 {
		both[1][random.Intn(count)] = special[random.Intn(len(special))]
	}
	return both
}

// Asks for a slice of codes that were asked alone. Returns what is wrong first.
func (r *run) slice(codes []uint64, places [2]int) (string, error) {
	count := len(codes)
	out, fault := r.filled(codes, places)
	if used := uint64(count) * r.cast.to.Bits % 8; fault == "" && used != 0 && out[len(out)-1]>>used != 0 {
		fault = "unused bits of the output are not zero"
	}
	if fault != "" {
		return fmt.Sprintf("%s, in a slice of %d elements%s", fault, count, r.whereabouts(places)), nil
	}
	for i, got := range unpack(out, count, r.cast.to.Bits) {
		if r.usual[codes[i]] == got {
			continue
		}
		_, wrong, err := r.judge(codes[i], got)
		if wrong != "" || err != nil {
			return fmt.Sprintf("element %d of %d%s: %s", i, count, r.whereabouts(places), wrong), err
		}
	}
	return "", nil
}

// Calls the kernel with one fill, and with another one if an element may have been left unwritten.
func (r *run) filled(codes []uint64, places [2]int) (out []byte, fault string) {
	out, fault = r.call(codes, places, fills[0])
	if fault == "" && bytes.IndexByte(out, fills[0]) >= 0 {
		again, _ := r.call(codes, places, fills[1])
		for i := range out {
			if out[i] == fills[0] && again[i] == fills[1] {
				fault = unwritten
			}
		}
	}
	return out, fault
}

func (r *run) whereabouts(places [2]int) string {
	places = r.steps(places)
	return fmt.Sprintf(", at addresses %d and %d beyond multiples of %d", places[0], places[1], line)
}

// Rounds places down to whole elements.
func (r *run) steps(places [2]int) [2]int {
	for i, bits := range [2]uint64{r.cast.from.Bits, r.cast.to.Bits} {
		places[i] -= places[i] % max(int(bits/8), 1)
	}
	return places
}

// Calls the kernel in buffers that begin at these places after a multiple of a line. Returns the output,
// and what the kernel did beside it.
func (r *run) call(codes []uint64, places [2]int, fill byte) (out []byte, fault string) {
	places = r.steps(places)
	r.summary.Calls++
	r.summary.Elements += len(codes)
	given := pack(codes, r.cast.from.Bits)
	in, besideIn := room(len(given), places[0], 0)
	out, besideOut := room((len(codes)*int(r.cast.to.Bits)+7)/8, places[1], fill)
	copy(in, given)
	r.kernel(in, out, len(codes))
	switch {
	case besideOut() || besideIn():
		fault = "written outside"
	case !bytes.Equal(in, given):
		fault = "written over the input"
	}
	return out, fault
}

// Returns a buffer that begins at a place after a multiple of a line, and what says whether something was
// written beside it.
func room(length, place int, fill byte) ([]byte, func() bool) {
	all := bytes.Repeat([]byte{beside}, near+2*line+length+near)
	// Only the address is looked at.
	start := near + place
	start += int(-(uintptr(unsafe.Pointer(&all[0])) + near) % line)
	end := start + length
	buffer := all[start:end:end]
	for i := range buffer {
		buffer[i] = fill
	}
	return buffer, func() bool {
		isKept := func(part []byte) bool { return bytes.Count(part, []byte{beside}) == len(part) }
		return !isKept(all[:start]) || !isKept(all[end:])
	}
}

// The bits of an element that lie in one byte, and within which each element begins.
func step(bits uint64) uint64 { return pick[uint64](bits < 8, 2, 8) }

func pack(codes []uint64, bits uint64) []byte {
	packed := make([]byte, (uint64(len(codes))*bits+7)/8)
	at, step := uint64(0), step(bits)
	for _, code := range codes {
		for bit := uint64(0); bit < bits; bit += step {
			packed[at/8] |= byte(code>>bit&(1<<step-1)) << (at % 8)
			at += step
		}
	}
	return packed
}

func unpack(packed []byte, count int, bits uint64) []uint64 {
	codes := make([]uint64, count)
	at, step := uint64(0), step(bits)
	for i := range codes {
		for bit := uint64(0); bit < bits; bit += step {
			codes[i] |= uint64(packed[at/8]>>(at%8)) & (1<<step - 1) << bit
			at += step
		}
	}
	return codes
}

func least(a, b int) int { return pick(a < b, a, b) }

func max(a, b int) int { return pick(a > b, a, b) }
