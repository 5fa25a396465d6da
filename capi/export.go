package main

// #include "shim.h"
import "C"

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/modelio"
)

//export goaoso_model_tree
func goaoso_model_tree(handle C.uintptr_t, tree C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := m.Export(&text, "json_tree", aoso.ExportOptions{Tree: int(tree)}); err != nil {
			return err
		}
		return putText(text.String(), buffer, size, needed)
	})
}

//export goaoso_export_formats
func goaoso_export_formats(buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		list, err := json.Marshal(aoso.ExportFormats())
		if err != nil {
			return err
		}
		return putText(string(list), buffer, size, needed)
	})
}

// hostWriter passes bytes to a function of the host.
type hostWriter struct {
	write C.aoso_write_callback
	user  C.uintptr_t
}

func (w hostWriter) Write(p []byte) (int, error) {
	if code := C.shim_write(w.write, unsafe.Pointer(unsafe.SliceData(p)), C.size_t(len(p)), w.user); code != 0 {
		return 0, onFile(fmt.Errorf("aoso: the export was stopped because write returned %d", code))
	}
	return len(p), nil
}

// exporter returns the function that writes a model in the given format.
func exporter(handle C.uintptr_t, format *C.char, options aoso.ExportOptions) (func(io.Writer) error, error) {
	m, err := findModel(handle)
	if err != nil {
		return nil, err
	}
	name, err := goString("format", format)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error { return m.Export(w, name, options) }, nil
}

// exportTo passes what export writes to a function of the host.
func exportTo(write C.aoso_write_callback, user C.uintptr_t, export func(io.Writer) error) error {
	if write == nil {
		return badArgument("write", null, "a function that receives the bytes")
	}
	const part = 1 << 16
	out := bufio.NewWriterSize(hostWriter{write, user}, part)
	if err := export(out); err != nil {
		return err
	}
	return out.Flush()
}

// exportFile writes what export writes to a file.
func exportFile(argument string, path *C.char, export func(io.Writer) error) error {
	to, err := goString(argument, path)
	if err != nil {
		return err
	}
	err = modelio.WriteFile(to, export)
	if argument := (*aoso.ArgumentError)(nil); errors.As(err, &argument) {
		return argument // not an error of the file
	}
	return onFile(err)
}

//export goaoso_model_export
func goaoso_model_export(handle C.uintptr_t, format *C.char, tree C.int64_t, write C.aoso_write_callback, user C.uintptr_t) C.aoso_status {
	return try(func() error {
		export, err := exporter(handle, format, aoso.ExportOptions{Tree: int(tree)})
		if err != nil {
			return err
		}
		return exportTo(write, user, export)
	})
}

//export goaoso_model_export_file
func goaoso_model_export_file(handle C.uintptr_t, format *C.char, tree C.int64_t, path *C.char) C.aoso_status {
	return try(func() error {
		export, err := exporter(handle, format, aoso.ExportOptions{Tree: int(tree)})
		if err != nil {
			return err
		}
		return exportFile("path", path, export)
	})
}

//export goaoso_model_export_with
func goaoso_model_export_with(handle C.uintptr_t, format *C.char, options *C.aoso_export_options, write C.aoso_write_callback, user C.uintptr_t) C.aoso_status {
	return try(func() error {
		c, err := readStruct("options", options, C.aoso_export_options{})
		if err == nil {
			err = within("options.force", int64(c.force), 0, 1)
		}
		if err != nil {
			return err
		}
		export, err := exporter(handle, format, aoso.ExportOptions{Tree: int(c.tree), Force: c.force != 0})
		switch {
		case err != nil:
			return err
		case c.path != nil:
			return exportFile("options.path", c.path, export)
		}
		return exportTo(write, user, export)
	})
}
