package debian

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ichor-os/ichor/bundle/publish"
)

// keyring holds the keys that sign Debian's archives.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// A record is one version of a package as a mirror's signed index lists it.
type record struct {
	name, version, sha256 string
	size                  int64
}

// apt runs the host's apt with a configuration, state and cache of its own.
type apt struct {
	folder string // everything apt may write
	series string
	arch   string // Debian's name
	// hostConfig is the folder whose sources and proxies are taken over.
	hostConfig string
	log        func(format string, args ...any)
}

// debianArch maps Go's name of an architecture to Debian's; they agree for the
// two that are built.
func debianArch(arch string) (string, error) {
	switch arch {
	case "amd64", "arm64":
		return arch, nil
	}
	return "", fmt.Errorf("debian packages: architecture %q is not supported", arch)
}

// prepare writes apt's private configuration.
func (a *apt) prepare(ctx context.Context) error {
	if _, err := os.Stat(keyring); err != nil {
		return fmt.Errorf("verify debian archive: %w; install the package debian-archive-keyring", err)
	}
	for _, folder := range []string{"state/lists/partial", "cache/archives/partial", "etc/preferences.d", "download"} {
		if err := os.MkdirAll(filepath.Join(a.folder, folder), 0o755); err != nil {
			return fmt.Errorf("prepare apt: %w", err)
		}
	}
	if err := publish.Bytes(filepath.Join(a.folder, "state/status"), 0o644, nil); err != nil {
		return fmt.Errorf("prepare apt: %w", err)
	}
	mirrors, err := HostMirrors(a.hostConfig)
	if err != nil {
		return err
	}
	if err := publish.Bytes(filepath.Join(a.folder, "etc/sources.list"), 0o644, a.sources(mirrors)); err != nil {
		return fmt.Errorf("prepare apt: %w", err)
	}
	if err := publish.Bytes(filepath.Join(a.folder, "apt.conf"), 0o644, a.configuration(a.hostAcquire(ctx))); err != nil {
		return fmt.Errorf("prepare apt: %w", err)
	}
	return nil
}

func (a *apt) sources(mirrors Mirrors) []byte {
	var out bytes.Buffer
	for _, source := range [][2]string{
		{mirrors.Main, a.series}, {mirrors.Main, a.series + "-updates"}, {mirrors.Security, a.series + "-security"},
	} {
		fmt.Fprintf(&out, "deb [signed-by=%s] %s %s main\n", keyring, source[0], source[1])
	}
	return out.Bytes()
}

// configuration is apt.conf(5). It comes before any of the host's files and
// switches them off, among them the hooks that would touch the host.
func (a *apt) configuration(acquire []string) []byte {
	var out bytes.Buffer
	set := func(key, value string) { fmt.Fprintf(&out, "%s %q;\n", key, value) }
	set("Dir::State", filepath.Join(a.folder, "state"))
	set("Dir::State::status", filepath.Join(a.folder, "state/status"))
	set("Dir::Cache", filepath.Join(a.folder, "cache"))
	set("Dir::Etc::main", "")
	set("Dir::Etc::parts", "")
	set("Dir::Etc::sourcelist", filepath.Join(a.folder, "etc/sources.list"))
	set("Dir::Etc::sourceparts", "")
	set("Dir::Etc::preferences", "")
	set("Dir::Etc::preferencesparts", filepath.Join(a.folder, "etc/preferences.d"))
	set("Dir::Etc::trusted", "")
	set("Dir::Etc::trustedparts", "")
	set("APT::Architecture", a.arch)
	fmt.Fprintf(&out, "APT::Architectures { %q; };\n", a.arch)
	set("APT::Sandbox::User", "")
	set("Acquire::Languages", "none")
	set("Acquire::Retries", "3")
	set("Acquire::AllowInsecureRepositories", "false")
	set("Acquire::AllowWeakRepositories", "false")
	set("Acquire::AllowDowngradeToInsecureRepositories", "false")
	set("APT::Get::AllowUnauthenticated", "false")
	for _, line := range acquire {
		out.WriteString(line + "\n")
	}
	return out.Bytes()
}

// hostAcquire reads the host's proxies and its judgement of dates, which decide
// whether a mirror can be reached at all. A host whose apt-config cannot be read has none.
func (a *apt) hostAcquire(ctx context.Context) []string {
	dump, err := exec.CommandContext(ctx, "apt-config", "dump").Output()
	if err != nil {
		return nil
	}
	var kept []string
	for line := range strings.Lines(string(dump)) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"Acquire::http::Proxy", "Acquire::https::Proxy", "Acquire::https::CAInfo", "Acquire::Check-Valid-Until", "Acquire::Check-Date"} {
			if strings.HasPrefix(line, prefix) {
				kept = append(kept, line)
			}
		}
	}
	return kept
}

func (a *apt) run(ctx context.Context, folder, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(a.folder, "apt.conf"), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, lastLines(stderr.String(), 3))
	}
	return stdout.Bytes(), nil
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}

// update fetches the mirrors' indices and checks their signatures.
func (a *apt) update(ctx context.Context) error {
	a.log("reading the index of Debian %s for %s", a.series, a.arch)
	if _, err := a.run(ctx, a.folder, "apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any"); err != nil {
		return fmt.Errorf("read debian index: %w", err)
	}
	return nil
}

// versions returns what the mirrors serve of the named packages; the first
// record of each is the one apt would install.
func (a *apt) versions(ctx context.Context, names []string) (map[string][]record, error) {
	candidates, err := a.show(ctx, names, "--no-all-versions")
	if err != nil {
		return nil, err
	}
	all, err := a.show(ctx, names, "--all-versions")
	if err != nil {
		return nil, err
	}
	found := map[string][]record{}
	for _, r := range append(candidates, all...) {
		found[r.name] = append(found[r.name], r)
	}
	return found, nil
}

func (a *apt) show(ctx context.Context, names []string, which string) ([]record, error) {
	out, err := a.run(ctx, a.folder, "apt-cache", append([]string{"show", "-q", which}, names...)...)
	if err != nil {
		return nil, fmt.Errorf("look up debian packages: %w", err)
	}
	return parseRecords(out)
}

// parseRecords reads deb822 paragraphs as `apt-cache show` prints them.
func parseRecords(text []byte) ([]record, error) {
	var records []record
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		var r record
		for line := range strings.Lines(paragraph) {
			key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
			if !ok {
				continue
			}
			switch key {
			case "Package":
				r.name = value
			case "Version":
				r.version = value
			case "SHA256":
				r.sha256 = value
			case "Size":
				size, err := strconv.ParseInt(value, 10, 64)
				if err != nil {
					return nil, fmt.Errorf("read debian index: %s: size: %w", r.name, err)
				}
				r.size = size
			}
		}
		if r.name != "" {
			records = append(records, r)
		}
	}
	return records, nil
}

// download fetches packages as name=version into an empty folder; apt checks
// them against the signed index.
func (a *apt) download(ctx context.Context, folder string, wanted []record) error {
	args := []string{"download", "-q"}
	for _, r := range wanted {
		args = append(args, r.name+"="+r.version)
	}
	if _, err := a.run(ctx, folder, "apt-get", args...); err != nil {
		return fmt.Errorf("download debian packages: %w", err)
	}
	return nil
}
