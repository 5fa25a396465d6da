//go:build js

// Command wasm is the part of the page that trains. It runs in a Web Worker and
// gives it the function train(file, trees, report): file is a Uint8Array, and
// report receives JSON after some trees. It returns the result as JSON, or
// {"error": message}.
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/libaoso/aoso/web/letters"
)

func main() {
	js.Global().Set("train", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		file := make([]byte, arguments[0].Length())
		js.CopyBytesToGo(file, arguments[0])
		result, err := letters.Train(file, arguments[1].Int(), func(p letters.Progress) { arguments[2].Invoke(text(p)) })
		if err != nil {
			return text(map[string]string{"error": err.Error()})
		}
		return text(result)
	}))
	select {} // the worker calls train
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types have nothing that JSON lacks
	}
	return string(b)
}
