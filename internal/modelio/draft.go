package modelio

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
)

// Reserve appends an array of n elements, which [WriteAt] writes to a [Draft].
func Reserve[T Element](w *Writer, name string, n int) {
	Add[T](w, name, nil)
	w.arrays[len(w.arrays)-1].Count = uint64(n)
}

// Draft is an unfinished file whose reserved arrays are written piece by piece. Like [WriteFile], it replaces the file at its path when it
// is complete.
type Draft struct {
	file *temporary // nil: the draft is finished or dropped
	w    *Writer
	path string
}

// NewDraft begins a file with the arrays of w that are not reserved. It fails if the disk has no space for the others.
func NewDraft(path string, w *Writer) (*Draft, error) {
	d := &Draft{w: w, path: path}
	if err := d.create(); err != nil {
		d.Drop()
		return nil, d.failed(err)
	}
	return d, nil
}

func (d *Draft) create() (err error) {
	head, err := d.w.head()
	if err != nil {
		return err
	}
	if d.file, err = newTemporary(d.path); err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint64(head[24:]))
	if err := mem.Reserve(d.file.File, size); err != nil {
		return err
	}
	if err := d.file.Truncate(size); err != nil {
		return err
	}
	for i, a := range d.w.arrays {
		if _, err := d.file.WriteAt(d.w.data[i], int64(a.Offset)); err != nil {
			return err
		}
	}
	return nil
}

// WriteAt writes elements of a reserved array, from the element at first on.
func WriteAt[T Element](d *Draft, name string, first int, values []T) error {
	i := slices.IndexFunc(d.w.arrays, func(a arrayInfo) bool { return a.Name == name })
	_, err := d.file.WriteAt(encode(values, bigEndian), int64(d.w.arrays[i].Offset)+int64(first)*int64(sizeOf[T]()))
	return d.failed(err)
}

// Finish replaces the file at the path by the draft, which must be complete.
func (d *Draft) Finish() error {
	err := d.finish()
	d.Drop()
	return d.failed(err)
}

func (d *Draft) finish() error {
	for i := range d.w.arrays {
		if err := d.sum(&d.w.arrays[i]); err != nil {
			return err
		}
	}
	head, err := d.w.head()
	if err != nil {
		return err
	}
	if _, err := d.file.WriteAt(head, 0); err != nil {
		return err
	}
	if err := d.file.finish(); err != nil {
		return err
	}
	dir, _ := filepath.Split(d.file.target)
	d.file = nil
	return syncDir(dir)
}

// sum computes the checksum of an array in the file.
func (d *Draft) sum(a *arrayInfo) error {
	buffer, sum := make([]byte, 1<<20), uint32(0)
	for at, end := int64(a.Offset), int64(a.Offset+a.size()); at < end; at += int64(len(buffer)) {
		buffer = buffer[:min(int64(len(buffer)), end-at)]
		if _, err := d.file.ReadAt(buffer, at); err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, buffer)
	}
	a.CRC = fmt.Sprintf("%08x", sum)
	return nil
}

// Drop removes an unfinished draft. It does nothing if the draft is finished or dropped.
func (d *Draft) Drop() {
	if d.file != nil {
		d.file.drop()
		d.file = nil
	}
}

func (d *Draft) failed(err error) error {
	if err == nil {
		return nil
	}
	if d.file != nil {
		err = withoutPath(err, d.file.Name())
	}
	return fmt.Errorf("cannot write %s: %w", cmp.Or(d.path, `""`), err)
}
