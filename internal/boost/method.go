package boost

import (
	"context"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/tree"
)

// method is a boosting method. It decides which trees an iteration grows, and on
// which class pairs.
type method interface {
	// iterate grows the trees of an iteration, numbered from zero, and moves all
	// rows by them. If ctx is cancelled meanwhile, iterate changes nothing and
	// returns false.
	iterate(ctx context.Context, e *Engine, iteration int) (trees []*tree.Tree, done bool)
}

// newMethod returns the method that the parameters name.
func newMethod(p *Params) method {
	switch p.Method {
	case model.ABC:
		return &abc{gap: p.BaseGap, exhaustive: p.BaseClass == "exhaustive", base: noBase}
	case model.LogitBoost:
		return logitBoost{}
	}
	return aoso{}
}
