# make help lists the targets.

FUZZTIME ?= 30s
GOFILES = $(shell git ls-files --cached --others --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')

TWO = --no-print-directory -j2 --output-sync=target WORKERS=1
THREE = $(TWO:-j2=-j3)
# The tests share compiled packages with the C library and the command. Debug information would take time to compile and link,
# as would inlining in parts of Arrow that aoso hardly calls. The race detector and qemu take no such programs.
NOT_INLINED = $(addprefix github.com/apache/arrow-go/v18/arrow/,array scalar compute/...) github.com/goccy/go-json/...
COMPILED = -trimpath -gcflags=all=-dwarf=false $(NOT_INLINED:%='-gcflags=%=-dwarf=false -l')
SHARED = GOFLAGS="$(COMPILED) -buildmode=pie -ldflags=-w"
race: export GOFLAGS =
CHECKS = check-go check-capi check-python
STAGES = test-python test-go test-capi test-examples asm-check
# Of these, make test runs one a day. AOSO_TEST_SEED repeats the choice of a day, AOSO_TESTS=long runs all.
TURNS = race test-arm64 test-r test-java test-wasm
TURN = $(if $(findstring long,$(AOSO_TESTS)),$(TURNS),$(word $(shell expr $(or $(AOSO_TEST_SEED),$$(date -u +%Y%m%d)) % 5 + 1),$(TURNS)))
LONG_STAGES = test-32bit test-python-old test-tools test-spark test-ray test-export staticcheck workflows fuzz random-jobs kills kills-clusters matrix

.DEFAULT_GOAL := help
.PHONY: help build demo check $(CHECKS) test test-long test-go tools vet tidy params notices staticcheck headers race fuzz random-jobs bench bench-peers bench-prediction bench-serving bench-categories bench-tables bench-tuning bench-growth bench-coverage bench-many paper asm asm-check test-arm64 lib command install uninstall test-capi abi abi-check test-examples test-export fmt clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1\t/p' Makefile | expand -t 24

build: ## build the command line into bin/aoso
	go build -buildmode=pie $(COMPILED) -ldflags '-w -X main.release=$(VERSION)' -o bin/aoso ./cmd/aoso

demo: build ## train on the Letter data in testdata and compare with the paper (about half a minute)
	@$(SHARED) go run ./tools/demo bin/aoso testdata/letter.csv.gz build/demo

# Two targets run at a time, each with one worker, the longest first. Each prints its output when it ends. Common prerequisites
# are built first, so that two targets do not compile the same code at the same time. Tests that wait leave a core idle, so make test runs three.
check: tools ## for every change: vet, gofmt, short Go tests, the C library once, the core of the Python tests (3 minutes)
	@$(SHARED) tools/scratch $(MAKE) $(TWO) -o tools vet build/python/new.ready lib build
	@$(SHARED) tools/scratch $(MAKE) $(TWO) -o tools -o lib -o build $(CHECKS)
	@echo "make check: all passed"

check-go:
	$(GO_TEST) -short work

check-capi: lib
	AOSO_TESTS=short capi/test/run

CORE = booster dataset training labels matrix export categories capi derived
check-python: lib build build/python/new.ready
	cd bindings/python && PYTHONPATH=src ../../build/python/new/bin/python -m pytest -q $(CORE:%=tests/test_%.py)

test: tools ## test before merging: check's parts whole, examples, random trainings, and by turns the race detector, arm64 under qemu, R, Java and WebAssembly (8 minutes)
	@$(SHARED) tools/scratch $(MAKE) $(TWO) -o tools vet build/python/new.ready lib build wheel
	@$(SHARED) tools/scratch $(MAKE) $(THREE) -o tools -o lib -o build -o wheel $(STAGES) $(TURN) torture TORTURE=5s TORTURE_RUNS=2000 SEED=1
	@echo "make test: all passed (vet; gofmt; Go; C and C++; Python; random trainings; today $(TURN))"
	@for program in node cargo R mvn; do command -v $$program >/dev/null || echo "make test: skipped what needs $$program, which is missing"; done
	@$(SHARED) go run ./tools/levels

# AOSO_TESTS=long makes the tests of Go, C, Python, R and Java leave no case out. One stage runs at a time, and all run even if one fails.
test-long: tools ## test every night: everything, with every case, fuzzed and killed (hours)
	@$(MAKE) --no-print-directory -k AOSO_TESTS=long vet lib build wheel build/python/new.ready; first=$$?; \
	$(MAKE) --no-print-directory -k AOSO_TESTS=long $(STAGES) $(filter-out race,$(TURNS)); second=$$?; \
	$(MAKE) --no-print-directory -k RACE=work FUZZTIME=5m JOBS=20000 race torture-long $(LONG_STAGES) && [ $$first$$second = 00 ]

# The command, columnar, bench and tools/asm are modules of their own, so that programs that import aoso do not depend on theirs.
# The pattern "work" stands for the packages of all modules. Outside the workspace, which go mod tidy ignores, the modules
# need each other's releases: tidy uses the checkout in place of them.
MODULES = columnar bench cmd/aoso tools/asm
LOCAL = $(foreach m,aoso aoso/columnar,github.com/libaoso/$m)

tidy: ## bring the requirements of all modules up to date
	GOWORK=off go mod tidy
	@for m in $(MODULES); do (set -e; cd $$m; \
		go mod edit -replace github.com/libaoso/aoso=$(CURDIR) -replace github.com/libaoso/aoso/columnar=$(CURDIR)/columnar; \
		GOWORK=off go mod tidy; \
		go mod edit $(LOCAL:%=-dropreplace %)) || exit 1; done

# test-arm64 vets the declarations of assembly functions for arm64. test-32bit compiles the library for 32-bit platforms.
vet:
	go mod download
	GOARCH=amd64 go vet work
	go run ./tools/asm lint
	go run ./tools/headers check
	go run ./tools/notices check
	@if go list -deps ./capi | grep github.com/apache/arrow-go; then echo "the C library must not contain Arrow's modules"; exit 1; fi
	@built=$$(git ls-files '*.o' '*.a' '*.so' '*.so.*' '*.dylib' '*.dll' '*.pyc' '*.whl' '*.test' '*/Makevars' 2>/dev/null; git grep -laP '^\x7fELF' 2>/dev/null); \
	if [ -n "$$built" ]; then echo "build output is committed:" $$built; exit 1; fi
	@unformatted=$$(gofmt -l $(GOFILES)); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:" $$unformatted; exit 1; fi

params: ## write what is generated from the table of parameters in spec/
	go generate ./spec

headers: ## write what repeats the headers of the C library: its functions in C, its structs in Python
	go run ./tools/headers write

notices: ## write THIRD_PARTY_NOTICES, the licences of the linked modules
	go run ./tools/notices write

# It takes a minute for each platform, so it is not part of vet.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

staticcheck: ## find unused and suspicious code for amd64, arm64 and purego
	GOBIN=$(CURDIR)/build/tools go install $(STATICCHECK)
	GOARCH=amd64 build/tools/staticcheck work
	GOARCH=arm64 build/tools/staticcheck work
	GOFLAGS=-tags=purego build/tools/staticcheck work

.PHONY: workflows
workflows: ## check the workflows of GitHub Actions
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 .github/workflows/*.yml

# Beside other parts, training on one thread takes a fifth less CPU time than on two. The race detector, torture and test-capi use all cores.
check-go check-python test-go test-python: export GOMAXPROCS = $(WORKERS)

# The target vet has already vetted the tests.
GO_TEST = go test -vet=off $(if $(WORKERS),-p $(WORKERS) -parallel $(WORKERS)) $(if $(findstring long,$(AOSO_TESTS)),-timeout 1h)
export AOSO_TESTS

test-go: ## run the Go tests
	$(GO_TEST) -v -run '^TestLevelsExpected$$' .
	$(GO_TEST) work

# Installs the programs that the tests need (PROGRAM=DEBIAN-PACKAGE).
tools:
	@tools/need gcc=gcc g++=g++ make=make cmake=cmake pkg-config=pkg-config gzip=gzip readelf=binutils \
		aarch64-linux-gnu-as=binutils-aarch64-linux-gnu qemu-aarch64-static=qemu-user-static 'R=r-base-core r-cran-matrix'

asm: tools ## write what is generated in the assembly, and encode the words in kernel_arm64.s from their comments
	go run ./tools/asm write

asm-check: tools ## check that the words in kernel_arm64.s match their comments
	go run ./tools/asm check

test-arm64: asm-check ## vet the assembly for arm64, and run the conformance suite of the kernels and predictions under qemu
	GOFLAGS= GOARCH=arm64 go vet -asmdecl . ./kernel/... ./internal/mem ./internal/modelio
	GOFLAGS= CGO_ENABLED=0 GOARCH=arm64 $(GO_TEST) -c -o build/arm64.test .
	GOFLAGS= CGO_ENABLED=0 GOARCH=arm64 $(GO_TEST) -c -o build/acceptance-arm64.test ./internal/acceptance
	qemu-aarch64-static build/arm64.test -test.v -test.run '^TestLevelsExpected$$'
	qemu-aarch64-static build/arm64.test -test.short -test.run '^(TestLevels|TestRandomJobs)$$/^neon$$'
	cd internal/acceptance && qemu-aarch64-static ../../build/acceptance-arm64.test -test.run '^(TestSameModelOnEveryMachine|TestPredictLevels|TestRowPredictor|Fuzz.*)$$'

.PHONY: test-32bit
test-32bit: tools ## run trainings and predictions on 32-bit platforms: arm under qemu, 386 where the CPU has it (minutes)
	@for arch in arm $(if $(filter x86_64,$(shell uname -m)),386); do \
		CGO_ENABLED=0 GOARCH=$$arch $(GO_TEST) -c -o build/acceptance-$$arch.test ./internal/acceptance || exit 1; \
		case $$arch in arm) emulator=qemu-arm-static ;; *) emulator= ;; esac; \
		(cd internal/acceptance && $$emulator ../../build/acceptance-$$arch.test -test.short -test.v -test.run '^(TestSameModelOnEveryMachine|TestPredictLevels|TestRowPredictor)$$') || exit 1; \
	done

# Needs Python 3.11 or later and access to PyPI, and for PMML, Java 17 and Maven. AOSO_DATA sets another data folder, and
# EXPORT_SETS names the data sets to check if not all.
JARS = build/export/pmml
test-export: build ## check exported models with onnxruntime, LightGBM, treelite and jpmml-evaluator
	@mkdir -p build
	test -x build/export/bin/python || python3 -m venv build/export
	build/export/bin/python -m pip install --quiet --disable-pip-version-check -r tools/exportcheck/requirements.txt
	if command -v java >/dev/null && command -v mvn >/dev/null; then mvn -q -B -Dstyle.color=never -f tools/exportcheck/pom.xml dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/$(JARS); fi
	build/export/bin/python tools/exportcheck/check.py bin/aoso $${AOSO_DATA:-../shared/data} testdata/letter.csv.gz $(JARS) $(EXPORT_SETS)

# The race detector needs cgo and a C compiler. It checks the packages that share work among goroutines, and several trainings
# at once on one dataset, but leaves out what takes long on one goroutine. It also vets the root package for purego, whose packages it
# compiles anyway. RACE=work checks everything.
race: ## run the tests of parallel code under the race detector
	@if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC | cut -d' ' -f1) >/dev/null; then set -ex; \
		if [ -n "$(RACE)" ]; then AOSO_TESTS= $(GO_TEST) -race -timeout 2h $(RACE); exit; fi; \
		$(GO_TEST) -race -short -tags purego -skip '^Test(Linear|BestSubset|Subset.*)$$' $(addprefix ./internal/,par bin mem tree boost predict explain); \
		go test -vet=all -race -short -tags purego -run '^TestSharedDataset$$' . ./internal/acceptance; \
	else echo "race detector skipped: no C compiler"; fi

# Not a part of test: a fuzzer compiles all of Go again, for a minute. The Go tests run every seed and stored input.
# Only parsers are fuzzed. Kernels get random jobs instead, because a fuzzer cannot see the branches of assembly code.
# If a time limit expires during an input, Go may report a failure ("context deadline exceeded"). A number of inputs such
# as 2000x avoids that.
fuzz: ## fuzz every parser for FUZZTIME (30s by default, or a number of inputs such as 2000x) and count the inputs
	@go run ./tools/fuzz $(FUZZTIME)

JOBS ?= 10000
random-jobs: ## compare every kernel of every level with the reference on JOBS (10000) random jobs
	$(GO_TEST) -v -timeout 0 -run '^TestRandomJobs$$' . -random-jobs $(JOBS)

# TORTURE=1h is a time limit, TORTURE_RUNS=20000 a number of trainings; with both, the first limit reached counts. SEED=7 is
# the first seed; by default it comes from the clock.
TORTURE ?= $(if $(TORTURE_RUNS),0,2m)
TORTURE_CLIENT = build/torture/client
.PHONY: torture torture-long

torture-long:
	@$(MAKE) --no-print-directory torture TORTURE=1h

torture: lib $(TORTURE_CLIENT) build/python/new.ready ## run random trainings through Go, C and Python, for TORTURE (2m) or TORTURE_RUNS times
	go run ./tools/torture -time $(TORTURE) -runs $(or $(TORTURE_RUNS),0) -seed $(or $(SEED),0) -c $(TORTURE_CLIENT) -python build/python/new/bin/python $(ARGS)

$(TORTURE_CLIENT): tools/torture/clients/client.c capi/include/aoso/params.h | lib
	@mkdir -p build/torture
	$$(go env CC) -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -Ibuild/include $< -o $@ -Lbuild/lib -laoso -Wl,-rpath,$(CURDIR)/build/lib

# The C library. Programs can be compiled with build/ as the prefix. Installation copies LIB_FILES from there.
PREFIX ?= /usr/local
OBJCOPY ?= objcopy
ABI := $(shell sed -n 's/^\#define AOSO_ABI_VERSION //p' capi/include/aoso/base.h)
VERSION := $(shell sed -n 's/^\#define AOSO_VERSION_[A-Z]* //p' capi/include/aoso/base.h | paste -sd.)
SONAME := libaoso.so.$(ABI)
PREDICT_ABI = 1
STAGE := build/capi-$(shell echo $$$$)
HEADERS := $(patsubst capi/%,%,$(wildcard capi/include/aoso*.h* capi/include/aoso/*))
LIB_FILES = $(HEADERS) lib/libaoso.a lib/libaoso.so lib/$(SONAME) lib/$(SONAME).$(VERSION) \
	lib/libaoso_predict.a $(addprefix lib/libaoso_predict,.so .so.$(PREDICT_ABI) .so.$(PREDICT_ABI).$(VERSION)) \
	lib/pkgconfig/aoso.pc lib/pkgconfig/aoso_predict.pc lib/cmake/aoso/aosoConfig.cmake lib/cmake/aoso/aosoConfigVersion.cmake \
	share/licenses/aoso/LICENSE share/licenses/aoso/THIRD_PARTY_NOTICES share/aoso/valgrind.supp

# The archive contains a single object, so that Go's symbols can be hidden in it too. Go starts before the constructors of
# the program, because these may call the library. Each make uses its own folder, so that several can run at the same time.
lib: ## build the C library into build/lib: shared, static, with pkg-config and CMake files
	@mkdir -p $(STAGE) build/lib/pkgconfig build/lib/cmake/aoso build/share/licenses/aoso build/share/aoso
	go build -buildmode=c-shared $(COMPILED) -o $(STAGE)/$(SONAME) \
		-ldflags '-s -w -extldflags "-Wl,-soname,$(SONAME) -Wl,--version-script=$(CURDIR)/capi/aoso.map"' ./capi
	go build -buildmode=c-archive $(COMPILED) -o $(STAGE)/go.a -ldflags '-s -w' ./capi
	@cd $(STAGE) && ar x go.a && $(LD) -r -d --wrap=pthread_create -o aoso.o go.o 0*.o && \
		$(OBJCOPY) --wildcard --keep-global-symbol='aoso_*' --strip-debug \
		--rename-section .init_array=.init_array.00102 aoso.o && ar rcs libaoso.a aoso.o
	@cp -r capi/include build
	$(MAKE) --no-print-directory predictlib
	@mv $(STAGE)/$(SONAME) build/lib/$(SONAME).$(VERSION) && mv $(STAGE)/libaoso.a build/lib
	@ln -sf $(SONAME).$(VERSION) build/lib/$(SONAME) && ln -sf $(SONAME) build/lib/libaoso.so
	@cp capi/package/aosoConfig.cmake build/lib/cmake/aoso
	@cp LICENSE THIRD_PARTY_NOTICES build/share/licenses/aoso
	@cp capi/package/valgrind.supp build/share/aoso
	@for name in aoso aoso_predict; do sed 's/@VERSION@/$(VERSION)/' capi/package/$$name.pc.in >build/lib/pkgconfig/$$name.pc; done
	@sed 's/@VERSION@/$(VERSION)/' capi/package/aosoConfigVersion.cmake.in >build/lib/cmake/aoso/aosoConfigVersion.cmake
	@rm -rf $(STAGE)

# The library that only predicts is C without Go. Its results must not depend on whether the compiler fuses products and sums.
# Like libaoso.a, its archive is one object, so that only the public functions are visible.
PREDICT_CFLAGS = -std=c11 -O3 -ffp-contract=off -fPIC -fvisibility=hidden -Wall -Wextra -DAOSOP_VERSION='"$(VERSION)"' -Icapi/include
PREDICT_SONAME = libaoso_predict.so.$(PREDICT_ABI)
.PHONY: predictlib

predictlib: ## build the C library that only predicts into build/lib; make lib does so too
	@mkdir -p $(STAGE) build/lib build/include
	@cp capi/include/aoso_predict.h build/include
	for f in capi/predict/*.c; do $$(go env CC) $(PREDICT_CFLAGS) -c $$f -o $(STAGE)/predict-$$(basename $$f .c).o || exit 1; done
	@cd $(STAGE) && $$(go env CC) -shared -s -Wl,-soname,$(PREDICT_SONAME) -Wl,-z,relro,-z,now -o $(PREDICT_SONAME) predict-*.o && \
		$(LD) -r -o aoso_predict.o predict-*.o && \
		$(OBJCOPY) --wildcard --keep-global-symbol='aosop_*' --strip-debug aoso_predict.o && ar rcs libaoso_predict.a aoso_predict.o
	@mv $(STAGE)/$(PREDICT_SONAME) build/lib/$(PREDICT_SONAME).$(VERSION) && mv $(STAGE)/libaoso_predict.a build/lib
	@ln -sf $(PREDICT_SONAME).$(VERSION) build/lib/$(PREDICT_SONAME) && ln -sf $(PREDICT_SONAME) build/lib/libaoso_predict.so
	@rm -f $(STAGE)/*predict* && rmdir --ignore-fail-on-non-empty $(STAGE)

# The command with its manual pages and completion scripts. Installation copies COMMAND_FILES.
COMMANDS = $(patsubst build/%,%,$(wildcard build/share/man/man1/aoso*.1))
COMPLETIONS = share/bash-completion/completions/aoso share/zsh/site-functions/_aoso share/fish/vendor_completions.d/aoso.fish
COMMAND_FILES = bin/aoso $(COMPLETIONS) $(COMMANDS)

command: build ## write the command, its manual pages and its completion scripts into build
	@mkdir -p build/bin build/share/man/man1 $(addprefix build/,$(dir $(COMPLETIONS)))
	@cp bin/aoso build/bin
	go run -tags man ./cmd/aoso man --out build/share/man/man1
	@bin/aoso completion bash >build/share/bash-completion/completions/aoso
	@bin/aoso completion zsh >build/share/zsh/site-functions/_aoso
	@bin/aoso completion fish >build/share/fish/vendor_completions.d/aoso.fish

install: lib command ## install the C library and the command below DESTDIR/PREFIX (/usr/local)
	@for f in $(LIB_FILES) $(COMMAND_FILES); do \
		mkdir -p "$(DESTDIR)$(PREFIX)/$$(dirname $$f)" && cp -P build/$$f "$(DESTDIR)$(PREFIX)/$$f" || exit 1; \
	done
	@echo "installed aoso $(VERSION) in $(DESTDIR)$(PREFIX)"

uninstall: ## remove the files that install copied
	@cd "$(DESTDIR)$(PREFIX)" && rm -f $(LIB_FILES) $(COMMAND_FILES) share/man/man1/aoso.1 share/man/man1/aoso-*.1 && { rmdir include/aoso lib/cmake/aoso share/licenses/aoso share/aoso 2>/dev/null || true; }

test-capi: tools lib abi-check ## test the C library
	@capi/test/run

# capi/abi.txt is the binary interface that compiled programs depend on.
abi-check: lib
	@capi/test/abi | diff -u capi/abi.txt - || { echo "the ABI differs from capi/abi.txt: additions are allowed, changes are not; after an addition, run make abi"; exit 1; }

abi: lib ## write the ABI of the C library to capi/abi.txt
	capi/test/abi >capi/abi.txt

test-examples: tools lib command ## build and run the C and C++ examples and snippets with an installed library
	@rm -rf build/examples
	@$(MAKE) --no-print-directory -o lib -o command install DESTDIR= PREFIX=$(CURDIR)/build/examples/prefix
	go run ./capi/examples/check build/examples

# The Python package is tested in two virtual environments: one has the newest version of every package, the other, of
# test-python-old, scikit-learn 1.2 and packages of the same age.
PYTHON ?= python3
WEB_VENV = build/web-venv
.PHONY: wheel test-python test-python-old test-tools test-spark test-ray kills kills-clusters matrix
KILLS ?= 50

# Bytecode goes to build/, and only for modules that are imported.
export PYTHONPYCACHEPREFIX = $(CURDIR)/build/python/cache
export PYTHONDONTWRITEBYTECODE =

wheel: lib ## build the Python wheel, which includes the library, into build/wheel
	@rm -rf build/wheel
	$(PYTHON) -m pip wheel -q --no-deps -w build/wheel bindings/python
	@ls -l build/wheel

INSTALL_WHEEL = install -q --no-compile --force-reinstall --no-deps build/wheel/*.whl

test-python: build wheel build/python/new.ready ## test the Python wheel: tests, doctests, types
	build/python/new/bin/pip $(INSTALL_WHEEL)
	cd bindings/python && ../../build/python/new/bin/python -m pytest --doctest-modules --doctest-ignore-import-errors --pyargs tests/test_*.py aoso
	cd bindings/python && ../../build/python/new/bin/mypy --cache-dir ../../build/python/mypy
	@echo "make test-python: all passed"

test-python-old: wheel build/python/old.ready ## test the Python wheel beside the oldest supported packages, and with PYTHON=python3.9
	build/python/old/bin/pip $(INSTALL_WHEEL)
	cd bindings/python && ../../build/python/old/bin/python -m pytest tests/test_sklearn.py tests/test_sklearn_checks.py tests/test_matrix.py tests/test_arrow.py

test-tools: wheel build/python/tools.ready ## test the Python wheel with shap, mlflow, Optuna, skl2onnx, skops and duckdb (minutes)
	build/python/tools/bin/pip $(INSTALL_WHEEL)
	cd bindings/python && ../../build/python/tools/bin/python -m pytest tests/test_tools.py tests/test_report.py tests/test_scripts.py

# pyspark takes 400 MB, so it has environments of its own.
test-spark: lib build/python/spark.ready build/python/spark35.ready ## train with Spark and Spark Connect, whose workers are killed and stopped (minutes; needs Java 17)
	@tools/need java=openjdk-17-jre-headless
	cd bindings/python && PYTHONPATH=src ../../build/python/spark/bin/python -m pytest tests/test_spark.py
	cd bindings/python && PYTHONPATH=src ../../build/python/spark35/bin/python -m pytest tests/test_spark.py -k "one_model or pipeline or validation"

test-ray: lib build/python/ray.ready ## train with Ray, whose workers are killed and stopped (minutes)
	cd bindings/python && PYTHONPATH=src ../../build/python/ray/bin/python -m pytest tests/test_ray.py

kills: lib build/python/new.ready ## kill ranks of MPI and workers of Dask in KILLS trainings, which begin again (half an hour)
	cd bindings/python/tests && for engine in mpi dask; do \
		PYTHONPATH=../src ../../../build/python/new/bin/python kills.py --engine $$engine --kills $(KILLS) || exit 1; done

kills-clusters: lib build/python/spark.ready build/python/ray.ready ## kill executors and workers of Spark, and workers of Ray, in KILLS trainings, each tried again once (an hour)
	cd bindings/python/tests && for engine in spark ray; do \
		PYTHONPATH=../src ../../../build/python/$$engine/bin/python kills.py --engine $$engine --kills $(KILLS) || exit 1; done

# MATRIX="--sets letter --trees 20" takes a part, and less time.
matrix: lib build/python/new.ready ## train every set on 1 to 4 ranks of threads, MPI and Dask with default parameters, and compare (an hour)
	cd bindings/python/tests && PYTHONPATH=$(CURDIR)/bindings/python/src ../../../build/python/new/bin/python matrix.py $(MATRIX)

build/python/%.ready: bindings/python/requirements/%.txt
	$(PYTHON) -m venv --clear build/python/$*
	build/python/$*/bin/pip install -q --no-compile -r $<
	@touch $@

.PHONY: test-r
test-r: lib ## check the R package as CRAN does, and run the examples of its page
	@if command -v R >/dev/null; then bindings/r/check $(CURDIR)/build build/r; else echo "R skipped: no R (Debian: r-base-core)"; fi

.PHONY: test-java
test-java: lib build ## build and test the jar, and follow its page in an empty folder
	@if command -v mvn >/dev/null; then bindings/java/check $(CURDIR)/build build/java; else echo "Java skipped: no mvn (Debian: maven, default-jdk-headless)"; fi

# The page that trains in the browser. The model of the command that it compares with is trained here.
.PHONY: web test-wasm test-web
web: build ## build the page that trains in the browser into build/web; python3 -m http.server -d build/web shows it
	go run ./web/build build/web bin/aoso

test-wasm: web ## train with the page's WebAssembly under Node, and compare with the commands that the page shows
	@if command -v node >/dev/null; then node web/check.mjs build/web bin; else echo "WebAssembly skipped: no node"; fi

test-web: docs $(WEB_VENV)/ready ## open every page of the site in headless Chromium, and train in one; pictures go to build/web-check
	@tools/need chromium=chromium
	$(WEB_VENV)/bin/python web/check.py build/site build/web-check

$(WEB_VENV)/ready: web/requirements.txt
	$(PYTHON) -m venv --clear $(WEB_VENV)
	$(WEB_VENV)/bin/pip install -q --no-compile -r $<
	@touch $@

# Needs node, R, Maven and qemu for its checks, and several minutes, so it is not part of test.
.PHONY: release
release: tools ## build the files of a release from the last commit into build/release and check each in an empty environment
	@tools/need R=r-base-core 'mvn=maven default-jdk-headless'
	tools/release/build
	tools/release/check

# Benchmarks. For those in Python, QUICK=1 measures very little, and ARGS passes arguments, such as ARGS=--help.
COUNT ?= 4
BENCHSTAT = golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
BENCH_VENV = build/bench-venv
BENCH = PYTHONPATH=bindings/python/src $(BENCH_VENV)/bin/python -m

bench: ## benchmark kernels, training, prediction and files, and compare the levels with the plain Go reference
	@mkdir -p build
	go test -run '^$$' -bench Kernels -benchtime 50ms -count $(COUNT) -timeout 0 . | tee build/kernels.txt
	@! grep -q '^FAIL' build/kernels.txt
	@go run ./tools/asm levels build/kernels.txt
	go test -run '^$$' -bench . -count $(COUNT) -timeout 0 ./bench/... | tee build/bench.txt
	@! grep -q '^FAIL' build/bench.txt
	@go run $(BENCHSTAT) -filter '.name:Train /threads:1 .unit:ns/row*feature' \
		-col '/level@(generic avx2 avx512 neon)' -row /set build/bench.txt

bench-peers: lib $(BENCH_VENV)/ready ## compare with LightGBM, XGBoost, CatBoost and scikit-learn (hours; QUICK=1: minutes)
	$(BENCH) bench.peers $(if $(QUICK),--quick) $(ARGS)

bench-prediction: lib $(BENCH_VENV)/ready ## compare prediction with trained models with that of the peers (minutes)
	$(BENCH) bench.prediction $(if $(QUICK),--quick) $(ARGS)

bench-serving: BENCH_VENV = build/bench-serving
bench-serving: lib build/bench-serving/ready ## measure one row and batches in several ways to serve a model (half an hour)
	$(BENCH) bench.serving $(if $(QUICK),--quick) $(ARGS)

bench-categories: lib $(BENCH_VENV)/ready ## compare on tables with categorical columns (an hour; QUICK=1: a minute)
	$(BENCH) bench.categories $(if $(QUICK),--quick) $(ARGS)

bench-tables: lib $(BENCH_VENV)/ready ## compare on twenty tables of other people, with three more libraries (hours; QUICK=1: minutes)
	$(BENCH) bench.tables $(if $(QUICK),--quick) $(ARGS)

bench-tuning: lib $(BENCH_VENV)/ready ## compare the search for parameters with FLAML and Optuna (half an hour; QUICK=1: a minute)
	$(BENCH) bench.tuning $(if $(QUICK),--quick) $(ARGS)

bench-growth: lib $(BENCH_VENV)/ready ## measure how the time per tree grows with the data and shrinks with threads (minutes)
	$(BENCH) bench.growth $(if $(QUICK),--quick) $(ARGS)

bench-scale: ## measure ranks in one process with delays, and estimate the time of a tree on many machines (half a minute)
	go run ./bench/scale $(ARGS)

bench-many: lib $(BENCH_VENV)/ready ## compare on a thousand classes, each with 16 GiB and an hour (hours; QUICK=1: a minute)
	$(BENCH) bench.many $(if $(QUICK),--quick) $(ARGS)

bench-coverage: lib $(BENCH_VENV)/ready ## measure how often prediction sets have the class of their row (minutes)
	$(BENCH) bench.coverage $(if $(QUICK),--quick) $(ARGS)

paper: lib $(BENCH_VENV)/ready ## train the models of the paper's tables (hours; QUICK=1: a minute)
	$(BENCH) bench.paper $(if $(QUICK),--quick) $(ARGS)

$(BENCH_VENV)/ready: bench/requirements.txt
build/bench-serving/ready: bench/serving/requirements.txt
$(BENCH_VENV)/ready build/bench-serving/ready:
	python3 -m venv $(@D)
	$(@D)/bin/pip install -q -r $<
	@touch $@

# The documentation. Its snippets and links are tested by test-python.
.PHONY: docs pictures

docs: web build/docs/ready ## build the documentation site into build/site, with the page that trains in the browser (half a minute)
	NO_MKDOCS_2_WARNING=1 build/docs/bin/mkdocs build -q -f site/mkdocs.yml
	@echo "make docs: open build/site/index.html"

build/docs/ready: site/requirements.txt
	$(PYTHON) -m venv --clear build/docs
	build/docs/bin/pip install -q --no-compile -r $<
	@touch $@

pictures: lib build/python/new.ready ## draw the pictures of the documentation from trainings on Letter (half a minute)
	PYTHONPATH=bindings/python/src build/python/new/bin/python site/pictures.py

fmt: ## format the sources
	gofmt -w $(GOFILES)

clean: ## remove all build outputs
	rm -rf bin build
