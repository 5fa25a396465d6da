package kernel

import "math"

// A float64 has 53 bits, so adding 1.5·2⁵² units to a number less than 2⁵¹ units
// away from zero rounds it to whole units. The bits of the result then count
// units, and differences of bits are numbers of units.

// MostUnits is what addends must stay below, in units, for their sums to be exact.
const MostUnits = 1 << 51

// Shift returns 1.5·2⁵² units.
func Shift(unit float64) float64 { return unit * (3 << 51) }

// Units returns a shifted number in units.
func Units(shifted, shift float64) int64 {
	return int64(math.Float64bits(shifted) - math.Float64bits(shift))
}

// MostCrossUnits is what the addends of a [CrossJob] must stay below, in units, for
// the sums of RowBlock rows to be exact. Levels may round them in float32, by adding
// 2²³ units.
const MostCrossUnits = 1 << 22
