# The everyday commands. Each installs what it needs on Debian (root or sudo), builds and runs.
#   make            build/scone and the library          make test     all tests, a few minutes
#   make demo       a first run on data it makes         make soak     the long versions of the tests
#   make examples   build/examples/*, see examples/      make install  PREFIX=/usr/local
#   make bench      the benchmarks, to bench/results     make clean
#   make tables     the tables of the paper with competitors, to docs/notebook/paper.md, see bench/tables/README.md:
#                   days; QUICK=1 for ten minutes, and SETTINGS=, PEERS=, LIMIT=, MODELS=, TRAINED= to choose
#   make format     clang-format over the sources

PREFIX  ?= /usr/local
DESTDIR ?=
# Warnings are errors in CI (and wherever WERROR=ON is given).
WERROR  ?= $(if $(CI),ON,OFF)
CMAKE_FLAGS ?= -DSCONE_WERROR=$(WERROR)
SECONDS_PER_FUZZER ?= 5
CORES   ?= $(shell nproc)
SOAK_SECONDS ?= 1800

.PHONY: all examples demo test soak bench tables install format clean deps-build deps-test sanitize fuzz coverage

all: deps-build
	@tools/configure.sh release $(CMAKE_FLAGS) -DSCONE_TESTS=OFF
	cmake --build --preset release

deps-build:
	@tools/deps.sh build

deps-test:
	@tools/deps.sh build test

examples: deps-build
	@tools/configure.sh release $(CMAKE_FLAGS) -DSCONE_TESTS=OFF
	cmake --build --preset release --target examples

demo: all
	@tools/demo.sh build/scone demo

test: deps-test
	@tools/configure.sh release $(CMAKE_FLAGS) -DSCONE_TESTS=ON
	cmake --build --preset release
	ctest --preset release --no-tests=error -j $(CORES)
	@$(MAKE) --no-print-directory sanitize fuzz

# The unit tests and the command line under the address and undefined-behaviour sanitizers.
sanitize: deps-test
	@tools/configure.sh asan $(CMAKE_FLAGS)
	cmake --build --preset asan
	ctest --preset asan --no-tests=error -j $(CORES)

fuzz: deps-test
	@tools/configure.sh fuzz $(CMAKE_FLAGS)
	cmake --build --preset fuzz
	tools/fuzz.sh out/fuzz $(SECONDS_PER_FUZZER)

# Hours rather than minutes: thread sanitizer, long fuzzing, the full numbers of the fault tests.
soak: deps-test
	@tools/configure.sh release $(CMAKE_FLAGS) -DSCONE_TESTS=ON
	cmake --build --preset release
	@tools/configure.sh tsan $(CMAKE_FLAGS)
	cmake --build --preset tsan
	TSAN_OPTIONS=ignore_noninstrumented_modules=1 ctest --preset tsan --no-tests=error -j $(CORES)
	SCONE_SOAK=1 ctest --preset release --no-tests=error -j $(CORES)
	@$(MAKE) --no-print-directory fuzz SECONDS_PER_FUZZER=$(SOAK_SECONDS)

coverage: deps-test
	tools/coverage.sh

bench: all
	@tools/deps.sh bench
	tools/bench.sh

tables: all
	@tools/deps.sh bench
	bench/tables/tables.py --mode $(if $(TINY),tiny,$(if $(QUICK),quick,full)) $(if $(SETTINGS),--settings $(SETTINGS)) \
	    $(if $(PEERS),--peers $(if $(filter 1,$(PEERS)),all,$(PEERS))) $(if $(LIMIT),--limit $(LIMIT)) $(if $(RETRY),--retry) \
	    $(if $(MODELS),--models $(MODELS)) $(if $(TRAINED),--trained $(TRAINED))

install: all
	@tools/configure.sh release -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	@cmake --build --preset release >/dev/null
	DESTDIR=$(DESTDIR) cmake --install build

format:
	@tools/deps.sh format
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build out demo
