package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The files below testdata/reference say what clients expect: services,
// messages and enums with their names, numbers and types. What is linked must
// say the same, line by line, apart from the order of the blocks. A reference
// file may import more than its content needs.
func TestContract_DescriptorsEqualReference(t *testing.T) {
	names, err := filepath.Glob("testdata/reference/*_*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no reference files: %v", err)
	}

	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			want := readBlocks(t, name)
			path, pkg := parseHead(t, want[""][0])

			file, err := protoregistry.GlobalFiles.FindFileByPath(path)
			if err != nil {
				t.Fatalf("find descriptor %s: %v", path, err)
			}

			if got := string(file.Package()); got != pkg {
				t.Errorf("package of %s: got %s, want %s", path, got, pkg)
			}

			allowed := want[""][1:]
			delete(want, "")

			for i := range file.Imports().Len() {
				if dep := file.Imports().Get(i).Path(); !slices.Contains(allowed, dep) {
					t.Errorf("%s imports %s, the reference does not", path, dep)
				}
			}

			if diff := cmp.Diff(want, render(file)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// Every message that is linked from this module stands in the reference or is
// in a package of ours.
func TestContract_LinksNothingElse(t *testing.T) {
	known := map[string]bool{}

	names, err := filepath.Glob("testdata/reference/*_*.txt")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range names {
		path, _ := parseHead(t, readBlocks(t, name)[""][0])
		known[path] = true
	}

	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		pkg := string(file.Package())
		options, _ := file.Options().(*descriptorpb.FileOptions)

		if strings.HasPrefix(options.GetGoPackage(), "github.com/ichor-os/ichor/") &&
			!known[file.Path()] && !strings.HasPrefix(pkg, "ichor.") {
			t.Errorf("%s (package %s) is not part of the contract", file.Path(), pkg)
		}

		return true
	})
}

// readBlocks returns the lines of each block of a reference file by its
// heading. The block "" holds the line of file and package, then the imports.
func readBlocks(t *testing.T, name string) map[string][]string {
	t.Helper()

	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	blocks, heading := map[string][]string{}, ""
	lines := bufio.NewScanner(bytes.NewReader(content))

	for lines.Scan() {
		line := lines.Text()

		switch {
		case line == "":
		case strings.HasPrefix(line, "file "):
			blocks[""] = []string{line}
		case strings.HasPrefix(line, "imports "):
			blocks[""] = append(blocks[""], strings.Fields(line)[1:]...)
		case strings.HasPrefix(line, "  "):
			blocks[heading] = append(blocks[heading], strings.TrimSpace(line))
		default:
			heading = line
			blocks[heading] = []string{}
		}
	}

	return blocks
}

func parseHead(t *testing.T, line string) (path, pkg string) {
	t.Helper()

	if _, err := fmt.Sscanf(line, "file %s package %s", &path, &pkg); err != nil {
		t.Fatalf("first line of a reference file: %q: %v", line, err)
	}

	return path, pkg
}

// render writes a file descriptor in the form of the reference.
func render(file protoreflect.FileDescriptor) map[string][]string {
	blocks := map[string][]string{}
	pkg := file.Package()

	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		heading := "service " + string(service.Name())
		blocks[heading] = []string{}

		for j := range service.Methods().Len() {
			blocks[heading] = append(blocks[heading], renderMethod(pkg, service.Methods().Get(j)))
		}
	}

	renderEnums(blocks, pkg, file.Enums())
	renderMessages(blocks, pkg, file.Messages())

	return blocks
}

func renderMethod(pkg protoreflect.FullName, method protoreflect.MethodDescriptor) string {
	in, out := relative(pkg, method.Input()), relative(pkg, method.Output())

	if method.IsStreamingClient() {
		in = "stream " + in
	}

	if method.IsStreamingServer() {
		out = "stream " + out
	}

	line := fmt.Sprintf("%s | %s | %s", method.Name(), in, out)

	if options, _ := method.Options().(*descriptorpb.MethodOptions); options.GetDeprecated() {
		line += "  deprecated"
	}

	return line
}

func renderEnums(blocks map[string][]string, pkg protoreflect.FullName, enums protoreflect.EnumDescriptors) {
	for i := range enums.Len() {
		enum := enums.Get(i)
		heading := "enum " + relative(pkg, enum)
		blocks[heading] = []string{}

		for j := range enum.Values().Len() {
			value := enum.Values().Get(j)
			blocks[heading] = append(blocks[heading], fmt.Sprintf("%d %s", value.Number(), value.Name()))
		}
	}
}

func renderMessages(blocks map[string][]string, pkg protoreflect.FullName, messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		message := messages.Get(i)
		if message.IsMapEntry() {
			continue
		}

		heading := "message " + relative(pkg, message)
		blocks[heading] = []string{}

		for j := range message.Fields().Len() {
			blocks[heading] = append(blocks[heading], renderField(pkg, message.Fields().Get(j)))
		}

		for j := range message.ReservedRanges().Len() {
			r := message.ReservedRanges().Get(j)
			blocks[heading] = append(blocks[heading], fmt.Sprintf("reserved %d..%d", r[0], r[1]-1))
		}

		renderEnums(blocks, pkg, message.Enums())
		renderMessages(blocks, pkg, message.Messages())
	}
}

func renderField(pkg protoreflect.FullName, field protoreflect.FieldDescriptor) string {
	line := fmt.Sprintf("%d %s : ", field.Number(), field.Name())

	switch {
	case field.IsMap():
		line += "map " + fieldType(pkg, field.MapKey()) + " to " + fieldType(pkg, field.MapValue())
	case field.IsList():
		line += "repeated " + fieldType(pkg, field)
	default:
		line += fieldType(pkg, field)
	}

	switch oneof := field.ContainingOneof(); {
	case field.HasOptionalKeyword():
		line += "  optional"
	case oneof != nil:
		line += "  oneof " + string(oneof.Name())
	}

	if options, _ := field.Options().(*descriptorpb.FieldOptions); options.GetDeprecated() {
		line += "  deprecated"
	}

	return line
}

func fieldType(pkg protoreflect.FullName, field protoreflect.FieldDescriptor) string {
	switch field.Kind() {
	case protoreflect.MessageKind:
		return relative(pkg, field.Message())
	case protoreflect.EnumKind:
		return relative(pkg, field.Enum())
	default:
		return field.Kind().String()
	}
}

func relative(pkg protoreflect.FullName, d protoreflect.Descriptor) string {
	if d.ParentFile().Package() == pkg {
		return strings.TrimPrefix(string(d.FullName()), string(pkg)+".")
	}

	return string(d.FullName())
}

// A file descriptor that was changed is told apart, so that the test above
// cannot pass by comparing nothing.
func TestContract_RenderingShowsAChangedNumber(t *testing.T) {
	file, err := protoregistry.GlobalFiles.FindFileByPath("security/security.proto")
	if err != nil {
		t.Fatal(err)
	}

	changed := protodesc.ToFileDescriptorProto(file)
	changed.MessageType[0].Field[0].Number = proto.Int32(9)

	other, err := protodesc.NewFile(changed, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}

	if cmp.Diff(render(file), render(other)) == "" {
		t.Error("a changed field number makes no difference")
	}
}
