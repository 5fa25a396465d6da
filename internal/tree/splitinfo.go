package tree

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
)

// SplitInfo is a split of a node. Gain 0: there is none.
type SplitInfo struct {
	Feature     int
	Bin         uint8      // value bins up to this one go left
	MissingLeft bool       // missing values go left
	Set         *model.Set // bins that go left; nil: Bin and MissingLeft decide
	Gain        float64
	boxes       *[2]*loss.Box // bounds of the children's leaf values; nil: the node's
}
