package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ichor-os/ichor/cli"
	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/config/validate"
	"github.com/ichor-os/ichor/version"
)

const vectorsFolder = "../test/vectors"

// outcome is what a run left behind.
type outcome struct {
	exit           int
	stdout, stderr string
	files          map[string]string      // content of every file, by path
	modes          map[string]fs.FileMode // mode of every file
}

// written lists the files that a run made or changed.
func (o outcome) written(before map[string]string) []string {
	paths := []string{}
	for path, content := range o.files {
		if old, ok := before[path]; !ok || old != content {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// run runs talosctl in the current folder, which is also HOME.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	return runWith(t, "", args...)
}

func runWith(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	exit := cli.Run(args, strings.NewReader(stdin), &stdout, &stderr, []string{"HOME=" + folder, "TZ=UTC"})
	files, modes := snapshot(t, folder)
	return outcome{exit: exit, stdout: stdout.String(), stderr: stderr.String(), files: files, modes: modes}
}

func snapshot(t *testing.T, folder string) (map[string]string, map[string]fs.FileMode) {
	t.Helper()
	files, modes := map[string]string{}, map[string]fs.FileMode{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files[name], modes[name] = string(content), info.Mode().Perm()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, modes
}

// inTempFolder makes a folder with these files the current one.
func inTempFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("TZ", "UTC")
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// vector is a recorded case.
type vector struct {
	id     string
	args   []string
	inputs map[string]string
	folder string
}

// eachVector runs test as a subtest for every vector of a group, in a temporary
// folder that holds the vector's inputs.
func eachVector(t *testing.T, group string, test func(t *testing.T, v vector)) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(vectorsFolder, group, "*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no vectors in %s (%v)", group, err)
	}
	for _, folder := range folders {
		folder, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			v := vector{id: filepath.Base(folder), folder: folder, inputs: map[string]string{}}
			if group != "decode" {
				v.readJSON(t, "argv.json", &v.args)
			}
			files, _ := snapshot(t, folder)
			for name, content := range files {
				if !isRecord(name) {
					v.inputs[name] = content
				}
			}
			inTempFolder(t, v.inputs)
			test(t, v)
		})
	}
}

// isRecord reports whether a file of a vector is a record, not an input.
func isRecord(name string) bool {
	switch name {
	case "argv.json", "outcome.json", "verdict.json", "canon.yaml", "end.yaml", "expected.yaml", "talosconfig-shape.json", "secrets-shape.json", "expected-stdout.yaml":
		return true
	}
	return strings.HasPrefix(name, "expected"+string(filepath.Separator))
}

