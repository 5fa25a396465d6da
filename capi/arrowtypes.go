package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
)

// arrowReader writes len(dst) values of an array to dst, from position `at` on.
type arrowReader func(at int, dst []float64)

// numbersOf returns the reader of an array of numbers.
type numbersOf func(values unsafe.Pointer) arrowReader

var plainNumbers = map[string]numbersOf{
	"b": bits,
	"c": numbers[int8], "s": numbers[int16], "i": numbers[int32], "l": numbers[int64],
	"C": numbers[uint8], "S": numbers[uint16], "I": numbers[uint32], "L": numbers[uint64],
	"f": numbers[float32], "g": numbers[float64],
	"tdD": days, "tdm": seconds[int64](1e3),
	"tts": seconds[int32](1), "ttm": seconds[int32](1e3), "ttu": seconds[int64](1e6), "ttn": seconds[int64](1e9),
}

func isArrowInteger(format string) bool {
	return len(format) == 1 && strings.Contains("csilCSIL", format)
}

// arrowNumbers returns how the values of an Arrow type are read as numbers; nil if they are not numbers.
func arrowNumbers(format string) numbersOf {
	if read := plainNumbers[format]; read != nil {
		return read
	}
	if unit, ok := strings.CutPrefix(format, "ts"); ok || strings.HasPrefix(format, "tD") {
		unit = strings.TrimPrefix(unit, "tD")
		unit, _, zoned := strings.Cut(unit, ":")
		if per := map[string]int64{"s": 1, "m": 1e3, "u": 1e6, "n": 1e9}[unit]; per > 0 && zoned == ok {
			return seconds[int64](per)
		}
	}
	if form, ok := strings.CutPrefix(format, "d:"); ok {
		return decimals(form)
	}
	return nil
}

func numbers[T aoso.Number](values unsafe.Pointer) arrowReader {
	return func(at int, dst []float64) {
		for k := range dst {
			dst[k] = float64(*(*T)(unsafe.Add(values, (at+k)*int(unsafe.Sizeof(*new(T))))))
		}
	}
}

func bits(values unsafe.Pointer) arrowReader {
	return func(at int, dst []float64) {
		for k := range dst {
			dst[k] = 0
			if bit(values, at+k) {
				dst[k] = 1
			}
		}
	}
}

func bit(bits unsafe.Pointer, i int) bool {
	return *(*byte)(unsafe.Add(bits, i>>3))>>(i&7)&1 != 0
}

func days(values unsafe.Pointer) arrowReader {
	read := numbers[int32](values)
	return func(at int, dst []float64) {
		read(at, dst)
		for k := range dst {
			dst[k] *= 24 * 60 * 60
		}
	}
}

// seconds reads times in units of 1/per seconds.
func seconds[T int32 | int64](per int64) numbersOf {
	return func(values unsafe.Pointer) arrowReader {
		return func(at int, dst []float64) {
			for k := range dst {
				dst[k] = data.Seconds(int64(*(*T)(unsafe.Add(values, (at+k)*int(unsafe.Sizeof(*new(T)))))), per)
			}
		}
	}
}

// decimals reads decimals with the parameters precision,scale[,bits].
func decimals(form string) numbersOf {
	parts := strings.Split(form, ",")
	if len(parts) == 2 {
		parts = append(parts, "128")
	}
	scale, width := 0, 0
	if len(parts) == 3 {
		scale, _ = strconv.Atoi(parts[1])
		width, _ = strconv.Atoi(parts[2])
	}
	if !slices.Contains([]int{32, 64, 128, 256}, width) {
		return nil
	}
	width /= 8
	return func(values unsafe.Pointer) arrowReader {
		return func(at int, dst []float64) {
			for k := range dst {
				dst[k] = decimal(unsafe.Slice((*byte)(unsafe.Add(values, (at+k)*width)), width), scale)
			}
		}
	}
}

