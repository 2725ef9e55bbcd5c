package bundle

import (
	"fmt"
	"io"
	"strings"
)

//go:generate sh -c "go run ./build -reference > ../docs/reference/programs.md"

// WriteReference writes the page docs/reference/programs.md, which is made from
// the table.
func WriteReference(w io.Writer) error {
	programs := Programs()
	var page strings.Builder
	page.WriteString(`<!-- Made from the table in bundle/programs.go by go generate ./bundle; do not edit. -->

# Programs a node runs

Third-party programs, each built from its upstream Go module by a nested module in ` + "`bundle/`" + ` whose ` + "`go.mod` and `go.sum`" + ` pin
everything it is made of. ` + "`go run ./bundle/build [NAME...]`" + ` builds them; what is built already is taken from the cache. Why it is done this
way, with sizes and times, is in [decision 0001](../decisions/0001-programs-from-modules-one-kubernetes-binary.md).

| name | version | upstream module | licence | pinned in | acts as |
| --- | --- | --- | --- | --- | --- |
`)
	for _, p := range programs {
		acts := p.FileName()
		if len(p.Links) > 0 {
			acts += ", " + strings.Join(p.Links, ", ")
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %s | [%s](../../%s) | %s |\n",
			p.Name, strings.TrimPrefix(p.Version, "v"), upstream(p), p.License, p.Dir, p.Dir, acts)
	}

	page.WriteString(`
A program that acts as several takes its role from the base name of its ` + "`argv[0]`" + `; hyperkube also from its first argument.

## How they are built

All with ` + "`-trimpath -buildvcs=false -pgo=off -ldflags '-s -w -buildid= …'`, `CGO_ENABLED=0` and a fixed environment (`GOAMD64=v1`, `GOARM64=v8.0`)" + `,
so that the same inputs give the same bytes. In addition:

| name | package | build tags | linker flags | C libraries |
| --- | --- | --- | --- | --- |
`)
	for _, p := range programs {
		fmt.Fprintf(&page, "| %s | %s | %s | %s | %s |\n", p.Name, code(p.Package),
			code(strings.Join(p.Tags, " ")), code(strings.Join(p.LDFlags, " ")), code(strings.Join(p.CLibs, " ")))
	}

	page.WriteString(`
A program with C libraries is built with cgo and linked statically; the bytes of those libraries and the version of the C compiler are part of
what decides whether a cached build is used.

## What arm64 lacks

`)
	for _, p := range programs {
		if p.NotARM64 != "" {
			fmt.Fprintf(&page, "- **%s**: %s.\n", p.Name, p.NotARM64)
		}
	}
	page.WriteString("\nEverything else cross-builds with `go run ./bundle/build -arch arm64`; arm64 builds are not run in CI.\n")
	_, err := io.WriteString(w, page.String())
	return err
}

// upstream names the upstream module, or says that the program is ours.
func upstream(p Program) string {
	if strings.HasPrefix(p.Module, ownModule) {
		return "ours"
	}
	return code(p.Module)
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
