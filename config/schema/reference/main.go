// Command reference writes docs/reference/config: the JSON schema and a page a kind.
// It is run by go generate in package config.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/explain"
	"github.com/ichor-os/ichor/config/schema"
)

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	raw, err := schema.JSON(documents.Kinds())
	if err != nil {
		return err
	}

	if err := os.WriteFile(filepath.Join(dir, "schema.json"), raw, 0o644); err != nil {
		return err
	}

	for _, k := range documents.Kinds() {
		page := filepath.Join(dir, strings.ToLower(k.Kind)+".md")
		if err := os.WriteFile(page, []byte(schema.Reference(k)), 0o644); err != nil {
			return err
		}
	}

	if err := os.WriteFile(filepath.Join(dir, "index.md"), []byte(schema.Index(documents.Kinds())), 0o644); err != nil {
		return err
	}

	list := strings.Join(explain.NotInForce(documents.Kinds()), "\n") + "\n"

	return os.WriteFile(filepath.Join(dir, "not-in-force.txt"), []byte(list), 0o644)
}