// decimal returns the float64 nearest to v / 10^scale, v being a little-endian integer in two's complement.
func decimal(little []byte, scale int) float64 {
	bigEndian := slices.Clone(little)
	slices.Reverse(bigEndian)
	return data.Decimal(data.BigEndian(bigEndian), scale)
}

// textOf returns a function that returns the strings of an array by position.
type textOf func(name string, buffers []unsafe.Pointer) func(i int) (string, error)

var arrowTexts = map[string]textOf{"u": textsAt[int32], "U": textsAt[int64], "vu": viewsAt}

func textsAt[T int32 | int64](name string, buffers []unsafe.Pointer) func(i int) (string, error) {
	return texts[T]{name, buffers[2], buffers[1]}.at
}

// viewsAt reads views of 16 bytes: the length of a string, int32, then up to 12 bytes of the string; or its first 4 bytes, the number of a
// buffer, int32, and the offset in the buffer, int32.
func viewsAt(name string, buffers []unsafe.Pointer) func(i int) (string, error) {
	others := buffers[2 : len(buffers)-1]
	return func(i int) (string, error) {
		view := unsafe.Add(buffers[1], i*16)
		words := unsafe.Slice((*int32)(view), 4)
		n, from, first := words[0], words[2], words[3]
		switch {
		case n < 0:
			return "", badArgument(name+": length of a text", n, "at least 0")
		case n <= 12:
			return unsafe.String((*byte)(unsafe.Add(view, 4)), n), nil
		case from < 0 || int(from) >= len(others) || others[from] == nil || first < 0:
			return "", badArgument(name+": buffer of a text", from, "below %d, the number of buffers", len(others))
		}
		return unsafe.String((*byte)(unsafe.Add(others[from], first)), n), nil
	}
}

// read sets column to length rows of an array, from row offset on.
func (f *arrowField) read(a *C.struct_ArrowArray, offset, length int64, column *arrowColumn) error {
	if err := within(f.name+", length", int64(a.length), offset+length, maxValues); err != nil {
		return err
	}
	if err := within(f.name+", offset", int64(a.offset), 0, maxValues); err != nil {
		return err
	}
	if length == 0 { // an empty column need not have buffers
		return nil
	}
	if f.format == "n" {
		column.read = nulls
		return nil
	}
	buffers, err := f.buffers(f.name, a, length, f.format)
	if err != nil {
		return err
	}
	column.offset = int(int64(a.offset) + offset)
	if a.null_count != 0 {
		column.valid = buffers[0]
	}
	switch {
	case f.dictionary != "":
		return f.readDictionary(a, buffers[1], int(length), column)
	case f.categories != nil:
		return f.readTexts(buffers, int(length), column)
	}
	column.read, column.values = arrowNumbers(f.format)(buffers[1]), buffers[1]
	return nil
}

func nulls(_ int, dst []float64) {
	for k := range dst {
		dst[k] = math.NaN()
	}
}

// buffers returns the buffers of an array that has values. The first has the validity bits.
func (f *arrowField) buffers(name string, a *C.struct_ArrowArray, length int64, format string) ([]unsafe.Pointer, error) {
	few, many := int64(2), int64(2)
	switch format {
	case "u", "U":
		few, many = 3, 3
	case "vu":
		few, many = 3, math.MaxInt32
	}
	if n := int64(a.n_buffers); n < few || n > many || a.buffers == nil {
		return nil, badArgument(name+", n_buffers", a.n_buffers, "%d", few)
	}
	buffers := unsafe.Slice(a.buffers, a.n_buffers)
	switch {
	case buffers[1] == nil:
		return nil, badArgument(name+", values", null, "%d values", length)
	case buffers[0] == nil && a.null_count > 0:
		return nil, badArgument(name+", validity", null, "a bitmap, because %d values are null", a.null_count)
	}
	return buffers, nil
}

