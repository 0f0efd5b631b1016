package castproof

import (
	"math"
	"math/big"
	"sort"
	"strings"
)

// A code that was asked alone, and what came of it.
type seen struct {
	input, got uint64
	due        answer
	isWrong    bool
}

// A cast, with what wrong methods need to know of it.
type pair struct {
	*cast
	sibling *cast // from an integer of the same width with or without a sign
	float64 *cast // from float64
	// By the dtype that stands between both where a kernel casts twice: the cast to it, and the one from it.
	between map[string][2]*cast
}

// Says what is known of the wrong results: the methods that give all of them, and which inputs are wrong. A method is
// named only if it gives every wrong result of a number and contradicts no right one; those that cannot be told apart
// are all named. What becomes of NaN is said apart.
func (c *cast) cause(all []seen) string {
	var wrong []uint64
	isConstant, isNaN := len(all) > 1, false
	for _, it := range all {
		isConstant = isConstant && it.got == all[0].got
		if it.isWrong && within(c.from.NaN, it.input) {
			isNaN = true
		} else if it.isWrong {
			wrong = append(wrong, it.input)
		}
	}
	if isConstant {
		return "always the same result, " + c.to.decimal(all[0].got)
	}
	p := &pair{cast: c, between: map[string][2]*cast{}}
	p.sibling, _ = c.readAs(sibling(c.from.Name))
	p.float64, _ = c.readAs("float64")
	for _, name := range []string{"float32", "float16", "bfloat16", "float64"} {
		first, err := requested(c.from.Name, name, []string{"spec=" + c.spec})
		if second, _ := c.readAs(name); err == nil && second != nil && name != c.from.Name && name != c.to.Name {
			p.between[name] = [2]*cast{first, second}
		}
	}
	// Wrong results come first, because most methods give another one.
	sort.SliceStable(all, func(i, j int) bool { return all[i].isWrong && !all[j].isWrong })
	said, names := c.from.inputs(wrong), ""
	if len(wrong) > 0 {
		names = p.named(all)
	}
	if names != "" {
		said = names + ": " + said
	}
	if !isNaN {
		return said
	}
	nan := p.namedOfNaN(all)
	switch {
	case len(wrong) == 0:
		return pick(nan != "", nan, "NaN")
	case nan != "":
		return said + "; " + nan
	}
	return said + pick(names != "", "; NaN is wrong too", ", and NaN")
}

// Returns the names of the methods that give every wrong result of a number and contradict no right one.
func (p *pair) named(all []seen) string {
	var names []string
	for _, method := range pick(p.to.Kind == "bool", truthMethods, numberMethods) {
		holds := true
		for at := 0; at < len(all) && holds; at++ {
			it := all[at]
			switch {
			case within(p.from.NaN, it.input):
			case it.due.Expect.Code == nil: // No method says what it gives where several results are right.
				holds = !it.isWrong
			default:
				due := number(*it.due.Expect.Code)
				given, is := method.gives(p, it.input, due)
				given = pick(is, given, due)
				holds = it.got == given || !it.isWrong && given == due
			}
		}
		if holds {
			names = append(names, method.name)
		}
	}
	return strings.Join(names, ", or ")
}

// Returns the names of what becomes of NaN that gives every wrong result of a NaN and contradicts no right one.
func (p *pair) namedOfNaN(all []seen) string {
	var names []string
	for _, method := range nanMethods {
		mask := p.to.mask()
		if p.to.Signed && !method.withSign {
			mask >>= 1
		}
		holds := true
		for at := 0; at < len(all) && holds; at++ {
			if it := all[at]; within(p.from.NaN, it.input) {
				given, is := method.gives(p, it.input)
				isGiven := is && it.got&mask == given&mask
				holds = isGiven || !it.isWrong && (!is || it.due.Expect.admits(given, p.to))
			}
		}
		if holds {
			names = append(names, method.name)
		}
	}
	return strings.Join(names, ", or ")
}

// Returns the name of the integer of the same width with or without a sign.
func sibling(name string) string {
	if strings.HasPrefix(name, "u") {
		return name[1:]
	}
	return "u" + name
}

// The code that is due for an input; false where it is not a single one.
func single(c *cast, input uint64) (uint64, bool) {
	if c == nil {
		return 0, false
	}
	due, err := c.answer(input)
	if err != nil || due.Expect.Code == nil {
		return 0, false
	}
	return number(*due.Expect.Code), true
}

// The code that is due for another input.
func (p *pair) due(input uint64) (uint64, bool) { return single(p.cast, input) }

// The code that is due for a number.
func (p *pair) dueOfNumber(value float64) (uint64, bool) {
	if p.to.Name == "float64" {
		return math.Float64bits(value), true
	}
	return single(p.float64, math.Float64bits(value))
}

