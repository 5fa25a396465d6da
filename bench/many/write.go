package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// write writes the rows that measure trains and tests on, as files of NumPy.
func (m *mixture) write(folder string, rows, test int) error {
	m.place()
	for i, part := range []struct {
		name string
		rows int
	}{{"train", rows}, {"test", test}} {
		x, y := m.draw(part.rows, uint64(i+1))
		labels := make([]int32, len(y))
		for i, k := range y {
			labels[i] = int32(k)
		}
		if err := writeArray(filepath.Join(folder, part.name+".x.npy"), "<f4", fmt.Sprintf("(%d, %d)", part.rows, m.features), x); err != nil {
			return err
		}
		if err := writeArray(filepath.Join(folder, part.name+".y.npy"), "<i4", fmt.Sprintf("(%d,)", part.rows), labels); err != nil {
			return err
		}
	}
	return nil
}

// writeArray writes values in version 1.0 of the format of numpy.save.
func writeArray(path, dtype, shape string, values any) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	const align = 64
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", dtype, shape)
	pad := align - (10+len(header)+1)%align
	header += strings.Repeat(" ", pad) + "\n"
	w := bufio.NewWriter(f)
	w.WriteString("\x93NUMPY\x01\x00")
	w.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	w.WriteString(header)
	if err := binary.Write(w, binary.LittleEndian, values); err != nil {
		return err
	}
	return w.Flush()
}
