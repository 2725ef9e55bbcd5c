package debian

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ichor-os/ichor/bundle/publish"
)

// A Package is a fetched and verified .deb file.
type Package struct {
	Pin
	// Path of the .deb file in the store.
	Path string
	// Floating is set if the mirrors no longer serve the pinned version and a
	// newer one of the same series was taken; Wanted is the pinned version.
	Floating bool
	Wanted   string
}

// A Store fetches packages into a folder and keeps them by checksum. What it
// holds already needs no network.
type Store struct {
	// Folder is where everything is kept.
	Folder string
	// Strict makes a pin that is no longer served an error.
	Strict bool
	// HostConfig is the folder of the host's apt configuration; empty means
	// /etc/apt.
	HostConfig string
	// Log is told what takes long and what deserves attention; nil is silent.
	Log func(format string, args ...any)
}

func (s *Store) log(format string, args ...any) {
	if s.Log != nil {
		s.Log(format, args...)
	}
}

func (s *Store) debPath(digest string) string {
	return filepath.Join(s.Folder, "pool", digest+".deb")
}

// Fetch returns the pinned packages, in order. A file in the store that does not
// match its checksum is fetched anew.
func (s *Store) Fetch(ctx context.Context, series string, pins []Pin) ([]Package, error) {
	packages := make([]Package, len(pins))
	missing := map[string][]int{} // by architecture
	for i, pin := range pins {
		packages[i] = Package{Pin: pin, Path: s.debPath(pin.SHA256)}
		err := checkFile(packages[i].Path, pin.SHA256)
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.log("warning: %v; fetching it again", err)
		}
		missing[pin.Arch] = append(missing[pin.Arch], i)
	}
	if len(missing) == 0 {
		return packages, nil
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for arch, indices := range missing {
		if err := s.fetchMissing(ctx, series, arch, packages, indices); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// lock keeps two processes from running apt in one store.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	return publish.Lock(ctx, filepath.Join(s.Folder, "lock"), func() {
		s.log("another process is fetching Debian packages; waiting for it")
	})
}

func (s *Store) openApt(ctx context.Context, series, arch string) (*apt, error) {
	name, err := debianArch(arch)
	if err != nil {
		return nil, err
	}
	host := s.HostConfig
	if host == "" {
		host = "/etc/apt"
	}
	folder, err := filepath.Abs(filepath.Join(s.Folder, "apt-"+series+"-"+arch))
	if err != nil {
		return nil, fmt.Errorf("prepare apt: %w", err)
	}
	a := &apt{folder: folder, series: series, arch: name, hostConfig: host, log: s.log}
	if err := a.prepare(ctx); err != nil {
		return nil, err
	}
	return a, a.update(ctx)
}

// fetchMissing downloads packages[i] for each index, or what replaces it.
func (s *Store) fetchMissing(ctx context.Context, series, arch string, packages []Package, indices []int) error {
	a, err := s.openApt(ctx, series, arch)
	if err != nil {
		return err
	}
	var names []string
	for _, i := range indices {
		names = append(names, packages[i].Name)
	}
	served, err := a.versions(ctx, names)
	if err != nil {
		return err
	}
	var wanted []record
	for _, i := range indices {
		chosen, err := s.choose(&packages[i], series, served[packages[i].Name])
		if err != nil {
			return err
		}
		wanted = append(wanted, chosen)
	}
	return s.take(ctx, a, wanted)
}

