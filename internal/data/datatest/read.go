// Package datatest reads the data sets that tests train on.
package datatest

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Lines returns the lines of a gzip-compressed text file.
func Lines(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

// Read reads gzip-compressed CSV of numbers, whose last column is the label: a
// number, or a letter, of which A is 0. It skips a header.
func Read(path string) (rows [][]float64, labels []int, err error) {
	lines, err := Lines(path)
	if err != nil {
		return nil, nil, err
	}
	for i, line := range lines {
		cells := strings.Split(line, ",")
		last := len(cells) - 1
		row := make([]float64, last)
		for j := range row {
			if row[j], err = strconv.ParseFloat(cells[j], 64); err != nil {
				break
			}
		}
		if err != nil && i == 0 {
			continue // the header
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		label, err := strconv.Atoi(cells[last])
		if err != nil {
			label = int(cells[last][0]) - 'A'
		}
		rows, labels = append(rows, row), append(labels, label)
	}
	return rows, labels, nil
}

// Figure is the result of the authors' program after some number of trees.
type Figure struct {
	Errors         int
	Loss, Gradient float64
}

// Figures returns what the authors' program printed, by set and number of trees.
func Figures(path string) (map[string]map[int]Figure, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if want := []string{"set", "trees", "errors", "clipped_loss", "abs_gradient"}; len(lines) == 0 || !slices.Equal(lines[0], want) {
		return nil, fmt.Errorf("%s does not have the columns %q", path, want)
	}
	figures := map[string]map[int]Figure{}
	for _, line := range lines[1:] {
		var v [4]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(line[i+1], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		if figures[line[0]] == nil {
			figures[line[0]] = map[int]Figure{}
		}
		figures[line[0]][int(v[0])] = Figure{int(v[1]), v[2], v[3]}
	}
	return figures, nil
}
