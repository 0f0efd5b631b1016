// Reads the book in its binary form, which docs/formats.md of the repository describes: the head at first,
// then only the rows and the answer of the cast that is asked for.
package castproof

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

const firstLine = "castproof-book-binary/2\n"

// The first number of an entry for any quiet NaN, behind those with flags.
const quietNaN = 16

var errDamaged = errors.New("the book is damaged: a checksum is wrong; get the module anew")

// A part of the book: its bytes from start to end.
type part struct{ start, end int }

// The head of the book.
type book struct {
	data               []byte
	dtypes, specs      []string
	attributes, rules  []string
	specSets, wordSets [][]int
	ruleSets, kinds    [][]int
	pairs              [][]int
	rows, answers      []part
	columns            [4][]part // firsts, formulas, tolerated, rules
}

// Bytes that are read from front to back. After the end they read as 0, and short is set.
type cursor struct {
	data  []byte
	short bool
}

func (c *cursor) take(count uint64) []byte {
	if c.short = c.short || count > uint64(len(c.data)); c.short {
		return nil
	}
	taken := c.data[:count]
	c.data = c.data[count:]
	return taken
}

func (c *cursor) number() uint64 {
	value, length := binary.Uvarint(c.data)
	if length <= 0 {
		c.short = true
		return 0
	}
	c.data = c.data[length:]
	return value
}

func (c *cursor) difference() uint64 {
	number := c.number()
	return number>>1 ^ -(number & 1)
}

func (c *cursor) text() string { return string(c.take(c.number())) }

// Reads a list by reading its entries.
func (c *cursor) list(entry func()) {
	for count := c.number(); count > 0 && !c.short; count-- {
		entry()
	}
}

func (c *cursor) texts() (all []string) {
	c.list(func() { all = append(all, c.text()) })
	return all
}

// Reads a number that counts or indexes something.
func (c *cursor) index() int {
	number := c.number()
	if number > 1<<31 {
		c.short = true
		return 0
	}
	return int(number)
}

func (c *cursor) indices(count int) (all []int) {
	for len(all) < count && !c.short {
		all = append(all, c.index())
	}
	return all
}

// Reads a list of lists of indices, or of as many indices each as count says.
func (c *cursor) sets(count int) (all [][]int) {
	c.list(func() { all = append(all, c.indices(pick(count > 0, func() int { return count }, c.index)())) })
	return all
}

// Is the checksum at the end of a part right? It also covers the bytes beside. Returns the part without it.
func checked(data []byte, beside ...[]byte) ([]byte, error) {
	if len(data) < 4 {
		return nil, errDamaged
	}
	body := data[:len(data)-4]
	sum := crc32.ChecksumIEEE(body)
	for _, more := range beside {
		sum = crc32.Update(sum, crc32.IEEETable, more)
	}
	if sum != binary.LittleEndian.Uint32(data[len(data)-4:]) {
		return nil, errDamaged
	}
	return body, nil
}

// Reads the head.
func open(data []byte) (*book, error) {
	if !strings.HasPrefix(string(data[:pick(len(data) < len(firstLine), 0, len(firstLine))]), firstLine) {
		return nil, fmt.Errorf("the book does not begin with %s", strings.TrimSpace(firstLine))
	}
	all := &cursor{data: data[len(firstLine):]}
	packed := all.take(all.number() + 4)
	head, err := checked(packed)
	if err != nil {
		return nil, err
	}
	b, c := &book{data: data}, &cursor{data: head}
	c.list(func() {
		b.dtypes = append(b.dtypes, c.text())
		c.number()
	})
	b.specs, b.attributes, b.rules = c.texts(), c.texts(), c.texts()
	b.specSets, b.wordSets, b.ruleSets, b.kinds, b.pairs = c.sets(0), c.sets(0), c.sets(3), c.sets(3), c.sets(3)
	end := len(data) - len(all.data)
	place := func(length int) part {
		end += length
		return part{end - length, end}
	}
	for _, pair := range b.pairs {
		b.rows = append(b.rows, place(pair[2]))
	}
	for kind := range b.columns {
		c.list(func() { b.columns[kind] = append(b.columns[kind], place(c.index())) })
	}
	c.list(func() { b.answers = append(b.answers, place(c.index())) })
	if c.short || len(c.data) > 0 || end+4 != len(data) {
		return nil, errors.New("the head of the book contradicts the rest; get the module anew")
	}
	return b, nil
}

func (b *book) bytes(of part) []byte { return b.data[of.start:of.end] }

// Returns the answer of a cast, and the rule that replaces those of its pieces, as JSON; -1 if there is no
// such cast.
func (b *book) row(from, to, spec, given string) (answer int, rule json.RawMessage, err error) {
	for at, pair := range b.pairs {
		if b.dtypes[pair[0]] != from || b.dtypes[pair[1]] != to {
			continue
		}
		rows, err := checked(b.bytes(b.rows[at]))
		for c := (&cursor{data: rows}); err == nil && len(c.data) > 0 && !c.short; {
			kind := b.kinds[c.index()]
			answer += int(c.difference())
			if b.names(b.specs, b.specSets[kind[0]], spec) && b.names(b.attributes, b.wordSets[kind[1]], given) {
				if kind[2] > 0 {
					rule = quoted(b.rules[kind[2]-1])
				}
				return answer, rule, nil
			}
		}
		return -1, nil, err
	}
	return -1, nil, nil
}

