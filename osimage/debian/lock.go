// Package debian takes single programs from Debian packages: it pins them in a
// lock file, fetches them with apt's own verification into a private folder,
// and unpacks them without running anything.
//
// The main types are Lock (which packages, at which version and checksum) and
// Store (a folder in the user's cache that holds what was fetched). The host's
// own apt state is read for its mirrors and proxies and never changed.
//
// It installs nothing: maintainer scripts are neither run nor kept.
package debian

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
)

//go:embed lock.json
var lockJSON []byte

// LockPath is where the lock file stands in the repository.
const LockPath = "osimage/debian/lock.json"

// A Pin names one binary package exactly.
type Pin struct {
	Name string `json:"name"`
	// Arch is the architecture in Go's terms that the pin is for. The package
	// itself may be architecture independent ("all").
	Arch    string `json:"arch"`
	Version string `json:"version"`
	// SHA256 is of the .deb file, in hex.
	SHA256 string `json:"sha256"`
	// Size of the .deb file in bytes.
	Size int64 `json:"size"`
	// Licence is an SPDX licence expression drawn from the package's
	// machine-readable copyright file.
	Licence string `json:"licence"`
}

// A Lock is the set of pins of one Debian series.
type Lock struct {
	// Series is Debian's code name, such as "trixie".
	Series string `json:"series"`
	Pins   []Pin  `json:"pins"`
}

// Locked returns the lock that this program was built with.
func Locked() (Lock, error) { return ParseLock(lockJSON) }

var (
	validName    = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)
	validVersion = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+~:-]*$`)
	validSHA256  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	validSeries  = regexp.MustCompile(`^[a-z]+$`)
)

// ParseLock reads a lock file and refuses one that is not exact.
func ParseLock(content []byte) (Lock, error) {
	var lock Lock
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&lock); err != nil {
		return Lock{}, fmt.Errorf("read debian lock: %w", err)
	}
	if !validSeries.MatchString(lock.Series) {
		return Lock{}, fmt.Errorf("read debian lock: series %q is not a code name", lock.Series)
	}
	seen := map[[2]string]bool{}
	for _, pin := range lock.Pins {
		key := [2]string{pin.Name, pin.Arch}
		switch {
		case !validName.MatchString(pin.Name):
			return Lock{}, fmt.Errorf("read debian lock: %q is not a package name", pin.Name)
		case !validVersion.MatchString(pin.Version):
			return Lock{}, fmt.Errorf("read debian lock: %s: %q is not a version", pin.Name, pin.Version)
		case !validSHA256.MatchString(pin.SHA256):
			return Lock{}, fmt.Errorf("read debian lock: %s: %q is not a SHA-256", pin.Name, pin.SHA256)
		case seen[key]:
			return Lock{}, fmt.Errorf("read debian lock: %s for %s is pinned twice", pin.Name, pin.Arch)
		}
		seen[key] = true
	}
	return lock, nil
}

// Format renders the lock in its canonical form: sorted, indented, with a final
// newline.
func (l Lock) Format() ([]byte, error) {
	sort.Slice(l.Pins, func(i, j int) bool {
		a, b := l.Pins[i], l.Pins[j]
		if a.Name != b.Name {
			return a.Name < b.Name
		}
		return a.Arch < b.Arch
	})
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(l); err != nil {
		return nil, fmt.Errorf("format debian lock: %w", err)
	}
	return out.Bytes(), nil
}

// Select returns the pins of the named packages for an architecture, in the
// order of the names.
func (l Lock) Select(arch string, names []string) ([]Pin, error) {
	found := map[string]Pin{}
	for _, pin := range l.Pins {
		if pin.Arch == arch {
			found[pin.Name] = pin
		}
	}
	pins := make([]Pin, 0, len(names))
	for _, name := range names {
		pin, ok := found[name]
		if !ok {
			return nil, fmt.Errorf("select debian packages: %s: no pin for %s in the lock; run `make lock`", name, arch)
		}
		pins = append(pins, pin)
	}
	return pins, nil
}
