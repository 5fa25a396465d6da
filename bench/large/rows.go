package main

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	parquetfile "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/libaoso/aoso"
)

// part is some rows, by row. The values are whole numbers, so that data files hold
// them in few digits and lose nothing.
type part struct {
	values []float32
	labels []int
}

// parts returns the rows, the same each time. A part is lost when the next one is made.
func parts() iter.Seq[part] {
	const unit = 100 // of a standard deviation
	centres := rand.New(rand.NewPCG(1, 0))
	means := make([]float64, *classes**features)
	for i := range means {
		means[i] = unit * 0.4 * centres.NormFloat64()
	}
	return func(yield func(part) bool) {
		values, labels := make([]float32, *blockRows**features), make([]int, *blockRows)
		for first := 0; first < *rows; first += *blockRows {
			n := min(*blockRows, *rows-first)
			made := values[:0]
			for i := range n {
				r := rand.NewPCG(2, uint64(first+i))
				k := int(r.Uint64() % uint64(*classes))
				labels[i] = k
				for _, mean := range means[k**features:][:*features] {
					made = append(made, float32(math.Round(mean+unit*noise(r.Uint64()))))
				}
			}
			if !yield(part{made, labels[:n]}) {
				return
			}
		}
	}
}

// noise is about normal: the sum of the bytes of a random number, of variance 1.
func noise(bits uint64) float64 {
	const deviation = 209.02 // of the sum of 8 bytes
	const pairs = 0x00ff00ff00ff00ff
	sums := bits&pairs + bits>>8&pairs // four sums of two bytes
	sum := sums * 0x0001000100010001 >> 48
	return (float64(sum) - 8*255/2) / deviation
}

// blocks returns the rows for the library.
func blocks() iter.Seq2[aoso.Block, error] {
	return func(yield func(aoso.Block, error) bool) {
		for p := range parts() {
			block := aoso.Block{Features: aoso.RowMajor(p.values, len(p.labels), *features), Labels: aoso.IntLabels(p.labels)}
			if !yield(block, nil) {
				return
			}
		}
	}
}

// columnName returns the name of a column of a data file, of which the last is the label.
func columnName(j int) string {
	if j == *features {
		return "label"
	}
	return fmt.Sprintf("f%d", j)
}

func writeCSV(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for j := range *features {
		w.WriteString(columnName(j) + ",")
	}
	w.WriteString(columnName(*features) + "\n")
	var line []byte
	for p := range parts() {
		for i, label := range p.labels {
			line = line[:0]
			for _, v := range p.values[i**features:][:*features] {
				line = append(strconv.AppendInt(line, int64(v), 10), ',')
			}
			w.Write(append(strconv.AppendInt(line, int64(label), 10), '\n'))
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

// writeParquet writes a row group for each part.
func writeParquet(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var fields schema.FieldList
	for j := range *features + 1 {
		fields = append(fields, schema.NewInt32Node(columnName(j), parquet.Repetitions.Required, -1))
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return err
	}
	w := parquetfile.NewParquetWriter(f, root, parquetfile.WithWriterProps(parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))))
	column := make([]int32, *blockRows)
	for p := range parts() {
		group, err := w.AppendRowGroupChecked()
		if err != nil {
			return err
		}
		for j := range *features + 1 {
			for i, label := range p.labels {
				if column[i] = int32(label); j < *features {
					column[i] = int32(p.values[i**features+j])
				}
			}
			chunk, err := group.NextColumn()
			if err != nil {
				return err
			}
			if _, err := chunk.(*parquetfile.Int32ColumnChunkWriter).WriteBatch(column[:len(p.labels)], nil, nil); err != nil {
				return err
			}
			if err := chunk.Close(); err != nil {
				return err
			}
		}
		if err := group.Close(); err != nil {
			return err
		}
	}
	return w.Close()
}
