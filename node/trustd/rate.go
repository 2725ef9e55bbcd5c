package trustd

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/ichor-os/ichor/node/apid/quota"
)

// Rates of one source. Many workers may stand behind one address, and all ask
// when a cluster starts; a wrong token is a mistake that is made a few times.
const (
	askBurst = 64
	askEvery = time.Second
	// Nodes exchange twice a minute and at each change of one of them.
	exchangeBurst = 256
	exchangeEvery = 200 * time.Millisecond
	wrongBurst    = 5
	wrongEvery    = time.Minute
	// mostSources bounds the memory for them.
	mostSources = 4096
)

// rates are token buckets, one for each source.
type rates struct {
	burst int
	every time.Duration
	now   func() time.Time

	mu      sync.Mutex
	buckets map[netip.Prefix]*rate.Limiter
}

func newRates(burst int, every time.Duration, now func() time.Time) *rates {
	return &rates{burst: burst, every: every, now: now, buckets: map[netip.Prefix]*rate.Limiter{}}
}

// take takes one from the bucket of a source and tells whether there was one.
func (r *rates) take(source netip.Addr) bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	now, key := r.now(), quota.Group(source)

	bucket, ok := r.buckets[key]
	if !ok {
		if len(r.buckets) >= mostSources {
			r.forget(now)
		}

		// With that many sources at work, new ones have to wait.
		if len(r.buckets) >= mostSources {
			return false
		}

		bucket = rate.NewLimiter(rate.Every(r.every), r.burst)
		r.buckets[key] = bucket
	}

	return bucket.AllowN(now, 1)
}

// left tells whether there is one in the bucket of a source.
func (r *rates) left(source netip.Addr) bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	bucket, ok := r.buckets[quota.Group(source)]

	return !ok || bucket.TokensAt(r.now()) >= 1
}

// forget drops the buckets that are full again, which is how new ones start.
func (r *rates) forget(now time.Time) {
	for key, bucket := range r.buckets {
		if bucket.TokensAt(now) >= float64(r.burst) {
			delete(r.buckets, key)
		}
	}
}
