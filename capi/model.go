package main

// #include "shim.h"
import "C"

import (
	"bytes"
	"encoding/json"
	"sync"
	"unsafe"
	"weak"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/forc"
)

type model struct {
	*aoso.Model
	names, classes []string
	splits         func() float64 // number of splits in all trees

	encoding sync.Mutex
	encoded  weak.Pointer[bytes.Buffer]
}

func addModel(out *C.uintptr_t, m *aoso.Model) error {
	return put(out, &model{Model: m, names: m.FeatureNames(), classes: m.Classes(), splits: sync.OnceValue(func() (sum float64) {
		byFeature, _ := m.Importance("split")
		for _, n := range byFeature {
			sum += n
		}
		return sum
	})})
}

// putModel returns to C the model that make returns, as a handle.
func putModel(out *C.uintptr_t, make func() (*aoso.Model, error)) error {
	if err := checkPut(out, "model"); err != nil {
		return err
	}
	m, err := make()
	if err != nil {
		return err
	}
	return addModel(out, m)
}

func findModel(handle C.uintptr_t) (*model, error) { return find[*model]("model", uint64(handle)) }

//export goaoso_model_get_info
func goaoso_model_get_info(handle C.uintptr_t, info *C.aoso_model_info) C.aoso_status {
	return try(func() error {
		if err := checkOut("info", info); err != nil {
			return err
		}
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		writeStruct(info, C.aoso_model_info{
			named:               cBool(m.Named()),
			classes:             C.int64_t(len(m.classes)),
			features:            C.int64_t(len(m.names)),
			trees:               C.int64_t(m.Trees()),
			trees_per_iteration: C.int64_t(m.TreesPerIteration()),
			temperature:         C.double(m.Temperature()),
			conformal_rows:      C.int64_t(m.ConformalRows()),
		})
		return nil
	})
}

//export goaoso_model_class_name
func goaoso_model_class_name(handle C.uintptr_t, k C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		return putName(m.classes, "k", k, buffer, size, needed)
	})
}

//export goaoso_model_feature_name
func goaoso_model_feature_name(handle C.uintptr_t, j C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		return putName(m.names, "j", j, buffer, size, needed)
	})
}

//export goaoso_model_categories
func goaoso_model_categories(handle C.uintptr_t, j C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t, count *C.int64_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		if err := within("j", int64(j), 0, int64(len(m.names))-1); err != nil {
			return err
		}
		return putCategories(m.Categories(int(j)), buffer, size, needed, count)
	})
}

//export goaoso_model_find_category
func goaoso_model_find_category(handle C.uintptr_t, j C.int64_t, name *C.char, out *C.int64_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "position"); err != nil {
			return err
		}
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		if err := within("j", int64(j), 0, int64(len(m.names))-1); err != nil {
			return err
		}
		category, err := goString("name", name)
		if err == nil {
			*out = C.int64_t(m.FindCategory(int(j), category))
		}
		return err
	})
}

//export goaoso_model_describe
func goaoso_model_describe(handle C.uintptr_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		p := m.Params()
		p.NThread, p.Level = 0, "" // they do not affect the model
		text, err := json.Marshal(struct {
			Method            aoso.Method `json:"method"`
			Trees             int         `json:"trees"`
			TreesPerIteration int         `json:"trees_per_iteration"`
			Classes           []string    `json:"classes"`
			Features          []string    `json:"features"`
			Params            string      `json:"params"`
		}{p.Method, m.Trees(), m.TreesPerIteration(), m.classes, m.names, p.String()})
		if err != nil {
			return err
		}
		return putText(string(text), buffer, size, needed)
	})
}

//export goaoso_model_save
func goaoso_model_save(handle C.uintptr_t, path *C.char) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		to, err := goString("path", path)
		if err != nil {
			return err
		}
		return onFile(m.Save(to))
	})
}

//export goaoso_model_load
func goaoso_model_load(path *C.char, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return putModel(out, func() (*aoso.Model, error) {
			from, err := goString("path", path)
			if err != nil {
				return nil, err
			}
			m, err := aoso.Load(from)
			return m, onFile(err)
		})
	})
}

//export goaoso_model_encode
func goaoso_model_encode(handle C.uintptr_t, buffer unsafe.Pointer, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		encoded, err := m.encode()
		if err != nil {
			return err
		}
		return putBytes(encoded.Bytes(), buffer, size, needed)
	})
}

// encode returns the bytes of the model. It keeps them, until the garbage collector frees them, for a host that first asks for the size and
// then for the bytes.
func (m *model) encode() (*bytes.Buffer, error) {
	m.encoding.Lock()
	defer m.encoding.Unlock()
	if encoded := m.encoded.Value(); encoded != nil {
		return encoded, nil
	}
	encoded := new(bytes.Buffer)
	if err := m.Write(encoded); err != nil {
		return nil, err
	}
	m.encoded = weak.Make(encoded)
	return encoded, nil
}

//export goaoso_model_decode
func goaoso_model_decode(data unsafe.Pointer, size C.size_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return putModel(out, func() (*aoso.Model, error) {
			if data == nil {
				return nil, badArgument("bytes", null, "a model encoded by aoso_model_encode")
			}
			if uint64(size) > maxValues {
				return nil, badArgument("size", size, "at most %d", maxValues)
			}
			if err := affordable("bytes", float64(size)); err != nil {
				return nil, err
			}
			return aoso.Read(bytes.NewReader(unsafe.Slice((*byte)(data), size)))
		})
	})
}

//export goaoso_model_fingerprint
func goaoso_model_fingerprint(handle C.uintptr_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		return putText(m.Fingerprint(), buffer, size, needed)
	})
}

//export goaoso_model_label_type
func goaoso_model_label_type(handle C.uintptr_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		return putText(m.LabelType(), buffer, size, needed)
	})
}

//export goaoso_model_with_label_type
func goaoso_model_with_label_type(handle C.uintptr_t, labelType *C.char, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return putModel(out, func() (*aoso.Model, error) {
			m, err := findModel(handle)
			if err != nil {
				return nil, err
			}
			noted, err := goString("label_type", labelType)
			if err != nil {
				return nil, err
			}
			with, err := forc.WithLabelType(m.Model, noted)
			return with.(*aoso.Model), err
		})
	})
}

//export goaoso_model_dump
func goaoso_model_dump(handle C.uintptr_t, trees C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		n, err := narrow("trees", int64(trees))
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := m.Export(&text, "text", aoso.ExportOptions{Trees: n}); err != nil {
			return err
		}
		return putText(text.String(), buffer, size, needed)
	})
}

//export goaoso_model_free
func goaoso_model_free(handle C.uintptr_t) C.aoso_status {
	return free("model", handle, func(*model) {})
}
