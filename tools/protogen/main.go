// Protogen writes the Go code of the API from its .proto sources.
//
// It compiles the sources itself, so no protoc binary is needed, and feeds the
// descriptors to protoc-gen-go and protoc-gen-go-grpc, both pinned as tools of
// this module. Which files there are is found, not listed: every .proto file
// below the given folder. A folder named cosi is a source root of its own,
// because its files are registered under names without that prefix.
//
//	go run -C ../tools ./protogen -dir ../api
//
// With -check nothing is written; a difference is an error.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/pluginpb"

	_ "google.golang.org/genproto/googleapis/api/expr/v1alpha1" // google/api/expr/v1alpha1/*.proto
	_ "google.golang.org/genproto/googleapis/rpc/status"        // google/rpc/status.proto
)

const module = "github.com/ichor-os/ichor"

var plugins = []string{"protoc-gen-go", "protoc-gen-go-grpc"}

func main() {
	dir := flag.String("dir", "../api", "folder of the .proto sources, inside the module")
	check := flag.Bool("check", false, "write nothing, fail if a generated file would change")
	flag.Parse()

	if err := run(context.Background(), *dir, *check); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, check bool) error {
	roots := []string{dir, filepath.Join(dir, "cosi")}

	sources, err := findSources(dir)
	if err != nil {
		return err
	}

	request, err := compile(ctx, roots, sources)
	if err != nil {
		return err
	}

	files := map[string]string{}

	for _, plugin := range plugins {
		if err := generate(ctx, plugin, request, files); err != nil {
			return err
		}
	}

	return write(filepath.Dir(dir), dir, files, check)
}

// findSources returns the names of the .proto files below dir as they are
// registered, sorted.
func findSources(dir string) ([]string, error) {
	var names []string

	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".proto" {
			return err
		}

		name, err := filepath.Rel(dir, path)
		names = append(names, strings.TrimPrefix(filepath.ToSlash(name), "cosi/"))

		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find sources: %s: %w", dir, err)
	}

	slices.Sort(names)

	return names, nil
}

// compile turns sources into the request that a protoc plugin reads.
func compile(ctx context.Context, roots, sources []string) (*pluginpb.CodeGeneratorRequest, error) {
	linked := protocompile.ResolverFunc(func(name string) (protocompile.SearchResult, error) {
		file, err := protoregistry.GlobalFiles.FindFileByPath(name)
		return protocompile.SearchResult{Desc: file}, err
	})

	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(protocompile.CompositeResolver{
			&protocompile.SourceResolver{ImportPaths: roots},
			linked,
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}

	compiled, err := compiler.Compile(ctx, sources...)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}

	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: sources,
		Parameter:      proto.String("module=" + module),
	}
	seen := map[string]bool{}

	// A plugin wants every file after those it imports.
	var add func(file protoreflect.FileDescriptor)

	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}

		seen[file.Path()] = true

		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}

		request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(file))
	}

	for _, file := range compiled {
		add(file)
	}

	return request, nil
}

// generate runs one plugin and adds what it wrote to files, by name.
func generate(ctx context.Context, plugin string, request *pluginpb.CodeGeneratorRequest, files map[string]string) error {
	input, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode request: %s: %w", plugin, err)
	}

	var stdout, stderr bytes.Buffer

	cmd := exec.CommandContext(ctx, "go", "tool", plugin)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run plugin: %s: %w: %s", plugin, err, stderr.String())
	}

	var response pluginpb.CodeGeneratorResponse

	if err := proto.Unmarshal(stdout.Bytes(), &response); err != nil {
		return fmt.Errorf("decode response: %s: %w", plugin, err)
	}

	if response.Error != nil {
		return fmt.Errorf("run plugin: %s: %s", plugin, response.GetError())
	}

	for _, file := range response.File {
		files[file.GetName()] = file.GetContent()
	}

	return nil
}

// write puts files below root, and removes generated files below dir that no
// source makes any more.
func write(root, dir string, files map[string]string, check bool) error {
	var stale []string

	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".pb.go") {
			return err
		}

		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		if _, ok := files[filepath.ToSlash(name)]; !ok {
			stale = append(stale, name)
		}

		return nil
	})
	if err != nil {
		return fmt.Errorf("find generated files: %s: %w", dir, err)
	}

	for name, content := range files {
		current, err := os.ReadFile(filepath.Join(root, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read generated file: %w", err)
		}

		if err == nil && string(current) == content {
			continue
		}

		stale = append(stale, name)
	}

	slices.Sort(stale)

	if check && len(stale) > 0 {
		return fmt.Errorf("generated code is stale, run go generate ./api: %s", strings.Join(stale, ", "))
	}

	for _, name := range stale {
		if err := replace(filepath.Join(root, name), files[name]); err != nil {
			return fmt.Errorf("write generated file: %w", err)
		}
	}

	return nil
}

// replace writes content to path, or removes path if content is empty.
func replace(path, content string) error {
	if content == "" {
		return os.Remove(path)
	}

	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}

	return os.WriteFile(path, []byte(content), 0o644)
}
