package columnar

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// ipcSource is an Arrow IPC file or stream.
type ipcSource struct {
	schema *arrow.Schema
	total  int64
	// batches gives the record batches from the first one on.
	batches func(give func(arrow.RecordBatch) error) error
}

// ipcOptions bounds the memory for a file of this many bytes.
func ipcOptions(size int64) []ipc.Option {
	a := newAllocator(size)
	body, metadata := int64(a.most), int64(mostMetadata)
	if size != unknownSize {
		body, metadata = max(1, min(body, size)), max(1, min(metadata, size)) // 0 would be no limit
	}
	return []ipc.Option{ipc.WithAllocator(a), ipc.WithBodySizeLimit(body), ipc.WithMetadataSizeLimit(metadata)}
}

func newArrowFile(r ipc.ReadAtSeeker, size int64) (*ipcSource, error) {
	if err := checkFooter(r); err != nil {
		return nil, err
	}
	f, err := ipc.NewFileReader(r, ipcOptions(size)...)
	if err != nil {
		return nil, err
	}
	s := &ipcSource{schema: f.Schema(), total: -1}
	s.batches = func(give func(arrow.RecordBatch) error) error {
		for i := range f.NumRecords() {
			batch, err := f.RecordBatch(i)
			if err == nil {
				err = give(batch)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return s, nil
}

// newArrowStream reads a stream of this many bytes; again is the same data to read
// again, if that is possible.
func newArrowStream(r io.Reader, size int64, again io.Seeker) (*ipcSource, error) {
	stream, err := newStreamReader(r, size)
	if err != nil {
		return nil, err
	}
	s := &ipcSource{schema: stream.Schema(), total: -1}
	s.batches = func(give func(arrow.RecordBatch) error) error {
		if stream == nil {
			if again == nil {
				return errors.New("is a stream, whose rows can be read only once")
			}
			if _, err := again.Seek(0, io.SeekStart); err != nil {
				return err
			}
			if stream, err = newStreamReader(r, size); err != nil {
				return err
			}
		}
		now := stream
		stream = nil
		defer now.Release()
		for now.Next() {
			if err := give(now.RecordBatch()); err != nil {
				return err
			}
		}
		return now.Err()
	}
	return s, nil
}

func (s *ipcSource) rows() int64 { return s.total }

func (s *ipcSource) pandas() string {
	text, _ := s.schema.Metadata().GetValue(pandasKey)
	return text
}

func (s *ipcSource) columns() []Column {
	var columns []Column
	for _, f := range s.schema.Fields() {
		columns = append(columns, Column{Name: f.Name, Type: f.Type.String(), Kind: kindOf(f.Type)})
	}
	return columns
}

func (s *ipcSource) read(columns []*column, most int, give func(rows int) error) error {
	readers := make([]*arrowColumn, len(columns))
	for i, c := range columns {
		if c.Kind == Categories {
			c.list = newList()
		}
		readers[i] = &arrowColumn{column: c}
	}
	return s.batches(func(batch arrow.RecordBatch) error {
		if batch.NumCols() != int64(len(s.schema.Fields())) {
			return fmt.Errorf("a record batch has %d columns, the schema %d", batch.NumCols(), len(s.schema.Fields()))
		}
		for first := 0; first < int(batch.NumRows()); first += most {
			rows := min(most, int(batch.NumRows())-first)
			for _, c := range readers {
				if err := c.read(batch.Column(c.index), first, rows); err != nil {
					return err
				}
			}
			if err := give(rows); err != nil {
				return err
			}
		}
		return nil
	})
}
