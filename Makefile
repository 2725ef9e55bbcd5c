# Thin on purpose: the work is in Go programs of this repository.
# `.ci/setup` installs what is missing and says where the right `go` is.
SHELL := /bin/bash
GO = PATH="$$(.ci/setup --path):$$PATH" GOTOOLCHAIN=local GOFLAGS=-buildvcs=false go

.PHONY: help assets test unit lint generate lock sizes long

help: ## what there is
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' Makefile

test: ## everything that CI runs: lint, unit tests with the race detector, fuzzing, assets, end to end
	@$(GO) run ./test/run ci

assets: ## build what a node starts from: programs, images, root file system
	@$(GO) run ./cmd/imager assets

sizes: ## the size of each part of the assets
	@$(GO) run ./cmd/imager sizes

lock: ## move the pins of Debian packages to the newest of their series
	@$(GO) run ./cmd/imager lock

unit: ## the fast tests alone
	@$(GO) run ./test/run unit

lint: ## gofmt, vet, staticcheck, generated files, known vulnerabilities
	@$(GO) run ./test/run lint

generate: ## renew generated files
	@$(GO) generate ./...

assets: ## what a node starts from: root file system, image cache; prints their folder
	@$(GO) run ./cmd/imager assets

sizes: ## the size of each part of the assets
	@$(GO) run ./cmd/imager sizes

lock: ## move the pins of Debian packages to the newest of their series
	@$(GO) run ./cmd/imager lock

long: ## soaks, full rebuild comparison
	@$(GO) run ./test/run long
