package data

import (
	"math"
	"math/big"
	"testing"
)

func TestDecimal(t *testing.T) {
	large, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	for _, test := range []struct {
		v     *big.Int
		scale int
		want  float64
	}{
		{big.NewInt(-125), 2, -1.25}, {big.NewInt(1), 22, 1e-22}, {big.NewInt(1), 23, 1e-23}, {big.NewInt(3), -2, 300},
		{big.NewInt(1<<53 + 1), 0, 1 << 53}, {big.NewInt(9007199254740993), 1, 900719925474099.3},
		{large, 10, 12345678901234567890.123456789}, {large, -400, math.Inf(1)}, {BigEndian([]byte{0xff, 0x83}), 2, -1.25}, {BigEndian(nil), 0, 0},
	} {
		if got := Decimal(test.v, test.scale); got != test.want {
			t.Errorf("%v with scale %d is %v, want %v", test.v, test.scale, got, test.want)
		}
	}
}
