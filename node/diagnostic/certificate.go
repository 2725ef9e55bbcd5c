package diagnostic

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/resource"
)

// CertificateFolders are where a node keeps certificates of its own.
var CertificateFolders = []string{"/system/secrets", "/var/lib/kubelet/pki"}

// certificatePause is how often they are read.
const certificatePause = time.Minute

// expiresSoon is how long before its end a certificate is reported, at most; one
// that lives shortly is after four fifths of its life.
const expiresSoon = 30 * 24 * time.Hour

// certificateSpec is the end of the first certificate in a file.
type certificateSpec struct {
	NotBefore time.Time `yaml:"notBefore" protobuf:"1"`
	NotAfter  time.Time `yaml:"notAfter" protobuf:"2"`
}

var certificates = resource.Define[certificateSpec]("CertificateExpiries.ichor.dev",
	resource.Namespace("runtime"), resource.DisplayType("CertificateExpiry"), resource.Columns(
		resource.Column{Name: "Not After", Path: "{.notAfter}"},
	))

func certificateSource(folders []string) resource.Block {
	return resource.Source("certificate-expiry", certificates, func(ctx context.Context, f *resource.Feed[certificateSpec]) error {
		tick := time.NewTicker(certificatePause)
		defer tick.Stop()
		for {
			if err := f.Replace(readCertificates(folders)...); err != nil {
				return err
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// readCertificates reads what is in use. Kubelet leaves its older ones beside a
// link to the current one.
func readCertificates(folders []string) []resource.Item[certificateSpec] {
	var items []resource.Item[certificateSpec]
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".crt") && !strings.HasSuffix(path, "-current.pem") {
				return nil // what cannot be read is somebody else's report
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			if c := first(text); c != nil {
				items = append(items, resource.Item[certificateSpec]{ID: path, Spec: certificateSpec{c.NotBefore, c.NotAfter}})
			}
			return nil
		})
	}
	return items
}

// first is the first certificate of a PEM text.
func first(text []byte) *x509.Certificate {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			return c
		}
	}
	return nil
}

// checkCertificates finds certificates and authorities that end soon.
func checkCertificates(_ context.Context, s *resource.Session) error {
	all, err := authorities(s)
	if err != nil {
		return err
	}
	for _, c := range certificates.List(s) {
		all = append(all, named{c.ID, c.Spec})
	}
	var ending []string
	wake := 24 * time.Hour
	for _, c := range all {
		from := c.spec.NotAfter.Add(-min(expiresSoon, c.spec.NotAfter.Sub(c.spec.NotBefore)/5))
		if left := from.Sub(s.Now()); left > 0 {
			wake = min(wake, left)
			continue
		}
		verb := "ends"
		if s.Now().After(c.spec.NotAfter) {
			verb = "ended"
		}
		ending = append(ending, fmt.Sprintf("%s %s on %s", c.name, verb, c.spec.NotAfter.UTC().Format(time.RFC3339)))
	}
	s.WakeAfter(wake)
	if len(ending) > 0 {
		findings.Put(s, "certificate-expiry", Finding{
			Message: "certificates end soon: put a new authority in the config; those that the node makes itself are new after a reboot",
			Details: ending, Grace: passing,
		})
	}
	return nil
}

type named struct {
	name string
	spec certificateSpec
}

// authorities are those of the config.
func authorities(s *resource.Session) ([]named, error) {
	config, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return nil, err
	}
	var all []named
	add := func(name string, text []byte) {
		if c := first(text); c != nil {
			all = append(all, named{name, certificateSpec{c.NotBefore, c.NotAfter}})
		}
	}
	main := config.Main()
	if main == nil {
		return nil, nil
	}
	if main.Machine != nil && main.Machine.CA != nil {
		add("machine.ca", main.Machine.CA.Crt)
	}
	if c := main.Cluster; c != nil {
		if c.CA != nil {
			add("cluster.ca", c.CA.Crt)
		}
		if c.AggregatorCA != nil {
			add("cluster.aggregatorCA", c.AggregatorCA.Crt)
		}
		if c.Etcd != nil && c.Etcd.CA != nil {
			add("cluster.etcd.ca", c.Etcd.CA.Crt)
		}
	}
	return all, nil
}
