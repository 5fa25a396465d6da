package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64
		kind kind
	}{
		{"0", 0, numeric}, {"-0", math.Copysign(0, -1), numeric}, {"+7", 7, numeric}, {"007", 7, numeric},
		{"12.5", 12.5, numeric}, {".5", .5, numeric}, {"5.", 5, numeric}, {"-1e3", -1000, numeric}, {"1E+2", 100, numeric},
		{"123456789012345678901234567890", 123456789012345678901234567890, numeric},
		{"0.00000000000000000000000000001", 1e-29, numeric},
		{"9007199254740993", 9007199254740992, numeric},
		{"1e-999", 0, numeric}, {"4.9e-324", 4.9e-324, numeric}, {"1.7976931348623157e308", math.MaxFloat64, numeric},
		{"", 0, missing}, {"?", 0, missing}, {"NA", 0, missing}, {"na", 0, missing}, {"NaN", 0, missing},
		{"nan", 0, missing}, {"NAN", 0, missing}, {"null", 0, missing}, {"NULL", 0, missing},
		{"-", 0, mark}, {".", 0, mark}, {"N/A", 0, mark}, {"n/a", 0, mark}, {"#N/A", 0, mark}, {"<NA>", 0, mark}, {"None", 0, mark},
		{"#N/A N/A", 0, mark}, {"-nan", 0, mark}, {"1.#IND", 0, mark}, {"none", 0, text}, {"--", 0, text}, {"NaT", 0, mark},
		{"inf", math.Inf(1), numeric}, {"-Inf", math.Inf(-1), numeric}, {"+Infinity", math.Inf(1), numeric}, {"1e999", 0, tooLarge}, {"-1e999", 0, tooLarge},
		{"a", 0, text}, {"-.", 0, text}, {"1e", 0, text}, {"1 2", 0, text}, {"1,5", 0, text},
		{"0x1p-2", 0, text}, {"0x10", 0, text}, {"1_000", 0, text}, {"1.2.3", 0, text}, {"--1", 0, text}, {"١", 0, text},
	} {
		got, k := number([]byte(c.in))
		want := c.want
		if c.kind != numeric {
			want = nan
		}
		if k != c.kind || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: got %v, kind %d; want %v, kind %d", c.in, got, k, want, c.kind)
		}
	}
}

// The fast path must round as strconv does, to the last bit.
func TestNumberExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		text := fmt.Sprintf("%.*f", r.IntN(20), math.Ldexp(r.Float64(), r.IntN(70)-20))
		if r.IntN(2) == 0 {
			text = strconv.FormatFloat(r.NormFloat64(), 'g', 1+r.IntN(17), 64)
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, k := number([]byte(text)); k != numeric || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: got %v, want %v", text, got, want)
		}
	}
}
