# Everything starts here; `make help` lists it. Set-up is done by each target as it needs it.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

JOBS ?= 2
# Tests wait more than they work: one more than there are cores.
TEST_JOBS ?= 3
PREFIX ?= /usr/local
PRESET ?= release
DEMO ?= --for 20s
SECONDS_PER_FUZZER ?= 60
SANITIZERS := asan tsan

# $(call compile,PRESET,TARGET...): one at a time per preset.
compile = flock build/$(1).lock tools/compile $(1) --parallel $(JOBS) $(if $(2),--target $(2))
ctest = @ctest --preset $(1) --parallel $(TEST_JOBS) --no-tests=error --output-on-failure \
  $(2)

.PHONY: help demo build install test test-full acceptance check fmt bench fuzz clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: ## build the program and watch it fill a table for 20 seconds (no Java, no Kafka)
	@tools/setup build
	@$(call compile,$(PRESET),weir)
	@ln -sfn $(PRESET)/weir build/weir
	@build/weir demo $(DEMO)

build: ## build the program (build/weir) and all tests
	@tools/setup build
	@$(call compile,$(PRESET))
	@ln -sfn $(PRESET)/weir build/weir

install: ## build, and install below PREFIX (/usr/local): program, two libraries, licence
	@tools/setup build
	@$(call compile,$(PRESET),weir)
	@cmake --install build/$(PRESET) --prefix $(PREFIX)

test: ## what CI runs: a minute of each fuzzer, all tests but the long ones
	@tools/setup build
	@tools/setup test & readers=$$!; $(call compile,$(PRESET)); wait $$readers
	@ln -sfn $(PRESET)/weir build/weir
	@tools/fuzz $(SECONDS_PER_FUZZER)
	$(call ctest,$(PRESET),-LE long)

test-full: ## all tests, long ones too, then the sanitizers and the fuzzers
	@tools/setup build
	@tools/setup long & readers=$$!; $(call compile,$(PRESET)); wait $$readers
	@ln -sfn $(PRESET)/weir build/weir
	@$(MAKE) --no-print-directory fuzz SECONDS_PER_FUZZER=300 $(addprefix sanitize-,$(SANITIZERS))
	$(call ctest,$(PRESET))

acceptance: ## the examples end to end against computed answers; CHECK=3 for one of them
	@tools/setup build
	@tools/setup test
	@$(call compile,$(PRESET),weir)
	@WEIR=build/$(PRESET)/weir build/venv-test/bin/python -B -m pytest -s tests/acceptance \
	  $(if $(CHECK),-k check_$(CHECK)_)

sanitize-%:
	@$(call compile,$*)
	$(call ctest,$*,-LE long)

check: ## format, linters, include edges, sizes, unused files, words
	@tools/setup check
	@tools/check

fmt: ## format the C++ sources in place
	@tools/setup check
	@tools/check_format --fix

bench: ## measure; bench/README.md says what
	@tools/setup bench
	@$(call compile,$(PRESET))
	@$(call compile,$(PRESET),commit_bench)
	@ln -sfn $(PRESET)/weir build/weir
	@bench/run

fuzz: ## run each fuzzer for SECONDS_PER_FUZZER=60
	@tools/setup check
	@tools/fuzz $(SECONDS_PER_FUZZER)

clean: ## remove build/ (the download cache stays: WEIR_CACHE, else ~/.cache/weir)
	@rm -rf build
