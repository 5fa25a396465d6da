# make help lists what there is.

FUZZTIME ?= 30s
GOFILES = $(shell git ls-files --cached --others --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')

TWO = --no-print-directory -j2 --output-sync=target
STAGES = test-python test-go test-arm64 race test-capi test-examples fuzz torture

.DEFAULT_GOAL := help
.PHONY: help build demo test test-go tools vet params notices staticcheck race fuzz random-jobs bench bench-peers bench-prediction bench-growth paper asm asm-check test-arm64 lib install uninstall test-capi abi abi-check test-examples test-export fmt clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

# With -trimpath it shares what it compiles with the C library.
build: ## build the command line into bin/aoso
	go build -buildmode=pie -trimpath -o bin/aoso ./cmd/aoso

demo: build ## train on the embedded Letter data and compare with the paper (about half a minute)
	@go run ./internal/demo bin/aoso testdata/letter.csv.gz build/demo

# Two targets at a time, each of which prints what it has to say when it ends. First what others wait for: two builds of
# the same at once would both compile it.
test: tools ## run every test: vet, gofmt, Go, arm64 under qemu, race detector, C, C++, Python, a moment of each fuzz target, random trainings
	@$(MAKE) $(TWO) -o tools vet lib build wheel $(PYTHONS)
	@$(MAKE) $(TWO) -o tools -o lib -o build -o wheel $(STAGES) FUZZTIME=500x TORTURE=15s TORTURE_RUNS=2000 SEED=1
	@echo "make test: all passed (vet for amd64, arm64 and purego; gofmt; Go; arm64; race detector; C and C++; Python; fuzz targets; random trainings)"
	@go run ./internal/levels

# Other platforms: the packages that have files of their own for them, and of what vet looks for, what may differ there.
vet:
	go mod download
	GOARCH=amd64 go vet ./...
	GOARCH=arm64 go vet -asmdecl . ./kernel/... ./internal/mem ./internal/modelio
	go vet -tags purego .
	go run ./internal/asm lint
	go run ./internal/notices check
	@unformatted=$$(gofmt -l $(GOFILES)); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:" $$unformatted; exit 1; fi

params: ## write what is generated from the table of parameters in spec/
	go generate ./spec

notices: ## write THIRD_PARTY_NOTICES, the licences of what is linked
	go run ./internal/notices write

# A minute a platform, so not a part of vet.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

staticcheck: ## look for unused and doubtful code, for amd64, arm64 and purego
	GOBIN=$(CURDIR)/build/tools go install $(STATICCHECK)
	GOARCH=amd64 build/tools/staticcheck ./...
	GOARCH=arm64 build/tools/staticcheck ./...
	GOFLAGS=-tags=purego build/tools/staticcheck ./...

# vet has looked over the tests as well.
GO_TEST = go test -vet=off

test-go: ## run the Go tests
	$(GO_TEST) -v -run '^TestLevelsExpected$$' .
	$(GO_TEST) ./...

# What the tests run, and Debian's packages of it.
tools:
	@internal/need gcc=gcc g++=g++ make=make cmake=cmake pkg-config=pkg-config gzip=gzip readelf=binutils \
		aarch64-linux-gnu-as=binutils-aarch64-linux-gnu qemu-aarch64-static=qemu-user-static

asm: tools ## encode the words of kernel_arm64.s anew from their comments
	go run ./internal/asm write

asm-check: tools ## check that the words of kernel_arm64.s are what their comments say
	go run ./internal/asm check

test-arm64: asm-check ## run the kernels' conformance suite and predictions for arm64 under qemu
	CGO_ENABLED=0 GOARCH=arm64 $(GO_TEST) -c -o build/arm64.test .
	qemu-aarch64-static build/arm64.test -test.v -test.run '^TestLevelsExpected$$'
	qemu-aarch64-static build/arm64.test -test.short -test.run '^(TestLevels|TestRandomJobs)$$/^neon$$'
	qemu-aarch64-static build/arm64.test -test.run '^(TestSameModelOnEveryMachine|TestPredictLevels|TestRowPredictor|Fuzz.*)$$'

# Needs Python 3.11 or later and a way to PyPI. AOSO_DATA names another data folder.
test-export: build ## check exported models in onnxruntime and LightGBM
	@mkdir -p build
	test -x build/export/bin/python || python3 -m venv build/export
	build/export/bin/python -m pip install --quiet --disable-pip-version-check -r internal/export/check/requirements.txt
	build/export/bin/python internal/export/check/check.py bin/aoso $${AOSO_DATA:-../shared/data} testdata/letter.csv.gz

# The race detector needs cgo and a C compiler. It looks at the packages that share work among goroutines and, through
# the command line, at a whole training that is interrupted.
race: ## run the tests of what works in parallel under the race detector
	@if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC | cut -d' ' -f1) >/dev/null; then set -ex; \
		$(GO_TEST) -race -short -tags purego ./internal/par ./internal/bin ./internal/tree; \
		$(GO_TEST) -race -short -tags purego -run 'Interrupt|Signals|Threads' ./cmd/aoso; \
	else echo "race detector left out: no C compiler"; fi

