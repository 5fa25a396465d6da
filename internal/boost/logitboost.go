package boost

import (
	"context"

	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// logitBoost grows a tree for each class on its own: the class is paired with the padding class.
type logitBoost struct{}

func (logitBoost) iterate(ctx context.Context, e *Engine, iteration int) ([]*tree.Tree, bool) {
	classes := e.classes()
	pairs := make([]kernel.Pair, classes)
	for k := range pairs {
		pairs[k] = kernel.Pair{R: int32(k), S: int32(classes)}
	}
	return e.growPairs(ctx, pairs, iteration)
}
