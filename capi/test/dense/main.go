// Command dense writes the models of package densetest to a folder, and for each a file whose arrays are packed more
// densely than readers allow. It has "refused" in its name.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log"
	"os"
	"path/filepath"

	"github.com/libaoso/aoso/internal/model/densetest"
)

func main() {
	log.SetFlags(0)
	for _, name := range densetest.Names() {
		var b bytes.Buffer
		if err := densetest.New(name).Encode(&b); err != nil {
			log.Fatal(err)
		}
		write(name+".aoso", b.Bytes())
		if denser, ok := shortened(b.Bytes()); ok {
			write(name+"-refused.aoso", denser)
		}
	}
}

func write(name string, content []byte) {
	if err := os.WriteFile(filepath.Join(os.Args[1], name), content, 0o600); err != nil {
		log.Fatal(err)
	}
}

type array struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Count  uint64 `json:"count"`
	Packed uint64 `json:"packed,omitempty"`
	Offset uint64 `json:"offset"`
	CRC    string `json:"crc32c"`
}

const start, alignment = 32, 64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// shortened returns a model file without the zeros that its writer appended to the code of an array: a byte is left
// for 64 elements. ok is false if there are none.
func shortened(file []byte) (short []byte, ok bool) {
	end := start + binary.LittleEndian.Uint64(file[16:])
	header := map[string]json.RawMessage{}
	var arrays []array
	if json.Unmarshal(file[start:end], &header) != nil || json.Unmarshal(header["arrays"], &arrays) != nil {
		log.Fatal("no header")
	}
	var contents [][]byte
	for i, a := range arrays {
		size := a.Packed
		if size == 0 {
			size = a.Count * map[string]uint64{"u8": 1, "u16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8, "f64": 8}[a.Type]
		}
		content := file[a.Offset:][:size]
		if a.Packed > 0 {
			code := bytes.TrimRight(content, "\x00")
			least := max(uint64(len(code))+16, (a.Count+63)/64)
			if a.Type != "str" && least < a.Packed {
				content, ok = content[:least], true
			}
			arrays[i].Packed = uint64(len(content))
		}
		arrays[i].CRC = fmt.Sprintf("%08x", crc32.Checksum(content, castagnoli))
		contents = append(contents, content)
	}
	return assembled(file[:start], header, arrays, contents), ok
}

// assembled puts a file together.
func assembled(prefix []byte, header map[string]json.RawMessage, arrays []array, contents [][]byte) []byte {
	const room = 1 << 14 // for the header
	at := uint64(room)
	body := make([]byte, 0)
	for i, content := range contents {
		arrays[i].Offset = at + uint64(len(body))
		body = append(body, content...)
		body = append(body, make([]byte, -len(body)&(alignment-1))...)
	}
	header["arrays"], _ = json.Marshal(arrays)
	text, _ := json.Marshal(header)
	file := append(bytes.Clone(prefix), text...)
	file = append(file, bytes.Repeat([]byte(" "), room-len(file))...)
	file = append(file, body...)
	binary.LittleEndian.PutUint64(file[16:], room-start)
	binary.LittleEndian.PutUint64(file[24:], uint64(len(file)))
	sum := crc32.Update(crc32.Checksum(file[:12], castagnoli), castagnoli, file[16:room])
	binary.LittleEndian.PutUint32(file[12:], sum)
	return file
}
