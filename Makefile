# make help lists what there is.

FUZZTIME ?= 30s
GOFILES = $(shell git ls-files --cached --others --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')

.DEFAULT_GOAL := help
.PHONY: help build demo test vet race fuzz bench asm asm-check test-arm64 test-export fmt clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

build: ## build the command line into bin/aoso
	go build -o bin/aoso ./cmd/aoso

demo: build ## train on the embedded Letter data and compare with the paper (about half a minute)
	@go run ./internal/demo bin/aoso testdata/letter.csv.gz build/demo

test: vet ## run every test: vet, gofmt, tests, arm64 under qemu, race detector, a moment of each fuzz target
	go test -v -run '^TestLevelsExpected$$' .
	go test ./...
	@$(MAKE) --no-print-directory test-arm64
	@$(MAKE) --no-print-directory race
	@$(MAKE) --no-print-directory fuzz FUZZTIME=3s
	@echo "make test: all passed (vet for amd64, arm64 and purego; gofmt; tests; arm64; race detector; fuzz targets)"

vet:
	go mod download
	GOARCH=amd64 go vet ./...
	GOARCH=arm64 go vet ./...
	go vet -tags purego ./...
	@unformatted=$$(gofmt -l $(GOFILES)); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:" $$unformatted; exit 1; fi

asm: ## encode the words of kernel_arm64.s anew from their comments
	go run ./internal/asm write

asm-check: ## check that the words of kernel_arm64.s are what their comments say
	go run ./internal/asm check

# asm-check installs qemu where it is missing.
test-arm64: asm-check ## run the kernels' conformance suite for arm64 under qemu
	CGO_ENABLED=0 GOARCH=arm64 go test -exec qemu-aarch64-static -v -run '^TestLevelsExpected$$' .
	CGO_ENABLED=0 GOARCH=arm64 go test -exec qemu-aarch64-static -run '^(TestLevels|TestFingerprint|Fuzz.*)$$' .

# Needs Python 3.11 or later and a way to PyPI. AOSO_DATA names another data folder.
test-export: build ## check exported models in onnxruntime and LightGBM
	@mkdir -p build
	test -x build/export/bin/python || python3 -m venv build/export
	build/export/bin/python -m pip install --quiet --disable-pip-version-check -r internal/export/check/requirements.txt
	build/export/bin/python internal/export/check/check.py bin/aoso $${AOSO_DATA:-../shared/data} testdata/letter.csv.gz

# The race detector needs cgo and a C compiler; the oracle runs on one thread, slowly.
race: ## run the tests of the small packages under the race detector
	@if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC | cut -d' ' -f1) >/dev/null; then \
		packages=$$(go list ./internal/... ./cmd/... | grep -v /oracle); \
		echo go test -race -short -tags purego $$packages; \
		go test -race -short -tags purego $$packages; \
	else echo "race detector left out: no C compiler"; fi

fuzz: ## fuzz every target for FUZZTIME (30s)
	@for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -h '^func Fuzz' $$dir/*_test.go | sed 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/'); do \
			echo "go test -run '^\$$' -fuzz '^$$target\$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$dir"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$dir || exit 1; \
		done; \
	done

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

fmt: ## format the sources
	gofmt -w $(GOFILES)

clean: ## remove what was built
	rm -rf bin build
