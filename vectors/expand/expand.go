// Expands pieces of the book: what a code becomes, as a line of the form of vector files.
package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

type object map[string]json.RawMessage

func (o object) number(name string) (value uint64) {
	value, _ = strconv.ParseUint(strings.TrimPrefix(strings.Trim(string(o[name]), `"`), "-"), 0, 64)
	return pick(strings.HasPrefix(string(o[name]), "-"), -value, value)
}

func pick[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}

// Drops bits, to nearest; a tie goes to the even of base and what is left.
func rounded(value, bits, base uint64) uint64 {
	count, dropped, half := value>>bits, value&(1<<bits-1), uint64(1)<<bits>>1
	return count + pick[uint64](dropped > half || dropped == half && (base+count)&1 == 1, 1, 0)
}

// The results of other ways of dropping bits.
func (p object) tolerated(d, drop, cut, twice uint64, result func(uint64) uint64) []uint64 {
	codes := []uint64{result(twice)}
	if p["truncated"] != nil {
		codes = append(codes, result(cut))
	}
	if p["tie"] != nil && drop > 0 && d&(1<<drop-1) == 1<<(drop-1) {
		codes = append(codes, result(cut), result(cut+1))
	}
	return codes
}

// The line of a code: what is expected, what is tolerated, the rule.
func (p object) line(code uint64, whole string, from, to uint64) string {
	base, origin, bits, mask := p.number("base"), p.number("origin"), p.number("bits"), ^uint64(0)
	d := pick(p["descending"] != nil, origin-code, code-origin) & (mask >> (64 - from))
	drop := pick(bits < 64, bits, 0)
	cut := d >> drop << (drop - bits)
	count := pick(p["nearest"] != nil, rounded(d, drop, base), cut)
	first := p.number("twice")
	twice := pick(first > 0, rounded(rounded(d, first, 0), drop-first, base), count)
	inexact := d&(1<<drop-1) != 0
	rule := pick(inexact && p["ruleInexact"] != nil, p["ruleInexact"], p["rule"])
	rule = pick(twice != count && p["ruleTwice"] != nil, p["ruleTwice"], rule)
	result := func(count uint64) uint64 {
		return (base + pick(p["subtract"] != nil, -count, count)) & (mask >> (64 - to))
	}
	hex := func(code uint64) string { return fmt.Sprintf(`"0x%0*x"`, (to+3)/4, code) }
	expected, tolerated := result(count), p.tolerated(d, drop, cut, twice, result)
	if p["flushed"] != nil {
		tolerated = append(tolerated, expected&(1<<(to-1)))
	}
	sort.Slice(tolerated, func(i, j int) bool { return tolerated[i] < tolerated[j] })
	codes := []string{}
	for i, code := range tolerated {
		if code != expected && (i == 0 || code != tolerated[i-1]) {
			codes = append(codes, hex(code))
		}
	}
	expect, more := string(p["expect"]), string(p["tolerate"])
	more = pick(len(codes) == 1, `{"code":`+strings.Join(codes, "")+`}`, more)
	more = pick(len(codes) > 1, `{"oneOf":[`+strings.Join(codes, ",")+`]}`, more)
	expect = pick(expect == "", `{"code":`+hex(expected)+`}`, expect)
	expect = pick(inexact && p["expectInexact"] != nil, string(p["expectInexact"]), expect)
	more = pick(more == "", "", `,"tolerate":`+more)
	input, whole := fmt.Sprintf("0x%0*x", (from+3)/4, code), pick(whole == "", string(rule), whole)
	return fmt.Sprintf("{\"input\":\"%s\",\"expect\":%s%s,\"clause\":%s}\n", input, expect, more, whole)
}
