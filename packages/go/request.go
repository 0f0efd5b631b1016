package castproof

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/book.bin
var packed []byte

//go:embed data/dtypes.json
var dtypesFile []byte

//go:embed data/rules.json
var rulesFile []byte

// A dtype, as dtypes.json describes it.
type dtype struct {
	Name       string
	Bits       uint64
	Kind       string
	Signed     bool
	Valid, NaN [][2]string
	Infinities []string
	Largest    struct{ Code string }
	Smallest   struct{ Code string }
	Float      struct {
		ExponentBits, SignificandBits uint64
		Bias                          int
	}
}

// The attributes of a cast.
type attributes struct {
	Saturate  *int
	RoundMode string
}

// A cast with its answers. Pieces are ascending; each but the last ends before the next.
type cast struct {
	name     string
	from, to dtype
	spec     string
	given    attributes
	pieces   []object
	firsts   []uint64
	rule     string // the rule of all pieces, if there is one
}

type tables struct {
	Dtypes   []dtype
	Versions []struct{ Spec string }
	book     *book
}

var read struct {
	once   sync.Once
	tables tables
	err    error
}

// Returns a rule for people: its id, and what it states.
var ruleText = func() func(id string) string {
	var once sync.Once
	statements := map[string]string{}
	return func(id string) string {
		once.Do(func() {
			var file struct {
				Rules []struct{ ID, Statement string }
			}
			// Without statements the ids are left.
			_ = json.Unmarshal(rulesFile, &file)
			for _, rule := range file.Rules {
				statements[rule.ID] = rule.Statement
			}
		})
		if statement := statements[id]; statement != "" {
			return id + ": " + statement
		}
		return id
	}
}()

// Returns the tables that are inside.
func inside() (*tables, error) {
	read.once.Do(func() {
		if read.err = json.Unmarshal(dtypesFile, &read.tables); read.err == nil {
			read.tables.book, read.err = open(packed)
		}
	})
	return &read.tables, read.err
}

// Returns the cast that words name.
func requested(from, to string, words []string) (*cast, error) {
	tables, err := inside()
	if err != nil {
		return nil, fmt.Errorf("the tables inside cannot be read: %w", err)
	}
	source, err := tables.dtype(from)
	if err != nil {
		return nil, err
	}
	target, err := tables.dtype(to)
	if err != nil {
		return nil, err
	}
	spec, given, err := tables.words(words)
	if err != nil {
		return nil, err
	}
	return tables.cast(source, target, spec, given)
}

// Returns the same cast from another dtype.
func (c *cast) readAs(from string) (*cast, error) {
	tables, err := inside()
	if err != nil {
		return nil, err
	}
	source, err := tables.dtype(from)
	if err != nil {
		return nil, err
	}
	return tables.cast(source, c.to, c.spec, c.given)
}

func (t *tables) cast(source, target dtype, spec string, given attributes) (*cast, error) {
	asked := &cast{from: source, to: target, spec: spec, given: given}
	from, to := source.Name, target.Name
	asked.name = strings.Join(append([]string{written(spec), from, "->", to}, given.words()...), " ")
	answer, rule, err := t.book.row(from, to, spec, given.text())
	if err == nil && answer < 0 {
		err = fmt.Errorf("there is no such cast")
	}
	if err == nil {
		asked.pieces, err = t.book.pieces(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", asked.name, err)
	}
	if err = asked.take(rule); err != nil {
		return nil, err
	}
	return asked, nil
}

// Returns a specification as reports write it: Cast(19).
func written(spec string) string {
	for prefix, name := range map[string]string{"onnx-cast-": "Cast", "onnx-castlike-": "CastLike"} {
		if version := strings.TrimPrefix(spec, prefix); version != spec {
			return name + "(" + version + ")"
		}
	}
	return spec
}

func (t *tables) dtype(name string) (dtype, error) {
	var known []string
	for _, one := range t.Dtypes {
		if one.Name == name {
			return one, nil
		}
		known = append(known, one.Name)
	}
	return dtype{}, fmt.Errorf("unknown dtype '%s'; known are %s", name, strings.Join(known, ", "))
}

// Returns the specification and the attributes that words name.
func (t *tables) words(words []string) (spec string, given attributes, err error) {
	for _, version := range t.Versions {
		if strings.HasPrefix(version.Spec, "onnx-cast-") {
			spec = version.Spec // the newest is the last
		}
	}
	modes, specs := map[string]bool{}, map[string]bool{}
	for _, set := range t.book.attributes {
		for _, word := range strings.Fields(set) {
			if mode := strings.TrimPrefix(word, "round_mode="); mode != word {
				modes[mode] = true
			}
		}
	}
	for _, spec := range t.book.specs {
		specs[spec] = true
	}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case name == "saturate" && (value == "0" || value == "1"):
			flag := int(value[0] - '0')
			given.Saturate = &flag
		case name == "saturate":
			return "", given, fmt.Errorf("saturate is %s; it must be 0 or 1", value)
		case name == "round_mode" && modes[value]:
			given.RoundMode = value
		case name == "round_mode":
			return "", given, fmt.Errorf("unknown round_mode '%s'; known are %s", value, listed(modes))
		case name == "spec" && specs[value]:
			spec = value
		case name == "spec":
			return "", given, fmt.Errorf("unknown spec '%s'; known are %s", value, listed(specs))
		default:
			return "", given, fmt.Errorf("unknown word '%s'; known are saturate=0, saturate=1, round_mode=MODE, spec=NAME", word)
		}
	}
	return spec, given, nil
}

