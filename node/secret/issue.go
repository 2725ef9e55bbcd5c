package secret

import (
	"crypto/x509"
	"math/big"
	"net/netip"
	"slices"
	"time"

	timespec "github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// lifetime of the certificates that a node gives its own programs.
const lifetime = 365 * 24 * time.Hour

// A certificate is renewed when between earliest and latest of its life has
// passed, at a time of its own, so that not all are renewed together.
const (
	earliest = 0.6
	latest   = 0.8
)

// lookAgain bounds the time between two looks at certificates: a clock that was
// set shows then at the latest.
const lookAgain = 12 * time.Hour

// issuer gives certificates within one run: those of before while they hold,
// new ones otherwise. It has the run repeated when the next is due.
type issuer struct {
	session *resource.Session
	wake    time.Duration
}

func newIssuer(s *resource.Session) *issuer { return &issuer{session: s, wake: lookAgain} }

// get gives a certificate as the template says.
func (i *issuer) get(old *value.CertificateAndKey, a *pki.Authority, t pki.Template) (*value.CertificateAndKey, error) {
	now := i.session.Now()
	if t.Lifetime == 0 {
		t.Lifetime = lifetime
	}
	// A clock that jumps has all of them looked at again.
	if clock, ok := timespec.TimeStatuses.Get(i.session, timespec.SyncID); old == nil && (!ok || !clock.Synced) {
		return nil, resource.Hold("waiting for the time, as certificates are to be made")
	}
	if due, ok := holds(old, a, t, now); ok {
		i.next(due.Sub(now))
		return old, nil
	}
	// Clocks of a cluster differ a little.
	t.NotBefore = now.Add(-time.Minute)
	t.Lifetime += time.Minute
	pair, err := a.Issue(pki.ECDSAP256, t)
	if err != nil {
		return nil, err
	}
	made := &value.CertificateAndKey{Crt: pair.Crt, Key: pair.Key}
	certificate, err := pki.ParseCertificate(pair.Crt)
	if err != nil {
		return nil, err
	}
	i.next(renewal(certificate).Sub(now))
	return made, nil
}

func (i *issuer) next(d time.Duration) {
	i.wake = min(i.wake, max(d, time.Second))
	i.session.WakeAfter(i.wake)
}

// holds reports whether a certificate is as the template says and not due for
// renewal yet, and when it will be.
func holds(old *value.CertificateAndKey, a *pki.Authority, t pki.Template, now time.Time) (time.Time, bool) {
	if old == nil || len(old.Key) == 0 {
		return time.Time{}, false
	}
	c, err := pki.ParseCertificate(old.Crt)
	if err != nil || c.CheckSignatureFrom(a.Certificate) != nil {
		return time.Time{}, false
	}
	due := renewal(c)
	if now.Before(c.NotBefore) || !now.Before(due) || c.NotAfter.Sub(c.NotBefore) > t.Lifetime+2*time.Minute {
		return due, false
	}
	return due, c.Subject.CommonName == t.CommonName &&
		slices.Equal(c.Subject.Organization, t.Organizations) &&
		slices.Equal(c.ExtKeyUsage, t.Usages) &&
		slices.Equal(sortedNames(t.Names), certificateNames(c))
}

func sortedNames(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if ip, err := netip.ParseAddr(name); err == nil {
			name = ip.String()
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func certificateNames(c *x509.Certificate) []string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	return sortedNames(names)
}

// renewal is when a certificate is due: its serial number, which is random,
// gives the place between earliest and latest.
func renewal(c *x509.Certificate) time.Time {
	place := float64(new(big.Int).Mod(c.SerialNumber, big.NewInt(1000)).Int64()) / 1000
	part := earliest + (latest-earliest)*place
	return c.NotBefore.Add(time.Duration(float64(c.NotAfter.Sub(c.NotBefore)) * part))
}
