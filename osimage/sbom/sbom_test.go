package sbom

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/version"
)

func sample() Document {
	shared := Module{Path: "example.com/Shared", Version: "v1.2.3", Sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", Licence: "MIT"}
	return Document{
		Name: "registry.example/a:v1", Version: "v1", Purpose: "CONTAINER",
		Programs: []Program{
			{Name: "one", Version: "v1", Licence: "Apache-2.0", SHA256: strings.Repeat("a", 64), Modules: []Module{{Path: "stdlib", Version: "1.26.8", Licence: "BSD-3-Clause"}, shared}},
			{Name: "two", Version: "v1", Licence: "Apache-2.0", SHA256: strings.Repeat("b", 64), Modules: []Module{shared}},
		},
		Packages: []Package{{Name: "libgmp10", Version: "2:6.3.0+dfsg-3", Arch: "amd64", Series: "trixie", SHA256: strings.Repeat("c", 64), Licence: "LicenseRef-Debian-odd AND LGPL-3.0-or-later"}},
	}
}

// validate checks the fields that SPDX 2.3 requires of a JSON document.
func validate(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(content, &doc); err != nil {
		t.Fatal(err)
	}
	if doc["spdxVersion"] != "SPDX-2.3" || doc["dataLicense"] != "CC0-1.0" || doc["SPDXID"] != "SPDXRef-DOCUMENT" {
		t.Errorf("head is %v, %v, %v", doc["spdxVersion"], doc["dataLicense"], doc["SPDXID"])
	}
	if namespace, _ := doc["documentNamespace"].(string); !regexp.MustCompile(`^https://[^#\s]+$`).MatchString(namespace) {
		t.Errorf("documentNamespace = %q, want an address without a fragment", namespace)
	}
	creation := doc["creationInfo"].(map[string]any)
	if created, _ := creation["created"].(string); !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`).MatchString(created) {
		t.Errorf("created = %q", created)
	}
	for _, creator := range creation["creators"].([]any) {
		if !regexp.MustCompile(`^(Person|Organization|Tool): \S`).MatchString(creator.(string)) {
			t.Errorf("creator = %q", creator)
		}
	}
	extracted := map[string]bool{}
	if list, ok := doc["hasExtractedLicensingInfos"].([]any); ok {
		for _, e := range list {
			entry := e.(map[string]any)
			if entry["extractedText"] == "" {
				t.Errorf("%v has no text", entry["licenseId"])
			}
			extracted[entry["licenseId"].(string)] = true
		}
	}
	ids := map[string]bool{"SPDXRef-DOCUMENT": true}
	for _, p := range doc["packages"].([]any) {
		validatePackage(t, p.(map[string]any), ids, extracted)
	}
	describes := 0
	for _, r := range doc["relationships"].([]any) {
		relation := r.(map[string]any)
		for _, end := range []string{"spdxElementId", "relatedSpdxElement"} {
			if !ids[relation[end].(string)] {
				t.Errorf("relationship leads to %v, which is not in the document", relation[end])
			}
		}
		if relation["relationshipType"] == "DESCRIBES" {
			describes++
		}
	}
	if describes != 1 {
		t.Errorf("%d DESCRIBES relationships, want 1", describes)
	}
	return doc
}

func validatePackage(t *testing.T, p map[string]any, ids, extracted map[string]bool) {
	t.Helper()
	id := p["SPDXID"].(string)
	if !regexp.MustCompile(`^SPDXRef-[A-Za-z0-9.-]+$`).MatchString(id) || ids[id] {
		t.Errorf("SPDXID %q is malformed or there twice", id)
	}
	ids[id] = true
	for _, field := range []string{"name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"} {
		if text, _ := p[field].(string); text == "" {
			t.Errorf("%s has no %s", id, field)
		}
	}
	for _, reference := range licenceRef.FindAllString(p["licenseDeclared"].(string), -1) {
		if !extracted[reference] {
			t.Errorf("%s declares %s, whose text is missing", id, reference)
		}
	}
	if list, ok := p["checksums"].([]any); ok {
		for _, c := range list {
			sum := c.(map[string]any)
			if sum["algorithm"] != "SHA256" || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(sum["checksumValue"].(string)) {
				t.Errorf("%s has checksum %v", id, sum)
			}
		}
	}
}

func TestJSON_IsValidSPDX(t *testing.T) {
	content, err := sample().JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc := validate(t, content)
	if got := len(doc["packages"].([]any)); got != 6 { // artefact, 2 programs, stdlib, one shared module, 1 package
		t.Errorf("document holds %d packages, want 6", got)
	}
}

func TestJSON_SameBytesEachTimeAndAnotherNamespaceForAnotherContent(t *testing.T) {
	first, err := sample().JSON()
	if err != nil {
		t.Fatal(err)
	}
	second, err := sample().JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("two renderings differ")
	}
	changed := sample()
	changed.Packages[0].Version = "2:6.3.0+dfsg-4"
	third, err := changed.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if validate(t, first)["documentNamespace"] == validate(t, third)["documentNamespace"] {
		t.Error("different documents share a namespace")
	}
}

func TestJSON_PackageURLs(t *testing.T) {
	content, err := sample().JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"pkg:golang/example.com/Shared@v1.2.3"`, `"pkg:deb/debian/libgmp10@2%3A6.3.0%2Bdfsg-3?arch=amd64&distro=trixie"`,
		`"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`,
	} {
		if !strings.Contains(string(content), want) {
			t.Errorf("document lacks %s", want)
		}
	}
}

func TestModules_OfAProgramOfThisRepository(t *testing.T) {
	executable := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", executable, "github.com/ichor-os/ichor/cmd/imagetools")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	modules, err := Modules(executable)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Module{}
	for _, m := range modules {
		found[m.Path] = m
	}
	if m := found["golang.org/x/sys"]; m.Version == "" || !strings.HasPrefix(m.Sum, "h1:") {
		t.Errorf("golang.org/x/sys = %+v, want a version and a sum", m)
	}
	if m := found[ownModule]; m.Licence != "Apache-2.0" || m.Version != version.Tag {
		t.Errorf("own module = %+v, want our version and licence", m)
	}
	if m := found["stdlib"]; m.Version == "" || strings.HasPrefix(m.Version, "go") {
		t.Errorf("stdlib = %+v, want a plain version", m)
	}
}

func TestModules_OfAFileThatIsNoGoProgram(t *testing.T) {
	if _, err := Modules("sbom.go"); err == nil {
		t.Error("no error")
	}
}

func TestFill_RemembersWhatItFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "licences.json")
	modules := []Module{{Path: "github.com/google/licensecheck", Version: "v0.3.1"}, {Path: "known.example", Version: "v1", Licence: "ISC"}}
	first := &Licences{File: file}
	if err := first.Fill(context.Background(), modules); err != nil {
		t.Fatal(err)
	}
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"BSD-3-Clause", "ISC"}, []string{modules[0].Licence, modules[1].Licence}); diff != "" {
		t.Errorf("licences differ (-want +got):\n%s", diff)
	}
	content, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(content), `"github.com/google/licensecheck@v0.3.1": "BSD-3-Clause"`) {
		t.Errorf("remembered %s, %v", content, err)
	}
}

func TestDetectLicence_UnknownTextIsNoAssertion(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("Do as you were told by your aunt.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := DetectLicence(folder); err != nil || got != "NOASSERTION" {
		t.Errorf("DetectLicence = %q, %v, want NOASSERTION", got, err)
	}
}
