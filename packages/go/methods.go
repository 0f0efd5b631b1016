package castproof

import (
	"math"
	"math/big"
	"math/bits"
)

// A method gives the code that a wrong kernel gives for an input whose right result is a code; false: what is due.
// Its name stands in names.go. check/src/cause/methods.rs of the repository has the same methods in the same order.
type method struct {
	name  string
	gives func(p *pair, input, due uint64) (uint64, bool)
}

// Methods of casts to any dtype but bool.
var numberMethods = []method{
	{nameSubnormalInputFlushed, func(p *pair, input, _ uint64) (uint64, bool) {
		if !p.from.isSubnormal(input) {
			return 0, false
		}
		return p.due(input & p.from.top())
	}},
	{nameSubnormalResultFlushed, func(p *pair, _, due uint64) (uint64, bool) {
		return p.to.zero(p.to.isMinus(due)), p.to.isSubnormal(due)
	}},
	{nameZeroBeforeRounding, func(p *pair, input, _ uint64) (uint64, bool) {
		number := p.number(input)
		if p.to.unit() < 2 || number.Sign() == 0 {
			return 0, false
		}
		return p.to.zero(number.Sign() < 0), number.Abs(number).Cmp(p.to.number(1)) < 0
	}},
	{nameThroughFloat32, func(p *pair, input, _ uint64) (uint64, bool) { return p.dueThrough("float32", input) }},
	{nameThroughFloat16, func(p *pair, input, _ uint64) (uint64, bool) { return p.dueThrough("float16", input) }},
	{nameThroughBfloat16, func(p *pair, input, _ uint64) (uint64, bool) { return p.dueThrough("bfloat16", input) }},
	{nameThroughFloat64, func(p *pair, input, _ uint64) (uint64, bool) { return p.dueThrough("float64", input) }},
	{nameTowardZero, func(p *pair, input, due uint64) (uint64, bool) {
		if p.magnitudes(due, input) <= 0 {
			return 0, false
		}
		return p.to.next(due, p.to.number(due).Sign() < 0)
	}},
	{nameAwayFromZero, func(p *pair, input, due uint64) (uint64, bool) {
		if p.magnitudes(due, input) >= 0 {
			return 0, false
		}
		return p.away(input, due)
	}},
	{nameTowardMinusInfinity, func(p *pair, input, due uint64) (uint64, bool) {
		if p.compare(due, input) <= 0 {
			return 0, false
		}
		return p.to.next(due, false)
	}},
	{nameTowardPlusInfinity, func(p *pair, input, due uint64) (uint64, bool) {
		if p.compare(due, input) >= 0 {
			return 0, false
		}
		return p.to.next(due, true)
	}},
	{nameNearestIntegerTiesToEven, func(p *pair, input, _ uint64) (uint64, bool) {
		return p.nearestInteger(input, math.RoundToEven)
	}},
	{nameNearestIntegerTiesAway, func(p *pair, input, _ uint64) (uint64, bool) {
		return p.nearestInteger(input, math.Round)
	}},
	{nameTiesAwayFromZero, func(p *pair, input, due uint64) (uint64, bool) {
		if p.magnitudes(due, input) >= 0 {
			return 0, false
		}
		away, has := p.away(input, due)
		return away, has && p.isMiddle(input, due, away)
	}},
	{nameCarryLost, func(p *pair, input, due uint64) (uint64, bool) {
		return p.carryLost(input, due, false)
	}},
	{nameCarryToNormalLost, func(p *pair, input, due uint64) (uint64, bool) {
		return p.carryLost(input, due, true)
	}},
	{nameShiftModulo64, func(p *pair, input, _ uint64) (uint64, bool) { return p.shiftedModulo(input, 64) }},
	{nameShiftModulo32, func(p *pair, input, _ uint64) (uint64, bool) { return p.shiftedModulo(input, 32) }},
	{nameOutOfRangeClamped, func(p *pair, input, _ uint64) (uint64, bool) { return p.beyond(input) }},
	{nameOutOfRangeWrapped, func(p *pair, input, _ uint64) (uint64, bool) {
		_, is := p.beyond(input)
		if number := p.number(input); is && p.to.Kind != "float" && !number.IsInf() {
			return p.wrapped(number), true
		}
		return 0, false
	}},
	{nameSignedSaturates, func(p *pair, input, _ uint64) (uint64, bool) {
		return p.to.top() - 1, p.isBeyondSigned(input)
	}},
	{nameSignedIndefinite, func(p *pair, input, _ uint64) (uint64, bool) {
		return p.to.top(), p.isBeyondSigned(input)
	}},
	{nameSignExtended, func(p *pair, input, _ uint64) (uint64, bool) {
		if p.from.Signed {
			return 0, false
		}
		return single(p.sibling, input)
	}},
	{nameSignNotExtended, func(p *pair, input, _ uint64) (uint64, bool) {
		if !p.from.Signed {
			return 0, false
		}
		return single(p.sibling, input)
	}},
	{nameSignOfZeroLost, func(p *pair, _, due uint64) (uint64, bool) {
		return 0, p.to.Kind == "float" && p.to.Signed && due == p.to.top()
	}},
	{nameNegativeToZero, func(p *pair, input, _ uint64) (uint64, bool) {
		number := p.number(input)
		return 0, number.Sign() < 0 && !number.IsInf()
	}},
	{nameTrueBecomesAllOnes, func(p *pair, input, _ uint64) (uint64, bool) {
		return p.to.mask(), p.from.Kind == "bool" && p.to.Kind != "float" && input == 1
	}},
	{nameLowHalfDropped, lowHalfDropped},
	{nameOtherHalf, func(p *pair, input, _ uint64) (uint64, bool) {
		floats := p.from.Kind == "float"
		other := pick(floats, input&p.to.mask(), input>>p.to.Bits)
		return other, p.from.Bits == 2*p.to.Bits && floats == (p.to.Kind == "float")
	}},
	{nameCodeCopied, func(p *pair, input, _ uint64) (uint64, bool) { return input & p.to.mask(), true }},
	{nameInputBytesSwapped, func(p *pair, input, _ uint64) (uint64, bool) {
		if p.from.Bits <= 8 {
			return 0, false
		}
		return p.due(bits.ReverseBytes64(input) >> (64 - p.from.Bits))
	}},
	{nameOutputBytesSwapped, func(p *pair, _, due uint64) (uint64, bool) {
		return bits.ReverseBytes64(due) >> (64 - p.to.Bits), p.to.Bits > 8
	}},
	{nameBitsInverted, func(p *pair, _, due uint64) (uint64, bool) { return ^due & p.to.mask(), true }},
}

