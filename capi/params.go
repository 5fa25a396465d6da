package main

// #include "shim.h"
import "C"

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/spec"
)

// levelNames is aoso.Levels as strings of C, which live for ever: in an array
// of the library, so that leak checkers see that they do.
var levelNames [8]*C.char

func init() {
	for i, level := range aoso.Levels() {
		levelNames[i] = C.CString(level)
	}
}

// readParams returns the parameters in C's struct; null: the defaults.
func readParams(p *C.aoso_params) (g aoso.Params, err error) {
	missing, err := cParams(aoso.DefaultParams())
	if err != nil {
		return g, err
	}
	c, err := readStruct("params", p, missing)
	if err != nil {
		return g, err
	}
	return goParams(c)
}

// choice returns the value of an enum.
func choice(name string, number int64) (string, error) {
	known, _, _ := spec.Find(name)
	values := known.Enum()
	if err := within(name, number, 0, int64(len(values))-1); err != nil {
		return "", err
	}
	return values[number], nil
}

// number returns the number of a value of an enum.
func number[T ~int32 | ~int64](name, value string) (T, error) {
	known, _, _ := spec.Find(name)
	i := slices.Index(known.Enum(), value)
	if i < 0 {
		return 0, badArgument(name, value, "%s", known.Allowed())
	}
	return T(i), nil
}

func int32Of(name string, value int) (C.int32_t, error) {
	return C.int32_t(value), within(name, int64(value), math.MinInt32, math.MaxInt32)
}

// goLevel returns the name of a level; null: that of the environment, or the fastest.
func goLevel(level *C.char) (string, error) {
	if level == nil {
		return "", nil
	}
	name, err := goString("level", level)
	if err == nil {
		_, err = cLevel(name)
	}
	return name, err
}

// cLevel is the inverse of goLevel.
func cLevel(name string) (*C.char, error) {
	if name == "" {
		return nil, nil
	}
	levels := aoso.Levels()
	i := slices.Index(levels, name)
	if i < 0 {
		return nil, badArgument("level", name, "%s on this CPU", strings.Join(levels, ", "))
	}
	return levelNames[i], nil
}

// goNested returns a list or a dict in a string; null: none.
func goNested(name string, text *C.char) (string, error) {
	if text == nil {
		return "", nil
	}
	return goString(name, text)
}

// keptTexts is strings of C that live for ever, each once. C keeps a list of them,
// so that leak checkers see that they do.
var keptTexts struct {
	sync.Mutex
	known map[string]*C.char
}

// cNested is the inverse of goNested.
func cNested(text string) *C.char {
	if text == "" {
		return nil
	}
	kept := &keptTexts
	kept.Lock()
	defer kept.Unlock()
	if kept.known == nil {
		kept.known = map[string]*C.char{}
	}
	c, ok := kept.known[text]
	if !ok {
		c = C.shim_keep((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
		kept.known[strings.Clone(text)] = c
	}
	return c
}

//export goaoso_params_init
func goaoso_params_init(params *C.aoso_params, structSize C.uint32_t) C.aoso_status {
	return try(func() error {
		if params == nil {
			return badArgument("params", null, "a struct to set")
		}
		if err := checkStructSize("params", uintptr(structSize)); err != nil {
			return err
		}
		c, err := cParams(aoso.DefaultParams())
		if err != nil {
			return err
		}
		*(*C.uint32_t)(unsafe.Pointer(params)) = structSize
		writeStruct(params, c)
		return nil
	})
}

//export goaoso_params_parse
func goaoso_params_parse(params *C.aoso_params, text *C.char) C.aoso_status {
	return try(func() error {
		if err := checkOut("params", params); err != nil {
			return err
		}
		g, err := readParams(params)
		if err != nil {
			return err
		}
		changes, err := goString("text", text)
		if err != nil {
			return err
		}
		if g, err = aoso.ParseParams(g.String() + "\n" + changes); err != nil {
			return err
		}
		c, err := cParams(g)
		if err != nil {
			return err
		}
		writeStruct(params, c)
		return nil
	})
}

//export goaoso_params_check
func goaoso_params_check(params *C.aoso_params) C.aoso_status {
	return try(func() error {
		g, err := readParams(params)
		if err != nil {
			return err
		}
		return g.Check()
	})
}

//export goaoso_suggest_params
func goaoso_suggest_params(rows, features, classes C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		s, err := shape(rows, features, classes)
		if err != nil {
			return err
		}
		return putText(aoso.Suggest(s).Changes(), buffer, size, needed)
	})
}
