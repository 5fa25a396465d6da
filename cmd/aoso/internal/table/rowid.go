package table

import "strconv"

// rowID reads the cell of a row id.
func (p *csvParser) rowID(b []byte) error {
	id, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		var negative int64
		negative, err = strconv.ParseInt(string(b), 10, 64)
		id = uint64(negative)
	}
	switch {
	case isMissing(b):
		return p.fail(p.id, "the row id is missing")
	case err != nil:
		return p.fail(p.id, "the row id "+quote(b)+" is not an integer from -2^63 to 2^64-1")
	}
	if len(p.ids) == cap(p.ids) {
		capacity := max(1024, 2*len(p.ids))
		if err := p.charge(8 * capacity); err != nil {
			return err
		}
		p.charged -= 8 * float64(cap(p.ids))
		p.ids = append(make([]uint64, 0, capacity), p.ids...)
	}
	p.ids = append(p.ids, id)
	return nil
}
