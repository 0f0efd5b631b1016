package castproof

import "fmt"

// The counts of slices by which places are told apart. With the last ones, the tail of 64 is told from that of 128.
var placeCounts = func() (counts []int) {
	for count := 1; count <= 38; count++ {
		counts = append(counts, count)
	}
	return append(counts, 61, 64, 67, 127, 128, 131)
}()

// Wrong codes that are asked at every place.
const placeCodes = 5

// Which elements of a slice are wrong.
type marks []bool

// Is an element wrong exactly where this says so of its index?
func (m marks) are(wrong func(index int) bool) bool {
	for index, is := range m {
		if is != wrong(index) {
			return false
		}
	}
	return true
}

// Says where codes are wrong that are wrong alone: a single element is the tail of a vector loop. With a vector of 8
// elements and a count of 19, a wrong tail is elements 16 to 18. Nothing is said if they are wrong everywhere.
func (r *run) place(wrong []uint64) (string, error) {
	var slices []marks
	// The first of the wrong codes, the last, and some between them.
	for at := 0; at < len(wrong); at += (len(wrong) + placeCodes - 1) / placeCodes {
		for _, count := range placeCounts {
			if !r.limits.take(count) {
				continue
			}
			out, fault := r.filled(repeated(nil, wrong[at], count), [2]int{})
			if fault == unwritten && count == r.limits.step() {
				return unwritten, nil
			}
			if fault != "" {
				continue
			}
			marked := make(marks, count)
			for index, got := range unpack(out, count, r.cast.to.Bits) {
				_, problem, err := r.judge(wrong[at], got)
				if err != nil {
					return "", err
				}
				marked[index] = problem != ""
			}
			slices = append(slices, marked)
		}
	}
	return placeOf(slices), nil
}

// Names the place that explains every element of every slice.
func placeOf(slices []marks) string {
	are := func(wrong func(count, index int) bool) bool {
		for _, slice := range slices {
			if !slice.are(func(index int) bool { return wrong(len(slice), index) }) {
				return false
			}
		}
		return true
	}
	if are(func(count, index int) bool { return true }) {
		return ""
	}
	for vector := 2; vector <= 128; vector *= 2 {
		if are(func(count, index int) bool { return index >= count/vector*vector }) {
			return fmt.Sprintf(" in the tail of %d, and right before it", vector)
		}
	}
	longest := 0
	for _, slice := range slices {
		if slice[0] {
			longest = max(longest, len(slice))
		}
	}
	switch {
	case !are(func(count, index int) bool { return count <= longest }):
		return " at some places of slices, and right at others"
	case longest == 1:
		return " alone, and right in slices"
	}
	return fmt.Sprintf(" in slices of up to %d elements, and right in longer ones", longest)
}
