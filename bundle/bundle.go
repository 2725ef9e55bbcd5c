// Package bundle knows the third-party programs that a node runs and builds
// them from their Go modules.
//
// Each program belongs to a nested module in this folder, whose go.mod and
// go.sum pin everything it is made of. [Programs] is the table: how each is
// built, under which licence, and what it lacks on arm64. A [Builder] compiles
// a program at most once for one set of inputs and keeps the result in a
// content-addressed cache; it builds the mains of the root module (cmd/...)
// the same way.
//
// The package does not pack programs into images or a root file system; osimage
// does that.
package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/version"
)

// Program is one executable and how it is built.
type Program struct {
	// Name identifies the program in this repository. Where several versions
	// of one program exist it ends with the version.
	Name string
	// File is the name of the executable; empty means Name.
	File string
	// Links are the names under which the executable acts as another program,
	// by the base name of its argv[0].
	Links []string
	// Dir is the folder of the module, relative to the repository's root.
	Dir string
	// Package is what go build is given in Dir.
	Package string

	// Module and Version name the upstream module that the program is, or is
	// mainly made of. For programs of ours they are our own.
	Module  string
	Version string
	// License is the SPDX identifier of the upstream module's licence.
	License string

	Tags    []string
	LDFlags []string // beside the flags that every program gets

	// CLibs are the static C libraries that the program links, without lib and
	// .a. A program that has any is built with cgo, and only for the
	// architecture of the machine that builds.
	CLibs []string
	// Heavy marks a build that takes minutes and gigabytes: never more than one
	// of them runs on a machine at a time.
	Heavy bool
	// NotARM64 says what an arm64 build lacks; empty means nothing.
	NotARM64 string
}

// FileName returns the name of the executable.
func (p Program) FileName() string {
	if p.File != "" {
		return p.File
	}
	return p.Name
}

// UsesCgo reports whether the program contains C code.
func (p Program) UsesCgo() bool { return len(p.CLibs) > 0 }

// ownModule is the root module of this repository.
const ownModule = "github.com/ichor-os/ichor"

// Lookup returns the program of that name from the table.
func Lookup(name string) (Program, bool) {
	return find(Programs(), name)
}

func find(programs []Program, name string) (Program, bool) {
	i := slices.IndexFunc(programs, func(p Program) bool { return p.Name == name })
	if i < 0 {
		return Program{}, false
	}
	return programs[i], true
}

// ownMain returns the main package cmd/NAME of the root module as a program.
func ownMain(root, name string) (Program, bool) {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return Program{}, false
	}
	if info, err := os.Stat(filepath.Join(root, "cmd", name)); err != nil || !info.IsDir() {
		return Program{}, false
	}
	return Program{
		Name:    name,
		Dir:     ".",
		Package: "./cmd/" + name,
		Module:  ownModule,
		Version: version.Tag,
		License: "Apache-2.0",
		Tags:    []string{"grpcnotrace"}, // its trace pages bring html/template along
	}, true
}

// FindRoot returns the root of the repository that contains dir: the nearest
// folder upward whose go.mod declares the root module.
func FindRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find repository root: %w", err)
	}
	for current := dir; ; current = filepath.Dir(current) {
		content, err := os.ReadFile(filepath.Join(current, "go.mod"))
		if err == nil && slices.Contains(strings.Split(string(content), "\n"), "module "+ownModule) {
			return current, nil
		}
		if current == filepath.Dir(current) {
			return "", fmt.Errorf("find repository root: %s: no folder above it holds module %s", dir, ownModule)
		}
	}
}
