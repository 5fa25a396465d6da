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

// levelNames has aoso.Levels as C strings that are never freed. Leak checkers find them, as they are in an array of the library.
var levelNames [8]*C.char

func init() {
	for i, level := range aoso.Levels() {
		levelNames[i] = C.CString(level)
	}
}

// readParams returns the parameters in a C struct; the defaults for null.
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

// choose sets a parameter that is an enum to the value with this number.
func choose[T ~string](value *T, name string, number int64) error {
	known, _, _ := spec.Find(name)
	values := known.Enum()
	if err := within(name, number, 0, int64(len(values))-1); err != nil {
		return err
	}
	*value = T(values[number])
	return nil
}

// number returns the number of a value of a parameter that is an enum.
func number[T ~int32 | ~int64, S ~string](name string, value S) (T, error) {
	known, _, _ := spec.Find(name)
	i := slices.Index(known.Enum(), string(value))
	if i < 0 {
		return 0, badArgument(name, string(value), "%s", known.Allowed())
	}
	return T(i), nil
}

func int32Of(name string, value int) (C.int32_t, error) {
	return C.int32_t(value), within(name, int64(value), math.MinInt32, math.MaxInt32)
}

// goLevel checks and returns the name of a level; "" for null.
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

// goNested returns a string with a list or a dict; "" for null.
func goNested(name string, text *C.char) (string, error) {
	if text == nil {
		return "", nil
	}
	return goString(name, text)
}

// keptTexts has C strings that are never freed, each once. C has a list of them, so that leak checkers find them.
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