# Fuzzing is for what parses. Kernels are given random jobs instead: assembly tells a fuzzer nothing of its branches.
# A time that runs out while an input runs can count as a failure ("context deadline exceeded"); a number of inputs, as 2000x, cannot.
fuzz: ## fuzz every parser for FUZZTIME (30s, or as 2000x a number of inputs) and count the inputs
	@go run ./internal/fuzz $(FUZZTIME)

JOBS ?= 10000
random-jobs: ## compare every kernel of every level with the reference on JOBS random jobs, and count them
	$(GO_TEST) -v -timeout 0 -run '^TestRandomJobs$$' . -random-jobs $(JOBS)

# TORTURE=1h: for so long; TORTURE_RUNS=20000: so many, unless the time ends before; SEED=7: those of seed 7 on, else of the time of day.
TORTURE ?= $(if $(TORTURE_RUNS),0,2m)
TORTURE_CLIENT = build/torture/client
.PHONY: torture

torture: lib $(TORTURE_CLIENT) build/python/new.ready ## train at random through Go, C and Python, for TORTURE (2m) or TORTURE_RUNS times
	go run ./internal/torture -time $(TORTURE) -runs $(or $(TORTURE_RUNS),0) -seed $(or $(SEED),0) -c $(TORTURE_CLIENT) -python build/python/new/bin/python $(ARGS)

$(TORTURE_CLIENT): internal/torture/clients/client.c | lib
	@mkdir -p build/torture
	$$(go env CC) -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -Ibuild/include $< -o $@ -Lbuild/lib -laoso -Wl,-rpath,$(CURDIR)/build/lib

# The C library. build/ is then a prefix to compile against: build/lib,
# build/include. Installing it is to copy LIB_FILES from there.
PREFIX ?= /usr/local
OBJCOPY ?= objcopy
ABI := $(shell sed -n 's/^\#define AOSO_ABI_VERSION //p' capi/include/aoso.h)
VERSION := $(shell sed -n 's/^\#define AOSO_VERSION_[A-Z]* //p' capi/include/aoso.h | paste -sd.)
SONAME := libaoso.so.$(ABI)
STAGE := build/capi-$(shell echo $$$$)
LIB_FILES = include/aoso.h include/aoso.hpp lib/libaoso.a lib/libaoso.so lib/$(SONAME) lib/$(SONAME).$(VERSION) \
	lib/pkgconfig/aoso.pc lib/cmake/aoso/aosoConfig.cmake lib/cmake/aoso/aosoConfigVersion.cmake \
	share/licenses/aoso/LICENSE share/licenses/aoso/THIRD_PARTY_NOTICES

# The archive is one object, so that Go's symbols can be hidden in it as well. Go
# starts before the program's own constructors, which may call it.
# Each make builds in a folder of its own: several may run at once.
lib: ## build the C library into build/lib: shared, static, with pkg-config and CMake files
	@mkdir -p $(STAGE) build/include build/lib/pkgconfig build/lib/cmake/aoso build/share/licenses/aoso
	go build -buildmode=c-shared -trimpath -o $(STAGE)/$(SONAME) \
		-ldflags '-s -w -extldflags "-Wl,-soname,$(SONAME) -Wl,--version-script=$(CURDIR)/capi/aoso.map"' ./capi
	go build -buildmode=c-archive -trimpath -o $(STAGE)/go.a -ldflags '-s -w' ./capi
	@cd $(STAGE) && ar x go.a && $$(go env CC) -r -nostdlib -Wl,-d -Wl,--wrap=pthread_create -o aoso.o go.o 0*.o && \
		$(OBJCOPY) --wildcard --keep-global-symbol='aoso_*' --strip-debug \
		--rename-section .init_array=.init_array.00102 aoso.o && ar rcs libaoso.a aoso.o
	@mv $(STAGE)/$(SONAME) build/lib/$(SONAME).$(VERSION) && mv $(STAGE)/libaoso.a build/lib
	@ln -sf $(SONAME).$(VERSION) build/lib/$(SONAME) && ln -sf $(SONAME) build/lib/libaoso.so
	@cp capi/include/aoso.h capi/include/aoso.hpp build/include
	@cp capi/package/aosoConfig.cmake build/lib/cmake/aoso
	@cp LICENSE THIRD_PARTY_NOTICES build/share/licenses/aoso
	@sed 's/@VERSION@/$(VERSION)/' capi/package/aoso.pc.in >build/lib/pkgconfig/aoso.pc
	@sed 's/@VERSION@/$(VERSION)/' capi/package/aosoConfigVersion.cmake.in >build/lib/cmake/aoso/aosoConfigVersion.cmake
	@rm -rf $(STAGE)