// Methods of casts to bool.
var truthMethods = []method{
	{nameTruthInverted, func(_ *pair, _, due uint64) (uint64, bool) { return truth(due == 0), true }},
	{nameTruthOfCode, func(_ *pair, input, _ uint64) (uint64, bool) { return truth(input != 0), true }},
	{nameTruthOfIntegralPart, func(p *pair, input, _ uint64) (uint64, bool) {
		number := p.number(input)
		return truth(number.Abs(number).Cmp(big.NewFloat(1)) >= 0), p.from.Kind == "float"
	}},
	{nameTruthOfLowestByte, func(_ *pair, input, _ uint64) (uint64, bool) { return truth(input&0xff != 0), true }},
	{nameTruthOfLowestBit, func(_ *pair, input, _ uint64) (uint64, bool) { return input & 1, true }},
	{nameTruthOfOddIntegralPart, func(p *pair, input, _ uint64) (uint64, bool) {
		number := p.number(input)
		if p.from.Kind != "float" || number.IsInf() {
			return 0, false
		}
		return p.wrapped(number) & 1, true
	}},
	{nameLowHalfDropped, lowHalfDropped},
}

func lowHalfDropped(p *pair, input, _ uint64) (uint64, bool) {
	half := p.from.Bits / 2
	if half < 8 {
		return 0, false
	}
	return p.due(input >> half << half)
}

// What becomes of a NaN; false: what is due.
var nanMethods = []struct {
	name     string
	gives    func(p *pair, input uint64) (uint64, bool)
	withSign bool // does the sign matter?
}{
	{nameNanToInfinity, func(p *pair, _ uint64) (uint64, bool) { return p.to.infinity() }, false},
	{nameNanToLargest, func(p *pair, _ uint64) (uint64, bool) { return p.to.largest(), p.to.Kind != "bool" }, false},
	{nameNanToZero, func(p *pair, _ uint64) (uint64, bool) { return 0, p.to.Kind != "bool" }, false},
	{nameNanCutOff, func(p *pair, input uint64) (uint64, bool) {
		shift, is := p.narrowing()
		infinity, _ := p.to.infinity()
		return infinity, is && input>>shift&(p.to.unit()-1) == 0
	}, false},
	{nameNanRounded, func(p *pair, input uint64) (uint64, bool) {
		shift, is := p.narrowing()
		if !is || shift == 0 || p.from.Bits-shift != p.to.Bits {
			return 0, false
		}
		return (input + 1<<(shift-1) - 1 + input>>shift&1) >> shift & p.to.mask(), true
	}, true},
	{nameSignallingKept, func(p *pair, input uint64) (uint64, bool) { return p.signallingKept(input) }, true},
	{nameNanReadAsNumber, func(p *pair, input uint64) (uint64, bool) {
		field := pick(p.from.Signed, input&(p.from.top()-1), input)
		if p.from.Name == "float64" || field < p.from.unit() {
			return 0, false
		}
		// The number is twice the one whose exponent field is one less.
		number, _ := p.from.number(field - p.from.unit()).Float64()
		return p.dueOfNumber(pick(field != input, -2*number, 2*number))
	}, true},
	{nameNanReadAsMinusZero, func(p *pair, input uint64) (uint64, bool) {
		if input != p.from.top() {
			return 0, false
		}
		return p.dueOfNumber(math.Copysign(0, -1))
	}, true},
	{nameNanTakenForFalse, func(p *pair, _ uint64) (uint64, bool) { return 0, p.to.Kind == "bool" }, true},
}

