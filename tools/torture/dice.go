package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// dice is a source of random numbers. A seed gives separate dice for each
// purpose, so that a new check does not change the scenarios.
type dice struct{ *rand.Rand }

func newDice(seed uint64, purpose string) dice {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

func (d dice) chance(share float64) bool { return d.Float64() < share }

// between returns an integer from low to high, all equally likely.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// skewed returns an integer from low to high. Small ones are more likely.
func (d dice) skewed(low, high int) int {
	return int(d.logUniform(float64(low), float64(high)+1))
}

func (d dice) logUniform(low, high float64) float64 {
	return math.Exp(math.Log(low) + d.Float64()*(math.Log(high)-math.Log(low)))
}

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }
