package tree

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
)

// SplitInfo is a way to split a node. Gain 0: there is none.
type SplitInfo struct {
	Feature     int
	Bin         uint8      // value bins up to this one go left
	MissingLeft bool       // so does the missing bin
	Set         *model.Set // bins that go left; nil: those that Bin and MissingLeft say
	Gain        float64
	boxes       *[2]*loss.Box // of the children's leaf values; nil: the node's
}
