package debian

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Mirrors are the base addresses to fetch a Debian series from.
type Mirrors struct {
	Main     string
	Security string
}

// publicMirrors serve every Debian series; they are taken where the host's own
// apt names no Debian mirror.
var publicMirrors = Mirrors{
	Main:     "http://deb.debian.org/debian",
	Security: "http://deb.debian.org/debian-security",
}

// HostMirrors reads the mirrors that the host's apt is set up with (folder is
// usually /etc/apt), so that a site's own mirror is used. Only addresses whose
// path ends in /debian or /debian-security count: other vendors' sources are
// no mirrors of Debian.
func HostMirrors(folder string) (Mirrors, error) {
	found := publicMirrors
	files, err := sourceFiles(folder)
	if err != nil {
		return Mirrors{}, err
	}
	var haveMain, haveSecurity bool
	for _, file := range files {
		addresses, err := sourceAddresses(file)
		if err != nil {
			return Mirrors{}, err
		}
		for _, address := range addresses {
			switch mirrorKind(address) {
			case "debian":
				if !haveMain {
					found.Main, haveMain = address, true
				}
			case "debian-security":
				if !haveSecurity {
					found.Security, haveSecurity = address, true
				}
			}
		}
	}
	return found, nil
}

func mirrorKind(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.User != nil {
		return ""
	}
	return filepath.Base(parsed.Path)
}

func sourceFiles(folder string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"sources.list", "sources.list.d/*.list", "sources.list.d/*.sources"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, fmt.Errorf("read apt sources: %w", err)
		}
		sort.Strings(found)
		files = append(files, found...)
	}
	return files, nil
}

// sourceAddresses reads one file in either of apt's formats (sources.list(5)).
func sourceAddresses(file string) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read apt sources: %w", err)
	}
	defer f.Close()
	var addresses []string
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		line := strings.TrimSpace(scanner.Text())
		if filepath.Ext(file) == ".sources" {
			if value, ok := strings.CutPrefix(line, "URIs:"); ok {
				addresses = append(addresses, trimAddresses(strings.Fields(value))...)
			}
			continue
		}
		addresses = append(addresses, trimAddresses(lineAddress(line))...)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read apt sources: %s: %w", file, err)
	}
	return addresses, nil
}

// lineAddress finds the address in a line such as
// `deb [signed-by=/a b=c] http://host/debian trixie main`.
func lineAddress(line string) []string {
	fields := strings.Fields(line)
	if len(fields) < 3 || fields[0] != "deb" {
		return nil
	}
	fields = fields[1:]
	if strings.HasPrefix(fields[0], "[") {
		for len(fields) > 0 && !strings.HasSuffix(fields[0], "]") {
			fields = fields[1:]
		}
		if len(fields) < 2 {
			return nil
		}
		fields = fields[1:]
	}
	return fields[:1]
}

func trimAddresses(addresses []string) []string {
	var trimmed []string
	for _, address := range addresses {
		trimmed = append(trimmed, strings.TrimRight(address, "/"))
	}
	return trimmed
}
