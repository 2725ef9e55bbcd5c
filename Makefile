# Thin on purpose: the work is in Go programs of this repository.
# `.ci/setup` installs what is missing and says where the right `go` is.
SHELL := /bin/bash
GO = PATH="$$(.ci/setup --path):$$PATH" GOTOOLCHAIN=local GOFLAGS=-buildvcs=false go

.PHONY: bench-node talosctl cluster cluster-destroy help assets test unit lint generate lock sizes long

NODES ?= 1+1
CLUSTER ?= talos-default

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

long: ## soaks, full rebuild comparison
	@$(GO) run ./test/run long

bench-node: assets ## memory and processor time of an idle node's own processes, against their bounds; needs root
	@$(GO) run ./test/bench node

talosctl: ## the client, as build/talosctl
	@$(GO) build -trimpath -ldflags="-s -w" -o build/talosctl ./cmd/talosctl

cluster: assets talosctl ## a Kubernetes cluster on this computer; NODES=3+1 (control planes + workers), CLUSTER=NAME; needs root
	@build/talosctl cluster create --exist-ok --name $(CLUSTER) --nodes $(NODES)

cluster-destroy: talosctl ## end the cluster of `make cluster`
	@build/talosctl cluster destroy --name $(CLUSTER)
