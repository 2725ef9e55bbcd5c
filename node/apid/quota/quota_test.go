package quota_test

import (
	"net/netip"
	"testing"

	"github.com/ichor-os/ichor/node/apid/quota"
)

func TestQuota_CountsIPv6Networks(t *testing.T) {
	q := quota.New(2, 3)

	take := func(addr string) (func(), bool) { return q.Take(netip.MustParseAddr(addr)) }

	first, ok := take("2001:db8::1")
	if !ok {
		t.Fatal("first was refused")
	}

	if _, ok := take("2001:db8::2"); !ok {
		t.Error("second of the network was refused")
	}

	if _, ok := take("2001:db8::ffff:1"); ok {
		t.Error("third of the network was let in")
	}

	if _, ok := take("2001:db8:0:1::1"); !ok {
		t.Error("another network was refused")
	}

	if _, ok := take("192.0.2.1"); ok {
		t.Error("one more than all together was let in")
	}

	first()

	if _, ok := take("2001:db8::3"); !ok {
		t.Error("a place that was given back is not there")
	}
}
