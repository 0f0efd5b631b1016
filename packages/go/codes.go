package castproof

import (
	"math/rand"
	"sort"
)

const (
	allCodes = 16      // sources of so many bits are asked for every code
	drawn    = 1 << 16 // codes that are drawn beside those of the pieces
	places   = 256     // places in each piece
	withBits = 8       // places of them near which ties with lower bits are asked
)

// Returns the codes that are asked alone, ascending.
func (c *cast) codes() (codes []uint64) {
	mask := ^uint64(0) >> (64 - c.from.Bits)
	if c.from.Bits <= allCodes {
		for code := uint64(0); code <= mask; code++ {
			codes = append(codes, code)
		}
	} else {
		random := rand.New(rand.NewSource(0))
		for i := 0; i < drawn; i++ {
			codes = append(codes, random.Uint64())
		}
		for at, piece := range c.pieces {
			last := mask
			if at+1 < len(c.firsts) {
				last = c.firsts[at+1] - 1
			}
			codes = append(codes, throughout(piece, c.firsts[at], last)...)
		}
	}
	return c.sorted(codes, mask)
}

// Returns valid codes, ascending, each once.
func (c *cast) sorted(codes []uint64, mask uint64) (sorted []uint64) {
	for i := range codes {
		codes[i] &= mask
	}
	sort.Slice(codes, func(i, j int) bool { return codes[i] < codes[j] })
	for i, code := range codes {
		if (i == 0 || code != codes[i-1]) && within(c.from.Valid, code) {
			sorted = append(sorted, code)
		}
	}
	return sorted
}

// Returns codes of a piece and beside it: its ends, the codes a power of two after its first one, and
// places throughout it; if bits are dropped, also the steps and ties near each place. Bits above the width
// of the source may be set.
func throughout(piece object, first, last uint64) []uint64 {
	codes := []uint64{first - 1, last, last + 1}
	for bit := 0; bit < 64; bit++ {
		codes = append(codes, first+1<<bit)
	}
	// The stride is a power of two, so that a place is at the start of every binade of the source.
	stride := uint64(1)
	for stride < (last-first)/places {
		stride *= 2
	}
	dropped := piece.number("bits")
	for number := uint64(0); number <= places; number++ {
		place := first&^(stride-1) + number*stride
		if place < first {
			place = first
		} else if place > last {
			place = last
		}
		codes = append(codes, place)
		if dropped == 0 || dropped >= 64 {
			continue
		}
		for _, code := range besides(piece, place, number%(places/withBits) == 0) {
			if first <= code && code <= last {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// Returns the ends of the steps near a code, the ties between them, and their neighbours; with bits also
// the ties with one lower bit set or cleared.
func besides(piece object, code uint64, bits bool) (codes []uint64) {
	origin, dropped, descending := piece.number("origin"), piece.number("bits"), piece["descending"] != nil
	unit := uint64(1) << dropped
	lower := pick(bits || dropped < 2, dropped-1, 1)
	middle := pick(descending, origin-code, code-origin) &^ (unit - 1)
	for _, step := range []uint64{middle - unit, middle, middle + unit} {
		tie := step + unit/2
		distances := []uint64{step - 1, step, step + 1, tie}
		for bit := uint64(0); bit < lower; bit++ {
			distances = append(distances, tie-1<<bit, tie+1<<bit)
		}
		for _, distance := range distances {
			codes = append(codes, pick(descending, origin-distance, origin+distance))
		}
	}
	return codes
}

// Is the code exactly between two results of its piece?
func (c *cast) isTie(code uint64) bool {
	piece := c.pieces[c.place(code)]
	bits, origin := piece.number("bits"), piece.number("origin")
	if bits == 0 || bits >= 64 || piece["nearest"] == nil {
		return false
	}
	distance := pick(piece["descending"] != nil, origin-code, code-origin)
	return distance&(1<<bits-1) == 1<<(bits-1)
}

// Returns the codes that are arranged: ends of pieces, ties, and ordinary ones, at most 61. The number is
// odd, so that a long slice of all in turn has each at every position modulo a power of two.
func (c *cast) chosen(codes []uint64) (special, ordinary []uint64) {
	random := rand.New(rand.NewSource(1))
	ends := map[uint64]bool{0: true}
	for _, first := range c.firsts {
		ends[first] = true
	}
	var ties int
	for _, at := range random.Perm(len(codes)) {
		code := codes[at]
		switch {
		case ends[code] && len(special)-ties < 20:
			special = append(special, code)
		case ties < 20 && c.isTie(code):
			special = append(special, code)
			ties++
		case len(ordinary) < 20:
			ordinary = append(ordinary, code)
		}
	}
	if (len(special)+len(ordinary))%2 == 0 {
		ordinary = append(ordinary, codes[0])
	}
	return special, ordinary
}
