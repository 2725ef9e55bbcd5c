package sbom

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ichor-os/ichor/version"
)

// ownModule is the prefix of the modules of this repository, whose licence and
// version are known.
const ownModule = "github.com/ichor-os/ichor"

// Modules reads which Go modules an executable is made of, the Go standard
// library among them. Licences are not filled in.
func Modules(executable string) ([]Module, error) {
	info, err := buildinfo.ReadFile(executable)
	if err != nil {
		return nil, fmt.Errorf("read modules of program: %w", err)
	}
	toolchain, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	modules := []Module{{Path: "stdlib", Version: toolchain, Licence: "BSD-3-Clause"}}
	if info.Main.Path != "" {
		modules = append(modules, own(Module{Path: info.Main.Path, Version: info.Main.Version, Sum: info.Main.Sum}))
	}
	for _, dependency := range info.Deps {
		if dependency.Replace != nil {
			dependency = dependency.Replace
		}
		modules = append(modules, own(Module{Path: dependency.Path, Version: dependency.Version, Sum: dependency.Sum}))
	}
	return modules, nil
}

// own completes a module of this repository: built from the working tree, it
// has no version of its own.
func own(m Module) Module {
	if m.Path == ownModule || strings.HasPrefix(m.Path, ownModule+"/") || strings.HasPrefix(m.Path, "./") || strings.HasPrefix(m.Path, "../") {
		m.Version, m.Licence, m.Sum = version.Tag, "Apache-2.0", ""
	}
	return m
}

// moduleChecksum turns go.sum's h1 hash, a SHA-256 over the module's file
// hashes in base64, into SPDX's form.
func moduleChecksum(sum string) []spdxChecksum {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if sum == "" || err != nil {
		return nil
	}
	return []spdxChecksum{{"SHA256", hex.EncodeToString(raw)}}
}

// escapeModule replaces each upper-case letter by an exclamation mark and the
// lower-case letter (https://go.dev/ref/mod#goproxy-protocol).
func escapeModule(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte('!')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}
