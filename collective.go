package aoso

import "github.com/libaoso/aoso/internal/collective"

// Collective is the machines of a training, as an engine such as MPI connects them.
// Each of them, a rank, has some of the rows. All ranks make the same calls, of this
// package as of a collective, in the same order. The model is that which one machine
// would train on all rows, to the last bit, and every rank gets it.
//
// A collective has a use at a time: ranks make a dataset or train, one after another.
type Collective = collective.Collective

// CollectiveScatterer is a [Collective] that can also reduce and scatter, which makes
// training send less. Either all ranks are such or none is.
type CollectiveScatterer = collective.Scatterer

// CollectiveOp is what [Collective.AllReduce] does with the numbers of all ranks.
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
func NewLocalCollective(size int) []Collective { return collective.NewLocal(size) }