// Sign and upper payload bits of a signalling NaN stay, and it does not become quiet: float64 0x7ff4000000000000
// becomes the float32 0x7fa00000. Where no payload bit is left, the lowest one is set.
func (p *pair) signallingKept(input uint64) (uint64, bool) {
	from, to := p.from.Float.SignificandBits, p.to.Float.SignificandBits
	divides := func(d dtype) bool { return d.Bits >= 16 && len(d.Infinities) > 0 }
	if p.from.Name == p.to.Name || !divides(p.from) || !divides(p.to) || input>>(from-1)&1 == 1 {
		return 0, false
	}
	payload := input & (1<<from - 1)
	if from > to {
		payload >>= from - to
	} else {
		payload <<= to - from
	}
	infinity, _ := p.to.infinity()
	return input>>(p.from.Bits-1)<<(p.to.Bits-1) | infinity | pick(payload == 0, 1, payload), true
}

func truth(is bool) uint64 { return pick[uint64](is, 1, 0) }

// Of a float the nearest integer, where the target has it.
func (p *pair) nearestInteger(input uint64, round func(float64) float64) (uint64, bool) {
	if p.from.Kind != "float" || p.to.Kind == "float" {
		return 0, false
	}
	number, _ := p.number(input).Float64()
	rounded := big.NewFloat(round(number))
	is := rounded.Cmp(p.to.number(p.to.smallest())) >= 0 && rounded.Cmp(p.to.number(p.to.largest())) <= 0
	if !is {
		return 0, false
	}
	return p.wrapped(rounded), true
}

// The significand rounds up to the next power of two, and the exponent does not follow: just below 2, 0x3c00 of
// float16 instead of 0x4000.
func (p *pair) carryLost(input, due uint64, ofSubnormal bool) (uint64, bool) {
	unit := p.to.unit()
	if unit < 2 {
		return 0, false
	}
	sign := due & p.to.top()
	field := due ^ sign
	isPower := field%unit == 0 && field >= unit && field <= p.to.largest()
	isHere := isPower && (p.magnitudes(unit, input) > 0) == ofSubnormal
	return due - unit, isHere && p.magnitudes(due, input) > 0
}

// A significand is shifted by the low bits of the distance only: a number far below the smallest one is shifted by
// too little. Processors take the distance modulo 32 or 64.
func (p *pair) shiftedModulo(input, width uint64) (uint64, bool) {
	unit, number := p.from.unit(), p.number(input)
	if unit < 2 || number.IsInf() || number.Sign() == 0 || p.to.Kind == "float" && p.to.unit() < 2 {
		return 0, false
	}
	field := input & (p.from.top() - 1)
	exponent, significand := field/unit, field%unit
	if exponent > 0 {
		exponent, significand = exponent-1, significand+unit
	}
	// The exponents of the last bit of the significand, and of the target's last place.
	place := 0
	if p.to.Kind == "float" {
		place = p.to.step()
	}
	distance := place - p.from.step() - int(exponent)
	if distance < int(width) {
		return 0, false
	}
	shift := uint64(distance) % width
	kept := significand >> shift
	if p.to.Kind != "float" {
		return pick(number.Sign() < 0, -kept, kept) & p.to.mask(), true
	}
	rest, half := significand-kept<<shift, uint64(1)<<shift>>1
	kept += truth(rest > half || rest == half && half > 0 && kept&1 == 1)
	return kept&(p.to.top()-1) | pick(number.Sign() < 0, p.to.top(), 0), true
}

// Does a float have only the number of an unsigned integer's upper half?
func (p *pair) isBeyondSigned(input uint64) bool {
	if p.from.Kind != "float" || p.to.Kind == "float" || p.to.Signed {
		return false
	}
	number := p.number(input)
	_, is := p.beyond(input)
	// 255.9 has the integral part 255, which uint8 has.
	whole, _ := number.Int(nil)
	within := !is || whole != nil && whole.Cmp(new(big.Int).SetUint64(p.to.largest())) <= 0
	return within && number.Cmp(p.to.number(p.to.top())) >= 0
}

// By how many bits the significand of a NaN shrinks, if both dtypes have infinities.
func (p *pair) narrowing() (uint64, bool) {
	from, to := p.from.Float.SignificandBits, p.to.Float.SignificandBits
	return from - to, len(p.from.Infinities) > 0 && len(p.to.Infinities) > 0 && from >= to
}
