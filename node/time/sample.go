package time

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/beevik/ntp"
)

// sample is what one server said.
type sample struct {
	server string
	// offset is how much the server is ahead of this node.
	offset time.Duration
	// distance bounds the error of offset (RFC 5905, root distance).
	distance time.Duration
	leap     ntp.LeapIndicator
}

// low and high bound the offset that the sample claims.
func (s sample) low() time.Duration  { return s.offset - s.distance }
func (s sample) high() time.Duration { return s.offset + s.distance }

// choose takes the best of the largest group of samples that may all be right at
// once; of groups of the same size the one that holds an earlier sample. So one
// server that is wrong is outvoted by two that are right.
func choose(samples []sample) (sample, bool) {
	var best []sample
	for _, s := range samples {
		// Each largest group has a point in common at the low end of a member.
		var group []sample
		for _, other := range samples {
			if other.low() <= s.low() && s.low() <= other.high() {
				group = append(group, other)
			}
		}
		if len(group) > len(best) {
			best = group
		}
	}
	if len(best) == 0 {
		return sample{}, false
	}
	return slices.MinFunc(best, func(a, b sample) int { return int(min(max(a.distance-b.distance, -1), 1)) }), true
}

// Bounds of the back-off after a kiss-of-death.
const (
	firstKissBackoff = 2 * minPoll
	maxKissBackoff   = 36 * time.Hour
	deniedBackoff    = 24 * time.Hour
)

// Asker asks a server for the time.
type Asker func(server string, timeout time.Duration) (*ntp.Response, error)

// servers asks time servers, and leaves those alone that asked for it.
type servers struct {
	ask Asker
	// rests has the servers that sent a kiss-of-death (RFC 5905, 7.4).
	rests map[string]rest
}

// rest is the time during which a server is not asked.
type rest struct {
	length time.Duration
	until  time.Time
	code   string
}

type answer struct {
	server   string
	response *ntp.Response
	err      error
}

// samples asks all servers at once that may be asked. The error is why there is
// none.
func (s *servers) samples(names []string, now time.Time) ([]sample, error) {
	var failures []string
	answers := make(chan answer)
	asked := 0
	for _, name := range names {
		if r, ok := s.rests[name]; ok && now.Before(r.until) {
			failures = append(failures, fmt.Sprintf("%s: asked for less questions (%s)", name, r.code))
			continue
		}
		asked++
		go func() {
			response, err := s.ask(name, askTimeout)
			if err == nil {
				err = response.Validate()
			}
			answers <- answer{name, response, err}
		}()
	}
	byName := map[string]sample{}
	for range asked {
		a := <-answers
		if a.err != nil {
			s.refused(a, now)
			failures = append(failures, fmt.Sprintf("%s: %v", a.server, a.err))
			continue
		}
		delete(s.rests, a.server)
		byName[a.server] = sample{a.server, a.response.ClockOffset, a.response.RootDistance, a.response.Leap}
	}
	var samples []sample
	for _, name := range names {
		if got, ok := byName[name]; ok {
			samples = append(samples, got)
		}
	}
	if len(samples) == 0 {
		slices.Sort(failures)
		return nil, fmt.Errorf("no time server answers: %s", strings.Join(failures, "; "))
	}
	return samples, nil
}

// refused lets a server rest that sent a kiss-of-death: ever longer when it
// complains of the rate, a day when it denies service.
func (s *servers) refused(a answer, now time.Time) {
	if !errors.Is(a.err, ntp.ErrKissOfDeath) {
		return
	}
	length := deniedBackoff
	if code := a.response.KissCode; code != "DENY" && code != "RSTR" {
		length = min(max(2*s.rests[a.server].length, firstKissBackoff), maxKissBackoff)
	}
	if s.rests == nil {
		s.rests = map[string]rest{}
	}
	s.rests[a.server] = rest{length, now.Add(length), a.response.KissCode}
}
