// Package sbom writes software bills of materials in SPDX 2.3 JSON
// (https://spdx.github.io/spdx-spec/v2.3/): the Go modules of every program, as
// the programs themselves record them, and the Debian packages.
//
// The main types are Document, what a bill is about, and Licences, which finds
// the licence of a Go module. The same document gives the same bytes.
package sbom

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/version"
)

// A Document describes one artefact: the root file system or an image.
type Document struct {
	// Name of the artefact, such as an image reference.
	Name string
	// Version of the artefact.
	Version string
	// Purpose is an SPDX package purpose: OPERATING-SYSTEM or CONTAINER.
	Purpose  string
	Programs []Program
	Packages []Package
}

// A Program is an executable built from Go modules.
type Program struct {
	Name    string
	Version string
	Licence string // SPDX expression
	SHA256  string // of the executable
	Modules []Module
}

// A Module is a Go module in a program.
type Module struct {
	Path, Version string
	// Sum is the module's checksum as in go.sum, h1:…; empty for our own.
	Sum     string
	Licence string // SPDX expression
}

// A Package is a Debian package some files are from.
type Package struct {
	Name, Version, Arch, Series string
	SHA256                      string
	Licence                     string // SPDX expression
}

type spdxDocument struct {
	Version       string             `json:"spdxVersion"`
	DataLicence   string             `json:"dataLicense"`
	ID            string             `json:"SPDXID"`
	Name          string             `json:"name"`
	Namespace     string             `json:"documentNamespace"`
	Creation      spdxCreation       `json:"creationInfo"`
	Packages      []spdxPackage      `json:"packages"`
	Relationships []spdxRelationship `json:"relationships"`
	Extracted     []spdxExtracted    `json:"hasExtractedLicensingInfos,omitempty"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID               string         `json:"SPDXID"`
	Name             string         `json:"name"`
	Version          string         `json:"versionInfo,omitempty"`
	Supplier         string         `json:"supplier,omitempty"`
	DownloadLocation string         `json:"downloadLocation"`
	FilesAnalyzed    bool           `json:"filesAnalyzed"`
	LicenceConcluded string         `json:"licenseConcluded"`
	LicenceDeclared  string         `json:"licenseDeclared"`
	Copyright        string         `json:"copyrightText"`
	Purpose          string         `json:"primaryPackagePurpose,omitempty"`
	Checksums        []spdxChecksum `json:"checksums,omitempty"`
	References       []spdxRef      `json:"externalRefs,omitempty"`
}

type spdxChecksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type spdxRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

type spdxExtracted struct {
	ID   string `json:"licenseId"`
	Text string `json:"extractedText"`
	Name string `json:"name"`
}

const noAssertion = "NOASSERTION"

// JSON renders the document.
func (d Document) JSON() ([]byte, error) {
	w := writer{seen: map[string]bool{}}
	root := w.id("Artefact", d.Name)
	w.add(spdxPackage{
		ID: root, Name: d.Name, Version: d.Version, Supplier: "Organization: The Ichor authors",
		LicenceDeclared: "Apache-2.0", Purpose: d.Purpose,
	})
	w.relate("SPDXRef-DOCUMENT", "DESCRIBES", root)
	for _, program := range d.Programs {
		w.program(root, program)
	}
	for _, p := range d.Packages {
		w.debian(root, p)
	}
	return w.finish(d.Name)
}

// writer collects packages, each once.
type writer struct {
	doc  spdxDocument
	seen map[string]bool
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// id makes an SPDX identifier that is readable and unique for its parts.
func (w *writer) id(kind string, parts ...string) string {
	joined := strings.Join(parts, "@")
	sum := sha256.Sum256([]byte(kind + joined))
	return "SPDXRef-" + kind + "-" + strings.Trim(notInID.ReplaceAllString(joined, "-"), "-") + "-" + hex.EncodeToString(sum[:4])
}

func (w *writer) add(p spdxPackage) {
	if w.seen[p.ID] {
		return
	}
	w.seen[p.ID] = true
	if p.DownloadLocation == "" {
		p.DownloadLocation = noAssertion
	}
	if p.LicenceDeclared == "" {
		p.LicenceDeclared = noAssertion
	}
	p.LicenceConcluded, p.Copyright = noAssertion, noAssertion
	w.doc.Packages = append(w.doc.Packages, p)
}

func (w *writer) relate(from, kind, to string) {
	w.doc.Relationships = append(w.doc.Relationships, spdxRelationship{from, kind, to})
}

func (w *writer) program(root string, p Program) {
	id := w.id("Program", p.Name, p.Version)
	w.add(spdxPackage{
		ID: id, Name: p.Name, Version: p.Version, LicenceDeclared: p.Licence, Purpose: "APPLICATION",
		Checksums: []spdxChecksum{{"SHA256", p.SHA256}},
	})
	w.relate(root, "CONTAINS", id)
	for _, m := range p.Modules {
		module := w.id("Go", m.Path, m.Version)
		w.add(spdxPackage{
			ID: module, Name: m.Path, Version: m.Version, LicenceDeclared: m.Licence, Purpose: "LIBRARY",
			Checksums:  moduleChecksum(m.Sum),
			References: []spdxRef{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.Path + "@" + m.Version}},
		})
		w.relate(id, "STATIC_LINK", module)
	}
}

func (w *writer) debian(root string, p Package) {
	id := w.id("Debian", p.Name, p.Version, p.Arch)
	w.add(spdxPackage{
		ID: id, Name: p.Name, Version: p.Version, LicenceDeclared: p.Licence, Supplier: "Organization: Debian",
		Checksums: []spdxChecksum{{"SHA256", p.SHA256}},
		References: []spdxRef{{"PACKAGE-MANAGER", "purl",
			fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s&distro=%s", p.Name, escapePURL(p.Version), p.Arch, p.Series)}},
	})
	w.relate(root, "CONTAINS", id)
}

// escapePURL escapes the characters of Debian versions that a package URL does
// not hold literally.
func escapePURL(text string) string {
	return strings.NewReplacer("+", "%2B", ":", "%3A", "~", "~").Replace(text)
}

var licenceRef = regexp.MustCompile(`LicenseRef-[A-Za-z0-9.-]+`)

// finish adds what the whole document needs. The namespace is made from the
// content, so that different bills never share one.
func (w *writer) finish(name string) ([]byte, error) {
	var references []string
	for _, p := range w.doc.Packages {
		references = append(references, licenceRef.FindAllString(p.LicenceDeclared, -1)...)
	}
	slices.Sort(references)
	for _, id := range slices.Compact(references) {
		short := strings.TrimPrefix(strings.TrimPrefix(id, "LicenseRef-"), "Debian-")
		w.doc.Extracted = append(w.doc.Extracted, spdxExtracted{
			ID: id, Name: short,
			Text: "The text stands under the name " + short + " in the copyright file of the package that declares it.",
		})
	}
	w.doc.Version, w.doc.DataLicence, w.doc.ID, w.doc.Name = "SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT", name
	w.doc.Creation = spdxCreation{
		Created:  filetree.Time().Format("2006-01-02T15:04:05Z"),
		Creators: []string{"Organization: The Ichor authors", "Tool: ichor-imager-" + version.Tag},
	}
	content, err := render(w.doc)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	w.doc.Namespace = "https://github.com/ichor-os/ichor/spdx/" + strings.Trim(notInID.ReplaceAllString(name, "-"), "-") + "-" + hex.EncodeToString(sum[:16])
	return render(w.doc)
}

func render(doc spdxDocument) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(doc); err != nil {
		return nil, fmt.Errorf("write bill of materials: %w", err)
	}
	return out.Bytes(), nil
}
