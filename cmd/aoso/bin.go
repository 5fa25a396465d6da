package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/terminal"
)

// binner is the command bin.
type binner struct {
	reader
	data    []string
	out     string
	options aoso.DatasetOptions
	json    bool
}

func newBin() *cobra.Command {
	b := &binner{}
	c := &cobra.Command{
		Use:   "bin --data FILE --out FILE",
		Short: "Quantize data files into a dataset file, for training",
		Long: `Quantize data files into a dataset file, which train and tune take for --data.

The files may be larger than the memory. They are read twice, block by block:
first to choose the bins, then to quantize the rows. The dataset file has a byte
a value and 4 bytes a row. Training maps it into memory, and gives the same model
as the data files do.

Ctrl-C leaves no dataset file, or the one that was there.`,
		Example: `  aoso bin --data train.csv.gz --out train.aosod
  aoso bin --data january.csv --data february.csv --label class --out both.aosod
  aoso train --data train.aosod --model letters.aoso`,
		RunE: work(b.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringArrayVar(&b.data, "data", nil, "data `file`; may be repeated, for files with the same columns")
	b.reader.bind(c)
	b.reader.bindKinds(c)
	f.StringVar(&b.out, "out", "", "dataset `file` to write")
	f.IntVar(&b.options.MaxBin, "max-bin", 255, "value bins of a feature, 2 to 255")
	f.IntVar(&b.options.SampleRows, "sample-rows", 200_000, "rows that bins are fitted to; negative: all")
	f.Uint64Var(&b.options.Seed, "seed", 0, "seed of the sample; training from the data files takes its --seed")
	f.IntVar(&b.options.NThread, "nthread", 0, "threads; 0: the cores that the process may use")
	f.BoolVar(&b.options.DenseOnly, "dense-only", false, "keep no sparse features row by row, or small ones by two, in the memory of trainings: slower, same model")
	f.BoolVar(&b.json, "json", false, "print the result as one line of JSON")
	require(c, "data", "out")
	return c
}

// binned is the JSON line of bin.
type binned struct {
	Rows     int     `json:"rows"`
	Features int     `json:"features"`
	Classes  int     `json:"classes"`
	Bytes    int64   `json:"bytes"`
	Seconds  float64 `json:"seconds"`
	Dataset  string  `json:"dataset"`
}

func (b *binner) run(c *cobra.Command) error {
	start := time.Now()
	if err := b.check(); err != nil {
		return err
	}
	i := interruptions()
	defer i.stop()
	s, err := b.newStream(b.data...)
	if err != nil {
		return err
	}
	bar := newReadBar(notes(c), s)
	b.options.Path, b.options.TextLabels = b.out, b.layout.TextLabels
	d, err := s.dataset(i, &b.reader, b.options, bar.begin)
	bar.close()
	if code := i.code(); code != 0 && err != nil {
		return &commandError{errors.New("interrupted; no dataset saved"), code}
	}
	if err != nil {
		return err
	}
	defer d.Close()
	info, err := os.Stat(b.out)
	if err != nil {
		return err
	}
	line := binned{d.Rows(), len(d.FeatureNames()), len(d.Classes()), info.Size(), time.Since(start).Seconds(), b.out}
	if b.json {
		return json.NewEncoder(c.OutOrStdout()).Encode(line)
	}
	_, err = fmt.Fprintf(reports(c), "dataset     %s: %s, %s, %d classes, %.4g MB, in %.1f s\n",
		terminal.Plain(b.out), count(line.Rows, "row"), count(line.Features, "feature"), line.Classes, float64(line.Bytes)/1e6, line.Seconds)
	return err
}

// check checks what it can before any data are read.
func (b *binner) check() error {
	if err := b.checkData(); err != nil {
		return err
	}
	if b.takeAuto() {
		return usageError(errors.New(`categorical is "auto"; allowed for bin: columns, such as aoso suggest finds them`))
	}
	for _, file := range b.data {
		if info, err := os.Stat(file); file == "-" || err == nil && !info.Mode().IsRegular() {
			return usageError(fmt.Errorf("%s cannot be read twice; allowed: a regular file", file))
		}
	}
	if err := keepApart(b.out, b.data...); err != nil {
		return err
	}
	return modelio.Writable(b.out)
}

// readBar shows on a terminal how much of a stream was read; elsewhere nothing.
type readBar struct {
	w      io.Writer // nil: it is no terminal
	stream *stream
	bar    *progressbar.ProgressBar
}

func newReadBar(w io.Writer, s *stream) *readBar {
	b := &readBar{stream: s}
	if showsBars(w) {
		b.w = w
	}
	return b
}

// begin begins a bar for two passes over the stream.
func (b *readBar) begin() {
	if b.w == nil {
		return
	}
	b.close()
	b.bar = progressbar.NewOptions64(2*b.stream.size(),
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("reading twice"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(20),
		progressbar.OptionClearOnFinish(),
	)
	b.stream.reading = func(bytes int) { b.bar.Add(bytes) } // ignore errors of the terminal
}

func (b *readBar) close() {
	if b.bar != nil {
		b.bar.Clear()
	}
}