func (v vector) readJSON(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(v.folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}

func (v vector) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(v.folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestVectors_TalosConfig(t *testing.T) {
	eachVector(t, "talosconfig", func(t *testing.T, v vector) {
		var want struct {
			Exit            int      `json:"exit"`
			Stdout          []string `json:"stdout"`
			UsageAfterError bool     `json:"usage_after_error"`
			FileAfter       string   `json:"file_after"`
			FileMode        string   `json:"file_mode"`
			StderrEmpty     bool     `json:"stderr_empty"`
		}
		v.readJSON(t, "outcome.json", &want)
		got := run(t, v.args...)
		if got.exit != want.Exit {
			t.Errorf("%q: exit %d, want %d; standard error:\n%s", v.args, got.exit, want.Exit, got.stderr)
		}
		if diff := cmp.Diff(strings.Join(want.Stdout, "\n"), strings.TrimSuffix(got.stdout, "\n")); diff != "" {
			t.Errorf("%q: standard output (-want +got):\n%s", v.args, diff)
		}
		if (got.stderr == "") != want.StderrEmpty {
			t.Errorf("%q: standard error is %q, want empty: %v", v.args, got.stderr, want.StderrEmpty)
		}
		if strings.Contains(got.stderr, "Usage:") != want.UsageAfterError {
			t.Errorf("%q: usage after error: want %v; standard error:\n%s", v.args, want.UsageAfterError, got.stderr)
		}
		if diff := cmp.Diff(v.read(t, "end.yaml"), got.files["start.yaml"]); diff != "" {
			t.Errorf("%q: file (-want +got):\n%s", v.args, diff)
		}
		if want.FileMode != "" && got.modes["start.yaml"] != 0o644 {
			t.Errorf("%q: mode %v, want %s", v.args, got.modes["start.yaml"], want.FileMode)
		}
	})
}

func TestVectors_CLI(t *testing.T) {
	eachVector(t, "cli", func(t *testing.T, v vector) {
		var want struct {
			Exit         int      `json:"exit"`
			StdoutEmpty  bool     `json:"stdout_empty"`
			StderrEmpty  bool     `json:"stderr_empty"`
			UsageOn      []string `json:"usage_on"`
			FilesWritten []string `json:"files_written"`
		}
		v.readJSON(t, "outcome.json", &want)
		got := run(t, v.args...)
		if got.exit != want.Exit {
			t.Errorf("%q: exit %d, want %d; standard error:\n%s", v.args, got.exit, want.Exit, got.stderr)
		}
		if (got.stdout == "") != want.StdoutEmpty {
			t.Errorf("%q: standard output is %q, want empty: %v", v.args, got.stdout, want.StdoutEmpty)
		}
		if (got.stderr == "") != want.StderrEmpty {
			t.Errorf("%q: standard error is %q, want empty: %v", v.args, got.stderr, want.StderrEmpty)
		}
		usageOn := []string{}
		for _, stream := range []struct{ name, text string }{{"stdout", got.stdout}, {"stderr", got.stderr}} {
			if strings.Contains(stream.text, "Usage:") {
				usageOn = append(usageOn, stream.name)
			}
		}
		if diff := cmp.Diff(want.UsageOn, usageOn); diff != "" {
			t.Errorf("%q: usage on (-want +got):\n%s", v.args, diff)
		}
		if diff := cmp.Diff(want.FilesWritten, got.written(v.inputs)); diff != "" {
			t.Errorf("%q: files written (-want +got):\n%s", v.args, diff)
		}
	})
}

func TestVectors_Gen(t *testing.T) {
	eachVector(t, "gen", func(t *testing.T, v vector) {
		var want struct {
			Exit  int               `json:"exit"`
			Files map[string]string `json:"files_written"`
		}
		v.readJSON(t, "outcome.json", &want)
		got := run(t, v.args...)
		if got.exit != want.Exit {
			t.Fatalf("%q: exit %d, want %d; standard error:\n%s", v.args, got.exit, want.Exit, got.stderr)
		}
		if strings.Contains(got.stderr, "Usage:") {
			t.Errorf("%q: usage on standard error:\n%s", v.args, got.stderr)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want.Files)), got.written(v.inputs), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: files written (-want +got):\n%s", v.args, diff)
		}
		for name, mode := range want.Files {
			if octal := fmt.Sprintf("0o%o", got.modes[name]); octal != mode {
				t.Errorf("%s: mode %s, want %s", name, octal, mode)
			}
		}
		expected, _ := snapshot(t, v.folder)
		checkShapes(t, v, expected, got.files)
		for name, content := range expected {
			if name, ok := strings.CutPrefix(name, "expected"+string(filepath.Separator)); ok {
				if diff := cmp.Diff(ourInstaller(content), got.files[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		}
		if content, ok := expected["expected-stdout.yaml"]; ok {
			if diff := cmp.Diff(ourInstaller(content), got.stdout); diff != "" {
				t.Errorf("standard output (-want +got):\n%s", diff)
			}
		} else if got.stdout != "" {
			t.Errorf("standard output: %q, want nothing", got.stdout)
		}
	})
}

// ourInstaller replaces the recorded default installer by ours: the one line
// that is meant to differ.
func ourInstaller(content string) string {
	return strings.Replace(content, "image: ghcr.io/siderolabs/installer:"+version.Contract+"\n", "image: "+generate.DefaultInstallImage+"\n", 1)
}

// The results of patches are checked beside the engine; here it counts that the
// command gives what the engine gives.
func TestVectors_Patch(t *testing.T) {
	eachVector(t, "patch", func(t *testing.T, v vector) {
		var want struct {
			Exit int `json:"exit"`
		}
		v.readJSON(t, "outcome.json", &want)
		got := run(t, append(v.args, "-o", "out.yaml")...)
		result, err := patchVector(t, v)
		if (got.exit == 0) != (err == nil) {
			t.Fatalf("%q: exit %d, but the engine says %v; standard error:\n%s", v.args, got.exit, err, got.stderr)
		}
		if got.stdout != "" {
			t.Errorf("%q: standard output: %q, want nothing", v.args, got.stdout)
		}
		if diff := cmp.Diff(string(result), got.files["out.yaml"]); diff != "" {
			t.Errorf("%q: result (-want +got):\n%s", v.args, diff)
		}
		if got.exit != 0 && strings.Contains(got.stderr, "Usage:") {
			t.Errorf("%q: usage on standard error:\n%s", v.args, got.stderr)
		}
	})
}

func patchVector(t *testing.T, v vector) ([]byte, error) {
	t.Helper()
	var arguments []string
	for i, argument := range v.args {
		if i > 0 && (v.args[i-1] == "--patch" || v.args[i-1] == "-p") {
			arguments = append(arguments, argument)
		}
	}
	patches, err := config.LoadPatches(arguments...)
	if err != nil {
		return nil, err
	}
	return config.PatchText([]byte(v.inputs[v.args[2]]), v.args[2], patches...)
}

// Verdicts are checked beside the engine; here it counts that the command says
// what the engine says, on the right stream.
func TestVectors_Decode(t *testing.T) {
	eachVector(t, "decode", func(t *testing.T, v vector) {
		parsed, err := config.Parse([]byte(v.inputs["input.yaml"]), config.File("input.yaml"))
		for _, mode := range []document.Mode{config.Metal, config.Cloud, config.Container} {
			valid, warnings := false, 0
			if err == nil {
				report := parsed.Validate(mode, validate.Options{})
				valid, warnings = report.Valid(), len(report.Warnings)
			}
			got := run(t, "validate", "-m", mode.String(), "-c", "input.yaml")
			if (got.exit == 0) != valid {
				t.Errorf("%s: exit %d, but the engine says %v; standard error:\n%s", mode, got.exit, valid, got.stderr)
			}
			if (got.stdout != "") != valid {
				t.Errorf("%s: valid %v, standard output %q", mode, valid, got.stdout)
			}
			if shown := strings.Count(got.stderr, "WARNING: "); shown != warnings {
				t.Errorf("%s: %d warnings on standard error, want %d:\n%s", mode, shown, warnings, got.stderr)
			}
		}
	})
}
