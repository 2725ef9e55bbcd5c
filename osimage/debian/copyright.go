package debian

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
)

// errFound stops the walk over a package once the copyright file was read.
var errFound = errors.New("found")

// Licence reads a package's copyright file and returns an SPDX licence
// expression that joins every licence it names, or NOASSERTION if the file is
// missing or not machine-readable (DEP-5). It says what the source package
// holds, which can be more than what one program of it is under.
func Licence(ctx context.Context, deb string) (string, error) {
	var text []byte
	err := eachFile(ctx, deb, func(name string, header *tar.Header, content io.Reader) error {
		if !strings.HasPrefix(name, "usr/share/doc/") || !strings.HasSuffix(name, "/copyright") || header.Typeflag != tar.TypeReg {
			return nil
		}
		var err error
		if text, err = io.ReadAll(io.LimitReader(content, 4<<20)); err != nil {
			return err
		}
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return "", fmt.Errorf("read licence: %s: %w", deb, err)
	}
	return ParseCopyright(string(text)), nil
}

// ParseCopyright turns a copyright file in Debian's machine-readable format
// (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/) into an
// SPDX licence expression. Licences without an SPDX name become
// LicenseRef-Debian-NAME.
func ParseCopyright(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, "Format:") || !strings.Contains(first, "copyright-format") {
		return "NOASSERTION"
	}
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		value, ok := strings.CutPrefix(line, "License:")
		if !ok {
			continue
		}
		for _, expression := range convertExpression(value) {
			names[expression] = true
		}
	}
	if len(names) == 0 {
		return "NOASSERTION"
	}
	var sorted []string
	for name := range names {
		if strings.Contains(name, " OR ") {
			name = "(" + name + ")"
		}
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	return strings.Join(sorted, " AND ")
}

// convertExpression handles `A or B`, `A and B` and `A, and B` and returns what
// must all hold. Commas only set how tightly words bind, and "and" within one
// field joins like fields do.
func convertExpression(value string) []string {
	value = strings.TrimSpace(strings.ReplaceAll(value, ",", ""))
	if value == "" {
		return nil
	}
	var alternatives []string
	for _, alternative := range orWord.Split(value, -1) {
		var parts []string
		for _, part := range andWord.Split(alternative, -1) {
			if id := convertName(part); id != "" {
				parts = append(parts, id)
			}
		}
		if len(alternatives) == 0 && !orWord.MatchString(value) {
			return parts
		}
		if len(parts) > 0 {
			alternatives = append(alternatives, strings.Join(parts, " AND "))
		}
	}
	return []string{strings.Join(alternatives, " OR ")}
}

var (
	orWord     = regexp.MustCompile(`\s+(?:or|\|)\s+`)
	andWord    = regexp.MustCompile(`\s+and(?:/or)?\s+`)
	gnuLicence = regexp.MustCompile(`^(A?GPL|LGPL|GFDL)v?-?(\d)(?:\.(\d))?(\+?)$`)
	notInID    = regexp.MustCompile(`[^A-Za-z0-9.]+`)
)

// spdxNames maps short names of the Debian format to SPDX identifiers, in lower
// case.
var spdxNames = map[string]string{
	"apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "artistic": "Artistic-1.0-Perl",
	"bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "bsd-4-clause": "BSD-4-Clause",
	"bsd-2-clause-netbsd": "BSD-2-Clause", "bsd-4-clause-uc": "BSD-4-Clause-UC", "bsl-1.0": "BSL-1.0",
	"cc0-1.0": "CC0-1.0", "cc-by-sa-4.0": "CC-BY-SA-4.0", "expat": "MIT", "mit": "MIT", "isc": "ISC",
	"mit/x11": "MIT", "mpl-1.1": "MPL-1.1", "mpl-2.0": "MPL-2.0", "x11": "X11", "zlib": "Zlib",
	"0bsd": "0BSD", "unicode-dfs-2016": "Unicode-DFS-2016", "fsfap": "FSFAP", "fsful": "FSFUL",
	"fsfullr": "FSFULLR", "unlicense": "Unlicense", "sunpro": "SunPro", "mit-1": "MIT",
}

func convertName(name string) string {
	name = strings.Trim(strings.TrimSpace(name), "()")
	if name == "" {
		return ""
	}
	if id, ok := spdxNames[strings.ToLower(name)]; ok {
		return id
	}
	if m := gnuLicence.FindStringSubmatch(name); m != nil {
		minor := m[3]
		if minor == "" {
			minor = "0"
		}
		suffix := "-only"
		if m[4] == "+" {
			suffix = "-or-later"
		}
		return m[1] + "-" + m[2] + "." + minor + suffix
	}
	// SPDX knows few of Debian's exceptions and special cases, so each becomes a
	// reference of its own, which loses nothing.
	name = strings.ReplaceAll(name, "+", "-or-later-")
	return strings.Trim("LicenseRef-Debian-"+strings.Trim(notInID.ReplaceAllString(name, "-"), "-"), "-")
}