// The code that is due if the input is rounded to another dtype first.
func (p *pair) dueThrough(between string, input uint64) (uint64, bool) {
	code, is := single(p.between[between][0], input)
	if !is {
		return 0, false
	}
	return single(p.between[between][1], code)
}

// The number of an input that is no NaN.
func (p *pair) number(input uint64) *big.Float { return p.from.number(input) }

// Compares a code of the target with an input.
func (p *pair) compare(code, input uint64) int { return p.to.number(code).Cmp(p.number(input)) }

// Compares the magnitudes of a code of the target and of an input.
func (p *pair) magnitudes(code, input uint64) int {
	one, other := p.to.number(code), p.number(input)
	return one.Abs(one).Cmp(other.Abs(other))
}

// The next code farther from zero than the due one, on the side of the input.
func (p *pair) away(input, due uint64) (uint64, bool) {
	return p.to.next(due, p.number(input).Sign() > 0)
}

// The finite end of the target beyond which an input lies.
func (p *pair) beyond(input uint64) (uint64, bool) {
	for _, end := range []uint64{p.to.largest(), p.to.smallest()} {
		if order := p.compare(end, input); order < 0 && end == p.to.largest() || order > 0 && end == p.to.smallest() {
			return end, true
		}
	}
	return 0, false
}

// Does an input lie in the middle of two codes of the target?
func (p *pair) isMiddle(input, one, other uint64) bool {
	if p.to.number(other).IsInf() {
		return false
	}
	sum := new(big.Float).SetPrec(4096)
	sum.Add(p.to.number(one), p.to.number(other))
	return sum.Cmp(new(big.Float).SetPrec(4096).Mul(p.number(input), big.NewFloat(2))) == 0
}

// The low bits of the integral part of a finite number, as many as the target has.
func (p *pair) wrapped(number *big.Float) uint64 {
	whole, _ := number.Int(nil)
	return whole.And(whole, new(big.Int).SetUint64(p.to.mask())).Uint64()
}

func (d dtype) mask() uint64 { return ^uint64(0) >> (64 - d.Bits) }

// The code with only the highest bit.
func (d dtype) top() uint64 { return 1 << (d.Bits - 1) }

// Is the highest bit of a float set?
func (d dtype) isMinus(code uint64) bool { return d.Signed && code >= d.top() }

// The number of significands of one exponent; 1: there are no subnormal numbers.
func (d dtype) unit() uint64 { return 1 << d.Float.SignificandBits }

func (d dtype) isSubnormal(code uint64) bool {
	field := pick(d.Signed, code&(d.top()-1), code)
	return d.unit() > 1 && 0 < field && field < d.unit()
}

// The exponent of the smallest positive number.
func (d dtype) step() int { return 1 - d.Float.Bias - int(d.Float.SignificandBits) }

// The zero of a dtype: the negative one, if there is one.
func (d dtype) zero(negative bool) uint64 {
	return pick(negative && d.Kind == "float" && d.Signed && !within(d.NaN, d.top()), d.top(), 0)
}

// The code of the infinity, if there is one.
func (d dtype) infinity() (uint64, bool) {
	if len(d.Infinities) == 0 {
		return 0, false
	}
	return number(d.Infinities[0]), true
}

func (d dtype) largest() uint64  { return number(d.Largest.Code) }
func (d dtype) smallest() uint64 { return number(d.Smallest.Code) }

// The number of a code that is no NaN.
func (d dtype) number(code uint64) *big.Float {
	switch {
	case d.Kind == "float" && !d.Signed: // float8e8m0, a power of two
		return big.NewFloat(math.Ldexp(1, int(code)-d.Float.Bias))
	case d.Kind == "float":
		value := d.magnitude(code & (d.top() - 1))
		return big.NewFloat(pick(code >= d.top(), -value, value))
	case d.Signed:
		return new(big.Float).SetInt64(int64(code<<(64-d.Bits)) >> (64 - d.Bits))
	}
	return new(big.Float).SetUint64(code)
}

// The next code above or below, if it stands for a number. -0 is just below 0.
func (d dtype) next(code uint64, up bool) (uint64, bool) {
	order := d.order(code)
	if last := d.mask(); order == pick(up, last, 0) {
		return 0, false
	}
	order = pick(up, order+1, order-1)
	next := order
	switch {
	case d.Signed && d.Kind == "float" && order < d.top():
		next = 2*d.top() - 1 - order
	case d.Signed:
		next = order ^ d.top()
	}
	return next, within(d.Valid, next) && !within(d.NaN, next)
}