// Is a name in a set?
func (b *book) names(all []string, set []int, name string) bool {
	for _, which := range set {
		if all[which] == name {
			return true
		}
	}
	return false
}

func quoted(text string) json.RawMessage { return json.RawMessage(`"` + text + `"`) }

// Returns the pieces of an answer, each in one level.
func (b *book) pieces(answer int) ([]object, error) {
	if answer < 0 || answer >= len(b.answers) {
		return nil, fmt.Errorf("the book has no answer %d; get the module anew", answer)
	}
	data := b.bytes(b.answers[answer])
	record := &cursor{data: data}
	from, to := record.number(), record.number()
	var columns [4][]byte
	for kind := range columns {
		which := record.index()
		if record.short || which >= len(b.columns[kind]) {
			return nil, errDamaged
		}
		columns[kind] = b.bytes(b.columns[kind][which])
	}
	if _, err := checked(data, columns[:]...); err != nil {
		return nil, err
	}
	hex := func(code, bits uint64) string { return fmt.Sprintf(`"0x%0*x"`, (bits+3)/4, code) }
	first, pieces := uint64(0), []object{{"first": json.RawMessage(hex(0, from))}}
	entries(columns[0], func(distance uint64, _ *cursor) func() {
		return func() {
			first += distance
			pieces = append(pieces, object{"first": json.RawMessage(hex(first, from))})
		}
	})
	at := [4]int{}
	next := func(column int) object {
		at[column]++
		return pieces[at[column]-1]
	}
	entries(columns[1], formulas(func() object { return next(1) }, func(code uint64) string { return hex(code, from) },
		func(code uint64) string { return hex(code, to) }))
	entries(columns[2], tolerated(func() object { return next(2) }, func(code uint64) string { return hex(code, to) }))
	entries(columns[3], func(first uint64, _ *cursor) func() {
		set := b.ruleSets[first-1]
		return func() {
			piece := next(3)
			piece["rule"] = quoted(b.rules[set[0]])
			for at, name := range []string{"ruleInexact", "ruleTwice"} {
				if rule := set[at+1]; rule > 0 {
					piece[name] = quoted(b.rules[rule-1])
				}
			}
		}
	})
	if at[1] != len(pieces) || at[2] != len(pieces) || at[3] != len(pieces) {
		return nil, fmt.Errorf("the columns of answer %d have different lengths", answer)
	}
	return pieces, nil
}

// Reads the entries of a column. What read makes of the first number of an entry and of what follows it is
// done for each piece that the entry stands for.
func entries(column []byte, read func(first uint64, c *cursor) func()) {
	var entry func()
	for c := (&cursor{data: column}); len(c.data) > 0 && !c.short; {
		first, times := c.number(), uint64(1)
		if first > 0 {
			entry = read(first, c)
		} else {
			times = c.number()
		}
		for ; times > 0; times-- {
			entry()
		}
	}
}

// Reads entries that are outcomes. Each is put into the next piece by a name.
func outcomes(name string, next func() object, hex func(uint64) string) func(uint64, *cursor) func() {
	last := uint64(0)
	return func(first uint64, c *cursor) func() {
		var text string
		switch first {
		case 1:
			difference := c.difference()
			return func() {
				last += difference
				next()[name] = json.RawMessage(`{"code":` + hex(last) + `}`)
			}
		case 2:
			code, codes := uint64(0), []string{}
			c.list(func() {
				code += c.difference()
				codes = append(codes, hex(code))
			})
			text = `{"oneOf":[` + strings.Join(codes, ",") + `]}`
		default:
			text = `{"` + map[uint64]string{3: "anyNaN", 4: "any", 5: "reject", quietNaN: "quietNaN"}[first] + `":true}`
		}
		return func() { next()[name] = json.RawMessage(text) }
	}
}

// Sets the members whose bits are set in flags.
func mark(piece object, flags uint64, names ...string) {
	for bit, name := range names {
		if flags>>bit&1 == 1 {
			piece[name] = json.RawMessage("true")
		}
	}
}

func formulas(next func() object, source, target func(uint64) string) func(uint64, *cursor) func() {
	outcome := outcomes("expect", next, target)
	origin, base := uint64(0), uint64(0)
	return func(first uint64, c *cursor) func() {
		if first < 8 || first == quietNaN {
			return outcome(first, c)
		}
		bits, further, higher := int64(c.difference()), c.difference(), c.difference()
		return func() {
			origin, base = origin+further, base+higher
			piece := next()
			piece["origin"], piece["base"] = json.RawMessage(source(origin)), json.RawMessage(target(base))
			piece["bits"] = json.RawMessage(fmt.Sprint(bits))
			mark(piece, first-8, "descending", "nearest", "subtract")
		}
	}
}

func tolerated(next func() object, target func(uint64) string) func(uint64, *cursor) func() {
	outcome := outcomes("tolerate", next, target)
	return func(first uint64, c *cursor) func() {
		switch {
		case first < 6 || first == quietNaN:
			return outcome(first, c)
		case first == 6:
			return func() { next() }
		case first == 7:
			return func() { next()["expectInexact"] = json.RawMessage(`{"any":true}`) }
		}
		twice := c.number()
		return func() {
			piece := next()
			mark(piece, first-8, "truncated", "tie", "flushed")
			if twice > 0 {
				piece["twice"] = json.RawMessage(fmt.Sprint(twice))
			}
		}
	}
}
