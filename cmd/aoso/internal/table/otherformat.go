package table

import (
	"bytes"
	"strings"
)

// otherBinaries has the first bytes of binary formats. Text may begin with some of them, so they count only in files with zero bytes.
var otherBinaries = []struct{ magic, name string }{
	{"PK\x03\x04", "a zip archive or a workbook"},
	{"\xd0\xcf\x11\xe0", "an old workbook or another file of Office"},
	{"%PDF-", "a PDF document"},
	{"FEA1", "a Feather file of version 1"},
	{"\x89HDF", "an HDF5 file"},
	{"\x93NUMPY", "an array of NumPy"},
	{"MATLAB ", "a MATLAB file"},
	{"SQLite format 3", "an SQLite database"},
	{"RDX", "an R data file"},
	{"7z\xbc\xaf", "a 7z archive"},
	{"Rar!\x1a", "a RAR archive"},
	{"\x04\x22\x4d\x18", "a file compressed with LZ4"},
	{"Obj\x01", "an Avro file"},
	{"PAR1", "a compressed Parquet file"},
	{"ARROW1", "a compressed Arrow IPC file"},
	{"AOSO", "a model or dataset file of aoso"},
}

// otherTexts has the beginnings of text formats, in lower case and without white space.
var otherTexts = []struct{ start, name string }{
	{"versionhttps://git-lfs.github.com/spec/", "a pointer of Git LFS, not the data; git lfs pull fetches them"},
	{"<<<<<<<", "a file with conflict markers of git"},
	{"<!doctypehtml", "a web page (HTML)"},
	{"<html", "a web page (HTML)"},
	{"<?xml", "XML"},
	{`{"`, "JSON"},
	{`[{`, "JSON"},
	{"@relation", "an ARFF file"},
	{"%pdf-", "a PDF document"},
}

// otherFormat returns the format of a file that is neither CSV nor LIBSVM, by its first bytes; "" if it is unknown.
func otherFormat(head []byte) string {
	if bytes.IndexByte(head[:min(512, len(head))], 0) >= 0 {
		for _, other := range otherBinaries {
			if bytes.HasPrefix(head, []byte(other.magic)) {
				return other.name
			}
		}
	}
	const tar = 257 // the offset of ustar in a tar archive
	if len(head) > tar && bytes.HasPrefix(head[tar:], []byte("ustar")) {
		return "a tar archive"
	}
	if other := compressionOf(head); other != nil {
		return "compressed twice, the second time with " + other.name
	}
	start := strings.ToLower(strings.Join(strings.Fields(string(head[:min(64, len(head))])), ""))
	for _, other := range otherTexts {
		if strings.HasPrefix(start, other.start) {
			return other.name
		}
	}
	return ""
}