// choose picks the served record for a pin and, where the pin is gone, turns
// the package into a floating one.
func (s *Store) choose(p *Package, series string, served []record) (record, error) {
	if len(served) == 0 {
		return record{}, fmt.Errorf("fetch debian package: %s: Debian %s has no such package for %s", p.Name, series, p.Arch)
	}
	for _, r := range served {
		if r.version != p.Version {
			continue
		}
		if r.sha256 != p.SHA256 {
			return record{}, fmt.Errorf("fetch debian package: %s %s: the mirror's index says SHA-256 %s, the lock says %s; one of them is wrong, so neither is used", p.Name, p.Version, r.sha256, p.SHA256)
		}
		return r, nil
	}
	newest := served[0]
	if s.Strict {
		return record{}, fmt.Errorf("fetch debian package: %s %s is no longer served (Debian %s has %s); run `make lock` and commit the result, or build without --locked", p.Name, p.Version, series, newest.version)
	}
	s.log("WARNING: %s %s is no longer served; taking %s of the same series. This build differs from the locked one and its manifest says so.", p.Name, p.Version, newest.version)
	p.Floating, p.Wanted = true, p.Version
	p.Version, p.SHA256, p.Size = newest.version, newest.sha256, newest.size
	p.Path = s.debPath(p.SHA256)
	return newest, nil
}

// take downloads records and moves them into the pool once their checksums are
// right.
func (s *Store) take(ctx context.Context, a *apt, wanted []record) error {
	var needed []record
	for _, r := range wanted {
		if checkFile(s.debPath(r.sha256), r.sha256) != nil {
			needed = append(needed, r)
		}
	}
	if len(needed) == 0 {
		return nil
	}
	s.log("fetching %d Debian packages for %s", len(needed), a.arch)
	folder, err := os.MkdirTemp(filepath.Join(a.folder, "download"), "")
	if err != nil {
		return fmt.Errorf("download debian packages: %w", err)
	}
	err = a.download(ctx, folder, needed)
	for _, r := range needed {
		if err != nil {
			break
		}
		err = s.admit(folder, r)
	}
	return errors.Join(err, os.RemoveAll(folder))
}

// admit checks one downloaded file and publishes it in the pool.
func (s *Store) admit(folder string, r record) error {
	found, err := filepath.Glob(filepath.Join(folder, r.name+"_*.deb"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("download debian package: %s: found %d files, want 1", r.name, len(found))
	}
	if err := checkFile(found[0], r.sha256); err != nil {
		return fmt.Errorf("download debian package: %w", err)
	}
	return publish.File(s.debPath(r.sha256), 0o444, func(w io.Writer) error {
		in, err := os.Open(found[0])
		if err != nil {
			return fmt.Errorf("store debian package: %w", err)
		}
		defer in.Close()
		if _, err := io.Copy(w, in); err != nil {
			return fmt.Errorf("store debian package: %w", err)
		}
		return nil
	})
}

// Relock returns pins of the newest served versions of the named packages for
// an architecture, with their licences.
func (s *Store) Relock(ctx context.Context, series, arch string, names []string) ([]Pin, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	a, err := s.openApt(ctx, series, arch)
	if err != nil {
		return nil, err
	}
	served, err := a.versions(ctx, names)
	if err != nil {
		return nil, err
	}
	var wanted []record
	var pins []Pin
	for _, name := range names {
		if len(served[name]) == 0 {
			return nil, fmt.Errorf("lock debian package: %s: Debian %s has no such package for %s", name, series, arch)
		}
		r := served[name][0]
		wanted = append(wanted, r)
		pins = append(pins, Pin{Name: name, Arch: arch, Version: r.version, SHA256: r.sha256, Size: r.size})
	}
	if err := s.take(ctx, a, wanted); err != nil {
		return nil, err
	}
	for i := range pins {
		licence, err := Licence(ctx, s.debPath(pins[i].SHA256))
		if err != nil {
			return nil, err
		}
		if known, ok := readLicences[pins[i].Name]; ok && licence == "NOASSERTION" {
			licence = known
		}
		pins[i].Licence = licence
	}
	return pins, nil
}

// readLicences are of packages whose copyright files are prose, as a person read
// them.
var readLicences = map[string]string{
	"libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
}

// checkFile compares a file with its SHA-256 in hex.
func checkFile(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return fmt.Errorf("check %s: %w", path, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); !strings.EqualFold(got, want) {
		return fmt.Errorf("check %s: SHA-256 is %s, want %s", path, got, want)
	}
	return nil
}
