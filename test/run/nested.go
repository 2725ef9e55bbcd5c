package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
)

// nestedStep tests the modules of the tree that `go test ./...` of the root
// module does not see. They are compiled as the bundle compiles its programs,
// so that most of it is in the build cache.
var nestedStep = step{"unit tests of the nested modules", func(ctx context.Context, t *tally) error {
	folders, err := nestedModules(ctx)
	if err != nil {
		return count(t, err)
	}
	var failures []error
	for _, folder := range folders {
		failures = append(failures, check(ctx, t, "env", "CGO_ENABLED=0",
			"go", "test", "-C", folder, "-mod=readonly", "-trimpath", "-count=1", "./..."))
	}
	return errors.Join(failures...)
}}

// nestedModules lists the folders of nested modules that have tests.
func nestedModules(ctx context.Context) ([]string, error) {
	modules, err := trackedFiles(ctx, "*go.mod")
	if err != nil {
		return nil, err
	}
	tests, err := trackedFiles(ctx, "*_test.go")
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, module := range modules {
		folder := filepath.Dir(module)
		inside := func(test string) bool {
			local, err := filepath.Rel(folder, test)
			return err == nil && filepath.IsLocal(local)
		}
		if folder != "." && slices.ContainsFunc(tests, inside) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}
