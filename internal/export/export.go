// Package export writes models in the formats of other programs.
package export

import "github.com/libaoso/aoso/internal/tree"

// Model is a model as other programs take it.
type Model struct {
	Forest            *tree.Forest
	Classes, Features []string
	Temperature       float64 // what scores are divided by
}
