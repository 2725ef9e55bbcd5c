// Package api is the root of the contract between clients and nodes: the .proto
// sources, and in the folders below the Go code made from them, a Go package for
// each proto package, so that a program links only what it speaks.
//
// The sources keep the names, numbers and types that existing clients of the
// Talos API know; they are the contract and change only with it. What this
// project adds is in the proto package ichor.v1, never in one of the others.
// The files below cosi are registered without that prefix.
package api

//go:generate go run -C ../tools ./protogen -dir ../api
