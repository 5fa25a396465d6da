package data

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/par"
)

// codeFile writes the file of a set whose rows come in order. A buffer collects rows, as the file has column after column and short writes
// are slow.
type codeFile struct {
	draft  *modelio.Draft
	set    *Set
	coder  *bin.Coder
	buffer *bin.Matrix
	first  int  // the row of the buffer's first row
	filled int  // rows in the buffer
	stored int  // rows whose values are written
	values bool // the file has the values of the features
}

// newCodeFile begins the file of a set that is complete except for the matrix and, if the file is to have them, the values.
func newCodeFile(path string, s *Set, c *bin.Coder, values bool) (*codeFile, error) {
	const size, least = 32 << 20, 1 << 10 // bytes and rows of the buffer
	rows := min(max(size/len(s.Mapper.Features), least), blockRows, s.Rows())
	w := s.writer(s.Rows())
	modelio.Reserve[uint8](w, "codes", s.Mapper.CodesBytes(s.Rows()))
	s.Encoder.Write(w)
	if values {
		modelio.Reserve[float64](w, "values", s.Rows()*len(s.Names))
	}
	draft, err := modelio.NewDraft(path, w)
	if err != nil {
		return nil, err
	}
	return &codeFile{draft: draft, set: s, coder: c, buffer: s.Mapper.NewMatrix(rows), values: values}, nil
}

// write quantizes the next rows.
func (f *codeFile) write(x bin.Source, team *par.Team) error {
	if f.values {
		if err := f.store(x); err != nil {
			return err
		}
	}
	for first := 0; first < x.Rows(); {
		n := min(x.Rows()-first, f.buffer.Rows-f.filled)
		f.coder.Map(category.Rows(x, first, n), f.buffer.Columns, f.filled, team)
		first += n
		if f.filled += n; f.filled == f.buffer.Rows {
			if err := f.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// store writes the values of the next rows.
func (f *codeFile) store(x bin.Source) error {
	values := make([]float64, x.Rows())
	for j := range f.set.Names {
		x.Column(j, 0, values)
		if err := modelio.WriteAt(f.draft, "values", j*f.set.Rows()+f.stored, values); err != nil {
			return err
		}
	}
	f.stored += x.Rows()
	return nil
}

// flush writes the rows of the buffer to the file.
func (f *codeFile) flush() error {
	at := f.first
	for _, column := range f.buffer.Columns {
		if column == nil {
			continue
		}
		if err := modelio.WriteAt(f.draft, "codes", at, column[:f.filled]); err != nil {
			return err
		}
		at += bin.ColumnBytes(f.set.Rows())
	}
	f.first, f.filled = f.first+f.filled, 0
	return nil
}

func (f *codeFile) finish() error {
	if err := f.flush(); err != nil {
		return err
	}
	f.buffer.Free()
	return f.draft.Finish()
}
