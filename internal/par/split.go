package par

// Split is a team in groups that work at the same time.
type Split struct {
	Leaders *Team // each of their tasks has a group to itself
	Groups  []*Team
}

// Split returns n groups of the workers, which the team closes. A single worker takes turns.
func (t *Team) Split(n int) *Split {
	if n < 2 || t.Workers() < 2 {
		return t.Turns(n)
	}
	if s := t.splits[n]; s != nil {
		return s
	}
	s := &Split{Leaders: NewTeam(min(n, t.workers))}
	for range n {
		s.Groups = append(s.Groups, NewTeam(max(1, t.workers/n)))
	}
	if t.splits == nil {
		t.splits = map[int]*Split{}
	}
	t.splits[n] = s
	return s
}

// Turns returns n groups of all workers, with a single leader: they work in turns.
func (t *Team) Turns(n int) *Split {
	s := &Split{}
	for range n {
		s.Groups = append(s.Groups, t)
	}
	return s
}

// close closes the teams.
func (s *Split) close() {
	s.Leaders.Close()
	for _, g := range s.Groups {
		g.Close()
	}
}
