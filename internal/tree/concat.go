package tree

// Concat is the trees of forests of one kind, one forest after the other. It
// shares nothing with them.
func Concat(forests ...*Forest) *Forest {
	c := NewForest(forests[0].Classes, forests[0].Pairs, forests[0].Full)
	for _, f := range forests {
		nodes, leaves := uint32(len(c.Feature)), uint32(len(c.LeafRows))
		for t := range f.Trees() {
			c.FirstNode = append(c.FirstNode, nodes+f.FirstNode[t+1])
			c.FirstLeaf = append(c.FirstLeaf, leaves+f.FirstLeaf[t+1])
		}
		c.Feature, c.Threshold = append(c.Feature, f.Feature...), append(c.Threshold, f.Threshold...)
		c.MissingLeft = append(c.MissingLeft, f.MissingLeft...)
		c.Left, c.Right = append(c.Left, f.Left...), append(c.Right, f.Right...)
		c.Gain, c.NodeRows = append(c.Gain, f.Gain...), append(c.NodeRows, f.NodeRows...)
		c.NodePairs, c.LeafPairs = append(c.NodePairs, f.NodePairs...), append(c.LeafPairs, f.LeafPairs...)
		c.LeafRows, c.Steps = append(c.LeafRows, f.LeafRows...), append(c.Steps, f.Steps...)
	}
	return c
}
