package odds

// index is what the leaves of a span do, by class. Where leaves move few of many classes,
// that tells the few leaves that move some class at all.
type index struct {
	first    []uint32 // by class: its first mention; after the last class, the end
	mentions []mention
}

// mention is what a leaf does to a class.
type mention struct {
	at uint32 // the leaf, numbered through the trees of the span
	by float32
}

func newIndex(trees []leafChanges[float32], classes int) *index {
	x := &index{first: make([]uint32, classes+2)}
	eachChange(trees, classes, func(_, class uint32, _ float32) { x.first[class+2]++ })
	for k := range classes {
		x.first[k+2] += x.first[k+1]
	}
	x.mentions = make([]mention, x.first[classes+1])
	eachChange(trees, classes, func(at, class uint32, by float32) {
		x.mentions[x.first[class+1]] = mention{at, by}
		x.first[class+1]++
	})
	return x
}

// eachChange shows what the leaves of trees do to their classes.
func eachChange(trees []leafChanges[float32], classes int, show func(at, class uint32, by float32)) {
	at := uint32(0)
	for i := range trees {
		for leaf := range trees[i].leaves {
			for _, c := range trees[i].of(leaf) {
				if int(c.class) < classes {
					show(at, c.class, c.by)
				}
			}
			at++
		}
	}
}

// of returns the mentions of a class.
func (x *index) of(class uint32) []mention { return x.mentions[x.first[class]:x.first[class+1]] }

// saves reports whether to look classes up by the index is less work than by the leaves of
// this many rows: the classes have few mentions.
func (x *index) saves(wanted []uint32, rows int) bool {
	mentions := 0
	for _, k := range wanted {
		mentions += len(x.of(k))
	}
	return mentions < rows*len(wanted)/2
}
