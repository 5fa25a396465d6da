package aoso

import "github.com/libaoso/aoso/internal/collective"

// Collective connects the machines of a training, as an engine such as MPI does.
// Each of them, a rank, has some of the rows. All ranks make the same calls, of this
// package as of a collective, in the same order. The model is that which one machine
// would train on all rows, to the last bit, and every rank gets it.
//
// A collective has a use at a time: ranks make a dataset or train, one after another.
type Collective interface {
	Rank() int // of this process, from 0
	Size() int // number of ranks, at least 1

	// AllReduce replaces v by the sums or maxima over the ranks, element by element. v has
	// the same length on all ranks.
	AllReduce(op CollectiveOp, v []int64) error

	// AllGather returns what every rank has passed, by rank. Lengths may differ, and may be
	// zero.
	AllGather(b []byte) ([][]byte, error)

	// Abort tells the other ranks that this one gives up, and why, so that their calls fail
	// instead of waiting. The implementation may end the other processes instead.
	Abort(reason string)
}

// CollectiveScatterer is a [Collective] that can also reduce and scatter, which makes
// training send less. Either all ranks are such or none is.
type CollectiveScatterer interface {
	Collective

	// ReduceScatter returns the sums, modulo 2⁶⁴, of this rank's part of v over all ranks. v
	// holds the parts of all ranks, one after another, of counts[rank] numbers each; counts
	// are the same on all ranks. v may be overwritten.
	ReduceScatter(v []int64, counts []int) ([]int64, error)
}

// CollectiveOp is the operation by which [Collective.AllReduce] combines the numbers of all ranks.
type CollectiveOp = collective.Op

// How values of the ranks are combined.
const (
	CollectiveSum = collective.Sum // modulo 2⁶⁴
	CollectiveMax = collective.Max
)

// ErrCollective is what every error of a collective is: a rank was lost, gave up or
// has made another call. No rank can go on.
var ErrCollective = collective.ErrCollective

// NewLocalCollective returns the ranks of a collective in this process, to be used by
// a goroutine each: to try out trainings on several machines.
func NewLocalCollective(size int) []Collective {
	var ranks []Collective
	for _, rank := range collective.NewLocal(size) {
		ranks = append(ranks, rank)
	}
	return ranks
}
