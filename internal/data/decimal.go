package data

import (
	"math/big"
	"strconv"
)

// Decimal returns the float64 nearest to v / 10^scale.
func Decimal(v *big.Int, scale int) float64 {
	const exact, mostScale = 1 << 53, 22 // integers and powers of ten up to these are exact in float64
	if v.IsInt64() && scale >= 0 && scale <= mostScale {
		if i := v.Int64(); -exact <= i && i <= exact {
			return float64(i) / powers[scale]
		}
	}
	x, _ := strconv.ParseFloat(v.String()+"e"+strconv.Itoa(-scale), 64) // infinite if it is beyond the range of float64
	return x
}

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// BigEndian reads an integer in two's complement, its highest byte first.
func BigEndian(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}
