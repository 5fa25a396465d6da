module github.com/libaoso/aoso

go 1.26
