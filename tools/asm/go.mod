module github.com/libaoso/aoso/tools/asm

go 1.26.0

require (
	github.com/klauspost/asmfmt v1.3.2
	github.com/libaoso/aoso v0.1.0
	golang.org/x/arch v0.32.0
)

require github.com/minio/asm2plan9s v0.0.0-20200509001527-cdd76441f9d8 // indirect

tool github.com/minio/asm2plan9s
