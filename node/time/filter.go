package time

import (
	"math"
	"time"
)

const (
	// remembered is how many offsets the filter knows.
	remembered = 8
	// leastJitter is below what an offset may always differ.
	leastJitter = 5 * time.Millisecond
	// believedSpikes is how many spikes in a row are a change of the time.
	believedSpikes = 4
)

// filter tells spikes, offsets that come from a slow network, from changes of
// the time. The clock follows each accepted offset, so that the next one is
// expected to be as small as those before.
type filter struct {
	offsets []time.Duration
	spikes  int
}

// accept says whether the clock should follow the offset.
func (f *filter) accept(offset time.Duration) bool {
	if len(f.offsets) >= remembered/2 && offset.Abs() > max(4*f.jitter(), leastJitter) {
		f.spikes++
		if f.spikes < believedSpikes {
			return false
		}
		f.offsets = nil
	}
	f.spikes = 0
	f.offsets = append(f.offsets, offset)
	if len(f.offsets) > remembered {
		f.offsets = f.offsets[1:]
	}
	return true
}

// jitter is the root mean square of the offsets.
func (f *filter) jitter() time.Duration {
	sum := 0.0
	for _, o := range f.offsets {
		sum += o.Seconds() * o.Seconds()
	}
	return time.Duration(math.Sqrt(sum/float64(len(f.offsets))) * float64(time.Second))
}
