package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// dice is a source of random draws. Each purpose of a seed has dice of its
// own, so that a new check changes none of the scenarios.
type dice struct{ *rand.Rand }

func newDice(seed uint64, purpose string) dice {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

func (d dice) chance(share float64) bool { return d.Float64() < share }

// between is an integer from least to most.
func (d dice) between(least, most int) int { return least + d.IntN(most-least+1) }

// skewed is an integer from least to most, a small one more often than a large.
func (d dice) skewed(least, most int) int {
	return int(d.logUniform(float64(least), float64(most)+1))
}

func (d dice) logUniform(least, most float64) float64 {
	return math.Exp(math.Log(least) + d.Float64()*(math.Log(most)-math.Log(least)))
}

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }
