package boost

import (
	"context"

	"github.com/libaoso/aoso/internal/tree"
)

// aoso grows one tree an iteration, each of whose nodes chooses its own class
// pairs.
type aoso struct{}

func (aoso) iterate(_ context.Context, e *Engine, iteration int) ([]*tree.Tree, bool) {
	t, segments := e.trees.grow(nil)
	e.state.mover.queue(t.Leaves, segments)
	e.state.mover.queue(t.Leaves, e.trees.orderTrimmed(t))
	e.state.apply()
	e.state.endIteration(iteration)
	return []*tree.Tree{t}, true
}
