package table

import (
	"strings"
	"testing"
)

// TestOtherFormats: errors name the format of other files, plain or compressed. Texts that only begin like them are read.
func TestOtherFormats(t *testing.T) {
	archive := "data.csv" + strings.Repeat("\x00", 249) + "ustar\x0000"
	for text, want := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n": "is a pointer of Git LFS, not the data; git lfs pull fetches them",
		"\n <!DOCTYPE html>\n<html><body>a,b</body></html>\n":                       "is a web page (HTML)",
		"<HTML>\n1,2\n":                            "is a web page (HTML)",
		"<?xml version=\"1.0\"?>\n":                "is XML",
		"{\"a\": 1, \"b\": 2}\n":                   "is JSON",
		"[\n  {\"a\": 1},\n":                       "is JSON",
		"@RELATION x\n@attribute a numeric\n":      "is an ARFF file",
		"<<<<<<< HEAD\na,b\n":                      "is a file with conflict markers of git",
		"PK\x03\x04\x14\x00\x00\x00":               "is a zip archive or a workbook",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00": "is an old workbook or another file of Office",
		archive:                 "is a tar archive",
		string(zip(t, "1,2\n")): "is compressed twice, the second time with gzip",
	} {
		inputs := []string{string(zip(t, text))}
		if compressionOf([]byte(text)) == nil {
			inputs = append(inputs, text, bom+text)
		}
		for _, in := range inputs {
			if _, err := Parse(strings.NewReader(in), "f", Options{}); err == nil || !strings.HasPrefix(err.Error(), "f: "+want) {
				t.Errorf("%.40q: %v, want %q", text, err, want)
			}
		}
	}
	for _, text := range []string{"PK,b\n1,x\n2,y\n", "AOSO,b\n1,x\n2,y\n", "BZh9,high,b\n1,2,x\n2,3,y\n", "<a>,b\n1,x\n2,y\n", "{a},b\n1,x\n2,y\n", "version,b\n1,x\n2,y\n"} {
		if _, err := Parse(strings.NewReader(text), "f", Options{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
