package castproof

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Exact decimals of up to this many digits are written whole. Longer ones are cut to the fewest digits that
// identify the code, at least two.
const wholeDigits = 12

// Returns a code with its number: "0x5f00 (448)".
func described(code uint64, of dtype) string {
	return fmt.Sprintf("%s (%s)", hex(code, of), of.decimal(code))
}

// Returns the number of a code in plain decimal, with enough digits to identify the code: "464", "6e-8", "-Inf".
func (d dtype) decimal(code uint64) string {
	top := code >> (d.Bits - 1) & 1
	switch {
	case d.Kind == "bool":
		return map[uint64]string{0: "false", 1: "true"}[code] + pick(code > 1, "invalid", "")
	case within(d.NaN, code):
		return pick(d.Signed && top == 1, "-NaN", "NaN")
	case d.Kind == "float" && !d.Signed: // float8e8m0, a power of two
		power := int(code) - d.Float.Bias
		return numeral(math.Ldexp(1, power), math.Ldexp(1, power-2))
	case d.Kind == "float":
		magnitude := code & (1<<(d.Bits-1) - 1)
		value := d.magnitude(magnitude)
		// What lies nearer than half of the way to the next number identifies the code.
		room := d.magnitude(magnitude+1) - value
		if magnitude > 0 {
			room = math.Min(room, value-d.magnitude(magnitude-1))
		}
		return pick(top == 1, "-", "") + numeral(value, room/2)
	case d.Signed:
		return strconv.FormatInt(int64(code<<(64-d.Bits))>>(64-d.Bits), 10)
	}
	return strconv.FormatUint(code, 10)
}

// Returns the number of a float's code without its sign. The largest exponent is infinity where the dtype has one,
// and where it has none, the number that the code would be.
func (d dtype) magnitude(code uint64) float64 {
	if d.Name == "float64" {
		return math.Float64frombits(code)
	}
	bits := d.Float.SignificandBits
	exponent, fraction := int(code>>bits), code&(1<<bits-1)
	if len(d.Infinities) > 0 && exponent+1 == 1<<d.Float.ExponentBits {
		return math.Inf(1)
	}
	if exponent > 0 {
		fraction += 1 << bits
		exponent--
	}
	return math.Ldexp(float64(fraction), exponent+1-d.Float.Bias-int(bits))
}

// Writes a number that is not negative with the fewest digits that are nearer to it than the room.
func numeral(value, room float64) string {
	if math.IsInf(value, 1) {
		return "Inf"
	}
	short := value
	digits := strings.SplitN(strconv.FormatFloat(value, 'e', -1, 64), "e", 2)[0]
	if len(strings.Replace(digits, ".", "", 1)) > wholeDigits {
		for count := 2; count <= 17; count++ {
			short, _ = strconv.ParseFloat(strconv.FormatFloat(value, 'e', count-1, 64), 64)
			if math.Abs(short-value) < room || short == value {
				break
			}
		}
	}
	if short == 0 || 1e-4 <= short && short < 1e16 {
		return strconv.FormatFloat(short, 'f', -1, 64)
	}
	// "6e-08" is written "6e-8", as everywhere in Castproof, and "1e+20" is written "1e20".
	parts := strings.SplitN(strconv.FormatFloat(short, 'e', -1, 64), "e", 2)
	power, _ := strconv.Atoi(parts[1])
	return parts[0] + "e" + strconv.Itoa(power)
}

// Returns what ascends with the numbers of codes that are no NaN.
func (d dtype) order(code uint64) uint64 {
	top := uint64(1) << (d.Bits - 1)
	switch {
	case !d.Signed:
		return code
	case d.Kind == "float" && code >= top:
		return 2*top - 1 - code
	}
	return code ^ top
}

// Says which inputs these codes are, of which none is NaN: "inputs from -2 to 464", or "the input 1".
func (d dtype) inputs(codes []uint64) string {
	if len(codes) == 0 {
		return ""
	}
	first, last := codes[0], codes[0]
	for _, code := range codes {
		first = pick(d.order(code) < d.order(first), code, first)
		last = pick(d.order(code) > d.order(last), code, last)
	}
	if first == last {
		return "the input " + d.decimal(first)
	}
	return "inputs from " + d.decimal(first) + " to " + d.decimal(last)
}
