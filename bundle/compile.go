package bundle

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// toolchain is what the go command says of itself.
type toolchain struct {
	GOVERSION string
}

// compilation is one run of go build.
type compilation struct {
	moduleDir string
	out       string
	env       []string // added to the environment of every build
	prefix    []string // a command that runs the go command
}

// compile runs go build. The result depends on nothing but the module, the
// program's flags, the toolchain and the architecture.
func (b *Builder) compile(ctx context.Context, p Program, c compilation) error {
	args := append(slices.Clone(c.prefix), b.goCommand(), "build",
		"-mod=readonly", "-trimpath", "-buildvcs=false", "-pgo=off", "-ldflags", ldflags(p))
	if len(p.Tags) > 0 {
		args = append(args, "-tags", strings.Join(p.Tags, ","))
	}
	args = append(args, "-o", c.out, p.Package)
	_, err := b.run(ctx, c.moduleDir, append(b.environ(p), c.env...), args)
	return err
}

// ldflags drops symbols and debug information, and the linker's own identifier
// of the inputs, which nothing reads. The C linker is told to link statically
// and to leave its identifier out too.
func ldflags(p Program) string {
	flags := append([]string{"-s", "-w", "-buildid="}, p.LDFlags...)
	if p.UsesCgo() {
		flags = append(flags, `-extldflags "-static -Wl,--build-id=none"`)
	}
	return strings.Join(flags, " ")
}

// passed are the variables of the caller's environment that a build sees: where
// things are and how the network is reached, nothing that changes the result.
var passed = []string{
	"PATH", "HOME", "USER", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
	"GOPATH", "GOCACHE", "GOMODCACHE", "GOTMPDIR", "GOENV", "GOROOT",
	"GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GOVCS", "GOAUTH", "NETRC",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "GOMAXPROCS", "GOMEMLIMIT",
}

// environ is the environment of a build.
func (b *Builder) environ(p Program) []string {
	var env []string
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, b.target(p)...)
}

// target is the part of the environment that determines the result, and so is
// part of the key.
func (b *Builder) target(p Program) []string {
	env := []string{
		"GOOS=linux", "GOARCH=" + b.arch(), "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-mod=readonly", "GOWORK=off", "GOTOOLCHAIN=local", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG=",
		"LC_ALL=C", "TZ=UTC", "SOURCE_DATE_EPOCH=0",
	}
	if !p.UsesCgo() {
		return append(env, "CGO_ENABLED=0")
	}
	return append(env, "CGO_ENABLED=1", "CC=gcc",
		"CGO_CFLAGS=-O2", "CGO_CPPFLAGS=", "CGO_CXXFLAGS=-O2", "CGO_LDFLAGS=")
}

// inspect refuses an executable that is not what was asked for: not Go, for
// another architecture, or in need of a dynamic loader that no node has.
func (b *Builder) inspect(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("inspect build: %w", err)
	}
	for _, setting := range info.Settings {
		if setting.Key == "GOARCH" && setting.Value != b.arch() {
			return fmt.Errorf("inspect build: is for %s, want %s", setting.Value, b.arch())
		}
	}
	if err := requireStatic(path); err != nil {
		return fmt.Errorf("inspect build: %w", err)
	}
	return nil
}

// requireStatic fails if the executable names a dynamic loader.
func requireStatic(path string) error {
	file, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return errors.New("is linked dynamically, want static")
		}
	}
	return nil
}

func (b *Builder) goCommand() string {
	if b.Go != "" {
		return b.Go
	}
	return "go"
}

// readToolchain asks the go command for its version, once for each Builder.
func (b *Builder) readToolchain(ctx context.Context) (toolchain, error) {
	b.toolchainLock.Lock()
	defer b.toolchainLock.Unlock()
	if b.toolchain.GOVERSION != "" {
		return b.toolchain, nil
	}
	out, err := b.run(ctx, b.Root, b.environ(Program{}), []string{b.goCommand(), "env", "-json", "GOVERSION"})
	if err != nil {
		return toolchain{}, fmt.Errorf("ask the go command for its version: %w", err)
	}
	if err := json.Unmarshal(out, &b.toolchain); err != nil {
		return toolchain{}, fmt.Errorf("ask the go command for its version: %w", err)
	}
	return b.toolchain, nil
}

// stopDelay is how long a cancelled command and its children get to end by
// themselves before they are killed.
const stopDelay = 3 * time.Second

// run runs a command in a process group of its own, so that cancelling ctx ends
// its children, the compilers, too. It returns the standard output.
func (b *Builder) run(ctx context.Context, dir string, env, args []string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(env, "PWD="+dir), &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = stopDelay
	err := cmd.Run()
	if cmd.Process != nil && ctx.Err() != nil {
		// What ignored the signal is killed; an empty group is no failure.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%w; install Go (the version is in go.mod)", err)
	}
	return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(args[0]), args[1], err, lastLines(stderr.String(), 20))
}

// lastLines returns the end of a text; a failed build says most there.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