func (a attributes) words() (words []string) {
	if a.Saturate != nil {
		words = append(words, fmt.Sprintf("saturate=%d", *a.Saturate))
	}
	if a.RoundMode != "" {
		words = append(words, "round_mode="+a.RoundMode)
	}
	return words
}

func (a attributes) text() string { return strings.Join(a.words(), " ") }

// Takes the rule of all pieces. A cast that is refused is an error.
func (c *cast) take(rule json.RawMessage) error {
	c.rule = string(rule)
	for _, piece := range c.pieces {
		c.firsts = append(c.firsts, piece.number("first"))
	}
	answer, err := c.answer(c.firsts[0])
	if err == nil && answer.Expect.Reject {
		err = fmt.Errorf("%s is refused [%s]", c.name, answer.Clause)
	}
	return err
}

// Returns the place of the piece that has a code.
func (c *cast) place(code uint64) int {
	return sort.Search(len(c.firsts), func(at int) bool { return c.firsts[at] > code }) - 1
}

// What is expected of a code, or tolerated, as vector files write it.
type outcome struct {
	Code                          *string
	OneOf                         []string
	AnyNaN, QuietNaN, Any, Reject bool
}

type answer struct {
	Expect   outcome
	Tolerate *outcome
	Clause   string
}

func (c *cast) answer(code uint64) (is answer, err error) {
	line := c.pieces[c.place(code)].line(code, c.rule, c.from.Bits, c.to.Bits)
	err = json.Unmarshal([]byte(line), &is)
	return is, err
}

// Does the outcome admit this code of a dtype?
func (o outcome) admits(got uint64, to dtype) bool {
	switch {
	case o.Any:
		return within(to.Valid, got)
	case o.AnyNaN:
		return within(to.NaN, got)
	case o.QuietNaN:
		return within(to.NaN, got) && got>>(to.Float.SignificandBits-1)&1 == 1
	case o.Code != nil:
		return number(*o.Code) == got
	}
	for _, code := range o.OneOf {
		if number(code) == got {
			return true
		}
	}
	return false
}

// The outcome for people, with the numbers of codes of a dtype.
func (o outcome) text(to dtype) string {
	switch {
	case o.Any:
		return "any value"
	case o.AnyNaN:
		return "any NaN"
	case o.QuietNaN:
		return "any quiet NaN"
	case o.Code != nil:
		return described(number(*o.Code), to)
	}
	var all []string
	for _, code := range o.OneOf {
		all = append(all, described(number(code), to))
	}
	return "one of " + strings.Join(all, ", ")
}

func within(ranges [][2]string, code uint64) bool {
	for _, ends := range ranges {
		if number(ends[0]) <= code && code <= number(ends[1]) {
			return true
		}
	}
	return false
}

func number(hex string) (value uint64) {
	value, _ = strconv.ParseUint(hex, 0, 64)
	return value
}

func contains(all []string, one string) bool {
	for _, it := range all {
		if it == one {
			return true
		}
	}
	return false
}

func listed(names map[string]bool) string {
	var all []string
	for name := range names {
		all = append(all, name)
	}
	sort.Strings(all)
	return strings.Join(all, ", ")
}
