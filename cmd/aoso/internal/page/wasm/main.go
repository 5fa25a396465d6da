//go:build js

// Command wasm gives a Web Worker the functions of package page, as methods of the object aoso. Files are Uint8Arrays. The functions return
// JSON, or {"error": message}.
package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"

	"github.com/libaoso/aoso/cmd/aoso/internal/page"
)

var (
	sheet     *page.Sheet
	predictor *page.Predictor
	files     = map[string][]byte{} // what file returns
)

func main() {
	methods := js.Global().Get("Object").New()
	for name, call := range map[string]func(arguments []js.Value) (any, error){
		"open": func(a []js.Value) (any, error) {
			opened, err := page.Open(a[0].String(), bytesOf(a[1]), a[2].String())
			sheet = opened
			return opened, err
		},
		"train": func(a []js.Value) (any, error) {
			var set page.Settings
			if err := json.Unmarshal([]byte(a[0].String()), &set); err != nil {
				return nil, err
			}
			r, err := sheet.Train(set, func(p page.Progress) { a[1].Invoke(text(p)) })
			if err == nil {
				files = map[string][]byte{"model": r.Model, "train": r.TrainText, "test": r.TestText}
			}
			return r, err
		},
		"load": func(a []js.Value) (any, error) {
			p, err := page.Load(a[0].String(), bytesOf(a[1]))
			predictor = p
			return p, err
		},
		"row": func(a []js.Value) (any, error) {
			var cells []string
			if err := json.Unmarshal([]byte(a[0].String()), &cells); err != nil {
				return nil, err
			}
			return predictor.Row(cells)
		},
		"predict": func(a []js.Value) (any, error) {
			p, err := predictor.File(a[0].String(), bytesOf(a[1]))
			if err == nil {
				files = map[string][]byte{"predictions": p.Text}
			}
			return p, err
		},
	} {
		methods.Set(name, js.FuncOf(func(_ js.Value, arguments []js.Value) (result any) {
			defer func() {
				if r := recover(); r != nil {
					result = text(map[string]string{"error": fmt.Sprintf("internal error: %v", r)})
				}
			}()
			v, err := call(arguments)
			if err != nil {
				v = map[string]string{"error": err.Error()}
			}
			return text(v)
		}))
	}
	methods.Set("file", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		content := files[arguments[0].String()]
		array := js.Global().Get("Uint8Array").New(len(content))
		js.CopyBytesToJS(array, content)
		return array
	}))
	js.Global().Set("aoso", methods)
	select {} // the worker calls the methods
}

func bytesOf(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `{"error": "a number is not finite"}` // all that JSON lacks of the types
	}
	return string(b)
}