install: lib ## install the C library below DESTDIR/PREFIX (/usr/local)
	@for f in $(LIB_FILES); do \
		mkdir -p "$(DESTDIR)$(PREFIX)/$$(dirname $$f)" && cp -P build/$$f "$(DESTDIR)$(PREFIX)/$$f" || exit 1; \
	done
	@echo "installed aoso $(VERSION) in $(DESTDIR)$(PREFIX)"

uninstall: ## remove what install put there
	@cd "$(DESTDIR)$(PREFIX)" && rm -f $(LIB_FILES) && { rmdir lib/cmake/aoso share/licenses/aoso 2>/dev/null || true; }

test-capi: tools lib abi-check ## test the C library
	@capi/test/run

# capi/abi.txt is what programs compiled against the library rely on.
abi-check: lib
	@capi/test/abi | diff -u capi/abi.txt - || { echo "the ABI differs from capi/abi.txt: add, do not change; then make abi"; exit 1; }

abi: lib ## note the ABI of the C library in capi/abi.txt
	capi/test/abi >capi/abi.txt

test-examples: tools lib ## build and run the C and C++ examples and snippets with an installed library
	@rm -rf build/examples
	@$(MAKE) --no-print-directory -o lib install DESTDIR= PREFIX=$(CURDIR)/build/examples/prefix
	go run ./capi/examples/check build/examples

# The Python package. Its two virtual environments have the newest of everything, and scikit-learn 1.2 with what was there beside it.
PYTHON ?= python3
PYTHONS = build/python/new.ready build/python/old.ready
.PHONY: wheel test-python

# Bytecode goes to build/, and only of what is used.
export PYTHONPYCACHEPREFIX = $(CURDIR)/build/python/cache
export PYTHONDONTWRITEBYTECODE =

wheel: lib ## build the Python wheel, with the library inside, into build/wheel
	@rm -rf build/wheel
	$(PYTHON) -m pip wheel -q --no-deps -w build/wheel bindings/python
	@ls -l build/wheel

test-python: build wheel $(PYTHONS) ## test the wheel: README in an empty environment, tests, doctests, types
	@for v in new old; do build/python/$$v/bin/pip install -q --no-compile --force-reinstall --no-deps build/wheel/*.whl || exit 1; done
	cd bindings/python && ../../build/python/new/bin/python -m pytest
	cd bindings/python && ../../build/python/new/bin/python -m pytest --doctest-modules --pyargs aoso
	cd bindings/python && ../../build/python/new/bin/mypy --cache-dir ../../build/python/mypy
	cd bindings/python && ../../build/python/old/bin/python -m pytest tests/test_sklearn.py tests/test_sklearn_checks.py
	@echo "make test-python: all passed"

build/python/%.ready: bindings/python/requirements/%.txt
	$(PYTHON) -m venv --clear build/python/$*
	build/python/$*/bin/pip install -q --no-compile -r $<
	@touch $@

# Benchmarks. QUICK=1 makes those of Python tiny, ARGS goes to them: ARGS=--help.
COUNT ?= 4
BENCHSTAT = golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
BENCH_VENV = build/bench-venv
BENCH = PYTHONPATH=bindings/python/src $(BENCH_VENV)/bin/python -m

bench: ## benchmark kernels, training, prediction and files; the levels beside the plain Go reference
	@mkdir -p build
	go test -run '^$$' -bench Kernels -benchtime 50ms -count $(COUNT) -timeout 0 . | tee build/kernels.txt
	@! grep -q '^FAIL' build/kernels.txt
	@go run ./internal/asm levels build/kernels.txt
	go test -run '^$$' -bench . -count $(COUNT) -timeout 0 ./bench/... | tee build/bench.txt
	@! grep -q '^FAIL' build/bench.txt
	@go run $(BENCHSTAT) -filter '.name:Train /threads:1 .unit:ns/row*feature' \
		-col '/level@(generic avx2 avx512 neon)' -row /set build/bench.txt

bench-peers: lib $(BENCH_VENV)/ready ## compare with LightGBM, XGBoost, CatBoost and scikit-learn (hours; QUICK=1: minutes)
	$(BENCH) bench.peers $(if $(QUICK),--quick) $(ARGS)

bench-prediction: lib $(BENCH_VENV)/ready ## compare trained models in use with those of the peers (minutes)
	$(BENCH) bench.prediction $(if $(QUICK),--quick) $(ARGS)

bench-growth: lib $(BENCH_VENV)/ready ## how the time of a tree grows with the data, and shrinks with threads (minutes)
	$(BENCH) bench.growth $(if $(QUICK),--quick) $(ARGS)

paper: lib $(BENCH_VENV)/ready ## train for the paper's tables (hours; QUICK=1: a minute)
	$(BENCH) bench.paper $(if $(QUICK),--quick) $(ARGS)

$(BENCH_VENV)/ready: bench/requirements.txt
	python3 -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install -q -r bench/requirements.txt
	@touch $@

fmt: ## format the sources
	gofmt -w $(GOFILES)

clean: ## remove what was built
	rm -rf bin build
