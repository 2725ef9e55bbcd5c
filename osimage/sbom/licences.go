package sbom

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"

	"github.com/ichor-os/ichor/bundle/publish"
)

// Licences finds the licences of Go modules by the licence files in the module
// cache, and remembers them, so that a module's content is read once.
type Licences struct {
	// File is where findings are kept between runs.
	File string
	// Go is the go command; empty means the one on PATH.
	Go string

	found   map[string]string // module@version → expression
	cache   string            // the go command's module cache
	changed bool
}

// Fill sets the licence of every module that has none yet.
func (l *Licences) Fill(ctx context.Context, modules []Module) error {
	if err := l.open(ctx); err != nil {
		return err
	}
	for i := range modules {
		if modules[i].Licence != "" {
			continue
		}
		licence, err := l.find(ctx, modules[i])
		if err != nil {
			return err
		}
		modules[i].Licence = licence
	}
	return nil
}

// Save writes the findings if there are new ones.
func (l *Licences) Save() error {
	if !l.changed {
		return nil
	}
	content, err := json.MarshalIndent(l.found, "", " ")
	if err != nil {
		return fmt.Errorf("save licences: %w", err)
	}
	if err := publish.Bytes(l.File, 0o644, content); err != nil {
		return fmt.Errorf("save licences: %w", err)
	}
	l.changed = false
	return nil
}

func (l *Licences) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	name := l.Go
	if name == "" {
		name = "go"
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = os.TempDir() // no module of the working folder takes part
	cmd.Env = append(os.Environ(), "GO111MODULE=on", "GOFLAGS=-mod=mod", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// open reads earlier findings; a file that cannot be read is only a cache lost.
func (l *Licences) open(ctx context.Context) error {
	if l.found != nil {
		return nil
	}
	out, err := l.goCommand(ctx, "env", "GOMODCACHE")
	if err != nil {
		return fmt.Errorf("find licences: %w", err)
	}
	l.cache = strings.TrimSpace(string(out))
	l.found = map[string]string{}
	if content, err := os.ReadFile(l.File); err == nil && json.Unmarshal(content, &l.found) != nil {
		l.found = map[string]string{}
	}
	return nil
}

func (l *Licences) find(ctx context.Context, m Module) (string, error) {
	key := m.Path + "@" + m.Version
	if licence, ok := l.found[key]; ok {
		return licence, nil
	}
	folder := filepath.Join(l.cache, filepath.FromSlash(escapeModule(m.Path)+"@"+escapeModule(m.Version)))
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if _, err := l.goCommand(ctx, "mod", "download", key); err != nil {
			return "", fmt.Errorf("find licence: %s: %w", key, err)
		}
	}
	licence, err := DetectLicence(folder)
	if err != nil {
		return "", fmt.Errorf("find licence: %s: %w", key, err)
	}
	l.found[key], l.changed = licence, true
	return licence, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|copyright|mit-license)([.-].*)?$`)

// covered is the share of a licence file, in percent, that must match known
// licence texts before their names are believed.
const covered = 75

// DetectLicence reads the licence files at the top of a module and returns an
// SPDX expression that joins what they hold, or NOASSERTION.
func DetectLicence(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var names []string
	for _, entry := range entries {
		if !licenceFile.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return "", err
		}
		names = append(names, namesIn(content)...)
	}
	if len(names) == 0 {
		return noAssertion, nil
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " AND "), nil
}

func namesIn(text []byte) []string {
	coverage := licensecheck.Scan(text)
	if coverage.Percent < covered {
		return nil
	}
	var names []string
	for _, match := range coverage.Match {
		if !match.IsURL {
			names = append(names, match.ID)
		}
	}
	return names
}
