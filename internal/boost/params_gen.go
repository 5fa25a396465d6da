package boost

// Params are the parameters of the library, checked and completed. They have
// the fields of aoso.Params, which is converted to them.
type Params struct {
	Method string

	Leaf          string
	Pairs         int
	PairSelection string

	BaseClass string
	BaseGap   int

	Trees      int
	Leaves     int
	Shrinkage  float64
	MaxDepth   int
	MinSamples int
	MinHessian float64
	MinGain    float64
	L2         float64
	MaxStep    float64

	Subsample       float64
	ColsampleByTree float64
	ColsampleByNode float64
	Trim            float64

	StopLoss      float64
	EarlyStopping int
	Metric        string

	Threads int
	Seed    uint64
	Level   string
}