// readTexts adds the strings of a column to its categories.
func (f *arrowField) readTexts(buffers []unsafe.Pointer, length int, column *arrowColumn) error {
	if err := affordable(f.name, 4*float64(length)); err != nil {
		return err
	}
	at := arrowTexts[f.format](f.name, buffers)
	codes, first := make([]int32, length), column.offset
	for i := range codes {
		if column.valid != nil && !bit(column.valid, first+i) {
			codes[i] = missingCode
			continue
		}
		name, err := at(first + i)
		if err != nil {
			return err
		}
		if codes[i], err = f.categories.code(name); err != nil {
			return err
		}
	}
	column.read = func(at int, dst []float64) {
		for k := range dst {
			dst[k] = float64(codes[at-first+k])
			if dst[k] < 0 {
				dst[k] = math.NaN()
			}
		}
	}
	return nil
}

// readDictionary adds the categories of a dictionary, which may differ from batch to batch, and checks the positions in it.
func (f *arrowField) readDictionary(a *C.struct_ArrowArray, values unsafe.Pointer, length int, column *arrowColumn) error {
	d := a.dictionary
	if d == nil {
		return badArgument(f.name+", dictionary", null, "an array, as in the schema")
	}
	codes, err := f.dictionaryCodes(d)
	if err != nil {
		return err
	}
	positions := plainNumbers[f.format](values)
	column.read = func(at int, dst []float64) {
		positions(at, dst)
		for k, position := range dst {
			if dst[k] = math.NaN(); position >= 0 && position < float64(len(codes)) { // a null may have any position
				dst[k] = value(int64(position), codes)
			}
		}
	}
	const block = 1024
	found := make([]float64, min(block, length))
	for i := 0; i < length; i += len(found) {
		found = found[:min(len(found), length-i)]
		first := column.offset + i
		positions(first, found)
		for k, position := range found {
			if !(position >= 0 && position < float64(len(codes))) && (column.valid == nil || bit(column.valid, first+k)) {
				return badArgument(fmt.Sprintf("%s, row %d", f.name, i+k), position, "0 to %d, a position in the dictionary", len(codes)-1)
			}
		}
	}
	return nil
}

// dictionaryCodes returns the code of each category of a dictionary.
func (f *arrowField) dictionaryCodes(d *C.struct_ArrowArray) ([]int32, error) {
	name, n, offset := f.name+", dictionary", int64(d.length), int64(d.offset)
	if err := within(name+", length", n, 0, category.MaxCategories); err != nil {
		return nil, err
	}
	if err := within(name+", offset", offset, 0, maxValues); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	buffers, err := f.buffers(name, d, n, f.dictionary)
	if err != nil {
		return nil, err
	}
	// The batches of a stream often share a dictionary. All batches stay in memory until the end, so equal addresses are the same dictionary.
	if current := (dictionary{buffers[1], n, offset}); f.last != current {
		f.last = current
		f.codes, err = f.categories.codesOf(n, f.namesOf(d, buffers))
	}
	return f.codes, err
}

// namesOf returns a function that returns the categories of a dictionary by position.
func (f *arrowField) namesOf(d *C.struct_ArrowArray, buffers []unsafe.Pointer) func(k int) (string, error) {
	at := numberNames(f.dictionary, buffers[1])
	if texts := arrowTexts[f.dictionary]; texts != nil {
		at = texts(f.name, buffers)
	}
	return func(k int) (string, error) {
		k += int(d.offset)
		if d.null_count != 0 && buffers[0] != nil && !bit(buffers[0], k) {
			return "", nil
		}
		return at(k)
	}
}

// numberNames returns a function that returns the category that a number stands for, by position; nil if the values are not numbers.
func numberNames(format string, values unsafe.Pointer) func(i int) (string, error) {
	read := arrowNumbers(format)
	if read == nil {
		return nil
	}
	reader, one := read(values), make([]float64, 1)
	return func(i int) (string, error) {
		switch format {
		case "l":
			return strconv.FormatInt(*(*int64)(unsafe.Add(values, 8*i)), 10), nil
		case "L":
			return strconv.FormatUint(*(*uint64)(unsafe.Add(values, 8*i)), 10), nil
		}
		reader(i, one)
		if one[0] != one[0] {
			return "", nil
		}
		return category.Name(one[0]), nil
	}
}
